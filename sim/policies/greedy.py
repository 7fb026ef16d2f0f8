"""Greedy: expected information per expected turn, under the exact posterior.

Before each decision it solves the exact posterior, draws `DEALS` deals from it, and estimates the
information of every suggestion (more than 50 deals do not play better).  It accuses at a minimum
probability; 1 waits for certainty.  It is the baseline among the simple players, at about 1 ms per
decision; `sim.policies.swift` models it inside simulations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belief.exact import solver
from belief.exact.envelope import likely_envelopes
from belief.information import draw_sample, estimate
from mcts.kernel.compile import jit, jit_late, jit_owning, jit_shared
from mcts.limits import above
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.movement import barred_room
from sim.policies.common import HIGHEST, avoid_repeat, may_accuse, turns_to
from sim.state import ACCUSE, ASK, END, EVIDENCE, MOVE, PASS, PASSAGE, SUGGEST, State, World

REQUIRES = EVIDENCE


@dataclass(frozen=True)
class Switches:
    """Switches of `greedy`.

    threshold : minimum probability for an accusation; 1 waits for certainty
    own_card_weight : relative weight that a player holds a card it names; 1 ignores suggestions
    """

    threshold: float = above(0, 1, default=1.0)
    own_card_weight: float = above(0, HIGHEST, default=1.0)


DEALS = 50
UNSOLVED = -1

_CERTAIN = 1.0 - 1e-9


@jit_shared
def _wait(world: World, s: State, seat: int, work: tuple, sample: tuple) -> int:
    """Return `UNSOLVED`: stand-in for `choose` until it is loaded."""
    return np.int64(UNSOLVED)  # callers would inline a constant


@jit_late(_wait)
def choose(world: World, s: State, seat: int, work: tuple, sample: tuple) -> int:
    """Return the action of ``seat``, or `UNSOLVED` if its posterior does not fit into ``work``.

    ``work``: workspace of `belief.exact.solver`, ``sample``: of `belief.information`; both are
    overwritten.  Consumes ``s.stream``.
    """
    if not solver.solve(s.evidence[seat], work):
        return UNSOLVED
    if may_accuse(world, s):
        accused = likely_accusation(work, s.threshold[seat])
        if accused >= 0:
            return accused
    if s.phase == END:
        return PASS
    draw_sample(sample, work, s.stream, seat, world.players)
    if s.phase == SUGGEST:
        action = ASK + _best_suggestion(sample, world.room_of[s.spot[seat]])[0]
    else:
        action = _turn(world, s, seat, sample)
    return avoid_repeat(world, s, seat, action)


@jit_owning
def likely_accusation(work: tuple, threshold: float) -> int:
    """Return the accusation of the likeliest envelope if it reaches ``threshold``, else -1.

    ``work`` must be solved; a threshold of 1 means certainty up to rounding.
    """
    threshold = min(threshold, _CERTAIN)
    cards = np.empty((1, 3), np.int64)
    chance = np.empty(1, np.float64)
    # `likely_envelopes` finds envelopes strictly above the floor.
    if not likely_envelopes(work, 1, max(threshold - 1e-12, 0.0), cards, chance):
        return -1
    suspect, weapon, room = cards[0]
    return ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM


@jit
def _best_suggestion(sample: tuple, room: int) -> tuple[int, float]:
    """Return the pair of highest information in ``room``, as suspect * 6 + weapon, and its bits."""
    pair, most = 0, -1.0
    for candidate in range(36):
        bits = estimate(sample, candidate // 6, FIRST_WEAPON + candidate % 6, FIRST_ROOM + room)
        if bits > most:
            pair, most = candidate, bits
    return pair, most


@jit
def _turn(world: World, s: State, seat: int, sample: tuple) -> int:
    here = world.room_of[s.spot[seat]]
    best, most = MOVE, -1.0
    if here >= 0 and s.summoned[seat]:
        pair, most = _best_suggestion(sample, here)
        best = ASK + pair
    barred = max(here, barred_room(world, s, seat))
    for room in range(N_ROOMS):
        if room == barred:
            continue
        bits = _best_suggestion(sample, room)[1]
        if here >= 0 and world.passage[here] == room and bits > most:
            best, most = PASSAGE, bits
        value = bits / turns_to(world, s, seat, room)
        if value > most:
            best, most = MOVE + room, value
    return best
