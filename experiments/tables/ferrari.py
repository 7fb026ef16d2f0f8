"""Tables IV and V of [Ferrari & Cai 2009], and our matches."""

from __future__ import annotations

from experiments.tables import figures as of
from experiments.tables.causes import Cause
from experiments.tables.figures import Figure
from experiments.tables.networks import ABOUT, PUBLISHED, SOURCES, by_evidence
from experiments.tables.rows import Paper, Row

P = ("p1", "p2", "p3")


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


CAUSES = {
    "hunter": Cause("The player of the influence diagram is not among ours."),
}
"""By key, in no order: a table numbers those that it has."""

ROWS = {"ferrari_4": _four()}
"""By table, its lines."""

PAPER = Paper(
    sources=SOURCES,
    about=ABOUT,
    causes=CAUSES,
    rows=ROWS,
)
