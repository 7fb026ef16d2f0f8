"""Pictures of ablations: curves over the budget of a decision, and staircases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from experiments import plotting
from experiments.tables.ablation.cells import StepCell
from experiments.tables.ablation.report import published_result
from experiments.tables.ablation.schema import ALONE, APART, CUMULATIVE, WAYS, Ablation, Step
from experiments.tables.measured import simulations_of

_STRIP = 0.15
"""Opacity of a published interval."""


def draw(table: Ablation, cells: Sequence[StepCell], path: Path) -> None:
    """Draw the games of ``cells`` to ``path``: curves of lines apart, else staircases.

    Without a game nothing is drawn, nor a curve of cells without a budget of simulations.
    """
    curves = APART in table.ways
    setups: dict[str, list[StepCell]] = {}
    for cell in cells:
        if cell.played and not (curves and simulations_of(cell.match) is None):
            setups.setdefault(cell.name, []).append(cell)
    if not setups:
        return
    if curves:
        _draw_curves(table, list(setups.values()), path)
    else:
        _draw_staircases(table, list(setups.values()), path)


def _draw_curves(table: Ablation, setups: Sequence[Sequence[StepCell]], path: Path) -> None:
    known = any(published_result(cells[0]) is not None for cells in setups)
    title = f"{table.name}: 95 % intervals" + ("; strips: published" if known else "")
    with plotting.picture(path, title, (11, 5), columns=2, layout="constrained") as (figure, all_):
        rates, wrong = all_[0]
        budgets = sorted({_budget(cell) for cells in setups for cell in cells})
        for series, cells in enumerate(setups):
            at = [_budget(cell) for cell in cells]
            estimates = [won.estimate for cell in cells if (won := cell.figure("won"))]
            plotting.band(rates, at, estimates, series, label=cells[0].name)
            _shade(rates, cells[0], plotting.SERIES[series % len(plotting.SERIES)])
            colour, marker = plotting.SERIES[series % 8], plotting.MARKERS[series % 8]
            accused = [out.value for cell in cells if (out := cell.figure("wrong_accusations"))]
            wrong.plot(at, accused, color=colour, marker=marker)
        for parity in sorted({_parity(cells[0]) for cells in setups}):
            plotting.reference_line(rates, parity)
            rates.annotate("parity", (budgets[0], parity), (0, 3), textcoords="offset points")
        for axes in (rates, wrong):
            axes.set_xscale("log")
            axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
            axes.minorticks_off()
            axes.set(xlabel="simulations per decision")
        rates.set(ylabel="games won", ylim=(0, 1))
        plotting.shares(rates.yaxis)
        wrong.set(ylabel="wrong accusations per game")
        wrong.set_ylim(bottom=0)
        plotting.legend_below(figure, rates, columns=2)


def _budget(cell: StepCell) -> int:
    return simulations_of(cell.match) or 0


def _draw_staircases(table: Ablation, setups: Sequence[Sequence[StepCell]], path: Path) -> None:
    rows = -(-len(setups) // 2)
    there = {cell.line.step for cells in setups for cell in cells}
    order = [table.base, *(Step.read(entry).name for entry in table.steps)]
    steps = [name for name in order if name in there]
    size = (4.0 + 0.9 * len(steps), 2.0 + 2.8 * rows)
    title = f"{table.name}: games won, 95 % intervals"
    with plotting.picture(
        path, title, size, rows=rows, columns=2, sharex=True, layout="constrained"
    ) as (figure, all_):
        for axes, cells in zip(all_.flat, setups, strict=False):
            _shade(axes, cells[0], plotting.REFERENCE, "published")
            plotting.reference_line(axes, _parity(cells[0]), "parity")
            for way in dict.fromkeys(cell.line.way for cell in cells):
                series = WAYS.index(way)  # the same in each panel
                shown = [cell for cell in cells if cell.line.way == way]
                shift = 0.0 if way == CUMULATIVE else 0.15 if way == ALONE else -0.15
                at = [steps.index(cell.line.step) + shift for cell in shown]
                look: dict[str, Any] = {}
                if way == CUMULATIVE:
                    look = {"linestyle": "-", "drawstyle": "steps-mid"}
                estimates = [won.estimate for cell in shown if (won := cell.figure("won"))]
                plotting.intervals(axes, at, estimates, series, label=way, **look)
            axes.set_title(cells[0].name, fontsize=10)
            axes.set_xticks(range(len(steps)), steps, rotation=40, ha="right", fontsize=8)
            axes.set(ylabel="games won")
            axes.set_ylim(bottom=0)
            plotting.shares(axes.yaxis)
        for axes in all_.flat[len(setups) :]:
            axes.remove()
        for axes in all_.flat[max(0, len(setups) - 2) : len(setups)]:
            axes.tick_params(labelbottom=True)
        fullest = max(all_.flat, key=lambda axes: len(axes.get_legend_handles_labels()[1]))
        plotting.legend_below(figure, fullest, columns=5)


def _shade(axes: Axes, cell: StepCell, colour: str, label: str | None = None) -> None:
    """Shade the published interval of the set-up of ``cell``, if there is one."""
    known = published_result(cell)
    if known is not None:
        low, high = known.rate.low, known.rate.high
        axes.axhspan(low, high, color=colour, alpha=_STRIP, linewidth=0, label=label)


def _parity(cell: StepCell) -> float:
    return cell.match.seats / cell.match.players
