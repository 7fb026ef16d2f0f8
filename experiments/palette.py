"""Names and colours of players in pictures: a player has the same in all of them.

Colours are those of Okabe and Ito [2008, Color Universal Design], which colour-blind readers can
distinguish, and two darker ones; markers differ as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

SERIES = (
    "#0072b2",  # blue
    "#d55e00",  # vermilion
    "#009e73",  # bluish green
    "#cc79a7",  # reddish purple
    "#56b4e9",  # sky blue
    "#e69f00",  # orange
    "#1a1a1a",  # black
    "#b83a6b",  # rose
    "#7d6200",  # olive
    "#8c8c8c",  # grey
)
MARKERS = "osD^vPX*h<"
"""One per series, so that series differ without colour too."""

REFERENCE = "#666666"
"""Colour of parity, certainty and diagonals, which are not measurements."""

PLAYERS = {
    "bmcts": ("BMCTS", 0), "pimc": ("PIMC", 1), "bmcts_or": ("BMCTS-OR", 2),
    "so_ismcts": ("SO-ISMCTS", 3), "ld_bmcts": ("LD-BMCTS", 4), "pomcp": ("POMCP", 5),
    "flat": ("flat", 6), "mo_ismcts": ("MO-ISMCTS", 7), "root_only": ("root only", 6),
    "one_step": ("one step", 4), "best": ("best", 1), "swift": ("swift", 8),
    "response": ("response", 7), "greedy": ("greedy", 2), "likely": ("likely", 5),
    "hide": ("hide", 0), "reader": ("reader", 1), "heuristic": ("heuristic", 4),
    "closure": ("closure", 9), "random": ("random", 6), "uniform": ("uniform", 6), "bn": ("BN", 0),
    "csp": ("CSP", 5), "neural": ("neural", 3), "hunter": ("hunter", 6), "entropy": ("entropy", 7),
}  # fmt: skip
"""By the beginning of a player's name: what the field calls it, and its number in `SERIES`."""

_KIND = re.compile(rf"(\d+ )?({'|'.join(sorted(PLAYERS, key=len, reverse=True))})")


def look(series: int | str) -> dict[str, Any]:
    """Return colour and marker of a series: its number, or the name of a player.

    A variant has its player's colour, and a hollow marker.  Of unknown names each has its own.
    """
    if isinstance(series, str):
        found = _KIND.match(series)
        number = PLAYERS[found[2]][1] if found else sum(series.encode())
        hollow = {"markerfacecolor": "white"} if found and found[0] != series else {}
        return {**look(number), **hollow}
    number = series % len(SERIES)
    return {"color": SERIES[number], "marker": MARKERS[number]}


def tell_apart(names: Collection[str]) -> Sequence[int | str]:
    """Return the series of ``names`` for `look`: themselves if players, and all look different."""
    looks = {tuple(look(name).values()) for name in names if _KIND.match(name)}
    return list(names) if len(looks) == len(names) else range(len(names))


def say(name: str) -> str:
    """Return what the field calls the player ``name``, with what differs in a variant."""
    named = _KIND.sub(lambda found: (found[1] or "") + PLAYERS[found[2]][0], name)
    return named.replace("_faithful", " as described").replace("+", ", ")
