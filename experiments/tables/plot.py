"""Pictures of tables: by a setting, ratings, and ours beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments import plotting
from experiments.stats.intervals import Estimate
from experiments.tables.field import ORIGINS, OURS, Standing
from experiments.tables.figure import Figure
from experiments.tables.measured import Measured
from experiments.tables.published import Published, Row
from experiments.tables.quantities import QUANTITIES


def draw_by_setting(setting: str, run: Measured, path: Path) -> None:
    """Draw the wins by a setting of the measured player, a line for each company and variant.

    Along the axis stand its values, upward the share of games won minus that with the first value,
    on the same games.  Of players with equal values the first counts.  Opponents with fewer than
    two values are left out, and without any nothing is drawn.
    """
    met: dict[str, dict[float, str]] = {}
    for match in run.played.matches:
        value = match.entrants[0].get(setting)
        if value is not None and match.name in run.lines:
            company = match.labels[1].removesuffix(" (opponent)")  # a player among its own kind
            variant = match.name.partition(", ")[2]
            line = f"{company}, {variant}" if variant else company
            met.setdefault(line, {}).setdefault(float(value), match.name)
    met = {opponent: names for opponent, names in met.items() if len(names) > 1}
    if not met:
        return
    title = f"games won by {setting}, minus those with the first value; 95 % intervals"
    with plotting.picture(path, title, (7.5, 4.8), layout="constrained") as (figure, all_):
        axes = all_[0, 0]
        plotting.reference_line(axes, 0.0)
        for series, (opponent, names) in enumerate(met.items()):
            first = next(iter(names.values()))
            gained = {
                value: found.estimate
                for value, name in names.items()
                if (found := QUANTITIES["gained"].of(run, name, first))
            }
            label, values = opponent, list(gained.values())
            plotting.intervals(axes, [*gained], values, series, linestyle="-", label=label)
        axes.set(xlabel=setting, ylabel="games won, difference")
        plotting.shares(axes.yaxis)
        plotting.legend_below(figure, axes)


def draw_ratings(fields: Mapping[str, Sequence[Standing]], title: str, path: Path) -> None:
    """Draw the Elo of the players, a panel per round robin, to ``path``.

    They stand in the order of their mean, coloured by origin; at the right of a panel are the
    shares of games won.  A round robin in which a player has no rating is left out, and without any
    nothing is drawn.
    """
    ratings: dict[str, dict[str, Estimate]] = {}
    for variant, lines in fields.items():
        found = {line.player: line.elo for line in lines if line.elo}
        if len(found) == len(lines):
            ratings[variant] = found
    if not ratings:
        return
    players = next(iter(ratings.values()))
    order = sorted(players, key=lambda name: sum(elo[name].value for elo in ratings.values()))
    size = (2.2 + 2.7 * len(ratings), 1.9 + 0.33 * len(order))
    with plotting.picture(
        path, title, size, columns=len(ratings), sharex=True, sharey=True, layout="constrained"
    ) as (figure, (all_,)):
        for axes, (variant, elo) in zip(all_, ratings.items(), strict=True):
            lines_of = {line.player: line for line in fields[variant]}
            plotting.reference_line(axes, 0, upright=True)
            for series, origin in enumerate((*dict.fromkeys(ORIGINS.values()), OURS)):
                at = [at for at, name in enumerate(order) if lines_of[name].origin == origin]
                if at:
                    shown = [elo[order[place]] for place in at]
                    plotting.intervals(axes, at, shown, series, across=True, label=origin)
            shares = [f"{lines_of[name].won.value:.0%}" for name in order]
            for place, share in enumerate([*shares, "won"]):
                edge = axes.get_yaxis_transform()
                axes.text(1.1, place, share, transform=edge, fontsize=8, va="center", ha="right")
            axes.set_title(f"{variant}: parity {lines_of[order[0]].parity:.0%}", fontsize=10)
            axes.set(xlabel="Elo, 95 %; mean of the players 0")
            axes.grid(axis="x")
        all_[0].set_yticks(range(len(order)), order)
        plotting.legend_below(figure, all_[0])


def draw_published(paper: Published, name: str, run: Measured, path: Path) -> None:
    """Draw the games won of table ``name`` beside those that ``paper`` has to ``path``.

    Without games of a published row of them nothing is drawn.
    """
    rows = [
        (row, known, ours)
        for row in paper.rows
        if row.quantity.name == QUANTITIES["won"].name  # of whichever seat
        and (known := paper.reference(row))
        and (ours := _measure(row, run))
    ]
    if rows:
        columns = [column for column in paper.columns if any(column in ours for *_, ours in rows)]
        _draw_rows(rows, {column: paper.columns[column] for column in columns}, name, path)


def _measure(row: Row, run: Measured) -> dict[str, Figure]:
    """Return ours by column, of the matches with games."""
    return {
        column: figure
        for column, (match, player) in row.cells.items()
        if (figure := row.quantity.of(run, match, player))
    }


def _draw_rows(
    rows: Sequence[tuple[Row, Figure, dict[str, Figure]]],
    columns: Mapping[str, str],
    name: str,
    path: Path,
) -> None:
    """Draw rows with their published figure and ours; ``columns`` are the headings of ours."""
    size = (8.5, 1.6 + 0.3 * len(rows))
    with plotting.picture(path, f"{name}: games won, 95 % intervals", size) as (figure, all_):
        axes = all_[0, 0]
        at = list(range(len(rows), 0, -1))
        middle, low, high = plotting.bounds([known.estimate for _, known, _ in rows])
        axes.barh(at, high - low, left=low, height=0.8, color="#dddddd", label="published")
        bottom, top = ([place + half for place in at] for half in (-0.4, 0.4))
        axes.vlines(middle, bottom, top, color=plotting.REFERENCE, linewidth=1)
        for series, (column, heading) in enumerate(columns.items()):
            shift = 0.2 * ((len(columns) - 1) / 2 - series)
            there = {
                place + shift: ours[column].estimate
                for place, (*_, ours) in zip(at, rows, strict=True)
                if column in ours
            }
            look = {"label": heading, "markersize": 4, "capsize": 0}
            plotting.intervals(axes, [*there], [*there.values()], series, across=True, **look)
        axes.set_yticks(at, [row.setup for row, *_ in rows], fontsize=8)
        axes.set(xlabel="games won", xlim=(0, 1))
        plotting.shares(axes.xaxis)
        plotting.legend_below(figure, axes, columns=len(columns) + 1)
