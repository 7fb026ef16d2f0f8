"""The picture of strength against the budget of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt

from experiments.statistics import Estimate


def draw(rates: Mapping[int, Estimate], parity: float, title: str, path: Path) -> None:
    """Draw win rates with their intervals by simulations a decision to ``path``.

    Parameters
    ----------
    rates : win rate (0 to 1) for each number of simulations
    parity : what identical players would win
    title : who played whom, and how many games
    """
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    at = sorted(rates)
    value = [100 * rates[each].value for each in at]
    spread = [
        [100 * (rates[each].value - rates[each].low) for each in at],
        [100 * (rates[each].high - rates[each].value) for each in at],
    ]
    axes.errorbar(at, value, spread, color="#0072B2", marker="o", capsize=3)
    axes.axhline(100 * parity, color="#555555", linestyle="--", linewidth=1)
    axes.annotate("parity", (at[0], 100 * parity), (0, 4), textcoords="offset points", fontsize=9)
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
