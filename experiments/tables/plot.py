"""The picture of strength against the budget of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments import plotting
from experiments.stats.intervals import Estimate
from experiments.tables.figures import Measured, simulations_of


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
