"""Opponents moved by the tree, as in ISMCTS: actions of their nodes, and legality.

The key of an opponent's node, and so its list, depends on the observations of the searching seat
(SO-ISMCTS) or of the opponent (MO-ISMCTS).  Each simulation chooses among the actions that are
legal with its drawn cards: cards to show depend on the hand, and `GUESS` accuses the envelope that
the opponent itself considers likeliest, above a minimum probability.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit, jit_owning
from sim.cards import N_CARDS
from sim.game import decider
from sim.planning.candidates import by_information, every, list_suggestions, list_ways
from sim.planning.node_belief import believe
from sim.planning.variants import TREES
from sim.policies import swift
from sim.policies.common import accusation, may_accuse
from sim.state import END, N_ACTIONS, PASS, REVEAL, SHOW, SUGGEST, TURN, State, World

GUESS = N_ACTIONS
"""Action: the opponent accuses the envelope it considers likeliest."""

_LEAST_GUESS = 0.2


@jit
def list_opponents_actions(p, s, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the actions of the opponent to move; return their number.

    Candidates are ranked by the opponent's marginals at its own node, else by the belief of the
    searching seat.  If that seat is out there are none: the node remains a leaf, and roll-outs
    decide the others' returns.
    """
    state, marginals = s.state[0], s.posterior.marginals
    if state.out[p.seat]:
        return 0
    if p.candidates and state.phase <= SUGGEST:
        if p.movers == TREES:
            swift.refresh(p.world[0], state, state.seat)
            for card in range(N_CARDS):
                for holder in range(marginals.shape[1]):
                    marginals[card, holder] = state.marginals[card, holder]
        elif not believe(p, state, s.posterior):
            return 0
    return _offer(p, state, s.posterior, out, edge_data)


@jit_owning
def _offer(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the actions of the opponent to move; ``work`` ranks its candidates."""
    world = p.world[0]
    seat = decider(s)
    n = 0
    if s.phase == SHOW:
        rest = s.cards
        while rest:
            out[n] = REVEAL + lowest(rest)
            rest &= rest - 1
            n += 1
    elif s.phase == END:
        out[0], out[1] = PASS, GUESS
        n = 2
    elif p.candidates:
        score = np.empty(len(out), np.float64)
        by = by_information(work.marginals, p.candidates)
        if s.phase == SUGGEST or s.summoned[seat]:
            here = world.room_of[s.spot[seat]]
            n = list_suggestions(world, s, by, seat, here, out, score, 0)
        if s.phase == TURN:
            n = list_ways(world, s, by, seat, out, score, n)
    else:
        n = every(world, s, seat, out)
    if s.phase == TURN and may_accuse(world, s):
        out[n] = GUESS
        n += 1
    for i in range(n):
        edge_data[i] = 0.0
    return n


@jit
def guess(world: World, s: State) -> tuple[int, float]:
    """Return the likeliest accusation for the seat to move, and its probability for that seat."""
    swift.refresh(world, s, s.seat)
    found, chance = swift.likeliest(s)
    return (accusation(found), chance) if found else (0, 0.0)


@jit
def may(p, s: State, action: int) -> bool:
    """Return whether the listed ``action`` of the seat to move is legal in ``s``."""
    if s.phase == SHOW:
        return (s.hand[s.answerer] >> (action - REVEAL) & 1) == 1
    if action == GUESS:
        return guess(p.world[0], s)[1] >= _LEAST_GUESS
    return True


@jit
def reward_for(p, s: State, player: int) -> float:
    """Return the reward of ``player`` (0: the searching seat): 1 for a win, else 0."""
    return 1.0 if s.winner == (p.seat + player) % p.world[0].players else 0.0
