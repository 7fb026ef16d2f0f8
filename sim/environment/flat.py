"""An observation for networks: one vector of floats from 0 to 1, posterior included.

Places are one-hot, distances and counts are scaled, and the exact posterior P(card is with holder)
summarises the suggestions, so a network need not learn the encoding or the inference.  Like
`sim.environment.observation` it uses only the seat's view and log, and numbers the seats from the
observer.  `FIELDS` gives the order.
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
    ("room", (N_ROOMS + 1,)),  # one-hot: room of the own pawn, last the corridor
    ("near", (N_ROOMS,)),  # 1 / (1 + steps to the room)
    ("roll", ()),  # fraction of the maximum roll
    ("summoned", ()),
    ("turn", ()),  # fraction of the turn cap
    ("plays", (MAX_PLAYERS,)),  # by seat: occupied and without a wrong accusation
    ("chance", (N_CARDS, HOLDERS)),  # P(card is in the envelope, with itself, the next seat, ...)
    ("asked", (N_CARDS,)),  # cards of the suggestion it must answer
    ("showed", (N_CARDS,)),  # cards it has shown to the asker before
)
"""Name and shape of each field, in order."""

SIZE = sum(prod(shape) for _, shape in FIELDS)

FLAT_LAYOUT = np.dtype([(name, np.float32, shape) for name, shape in FIELDS])
"""The fields of a vector: ``vector.view(FLAT_LAYOUT)[0]["chance"]``."""

_RECORDS = np.dtype((np.record, FLAT_LAYOUT))


def vector(worlds: np.ndarray, views: np.ndarray, seat: int, marginals: np.ndarray) -> np.ndarray:
    """Return the vector, float32 (SIZE,), of ``seat`` at ``views[0]``.

    ``marginals`` (21, 7): the seat's belief; column 0 the envelope, p + 1 player p.
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
