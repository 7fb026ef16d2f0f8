"""Evidence: rebuild published results from stored rows, by one command.

    python -m benchmarks.evidence
    python -m benchmarks.evidence hours=8
    python -m benchmarks.evidence write=true
    python -m benchmarks.evidence again=4 only=[cai_1]

Slow modules are imported late.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import MISSING, DictConfig

from experiments.settings import config
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.limits import between, place

if TYPE_CHECKING:
    from rich.console import Console

    from benchmarks.evidence.listing import Evidence


PAPER_CORES = 2
"""Number of cores for which the page of evidence estimates hours."""

KEEPING_SECONDS = 600.0
"""Longest wait for another process that keeps the same rows."""

ADVICE = "play it, correct it, or record it with write=true accept=true"


@dataclass
class Settings:
    """The schema of the configuration."""

    only: list[str] | None = MISSING
    hours: float = between(0, 100_000)
    again: int | None = between(1, 1_000_000)
    write: bool = MISSING
    accept: bool = MISSING
    folder: str = place()


def job(settings: DictConfig, _: Path) -> None:
    """List the evidence, or play, check or write it.  Raises Refusal, Interrupted."""
    from benchmarks.evidence import listing, paper
    from experiments import tabular, terminal

    console = terminal.console()
    everything = listing.read()
    chosen = listing.choose(everything, settings.only)
    if settings.again is not None:
        _check(chosen, settings.again, console)
    elif settings.write:
        _write(everything, chosen, settings.accept, console)
    elif settings.hours > 0:
        _play(chosen, settings.hours, Path(settings.folder), console)
    else:
        tabular.show(paper.index(chosen, config.cores()), console)


def _check(chosen: list[Evidence], number: int, console: Console) -> None:
    """Replay the first ``number`` kept games or episodes, and seal the equal ones."""
    from benchmarks.evidence import archive, replay, state
    from experiments.provenance import provenance

    able = [one for one in chosen if one.units is not None and state.of(one).seal is not None]
    for one, played, differs in replay.replay_all(able, number, config.cores()):
        seal = archive.read_seal(one.rows) or {}
        seal.pop("differs", None)
        if differs is None:
            seal["sources"] = state.digests(one)
            origin = {"commit": provenance.commit(), "machine": provenance.machine()}
            seal["checked"] = {**origin, one.units: played}
        else:
            seal["differs"] = differs
        archive.write_seal(one.rows, seal)
        said = f"{differs}: the rows are stale" if differs else "equal"
        console.print(f"{one.name}: {played} {one.units} played again, {said}", soft_wrap=True)


def _write(
    everything: list[Evidence], chosen: list[Evidence], accept: bool, console: Console
) -> None:
    """Write pages, pictures and lists; Refusal if a page has an untraced interval to ``accept``."""
    from omegaconf import OmegaConf

    from benchmarks.evidence import claims, listing, paper, state
    from experiments.provenance.files import write_text

    root = listing.ROOT
    for one in chosen:
        state.note_plan(one)
        for path in paper.write(one, root / listing.RESULTS, root / listing.IMAGES):
            console.print(str(path.relative_to(root)), soft_wrap=True, highlight=False)
    write_text(root / paper.INDEX, paper.index_page(paper.index(everything, PAPER_CORES)))
    untraced = listing.read_untraced()
    found = claims.trace(everything, untraced, root)
    if accept:
        untraced = claims.note(everything, found)
        write_text(root / listing.UNTRACED, OmegaConf.to_yaml(OmegaConf.structured(untraced)))
        found = claims.trace(everything, untraced, root)
    claims.write(found, everything, root / claims.INDEX)
    console.print(claims.describe(found), soft_wrap=True)
    if other := claims.find_changed(everything, untraced):
        raise Refusal(f"{other[0]}.md has no rows, and differs from its record: {ADVICE}")
    if astray := [claim for claim in found if claim.origin == claims.NONE]:
        raise Refusal(f"{astray[0].page}: no row gives {astray[0].text}: {ADVICE}")


def _play(chosen: list[Evidence], hours: float, folder: Path, console: Console) -> None:
    """Play results that lack rows of today's code for ``hours``, and keep them.

    Raises Interrupted when the time is over, and, when all else is played, Refusal if a command
    failed.
    """
    from benchmarks.evidence import archive, playing, state

    left = [one for one in chosen if state.of(one).word != state.FRESH]
    if not left:
        console.print("nothing is missing or stale")
        return
    failed = []
    for one in playing.play(left, hours, folder, console):
        name = one.evidence.name
        with playing.alone(one.run, KEEPING_SECONDS):
            done = one.ended and state.of(one.evidence).word != state.FRESH
            if done or _adds(one.evidence, one.run):
                kept = archive.keep(one.evidence, one.run, one.digest)
                console.print(f"{name}: rows kept in {kept}", soft_wrap=True)
        if one.fault:
            console.print(f"{name}: {one.fault}", soft_wrap=True, markup=False)
            failed.append(name)
        elif not one.ended:
            raise Interrupted(f"stopped in {name}; the same command continues")
    if failed:
        raise Refusal(f"not played: {', '.join(failed)}; see their commands' output above")


def _adds(evidence: Evidence, run: Path) -> bool:
    """Return whether the unfinished ``run`` of a table has more games than the rows kept before."""
    from benchmarks.evidence import archive, listing

    def count(folder: Path) -> int:
        runs = {part.parent for part in folder.rglob("games-*.parquet")}
        return sum(sum(archive.count_games(one).values()) for one in runs)

    return evidence.kind == listing.TABLE and count(run) > count(evidence.rows)


COMMAND = Command("evidence", Settings, job, multirun=False, lasting=True)
main = COMMAND.main

if __name__ == "__main__":
    main()
