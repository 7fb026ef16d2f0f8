"""Replay of a record through the state machine, which checks every line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.cards import CARDS
from sim.chance import game_key
from sim.game import apply, decider, new_game
from sim.legal import legal
from sim.policies.registry import seat_policies
from sim.records.events import BESIDE, Event, describe_action, ending, opening
from sim.records.record import Record, RecordError, checksum, line, policy_of
from sim.rules import world
from sim.state import EVIDENCE, N_ACTIONS, OVER, PASS, REVEAL, SHOW, State, World, empty

_FIRST = 2
"""Line of the first event: the header is line 1."""


def replay(record: Record) -> np.recarray:
    """Return the final true state of the recorded game, an array of one `STATE`.

    Raises RecordError at the first line that differs from the state machine.
    """
    *_, (_, state) = states(record)
    return state


def states(record: Record) -> Iterator[tuple[tuple[Event, ...], np.recarray]]:
    """Yield the checked events of each action and the true state after them, the deal first.

    Events of `BESIDE` follow the events before them; only the record's ``check`` verifies them,
    since the state machine does not produce them.

    The state, an array of one `STATE`, is reused: copy it to keep it.  All its seats track
    `EVIDENCE`, so ``evidence[seat]`` holds the observations of a seat.

    Raises RecordError like `replay`, when iteration reaches the line.
    """
    board = world(record.rules)[0]
    state, before = empty(), empty()
    # The effect of a suggestion may depend on the policy (`Rules.callers`).
    seat_policies(state[0], [policy_of(seat) for seat in record.seats])
    state[0].tracks |= EVIDENCE
    new_game(board, state[0], np.uint64(game_key(record.seed, record.game)))
    events = (*record.events, record.end)
    at = 0
    due = opening(board, state[0])
    while True:
        over = state[0].phase == OVER
        if over:
            due.append(ending(state[0], _check(record)))
        _compare(events, at, due)
        end = at + len(due)
        while end < len(events) and events[end]["event"] in BESIDE:
            end += 1
        yield events[at:end], state
        at = end
        if over:
            return
        action = _decision(events, at, board, state[0])
        before[0] = state[0]
        apply(board, state[0], action)
        due = describe_action(board, before[0], action, state[0])


def _check(record: Record) -> str:
    """Return the correct ``check`` of the last line."""
    return checksum(map(line, (record.header, *record.events)))


def _decision(events: Sequence[Event], at: int, board: World, state: State) -> int:
    """Return the legal action in an event."""
    event, number = events[at], _FIRST + at
    seat = int(decider(state))
    if "action" not in event:
        raise RecordError(
            number, f"seat {seat} must decide here, but the line is {event['event']!r}"
        )
    action = event["action"]
    options = np.empty(N_ACTIONS, np.int64)
    if type(action) is int and action in options[: legal(board, state, options)].tolist():
        return action
    if state.phase == SHOW and type(action) is int and REVEAL <= action < PASS:
        card = action - REVEAL
        why = "was not asked for" if state.hand[seat] >> card & 1 else "is not in its hand"
        raise RecordError(number, f"seat {seat} cannot show the {CARDS[card]}, which {why}")
    raise RecordError(number, f"seat {seat} may not take action {action!r} here")


def _compare(events: Sequence[Event], at: int, due: Sequence[Event]) -> None:
    """Check the events from ``events[at]`` against those that are ``due``."""
    # Only the last line is an end, so a missing or early end differs too.
    for number, (given, true) in enumerate(zip(events[at:], due, strict=False), _FIRST + at):
        if given["event"] != true["event"]:
            raise RecordError(number, f"{given['event']!r} where {true['event']!r} is due")
        for key, value in true.items():
            # Compare texts, because True == 1 in Python.
            if line({key: given[key]}) != line({key: value}):
                raise RecordError(
                    number, f"{key} is {given[key]!r}, but in the game it is {value!r}"
                )
        if line(given) != line(true):
            raise RecordError(number, "the keys are not in their order")
