"""The table of policies: names, numbers, and the one place where a number becomes a call.

A policy is a value, so the arena, a roll-out and a planner's model of its opponents change policy
without compiling anything.  To add one: write ``sim/policies/NAME.py`` with ``turn`` and
``suggestion``, and add it to the lists and branches below.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from sim.policies import heuristic, random, uniform
from sim.policies.common import any_card
from sim.state import REVEAL, SHOW, SUGGEST

NAMES = ("random", "uniform", "heuristic")
READS_MATRIX = (0, 0, 1)
"""By policy: 1 if it reads the factored belief, which is then kept for its seat."""

RANDOM, UNIFORM, HEURISTIC = range(len(NAMES))


def number(name: str) -> int:
    """Return the number of policy ``name``; ValueError names the choices."""
    if name not in NAMES:
        raise ValueError(f"unknown policy {name!r}: choose one of {', '.join(NAMES)}")
    return NAMES.index(name)


@jit
def choose(world: np.record, s: np.record, seat: int, policy: int) -> int:
    """Return the action of ``seat`` under ``policy`` in the phase ``s.phase``.

    Consumes ``s.stream``, which the caller has opened for this decision.  Reads what the seat has
    learnt and its own hand, never the hands of others.  The card shown is drawn uniformly, as by
    every agent of the thesis [s. 3.2].
    """
    if s.phase == SHOW:
        return REVEAL + any_card(s.stream, s.hand[seat] & s.cards)
    if s.phase == SUGGEST:
        if policy == HEURISTIC:
            return heuristic.suggestion(world, s, seat)
        if policy == RANDOM:
            return random.suggestion(world, s, seat)
        if policy == UNIFORM:
            return uniform.suggestion(world, s, seat)
        raise ValueError("no such policy: sim.policies.table.choose lacks a branch")
    if policy == HEURISTIC:
        return heuristic.turn(world, s, seat)
    if policy == RANDOM:
        return random.turn(world, s, seat)
    if policy == UNIFORM:
        return uniform.turn(world, s, seat)
    raise ValueError("no such policy: sim.policies.table.choose lacks a branch")
