"""A small Cluedo: few cards in play, all others face up, at least two players.

The rules are those of ``speed``, on the state machine of `sim.game`: no board, one suggestion per
turn, accusations at the start of a turn.  Only the numbers are smaller: hand sizes, turn cap, and
the number of deals, which are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.endgame.deals import Deal
from sim.environment import stepping
from sim.rules import MIN_PLAYERS, preset, world
from sim.state import ACCUSE, ASK, ASKED, MAX_PLAYERS, MOVE, N_ACTIONS, REVEAL, STATES

MAX_DEALS = 100_000


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


def _mask(cards: object) -> int:
    """Return the mask of ``cards``."""
    return sum(1 << card for card in cards)
