"""Belief of the searching seat at a node: marginals that rank its actions, and P(envelope).

All beliefs are functions of the seat's observations, never of the drawn deal.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.closure import even
from belief.beliefs.constrained import fit
from belief.evidence import CATEGORY_START, ENVELOPE, HOLDERS, N_CARDS
from belief.exact import solver
from belief.exact.envelope import likely_envelopes
from belief.matrix import chance_of_any
from mcts.kernel.compile import jit, jit_shared
from sim.knowledge import update_seat_closure
from sim.planning.variants import CONSTRAINED, EXACT, FACTORED
from sim.policies.common import any_heard, list_products
from sim.state import State

_ROUNDS = 5
_LEFT = 1e-12


@jit_shared
def believe(p, state: State, work: tuple) -> bool:
    """Fill ``work.marginals``; return False, with invalid contents, if the posterior does not fit.

    ``work`` is a workspace of `belief.exact.solver`.
    """
    seat, marginals = p.seat, work.marginals
    if p.belief == EXACT:
        return solver.solve(state.evidence[seat], work)
    if p.belief == FACTORED:
        for card in range(N_CARDS):
            for holder in range(HOLDERS):
                marginals[card, holder] = state.belief[seat, card, holder]
        return True
    update_seat_closure(state, seat)
    if p.belief == CONSTRAINED:
        known, evidence = state.closure[seat], state.evidence[seat]
        fit(state.belief[seat], known, evidence, _ROUNDS, marginals)
    else:
        even(state.closure[seat], p.world[0].players, marginals)
    return True


@jit
def likeliest(
    p,
    s: State,
    work: tuple,
    max_count: int,
    min_chance: float,
    cards: np.ndarray,
    chance: np.ndarray,
) -> int:
    """Find up to ``max_count`` likeliest envelopes above ``min_chance``, best first.

    As `belief.exact.envelope.likely_envelopes`, after `believe`.  Beliefs other than the exact one
    treat categories as independent, and exclude heard accusations only here.
    """
    if p.belief == EXACT:
        return likely_envelopes(work, max_count, min_chance, cards, chance)
    return likely_products(s, work.marginals, max_count, min_chance, cards, chance)


@jit
def likely_products(
    s: State,
    marginals: np.ndarray,
    max_count: int,
    min_chance: float,
    cards: np.ndarray,
    chance: np.ndarray,
) -> int:
    """Find the likeliest envelopes of independent, normalised categories, except heard ones."""
    heard, scale = any_heard(s), 1.0
    for kind in range(3):
        total = 0.0
        for card in range(CATEGORY_START[kind], CATEGORY_START[kind + 1]):
            total += marginals[card, ENVELOPE]
        scale *= total
    left = 1.0 - chance_of_any(marginals, s.heard, -1) if heard else 1.0
    scale *= left
    if scale == 0.0 or left < _LEFT:
        return 0
    return list_products(s, marginals, scale, max_count, min_chance, cards, chance)
