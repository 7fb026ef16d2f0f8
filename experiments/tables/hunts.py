"""Tables I to III of [Ferrari & Cai 2009]: the treasure hunt, which plays no games."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from experiments.tables.causes import Cause
from experiments.tables.computed import figure
from experiments.tables.figures import Figure, Quantity
from experiments.tables.rows import Paper, Row
from sim.hunt.benefit import Partition

PUBLISHED = "paper"

B_TOT = Quantity("B_tot", figure, digits=3)
D_TOT = Quantity("D_tot, bins", figure)

ROOMS = 7
"""Nine less the two that the player of the table holds itself."""

NATS, BITS = "ours, nats", "ours, bits"

PATHS = (
    ("1 to 18", (0, 0), 0, 0, 10.5),
    ("1 to 18", (0, 12), 0, 0, 11.5),
    ("1 to 18", (12, 0), 2, 9.55, 14.5),
    ("1 to 51", (0, 0), 0, 0, 10.5),
    ("1 to 51", (0, 6), 0, 0, 21.5),
    ("1 to 51", (10, 6), 2, 7.96, 10.5),
    ("100 to 22", (0, 0), 0, 0, 7),
    ("100 to 22", (0, 6), 0, 0, 18),
    ("100 to 22", (12, 0), 3, 13.84, 11),
)
"""Of Table III: cells, w_B and w_D, rooms in which something is suggested, B_tot, D_tot.

The rooms are the letters of the printed path, less one where it goes through a secret passage: as
the text has it, a pawn may use one without a suggestion.
"""


def benefits(seed: int = 0, repeats: int = 1) -> Mapping[tuple[str, str], Figure]:
    """Return B_tot of each path of `PATHS`, in nats and as the control in bits."""
    rooms = Partition(np.full(ROOMS, 1 / ROOMS))
    found = {}
    for number, (_, (weight, _), measured, _, _) in enumerate(PATHS):
        nats = weight * rooms.value(range(measured))
        found[_line(number), NATS] = Figure(nats)
        found[_line(number), BITS] = Figure(nats / math.log(2))
    return found


def _line(number: int) -> str:
    return f"path {number + 1}"


def _printed(value: float) -> Figure:
    """Return a figure of which two decimals are printed, whether cut off or rounded."""
    return Figure(value, value - 0.005, value + 0.01) if value else Figure(value)


def _three() -> list[Row]:
    rows = []
    for number, (ends, (benefit, distance), rooms, worth, length) in enumerate(PATHS):
        name = f"{ends}, w_B {benefit}, w_D {distance}"
        told = f"{name}, {rooms} rooms" if rooms else name
        cells = {column: (_line(number), column) for column in (NATS, BITS)}
        swapped = ("swapped",) if not benefit else ()
        notes = ("passage",) if ends == "1 to 51" and benefit else swapped
        published = {PUBLISHED: _printed(worth)}
        rows.append(Row(told, B_TOT, cells, published, {BITS: {"bits": 1}}, notes))
        rows.append(Row(name, D_TOT, {}, {PUBLISHED: Figure(length)}, notes=("figure",)))
    return rows


CAUSES = {
    "bits": Cause(
        "The control: in bits, as eq. 3 defines entropy, B_tot is larger by 1 / ln 2. The table is "
        "in nats, w_B included."
    ),
    "swapped": Cause(
        "Nothing is measured, as w_B is 0. The weights of the first two lines of each block are "
        "exchanged in the print: with w_D > 0 and no benefit the shortest path wins, and without "
        "any weight all paths are worth the same."
    ),
    "passage": Cause(
        "By the letters the path meets three rooms, and B_tot is that of two. A third would be "
        "worth 3.57 and cost 1, so that the optimum measures it, unless it is one of the player's "
        "own."
    ),
    "figure": Cause(
        "Not reproduced: the cells of the mansion are numbered in a figure that is not at hand. "
        "`python -m experiments.hunt mansion` has our cells and routes."
    ),
}
"""By key, in no order: a table numbers those that it has."""

ABOUT = (
    "*published*: B_tot has two decimals, whether cut off or rounded, and so an interval of their "
    "width. Ours: w_B I(y; z) for a room card that is any of seven, after suggestions in the "
    "rooms of the path (`sim.hunt.benefit.Partition`).",
)

PAPER = Paper(
    sources={PUBLISHED: "published"},
    about=ABOUT,
    causes=CAUSES,
    rows={"ferrari_3": _three()},
    computed={"ferrari_3": benefits},
)
