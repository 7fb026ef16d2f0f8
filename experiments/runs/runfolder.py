"""Read the folder of a run: its plan, its provenance, and the winners of its games."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.matches import part_files, results
from experiments.matches.row_provenance import MATCHES_FILE, RUN, new_run
from experiments.matches.schedule import Match, Seating
from experiments.provenance import provenance
from experiments.provenance.files import read_json, reading, write_json
from experiments.run import UNKNOWN, Run, writing_run
from experiments.settings import presets
from experiments.settings.commandline import Refusal

PARTS = "games-*.parquet"
"""Pattern of the parts of games, which also identify a run."""


def open_folder(folder: Path) -> Run:
    """Return the run of matches in ``folder``."""
    return Run(folder, MATCHES_FILE, (PARTS,))


def examine(folder: Path, matches: Sequence[Match], stop: str) -> bool:
    """Return whether ``folder`` already holds this plan; write nothing to it.

    ``stop``: the stopping rule as in the configuration.  Raises Refusal if the folder cannot be
    written to, or holds another plan or another kind of run.
    """
    run = open_folder(folder)
    before = run.load_plan(_read_plan)
    if before is not None:
        plan = _plan(matches, stop)
        run.check_same(*map(_complete, ({key: before.get(key) for key in plan}, plan)))
        return True
    with writing_run(folder):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    return False


def claim(folder: Path, matches: Sequence[Match], stop: str) -> None:
    """Write the plan to ``folder`` unless it already holds it.

    Parameters and errors as `examine`.  If two processes begin at the same time, the second finds
    the first one's plan.
    """

    def write() -> None:
        begun = {RUN: new_run(), **_plan(matches, stop), **provenance.origin()}
        write_json(folder, begun, MATCHES_FILE)

    open_folder(folder).write_plan(lambda: examine(folder, matches, stop), write)


def _plan(matches: Sequence[Match], stop: str) -> dict[str, Any]:
    return {"stop": stop, "matches": [json.loads(json.dumps(asdict(match))) for match in matches]}


def _complete(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``plan`` with defaults for the settings added since it was written."""
    from sim.rules import Rules  # imported only to read a run

    usual = asdict(Rules())
    matches = [
        {
            "beliefs": False,
            **match,
            "rules": {**usual, **match["rules"]},
            "entrants": [presets.complete(player) for player in match["entrants"]],
        }
        for match in plan["matches"]
    ]
    return {**plan, "matches": matches}


def read_matches(folder: Path, completed: bool = False) -> list[Match]:
    """Return the matches of the run in ``folder``; Refusal if it is not a run folder.

    ``completed``: whether to fill in defaults of settings added since, so that it can be played.
    """
    held = _read_config(folder)
    return [
        Match(
            **{
                **match,
                "entrants": tuple(match["entrants"]),
                "details": tuple(match["details"]),
                "seating": Seating(
                    tuple(map(tuple, match["seating"]["line_ups"])),
                    tuple(match["seating"]["shifts"]),
                ),
            }
        )
        for match in (_complete(held) if completed else held)["matches"]
    ]


def about(folder: Path) -> dict[str, Any]:
    """Return command, versions, commit and machine at the start of the run in ``folder``."""
    held = _read_config(folder)
    return {key: held.get(key) for key in ("command", "versions", "commit", "machine", "stop")}


def load(folder: Path) -> results.Results:
    """Return the winners of the counted games of the run in ``folder``.

    Raises Refusal if it is not a run folder, or one of its files is malformed.
    """
    from experiments.matches.details import KINDS  # imports beliefs, which takes a second

    found = tallies(folder)
    matches = {match.name: match for match in found.matches}
    for kind, schema in KINDS.items():
        for group in part_files.together(part_files.parts(folder, kind)):
            part_files.read_checked(group, schema, matches, kind)
    return found


def tallies(folder: Path) -> results.Results:
    """Return the same as `load` without checking rows of details; errors as there."""
    found = results.Results.resume(folder, read_matches(folder), alone=True)
    ends = results.stops(folder)
    for match, tally in found.pairs():
        if match.name in ends:
            tally.cut(ends[match.name])
    return found


def _read_config(folder: Path) -> dict[str, Any]:
    path = Path(folder) / MATCHES_FILE
    if not path.exists():
        raise Refusal(f"{folder} holds no {MATCHES_FILE}: give the folder of a run")
    with reading(path, UNKNOWN):
        return _read_plan(path)


def _read_plan(path: Path) -> dict[str, Any]:
    from experiments.matches.run_schemas import check  # imported only to read a run

    return check("matches", read_json(path))


def labels(folders: Sequence[Path]) -> list[str]:
    """Return a name for each of ``folders``: as many trailing parts as distinguish them."""
    parts = [Path(os.path.realpath(folder)).parts for folder in folders]
    for last in range(1, max(map(len, parts)) + 1):
        named = ["/".join(path_parts[-last:]) for path_parts in parts]
        if len(set(named)) == len(named):
            return named
    raise ValueError("a folder is given twice")
