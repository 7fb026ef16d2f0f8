"""Recorded games and runs below a folder, the only files that can be opened.

Their names are digests of their paths below the folder, so no path from a browser is ever opened.
Links, which may lead elsewhere, are excluded, as are pipes and the like, which may block forever.
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
from itertools import starmap
from pathlib import Path
from typing import Any

from experiments.matches.part_files import GAMES
from experiments.matches.results import RECORDS, STOPS
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import CONFIG, SUMMARY
from experiments.texts import printable
from sim.records.record import FORMAT

MOST = 500
"""Maximum number of listed records, and runs, newest first."""

DEEPEST = 6
"""Depth of the search, in folders."""

FRESH = 180.0
"""Seconds after the last write during which an unfinished run counts as under way; a run writes
once a minute, unless a single game takes longer."""

_COPIES = "mlartifacts"
"""The folder in which MLflow keeps copies of the output of runs."""

_SUMMARY_BYTES = 16 * 2**20
_HEAD = 65_536


Reader = Callable[[Path], dict[str, Any]]
"""Returns the description of a file, for JSON."""


@dataclass(frozen=True)
class Thing:
    """A record or a run, in a file or a folder."""

    name: str  # digest of its path
    path: Path
    about: dict[str, Any]  # for JSON


def stage_of(folder: Path) -> tuple[str, int]:
    """Return the stage of the run in ``folder``, and its last write in nanoseconds.

    The stage is "finished", "under way", or "silent" for an unfinished run without recent writes.
    """
    found: dict[str, int] = {}
    with suppress(OSError):  # the folder may be gone
        dated = ((path.name, _date(path)) for path in folder.iterdir())
        found = {name: at for name, at in dated if at is not None}
    last = max(found.values(), default=0)
    if found.get(SUMMARY, -1) >= found.get(CONFIG, 0):
        return "finished", last
    lately = time.time_ns() - last < FRESH * 1e9
    return "under way" if lately and CONFIG in found else "silent", last


class Library:
    """Records and runs below ``folder``; each call searches again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def records(self) -> list[Thing]:
        """Return the recorded games."""
        return self._list(_header)

    def runs(self) -> list[Thing]:
        """Return the runs with figures."""
        return self._list(_figures)

    def under_way(self) -> list[Thing]:
        """Return the runs under way."""
        return [thing for thing in self._list(_plan) if stage_of(thing.path)[0] == "under way"]

    def record(self, name: str) -> Path:
        """Return the file of the record ``name``; KeyError if it is unknown."""
        return self._find(name, _header)

    def run(self, name: str) -> Path:
        """Return the folder of the run ``name``, under way or not; KeyError if it is unknown.

        All files of the folder are regular: no links, no pipes.
        """
        folder = self._find(name, _figures, _plan)
        read = (MATCHES_FILE, SUMMARY, CONFIG, STOPS, f"{GAMES}-*")
        if not all(map(is_regular, (path for each in read for path in folder.glob(each)))):
            raise KeyError(name)
        return folder

    def name_of(self, path: Path) -> str | None:
        """Return the name of the record in the file ``path``; None if it must not be opened."""
        root = self._folder.resolve()
        if not is_regular(path) or not path.resolve().is_relative_to(root):
            return None
        return self._name(self._folder / path.resolve().relative_to(root))

    def place(self, path: Path) -> str:
        """Return the path of ``path`` below the folder, for display."""
        return printable(path.relative_to(self._folder).as_posix())

    def _list(self, kind: Reader) -> list[Thing]:
        dated = sorted(self._files(kind), reverse=True)
        return list(filter(None, starmap(self._describe, dated[: 2 * MOST])))[:MOST]

    def _find(self, name: str, *kinds: Reader) -> Path:
        for at, path in self._files(*kinds):
            if self._name(path) == name and (thing := self._describe(at, path)):
                return thing.path
        raise KeyError(name)

    def _name(self, path: Path) -> str:
        place = os.fsencode(_get_opened(path).relative_to(self._folder))
        return hashlib.sha256(place).hexdigest()[:16]

    def _files(self, *kinds: Reader) -> Iterator[tuple[int, Path]]:
        """Yield times of change and paths of regular files of ``kinds``; follow no links."""
        for folder, below, names in os.walk(self._folder):
            if len(Path(folder).relative_to(self._folder).parts) >= DEEPEST:
                below.clear()
            below[:] = [name for name in below if name != _COPIES]
            for path in (Path(folder, name) for name in names if not name.startswith(".")):
                if _reader(path) in kinds and (at := _date(path)) is not None:
                    yield at, path

    def _describe(self, at: int, path: Path) -> Thing | None:
        """Return the record or run of a file changed at time ``at``; None if it is neither."""
        about = _read(path, at)
        if about is None:
            return None
        opened = _get_opened(path)
        return Thing(self._name(path), opened, {"name": self.place(opened), **about})


def is_regular(path: Path) -> bool:
    """Return whether ``path`` is a file and not a link."""
    return _date(path) is not None


def _date(path: Path) -> int | None:
    """Return the time of change of a regular file; None otherwise."""
    with suppress(OSError):
        found = path.lstat()
        return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else None
    return None


def _reader(path: Path) -> Reader | None:
    """Return the reader for a file by its name: of records, figures, plans, or None."""
    if path.suffix == ".jsonl" and path.parent.name == RECORDS:
        return _header
    return {SUMMARY: _figures, MATCHES_FILE: _plan}.get(path.name)


def _get_opened(path: Path) -> Path:
    """Return what a link opens: a record, or the folder of a run."""
    return path if _reader(path) is _header else path.parent


@lru_cache(8 * MOST)
def _read(path: Path, _: int) -> dict[str, Any] | None:
    """Return the description of a file; None if it is neither record nor summary."""
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
    """Return the rates of a run: games, wins and interval by match and player."""
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
    """Return rules, seats and number from a record's first line, and the end from its last."""
    with path.open("rb") as file:
        header = json.loads(file.readline(_HEAD))
        file.seek(max(0, path.stat().st_size - _HEAD))
        last = file.read(_HEAD).splitlines()[-1:]
    if header["format"] != FORMAT:
        raise ValueError("no record")
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
