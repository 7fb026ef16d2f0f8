"""The table of policies: names, numbers, and the one place where a number becomes a call.

A policy is a value, so the arena, a roll-out and a planner's model of its opponents change policy
without compiling anything.  To add one: write ``sim/policies/NAME.py``, and add it to the names and
branches below (`docs/extending.md` walks through an example).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcts.kernel.compile import jit
from sim.knowledge import solved
from sim.policies import closure, heuristic, random, showing, swift, uniform
from sim.policies.common import SUGGESTS, accusation, roam
from sim.state import END, EXTERNAL, FACTS, MATRIX, PASS, REVEAL, SHOW, SUGGEST

NAMES = ("random", "uniform", "heuristic", "closure", "swift", "greedy")
TRACKS = (0, 0, MATRIX, FACTS, MATRIX | FACTS, FACTS)
"""By policy: what has to be kept for its seat."""

RANDOM, UNIFORM, HEURISTIC, CLOSURE, SWIFT, GREEDY = range(len(NAMES))

SLOW = GREEDY
"""The first policy that needs an exact posterior: `sim.arena` plays those, not the machine."""

FAST_NAMES = NAMES[:SLOW]
"""The policies that play inside a simulation."""

SHOWING = ("random", "least_informative")


@dataclass(frozen=True)
class Policy:
    """A policy and its switches; ValueError on a switch that the policy does not have.

    Attributes
    ----------
    name : one of `NAMES`
    threshold : ``swift`` and ``greedy`` accuse from this probability on; 1 waits for certainty
    inference : whether the factored belief learns from cards that are shown to others
    showing : which of several cards it shows, one of `SHOWING`
    """

    name: str
    threshold: float = 1.0
    inference: bool = True
    showing: str = "random"

    def __post_init__(self) -> None:
        number(self.name)
        if not 0.0 < self.threshold <= 1.0:
            raise ValueError(f"threshold must be above 0 and at most 1, got {self.threshold}")
        if self.threshold < 1.0 and self.name not in ("swift", "greedy"):
            raise ValueError(f"{self.name} has no threshold: it accuses when it is certain")
        if not self.inference and not TRACKS[number(self.name)] & MATRIX:
            raise ValueError(f"{self.name} has no factored belief: inference has no meaning")
        if self.showing not in SHOWING:
            raise ValueError(
                f"unknown showing policy {self.showing!r}: choose one of {', '.join(SHOWING)}"
            )


def number(name: str) -> int:
    """Return the number of policy ``name``; ValueError names the choices."""
    if name not in NAMES:
        raise ValueError(f"unknown policy {name!r}: choose one of {', '.join(NAMES)}")
    return NAMES.index(name)


def policy(which: Policy | str) -> Policy:
    """Return ``which``, or the policy of that name with its defaults."""
    return Policy(which) if isinstance(which, str) else which


def seat_policies(state: np.record, policies: Sequence[Policy | str | None]) -> None:
    """Put compiled ``policies``, by seat, into the seats of ``state``; None leaves one external."""
    for seat, which in enumerate(policies):
        if which is None:
            state.policy[seat], state.tracks[seat] = EXTERNAL, 0
        else:
            seat_policy(state, seat, policy(which))


def seat_policy(state: np.record, seat: int, which: Policy) -> None:
    """Put one compiled policy into ``seat`` of ``state``."""
    state.policy[seat] = number(which.name)
    state.tracks[seat] = TRACKS[number(which.name)]
    state.threshold[seat] = which.threshold
    state.infers[seat] = which.inference
    state.showing[seat] = SHOWING.index(which.showing)


@jit
def choose(world: np.record, s: np.record, seat: int) -> int:
    """Return the action of ``seat`` under its own policy in the phase ``s.phase``.

    Consumes ``s.stream``, which the caller has opened for this decision.  Reads what the seat has
    learnt and its own hand, never the hands of others.
    """
    if s.phase == SHOW:
        return REVEAL + showing.card(s, seat)
    which = s.policy[seat]
    if which == SWIFT:
        swift.refresh(world, s, seat)
    elif which == CLOSURE:
        closure.refresh(world, s, seat)
    if s.phase != SUGGEST:
        envelope = _accused(s, seat, which)
        if envelope:
            return accusation(envelope)
        if s.phase == END:
            return PASS
        action = _turn(world, s, seat, which)
        if action != SUGGESTS:
            return action
    return _suggestion(world, s, seat, which)


@jit
def _accused(s: np.record, seat: int, which: int) -> int:
    """Return the envelope that the policy ``which`` accuses now, 0 for none."""
    if which == HEURISTIC:
        return heuristic.certain_envelope(s.belief[seat])
    if which == SWIFT:
        return swift.envelope(s, seat)
    if which == CLOSURE:
        return closure.proved_envelope(s, seat)
    return solved(s, seat)


@jit
def _turn(world: np.record, s: np.record, seat: int, which: int) -> int:
    """Return an action at the start of a turn, or `SUGGESTS`."""
    if which == HEURISTIC or which == CLOSURE:
        return heuristic.turn(world, s, seat)
    if which == SWIFT:
        return swift.turn(world, s, seat)
    return roam(world, s, seat)


@jit
def _suggestion(world: np.record, s: np.record, seat: int, which: int) -> int:
    """Return the suggestion of the policy ``which`` in the room where the pawn is."""
    if which == HEURISTIC or which == CLOSURE:
        return heuristic.suggestion(world, s, seat)
    if which == SWIFT:
        return swift.suggestion(world, s, seat)
    if which == RANDOM:
        return random.suggestion(world, s, seat)
    if which == UNIFORM:
        return uniform.suggestion(world, s, seat)
    raise ValueError("no such policy: sim.policies.table lacks a branch")
