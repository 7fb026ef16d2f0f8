"""Heard wrong accusations: the start of games, and a late position by hand."""

from __future__ import annotations

import numpy as np

from sim.chance import game_key
from sim.game import new_game
from sim.policies.registry import Policy
from sim.rules import Rules, preset, world
from sim.state import ACCUSE, ACCUSED, EVIDENCE, EXTERNAL, FACTORED, REVEAL, TURN, State, empty
from sim.state import World as Board

BOLD = Policy("swift", threshold=0.2)
CLASSIC = preset("classic", turn_cap=120)


def fresh(rules: Rules = CLASSIC, game: int = 0) -> tuple[Board, np.recarray]:
    """Return (world, state (1,)) of a new game in which every decision is asked for."""
    board, states = world(rules)[0], empty()
    states.policy[:], states.tracks[:], states.recording = EXTERNAL, EVIDENCE | FACTORED, 1
    new_game(board, states[0], np.uint64(game_key(1, game)))
    return board, states


def cards_of(action: int) -> int:
    """Return the mask of the cards that ``action`` accuses, 0 if it is no accusation."""
    if not ACCUSE <= action < REVEAL:
        return 0
    pair, room = divmod(action - ACCUSE, 9)
    return 1 << pair // 6 | 1 << 6 + pair % 6 | 1 << 12 + room


def wrong(state: State, which: int) -> int:
    """Return a wrong accusation, another one for each ``which``."""
    others = [action for action in range(ACCUSE, REVEAL) if cards_of(action) != state.envelope]
    return others[53 * which]


KINDS = (range(6), range(6, 12), range(12, 21))
HAND = (2, 8, 13, 9, 14)
SHOWN = {1: (3, 4, 10, 15), 2: (5, 11, 16), 3: (17, 18, 19, 20)}
LEFT = [1 << suspect | 1 << weapon | 1 << 12 for suspect in (0, 1) for weapon in (6, 7)]
"""What the envelope may be: two suspects, two weapons and one room are not seen."""


def two_by_two(names: int) -> tuple[np.recarray, list[tuple[int, int, int, int]]]:
    """Return the view (1,) of seat 0 in `CLASSIC` and what it saw.

    Seats 1, 2, ... have accused the first ``names`` of `LEFT`; 1 and 2 hold a card not yet shown.
    """
    events = []
    for by, cards in SHOWN.items():
        for card in cards:
            trio = (card if card in kind else HAND[i] for i, kind in enumerate(KINDS))
            events.append((0, sum(1 << one for one in trio), by, card))
    events += [(1 + i, cards, ACCUSED, -1) for i, cards in enumerate(LEFT[:names])]
    view = fresh()[1]
    view.hand[:] = view.envelope = view.seat = view.recording = 0
    view[0].hand[0], view.phase = sum(1 << card for card in HAND), TURN
    return view, events
