"""Wrong accusations that are heard: games at their beginning, and a late position by hand."""

from __future__ import annotations

import numpy as np

from sim.chance import game_key
from sim.game import new_game
from sim.policies.table import Policy
from sim.rules import Rules, preset, world
from sim.state import ACCUSE, ACCUSED, EVIDENCE, EXTERNAL, FACTORED, REVEAL, TURN, State, empty
from sim.state import World as Board

BOLD = Policy("swift", threshold=0.2)
CLASSIC = preset("classic", turn_cap=120)


def fresh(rules: Rules = CLASSIC, game: int = 0) -> tuple[Board, np.recarray]:
    """Return (world, state (1,)) of a new game in which every decision is asked for."""
    board, states = world(rules)[0], empty()
    states.policy[:] = states.showing[:] = EXTERNAL
    states.tracks[:] = EVIDENCE | FACTORED
    states.recording = 1
    new_game(board, states[0], np.uint64(game_key(1, game)))
    return board, states


def accused(action: int) -> int:
    """Return the mask of the cards that ``action`` accuses, 0 if it is no accusation."""
    trio = action - ACCUSE
    right = ACCUSE <= action < REVEAL
    return 1 << trio // 54 | 1 << 6 + trio // 9 % 6 | 1 << 12 + trio % 9 if right else 0


def wrong(state: State, which: int = 0) -> int:
    """Return a wrong accusation, another one for each ``which``."""
    others = [action for action in range(ACCUSE, REVEAL) if accused(action) != state.envelope]
    return others[53 * which % len(others)]


HAND = (2, 8, 9, 13, 14)
SHOWN = {1: (3, 4, 10, 15), 2: (5, 11, 16), 3: (17, 18, 19, 20)}
LEFT = [1 << suspect | 1 << weapon | 1 << 12 for suspect in (0, 1) for weapon in (6, 7)]
"""What the envelope may be: two suspects, two weapons and one room are not seen."""


def two_by_two(names: int) -> tuple[Rules, np.recarray, list[tuple[int, int, int, int]]]:
    """Return rules, the view of seat 0 at its turn and what it saw, when so many of `LEFT` are out.

    Seats 1 and 2 have a card more than they have shown to seat 0.  Seats 1, 2, ... were wrong.
    """
    rules, states = CLASSIC, fresh()[1]
    own = {kind: next(card for card in HAND if card in kind) for kind in KINDS}
    events = []
    for by, cards in SHOWN.items():
        for card in cards:
            trio = [card if card in kind else own[kind] for kind in KINDS]
            events.append((0, sum(1 << one for one in trio), by, card))
    events += [(1 + i, cards, ACCUSED, -1) for i, cards in enumerate(LEFT[:names])]
    view = empty()
    view[0] = states[0]
    view.hand[:] = view.envelope = 0
    view[0].hand[0] = sum(1 << card for card in HAND)
    view.phase, view.seat = TURN, 0
    return rules, view, events


KINDS = (range(6), range(6, 12), range(12, 21))
