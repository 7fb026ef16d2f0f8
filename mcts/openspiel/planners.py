"""Searches as planners of OpenSpiel: policy tables for its evaluation.

A planner takes a state and a key, and returns the share of the simulations that began with each
legal action: a policy, as OpenSpiel's own ISMCTS returns one.  `table_of` calls it once for every
information state of a small game; OpenSpiel computes exploitability, best responses and the like
from the table::

    plan = planner(Options(selection="availability", exploration=0.5), Budget(simulations=1_000))
    pyspiel.exploitability(game, table_of(game, plan, seed=1))
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache

import pyspiel

from mcts.kernel.rng import derive_key
from mcts.kernel.waiting import Progress
from mcts.openspiel.games import POLICY, TREES, Policy, Resample, make_problem, uniform
from mcts.openspiel.states import Places, draw
from mcts.openspiel.tables import GameTables
from mcts.options import Budget, Options
from mcts.plain.chance import Chance
from mcts.plain.values import number
from mcts.search import Search, SearchResult

Plan = Callable[[pyspiel.State, int], Mapping[int, float]]
"""Shares of the legal actions in a state, by a key that names all randomness."""
SMALL = 20_000
"""Histories of a game whose tables are made without being asked: a second."""
Table = dict[str, list[tuple[int, float]]]
"""A policy in OpenSpiel's form: legal actions and their probabilities by information state."""


def planner(
    options: Options,
    budget: Budget,
    others: str = TREES,
    policy: Policy = uniform,
    resample: Resample | None = None,
    shuffled: bool = True,
    histories: int = SMALL,
) -> Plan:
    """Return a planner for any game that `mcts.openspiel.games.make_problem` takes.

    Parameters
    ----------
    others, policy, resample : see `make_problem`
    shuffled : whether untried actions are tried in a new order in every search
    histories : games with at most so many are searched by their tables, some 100 times faster,
        unless ``policy`` or ``resample`` is given or ``others`` is `POLICY`; 0: none
    """
    made: dict[str, Search] = {}
    known: defaultdict[str, Places] = defaultdict(Places)
    listed: dict[str, GameTables | None] = {}
    given = policy is not uniform or resample is not None or others == POLICY

    def plan(state: pyspiel.State, key: int) -> dict[int, float]:
        game, order = str(state.get_game()), key if shuffled else None
        if game not in listed:
            listed[game] = None if given else _list_small(game, histories)
        tables, action = listed[game], int
        if tables is not None:
            position = tables.position(state, others, order)
        else:
            problem = make_problem(state, others, policy, resample, order, known[game])
            position, action = problem.position(), problem.action
        if game not in made:
            made[game] = Search(position, options)
        return shares(made[game].run(budget, key, position), action)

    return plan


@lru_cache(maxsize=8)
def _list_small(game: str, histories: int) -> GameTables | None:
    """Return the tables of ``game`` if it is small and says what players remember."""
    try:
        return GameTables(pyspiel.load_game(game), histories)
    except ValueError:
        return None


def shares(result: SearchResult, action: Callable[[int], int] = int) -> dict[int, float]:
    """Return the share of the simulations that began with each action; ``action`` names it."""
    total = int(result.visits.sum())
    return {
        action(found): int(visits) / total
        for found, visits in zip(result.actions.tolist(), result.visits, strict=True)
    }


def table_of(game: pyspiel.Game, plan: Plan, seed: int) -> Table:
    """Return the policy of ``plan`` in every information state of ``game``, each with its own key.

    All histories of the game are enumerated: it must be small.
    """
    table: Table = {}
    waiting = [game.new_initial_state()]
    with Progress("information states planned") as progress:
        while waiting:
            state = waiting.pop()
            progress.show(len(table))
            if state.is_terminal():
                continue
            if not state.is_chance_node():
                known = state.information_state_string()
                if known not in table:
                    key = int(derive_key(seed, number(known)))
                    table[known] = sorted(plan(state, key).items())
            waiting += [state.child(action) for action in state.legal_actions()]
    return table


class SearchBot(pyspiel.Bot):
    """Bot for OpenSpiel's matches (``evaluate_bots``) that plays by a planner.

    Parameters
    ----------
    plan : the planner
    seed : names all randomness of all games of this bot
    best : whether it plays the planner's most frequent choice instead of drawing by the shares
    """

    def __init__(self, plan: Plan, seed: int, best: bool = True) -> None:
        super().__init__()
        self._plan, self._seed, self._best = plan, seed, best
        self._decisions = 0

    def restart_at(self, state: pyspiel.State) -> None:
        """Begin a game; only the count of decisions is kept from earlier ones."""

    def step(self, state: pyspiel.State) -> int:
        """Return the bot's action in ``state``."""
        self._decisions += 1
        key = int(derive_key(self._seed, self._decisions))
        found = self._plan(state, key)
        if self._best:
            return max(found, key=lambda action: found[action])
        return draw(list(found.items()), Chance(key))
