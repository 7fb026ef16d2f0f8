"""One deal per simulation: draw, step and roll-out [Silver & Veness 2010].

POMCP, ISMCTS and PIMC play with a drawn deal, and by default BMCTS and LD-BMCTS too: by the chain
rule, with an exact belief, the answers of one deal drawn at the root have the same distribution as
answers drawn one by one from the propagated belief (`sim.planning.belief_mdp`).  The deal then
provides only the answers: accusations in the tree are rewarded by the propagated belief, unless
``reward_from_deal``.

Each opponent knows its drawn hand, public information, and the cards it was shown, drawn uniformly
from the drawn answerer's matching cards.  Of the searching seat's hand it knows only the cards that
this seat showed it.
"""

from __future__ import annotations

import numpy as np

from belief.exact import solver
from belief.sampling.mcmc import spread
from belief.sampling.sample_rows import sample_rows
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, draw
from sim.cards import N_CARDS
from sim.chance import deal_out
from sim.game import advance, apply, decider
from sim.knowledge import begin, inform_others, update_seat_closure
from sim.models.types import draw_opponents
from sim.planning.opponent_nodes import GUESS, guess
from sim.planning.variants import EXACT, POLICY
from sim.state import ACCUSE, MAX_PLAYERS, MOVE, OVER, PASSAGE, REVEAL, State

# Start: the root with a drawn deal.


@jit
def start(p, s, stream: np.ndarray) -> None:
    """Set ``s.state`` to the root with a drawn deal, drawn and informed opponents, a fresh key."""
    s.state[0] = p.root[0]
    state = s.state[0]
    if len(p.deals):
        row = below(stream, len(p.deals))
        for card in range(N_CARDS):
            s.holder[card] = p.deals[row, card]
    else:
        solver.sample(p.posterior, stream, s.holder)
    deal_out(state, p.seat, s.holder)
    begin_opponents(p, state, stream)
    inform_opponents(p, state, p.events, len(p.events), stream)
    state.key = draw(stream)


@jit
def begin_opponents(p, state: State, stream: np.ndarray) -> None:
    """Draw the opponents of a mixture; reset their knowledge to their hands."""
    if len(p.seating.types):
        draw_opponents(
            state, p.seat, p.world[0].players, p.seating.types, p.seating.chances, stream
        )
    for seat in range(p.world[0].players):
        if seat != p.seat:
            begin(p.world[0], state, seat)
            for asker in range(MAX_PLAYERS):
                state.has_shown[seat, asker] = 0


@jit
def inform_opponents(p, state: State, events: np.recarray, n: int, stream: np.ndarray) -> None:
    """Update the opponents with the first ``n`` of ``events``, as our seat saw them."""
    for i in range(n):
        inform_others(p.world[0], state, p.seat, events[i], stream)


# Step: by the rules, with the hands of the deal.


@jit
def step(p, state: State, action: int, edge_data: float) -> float:
    """Apply ``action`` and advance until the tree decides; return the searching seat's reward.

    After an accusation the searching seat has no more decisions.  The reward is 1 or 0 by the deal
    if ``reward_from_deal``, else ``edge_data``, its propagated probability.  The accusation ends
    the simulation unless the tree moves the others too.
    """
    world = p.world[0]
    reward = 0.0
    if action == GUESS:
        apply(world, state, guess(world, state)[0])
    elif ACCUSE <= action < REVEAL:
        reward = edge_data
        if p.reward_from_deal:
            apply(world, state, action)
            reward = 1.0 if state.winner == p.seat else 0.0
        if p.movers == POLICY:
            state.phase = OVER
            return reward
    else:
        if decider(state) == p.seat and action < PASSAGE:
            state.goal[p.seat] = action - MOVE
        apply(world, state, action)
    # With one suggestion per turn, a round of six players cannot fill the events.
    advance(world, state)
    return reward


# Roll-out: by the rules to the end.


@jit
def rollout(p, s) -> float:
    """Continue with the policies in all seats; return 1 for a win, else 0."""
    world, state = p.world[0], s.state[0]
    state.recording = 0
    state.events = 0
    for seat in range(world.players):
        if len(p.seating.types) and seat != p.seat:
            continue  # drawn for this simulation
        state.policy[seat] = p.policies[0, seat]
        own = p.movers == POLICY or seat == p.seat
        state.showing[seat] = p.root[0].showing[seat] if own else 0
        state.tracks[seat] = p.policies[1, seat]
    advance(world, state)
    return 1.0 if state.winner == p.seat else 0.0


@jit
def remember_path(p, s) -> None:
    """Append the new suggestions to the path, as the searching seat saw them, for `resample`."""
    state = s.state[0]
    for i in range(state.events):
        if s.length[0] < len(s.path):
            into = s.path[s.length[0]]
            event = state.event[i]
            into.asker, into.cards, into.answerer = event[0], event[1], event[2]
            into.card = event[3] if p.seat in (event[0], event[2]) else -1
            s.length[0] += 1


@jit
def resample(p, s, stream: np.ndarray) -> bool:
    """Draw a deal from the belief at the leaf [BMCTS-OR: Ledford 2018, s. 2.5.2].

    The opponents' knowledge is rebuilt for the new deal.  Returns False, without a draw, if the
    exact posterior does not fit.
    """
    state = s.state[0]
    if p.belief == EXACT:
        if not solver.solve(state.evidence[p.seat], s.posterior):
            return False
        solver.sample(s.posterior, stream, s.holder)
    else:
        update_seat_closure(state, p.seat)
        facts, known = state.evidence[p.seat], state.closure[p.seat]
        sample_rows(state.belief[p.seat], facts, known, s.rows, stream)
        spread(s.rows.hands, s.holder)
    deal_out(state, p.seat, s.holder)
    begin_opponents(p, state, stream)
    inform_opponents(p, state, p.events, len(p.events), stream)
    inform_opponents(p, state, s.path, s.length[0], stream)
    return True
