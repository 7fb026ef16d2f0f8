"""The value of a leaf: a roll-out to the end or to a horizon, the win model, or some of both.

After ``horizon`` turns of all seats -- 0: at once -- the win model is evaluated, and the rest of
the game is played only if the model does not count for everything:

    value = share * chance by the model + (1 - share) * 1 if the game is won, played on, else 0

Without a model (share 0) a roll-out that is cut off is estimated by what each seat believes.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.game import advance, apply, decider, open_decision, stops
from sim.planning.leaf.features import describe
from sim.planning.leaf.win_model import chance
from sim.policies import swift
from sim.policies.table import choose
from sim.state import EVIDENCE, FACTORED, OVER, State


@jit
def leaf_value(p, s) -> float:
    """Return the chance of winning at ``s``, in which every seat has its policy."""
    world, state = p.world[0], s.state[0]
    estimated = 0.0
    if p.horizon or p.model_share > 0.0:
        last = state.turn + p.horizon
        while state.phase != OVER and state.turn < last and not stops(state):
            open_decision(state)
            apply(world, state, choose(world, state, decider(state)))
        if state.phase == OVER:
            return 1.0 if state.winner == p.seat else 0.0
        if state.out[p.seat]:
            return 0.0
        if p.model_share <= 0.0:
            return by_confidence(p, state)
        describe(world, state, p.seat, s.inputs)
        estimated = chance(p.win_model, s.inputs, s.hidden)
        if p.model_share >= 1.0:
            return estimated
    advance(world, state)
    won = 1.0 if state.winner == p.seat else 0.0
    return p.model_share * estimated + (1.0 - p.model_share) * won


@jit
def by_confidence(p, state: State) -> float:
    """Share the winning chance out among those still playing, by what each has for its best guess.

    A seat without a belief counts as the searching seat does.
    """
    own = _confidence(p, state, p.seat, 1.0)
    total = own
    for seat in range(p.world[0].players):
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
    return swift.best_guess(state.marginals)[1]
