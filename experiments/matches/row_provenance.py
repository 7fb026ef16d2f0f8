"""Columns with the provenance of a row, so that rows of many runs can be put in one table.

Two points of a sweep may both be *swift against 3 heuristic*; their rows differ in the columns
`KEYS`.  They are added when a part is written (a constant column costs bytes per file, not per
row), are not needed to read a run folder, and are missing in folders of older versions.
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
"""File in a run folder with the matches, the stopping rule and the run's provenance."""

RUN = "run"
"""Key in that file of the run's unique name."""

KEYS = pa.schema(
    [
        ("run", pa.string()),  # `RUN`
        ("seed", pa.int64()),  # of the match; with `game` it determines deal and dice
        ("commit", pa.string()),  # of the code that played the game; null outside a checkout
        ("player_digest", pa.string()),  # of the player's settings, without its name
    ]
)
"""The columns."""

_DIGITS = 16


def new_run() -> str:
    """Return a unique name for a run."""
    return uuid4().hex


def run_of(folder: Path) -> str | None:
    """Return the name of the run in ``folder``, None if it holds no plan.

    A run begun by an older version has none, and gets a digest of its plan.  Raises Refusal if the
    plan cannot be read.
    """
    path = Path(folder) / MATCHES_FILE
    if not path.exists():
        return None
    with reading(path, "without it the run cannot be identified; choose another folder"):
        held = read_json(path)
    return held.get(RUN) or _digest(held)


_NAMES = ("label", "_target_")
"""Keys of a player that do not change how it plays."""


def player_digest(entrant: Mapping[str, Any]) -> str:
    """Return a digest of the settings of ``entrant``, without its label."""
    return _digest(redact({key: value for key, value in entrant.items() if key not in _NAMES}))


def _digest(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


class RowProvenance:
    """Values of `KEYS` for the rows of the run in ``folder``.

    ``folder``: already holds the plan; ``matches``: of the rows.
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
        """Return ``rows``, which have columns ``match`` and ``player``, with `KEYS` appended."""
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
