"""Our Kuhn poker (`benchmarks.games.kuhn_poker`) as the game ``sleuth_kuhn`` of OpenSpiel.

Its rules are the compiled ones; information states have the names of OpenSpiel's own
``kuhn_poker``, so their tables are interchangeable.  `compiled_planner` runs the compiled search,
which is independent of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from benchmarks.games import kuhn_poker as kuhn
from benchmarks.peers.registration import PUBLIC, Observer, make_type
from mcts.openspiel.planners import Plan, shares
from mcts.options import Budget, Options
from mcts.search import Search

NAME = "sleuth_kuhn"
CARDS = 3

_TYPE = make_type(NAME, "Kuhn poker of Sleuth", (2, 2), {})
_INFO = pyspiel.GameInfo(
    num_distinct_actions=2,
    max_chance_outcomes=CARDS,
    num_players=2,
    min_utility=-2.0,
    max_utility=2.0,
    utility_sum=0.0,
    max_game_length=3,
)
_GAME = kuhn.KuhnParameters()  # seen from the first player


class KuhnGame(pyspiel.Game):
    """The game."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        super().__init__(_TYPE, _INFO, params or {})

    def new_initial_state(self) -> KuhnState:
        """Return the state before the cards are dealt."""
        return KuhnState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return the observer of a player's information."""
        return Observer(iig_obs_type, params)


class KuhnState(pyspiel.State):
    """A state; ``cells`` is the workspace of the compiled rules."""

    def __init__(self, game: KuhnGame) -> None:
        super().__init__(game)
        self.cells = np.zeros(4, np.int64)  # both cards, actions made, bets as bits
        self.dealt = 0

    def current_player(self) -> int:
        """Return the player to act, or the kind of another node."""
        if self.dealt < 2:
            return pyspiel.PlayerId.CHANCE
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return int(kuhn.mover(_GAME, self.cells))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.dealt == 2 and bool(kuhn.terminal(_GAME, self.cells))

    def _legal_actions(self, player: int) -> list[int]:
        return [kuhn.PASS, kuhn.BET]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may be dealt next."""
        left = [card for card in range(CARDS) if not self.dealt or card != self.cells[0]]
        return [(card, 1.0 / len(left)) for card in left]

    def _apply_action(self, action: int) -> None:
        if self.dealt < 2:
            self.cells[self.dealt] = action
            self.dealt += 1
        else:
            kuhn.act(self.cells, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"Deal:{action}"
        return "Bet" if action == kuhn.BET else "Pass"

    def returns(self) -> list[float]:
        """Return each player's winnings, in antes."""
        if not self.is_terminal():
            return [0.0, 0.0]
        return [float(kuhn.payoff(_GAME, self.cells, player)) for player in range(2)]

    def history_text(self) -> str:
        """Return the actions so far, p for passing and b for betting."""
        return "".join("pb"[int(self.cells[3]) >> i & 1] for i in range(int(self.cells[2])))

    def known_to(self, player: int) -> str:
        """Return the card of ``player``, if it has one, and the actions so far."""
        card = str(self.cells[player]) if self.dealt > player != PUBLIC else ""
        return card + self.history_text()

    def __str__(self) -> str:
        return "".join(map(str, self.cells[: self.dealt])) + self.history_text()


pyspiel.register_game(_TYPE, KuhnGame)


def position(state: KuhnState, opponent: int = kuhn.TREES) -> kuhn.KuhnParameters:
    """Return the compiled position of the player to act in ``state``."""
    me = state.current_player()
    own, made, bets = (int(state.cells[place]) for place in (me, 2, 3))
    return kuhn.KuhnParameters(card=own, second=me, made=made, bets=bets, opponent=opponent)


def compiled_planner(options: Options, budget: Budget, opponent: int = kuhn.TREES) -> Plan:
    """Return a planner that runs the compiled search, for states of ``sleuth_kuhn``."""
    search = Search(kuhn.KuhnParameters(opponent=opponent), options)
    return lambda state, key: shares(search.run(budget, key, position(state, opponent)))
