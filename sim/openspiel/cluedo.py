"""Cluedo with few cards as the OpenSpiel game ``sleuth_cluedo``.

    game = pyspiel.load_game("sleuth_cluedo(players=2,suspects=2,weapons=2,rooms=1,turns=3)")

The rules are those of ``speed``, on the state machine of `sim.game`: no board, one suggestion per
turn, accusations at the start of a turn.  Only the numbers are smaller: cards in play (all others
lie face up), hand sizes, turn cap, and the number of deals, which are listed.

One chance node deals.  A player knows its hand, all suggestions, who showed a card, and which card
if it asked or showed; with ``heard=True`` also the wrong accusations.  The winner gets 1, paid by
the others in equal parts; a draw returns 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pyspiel

from mcts.openspiel.registration import PUBLIC, Observer, make_type
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON, cards_of
from sim.endgame.deals import Deal
from sim.environment import stepping
from sim.rules import MIN_PLAYERS, preset, world
from sim.state import ACCUSE, ASK, ASKED, MAX_PLAYERS, MOVE, N_ACTIONS, REVEAL, SHOW, STATES

NAME = "sleuth_cluedo"
SMALLEST = {"players": 2, "suspects": 2, "weapons": 2, "rooms": 1, "turns": 3, "heard": False}
MAX_DEALS = 100_000

_TYPE = make_type(NAME, "Cluedo with few cards", (2, MAX_PLAYERS), SMALLEST)


class Table:
    """Players, cards in play, and length of a game.

    Raises ValueError if a number is out of range or a player would hold no card.

    Parameters
    ----------
    players : 2 to 6; cards are dealt round, so the first seats may hold one more
    suspects, weapons, rooms : cards in play, the first of each kind
    turns : turns over all players after which the game is a draw
    heard : whether all players hear the cards of a wrong accusation
    """

    def __init__(
        self, players: int, suspects: int, weapons: int, rooms: int, turns: int, heard: bool = False
    ) -> None:
        for name, value, least, most in (
            ("players", players, 2, MAX_PLAYERS),
            ("suspects", suspects, 1, FIRST_WEAPON),
            ("weapons", weapons, 1, FIRST_ROOM - FIRST_WEAPON),
            ("rooms", rooms, 1, 9),
            ("turns", turns, 1, 1_000),
        ):
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {value}")
        dealt = suspects + weapons + rooms - 3
        if dealt < players:
            raise ValueError(f"{dealt} cards are too few for {players} players: put more in play")
        self.players, self.turns, self.heard = players, turns, heard
        self.kinds = (
            range(suspects),
            range(FIRST_WEAPON, FIRST_WEAPON + weapons),
            range(FIRST_ROOM, FIRST_ROOM + rooms),
        )
        share, rest = divmod(dealt, players)
        self.sizes = [share + (seat < rest) for seat in range(players)]
        self.deals = list(self._deals())
        pairs = [6 * s + w for s, w in product(range(suspects), range(weapons))]
        self.actions = [
            *(MOVE + room for room in range(rooms)),
            *(ASK + pair for pair in pairs),
            *(ACCUSE + 9 * pair + room for pair, room in product(pairs, range(rooms))),
            *(REVEAL + card for kind in self.kinds for card in kind),
        ]
        """Actions of the state machine for the cards in play, ascending."""
        spoken = "heard" if heard else "secret"
        rules = preset("speed", players=max(players, MIN_PLAYERS), accusations=spoken)
        self._worlds = world(rules).view(np.ndarray).copy()
        self._worlds["players"] = players
        self._worlds["turn_cap"] = turns
        self._worlds["hand_sizes"] = 0
        self._worlds["hand_sizes"][0, :players] = self.sizes

    def _deals(self) -> Iterator[Deal]:
        """Yield every deal of the cards in play; all are equally likely."""

        def hands(left: tuple[int, ...], seat: int) -> Iterator[tuple[int, ...]]:
            if seat == self.players:
                yield ()
                return
            for hand in combinations(left, self.sizes[seat]):
                rest = tuple(card for card in left if card not in hand)
                yield from ((_mask(hand), *others) for others in hands(rest, seat + 1))

        number = 0
        for envelope in product(*self.kinds):
            left = tuple(card for kind in self.kinds for card in kind if card not in envelope)
            for dealt in hands(left, 0):
                number += 1
                if number > MAX_DEALS:
                    raise ValueError(f"there are more than {MAX_DEALS:,} deals: take fewer cards")
                yield Deal(_mask(envelope), dealt)

    def begin(self, number: int) -> tuple[np.ndarray, list[int]]:
        """Return a game of deal ``number``, (1,) of `STATES`, and the first player's choices."""
        states = np.zeros(1, STATES)
        options, mask = _room()
        stepping.begin.call(self._worlds, states, 0, 0, options, mask)
        deal, state = self.deals[number], states[0]
        everything = _mask(range(FIRST_ROOM + 9))
        state.envelope = deal.envelope
        state.face_up = everything & ~deal.envelope & ~sum(deal.hands)
        for seat, hand in enumerate(deal.hands):
            state.hand[seat] = hand
            state.known[seat] = hand | state.face_up  # as `sim.knowledge.begin`
        state.showing[:] = ASKED  # else the selected player would reveal the number of matches
        state.recording = 0
        return states, self._choices(mask)

    def do(self, states: np.ndarray, action: int) -> tuple[int, list[int]]:
        """Apply an action of the state machine; return the next seat and its choices.

        The seat is -1 at the end; choices are indices of `actions`.
        """
        options, mask = _room()
        decides = stepping.do.call(self._worlds, states, action, False, options, mask)
        return int(decides), self._choices(mask)

    def _choices(self, mask: np.ndarray) -> list[int]:
        return [place for place, action in enumerate(self.actions) if mask[action]]


def _room() -> tuple[np.ndarray, np.ndarray]:
    """Return buffers for legal actions, for one thread."""
    return np.empty(N_ACTIONS, np.int64), np.zeros(N_ACTIONS, np.int8)


def _mask(cards: Iterable[int]) -> int:
    """Return the mask of ``cards``."""
    return sum(1 << card for card in cards)


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
