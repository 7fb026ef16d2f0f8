"""The state of each line of evidence: whether its rows are complete, intact, and current."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.evidence import archive, sources
from benchmarks.evidence.listing import Evidence
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import SUMMARY, read_json
from experiments.settings.commandline import Refusal
from experiments.tables.schema import Computed, Table
from experiments.tables.steps import Ablation

if TYPE_CHECKING:
    from experiments.tables.cells import PlannedCell

FRESH, UNFINISHED, STALE, MISSING = "fresh", "unfinished", "stale", "no rows"


@dataclass(frozen=True)
class State:
    """State of a line of evidence.

    ``word``: `FRESH`, `UNFINISHED`, `STALE` or `MISSING`; ``why``: why it is stale or unfinished;
    empty otherwise; ``seal``: of its rows, None without any; ``changed``: names of the parts whose
    sources alone make it stale (`Evidence.parts`).
    """

    word: str
    why: str = ""
    seal: dict[str, Any] | None = None
    changed: tuple[str, ...] = ()


def of(evidence: Evidence) -> State:
    """Return the state of ``evidence``.  Raises Refusal if its rows are damaged."""
    seal = archive.read_seal(evidence.rows)
    if seal is None:
        return State(MISSING)
    if wrong := archive.find_damage(evidence.rows, seal):
        raise Refusal(
            f"{evidence.rows}: {wrong[0]} is not the file that {archive.SEAL} seals: "
            + archive.advise(evidence.rows / wrong[0], seal["files"].get(wrong[0]))
        )
    known = seal.get("plan") == plan(evidence) and "lacking" in seal
    why = "" if known else _other_plan(evidence)
    if not why and seal.get("differs"):
        why = f"replayed, {seal['differs']}"
    if not why and (changed := _list_changed(evidence, seal)):
        parts = len(evidence.parts(evidence.rows))
        whose = "its sources" if len(changed) == parts else f"sources of {len(changed)} of {parts}"
        return State(STALE, f"{whose} have changed", seal, changed)
    if not why and (lacking := seal["lacking"] if known else count_lacking(evidence)):
        return State(UNFINISHED, f"{lacking:,} games to go", seal)
    return State(STALE if why else FRESH, why, seal)


def digests(evidence: Evidence) -> dict[str, list[str]]:
    """Return the parts of the kept rows by the digest of today's code that plays them."""
    return archive.by_digest(evidence.parts(evidence.rows), partial(sources.digest, evidence.root))


def _list_changed(evidence: Evidence, seal: dict[str, Any]) -> tuple[str, ...]:
    held = seal.get("sources") or {}
    now = digests(evidence)
    return tuple(name for one in now for name in now[one] if name not in held.get(one, ()))


def plan(evidence: Evidence) -> str:
    """Return a digest of the configuration from which the plan of ``evidence`` is composed.

    While it equals the one in the seal, the plan is the same without composing it.
    """
    own = f"conf/table/{evidence.name}.yaml"
    shared = ("conf/compare.yaml", "conf/player/*.yaml", "conf/rules/*.yaml", "conf/match/*.yaml")
    state = hashlib.sha256()
    for path in sorted(path for one in (own, *shared) for path in evidence.root.glob(one)):
        state.update(path.relative_to(evidence.root).as_posix().encode() + b"\0")
        state.update(hashlib.sha256(path.read_bytes()).digest() + b"\0")
    asked = repr(sorted(evidence.asked.items())) + (evidence.item.command or "")
    return state.hexdigest()[:16] + asked


def note_plan(evidence: Evidence) -> None:
    """Put the digest of `plan` and the missing games into the seal if the rows follow that plan."""
    seal = archive.read_seal(evidence.rows)
    if seal is None:
        return
    now = plan(evidence)
    known = seal.get("plan") == now and "lacking" in seal
    if not known and not _other_plan(evidence):
        lacking = count_lacking(evidence)
        archive.write_seal(evidence.rows, {**seal, "plan": now, "lacking": lacking})


def count_lacking(evidence: Evidence) -> int:
    """Return how many games of today's plan the rows of ``evidence`` lack, 0 if it is no table."""
    if not isinstance(evidence.table, Table):
        return 0
    wanted: dict[tuple[Path, str], int] = {}  # equal cells share their games
    for cell in _cells(evidence, evidence.table):
        key = cell.folder, cell.name
        wanted[key] = max(cell.games, wanted.get(key, 0))
    held = {folder: archive.count_games(folder) for folder in {folder for folder, _ in wanted}}
    return sum(max(0, games - held[at].get(name, 0)) for (at, name), games in wanted.items())


def _cells(evidence: Evidence, table: Table) -> list[PlannedCell]:
    from experiments.tables.cells import cells_of

    return cells_of(table, evidence.rows.parent, **evidence.asked)


def _other_plan(evidence: Evidence) -> str:
    """Return how the plan of the rows differs from today's."""
    from experiments.runs import runfolder

    table = evidence.table
    if table is None:
        played = read_json(evidence.rows / SUMMARY)["run"]["command"]
        same = (evidence.command, f"python -m experiments.{evidence.item.played}")
        return "" if played in same else f"its command was {played}"
    if isinstance(table, Computed):
        return ""
    cells = _cells(evidence, table)
    if isinstance(table, Ablation):
        known = {cell.folder for cell in cells}
        left = [path.parent for path in evidence.rows.glob(f"*/{MATCHES_FILE}")]
        orphans = [folder.name for folder in left if folder not in known]
        return f"{orphans[0]} is no longer one of its cells" if orphans else ""
    try:
        runfolder.examine(evidence.rows, [cell.match for cell in cells], "games")
    except Refusal as fault:
        return str(fault).partition(": ")[2].rpartition(": ")[0]
    return ""
