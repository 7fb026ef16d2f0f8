"""Claims drawn at random, and made again from nothing but their commands."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.evidence import claims, parts, playing, sources, state
from benchmarks.evidence.claims import ROWS, Claim
from benchmarks.evidence.listing import Evidence
from benchmarks.evidence.parts import Intervals, Part
from experiments import tabular
from experiments.provenance import provenance
from experiments.settings.commandline import Refusal

INDEX = "docs/drawn.csv"
NOT_PLAYED = "not played"


@dataclass(frozen=True)
class Drawn:
    """A claim that was drawn, the part that gives it, and its index among the intervals there."""

    claim: Claim
    part: Part
    index: int

    def compare(self, made: Intervals) -> str:
        """Return the interval in its place among those ``made`` again; empty if it is equal."""
        if self.index >= len(made):
            return "nothing"
        text, values = made[self.index]
        return "" if values == _values(self.claim) else text


def _values(claim: Claim) -> tuple[float, ...]:
    return next(claims.numbers(claim.text))[1]


def draw(
    found: Sequence[Claim], listed: Mapping[str, Evidence], number: int, seed: int
) -> list[Drawn]:
    """Draw ``number`` of the claims ``found`` that come from rows of the results ``listed``.

    ``seed``: of the drawing.  Returns fewer if there are no more.  Passed over is what cannot be
    played again, results that lack games, and what the rows of its result alone do not give.
    Raises Refusal if rows cannot be read.
    """
    claimed = {claim.evidence for claim in _of_rows(found, listed) if listed[claim.evidence].seeded}
    whole = {name for name in claimed if not state.count_lacking(listed[name])}
    able = [claim for claim in _of_rows(found, listed) if claim.evidence in whole]
    known: dict[str, list[Part]] = {}
    drawn: list[Drawn] = []
    for at in np.random.default_rng(seed).permutation(len(able)):
        claim = able[at]
        if claim.evidence not in known:
            known[claim.evidence] = parts.of(listed[claim.evidence])
        for part in known[claim.evidence]:
            shown = [values for _, values in part.kept]
            if _values(claim) in shown:
                drawn.append(Drawn(claim, part, shown.index(_values(claim))))
                break
        if len(drawn) == number:
            break
    return drawn


def _of_rows(found: Iterable[Claim], listed: Mapping[str, Evidence]) -> list[Claim]:
    return [claim for claim in found if claim.origin == ROWS and claim.evidence in listed]


def describe(
    drawn: Sequence[Drawn], found: Iterable[Claim], listed: Mapping[str, Evidence]
) -> list[str]:
    """Return in sentences what was ``drawn``, what it takes, and what could not be drawn."""
    hours = [part.hours for part, _ in _by_part(drawn)]
    known = sum(one for one in hours if one is not None)
    lines = [
        f"claims drawn: {len(drawn)}; commands for them: {len(hours)}, about {known:.2f} hours"
        + (f" and {hours.count(None)} for which nobody knows" if None in hours else "")
    ]
    dealt = [one.evidence for one in _of_rows(found, listed) if not listed[one.evidence].seeded]
    if dealt:
        names = ", ".join(dict.fromkeys(dealt))
        lines.append(f"not drawn from: claims of {names}, which no seed decides ({len(dealt)})")
    return lines


def _by_part(drawn: Iterable[Drawn]) -> list[tuple[Part, list[Drawn]]]:
    by_command: dict[str, list[Drawn]] = {}
    for one in drawn:
        by_command.setdefault(one.part.command, []).append(one)
    return [(its[0].part, its) for its in by_command.values()]


def play(
    drawn: Sequence[Drawn], folder: Path, console: Console, end: float = math.inf
) -> Iterator[tuple[Drawn, str]]:
    """Play each part once, below ``folder``; yield its claims with what `Drawn.compare` returns.

    Those of least work come first.  A command that fails is what came of its claims.  Ends early on
    Ctrl-C or at the time ``end``; what was played is kept.
    """
    groups = sorted(_by_part(drawn), key=lambda group: group[0].hours or 0.0)
    for number, (part, its) in enumerate(groups, 1):
        hours = "" if part.hours is None else f", about {part.hours:.2f} hours"
        console.print(f"command {number} of {len(groups)}{hours}")
        try:
            place = _place(part, folder)
            rows = playing.play_part(part.evidence, part.command, place, console, end)
            if rows is None:
                return
            made = part.read(rows)
        except Refusal as fault:
            console.print(str(fault), soft_wrap=True, markup=False)
            yield from ((one, "the command failed") for one in its)
        else:
            yield from ((one, one.compare(made)) for one in its)


def _place(part: Part, folder: Path) -> Path:
    """Return the folder for what today's code plays of ``part``."""
    one = part.evidence
    name = f"{one.name}-{hashlib.sha256(part.command.encode()).hexdigest()[:10]}"
    return folder / "drawn" / sources.digest(one.root, one.modules) / name


def table(made: Sequence[tuple[Drawn, str]]) -> tabular.Table:
    """Return each claim with what came of it; ``made`` as `play` yields it, or `NOT_PLAYED`."""
    columns = tuple(map(tabular.words, ("page", "claim", "again", "command")))
    lines = [
        [one.claim.page, one.claim.text, came or "equal", one.part.command] for one, came in made
    ]
    outcomes = [came for _, came in made]
    left = outcomes.count(NOT_PLAYED)
    title = f"{outcomes.count('')} of {len(made) - left} equal"
    return tabular.Table(title + (f", {left} {NOT_PLAYED}" if left else ""), columns, lines)


def write(made: Sequence[tuple[Drawn, str]], seed: int, path: Path) -> None:
    """Write `table` as CSV to ``path``, with the ``seed`` of the drawing and the commit."""
    shown, commit = table(made), provenance.commit()
    more = tuple(map(tabular.words, ("seed", "commit")))
    rows = [[*row, seed, commit] for row in shown.rows]
    tabular.write_csv(tabular.Table("", (*shown.columns, *more), rows), path)
