"""Prepare slow things in parallel: compiled code, and Ray where games need it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from experiments.matches import lineups
from experiments.matches.background import Background
from experiments.matches.match_loop import Resources
from experiments.matches.progress import Compiling, stage
from experiments.matches.schedule import Match
from experiments.settings import config

FEW = 500
"""Number of games that compiled policies finish before Ray would have started."""


def prepare(
    matches: Sequence[Match],
    workers: int | None,
    address: str | None,
    console: Console,
    games: int | None = None,
) -> Resources:
    """Compile and start Ray; return the resources for ``matches``, ready to use.

    ``workers``, ``address``: as for `resources`; ``games``: remaining, if known; a few games of
    compiled policies are played without Ray, unless ``workers`` is given.  Raises Refusal as
    `resources`.
    """

    def compile_all() -> None:
        from experiments.matches import play

        for match in matches:
            play.warm(match)

    compiling = Background(compile_all)
    searches = not all(match.compiled for match in matches)
    short = games is not None and games <= FEW and not searches
    if workers is None and short:
        workers = 1
    ready = resources(matches, workers, address, console)
    with stage(console, Compiling(searches)):
        compiling.result()
    return ready


def resources(
    matches: Sequence[Match], workers: int | None, address: str | None, console: Console
) -> Resources:
    """Return the resources for ``matches``, after starting or connecting to Ray.

    If nothing has to be distributed (one game at a time, on this machine, no search in Ray actors)
    this process plays alone, without Ray.  ``workers``: games at the same time; None: as many as
    the cores allow; ``address``: of the Ray cluster; None: this machine.  Raises Refusal if the
    cluster cannot be found, or has too few cores.
    """
    cores = config.cores()
    alone = address is None and not any(
        match.rooted or lineups.at_once(match, workers, cores) > 1 for match in matches
    )
    if not alone:
        from experiments.matches import runner  # Ray takes a second to import

        starting = Background(runner.start, address, cores)
        with stage(console, "starting Ray"):
            cores = starting.result()
    lineups.check_cores(matches, workers, cores)
    at_once = [lineups.at_once(match, workers, cores) for match in matches]
    cpus = []
    for match, n in zip(matches, at_once, strict=True):
        share = 0.0 if match.rooted else min(float(match.threads), cores / n)
        cpus.append(share if share < 1 else float(int(share)))  # Ray takes only whole ones above 1
    return Resources(tuple(at_once), tuple(cpus), address, cores, alone)
