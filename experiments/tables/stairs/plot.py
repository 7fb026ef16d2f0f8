"""Pictures of tables of steps: curves over the budget of a decision, and staircases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from experiments import plotting
from experiments.stats.intervals import Estimate
from experiments.tables.figures import Figure, simulations_of
from experiments.tables.stairs.form import ALONE, APART, CUMULATIVE, Step, Steps
from experiments.tables.stairs.parts import Part
from experiments.tables.stairs.report import published_of, won, wrongly

_STRIP = 0.15
"""How dark a published interval is."""


def draw(table: Steps, parts: Sequence[Part], path: Path) -> None:
    """Draw what was played of ``parts`` to ``path``: curves of lines apart, else staircases.

    Without a game nothing is drawn.
    """
    columns: dict[str, list[Part]] = {}
    for part in parts:
        if part.played:
            columns.setdefault(part.setup, []).append(part)
    if not columns:
        return
    if APART in table.ways:
        _curves(table, list(columns.values()), path)
    else:
        _stairs(table, list(columns.values()), path)


def _curves(table: Steps, columns: Sequence[Sequence[Part]], path: Path) -> None:
    size = (11, 5)
    title = f"{table.name}: 95 % intervals; strips: published"
    with plotting.picture(path, title, size, columns=2, layout="constrained") as (figure, all_):
        rates, wrong = all_[0]
        budgets = sorted({simulations_of(part.match) for parts in columns for part in parts})
        for series, parts in enumerate(columns):
            at = [simulations_of(part.match) for part in parts]
            estimates = [_estimate(won(part)) for part in parts]
            plotting.band(rates, at, estimates, series, label=parts[0].setup)
            _strip(rates, parts[0], plotting.SERIES[series % len(plotting.SERIES)])
            colour, marker = plotting.SERIES[series % 8], plotting.MARKERS[series % 8]
            wrong.plot(at, [wrongly(part).value for part in parts], color=colour, marker=marker)
        for parity in sorted({_parity(parts[0]) for parts in columns}):
            plotting.reference_line(rates, parity)
            rates.annotate("parity", (budgets[0], parity), (0, 3), textcoords="offset points")
        for axes in (rates, wrong):
            axes.set_xscale("log")
            axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
            axes.minorticks_off()
            axes.set(xlabel="simulations a decision")
        rates.set(ylabel="games won", ylim=(0, 1))
        plotting.shares(rates.yaxis)
        wrong.set(ylabel="wrong accusations, a game")
        wrong.set_ylim(bottom=0)
        plotting.legend_below(figure, rates, columns=2)


def _stairs(table: Steps, columns: Sequence[Sequence[Part]], path: Path) -> None:
    rows = -(-len(columns) // 2)
    there = {part.line.step for parts in columns for part in parts}
    order = [table.base, *(Step.read(entry).name for entry in table.steps)]
    steps = [name for name in order if name in there]
    size = (4.0 + 0.9 * len(steps), 2.0 + 2.8 * rows)
    title = f"{table.name}: games won, 95 % intervals"
    with plotting.picture(
        path, title, size, rows=rows, columns=2, sharex=True, layout="constrained"
    ) as (figure, all_):
        for axes, parts in zip(all_.flat, columns, strict=False):
            _strip(axes, parts[0], plotting.REFERENCE, "published")
            plotting.reference_line(axes, _parity(parts[0]), "parity")
            for way in dict.fromkeys(part.line.way for part in parts):
                series = table.ways.index(way)  # the same in each panel
                shown = [part for part in parts if part.line.way == way]
                shift = 0.0 if way == CUMULATIVE else 0.15 if way == ALONE else -0.15
                at = [steps.index(part.line.step) + shift for part in shown]
                look = {"linestyle": "-", "drawstyle": "steps-mid"} if way == CUMULATIVE else {}
                estimates = [_estimate(won(part)) for part in shown]
                plotting.intervals(axes, at, estimates, series, label=way, **look)
            axes.set_title(parts[0].setup, fontsize=10)
            axes.set_xticks(range(len(steps)), steps, rotation=40, ha="right", fontsize=8)
            axes.set(ylabel="games won")
            axes.set_ylim(bottom=0)
            plotting.shares(axes.yaxis)
        for axes in all_.flat[len(columns) :]:
            axes.remove()
        for axes in all_.flat[max(0, len(columns) - 2) : len(columns)]:
            axes.tick_params(labelbottom=True)
        fullest = max(all_.flat, key=lambda axes: len(axes.get_legend_handles_labels()[1]))
        plotting.legend_below(figure, fullest, columns=5)


def _strip(axes: Axes, part: Part, colour: str, label: str | None = None) -> None:
    """Shade the interval that was published for the set-up of ``part``, if one was."""
    known = published_of(part)
    if known is not None:
        low, high = known.rate.low, known.rate.high
        axes.axhspan(low, high, color=colour, alpha=_STRIP, linewidth=0, label=label)


def _parity(part: Part) -> float:
    return part.match.seats / part.match.players


def _estimate(figure: Figure) -> Estimate:
    return Estimate(figure.value, figure.low, figure.high)
