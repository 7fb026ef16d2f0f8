"""Requests of the environment to the state machine, one compiled call per step.

Arrays of one go in where kernels of the game take records: from Python those take far longer
(`mcts.kernel.fixed`).  Nothing here reads what a seat may not see, but to do its action.
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
    """Write what is legal into ``mask``; return the seat that decides, -1 if the game is over."""
    for action in range(N_ACTIONS):
        mask[action] = 0
    for i in range(legal(world, s, options)):
        mask[options[i]] = 1
    return -1 if s.phase == OVER else decider(s)


@jit
def _ask_everybody(s: State) -> None:
    """Have every turn decided from outside."""
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
    """Begin game number ``game`` of run ``seed``; ``mask`` and the result as `_offer`."""
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
    """Do the legal ``action``, by the policy in the seat if it was ``advised``; as `_begin`."""
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
    """Return what the policy ``types[0]`` does in the seat that decides, and seat it there.

    ``types`` (1,) is of `sim.models.types.SEATED`, ``showing`` how it shows cards.  It thinks in
    ``minds[0]``, what the seat sees, with the suggestions ``events`` that it saw.
    Returns `greedy.UNSOLVED`, with nothing changed, if ``work`` is too small.
    """
    world, s, mind, which = worlds[0], states[0], minds[0], types[0]
    seat = decider(s)
    mind.key = s.key  # its choices are chance of this game, as in the arena
    for other in range(world.players):
        take_seat(mind, other, which)
        mind.showing[other] = showing
    replay_evidence(world, mind, seat, events)
    mind.goal[seat] = s.goal[seat]
    action = act(world, mind, work, sample)
    if action == greedy.UNSOLVED:
        return action
    s.goal[seat] = mind.goal[seat]
    # What its move and suggestion come to may depend on who it is, and on what it believes.
    take_seat(s, seat, which)
    s.settled[seat] = s.marginals_of = 0
    s.evidence[seat] = mind.evidence[seat]
    for card in range(N_CARDS):
        s.bits[seat, card] = mind.bits[seat, card]
        for holder in range(HOLDERS):
            s.belief[seat, card, holder] = mind.belief[seat, card, holder]
    return action


begin, do, advise = FixedTypes(_begin), FixedTypes(_do), FixedTypes(_advise)
