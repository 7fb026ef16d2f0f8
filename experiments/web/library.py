"""Recorded games and runs below a folder, which can be opened; nothing else can.

They are named by a digest of their place below the folder.  What has no such name is not opened, so
no path that a browser sends ever is; nor are links, which may lead elsewhere, and pipes and the
like, for which one could wait for ever.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from experiments.matches.part_files import GAMES
from experiments.matches.results import RECORDS, STOPS
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import CONFIG, SUMMARY
from experiments.texts import printable
from sim.records.record import FORMAT

MOST = 500
"""Records, and runs, that are listed, the newest first."""

DEEPEST = 6
"""Levels of folders that are searched."""

FRESH = 180.0
"""Seconds after the last writing in which an unfinished run counts as under way; a run that plays
writes once a minute, unless a single game takes longer."""

_COPIES = "mlartifacts"
"""The folder in which MLflow keeps copies of what runs wrote."""

_SUMMARY_BYTES = 16 * 2**20
_HEAD = 65_536


Reader = Callable[[Path], dict[str, Any]]
"""Returns what a file says of itself, for JSON."""


@dataclass(frozen=True)
class Thing:
    """A record or a run, in a file or a folder."""

    name: str  # digest of its place
    path: Path
    about: dict[str, Any]  # for JSON


def stage_of(folder: Path) -> tuple[str, int]:
    """Return how far the run in ``folder`` is, and when it was written to last, in nanoseconds.

    It is "finished", "under way", or "silent" if it has not ended and nothing was written lately.
    """
    found: dict[str, int] = {}
    with suppress(OSError):  # of a folder that is gone by now
        found = {path.name: at for at, path in filter(None, map(_date, folder.iterdir()))}
    last = max(found.values(), default=0)
    if found.get(SUMMARY, -1) >= found.get(CONFIG, 0):
        return "finished", last
    lately = time.time_ns() - last < FRESH * 1e9
    return "under way" if lately and CONFIG in found else "silent", last


class Library:
    """Records and runs below ``folder``; each call searches it again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def records(self) -> list[Thing]:
        """Return the recorded games."""
        return self._list(_header)

    def runs(self) -> list[Thing]:
        """Return the runs that have figures."""
        return self._list(_figures)

    def under_way(self) -> list[Thing]:
        """Return the runs that are being played."""
        return [thing for thing in self._list(_plan) if stage_of(thing.path)[0] == "under way"]

    def record(self, name: str) -> Path:
        """Return the file of the record ``name``; KeyError if it is unknown."""
        return self._find(name, _header)

    def run(self, name: str) -> Path:
        """Return the folder of the run ``name``, under way or not; KeyError if it is unknown.

        Whatever is read in it is a file, no link and no pipe.
        """
        folder = self._find(name, _figures, _plan)
        read = (MATCHES_FILE, SUMMARY, CONFIG, STOPS, f"{GAMES}-*")
        if not all(map(is_regular, (path for each in read for path in folder.glob(each)))):
            raise KeyError(name)
        return folder

    def name_of(self, path: Path | None) -> str | None:
        """Return the name of the record in the file ``path``; None if it is not to be opened."""
        root = self._folder.resolve()
        if path is None or not is_regular(path) or not path.resolve().is_relative_to(root):
            return None
        return self._name(self._folder / path.resolve().relative_to(root))

    def place(self, path: Path) -> str:
        """Return where ``path`` is below the folder, as it is shown."""
        return printable(path.relative_to(self._folder).as_posix())

    def _list(self, kind: Reader) -> list[Thing]:
        fit = (path for path in self._files() if _reader(path) is kind)
        dated = sorted(filter(None, map(_date, fit)), reverse=True)
        return list(filter(None, (self._describe(*found) for found in dated[: 2 * MOST])))[:MOST]

    def _find(self, name: str, *kinds: Reader) -> Path:
        fit = (path for path in self._files() if _reader(path) in kinds)
        named = (path for path in fit if self._name(path) == name)
        for found in filter(None, map(_date, named)):
            if thing := self._describe(*found):
                return thing.path
        raise KeyError(name)

    def _name(self, path: Path) -> str:
        place = os.fsencode(_get_opened(path).relative_to(self._folder))
        return hashlib.sha256(place).hexdigest()[:16]

    def _files(self) -> Iterator[Path]:
        """Yield the files below the folder; links are not followed."""
        for folder, below, names in os.walk(self._folder):
            if len(Path(folder).relative_to(self._folder).parts) >= DEEPEST:
                below.clear()
            below[:] = [name for name in below if name != _COPIES]
            yield from (Path(folder) / name for name in names if not name.startswith("."))

    def _describe(self, at: int, path: Path) -> Thing | None:
        """Return the record or run of a file changed ``at``; None if it is neither."""
        about = _read(path, at)
        if about is None:
            return None
        opened = _get_opened(path)
        return Thing(self._name(path), opened, {"name": self.place(opened), **about})


def is_regular(path: Path) -> bool:
    """Return whether ``path`` is a file, and no link to one."""
    return _date(path) is not None


def _date(path: Path) -> tuple[int, Path] | None:
    """Return time of change and path of a file; None if it is none, or gone by now."""
    with suppress(OSError):
        found = path.lstat()
        return (found.st_mtime_ns, path) if stat.S_ISREG(found.st_mode) else None
    return None


def _reader(path: Path) -> Reader | None:
    """Return what reads a file by its name: that of records, of figures or of plans, or none."""
    if path.suffix == ".jsonl" and path.parent.name == RECORDS:
        return _header
    return {SUMMARY: _figures, MATCHES_FILE: _plan}.get(path.name)


def _get_opened(path: Path) -> Path:
    """Return what is opened: a record, or the folder of a run."""
    return path if _reader(path) is _header else path.parent


@lru_cache(8 * MOST)
def _read(path: Path, _: int) -> dict[str, Any] | None:
    """Return what a file says of itself; None if it is no record and no summary."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        if reader := _reader(path):
            return reader(path)
    return None


def _plan(path: Path) -> dict[str, Any]:
    """Return the names of the matches of a run."""
    with path.open("rb") as file:
        plan = json.loads(file.read(_SUMMARY_BYTES))
    return {"matches": [printable(str(match["name"])) for match in plan["matches"]]}


def _figures(path: Path) -> dict[str, Any]:
    """Return the rates of a run: by match and player games, wins and the interval."""
    with path.open("rb") as file:
        summary = json.loads(file.read(_SUMMARY_BYTES))
    rates = [
        {
            "match": printable(str(line["match"])),
            "player": printable(str(line["player"])),
            "games": int(line["games"]),
            "wins": int(line["wins"]),
            "rate": float(line["win_rate"]),
            "interval": [float(end) for end in line["ci95"]],
        }
        for line in summary["table"]
        if line["games"]
    ]
    return {"rates": rates, "interrupted": bool(summary["interrupted"])}


def _header(path: Path) -> dict[str, Any]:
    """Return rules, seats and number of a record, from its first line; the end from the last."""
    with path.open("rb") as file:
        header = json.loads(file.readline(_HEAD))
        file.seek(max(0, path.stat().st_size - _HEAD))
        last = file.read(_HEAD).splitlines()[-1:]
    if header["format"] != FORMAT:
        raise ValueError("no record")
    seats = [printable(str(seat["label"])) for seat in header["seats"]]
    winner = turns = None
    with suppress(ValueError, LookupError, TypeError):  # of a record that is cut off
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
