"""Deadlocked games: all active players are shut in permanently, so turns are skipped.

The pawn of a player who is out never moves again, and can block the doors of all other players.
Policies that accuse by their observations then wait for the last round before the turn cap.  The
last rounds are played, and each turn has its own random numbers, so the result is unchanged.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.movement import barred_room, survey, walk_out
from sim.policies.registry import number
from sim.state import State, World

_STEADY = sum(1 << number(name) for name in ("csp", "heuristic", "closure", "swift", "hide"))
"""Policies, as bits, that accuse only by their observations or in the last round."""

_LAST_ROUNDS = 3


@jit
def skip_turns(world: World, s: State) -> None:
    """In a deadlocked game skip the turns before the last rounds."""
    playing = 0
    for seat in range(world.players):
        if not s.out[seat]:
            playing += 1
            if s.policy[seat] < 0 or not _STEADY >> s.policy[seat] & 1:
                return
    rounds = (world.turn_cap - s.turn) // playing - _LAST_ROUNDS
    declined = s.still > 2 * playing
    if declined and rounds > 0 and not (world.again or world.free) and _are_shut_in(world, s):
        s.turn += rounds * playing


@jit
def _are_shut_in(world: World, s: State) -> bool:
    """Return whether no active player can walk, take a passage or suggest, for any roll."""
    mover, shut = s.seat, True
    for seat in range(world.players):
        if shut and not s.out[seat]:
            s.seat = seat
            survey(world, s)
            room, barred = world.room_of[s.spot[seat]], barred_room(world, s, seat)
            shut = room < 0 or (world.passage[room] < 0 and not s.summoned[seat])
            for goal in range(N_ROOMS):
                shut = shut and (goal == barred or walk_out(world, s, goal) < 0)
    s.seat = mover
    return shut
