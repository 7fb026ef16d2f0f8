"""Calls from the environment into the state machine, one compiled call per step.

Arguments are arrays of one instead of records, which Python passes far more slowly
(`mcts.kernel.fixed`).  Hidden information is read only to apply an action.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import HOLDERS, N_CARDS
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.arena import act
from sim.chance import game_key
from sim.game import apply, decider, new_game
from sim.legal import legal
from sim.models.types import take_seat
from sim.policies import greedy
from sim.state import EXTERNAL, MAX_PLAYERS, N_ACTIONS, OVER, State, World
from sim.view import replay_evidence


@jit
def _offer(world: World, s: State, options: np.ndarray, mask: np.ndarray) -> int:
    """Write the legal actions into ``mask``; return the seat to move, -1 if the game is over."""
    for action in range(N_ACTIONS):
        mask[action] = 0
    for i in range(legal(world, s, options)):
        mask[options[i]] = 1
    return -1 if s.phase == OVER else decider(s)


@jit
def _ask_everybody(s: State) -> None:
    """Make all seats external."""
    for seat in range(MAX_PLAYERS):
        s.policy[seat] = EXTERNAL
        s.tracks[seat] = 0


@jit
def _begin(
    worlds: np.ndarray,
    states: np.ndarray,
    seed: int,
    game: int,
    options: np.ndarray,
    mask: np.ndarray,
) -> int:
    """Begin game number ``game`` of run ``seed``; ``mask`` and result as in `_offer`."""
    world, s = worlds[0], states[0]
    _ask_everybody(s)
    for seat in range(MAX_PLAYERS):
        s.showing[seat] = EXTERNAL
    s.recording = 1
    new_game(world, s, game_key(seed, game))
    return _offer(world, s, options, mask)


@jit
def _do(
    worlds: np.ndarray,
    states: np.ndarray,
    action: int,
    advised: bool,
    options: np.ndarray,
    mask: np.ndarray,
) -> int:
    """Apply the legal ``action``, as the seat's policy if ``advised``; like `_begin`."""
    world, s = worlds[0], states[0]
    if not advised:
        _ask_everybody(s)
    apply(world, s, action)
    _ask_everybody(s)
    return _offer(world, s, options, mask)


@jit
def _advise(
    worlds: np.ndarray,
    states: np.ndarray,
    minds: np.ndarray,
    types: np.ndarray,
    showing: int,
    events: np.ndarray,
    work: tuple,
    sample: tuple,
) -> int:
    """Return the action of the policy ``types[0]`` in the seat to move, and seat it there.

    ``types`` (1,): of `sim.models.types.SEATED`; ``showing``: its showing rule; ``minds[0]``: the
    seat's view, overwritten; ``events``: the suggestions as the seat saw them.
    Returns `greedy.UNSOLVED` without any change if ``work`` is too small.
    """
    world, s, mind, which = worlds[0], states[0], minds[0], types[0]
    seat = decider(s)
    mind.key = s.key  # the policy draws from this game's streams, as in the arena
    for other in range(world.players):
        take_seat(mind, other, which)
        mind.showing[other] = showing
    replay_evidence(world, mind, seat, events)
    mind.goal[seat] = s.goal[seat]
    action = act(world, mind, work, sample)
    if action == greedy.UNSOLVED:
        return action
    s.goal[seat] = mind.goal[seat]
    # The effects of a move or suggestion may depend on the policy and on its belief.
    take_seat(s, seat, which)
    s.settled[seat] = s.marginals_of = 0
    s.evidence[seat] = mind.evidence[seat]
    for card in range(N_CARDS):
        s.bits[seat, card] = mind.bits[seat, card]
        for holder in range(HOLDERS):
            s.belief[seat, card, holder] = mind.belief[seat, card, holder]
    return action


begin, do, advise = FixedTypes(_begin), FixedTypes(_do), FixedTypes(_advise)
