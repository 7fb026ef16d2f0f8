"""Tables IV and V of [Ferrari & Cai 2009], and our matches."""

from __future__ import annotations

from experiments.tables import figures as of
from experiments.tables.causes import Cause
from experiments.tables.figures import Figure, Quantity
from experiments.tables.networks import ABOUT, PUBLISHED, SOURCES, by_evidence
from experiments.tables.rows import Paper, Row

P = ("p1", "p2", "p3")

ROOM_TURNS = Quantity("own turns to determine the room card, mean", lambda *_: None)


def _four() -> list[Row]:
    cells = by_evidence("bn against 2 bn", "bn")
    rows = [
        Row(f"{player} of 3 BN", of.WON_BEHIND[place], cells, {PUBLISHED: Figure.counted(wins, 50)})
        for place, (player, wins) in enumerate(zip(P, (15, 18, 17), strict=True))
    ]
    rows.append(Row("p1 of 3 BN", of.WRONGLY, cells))
    return rows + [
        Row(
            f"{player} of 3 ID",
            of.WON,
            {},
            {PUBLISHED: Figure.counted(wins, 50)},
            notes=("hunter",),
        )
        for player, wins in zip(P, (16, 16, 18), strict=True)
    ]


READINGS = {
    "": "all seats",
    "first seat": "first seat",
    "third seat": "third seat",
    "out and in": "all seats, BN out and in again",
    "back and forth": "all seats, CS back and forth",
}
"""How Table V is read: behind the name of a variant, and in words."""

_TURNS = ((13.3, 12.5, 13.2), (13.7, 12.5, 13.2))
"""Own turns to determine the room card, and to win, of p1, p2 and p3."""


def _five() -> list[Row]:
    rows, room, win = [], *_TURNS
    for reading, words in READINGS.items():
        cells = by_evidence("bn against 2 csp", "bn", reading)
        names = (f"BN, p1, {words}", "CS, p2, at that table", "CS, p3, at that table")
        for place, (name, wins) in enumerate(zip(names, (64, 22, 14), strict=True)):
            figure = {PUBLISHED: Figure.counted(wins, 100)}
            rows.append(Row(name, of.WON_BEHIND[place], cells, figure))
        rows.append(Row(names[0], of.WRONGLY, cells))
        if not reading:
            rows += [
                Row(name, of.OWN_TURNS[place], cells, {PUBLISHED: Figure(win[place])})
                for place, name in enumerate(names)
            ]
            rows += [
                Row(name, ROOM_TURNS, {}, {PUBLISHED: Figure(turns)}, notes=("room",))
                for name, turns in zip(names, room, strict=True)
            ]
    return rows


CAUSES = {
    "hunter": Cause("The player of the influence diagram is not among ours."),
    "room": Cause("Not measured: the rows of a game do not hold what its players believe."),
}
"""By key, in no order: a table numbers those that it has."""

ROWS = {"ferrari_4": _four(), "ferrari_5": _five()}
"""By table, its lines."""

PAPER = Paper(
    sources=SOURCES,
    about=ABOUT,
    causes=CAUSES,
    rows=ROWS,
)
