"""Cluedo with few cards as the OpenSpiel game ``sleuth_cluedo``.

    game = pyspiel.load_game("sleuth_cluedo(players=2,suspects=2,weapons=2,rooms=1,turns=3)")

`sim.openspiel.table` has the rules.  One chance node deals.  A player knows its hand, all
suggestions, who showed a card, and which card if it asked or showed; with ``heard=True`` also the
wrong accusations.  The winner gets 1, paid by the others in equal parts; a draw returns 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from mcts.openspiel.registration import PUBLIC, Observer, make_type
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON, cards_of
from sim.openspiel.table import Table
from sim.state import ACCUSE, ASK, MAX_PLAYERS, REVEAL, SHOW

NAME = "sleuth_cluedo"
SMALLEST = {"players": 2, "suspects": 2, "weapons": 2, "rooms": 1, "turns": 3, "heard": False}

_TYPE = make_type(NAME, "Cluedo with few cards", (2, MAX_PLAYERS), SMALLEST)


class CluedoGame(pyspiel.Game):
    """The game; ``table`` holds the cards and the rules."""

    def __init__(self, params: dict[str, int] | None = None) -> None:
        given = {**SMALLEST, **(params or {})}
        self.table = Table(**given)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.table.actions),
            max_chance_outcomes=len(self.table.deals),
            num_players=given["players"],
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=3 * given["turns"],  # a room, a suggestion, a card
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> CluedoState:
        """Return the state before the deal."""
        return CluedoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return the observer of a player's information."""
        return Observer(iig_obs_type, params)


class CluedoState(pyspiel.State):
    """A state with few attributes, because OpenSpiel copies them all for every clone."""

    def __init__(self, game: CluedoGame) -> None:
        super().__init__(game)
        self.record: np.ndarray | None = None
        self.seat = 0
        self.legal: list[int] = []
        self.said: tuple[tuple[str, tuple[int, ...], str], ...] = ()
        """Events: full text, players who saw it (empty: all), and text for the other players."""

    def current_player(self) -> int:
        """Return the player to move, or the chance or terminal marker."""
        if self.record is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.seat < 0 else self.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.record is not None and self.seat < 0

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the deals with their probabilities."""
        deals = len(self.get_game().table.deals)
        return [(deal, 1.0 / deals) for deal in range(deals)]

    def _apply_action(self, action: int) -> None:
        table = self.get_game().table
        if self.record is None:
            self.record, self.legal = table.begin(action)
            return
        number, who = table.actions[action], self.seat
        asker = int(self.record["seat"][0])
        self.seat, self.legal = table.do(self.record, number)
        text = f"{who} {_words(number)}"
        if number >= REVEAL:
            self.said += ((text, (who, asker), f"{who} shows"),)
        elif number >= ACCUSE:
            self.said += ((text, () if table.heard else (who,), f"{who} is out"),)
        elif number >= ASK:
            shown = int(self.record["phase"][0]) == SHOW
            answer = f"{self.seat} has one" if shown else "nobody has one"
            self.said += ((f"{text}, {answer}", (), ""),)
        else:
            self.said += ((text, (), ""),)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"Deal:{action}"
        return _words(self.get_game().table.actions[action])

    def returns(self) -> list[float]:
        """Return the return of each player."""
        players = self.num_players()
        winner = -1 if self.record is None else int(self.record["winner"][0])
        if winner < 0:
            return [0.0] * players
        return [1.0 if seat == winner else -1.0 / (players - 1) for seat in range(players)]

    def known_to(self, player: int) -> str:
        """Return the hand of ``player`` and its observations as text."""
        saw = [text if not who or player in who else rest for text, who, rest in self.said]
        if player == PUBLIC:
            return "; ".join(saw)
        if self.record is None:
            return str(player)
        held = int(self.record["hand"][0, player])
        hand = "+".join(cards_of(held))
        return "; ".join([f"{player} holds {hand}", *saw])

    def __str__(self) -> str:
        if self.record is None:
            return "not dealt"
        hands = " / ".join(
            self.known_to(player).split(";")[0] for player in range(self.num_players())
        )
        return "; ".join([hands, *(text for text, _, _ in self.said)])


def _words(number: int) -> str:
    """Return an action of the state machine as text."""
    if number >= REVEAL:
        return f"shows {CARDS[number - REVEAL]}"
    if number >= ACCUSE:
        pair, room = divmod(number - ACCUSE, 9)
        return f"accuses {_pair(pair)}+{CARDS[FIRST_ROOM + room]}"
    if number >= ASK:
        return f"asks {_pair(number - ASK)}"
    return f"enters {CARDS[FIRST_ROOM + number]}"


def _pair(pair: int) -> str:
    return f"{CARDS[pair // 6]}+{CARDS[FIRST_WEAPON + pair % 6]}"


pyspiel.register_game(_TYPE, CluedoGame)
