"""``match.power``: games and hours needed on this machine to detect a difference."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from experiments import tabular
from experiments.matches import lineups, play
from experiments.matches.background import Background
from experiments.matches.progress import stage
from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.stats.power import (
    discordant_share,
    games_for_difference,
    games_for_win_rate,
    hours,
)

TRIAL_SECONDS = 5.0
"""Seconds for which games of a match are timed."""


def show(
    matches: Sequence[Match], difference: float, workers: int | None, console: Console
) -> None:
    """Print what ``matches`` would take, after timing a few games that are not kept.

    A single match is compared with parity, one of several with another on the same games.  Their
    results are taken as independent; correlated ones need fewer games.  ``difference``: of win
    rates, as a fraction of the games; ``workers``: games at the same time; None: as many as the
    cores allow.
    """
    rows, total = list[list[str]](), 0.0
    for match in matches:
        with stage(console, f"compiling and timing {match.name}"):
            seconds = Background(_seconds, match).result()
        parity = match.seats / match.players if match.measured is not None else 1 / match.players
        better = min(parity + difference, 1.0)
        if len(matches) == 1 and match.measured is not None:
            against, games = f"parity, {100 * parity:.0f} %", games_for_win_rate(better, parity)
        else:
            against = "another player, same games"
            games = games_for_difference(difference, discordant_share(parity, better, 0.0))
        at_once = lineups.at_once(match, workers, config.cores())
        took = hours(games, seconds, at_once)
        total += took
        rows.append([match.name, against, f"{games:,}", f"{seconds:.3g}", f"{took:.2g}"])
    title = f"to see a difference of {100 * difference:g} points (5 %, power 80 %)"
    columns = ("", tabular.words("compared with"), "games", "s a game", "hours here")
    tabular.show(tabular.Table(title, columns, rows), console)
    console.print(f"{total:.2g} hours in all; the timed games were not kept")


def _seconds(match: Match) -> float:
    """Return the seconds per game with one worker, measured after compilation."""
    play.warm(match)
    portion, first, spent = 1, 0, 0.0
    while spent < TRIAL_SECONDS / 2:
        started = time.perf_counter()
        play.portion(match, np.arange(first, first + portion))
        took = time.perf_counter() - started
        first, spent = first + portion, spent + took
        portion = max(1, min(4 * portion, int((TRIAL_SECONDS - spent) * portion / max(took, 1e-9))))
    return spent / first
