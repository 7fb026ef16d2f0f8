"""Moves to the nearest room of a set, or back into the same room.

Sets of rooms are masks, bit r for room r.  Only `step_out` considers other pawns.  No function
consumes randomness.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.movement import barred_room
from sim.policies.common import turns_to
from sim.state import MOVE, PASSAGE, WALK, State, World

NEVER = np.inf
"""Turns to a room that cannot be entered."""

OTHER, SAME = range(2)
"""Place of the next suggestion after one in a wanted room: another room, or the same."""


@jit
def distance(world: World, s: State, seat: int, room: int) -> int:
    """Return the steps of ``seat`` to ``room``, not its own; 0 by a passage."""
    here = world.room_of[s.spot[seat]]
    if here >= 0 and world.passage[here] == room:
        return 0
    return world.steps[room, s.spot[seat]]


@jit
def turns_now(world: World, s: State, seat: int, turns: np.ndarray) -> None:
    """Fill ``turns`` (9,) with the expected turns of ``seat``, this one included, to each room.

    For the start of its turn, with the roll known.  The pawn re-enters its own room by stepping
    out, under free movement.
    """
    here = world.room_of[s.spot[seat]]
    for room in range(N_ROOMS):
        if room == here:
            turns[room] = 1.0 if s.summoned[seat] else 2.0 if world.free else NEVER
        elif here >= 0 and world.passage[here] == room:
            turns[room] = 1.0
        else:
            turns[room] = turns_to(world, s, seat, room)


@jit
def towards(world: World, s: State, seat: int, room: int) -> int:
    """Return the action of ``seat`` towards ``room``, not its own."""
    here = world.room_of[s.spot[seat]]
    return PASSAGE if here >= 0 and world.passage[here] == room else MOVE + room


@jit
def nearest_room(world: World, s: State, seat: int, rooms: int) -> int:
    """Return the nearest room of ``rooms``, neither barred nor its own; first of ties.

    If ``rooms`` has no other, return the nearest of all rooms.
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
    """Return the step of ``seat`` out of its door, to re-enter; -1 if impossible or illegal."""
    if not world.free or not world.returns or world.room_of[s.spot[seat]] < 0:
        return -1
    square = world.neighbours[s.spot[seat], 0]
    for other in range(world.players):
        if world.blocking and other != seat and s.spot[other] == square:
            return -1
    return WALK + square


@jit
def enter_again(world: World, s: State, seat: int, rooms: int, again: int) -> int:
    """Return the move of ``seat`` to the nearest room of ``rooms``, by steps.

    If it is in one of them, ``again`` selects: `SAME` steps out, to re-enter at the next turn (like
    `OTHER` if the rules or pawns prevent it); `OTHER` walks to the nearest other room.
    """
    here = world.room_of[s.spot[seat]]
    if again == SAME and here >= 0 and rooms >> here & 1:
        out = step_out(world, s, seat)
        if out >= 0:
            return out
    return towards(world, s, seat, nearest_room(world, s, seat, rooms))
