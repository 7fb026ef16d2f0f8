"""Games in which wrong accusations are heard, and a position by hand with few cards left."""

from __future__ import annotations

from itertools import product

import numpy as np

from sim.chance import game_key
from sim.game import new_game
from sim.policies.table import Policy
from sim.rules import Rules, preset, world
from sim.state import ACCUSE, ACCUSED, EVIDENCE, EXTERNAL, FACTORED, REVEAL, State, World, empty
from sim.view import Log, replay_evidence

BOLD = Policy("swift", threshold=0.2)


def fresh(rules: Rules, game: int = 0) -> tuple[World, np.recarray]:
    """Return (world, states) of a new game in which every decision is asked for."""
    board, states = world(rules)[0], empty()
    states.policy[:] = states.showing[:] = EXTERNAL
    states.tracks[:] = EVIDENCE | FACTORED
    states.recording = 1
    new_game(board, states[0], np.uint64(game_key(1, game)))
    return board, states


def cards_of(action: int) -> int:
    """Return the mask of the accusation ``action``."""
    trio = action - ACCUSE
    return 1 << trio // 54 | 1 << 6 + trio // 9 % 6 | 1 << 12 + trio % 9


def action_of(cards: int) -> int:
    """Return the accusation of the mask ``cards``."""
    return next(action for action in range(ACCUSE, REVEAL) if cards_of(action) == cards)


def wrong(state: State, which: int = 0) -> int:
    """Return a wrong accusation, another one for each ``which``."""
    others = [action for action in range(ACCUSE, REVEAL) if cards_of(action) != state.envelope]
    return others[53 * which % len(others)]


SUSPECTS_LEFT, WEAPONS_LEFT, ROOM = (0, 1), (6, 7), 12
LEFT = [1 << suspect | 1 << weapon | 1 << ROOM for suspect in SUSPECTS_LEFT for weapon in WEAPONS_LEFT]
"""Envelopes that are left in `two_by_two`."""


def two_by_two(accused: int, policy: Policy) -> tuple[Rules, np.recarray, list[tuple]]:
    """Return rules, the view of seat 0 with all it learnt, and the events that it saw.

    Two suspects, two weapons and one room are left; seats 1, 2, ... have accused the first
    ``accused`` of `LEFT`.
    """
    rules = preset("classic", players=4)
    shown = [card for card in range(21) if card not in (*SUSPECTS_LEFT, *WEAPONS_LEFT, ROOM)]
    hand, shown = sum(1 << card for card in shown[::3][:5]), [c for c in shown if c not in shown[::3][:5]]
    events = []
    for card, by in zip(shown, [1] * 4 + [2] * 3 + [3] * 4, strict=True):
        asked = next(
            cards
            for cards in product(range(6), range(6, 12), range(12, 21))
            if card in cards and not any(other in shown for other in cards if other != card)
        )
        events.append((0, sum(1 << one for one in asked), by, card))
    events += [(1 + i, cards, ACCUSED, -1) for i, cards in enumerate(LEFT[:accused])]
    raise NotImplementedError
