"""A matrix: one player minus others on the same games, by variant and opponents, and pooled.

Rows are variants, such as rules; columns are opponents.  p values of cells are corrected for all
cells with the same control; each variant is also pooled over its opponents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from experiments import plotting, tabular
from experiments.stats.comparisons import MARKED, Comparison, compare, holds
from experiments.stats.intervals import Estimate, win_rate
from experiments.tables.measured import Measured, common_wins
from experiments.tables.schema import Cell, Table
from experiments.tabular import Field, record

POOLED = "all"
"""The opponents of a pooled difference."""

_WIDEST = 0.25
"""The difference with the deepest colour."""


class Difference(NamedTuple):
    """The player minus one control, in one cell or pooled over a variant's opponents."""

    variant: str
    opponent: str
    control: str
    games: int
    own: Estimate
    other: Estimate
    difference: Estimate
    p: float
    """By the score test of the interval; in a cell with Holm's correction over all cells."""


def differences(table: Table, run: Measured) -> list[Difference]:
    """Return the differences of cells and pools with games, by control and variant."""
    own = [cell for cell in table.cells if cell.player.label == table.matrix]
    found = []
    for control in dict.fromkeys(
        cell.player.label for cell in table.cells if cell.player.label != table.matrix
    ):
        wins: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = {}
        for cell in own:
            names = [_name(run, cell, label) for label in (control, cell.player.label)]
            if None not in names:
                both = common_wins((run, str(names[0])), (run, str(names[1])))
                if len(both[0]):
                    wins.setdefault(cell.variant, {})[cell.opponents[0].label] = both
        cells = [
            (variant, opponent, *both)
            for variant, by_opponent in wins.items()
            for opponent, both in by_opponent.items()
        ]
        compared = list(zip(cells, compare(cells), strict=True))
        for variant, by_opponent in wins.items():
            here = [(cell, pair) for cell, pair in compared if cell[0] == variant]
            found += [_difference(control, cell, pair, pair.p_holm) for cell, pair in here]
            pooled = [np.concatenate(parts) for parts in zip(*by_opponent.values(), strict=True)]
            whole: tuple[str, str, Any, Any] = (variant, POOLED, pooled[0], pooled[1])
            (pair,) = compare([whole])
            found.append(_difference(control, whole, pair, pair.p))
    return found


def _name(run: Measured, cell: Cell, label: str) -> str | None:
    """Return the match of player ``label`` in place of the cell's player; None without games."""
    opponent = cell.opponents[0].label
    wanted = {opponent, f"{opponent} (opponent)"}  # if the player has the same name
    for match in run.played.matches:
        player, opponents, *_ = match.labels
        if player == label and opponents in wanted and match.name.endswith(f", {cell.variant}"):
            return match.name if match.name in run.begun else None
    return None


def _difference(control: str, cell: Sequence[Any], pair: Comparison, p: float) -> Difference:
    """Return the difference in ``cell`` (variant and opponent), from the games each won."""
    variant, opponent, first, second = cell
    own, other = (win_rate(int(won.sum()), pair.games) for won in (second, first))
    return Difference(variant, opponent, control, pair.games, own, other, pair.difference, p)


def make(title: str, table: Table, run: Measured) -> tuple[tabular.Table, list[dict[str, Any]]]:
    """Return the table to show, and the rows of the CSV."""
    found = differences(table, run)
    controls = list(dict.fromkeys(one.control for one in found))
    places: dict[tuple[str, str], dict[str, Difference]] = {}
    for one in found:
        places.setdefault((one.variant, one.opponent), {})[one.control] = one
    rows = []
    for (variant, opponent), by_control in places.items():
        name = tabular.Strong(variant) if opponent == POOLED else variant
        first, *_ = by_control.values()
        in_order = map(by_control.get, controls)
        marked = (one and f"{one.difference}{' ≠' * holds(one.p)}" for one in in_order)
        rows.append([name, opponent, first.games, first.own, *marked])
    shown: tuple[tabular.Column | str, ...] = (
        tabular.words("rules"),
        tabular.words("opponents"),
        tabular.count("games"),
        f"{table.matrix} won, 95 %",
        *(f"{table.matrix} minus {control}" for control in controls),
    )
    notes = [
        f"Differences are of the same games; ≠ marks those with {MARKED}, in a cell with Holm's "
        f"correction over all cells with that control. `{POOLED}` is pooled over the opponents, "
        "each of whom counts alike."
    ]
    return tabular.Table(title, shown, rows, notes), [record(one, _CSV) for one in found]


_CSV = (
    Field("variant", csv="rules"),
    Field("opponent", csv="opponents"),
    Field("control", csv="control"),
    Field("games", csv="games"),
    Field("own", csv="won", bounds=" "),
    Field("other", csv="control won", bounds=" "),
    Field("difference", csv="difference", bounds=" "),
    Field("p", csv="p"),
)


def draw(table: Table, run: Measured, path: Path) -> None:
    """Draw a heat map of the differences, if any, with a panel per control."""
    found = differences(table, run)
    controls = list(dict.fromkeys(one.control for one in found))
    if not controls:
        return
    rows = list(dict.fromkeys(one.variant for one in found))
    columns = [one for one in dict.fromkeys(one.opponent for one in found) if one != POOLED]
    size = (plotting.WIDTH, 1.5 + (0.3 + 0.22 * len(rows)) * len(controls))
    title = f"Games won by {table.matrix} less those won by others in its seat, in points"
    with plotting.picture(path, title, size, len(controls), sharex=True) as (figure, panels):
        for axes, control in zip(panels[:, 0], controls, strict=True):
            here = [one for one in found if one.control == control]
            _panel(axes, f"less {control}", rows, [*columns, POOLED], here)
        figure.supxlabel(_legend(found), fontsize=8.5)
        label = "end of the 95 % interval nearer to 0, points"
        bar: dict[str, Any] = {
            "format": _points,
            "extend": "both",
            "fraction": 0.05,
            "pad": 0.01,
            "aspect": 40,
        }
        figure.colorbar(axes.images[0], ax=panels, label=label, **bar)


def _legend(found: Sequence[Difference]) -> str:
    """Return the meaning of bold type in the picture, and the games per cell."""
    cells = sorted({one.games for one in found if one.opponent != POOLED})
    counts = " to ".join(f"{games:,}" for games in dict.fromkeys((cells[0], cells[-1])))
    return (
        f"rows: rules; columns: opponents, '{POOLED}' pooled; {counts} games a cell; "
        f"white: the 95 % interval has 0;\n"
        f"bold: {MARKED}, in cells with Holm's correction over the panel"
    )


def _points(share: float, _: int | None = None) -> str:
    return f"{100 * share:+.0f}".replace("+0", "0")


def _panel(
    axes: Axes, title: str, rows: Sequence[str], columns: Sequence[str], found: Sequence[Difference]
) -> None:
    """Draw one control; in bold what `_legend` says."""
    values = np.full((len(rows), len(columns)), np.nan)
    for one in found:
        at = rows.index(one.variant), columns.index(one.opponent)
        low, high = one.difference.low, one.difference.high
        values[at] = max(low, 0) + min(high, 0)  # so that noise has no colour
        axes.text(
            at[1],
            at[0],
            _points(one.difference.value),
            ha="center",
            va="center",
            fontsize=8,
            fontweight="bold" if holds(one.p) else "normal",
            color="white" if abs(values[at]) > 0.7 * _WIDEST else "black",
        )
    axes.imshow(values, cmap="RdBu", vmin=-_WIDEST, vmax=_WIDEST, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=40, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.axvline(len(columns) - 1.5, color="white", linewidth=3)
    axes.set_title(title)
