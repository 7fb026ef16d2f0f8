"""Columns that say where a row comes from, so that rows of many runs can lie in one table.

Two points of a sweep are both *swift against 3 heuristic*; their rows differ in the columns `KEYS`.
They are added when a part is written (a word that is the same in all rows costs a file some bytes,
not each row), are not needed to read a run folder, and are missing in those of older versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.matches.schedule import Match, label
from experiments.provenance import provenance
from experiments.provenance.files import read_json, reading
from experiments.texts import redact

MATCHES_FILE = "matches.json"
"""File in a run folder with the matches, the rule by which they end, and where the run is from."""

RUN = "run"
"""Key in that file of the name that no other run has."""

KEYS = pa.schema(
    [
        ("run", pa.string()),  # `RUN`
        ("seed", pa.int64()),  # of the match: with `game` it names deal and dice
        ("commit", pa.string()),  # of the code that played the game; null if it is in no checkout
        ("player_digest", pa.string()),  # of the settings of who sits here, whatever it is called
    ]
)
"""The columns."""

_DIGITS = 16


def new_run() -> str:
    """Return a name that no other run has."""
    return uuid4().hex


def run_of(folder: Path) -> str | None:
    """Return the name of the run in ``folder``, None if nothing says what is played there.

    A run that was begun by an older version has none; it gets a digest of what it wrote down.
    Raises Refusal if the file that says it cannot be read.
    """
    path = Path(folder) / MATCHES_FILE
    if not path.exists():
        return None
    with reading(path, "without it nobody knows what was played there; choose another folder"):
        held = read_json(path)
    return held.get(RUN) or _digest(held)


_NAMES = ("label", "_target_")
"""Keys of a player that do not change how it plays."""


def player_digest(entrant: Mapping[str, Any]) -> str:
    """Return a digest of the settings of ``entrant``, whatever its label."""
    return _digest(redact({key: value for key, value in entrant.items() if key not in _NAMES}))


def _digest(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


class RowProvenance:
    """Values of `KEYS` for the rows of the run in ``folder``.

    ``folder``: which says by now what is played; ``matches``: of which the rows are.
    """

    def __init__(self, folder: Path, matches: Sequence[Match]) -> None:
        self._run, self._commit = run_of(folder), provenance.commit()
        self._names = pa.array([match.name for match in matches], pa.string())
        self._seeds = pa.array([match.seed for match in matches], pa.int64())
        labels = {label(player) for match in matches for player in match.entrants}
        self._labels = pa.array(sorted(labels), pa.string())
        digests = [
            {label(player): player_digest(player) for player in match.entrants} for match in matches
        ]
        self._digests = pa.array(
            [of.get(name) for of in digests for name in sorted(labels)], pa.string()
        ).dictionary_encode()

    def add(self, rows: pa.Table) -> pa.Table:
        """Return ``rows``, which have the columns ``match`` and ``player``, with `KEYS` behind."""
        match = pc.index_in(rows["match"].cast(pa.string()), self._names).combine_chunks()
        player = pc.index_in(rows["player"].cast(pa.string()), self._labels).combine_chunks()
        who = pc.add(pc.multiply(match, len(self._labels)), player)
        columns = (
            _repeat(self._run, rows.num_rows),
            self._seeds.take(match),
            _repeat(self._commit, rows.num_rows),
            self._digests.take(who),
        )
        for name, column in zip(KEYS.names, columns, strict=True):
            rows = rows.append_column(name, column)
        return rows


def _repeat(word: str | None, rows: int) -> pa.Array:
    if word is None:
        return pa.nulls(rows, pa.string())
    return pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array([word]))
