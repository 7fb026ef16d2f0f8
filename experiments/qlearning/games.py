"""The command's other half: where to walk is learnt from whole games, reward 1 for a win."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

import polars as pl
from omegaconf import DictConfig, OmegaConf

from experiments import study
from experiments.provenance.files import write_text
from experiments.qlearning.fit import UNFITTED
from experiments.qlearning.fitted import Fit, choices, fitted
from experiments.qlearning.played import PORTION, ROWS, Explorer, portion
from experiments.runs.runfolder import unwritable
from experiments.settings.commandline import Interrupted, Refusal
from experiments.stats.intervals import win_rate
from experiments.tabular import Table, count, mean
from sim.rules import Rules, preset

PLOT = "values.png"


def job(settings: DictConfig, run: study.Run, weights: str) -> None:
    """Play, fit and store the network as ``weights``; write the results and print them."""
    games = settings.games
    rules = _rules(games)
    if not games.opponents or len(set(games.opponents)) < len(games.opponents):
        raise Refusal("games.opponents must list different policies, one or more")
    run.claim(ROWS)
    explorer = Explorer(games.evidence, games.threshold, games.explore)

    def measured(left: list[int], _: Any) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        for number in left:
            yield (
                number,
                list(
                    portion(number, rules, games.opponents, explorer, settings.seed, games.played)
                ),
            )

    began = time.perf_counter()
    rows = run.measure(range(ceil(games.played / PORTION)), measured)
    played = time.perf_counter() - began
    try:
        fit = None if run.interrupted else _fit(settings, rows, rules)
    except KeyboardInterrupt:
        raise Interrupted(UNFITTED.format(run.folder)) from None
    seconds = time.perf_counter() - began - played
    if fit is not None:
        try:
            write_text(run.folder / weights, fit.network.dumps())
        except OSError as fault:
            raise unwritable(run.folder, fault) from None
    ended = rows.filter("last")
    described = {
        "games": ended.height,
        "won": int(ended["won"].sum()),
        "choices": rows.height,
        "playing_seconds": played,
        "fitting_seconds": seconds,
        "explained": fit and fit.explained,
        "values": fit and fit.values,
        "numbers": fit and fit.network.size,
    }

    def draw(folder: Path) -> None:
        if fit is not None:
            _draw(fit, folder)

    run.finish(described, [_table(described)], [PLOT], draw)


def _rules(games: DictConfig) -> Rules:
    """Return the rules to play by; Refusal if there are none or they do not fit."""
    from sim.players.paper import fitting

    try:
        rules = preset(games.rules)
        fitting({"name": "fitted", "evidence": games.evidence}, rules)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    return rules


def _fit(settings: DictConfig, rows: pl.DataFrame, rules: Rules) -> Fit:
    games = OmegaConf.to_container(settings.games)
    data = choices(rows, rules.players * len(games["opponents"]))
    if len(set(data.half)) < 2 or not 0 < data.won.mean() < 1:
        raise Refusal(
            f"games.played={games['played']}: there is nothing to learn from; both halves need "
            "games, and some must be won and some lost"
        )
    kept = {"games": games, "seed": settings.seed}
    return fitted(
        data, games["network"], games["iterations"], games["discount"], kept, settings.seed
    )


def _table(described: dict[str, Any]) -> Table:
    columns = [
        "learnt from",
        count("choices"),
        "won, 95 %",
        mean("R^2", 3),
        "value of the best room, by iteration",
        mean("s playing"),
        mean("s fitting"),
    ]
    values = described["values"] or []
    row = [
        f"{described['games']:,} games",
        described["choices"],
        str(win_rate(described["won"], described["games"])),
        described["explained"],
        " ".join(f"{value:.3f}" for value in values),
        described["playing_seconds"],
        described["fitting_seconds"],
    ]
    note = "R^2: of the first fit, beside how the games of the other half ended"
    return Table("Learning from games", columns, [row], [note])


def _draw(fit: Fit, folder: Path) -> None:
    """Draw the mean value of the best room against the iterations."""
    from experiments.plotting import SERIES, picture

    with picture(folder / PLOT, "Double fitted Q-iteration", (7, 4)) as (_, ((axes,),)):
        axes.plot(range(len(fit.values)), fit.values, marker="o", color=SERIES[0])
        axes.set(xlabel="iteration", ylabel="mean value of the best room")
        axes.set_ylim(0, 1)
        axes.grid()
