"""Strength-speed-ups as figures, a table and a picture.

The strength-speed-up of n workers is how many times longer one would have to search for the same
loss [Chaslot, Winands & van den Herik 2008], read off the curve of one worker, made monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import isotonic_regression

from benchmarks.strength.ways import ONE, REAL
from experiments import study
from experiments.provenance.files import read_yaml
from experiments.stats.intervals import Estimate, columns, paired_difference, win_rate
from experiments.tabular import Column, Table, count, mean, words

PLOT = "strength.png"

_WORDS = {
    ONE: "one worker with the time of all",
    "tree, none": "one tree, untreated",
    "tree, virtual_loss": "one tree, virtual loss",
    "tree, wu_uct": "one tree, WU-UCT",
    "tree in root": "16 to a tree, root over trees",
    "root, visits": "a tree each, by visits",
}
_APART = 1.06
"""Factor between the places of two ways at the same number of workers."""

POSITIONS, GAMES = "positions", "games"
"""Where strength is measured."""

ROWS = study.Rows(
    file="strength.parquet",
    units="measurements",
    schema={
        "way": pl.String,
        "workers": pl.Int64,  # of one worker: its multiple of the time
        "case": pl.Int64,  # position or game
        "search": pl.Int64,  # of the position
        "lost": pl.Float64,  # regret as a share of 1; of a game 0 or 1
        "seconds": pl.Float64,  # of CPU, over all workers
    },
    more=("count",),
    min_units=2,
)
"""One row per decision, or game."""

_DRAWS = 1000


def figures(rows: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    """Return one line per way and number of workers: its loss, and its speed-up.

    Cases that some way lacks are left out.  The intervals are by the bootstrap over cases, with
    ``seed``.  Without the curve of one worker there is no speed-up.
    """
    lost = _by_case(rows)
    cases = min(map(len, lost.values()))
    draws = np.random.default_rng(seed).integers(cases, size=(_DRAWS, cases))
    times = sorted(workers for name, workers in lost if name == ONE)
    one = np.stack([lost[ONE, longer] for longer in times]) if times else np.empty((0, cases))
    found = []
    for (name, workers), its in lost.items():
        means = its[draws].mean(axis=1)
        line = {"way": name, "workers": workers, "cases": cases, "curve": name == ONE}
        line["lost"] = _estimate(its.mean(), means)
        line["all"] = its
        line["speed_up"] = None
        if times and name != ONE:
            pairs = zip(draws, means, strict=True)
            gains = [speed_up(times, one[:, draw].mean(axis=1), loss) for draw, loss in pairs]
            line["speed_up"] = _estimate(speed_up(times, one.mean(axis=1), its.mean()), gains)
        found.append(line)
    return found


def _by_case(rows: pl.DataFrame) -> dict[tuple[str, int], np.ndarray]:
    """Return by way and workers the mean loss in each case that all have."""
    key = ["way", "workers"]
    means = rows.group_by([*key, "case"], maintain_order=True).agg(pl.mean("lost"))
    ways = means.select(key).n_unique()
    whole = means.group_by("case").len().filter(pl.col("len") == ways).get_column("case")
    held = means.filter(pl.col("case").is_in(whole.implode())).sort("case", maintain_order=True)
    return {
        (name, workers): own.get_column("lost").to_numpy()
        for (name, workers), own in held.group_by(key, maintain_order=True)
    }


def speed_up(times: Sequence[int], curve: np.ndarray, lost: float) -> float:
    """Return how many times longer one worker needs to lose no more than ``lost``.

    ``curve``: the loss of one worker with ``times`` the time.  Clamped to its ends.
    """
    falling = isotonic_regression(curve, increasing=False).x
    return float(np.exp2(np.interp(-lost, -falling, np.log2(times))))


def _estimate(value: float, drawn: Sequence[float] | np.ndarray) -> Estimate:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Estimate(float(value), float(low), float(high))


def table(found: Sequence[dict[str, Any]], settings: dict[str, Any]) -> Table:
    """Return ``found`` (`figures`) of a run with ``settings`` as a table."""
    games = settings["measure"] == GAMES
    least = min((line for line in found if line["curve"]), key=_workers, default=None)

    def points(line: dict[str, Any]) -> Estimate:
        lost = line["lost"]
        return Estimate(100 * lost.value, 100 * lost.low, 100 * lost.high)

    def wins(line: dict[str, Any]) -> Estimate:
        return win_rate(int((line["all"] == 0).sum()), line["cases"])

    def more(line: dict[str, Any]) -> Estimate | None:
        if least is None or line is least:
            return None
        return paired_difference(least["all"] == 0, line["all"] == 0)

    shown: list[tuple[Column, Any]] = [(words("way"), "way"), (count("workers"), "workers")]
    if games:
        shown += [(percent_of("won"), wins), (percent_of("more than one alone"), more)]
    else:
        shown.append((mean("regret, points", 2), points))
    shown.append((mean("strength-speed-up"), "speed_up"))
    cases = found[0]["cases"] if found else 0
    each = settings["simulations"]
    notes = [
        f"Each worker has the time of {each} simulations a decision; the line *{ONE}* is a single "
        "worker with so many times as long. Strength-speed-up: how many times longer one worker "
        "must search to lose as little; beyond the ends of its curve, the end."
    ]
    title = f"Strength by workers, {cases} {settings['measure']}"
    return Table.of(title, found, shown, notes)


def percent_of(title: str) -> Column:
    """Return a column of shares with their intervals."""
    return Column(title, str)


def _workers(line: dict[str, Any]) -> int:
    return int(line["workers"])


def records(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ``found`` (`figures`) for JSON and CSV."""
    return [
        {
            **{key: line[key] for key in ("way", "workers", "cases")},
            **columns("lost", line["lost"]),
            **columns("speed_up", line["speed_up"]),
        }
        for line in found
    ]


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    found, settings = _read(folder)
    return table(found, settings), records(found)


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(*_read(kept), folder)


def _read(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    settings = read_yaml(folder / study.CONFIG)
    return figures(pl.read_parquet((folder / ROWS.file).read_bytes()), settings["seed"]), settings


def draw(found: Sequence[dict[str, Any]], settings: dict[str, Any], folder: Path) -> None:
    """Plot the loss of workers and their speed-up, next to one worker with as much time."""
    from experiments import plotting  # Matplotlib takes a second to import
    from experiments.palette import REFERENCE

    left_out = (REAL, "value", "vote")
    names = list(dict.fromkeys(line["way"] for line in found))
    names = [name for name in names if not name.endswith(left_out)]
    where = "late positions" if settings["measure"] == POSITIONS else "whole games"
    title = (
        f"What workers of {settings['simulations']} simulations each buy in {found[0]['cases']:,} "
        f"{where}: mean and 95 %"
    )
    with plotting.picture(folder / PLOT, title, (plotting.WIDTH, 6.4), 2) as (_, panels):
        for series, name in enumerate(names):
            lines = [line for line in found if line["way"] == name]
            at = [line["workers"] * _APART ** (series - len(names) / 2) for line in lines]
            label = _WORDS.get(name, name.replace("_", " "))
            shown: dict[str, Any] = {"label": label, "linestyle": "-", "elinewidth": 0.7}
            for panel, key in zip(panels[:, 0], ("lost", "speed_up"), strict=True):
                if name != ONE or key == "lost":
                    series_ = [line[key] for line in lines]
                    plotting.intervals(panel, at, series_, series, capsize=0, **shown)
        times = sorted(line["workers"] for line in found if line["curve"])
        lost, speed = panels[:, 0]
        speed.plot(times, times, color=REFERENCE, ls="--", lw=1, label="no loss")
        lost.set_ylabel("regret" if settings["measure"] == POSITIONS else "games lost")
        plotting.shares(lost.yaxis, 1)
        speed.set(yscale="log", xlabel="workers", ylabel="strength-speed-up")
        speed.yaxis.set_major_formatter("{x:,.0f}")
        for panel in (lost, speed):
            panel.set_xscale("log")
            panel.set_xticks(times, [f"{time:,}" for time in times])
            panel.minorticks_off()
            panel.grid(axis="y")
            plotting.label_ends(panel, 24)
