"""Pictures: strength against the budget of a decision, and ours beside what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments import plotting
from experiments.stats.intervals import Estimate, paired_difference
from experiments.tables.field import ORIGINS, OURS, Standing
from experiments.tables.figures import Figure, Measured, simulations_of
from experiments.tables.rows import Paper, Row


def by_budget(run: Measured, path: Path) -> None:
    """Draw the win rates of ``run`` by simulations a decision to ``path``; two points at least.

    Without them nothing is drawn: a point is no curve.
    """
    matches = {match.name: match for match in run.played.matches if simulations_of(match)}
    lines = {
        simulations_of(matches[name]): line for name, line in run.lines.items() if name in matches
    }
    if len(lines) < 2:
        return
    match = next(iter(matches.values()))
    player = match.labels[0].removesuffix(str(simulations_of(match)))
    games = sorted({line["games"] for line in lines.values()})
    told = " to ".join(f"{number:,}" for number in dict.fromkeys((games[0], games[-1])))
    title = f"{player} against {match.players - 1} {match.labels[1]}, {told} games a point"
    _draw(lines, title, path)


def _draw(lines: Mapping[int, Mapping[str, Any]], title: str, path: Path) -> None:
    at = sorted(lines)
    rates = [Estimate(lines[budget]["win_rate"], *lines[budget]["ci95"]) for budget in at]
    size = (7.5, 4.2)
    with plotting.picture(path, f"{title}, 95 % intervals", size, layout="constrained") as (
        _,
        all_,
    ):
        axes = all_[0, 0]
        plotting.intervals(axes, at, rates, linestyle="-")
        parity = lines[at[0]]["parity"]
        plotting.reference_line(axes, parity)
        axes.annotate("parity", (at[0], parity), (0, 4), textcoords="offset points", fontsize=9)
        axes.set_xscale("log")
        axes.set_xticks(at, [f"{budget:,}" for budget in at])
        axes.minorticks_off()
        axes.set(xlabel="simulations a decision", ylabel="games won")
        axes.set_ylim(bottom=0)
        plotting.shares(axes.yaxis)


def by_setting(setting: str, run: Measured, path: Path) -> None:
    """Draw what games a setting of the measured player wins, a line for each kind of opponents.

    Along the axis stand its values, upward the share of games won less that with the first value,
    on the same games.  Of players with equal values the first counts.  Opponents of whom fewer than
    two values were played are left out, and without any nothing is drawn.
    """
    met: dict[str, dict[float, str]] = {}
    for match in run.played.matches:
        value = match.entrants[0].get(setting)
        if value is not None and match.name in run.lines:
            met.setdefault(match.labels[1], {}).setdefault(float(value), match.name)
    met = {opponent: names for opponent, names in met.items() if len(names) > 1}
    if not met:
        return
    title = f"games won by {setting}, less those with the first value; 95 % intervals"
    with plotting.picture(path, title, (7.5, 4.8), layout="constrained") as (figure, all_):
        axes = all_[0, 0]
        plotting.reference_line(axes, 0.0)
        for series, (opponent, names) in enumerate(met.items()):
            first = next(iter(names.values()))
            gains = [_gained(run, first, name) for name in names.values()]
            plotting.intervals(axes, [*names], gains, series, linestyle="-", label=opponent)
        axes.set(xlabel=setting, ylabel="games won, difference")
        plotting.shares(axes.yaxis)
        plotting.legend_below(figure, axes)


def _gained(run: Measured, first: str, second: str) -> Estimate:
    """Return how much oftener match ``second`` was won than ``first``, on the games of both."""
    games = np.intersect1d(run.numbers(first), run.numbers(second))
    won = (run.match(name).won(run.winner(name), 0)[games] for name in (first, second))
    return paired_difference(*won)


def ratings(fields: Mapping[str, Sequence[Standing]], title: str, path: Path) -> None:
    """Draw the Elo of the players, a panel a round robin, to ``path``.

    They stand in the order of their mean, coloured by where they are from; at the right of a panel
    are the shares of games won.  A round robin in which somebody has no rating is left out, and
    without any nothing is drawn.
    """
    rated = {
        variant: {line.player: line for line in lines}
        for variant, lines in fields.items()
        if all(line.elo for line in lines)
    }
    if not rated:
        return
    players = next(iter(rated.values()))
    order = sorted(players, key=lambda name: sum(lines[name].elo.value for lines in rated.values()))
    size = (2.2 + 2.7 * len(rated), 1.9 + 0.33 * len(order))
    with plotting.picture(
        path, title, size, columns=len(rated), sharex=True, sharey=True, layout="constrained"
    ) as (figure, (all_,)):
        for axes, (variant, lines) in zip(all_, rated.items(), strict=True):
            plotting.reference_line(axes, 0, upright=True)
            for series, origin in enumerate((*dict.fromkeys(ORIGINS.values()), OURS)):
                at = [place for place, name in enumerate(order) if lines[name].origin == origin]
                elo = [lines[order[place]].elo for place in at]
                if at:
                    plotting.intervals(axes, at, elo, series, across=True, label=origin)
            shares = [f"{lines[name].won.value:.0%}" for name in order]
            for place, share in enumerate([*shares, "won"]):
                edge = axes.get_yaxis_transform()
                axes.text(1.1, place, share, transform=edge, fontsize=8, va="center", ha="right")
            parity = f"parity {lines[order[0]].parity:.0%}"
            axes.set_title(f"{variant}: {parity}", fontsize=10)
            axes.set(xlabel="Elo, 95 %; mean of the players 0")
            axes.grid(axis="x")
        all_[0].set_yticks(range(len(order)), order)
        plotting.legend_below(figure, all_[0])


def beside_published(paper: Paper, name: str, run: Measured, path: Path) -> None:
    """Draw the shares of games of table ``name`` beside those that ``paper`` has to ``path``.

    Nothing is drawn without games of a line that was published.
    """
    rows = [
        row
        for row in paper.rows[name]
        if row.quantity.rate and paper.known(row) and _measured(row, run)
    ]
    if rows:
        columns = list(dict.fromkeys(column for row in rows for column in row.cells))
        _draw_beside(paper, rows, columns, run, name, path)


def _measured(row: Row, run: Measured) -> dict[str, Figure]:
    """Return ours by column, of the matches with games."""
    return {
        column: figure
        for column, (match, player) in row.cells.items()
        if match in run.lines and (figure := row.quantity.measure(run, match, player))
    }


def _draw_beside(
    paper: Paper, rows: Sequence[Row], columns: Sequence[str], run: Measured, name: str, path: Path
) -> None:
    size = (8.5, 1.6 + 0.3 * len(rows))
    with plotting.picture(path, f"{name}: games won, 95 % intervals", size) as (figure, all_):
        axes = all_[0, 0]
        at = list(range(len(rows), 0, -1))
        known = [_estimate(paper.known(row)) for row in rows]
        _, low, high = plotting.bounds(known)
        axes.barh(at, high - low, left=low, height=0.8, color="#dddddd", label="published")
        ours = [_measured(row, run) for row in rows]
        for series, column in enumerate(columns):
            there = [
                (place + 0.2 * ((len(columns) - 1) / 2 - series), _estimate(found[column]))
                for place, found in zip(at, ours, strict=True)
                if column in found
            ]
            plotting.intervals(
                axes,
                [place for place, _ in there],
                [estimate for _, estimate in there],
                series,
                across=True,
                label=column,
                markersize=4,
                capsize=0,
            )
        axes.set_yticks(at, [row.setup for row in rows], fontsize=8)
        axes.set(xlabel="games won", xlim=(0, 1))
        plotting.shares(axes.xaxis)
        plotting.legend_below(figure, axes, columns=len(columns) + 1)


def _estimate(figure: Figure) -> Estimate:
    if figure.low is None:
        return Estimate(figure.value, figure.value, figure.value)
    middle = (figure.low + figure.high) / 2
    return Estimate(middle if figure.value is None else figure.value, figure.low, figure.high)
