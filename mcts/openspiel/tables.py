"""A small game of OpenSpiel as a table of its histories: searched without a call to OpenSpiel.

    tables = GameTables(pyspiel.load_game("leduc_poker"))
    position = tables.position(state, ONE_TREE)     # a decision of some player
    result = Search(position, Options(selection="availability")).run(Budget(simulations=1_000), 1)

All histories are listed once, with chance moves as part of the transitions.  The belief at a
decision is exact: all histories that the player cannot distinguish [perfect recall], each with the
probability of the chance moves and, for the others' moves, equal probabilities of their legal ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyspiel

from mcts.kernel.waiting import Progress
from mcts.openspiel.games import ONE_TREE, TREES, refuse
from mcts.tabular.domain import TabularPosition
from mcts.tabular.games import believe, pack_game

MOST = 100_000
"""Default maximum number of histories."""


class GameTables:
    """All histories of ``game``.

    Raises ValueError for a game that cannot be searched, that does not say what a player remembers,
    or that has more than ``limit`` histories.
    """

    def __init__(self, game: pyspiel.Game, limit: int = MOST) -> None:
        refuse(game)
        if not game.get_type().provides_information_state_string:
            raise ValueError(f"{game.get_type().short_name} does not say what a player remembers")
        self._game, self._limit = game, limit
        self._players = game.num_players()
        self._known: dict[str, int] = {}
        self._states: list[pyspiel.State] = []
        self._reach: list[np.ndarray] = []
        self._beliefs: dict[int, dict[str, np.ndarray]] = {}
        self._walk()

    def _walk(self) -> None:
        """List histories, transitions and information states."""
        first, then, chance = [0], list[int](), list[float]()
        width = self._game.num_distinct_actions()
        everyone = np.ones(self._players)
        with Progress(f"histories (at most {self._limit:,})") as progress:
            for share, state in self._after_chance(self._game.new_initial_state(), 1.0):
                self._add(state, share * everyone)
            met = 0
            while met < len(self._states):
                progress.show(met)
                state, reach = self._states[met], self._reach[met]
                legal = [] if state.is_terminal() else state.legal_actions()
                others = reach / max(1, len(legal))
                if legal:
                    others[state.current_player()] = reach[state.current_player()]
                for action in range(width):
                    if action in legal:
                        for share, after in self._after_chance(state.child(action), 1.0):
                            then.append(self._add(after, share * others))
                            chance.append(share)
                    first.append(len(then))
                met += 1
        states = self._states
        legal_lists = [[] if at.is_terminal() else at.legal_actions() for at in states]
        rows = np.array(first, np.int64), np.array(then, np.int64), np.array(chance)
        known = [[self._name(at, player) for player in range(self._players)] for at in states]
        self._tables = pack_game(
            rows,
            legal_lists,
            [max(0, at.current_player()) for at in states],
            known,
            [at.returns() for at in states],
            actions=width,
            steps=self._game.max_game_length(),
            discount=1.0,
            low=self._game.min_utility(),
            high=self._game.max_utility(),
            perspectives=1,
        )
        self._alike: dict[int, list[int]] = {}
        for place, listed in enumerate(legal_lists):
            if listed:
                at = known[place][states[place].current_player()]
                self._alike.setdefault(at, []).append(place)

    def history(self, number: int) -> pyspiel.State:
        """Return the state of the history ``number``, as kept: do not change it."""
        return self._states[number]

    def _after_chance(
        self, state: pyspiel.State, share: float
    ) -> Iterator[tuple[float, pyspiel.State]]:
        """Yield the states after all chance moves, with their probabilities."""
        if not state.is_chance_node():
            yield share, state
            return
        for action, chance in state.chance_outcomes():
            if chance > 0:
                yield from self._after_chance(state.child(action), share * chance)

    def _add(self, state: pyspiel.State, reach: np.ndarray) -> int:
        """Return the number of a history, which is new."""
        if len(self._states) >= self._limit:
            raise ValueError(f"the game has more than {self._limit:,} histories")
        self._states.append(state)
        self._reach.append(reach)
        return len(self._states) - 1

    def _name(self, state: pyspiel.State, player: int) -> int:
        return self._known.setdefault(state.information_state_string(player), len(self._known))

    def position(
        self, state: pyspiel.State, others: str = TREES, order: int | None = None
    ) -> TabularPosition:
        """Return the position of the player to move in ``state``.

        ``others``: `ONE_TREE` or `TREES`; ``order``: as of `mcts.openspiel.games.make_problem`.
        Raises ValueError if no player is to move.
        """
        if state.is_terminal() or state.is_chance_node():
            raise ValueError("a search needs a state in which a player is to move")
        me = state.current_player()
        belief = self._find_belief(self._known[state.information_state_string(me)], me)
        return self._tables._replace(
            **belief,
            perspectives=1 if others == ONE_TREE else self._players,
            me=me,
            lists_all=int(others == ONE_TREE),
            order=0 if order is None else 1 + abs(order) % 2**62,
        )

    def _find_belief(self, known: int, me: int) -> dict[str, np.ndarray]:
        """Return the fields of a position that describe what ``me`` believes."""
        if known in self._beliefs:
            return self._beliefs[known]
        alike = np.array(self._alike[known], np.int64)
        share = np.array([self._reach[place][me] for place in alike])
        return self._beliefs.setdefault(known, believe(alike, share))
