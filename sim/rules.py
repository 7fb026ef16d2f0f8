"""Rule presets, and the record of rules and board that every kernel of the game reads.

A preset is a frozen `Rules`; `world` turns it into one NumPy record, so that rules are values and
a change of rules never recompiles anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from belief.evidence import MAX_PLAYERS
from sim.board import BOARD, start_spot, tables
from sim.cards import N_CARDS, SUSPECTS

MIN_PLAYERS = 3

SEATS = {
    3: ("Scarlett", "Mustard", "Green"),
    # The released program of [Ledford 2018] seats these four.
    4: ("Scarlett", "Mustard", "Green", "Peacock"),
    5: ("Scarlett", "Mustard", "White", "Green", "Peacock"),
    6: ("Scarlett", "Mustard", "White", "Green", "Peacock", "Plum"),
}
"""Who sits at the table, in the order of play, by number of players."""

WORLD = np.dtype(
    [
        *BOARD.descr,
        ("players", np.int64),
        ("hand_size", np.int64),  # cards dealt to each player
        ("turn_cap", np.int64),  # turns after which the game is a draw
        ("dice", np.int64),
        ("start", np.int64, (MAX_PLAYERS,)),  # start square of each seat
        ("seat_of", np.int64, (len(SUSPECTS),)),  # seat that plays a suspect, -1 if none
    ],
    align=True,
)


@dataclass(frozen=True)
class Rules:
    """The switches of a rule preset.

    Attributes
    ----------
    name : preset the switches started from
    players : 3 to 6; cards that do not divide evenly lie face up
    dice : six-sided dice a roll, 1 or 2 (the thesis' text once says a pair, its program rolls one)
    turn_cap : turns, all players together, after which a game is reported as a draw
    """

    name: str = "ledford"
    players: int = 4
    dice: int = 1
    turn_cap: int = 3000

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            raise ValueError(
                f"rules.players must be {MIN_PLAYERS} to {MAX_PLAYERS}, got {self.players}"
            )
        if self.dice not in (1, 2):
            raise ValueError(f"rules.dice must be 1 or 2, got {self.dice}")
        if self.turn_cap < 1:
            raise ValueError(f"rules.turn_cap must be at least 1, got {self.turn_cap}")

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player."""
        return (N_CARDS - 3) // self.players

    @property
    def face_up(self) -> int:
        """Cards that lie face up because they do not divide evenly."""
        return (N_CARDS - 3) % self.players

    @property
    def suspects(self) -> tuple[str, ...]:
        """The suspect that each seat plays; suspects nobody plays have no pawn on the board."""
        return SEATS[self.players]


PRESETS = {"ledford": Rules()}
"""The rules as published, by name: ``ledford`` is [Ledford 2018, s. 1.4, 1.5, 3.1]."""


def preset(name: str, **switches: int) -> Rules:
    """Return preset ``name`` with some switches changed.

    Raises
    ------
    ValueError
        On an unknown preset or an impossible combination, with the reason in one sentence.
    """
    if name not in PRESETS:
        raise ValueError(f"unknown rules {name!r}: choose one of {', '.join(PRESETS)}")
    return replace(PRESETS[name], **switches)


@cache
def world(rules: Rules) -> np.recarray:
    """Return ``rules`` and the board as one record (dtype `WORLD`); do not write to it."""
    made = np.zeros(1, WORLD).view(np.recarray)
    record = made[0]
    for field in BOARD.names:
        record[field] = tables()[0][field]
    record.players = rules.players
    record.hand_size = rules.hand_size
    record.turn_cap = rules.turn_cap
    record.dice = rules.dice
    record.seat_of[:] = -1
    for seat, suspect in enumerate(rules.suspects):
        record.start[seat] = start_spot(suspect)
        record.seat_of[SUSPECTS.index(suspect)] = seat
    return made
