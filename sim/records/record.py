"""Game records: every event of a game as a line of JSON, in order, with the seats that know it.

The first line is the header: format, version, all rule switches, seed and game number (which fix
deal and dice), and the seats.  Each further line is an event (`sim.records.events`), the last one
the end.  The ``check`` of header and end is a short SHA-256 of the header and of all lines before
the end.  Missing switches take their defaults, so the default of a new switch must be the former
behaviour; otherwise raise `VERSION`.

    recorder = Recorder(rules, players, seed, game)
    play(rules, players, seed, game, watch=recorder)
    path.write_text(recorder.text())

`sim.records.replay` replays a record.  Records contain the hidden cards, so players must never read
them; `Record.known_to` returns the events known to one seat.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mcts.kernel.errors import SleuthError
from mcts.limits import build
from mcts.options import SEEDS
from sim.player import Player
from sim.policies.registry import Policy, switches_of
from sim.records.events import (
    EVENTS,
    Event,
    describe_action,
    describe_belief,
    ending,
    keys,
    opening,
)
from sim.rules import Rules, world
from sim.state import SHOW, SWITCHES, State, empty

FORMAT = "sleuth game"
VERSION = 1

OUTSIDE = "external"
"""Policy name of seats without a compiled policy."""

MAX_BYTES = 2**28
"""Maximum size of a record; a game of 1,000 turns has a million bytes."""

_HEADER = ("format", "version", "rules", "seed", "game", "seats", "check")

_SWITCHES = (*SWITCHES, "showing")


class RecordError(SleuthError, ValueError):
    """A record is damaged; ``line`` and ``reason`` give place and cause."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class Record:
    """A well-formed game record; `sim.records.replay` checks it against the state machine.

    Attributes
    ----------
    header : the first line
    rules, seed, game : identity of the game
    seats : by seat, ``label``, ``policy`` with its switches or `OUTSIDE`, and ``showing``
    events : all lines between the first and the last, starting with line 2
    end : the last line
    """

    header: dict[str, Any]
    rules: Rules
    seed: int
    game: int
    seats: tuple[dict[str, Any], ...]
    events: tuple[Event, ...]
    end: Event

    def known_to(self, seat: int) -> list[Event]:
        """Return the events that ``seat`` knows, end included."""
        return [event for event in (*self.events, self.end) if knows(event, seat)]

    def beliefs(self, seat: int) -> list[Event]:
        """Return the belief events of ``seat``, in order; empty if the record has none."""
        return [one for one in self.events if one["event"] == "belief" and one["seat"] == seat]


class Recorder:
    """Records a game: pass it to `sim.referee.play` as ``watch``.

    ``rules``, ``seats``, ``seed``, ``game``: as for the referee; ``beliefs``: whether to record
    the beliefs of external seats that report them.
    """

    def __init__(
        self, rules: Rules, seats: Sequence[Player], seed: int, game: int, beliefs: bool = False
    ) -> None:
        self._board = world(rules)[0]
        self._lines = [line(header(rules, seats, seed, game))]
        self._before = empty()
        self._action: int | None = None
        self._seats = seats if beliefs else ()
        self._believed: dict[int, dict[str, Any]] = {}

    def __call__(self, state: State, action: int) -> None:
        """Record the effect of the last action on ``state``, and note the next; -1 ends."""
        if self._action is None:
            events = opening(self._board, state)
        else:
            events = describe_action(self._board, self._before[0], self._action, state)
        self._lines += map(line, events)
        if action < 0:
            self._lines.append(line(ending(state, checksum(self._lines))))
        elif self._seats and state.phase != SHOW:
            self._note_belief(state)
        self._before[0] = state
        self._action = action

    def _note_belief(self, state: State) -> None:
        """Record the belief of the seat to move, if it changed."""
        seat = int(state.seat)
        belief = self._seats[seat].believes()
        if belief is not None and belief != self._believed.get(seat):
            self._believed[seat] = belief
            self._lines.append(line(describe_belief(state, seat, belief)))

    def text(self) -> str:
        """Return the record so far, complete after the game."""
        return "".join(f"{line}\n" for line in self._lines)


def knows(event: Event, seat: int) -> bool:
    """Return whether ``seat`` knows ``event``."""
    return event["known_to"] == "all" or seat in event["known_to"]


def line(value: Mapping[str, Any]) -> str:
    """Return the canonical JSON of ``value``."""
    return json.dumps(value, separators=(",", ":"))


def checksum(lines: Iterable[str]) -> str:
    """Return a short SHA-256 of ``lines``, in hexadecimal."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def header(rules: Rules, seats: Sequence[Player], seed: int, game: int) -> dict[str, Any]:
    """Return the header of the record of game ``game`` of run ``seed`` among ``seats``."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rules": asdict(rules),
        "seed": int(seed),
        "game": int(game),
        "seats": [_seat(player) for player in seats],
    }
    return {**content, "check": checksum([line(content)])}


def _seat(player: Player) -> dict[str, Any]:
    if player.policy is None:
        showing = OUTSIDE if player.picks_cards else player.showing
        return {"label": player.name, "policy": OUTSIDE, "showing": showing}
    name = player.policy.name
    switches = {key: getattr(player.policy, key) for key in (*switches_of(name), "showing")}
    return {"label": player.name, "policy": name, **switches}


def read(path: str | Path) -> Record:
    """Return the record in ``path``; raises OSError, or RecordError if it is malformed."""
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise RecordError(1, f"the file has more than {MAX_BYTES:,} bytes: it is no game")
    *lines, rest = content.split(b"\n")
    if not lines and not rest:
        raise RecordError(1, "the file is empty")
    header = _parse(1, lines[0] if lines else rest)
    rules = _check_header(header)
    events: list[Event] = []
    for number, text in enumerate(lines[1:], 2):
        if events and events[-1]["event"] == "end":
            raise RecordError(number, "there is something after the end of the game")
        event = _parse(number, text)
        _check_event(number, event, rules.players)
        events.append(event)
    if rest:
        raise RecordError(len(lines) + 1, "the line is cut off: the record is truncated")
    if not events or events[-1]["event"] != "end":
        raise RecordError(len(lines), "no end of the game follows: the record is truncated")
    return Record(
        header=header,
        rules=rules,
        seed=header["seed"],
        game=header["game"],
        seats=tuple(header["seats"]),
        events=tuple(events[:-1]),
        end=events[-1],
    )


def _parse(number: int, text: bytes) -> dict[str, Any]:
    """Return the JSON object in a line; it must be in the canonical form of `line`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise RecordError(number, f"not JSON ({str(fault).partition(':')[0]})") from None
    if not isinstance(value, dict):
        raise RecordError(number, "not a JSON object")
    if line(value).encode() != text:
        raise RecordError(number, "spaces, keys or numbers are not written as in a record")
    return value


def _need(
    number: int, value: Mapping[str, Any], wanted: Sequence[str], allowed: Collection[str] = ()
) -> None:
    """Require the keys ``wanted`` in ``value``, and no others except ``allowed``."""
    for key in wanted:
        if key not in value:
            raise RecordError(number, f"the key {key!r} is missing")
    for key in value:
        if key not in wanted and key not in allowed:
            raise RecordError(number, f"there is no key {key!r} here")


def _check_header(value: dict[str, Any]) -> Rules:
    """Check the header; return its rules."""
    if value.get("format") != FORMAT:
        raise RecordError(1, f"not a game record: it must begin with format {FORMAT!r}")
    if type(value.get("version")) is not int or value["version"] != VERSION:
        raise RecordError(
            1, f"unknown version {value.get('version')!r}: this program reads version {VERSION}"
        )
    _need(1, value, _HEADER)
    content = {key: value[key] for key in value if key != "check"}
    if value["check"] != checksum([line(content)]):
        raise RecordError(1, "the header does not fit its check: it was changed")
    for key in ("seed", "game"):
        if type(value[key]) is not int or not 0 <= value[key] < SEEDS:
            raise RecordError(1, f"{key} must be a number from 0 to 2^63 - 1, not {value[key]!r}")
    if not isinstance(value["rules"], dict):
        raise RecordError(1, "rules must be an object of switches")
    try:
        rules = build(Rules, value["rules"], "rules.")
    except ValueError as fault:
        raise RecordError(1, str(fault)) from None
    seats = value["seats"]
    if not isinstance(seats, list) or len(seats) != rules.players:
        raise RecordError(1, f"seats must list {rules.players} players")
    for seat in seats:
        _check_seat(seat)
    return rules


def _check_seat(seat: Any) -> None:
    if not isinstance(seat, dict) or not isinstance(seat.get("label"), str):
        raise RecordError(1, "each of seats must be an object with a label")
    if seat.get("policy") == OUTSIDE:
        _need(1, seat, ("label", "policy", "showing"))
        return
    _need(1, seat, ("label", "policy"), _SWITCHES)
    try:
        policy_of(seat)
    except (TypeError, ValueError) as fault:
        raise RecordError(1, f"a seat: {fault}") from None


def policy_of(seat: Mapping[str, Any]) -> Policy | None:
    """Return the compiled policy of a recorded seat, None for an external seat."""
    if seat["policy"] == OUTSIDE:
        return None
    return Policy(seat["policy"], **{key: seat[key] for key in _SWITCHES if key in seat})


def _check_event(number: int, event: dict[str, Any], players: int) -> None:
    """Check the kind and the keys of ``event``."""
    kind = event.get("event")
    if kind is None:
        raise RecordError(number, "the key 'event' is missing")
    if not isinstance(kind, str) or kind not in EVENTS:
        raise RecordError(number, f"unknown event {kind!r}")
    _need(number, event, keys(kind))
    known = event["known_to"]
    if known != "all" and not (
        isinstance(known, list)
        and all(type(seat) is int and seat in range(players) for seat in known)
    ):
        raise RecordError(number, f"known_to must be 'all' or a list of seats, not {known!r}")
