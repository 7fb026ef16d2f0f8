"""Walking to the nearest of some rooms, and into the same one again.

Sets of rooms are masks, bit r for room r.  Other pawns are ignored but for `step_out`.  Nothing
here consumes randomness.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.movement import barred_room
from sim.state import MOVE, PASSAGE, WALK, State, World

OTHER, SAME = range(2)
"""Where the next suggestion is made after one in a room that is wanted: in another, or there."""


@jit
def distance(world: World, s: State, seat: int, room: int) -> int:
    """Return the steps of ``seat`` to ``room``, other than where it is; 0 by a passage."""
    here = world.room_of[s.spot[seat]]
    if here >= 0 and world.passage[here] == room:
        return 0
    return world.steps[room, s.spot[seat]]


@jit
def towards(world: World, s: State, seat: int, room: int) -> int:
    """Return the action that brings ``seat`` to ``room``, other than where it is."""
    here = world.room_of[s.spot[seat]]
    return PASSAGE if here >= 0 and world.passage[here] == room else MOVE + room


@jit
def nearest_room(world: World, s: State, seat: int, rooms: int) -> int:
    """Return the room of ``rooms`` in fewest steps, neither barred nor where it is; first listed.

    If there is no other in ``rooms``, it is the nearest of all.
    """
    barred = max(world.room_of[s.spot[seat]], barred_room(world, s, seat))
    if barred >= 0:
        rooms &= ~(1 << barred)
    best, fewest = -1, 0
    for room in range(N_ROOMS):
        if room != barred and (rooms >> room & 1 or not rooms):
            steps = distance(world, s, seat, room)
            if best < 0 or steps < fewest:
                best, fewest = room, steps
    return best


@jit
def step_out(world: World, s: State, seat: int) -> int:
    """Return the step to the square before the door where ``seat`` stands, to enter again.

    -1 if it cannot, or may not return.
    """
    if not world.free or not world.returns or world.room_of[s.spot[seat]] < 0:
        return -1
    square = world.neighbours[s.spot[seat], 0]
    for other in range(world.players):
        if world.blocking and other != seat and s.spot[other] == square:
            return -1
    return WALK + square


@jit
def enter_again(world: World, s: State, seat: int, rooms: int, again: int) -> int:
    """Return the move that makes ``seat`` enter one of ``rooms`` as soon as may be, by steps.

    If it stands in one of them, ``again`` is `SAME` to step out, from where it is the nearest one
    at the next turn (rules under which a pawn cannot do so count as `OTHER`), or `OTHER` to go to
    the nearest other one.
    """
    here = world.room_of[s.spot[seat]]
    if again == SAME and here >= 0 and rooms >> here & 1:
        out = step_out(world, s, seat)
        if out >= 0:
            return out
    return towards(world, s, seat, nearest_room(world, s, seat, rooms))
