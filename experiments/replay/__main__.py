"""Show a game record as a transcript, with each seat's knowledge of the envelope by turn.

    python -m experiments.replay FILE seat=1 turns=3:8

Every line of the record is first checked against the rules; `sim.records.record` documents its
format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from omegaconf import MISSING, DictConfig

from experiments.settings.command import Command
from experiments.settings.commandline import Refusal
from experiments.settings.limits import place

if TYPE_CHECKING:
    from rich.console import Console

    from sim.records.record import Record

UNKNOWN = "?"
"""Replaces an entropy that could not be computed."""


@dataclass
class Replay:
    """The schema of the configuration."""

    record: str = place()
    seat: int | None = MISSING
    turns: str | None = MISSING
    quiet: bool = MISSING


def job(settings: DictConfig, _: Path) -> None:
    """Show the requested turns; raises `Refusal` as `show`."""
    span = (0, None) if settings.turns is None else _span(settings.turns)
    show(Path(settings.record), settings.seat, span, settings.quiet)


def _span(text: str) -> tuple[int, int | None]:
    """Return first and last turn of ``A:B``; None for no last."""
    match = re.fullmatch(r"(\d{0,9})(:?)(\d{0,9})", text, re.ASCII)
    if not match or not (match[1] or match[3]):
        raise Refusal(f"turns={text}: not a span of turns; write it like 3:8")
    first = int(match[1] or 0)
    last = int(match[3]) if match[3] else None if match[2] else first
    if last is not None and last < first:
        raise Refusal(f"turns={text}: it ends before it begins; write the earlier turn first")
    return first, last


def show(file: Path, seat: int | None, turns: tuple[int, int | None], quiet: bool = False) -> None:
    """Check the record in ``file`` and print its transcript.

    ``seat``: show only the knowledge of this seat; None for all; ``turns``: first and last turn to
    show, None for the end of the game; ``quiet``: print nothing.  Raises Refusal if the file cannot
    be read, violates the rules, or has no such seat or turn.
    """
    from sim.records.record import RecordError, read

    try:
        record = read(file)
        if seat is not None and not 0 <= seat < record.rules.players:
            raise Refusal(f"seat={seat}: the game has seats 0 to {record.rules.players - 1}")
        played = list(_turns(record, seat, (0, -1) if quiet else turns))
    except OSError as fault:
        raise Refusal(f"{file}: {fault.strerror}; run.records=1 writes a record") from None
    except RecordError as fault:
        raise Refusal(f"{file} line {fault.line}: {fault.reason}") from None
    if quiet:
        return
    if not played:
        raise Refusal(f"turns={turns[0]}: the game ends with turn {record.end['turns']}")
    from experiments import terminal

    _print(record, seat, played, terminal.console())


class _Turn(NamedTuple):
    """A row of the transcript: the turn's number and seat, its events, bits of each seat."""

    number: int
    seat: int | None
    lines: list[str]
    bits: list[str]


def _seats(record: Record, seat: int | None) -> list[int]:
    """Return the seats whose knowledge to show."""
    return list(range(record.rules.players)) if seat is None else [seat]


def _turns(record: Record, seat: int | None, span: tuple[int, int | None]) -> Iterator[_Turn]:
    """Replay the whole record and yield the turns in ``span``, as known to ``seat`` or to all."""
    from experiments.matches.details import EnvelopeEntropies
    from sim.records.record import knows
    from sim.records.replay import states
    from sim.state import OVER
    from sim.words import event_to_string

    entropies = EnvelopeEntropies()
    first, last = span
    lines: dict[int, list[str]] = {}
    for events, state in states(record):
        turn = events[0]["turn"]
        for event in events:
            if seat is None or knows(event, seat):
                lines.setdefault(event["turn"], []).append(event_to_string(event))
        done = state[0].phase == OVER or state[0].turn > turn
        if done and first <= turn and (last is None or turn <= last):
            known = [entropies.of(state[0].evidence[one]) for one in _seats(record, seat)]
            bits = [UNKNOWN if one is None else f"{one:.2f}" for one in known]
            yield _Turn(turn, events[0]["seat"] if turn else None, lines.get(turn, []), bits)


def _print(record: Record, seat: int | None, played: list[_Turn], console: Console) -> None:
    from rich.table import Table

    rules = record.rules
    # Seed and number, which no seat knows, determine deal and dice.
    which = "" if seat is not None else f", game {record.game} of seed {record.seed}"
    title = f"{rules.name}, {rules.players} players{which}"
    for number, (suspect, player) in enumerate(zip(rules.suspects, record.seats, strict=True)):
        console.print(f"seat {number} ({suspect}): {player['label']}", soft_wrap=True)
    table = Table(title=title, caption="bits: entropy of the envelope, at the end of the turn")
    bits = [f"bits {number}" for number in _seats(record, seat)]
    for head in ("turn", "seat", "what happened", *bits):
        table.add_column(head, justify="left" if head == "what happened" else "right")
    for turn in played:
        between = "; " if turn.number else "\n"
        seated = "" if turn.seat is None else str(turn.seat)
        table.add_row(str(turn.number), seated, between.join(turn.lines), *turn.bits)
    console.print(table)


COMMAND = Command("replay", Replay, job, bare="record", multirun=False)
main = COMMAND.main

if __name__ == "__main__":
    main()
