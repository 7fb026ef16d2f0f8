"""Playing the baselines and holding what came out against what was measured elsewhere.

Game *k* is the one that `experiments.compare` plays under the same seed, with the focal player in
seat *k* modulo the number of players.  Games run in threads: the arena holds no lock of Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from experiments.runs import references
from experiments.runs.references import Baseline, Reference
from experiments.stats.intervals import Estimate, mean, median, win_rate
from sim.arena import play_many
from sim.rules import Rules

PORTION, SLOW_PORTION = 2_000, 50
"""Games of one task, some 0.1 s: what Ctrl-C waits for."""

WIN_RATE = "win rate"
RATES = (WIN_RATE, references.ENDLESS)

LINE = pa.schema(
    [
        ("setup", pa.string()),
        ("quantity", pa.string()),  # `WIN_RATE`, or one of `references.LENGTHS`
        ("focal", pa.string()),
        ("others", pa.string()),
        ("focal_threshold", pa.float64()),
        ("others_threshold", pa.float64()),
        ("games", pa.int64()),
        ("value", pa.float64()),  # a rate from 0 to 1, or turns, or suggestions
        ("low", pa.float64()),  # of the 95 % interval
        ("high", pa.float64()),
        ("reference", pa.float64()),  # null where nothing is known
        ("reference_low", pa.float64()),
        ("reference_high", pa.float64()),
        ("source", pa.string()),
        ("difference", pa.float64()),  # ours less the reference
        ("within", pa.bool_()),  # whether win rates differ by `references.WITHIN` at most
        ("nobody_won", pa.float64()),  # share of the games
    ]
)
"""Columns of the results: a line for each quantity and reference."""


@dataclass(frozen=True)
class Played:
    """What the games of one baseline came to, arrays by game.

    Attributes
    ----------
    won : (n,) whether the focal player won
    decided : (n,) whether anybody did
    capped : (n,) whether the turn cap ended the game
    turns, suggestions : (n,) of all players together
    """

    won: np.ndarray
    decided: np.ndarray
    capped: np.ndarray
    turns: np.ndarray
    suggestions: np.ndarray


def warm(rules: Rules) -> None:
    """Load the arena's compiled code, or compile it, before threads wait for each other to."""
    play_many(rules, ["random"] * rules.players, 0, np.arange(1))


def played(
    baselines: Iterable[tuple[Baseline, int]],
    rules: Rules,
    seed: int,
    workers: int,
    progress: Callable[[Baseline, int], None],
) -> Iterator[tuple[Baseline, Played]]:
    """Play so many games of each baseline in ``workers`` threads; yield each when it is done.

    ``progress`` is told of games that are done.  Closing the iterator drops the games not begun.
    """
    with ThreadPoolExecutor(workers) as pool:
        try:
            tasks = [
                (
                    baseline,
                    [
                        pool.submit(_portion, baseline, rules, seed, seat, part)
                        for seat, part in _portions(baseline, rules.players, games)
                    ],
                )
                for baseline, games in baselines
            ]
            for baseline, parts in tasks:
                done = []
                for part in parts:
                    done.append(part.result())
                    progress(baseline, len(done[-1].won))
                yield baseline, _joined(done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _portions(baseline: Baseline, players: int, games: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the focal seat and the numbers of games that are played in one call."""
    size = SLOW_PORTION if baseline.slow else PORTION
    for seat in range(players):
        numbers = np.arange(seat, games, players)
        for first in range(0, len(numbers), size):
            yield seat, numbers[first : first + size]


def _portion(baseline: Baseline, rules: Rules, seed: int, seat: int, games: np.ndarray) -> Played:
    policies = [baseline.others] * rules.players
    policies[seat] = baseline.focal
    result = play_many(rules, policies, seed, games)
    decided = result.winner >= 0
    return Played(
        won=result.winner == seat,
        decided=decided,
        capped=~decided & ~result.out.all(axis=1),
        turns=result.turns,
        suggestions=result.suggestions.sum(axis=1),
    )


def _joined(parts: list[Played]) -> Played:
    fields = zip(*(vars(part).values() for part in parts), strict=True)
    return Played(*map(np.concatenate, fields))


def lines(baseline: Baseline, games: Played, players: int) -> list[dict[str, Any]]:
    """Return what there is to say of one baseline, as rows of `LINE`.

    The references are of games of four; beside another number of players there are none.
    """
    comparable = players == references.PLAYERS
    known = (baseline.references if comparable else ()) or (None,)
    rate = win_rate(int(games.won.sum()), len(games.won))
    made = [_line(baseline, games, WIN_RATE, rate, each) for each in known]
    if baseline.name == references.LENGTHS_OF and comparable:
        made += [
            _line(baseline, games, quantity, value, references.LENGTHS[quantity])
            for quantity, value in _lengths(games).items()
        ]
    return made


def _lengths(games: Played) -> dict[str, Estimate]:
    """Return the quantities of `references.LENGTHS`."""
    found = {
        references.TURNS: mean(games.turns),
        references.TURNS_MEDIAN: median(games.turns),
        references.SUGGESTIONS: mean(games.suggestions),
        references.ENDLESS: win_rate(int(games.capped.sum()), len(games.capped)),
    }
    if np.count_nonzero(games.decided) > 1:
        found[references.TURNS_WON] = mean(games.turns[games.decided])
        found[references.SUGGESTIONS_WON] = mean(games.suggestions[games.decided])
    return {quantity: found[quantity] for quantity in references.LENGTHS if quantity in found}


def _line(
    baseline: Baseline,
    games: Played,
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
        "games": len(games.won),
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
        "nobody_won": 1 - float(games.decided.mean()),
    }
