"""The folder of a run: what it plays is written down first, and must not change afterwards."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.matches import part_files, results
from experiments.matches.match_loop import LOCK, being_played
from experiments.matches.origins import MATCHES_FILE, RUN, new_run
from experiments.matches.schedule import Match, Seating
from experiments.provenance import provenance
from experiments.provenance.files import WRITING, own, read_json, reading, write_json
from experiments.settings.commandline import Refusal

_ABSENT = "nothing"

_CLAIM_SECONDS = 2.0
"""Longest wait for another that takes the same folder; who plays there holds it for longer."""


def examine(folder: Path, matches: Sequence[Match], stop: str, resume: bool) -> bool:
    """Return whether ``folder`` holds this plan already; leave nothing in it.

    Parameters
    ----------
    stop : the rule by which matches end, as in the configuration
    resume : whether games of the same plan may be there already

    Raises
    ------
    Refusal
        If it cannot be written to, holds another plan, or must not be gone on with.
    """
    if (folder / MATCHES_FILE).exists() or any(folder.glob("games-*.parquet")):
        if not resume:
            raise refuse_taken(folder)
        own(folder)
        held, plan = _read_config(folder), _plan(matches, stop)
        check_same(folder, *map(_complete, ({key: held.get(key) for key in plan}, plan)))
        return True
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise unwritable(folder, fault) from None
    return False


def claim(folder: Path, matches: Sequence[Match], stop: str, resume: bool) -> None:
    """Write down in ``folder`` what is to be played, unless it holds just that.

    Parameters and errors as `examine`, and a refusal if another process plays there.  Of two that
    begin in the same second one finds what the other has written.
    """
    if (folder / MATCHES_FILE).exists():  # so that nothing is to be written
        examine(folder, matches, stop, resume)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / LOCK, timeout=_CLAIM_SECONDS):
            if not examine(folder, matches, stop, resume):
                plan = _plan(matches, stop)
                begun = {RUN: new_run(), **plan, **provenance.origin()}
                write_json(folder, begun, MATCHES_FILE)
    except Timeout:
        raise being_played(folder) from None
    except OSError as fault:
        raise unwritable(folder, fault) from None


def _plan(matches: Sequence[Match], stop: str) -> dict[str, Any]:
    return {"stop": stop, "matches": [json.loads(json.dumps(asdict(match))) for match in matches]}


def _complete(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``plan`` with the default of every setting that is younger than it."""
    from sim.rules import Rules  # not before there is something to be read

    usual = asdict(Rules())
    matches = [
        {"beliefs": False, **match, "rules": {**usual, **match["rules"]}}
        for match in plan["matches"]
    ]
    return {**plan, "matches": matches}


def refuse_foreign(folder: Path, *marks: str) -> None:
    """Refuse to begin a run in ``folder``, named by run.resume, if something else is there.

    Parameters
    ----------
    marks : patterns of the files by which a run is known

    Raises
    ------
    Refusal
        If it holds files, and none of a run.
    """
    try:
        there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    except OSError as fault:
        raise unwritable(folder, fault) from None
    others = [name for name in there if name != LOCK and not name.endswith(WRITING)]
    if others and not any(fnmatch(name, mark) for name in there for mark in marks):
        raise Refusal(
            f"run.resume={folder}: it holds {others[0]} and no run to go on with; give the folder "
            "of a run, or one that is empty or missing"
        )


def refuse_taken(folder: Path) -> Refusal:
    """Return what to say of a folder that holds a run nobody asked to go on with."""
    return Refusal(
        f"{folder} holds the results of another run: choose another run.folder, or go on "
        f"with it by run.resume={folder}"
    )


def check_same(folder: Path, held: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Refuse to go on in ``folder`` with other settings than it ``held``."""
    differ = list(differences(held, asked))
    if differ:
        more = f" and {len(differ) - 3} more" if len(differ) > 3 else ""
        raise Refusal(
            f"{folder} was played with other settings: {'; '.join(differ[:3])}{more}: "
            "give those, or choose another folder"
        )


def unwritable(folder: Path, fault: OSError) -> Refusal:
    """Return what to say of a run folder that cannot be written to."""
    return Refusal(f"cannot write to the run folder: {folder}: {fault.strerror}; set run.folder")


def read_matches(folder: Path) -> list[Match]:
    """Return the matches of the run in ``folder``.

    Raises
    ------
    Refusal
        If it is no run folder.
    """
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
        for match in _read_config(folder)["matches"]
    ]


def about(folder: Path) -> dict[str, Any]:
    """Return command, versions, commit and machine with which the run in ``folder`` began."""
    held = _read_config(folder)
    return {key: held.get(key) for key in ("command", "versions", "commit", "machine", "stop")}


def load(folder: Path) -> results.Results:
    """Return who won which game of the run in ``folder``, of those that count.

    Raises
    ------
    Refusal
        If it is no run folder, or a file of it is not what a run writes.
    """
    from experiments.matches.details import KINDS  # which knows beliefs, and they take a second

    found = tallies(folder)
    matches = {match.name: match for match in found.matches}
    for kind, schema in KINDS.items():
        for part in part_files.parts(folder, kind):
            part_files.check_rows(part, part_files.read(part, schema), matches, kind)
    return found


def tallies(folder: Path) -> results.Results:
    """Return what `load` returns, without a look at rows of details; errors as there."""
    found = results.Results.resume(folder, read_matches(folder), alone=True)
    ends = results.stops(folder)
    for match, tally in zip(found.matches, found.tallies, strict=True):
        if match.name in ends:
            tally.cut(ends[match.name])
    return found


def _read_config(folder: Path) -> dict[str, Any]:
    from experiments.matches.held import check  # not before there is something to be read

    path = Path(folder) / MATCHES_FILE
    if not path.exists():
        raise Refusal(f"{folder} holds no {MATCHES_FILE}: give the folder of a run")
    advice = "without it nobody knows what was played there; choose another folder"
    with reading(path, advice):
        return check("matches", read_json(path))


def differences(held: Any, asked: Any, path: str = "") -> Iterator[str]:
    """Yield where two nested values differ, as ``path: held there, asked now``."""
    if isinstance(held, Mapping) and isinstance(asked, Mapping):
        for key in {**held, **asked}:
            if key == "_target_":  # where the code of a player stands is no setting of a run
                continue
            below = f"{path}.{key}".lstrip(".")
            yield from differences(held.get(key, _ABSENT), asked.get(key, _ABSENT), below)
    elif isinstance(held, list) and isinstance(asked, list) and len(held) == len(asked):
        for number, pair in enumerate(zip(held, asked, strict=True)):
            yield from differences(*pair, f"{path}.{number}")
    elif held != asked:
        yield f"{path} was {_short(held)} there and is {_short(asked)} now"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def labels(folders: Sequence[Path]) -> list[str]:
    """Return a name for each of ``folders``: as many of their last parts as tell them apart."""
    parts = [Path(os.path.realpath(folder)).parts for folder in folders]
    for last in range(1, max(map(len, parts)) + 1):
        named = ["/".join(path_parts[-last:]) for path_parts in parts]
        if len(set(named)) == len(named):
            return named
    raise ValueError("a folder is given twice")
