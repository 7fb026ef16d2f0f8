"""Kuhn poker and Leduc poker: our ISMCTS against OpenSpiel's, by exploitability.

All search the mover's information states (MO-ISMCTS) from the same belief, OpenSpiel's resampling,
with random roll-outs, the same exploration, and untried actions in random order; each information
state is searched once, and the policy is the shares of visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from benchmarks.peers import kuhn
from benchmarks.peers.measuring import Work
from mcts.openspiel.planners import Plan, planner, shares, table_of
from mcts.openspiel.tables import GameTables
from mcts.options import Budget, Options
from mcts.search import Search

EXPLORATION = 0.35
"""c of mean + c sqrt(2 ln N / n), for returns scaled to [0, 1]."""

Contestant = Callable[[int], Plan]
"""Returns a planner with the given number of simulations."""


def options(simulations: int) -> Options:
    """Return the options of our searches."""
    return Options(selection="availability", exploration=EXPLORATION, nodes=max(100, simulations))


def units(game: pyspiel.Game) -> float:
    """Return the constant of OpenSpiel, mean + C sqrt(ln N / n) of unscaled returns."""
    return EXPLORATION * math.sqrt(2) * (game.max_utility() - game.min_utility())


def plain(simulations: int) -> Plan:
    """Ours, on any game of OpenSpiel, which Python asks."""
    return planner(options(simulations), Budget(simulations=simulations), histories=0)


def by_tables(simulations: int) -> Plan:
    """Ours, on the table of the histories of OpenSpiel's game."""
    return planner(options(simulations), Budget(simulations=simulations))


def plan_compiled(simulations: int) -> Plan:
    """Ours, on our compiled Kuhn poker."""
    return kuhn.compiled_planner(options(simulations), Budget(simulations=simulations))


@cache
def _list_histories(game: str) -> GameTables:
    return GameTables(pyspiel.load_game(game))


def peep(simulations: int) -> Plan:
    """The control: ours by tables, with all cards open below the root."""
    made: dict[str, tuple[GameTables, Search]] = {}

    def plan(state: pyspiel.State, key: int) -> dict[int, float]:
        name = str(state.get_game())
        if name not in made:
            tables = _list_histories(name)
            made[name] = tables, Search(tables.position(state), options(simulations))
        tables, search = made[name]
        position = tables.position(state, order=key)
        everything = np.repeat(np.arange(len(position.known))[:, None], position.players, axis=1)
        position = position._replace(known=everything)
        return shares(search.run(Budget(simulations=simulations), key, position))

    return plan


def in_cpp(simulations: int) -> Plan:
    """OpenSpiel's in C++."""

    def plan(state: pyspiel.State, key: int) -> dict[int, float]:
        seed = key % 2**31
        bot = pyspiel.ISMCTSBot(
            seed,
            pyspiel.RandomRolloutEvaluator(1, seed),
            units(state.get_game()),
            simulations,
            -1,
            pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
            False,
            False,
        )
        return dict(bot.get_policy(state))

    return plan


def in_python(simulations: int) -> Plan:
    """OpenSpiel's in Python."""

    def plan(state: pyspiel.State, key: int) -> dict[int, float]:
        random = np.random.RandomState(key % 2**31)
        bot = ismcts.ISMCTSBot(
            game=state.get_game(),
            evaluator=mcts.RandomRolloutEvaluator(1, random),
            uct_c=units(state.get_game()),
            max_simulations=simulations,
            random_state=random,
            final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
        )
        return dict(bot.get_policy(state))

    return plan


PLAIN, COMPILED = "ours, OpenSpiel's game in Python", "ours, compiled"
TABLES = "ours, table of OpenSpiel's game"
PEEPING = "control: peeps below the root, table"
CPP, PYTHON = "OpenSpiel, C++", "OpenSpiel, Python"

CONTESTANTS: dict[str, dict[str, Contestant]] = {
    "kuhn_poker": {
        **{TABLES: by_tables, COMPILED: plan_compiled, PLAIN: plain},
        **{CPP: in_cpp, PYTHON: in_python},
    },
    "leduc_poker": {
        **{TABLES: by_tables, PLAIN: plain, CPP: in_cpp, PYTHON: in_python},
        PEEPING: peep,
    },
}


def game_of(problem: str, name: str) -> pyspiel.Game:
    """Return the game that a contestant searches: the compiled one uses our game."""
    ours = name == COMPILED and problem == "kuhn_poker"
    return pyspiel.load_game(kuhn.NAME if ours else problem)


def opening(game: pyspiel.Game) -> pyspiel.State:
    """Return the first decision after the first deal of the list."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return state


def works(problem: str) -> dict[str, Work]:
    """Return the timed work of each contestant: one search from the opening."""

    def work(name: str, make: Contestant) -> Work:
        state = opening(game_of(problem, name))
        made: dict[int, Plan] = {}

        def search(simulations: int) -> object:
            if simulations not in made:
                made.clear()
                made[simulations] = make(simulations)
            return made[simulations](state, 1)

        return search

    return {name: work(name, make) for name, make in CONTESTANTS[problem].items()}


def exploitabilities(problem: str, name: str, simulations: int, seeds: range) -> list[float]:
    """Return the exploitability of a contestant's policy, by seed."""
    game, plan = game_of(problem, name), CONTESTANTS[problem][name](simulations)
    return [pyspiel.exploitability(game, table_of(game, plan, seed)) for seed in seeds]
