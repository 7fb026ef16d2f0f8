"""A run that is looked at again and again: each of its parts is read once."""

from __future__ import annotations

import copy
import threading
from pathlib import Path

from experiments.matches.part_files import look, parts, span_of
from experiments.matches.results import Results
from experiments.runs import runfolder


class Followed:
    """The winners of the games of the run in ``folder``, by what is there at each look."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[int, int]] = {}
        self._played: Results | None = None
        self._looking = threading.Lock()

    def tallies(self) -> Results:
        """Return what `experiments.runs.runfolder.tallies` returns; errors as there."""
        with self._looking:
            return look(self._folder, self._look)

    def _look(self) -> Results:
        matches = runfolder.read_matches(self._folder)
        found = {part: _date(part) for part in parts(self._folder)}
        new = self._find_new(found)
        if self._played is None or self._played.matches != matches or new is None:
            self._played, new = Results(self._folder, matches), list(found)
        played, self._played = self._played, None  # until all is right
        played.take_in(new)
        self._played, self._known = played, found
        return runfolder.cut(copy.deepcopy(played))

    def _find_new(self, found: dict[Path, tuple[int, int]]) -> list[Path] | None:
        """Return the parts that have not been read; None if others have changed since.

        What was read may be gone, if it was merged into a part that ends where something was read.
        """
        reach = max((span_of(part)[1] for part in self._known), default=-1)
        new = [part for part in found if part not in self._known]
        gone = [span_of(part) for part, date in self._known.items() if found.get(part) != date]
        merged = [span_of(part) for part in new if span_of(part)[0] <= reach]
        for first, last in gone:
            if not any(begin <= first and last <= end <= reach for begin, end in merged):
                return None
        for begin, end in merged:
            if not any(begin <= first and last <= end for first, last in gone):
                return None
        return [part for part in new if span_of(part)[0] > reach]


def _date(part: Path) -> tuple[int, int]:
    found = part.stat()
    return found.st_mtime_ns, found.st_size
