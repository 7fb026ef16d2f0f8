"""Damaged and forged game records: refused in a line, or they replay as what they say.

A forger writes lines as a recorder does and makes the checks again, so that all that is checked
behind them is reached.  Every record goes through what reads it: the replay and the decisions
that `experiments.explain` takes from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import mutate
from judge import Finding, capture, find_fault

from experiments.explain import recorded
from experiments.settings.commandline import Refusal
from sim.player import PolicyPlayer
from sim.records.record import Recorder, RecordError, checksum, line, read
from sim.records.replay import replay, states
from sim.referee import play
from sim.rules import preset


def game(seed: int) -> str:
    """Return the record of a short game."""
    rules = preset("ledford", players=3, turn_cap=9)
    players = [PolicyPlayer("random") for _ in range(3)]
    recorder = Recorder(rules, players, seed, 0)
    play(rules, players, seed, 0, watch=recorder)
    return recorder.text()


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    path, texts = folder / "game.jsonl", [game(some) for some in range(5)]
    for case in range(number):
        random = Random(f"{seed}/{case}")
        text = random.choice(texts)
        content = damage_record(random, text)
        path.write_bytes(content)
        found = find_fault(f"record {case} of seed {seed}", capture(lambda _: _use(path)))
        if found is None and _accepts(path) and not _itself(path):
            found = Finding(f"record {case} of seed {seed}", "it is taken for what it is not")
        yield found


def damage_record(random: Random, text: str) -> bytes:
    """Return a record made of that in ``text``."""
    if random.random() < 0.3:
        return mutate.raw(random, text.encode())
    values = [json.loads(row) for row in text.splitlines()]
    at = random.choice((0, len(values) - 1, random.randrange(len(values))))
    values[at] = mutate.value(random, values[at])
    if random.random() < 0.1:
        values.insert(at, values[random.randrange(len(values))])
    return (
        "\n".join(forge(values) if random.random() < 0.7 else map(line, values)) + "\n"
    ).encode()


def forge(values: list[Any]) -> list[str]:
    """Return the lines of a record whose checks fit what they hold."""
    header, *_, end = values
    if isinstance(header, dict) and "check" in header:
        header["check"] = checksum([line({key: header[key] for key in header if key != "check"})])
    if isinstance(end, dict) and "check" in end:
        end["check"] = checksum(map(line, values[:-1]))
    return [line(value) for value in values]


def _use(path: Path) -> None:
    try:
        list(recorded.decisions(read(path)))
    except RecordError as fault:
        raise Refusal(f"{path} line {fault.line}: {fault.reason}") from None


def _accepts(path: Path) -> bool:
    try:
        replay(read(path))
    except RecordError:
        return False
    return True


def _itself(path: Path) -> bool:
    """Return whether a recorder that watches the actions of a record writes the same lines."""
    record = read(path)
    said = (*record.events, record.end)
    recorder = Recorder(
        record.rules, [PolicyPlayer("random")] * record.rules.players, record.seed, record.game
    )
    at = 0
    for events, state in states(record):
        at += len(events)
        if at < len(said) and "action" not in said[at]:
            return False
        recorder(state[0], said[at]["action"] if at < len(said) else -1)
    again = [json.loads(row) for row in recorder.text().splitlines()[1:]]
    again[-1]["check"] = record.end["check"]  # which is of the header as well
    return list(map(line, again)) == list(map(line, said))
