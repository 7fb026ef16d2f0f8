"""Recorded games and runs below a folder: what there is to open, and nothing else.

Things are named by a digest of where they lie below the folder.  What has no such name is not
opened, so no path that a browser sends ever is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.matches.results import RECORDS
from experiments.provenance.files import SUMMARY
from experiments.settings.commandline import Refusal
from experiments.texts import printable
from sim.records.record import FORMAT

MOST = 500
"""Things of a kind that are listed, the newest first."""

DEEPEST = 6
"""Levels of folders that are looked through."""

_SUMMARY_BYTES = 16 * 2**20
_HEAD = 65_536


@dataclass(frozen=True)
class Thing:
    """A record or a run.

    Attributes
    ----------
    name : digest of its place
    path : of the file or the folder
    about : for JSON
    """

    name: str
    path: Path
    about: dict[str, Any]


class Library:
    """What lies below ``folder``; looked through again each time it is asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def records(self) -> list[Thing]:
        """Return the recorded games."""
        found = (path for path in self._files() if path.suffix == ".jsonl")
        return self._newest(path for path in found if path.parent.name == RECORDS)

    def runs(self) -> list[Thing]:
        """Return the runs that have come to figures."""
        return self._newest(path for path in self._files() if path.name == SUMMARY)

    def record(self, name: str) -> Path:
        """Return the file of the record called ``name``; KeyError if there is none."""
        return next(self._called(name, self.records()))

    def run(self, name: str) -> Path:
        """Return the folder of the run called ``name``; KeyError if there is none."""
        return next(self._called(name, self.runs()))

    def _called(self, name: str, things: list[Thing]) -> Iterator[Path]:
        yield from (thing.path for thing in things if thing.name == name)
        raise KeyError(name)

    def _files(self) -> Iterator[Path]:
        """Yield the files below the folder; links are not followed."""
        for folder, below, names in os.walk(self._folder):
            if len(Path(folder).relative_to(self._folder).parts) >= DEEPEST:
                below.clear()
            yield from (Path(folder) / name for name in names if not name.startswith("."))

    def _newest(self, paths: Iterator[Path]) -> list[Thing]:
        dated = sorted(
            ((path.lstat().st_mtime, path) for path in paths if not path.is_symlink()),
            reverse=True,
        )
        found = (self._thing(path) for _, path in dated[: 2 * MOST])
        return [thing for thing in found if thing is not None][:MOST]

    def _thing(self, path: Path) -> Thing | None:
        """Return what ``path`` is; None if it is something else than its name says."""
        place = path.relative_to(self._folder).as_posix()
        name = hashlib.sha256(place.encode()).hexdigest()[:16]
        try:
            if path.name == SUMMARY:
                shown = printable(str(Path(place).parent))
                return Thing(name, path.parent, {"name": shown, **_figures(path)})
            return Thing(name, path, {"name": printable(place), **_header(path)})
        except (OSError, ValueError, KeyError, TypeError, Refusal):
            return None


def _figures(path: Path) -> dict[str, Any]:
    """Return the rates of a run: by match and player games, wins and the interval."""
    with path.open("rb") as file:
        held = json.loads(file.read(_SUMMARY_BYTES))
    rates = [
        {
            "match": printable(str(line["match"])),
            "player": printable(str(line["player"])),
            "games": int(line["games"]),
            "wins": int(line["wins"]),
            "rate": float(line["win_rate"]),
            "interval": [float(end) for end in line["ci95"]],
        }
        for line in held["table"]
        if line["games"]
    ]
    return {"rates": rates, "interrupted": bool(held["interrupted"])}


def _header(path: Path) -> dict[str, Any]:
    """Return rules, seats and number of a record, from its first line."""
    with path.open("rb") as file:
        header = json.loads(file.readline(_HEAD))
    if header["format"] != FORMAT:
        raise ValueError("no record")
    return {
        "rules": printable(str(header["rules"]["name"])),
        "game": int(header["game"]),
        "seats": [printable(str(seat["label"])) for seat in header["seats"]],
    }
