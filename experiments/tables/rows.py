"""What a paper published, line by line, beside the matches of ours that stand for it.

A cause stands at a cell only where its sign fits: where it would move ours to the side on which
ours is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from experiments.tables.figures import Figure, Quantity

ANY = 0
"""The sign of what holds whichever is more."""

UNEXPLAINED = "unexplained"
"""Stands where no cause has the sign of the difference."""


@dataclass(frozen=True)
class Cause:
    """A reason for a difference.

    Attributes
    ----------
    text : in words
    tested : whether a measurement here shows it, which the text names
    """

    text: str
    tested: bool = True

    def __str__(self) -> str:
        return self.text if self.tested else f"{self.text} Not tested."


NOT_EXPLAINED = Cause("Not explained.")


def fitting(signs: Mapping[str, int], side: int) -> tuple[str, ...]:
    """Return the causes, by their ``signs``, of ours being more (1) or less (-1)."""
    found = tuple(key for key, sign in signs.items() if sign in (ANY, side))
    return found or (UNEXPLAINED,)


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes
    ----------
    setup : who plays whom
    quantity : what is told of it
    cells : by column of ours, name of the match and of the player in it, or line and column of what
        `Paper.computed` yields; none where people played
    published : by source, a key of `Paper.sources`, its figure
    causes : by column, of where ours differs: keys of `Paper.causes`, each with the side to which
        it moves ours (1: more), or `ANY`
    notes : keys of `Paper.causes` that hold in any case
    stairs : by column, whose causes are the steps of a staircase: its table, match and player in
        it, and whether it leads to what the column shows (1) or away from it (-1)
    """

    setup: str
    quantity: Quantity
    cells: Mapping[str, tuple[str, str]]
    published: Mapping[str, Figure] = field(default_factory=dict)
    causes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stairs: Mapping[str, tuple[str, str, str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Paper:
    """The tables of a paper.

    Attributes
    ----------
    sources : heads of the columns of published figures, by key, from the least trusted on: ours is
        held against the last that has a figure
    about : what the sources are, and what ours is held against, a sentence or more each
    causes : of differences and remarks, by key
    rows : by table, its lines
    computed : by table that plays no games, what computes its figures from a seed and the number of
        times that a time is taken, by line and column (`experiments.tables.computed`)
    """

    sources: Mapping[str, str]
    about: tuple[str, ...]
    causes: Mapping[str, Cause]
    rows: Mapping[str, list[Row]]
    computed: Mapping[str, Callable[[int, int], Mapping[tuple[str, str], Figure]]] = field(
        default_factory=dict
    )

    def cause(self, key: str) -> Cause:
        """Return the cause called so."""
        return NOT_EXPLAINED if key == UNEXPLAINED else self.causes[key]

    def known(self, row: Row) -> Figure | None:
        """Return what ours is held against in ``row``, None if nothing was published."""
        found = [row.published[source] for source in self.sources if source in row.published]
        return found[-1] if found else None
