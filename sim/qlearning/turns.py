"""What a player knows at the start of its turn, as numbers to learn from: a row for each room.

A row is what the game looks like and what going to that room means.  Everything is read from the
seat's observation (`sim.env.observation`), from the chances that its belief gives the cards, and
from the rules.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import CATEGORY_START
from sim.board import MAX_ROLL, N_ROOMS
from sim.cards import FIRST_ROOM

OF_GAME = (
    "greatest chance of a suspect, a weapon, a room (3)",
    "entropy of the hidden suspect, weapon, room, as a share of the most (3)",
    "own suggestions, the most of another player (2)",
    "players out",
    "roll",
    "turn",
)
OF_ROOM = (
    "chance that it is the hidden one",
    "entropy of that",
    "own card",
    "known to be elsewhere",
    "expected turns until a suggestion there, this one included",
    "whether that is this turn",
    "steps",
    "own suggestions there",
    "whether the pawn is there and may suggest",
    "whether the pawn is there and may not",
    "whether a passage leads there",
)
GAME_SIZE, ROOM_SIZE = 11, len(OF_ROOM)
SIZE = GAME_SIZE + ROOM_SIZE

_SUGGESTIONS, _TURN, _TURNS, _STEPS = 10, 100, 5, 24
"""What brings counts to about 1."""


def features(seen: np.void, chance: np.ndarray, world: np.record) -> np.ndarray:
    """Return the inputs (9, `SIZE`) at the start of an own turn.

    Parameters
    ----------
    seen : observation of the seat, one record of `sim.env.observation.LAYOUT`
    chance : (21,) of each card to be hidden
    world : the rules
    """
    made = np.empty((N_ROOMS, SIZE))
    made[:, :GAME_SIZE] = _of_game(seen, chance)
    made[:, GAME_SIZE:] = _of_rooms(seen, chance, world)
    return made


def _of_game(seen: np.void, chance: np.ndarray) -> list[float]:
    kinds = np.split(chance, CATEGORY_START[1:3])
    players = int(seen["players"])
    return [
        *(kind.max() for kind in kinds),
        *(entropies(kind).sum() / np.log2(len(kind)) for kind in kinds),
        seen["suggestions"][0] / _SUGGESTIONS,
        seen["suggestions"][1:players].max() / _SUGGESTIONS,
        seen["out"].sum() / players,
        seen["roll"] / MAX_ROLL,
        min(seen["turn"] / _TURN, 1),
    ]


def entropies(chance: np.ndarray) -> np.ndarray:
    """Return -p log2 p of each p of ``chance``."""
    return -chance * np.log2(np.where(chance > 0, chance, 1))


def _of_rooms(seen: np.void, chance: np.ndarray, world: np.record) -> np.ndarray:
    """Return what is of each room, (9, `ROOM_SIZE`)."""
    hidden = chance[FIRST_ROOM:]
    own = seen["hand"][FIRST_ROOM:]
    here, spot = int(seen["room"][0]), int(seen["spot"][0])
    summoned = bool(seen["summoned"][0])
    steps = world.steps[:, spot]
    turns = 1 + world.turns[np.maximum(steps - seen["roll"], 0)]
    passage = np.zeros(N_ROOMS)
    at = np.zeros((2, N_ROOMS))
    if here >= 0:
        turns[here] = 1 if summoned else 2  # a step out, and in again
        at[0 if summoned else 1, here] = 1
        if world.passage[here] >= 0:
            passage[world.passage[here]] = 1
            turns[world.passage[here]] = 1
    mine = seen["history"][seen["history"][:, 0] == 0]
    visits = np.bincount(mine[:, 3] - FIRST_ROOM, minlength=N_ROOMS)
    return np.column_stack(
        [
            hidden,
            entropies(hidden) + entropies(1 - hidden),
            own,
            (hidden == 0) & (own == 0),
            turns / _TURNS,
            turns == 1,
            steps / _STEPS,
            visits / _TURNS,
            *at,
            passage,
        ]
    )
