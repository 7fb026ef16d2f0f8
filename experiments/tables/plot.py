"""The picture of strength against the budget of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt

from experiments.tables.cells import Table
from experiments.tables.figures import Measured


def by_budget(table: Table, run: Measured, path: Path) -> None:
    """Draw the win rates of ``table`` by simulations a decision to ``path``; two points at least.

    Without them nothing is drawn: a point is no curve.
    """
    cells = {each.player: each for each in table.cells if each.simulations}
    lines = {
        cells[line["player"]].simulations: line
        for line in run.lines.values()
        if line["player"] in cells
    }
    if len(lines) < 2:
        return
    first = next(iter(cells.values()))
    player = first.player.removesuffix(str(first.simulations))
    others = run.played.matches[0].players - 1
    games = sorted({line["games"] for line in lines.values()})
    title = f"{player} against {others} {first.opponent}, {' to '.join(_ends(games))} games a point"
    _draw(lines, title, path)


def _ends(numbers: list[int]) -> list[str]:
    return [f"{each:,}" for each in dict.fromkeys((numbers[0], numbers[-1]))]


def _draw(lines: Mapping[int, Mapping[str, Any]], title: str, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    at = sorted(lines)
    value = [100 * lines[each]["win_rate"] for each in at]
    spread = [
        [100 * abs(lines[each]["win_rate"] - lines[each]["ci95"][end]) for each in at]
        for end in (0, 1)
    ]
    parity = 100 * lines[at[0]]["parity"]
    axes.errorbar(at, value, spread, color="#0072B2", marker="o", capsize=3)
    axes.axhline(parity, color="#555555", linestyle="--", linewidth=1)
    axes.annotate("parity", (at[0], parity), (0, 4), textcoords="offset points", fontsize=9)
    axes.set_xscale("log")
    axes.set_xticks(at, [f"{each:,}" for each in at])
    axes.minorticks_off()
    axes.set(xlabel="simulations a decision", ylabel="games won, %")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{title}, 95 % intervals")
    figure.savefig(path, dpi=150)
    plt.close(figure)
