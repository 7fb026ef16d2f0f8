"""An observation for networks: one vector of floats from 0 to 1, with what the evidence implies.

A network would have to learn first what a spot or a card number means, and then to reason from the
suggestions so far.  Here places are one-hot, distances and counts are shares, and the suggestions
are summed up by the exact posterior of what the seat saw: P(card is with holder).  Like the vector
of `sim.environment.observation` it is made from a view of the seat and its own log, and seats are
counted from the observer.  `FIELDS` has the order.
"""

from __future__ import annotations

from math import prod

import numpy as np

from belief.evidence import HOLDERS
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.board import MAX_ROLL, N_ROOMS
from sim.cards import N_CARDS
from sim.state import MAX_PLAYERS, OVER, SHOW

FIELDS = (
    ("phase", (OVER + 1,)),  # one-hot
    ("room", (N_ROOMS + 1,)),  # one-hot: where the own pawn is, last the corridor
    ("near", (N_ROOMS,)),  # 1 / (1 + steps to the room)
    ("roll", ()),  # share of the most that can be rolled
    ("summoned", ()),
    ("turn", ()),  # share of the cap on turns
    ("plays", (MAX_PLAYERS,)),  # by seat: somebody sits there and has not accused wrongly
    ("chance", (N_CARDS, HOLDERS)),  # P(card is in the envelope, with oneself, with the next ...)
    ("asked", (N_CARDS,)),  # cards that one is asked for
    ("showed", (N_CARDS,)),  # cards that one has shown to the asker
)
"""Name and shape of each field, one after another."""

SIZE = sum(prod(shape) for _, shape in FIELDS)

FLAT_LAYOUT = np.dtype([(name, np.float32, shape) for name, shape in FIELDS])
"""The fields of a vector: ``vector.view(FLAT_LAYOUT)[0]["chance"]``."""

_RECORDS = np.dtype((np.record, FLAT_LAYOUT))


def vector(worlds: np.ndarray, views: np.ndarray, seat: int, marginals: np.ndarray) -> np.ndarray:
    """Return the vector, float32 (SIZE,), of ``seat`` at ``views[0]``.

    ``marginals`` (21, 7) is what the seat believes: column 0 the envelope, p + 1 player p.
    """
    made = np.zeros(1, _RECORDS)
    _FILL.call(worlds, views, seat, marginals, made)
    return made.view(np.float32)


@jit
def _fill(
    worlds: np.ndarray, views: np.ndarray, seat: int, marginals: np.ndarray, made: np.ndarray
) -> None:
    """Fill the blank ``made[0]``."""
    world, view, seen = worlds[0], views[0], made[0]
    spot, players = view.spot[seat], world.players
    room = world.room_of[spot]
    seen.phase[view.phase] = 1.0
    seen.room[room if room >= 0 else N_ROOMS] = 1.0
    for goal in range(N_ROOMS):
        seen.near[goal] = 1.0 / (1.0 + max(world.steps[goal, spot], 0))
    seen.roll = view.roll / MAX_ROLL
    seen.summoned = view.summoned[seat]
    seen.turn = min(view.turn / world.turn_cap, 1.0)
    for place in range(players):
        other = (seat + place) % players
        seen.plays[place] = 1.0 - view.out[other]
        for card in range(N_CARDS):
            seen.chance[card, place + 1] = marginals[card, other + 1]
    asked = view.cards if view.phase == SHOW and view.answerer == seat else 0
    for card in range(N_CARDS):
        seen.chance[card, 0] = marginals[card, 0]
        seen.asked[card] = asked >> card & 1
        seen.showed[card] = view.has_shown[seat, view.seat] >> card & 1 if asked else 0


_FILL = FixedTypes(_fill)
