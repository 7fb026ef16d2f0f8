"""Intervals on the pages, and their origin.

A claim is a value with its interval, ``44.5 % (43.2 to 45.7)``, as on a page.  It is traced if its
page links a result with rows whose page contains the same three numbers; a page of a result without
rows is fixed by its checksum, and other claims without rows are listed, so that no digit changes
unnoticed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from benchmarks.evidence import archive
from benchmarks.evidence.listing import RESULTS, Evidence, Untraced
from benchmarks.evidence.paper import MARK
from experiments import tabular

NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
CLAIM = re.compile(
    rf"({NUMBER})(?:\s?%|\s?points)?\**\s?\(({NUMBER}) to ({NUMBER})(?=[);,])", re.ASCII
)

_RESULT = re.compile(rf"\]\((?:\S*/)?{Path(RESULTS).name}/(\w+)\.md[#)]")
"""A link to a result: its name."""

INDEX = "docs/claims.csv"

ROWS, PAGE, LISTED, NONE = "rows", "page", "listed", "none"
"""Origin of a claim: rows, a page without rows, the list of untraced ones, none."""


@dataclass(frozen=True)
class Claim:
    """An interval on a page.

    ``page``: path below the checkout; ``text``: as on the page; ``origin``: `ROWS`, `PAGE`,
    `LISTED` or `NONE`; ``evidence``: name of the result, if any.
    """

    page: str
    text: str
    origin: str
    evidence: str = ""


def numbers(text: str) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each claim in ``text``, as written and as value, low and high."""
    for found in CLAIM.finditer(text):
        yield found[0] + ")", tuple(float(part.replace(",", "")) for part in found.groups())


def pages(root: Path) -> list[Path]:
    """Return README and docs, except results, which are generated or fixed."""
    written = {root / "README.md", *(root / "docs").rglob("*.md")}
    return sorted(page for page in written if root / RESULTS not in page.parents)


def trace(listed: Iterable[Evidence], untraced: Untraced, root: Path) -> list[Claim]:
    """Return every claim of the pages of ``root`` with its origin, page by page.

    A result gives a claim if the page links it: equal numbers elsewhere are a coincidence.
    """
    given = {
        one.name: (ROWS if archive.read_seal(one.rows) else PAGE, _values(one.page))
        for one in listed
        if one.page.exists()
    }
    found = []
    for page in pages(root):
        name, text = page.relative_to(root).as_posix(), page.read_text()
        linked = sorted(set(_RESULT.findall(text)) & set(given))
        accepted = set(untraced.claims.get(name, ()))
        for claim, values in numbers(text):
            results = [result for result in linked if values in given[result][1]]
            if results:  # one with rows, if any
                best = max(results, key=lambda result: given[result][0] == ROWS)
                found.append(Claim(name, claim, given[best][0], best))
            else:
                found.append(Claim(name, claim, LISTED if claim in accepted else NONE))
    return found


def _values(page: Path) -> set[tuple[float, ...]]:
    return {values for _, values in numbers(page.read_text())}


def note(listed: Iterable[Evidence], found: Iterable[Claim]) -> Untraced:
    """Return the claims without rows as they are now: `trace` then finds all it ``found``."""
    pages = {one.name: checksum(one.page) for one in _without_rows(listed)}
    by_page: dict[str, dict[str, None]] = {}
    for claim in found:
        if claim.origin in (LISTED, NONE):
            by_page.setdefault(claim.page, {})[claim.text] = None
    return Untraced(pages, {page: list(texts) for page, texts in by_page.items()})


def find_changed(listed: Iterable[Evidence], untraced: Untraced) -> list[str]:
    """Return the pages without rows that differ from their record."""
    there = {one.name: checksum(one.page) for one in _without_rows(listed)}
    names = {*there, *untraced.pages}
    return sorted(name for name in names if there.get(name) != untraced.pages.get(name))


def _without_rows(listed: Iterable[Evidence]) -> Iterator[Evidence]:
    for one in listed:
        if one.page.exists() and archive.read_seal(one.rows) is None:
            yield one


def checksum(page: Path) -> str:
    """Return the checksum of a page without rows, ignoring the line of its evidence."""
    text = "\n".join(line for line in page.read_text().split("\n") if not line.startswith(MARK))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write(found: Sequence[Claim], listed: Iterable[Evidence], path: Path) -> None:
    """Write the index of claims: page, claim, origin, result, command and seed."""
    by_name = {one.name: one for one in listed}
    rows = [[*astuple(claim), *_play_of(by_name.get(claim.evidence))] for claim in found]
    columns = ("page", "claim", "origin", "evidence", "command", "seed")
    tabular.write_csv(tabular.Table("", columns, rows), path)


def _play_of(evidence: Evidence | None) -> tuple[str, int | None]:
    if evidence is None:
        return "", None
    seed = getattr(evidence.table, "seed", None)
    return evidence.command, evidence.item.seed or seed


def describe(found: Sequence[Claim]) -> str:
    """Return the origins of the claims ``found`` in one sentence."""
    by_origin = Counter(claim.origin for claim in found)
    return (
        f"{len(found)} intervals: {by_origin[ROWS]} from rows, {by_origin[PAGE]} from pages "
        f"without rows, {by_origin[LISTED]} listed as untraced, {by_origin[NONE]} from nowhere"
    )
