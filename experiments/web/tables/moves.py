"""Moves of a table on disk: a line of JSON per decision, written before it is shown.

A line that a killed server or a full disk left unfinished was never shown, and is dropped.  The
moves lead to the same game again: deal and dice follow from its number, compiled players decide as
they did, and for the others the line holds their choice.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

MOVES = "moves.jsonl"
"""The file, in the folder of a table."""


@dataclass(frozen=True)
class Move:
    """A decision, or that a person has shown its only matching card.

    Attributes
    ----------
    seat : of the player that decided
    action : of `sim.state`; None where a card was shown without a choice
    decisions, simulations, search_seconds : spent on searches by the player by then
    thought : seconds that a person took; None for players, and where that is unknown
    """

    seat: int
    action: int | None
    decisions: int = 0
    simulations: int = 0
    search_seconds: float = 0.0
    thought: float | None = None


class Moves:
    """The moves of a table in the file ``path``, which is made if missing.

    Attributes ``recorded``: moves that were in the file; ``resumed``: whether there was such a
    file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; raises OSError, or ValueError if it is something else."""
        self.recorded: list[Move] = []
        whole, self.resumed = 0, path.exists()
        if self.resumed:
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            for line in content[:whole].splitlines():
                try:
                    self.recorded.append(Move(**json.loads(line)))
                except (TypeError, ValueError):
                    raise ValueError(f"{path}: not the moves of a table") from None
        self._file, self._whole = path.open("ab", buffering=0), whole
        self._cut()

    def append(self, move: Move, lasting: bool) -> None:
        """Write ``move``; it survives the end of this process, if ``lasting`` of the machine.

        Raises OSError if it cannot be written; then nothing of it is in the file.
        """
        self._cut()  # remains of an earlier error, if they could not be removed then
        line = json.dumps(asdict(move)).encode() + b"\n"
        try:
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) :]
            if lasting:
                os.fsync(self._file.fileno())
        except OSError:
            with suppress(OSError):
                self._cut()
            raise
        self._whole += len(line)

    def _cut(self) -> None:
        """Drop all behind the last whole line."""
        if self._file.seek(0, os.SEEK_END) != self._whole:
            self._file.truncate(self._whole)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
