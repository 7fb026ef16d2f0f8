"""Thinking times of people by kind of decision, from the records of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.matches.results import RECORDS
from experiments.report import pictures
from experiments.report.page import Block, Picture
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate
from experiments.tabular import Table, count, mean, words
from sim.records.record import RecordError, read

Thinking = Mapping[tuple[str, str], Sequence[float]]
"""Seconds, by person and kind of decision."""

_KINDS = {
    **dict.fromkeys(("move", "walk", "stay", "passage"), "move"),
    "suggestion": "suggest",
    "show": "show a card",
    "accusation": "accuse",
    "pass": "end the turn",
}
"""A person's decision, by the event that it led to."""

_MARK = b'"event":"thought"'


def read_thinking(folder: Path) -> Thinking:
    """Return the seconds in the records of the run in ``folder``; empty without people.

    Raises Refusal if a record with thinking times is invalid.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for path in sorted((folder / RECORDS).rglob("*.jsonl")):
        try:
            if not path.is_file() or _MARK not in path.read_bytes():
                continue
            record = read(path)
            for event in record.events:
                if event["event"] == "thought":
                    label = str(record.seats[event["by"]]["label"])
                    kind = _KINDS[event["kind"]]
                    found.setdefault((label, kind), []).append(float(event["seconds"]))
        except (OSError, RecordError, LookupError, TypeError, ValueError) as fault:
            raise Refusal(f"{path}: {fault}; remove it to report without it") from None
    return found


def thinking(runs: Sequence[Thinking], prefix: str) -> Iterator[Block]:
    """Yield a table and pictures of median and quartiles; nothing without people."""
    pooled: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        for who, seconds in run.items():
            pooled.setdefault(who, []).extend(seconds)
    if not pooled:
        return
    kinds = [kind for kind in dict.fromkeys(_KINDS.values()) if any(kind == k for _, k in pooled)]
    lines = {
        (person, kind): Estimate(*np.quantile(seconds, (0.5, 0.25, 0.75)).tolist())
        for (person, kind), seconds in sorted(pooled.items())
    }
    yield Table(
        "Seconds to a decision",
        (
            "",
            words("to"),
            count("decisions"),
            *map(mean, ("lower quartile", "median", "upper quartile")),
        ),
        [
            [person, kind, len(pooled[person, kind]), time.low, time.value, time.high]
            for (person, kind), time in sorted(lines.items(), key=lambda one: _rank(kinds, one[0]))
        ],
        [
            "From the question to the answer, including all that keeps a person from "
            "answering; without questions that a server asked again after its start."
        ],
    )
    for at, kind in enumerate(kinds):
        times = {person: time for (person, which), time in lines.items() if which == kind}
        listed = "; ".join(f"{name} {time.value:.1f}" for name, time in times.items())
        label, axis = f"Median seconds to {kind}: {listed}.", "seconds: median and quartiles"
        drawn = pictures.draw_ranking(times, axis, label, f"{prefix}{at}", left=0)
        yield Picture(f"Seconds to {kind}", drawn)


def _rank(kinds: Sequence[str], line: tuple[str, str]) -> tuple[str, int]:
    return line[0], kinds.index(line[1])
