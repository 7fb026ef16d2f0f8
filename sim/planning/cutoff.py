"""Roll-outs cut off at a horizon, with an estimate of the winning chances."""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.game import apply, decider, open_decision, stops
from sim.policies import swift
from sim.policies.table import choose
from sim.state import EVIDENCE, FACTORED, OVER, State


@jit
def play_to_horizon(p, state: State) -> float:
    """Play ``p.horizon`` turns of all seats, if the game lasts; return the chance of winning.

    Then it is shared out among those still playing as each believes in its own best guess: who
    keeps no belief to guess by counts as the searching seat does.
    """
    world = p.world[0]
    last = state.turn + p.horizon
    while state.phase != OVER and state.turn < last and not stops(state):
        open_decision(state)
        apply(world, state, choose(world, state, decider(state)))
    if state.phase == OVER:
        return 1.0 if state.winner == p.seat else 0.0
    if state.out[p.seat]:
        return 0.0
    own = _confidence(p, state, p.seat, 1.0)
    total = own
    for seat in range(world.players):
        if seat != p.seat and not state.out[seat]:
            total += _confidence(p, state, seat, own)
    return own / total if total > 0.0 else 0.0


@jit
def _confidence(p, state: State, seat: int, unknown: float) -> float:
    """Return what ``seat`` takes the chance of its best guess to be, or ``unknown``."""
    both = FACTORED | EVIDENCE
    if state.tracks[seat] & both != both:
        return unknown
    swift.refresh(p.world[0], state, seat)
    return swift.best_guess(state)[1]
