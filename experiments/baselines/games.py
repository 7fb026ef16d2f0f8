"""Playing the baselines and holding what came out against what was measured elsewhere.

Game *k* is the one that `experiments.compare` plays under the same seed, with the focal player in
seat *k* modulo the number of players.  Games run in threads: the arena holds no lock of Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl

from experiments import study
from experiments.runs import references
from experiments.runs.references import Baseline, Reference
from experiments.stats.intervals import Estimate, mean, median, win_rate
from sim.arena import play_many
from sim.rules import Rules

PORTION, SLOW_PORTION = 2_000, 50
"""Games of one task, some 0.1 s: what Ctrl-C waits for."""

WIN_RATE = "win rate"
RATES = (WIN_RATE, references.ENDLESS)

ROWS = study.Rows(
    file="baselines.parquet",
    units="set-ups",
    schema={
        "setup": pl.String,
        "quantity": pl.String,  # `WIN_RATE`, or one of `references.LENGTHS`
        "focal": pl.String,
        "others": pl.String,
        "focal_threshold": pl.Float64,
        "others_threshold": pl.Float64,
        "games": pl.Int64,
        "value": pl.Float64,  # a rate from 0 to 1, or turns, or suggestions
        "low": pl.Float64,  # of the 95 % interval
        "high": pl.Float64,
        "reference": pl.Float64,  # null where nothing is known
        "reference_low": pl.Float64,
        "reference_high": pl.Float64,
        "source": pl.String,
        "difference": pl.Float64,  # ours less the reference
        "within": pl.Boolean,  # whether win rates differ by `references.WITHIN` at most
        "nobody_won": pl.Float64,  # share of the games
    },
    more=("only", "workers"),
)
"""A row for each quantity and reference."""


def warm(rules: Rules) -> None:
    """Load the arena's compiled code, or compile it, before threads wait for each other to."""
    play_many(rules, ["random"] * rules.players, 0, np.arange(1))


def played(
    baselines: Iterable[tuple[Baseline, int]],
    rules: Rules,
    seed: int,
    workers: int,
    tick: Callable[[float], None],
) -> Iterator[tuple[Baseline, pl.DataFrame]]:
    """Play so many games of each baseline in ``workers`` threads; yield each when it is done.

    Closing the iterator drops the games not begun.

    Parameters
    ----------
    tick : told of the share of a baseline's games that were just done

    Yields
    ------
    tuple
        A baseline and its games, a row each: whether the focal player ``won``, whether the game was
        ``decided`` or ``capped`` by the turn cap, and the ``turns`` and ``suggestions`` of all
        players together.
    """
    with ThreadPoolExecutor(workers) as pool:
        try:
            tasks = [
                (
                    baseline,
                    games,
                    [
                        pool.submit(_portion, baseline, rules, seed, seat, part)
                        for seat, part in _portions(baseline, rules.players, games)
                    ],
                )
                for baseline, games in baselines
            ]
            for baseline, games, parts in tasks:
                done = []
                for part in parts:
                    done.append(part.result())
                    tick(done[-1].height / games)
                yield baseline, pl.concat(done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _portions(baseline: Baseline, players: int, games: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the focal seat and the numbers of games that are played in one call."""
    size = SLOW_PORTION if baseline.slow else PORTION
    for seat in range(players):
        numbers = np.arange(seat, games, players)
        for first in range(0, len(numbers), size):
            yield seat, numbers[first : first + size]


def _portion(
    baseline: Baseline, rules: Rules, seed: int, seat: int, games: np.ndarray
) -> pl.DataFrame:
    policies = [baseline.others] * rules.players
    policies[seat] = baseline.focal
    result = play_many(rules, policies, seed, games)
    decided = result.winner >= 0
    columns = {
        "won": result.winner == seat,
        "decided": decided,
        "capped": ~decided & ~result.out.all(axis=1),
        "turns": result.turns,
        "suggestions": result.suggestions.sum(axis=1),
    }
    return pl.DataFrame(columns)


def lines(baseline: Baseline, games: pl.DataFrame, players: int) -> list[dict[str, Any]]:
    """Return what there is to say of one baseline, as rows of `ROWS`.

    The references are of games of four; beside another number of players there are none.
    """
    comparable = players == references.PLAYERS
    known = (baseline.references if comparable else ()) or (None,)
    rate = win_rate(games["won"].sum(), games.height)
    made = [_line(baseline, games, WIN_RATE, rate, reference) for reference in known]
    if baseline.name == references.LENGTHS_OF and comparable:
        made += [
            _line(baseline, games, quantity, value, references.LENGTHS[quantity])
            for quantity, value in _lengths(games).items()
        ]
    return made


def _lengths(games: pl.DataFrame) -> dict[str, Estimate]:
    """Return the quantities of `references.LENGTHS`."""
    won = games.filter("decided")
    found = {
        references.TURNS: mean(games["turns"].to_numpy()),
        references.TURNS_MEDIAN: median(games["turns"].to_numpy()),
        references.SUGGESTIONS: mean(games["suggestions"].to_numpy()),
        references.ENDLESS: win_rate(games["capped"].sum(), games.height),
    }
    if won.height > 1:
        found[references.TURNS_WON] = mean(won["turns"].to_numpy())
        found[references.SUGGESTIONS_WON] = mean(won["suggestions"].to_numpy())
    return {quantity: found[quantity] for quantity in references.LENGTHS if quantity in found}


def _line(
    baseline: Baseline,
    games: pl.DataFrame,
    quantity: str,
    ours: Estimate,
    reference: Reference | None,
) -> dict[str, Any]:
    theirs = (reference and reference.interval) or (None, None)
    difference = None if reference is None else ours.value - reference.value
    return {
        "setup": baseline.name,
        "quantity": quantity,
        "focal": baseline.focal.name,
        "others": baseline.others.name,
        "focal_threshold": baseline.focal.threshold,
        "others_threshold": baseline.others.threshold,
        "games": games.height,
        "value": ours.value,
        "low": ours.low,
        "high": ours.high,
        "reference": reference and reference.value,
        "reference_low": theirs[0],
        "reference_high": theirs[1],
        "source": reference and reference.source,
        "difference": difference,
        "within": abs(difference) <= references.WITHIN
        if difference is not None and quantity == WIN_RATE
        else None,
        "nobody_won": 1 - games["decided"].mean(),
    }
