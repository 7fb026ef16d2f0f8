"""Recorded games below a folder, the only files that can be opened.

Their names are digests of their paths below the folder, so no path from a browser is ever opened.
Links, which may lead elsewhere, are excluded, as are pipes and the like, which may block forever.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from pathlib import Path
from typing import Any

from experiments.matches.results import RECORDS
from experiments.texts import printable
from sim.records.record import FORMAT

MOST = 500
"""Maximum number of listed records, newest first."""

DEEPEST = 6
"""Depth of the search, in folders."""

_COPIES = "mlartifacts"
"""The folder in which MLflow keeps copies of the output of runs."""

_HEAD = 65_536


@dataclass(frozen=True)
class Recorded:
    """A recorded game."""

    name: str  # digest of its path
    path: Path
    about: dict[str, Any]  # for JSON


class Library:
    """Records below ``folder``; each call searches again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def records(self) -> list[Recorded]:
        """Return the recorded games."""
        dated = sorted(self._files(), reverse=True)
        return list(filter(None, starmap(self._describe, dated[: 2 * MOST])))[:MOST]

    def record(self, name: str) -> Path:
        """Return the file of the record ``name``; KeyError if it is unknown."""
        for at, path in self._files():
            if self._name(path) == name and self._describe(at, path):
                return path
        raise KeyError(name)

    def name_of(self, path: Path) -> str | None:
        """Return the name of the record in the file ``path``; None if it must not be opened."""
        root = self._folder.resolve()
        if not is_regular(path) or not path.resolve().is_relative_to(root):
            return None
        return self._name(self._folder / path.resolve().relative_to(root))

    def _name(self, path: Path) -> str:
        place = os.fsencode(path.relative_to(self._folder))
        return hashlib.sha256(place).hexdigest()[:16]

    def _files(self) -> Iterator[tuple[int, Path]]:
        """Yield times of change and paths of regular files of records; follow no links."""
        for folder, below, names in os.walk(self._folder):
            if len(Path(folder).relative_to(self._folder).parts) >= DEEPEST:
                below.clear()
            below[:] = [name for name in below if name != _COPIES]
            if Path(folder).name != RECORDS:
                continue
            for path in (Path(folder, name) for name in names if not name.startswith(".")):
                if path.suffix == ".jsonl" and (at := _date(path)) is not None:
                    yield at, path

    def _describe(self, at: int, path: Path) -> Recorded | None:
        """Return the record in a file changed at time ``at``; None if it is none."""
        if (about := _read(path, at)) is None:
            return None
        place = printable(path.relative_to(self._folder).as_posix())
        return Recorded(self._name(path), path, {"name": place, **about})


def is_regular(path: Path) -> bool:
    """Return whether ``path`` is a file and not a link."""
    return _date(path) is not None


def _date(path: Path) -> int | None:
    """Return the time of change of a regular file; None otherwise."""
    with suppress(OSError):
        found = path.lstat()
        return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else None
    return None


@lru_cache(8 * MOST)
def _read(path: Path, _: int) -> dict[str, Any] | None:
    """Return rules, seats, number and end of a record by its first line and its last; else None."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        with path.open("rb") as file:
            header = json.loads(file.readline(_HEAD))
            file.seek(max(0, path.stat().st_size - _HEAD))
            last = file.read(_HEAD).splitlines()[-1:]
        if header["format"] != FORMAT:
            return None
        seats = [printable(str(seat["label"])) for seat in header["seats"]]
        winner = turns = None
        with suppress(ValueError, LookupError, TypeError):  # the record may be cut off
            end = json.loads(last[0])
            winner = None if end["winner"] is None else seats[end["winner"]]
            turns = int(end["turns"])
        return {
            "rules": printable(str(header["rules"]["name"])),
            "game": int(header["game"]),
            "seats": seats,
            "winner": winner,
            "turns": turns,
        }
    return None
