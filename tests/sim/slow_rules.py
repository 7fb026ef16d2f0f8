"""The rules once more, slowly: from `Rules`, the facts of the board and NetworkX alone."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from sim.board import PASSAGES, door_spots, entrance, graph
from sim.cards import ROOMS
from sim.rules import Rules
from sim.state import (
    ACCUSE,
    ASK,
    END,
    MOVE,
    OVER,
    PASS,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    WALK,
)

ACCUSATIONS = range(ACCUSE, REVEAL)
SUGGESTIONS = range(ASK, ACCUSE)
AT_THE_END = ("start_or_end", "any", "end")


def room_at(spot: int) -> int:
    """Return the room of a spot, -1 in the corridor."""
    return graph().nodes[spot]["room"]


def open_board(rules: Rules, state: np.record) -> nx.Graph:
    """Return the graph without the squares that other pawns close."""
    pawns = {int(state.spot[seat]) for seat in range(rules.players) if seat != state.seat}
    closed = {spot for spot in pawns if rules.blocking and room_at(spot) < 0}
    return graph(rules.walls).subgraph(set(graph()) - closed)


def ways_out(rules: Rules, state: np.record) -> list[int]:
    """Return the spots at which the walk of this turn may begin."""
    here = int(state.spot[state.seat])
    anywhere = room_at(here) >= 0 and rules.doors == "any"
    return door_spots(room_at(here)) if anywhere else [here]


def squares(rules: Rules, state: np.record) -> set[int]:
    """Return the corridor squares within the roll, other than the pawn's own."""
    reached = set()
    for door in ways_out(rules, state):
        config = open_board(rules, state)
        inside = {spot for spot in config if room_at(spot) >= 0 and spot != door}
        config = config.subgraph(set(config) - inside)
        far = nx.single_source_shortest_path_length(config, door, cutoff=int(state.roll))
        reached |= {spot for spot in far if room_at(spot) < 0}
    return reached - {int(state.spot[state.seat])}


def landings(rules: Rules, state: np.record, goal: int) -> set[int]:
    """Return where the pawn may end that walks towards ``goal``; empty if pawns close every way."""
    config, goals = open_board(rules, state), set(door_spots(goal))
    start = int(state.spot[state.seat])
    if start in goals:  # out and in again
        beside = set(config[start])
        return {start} if beside and state.roll > 1 else beside
    home = nx.multi_source_dijkstra_path_length(config, goals)
    on_paper = nx.multi_source_dijkstra_path_length(graph(rules.walls), goals)
    for door in sorted(ways_out(rules, state), key=on_paper.get):
        if door in home:
            steps = min(int(state.roll), home[door])
            away = nx.single_source_shortest_path_length(config, door)
            return {
                spot
                for spot, far in away.items()
                if far == steps and home.get(spot) == home[door] - steps
            }
    return set()


def ends(rules: Rules, state: np.record, action: int) -> set[int]:
    """Return where the pawn may stand after the move ``action``."""
    start = int(state.spot[state.seat])
    if not rules.board or action == PASSAGE:
        goal = action - MOVE if action < PASSAGE else passage(room_at(start))
        return {entrance(goal) if rules.entrance == "first" else door_spots(goal)[0]}
    found = landings(rules, state, action - MOVE)
    if found:
        return found
    others = [room for room in range(len(ROOMS)) if room not in list_barred(rules, state)]
    return {start}.union(*(landings(rules, state, room) for room in others))


def list_barred(rules: Rules, state: np.record) -> set[int]:
    """Return the rooms that may not be the goal."""
    here = room_at(int(state.spot[state.seat]))
    if rules.returns or here >= 0:
        return set() if rules.reenter else {here}
    return {int(state.last_room[state.seat]) - 1}


def passage(room: int) -> int:
    """Return the room at the other end of the passage of ``room``, or -1."""
    for one, other in PASSAGES:
        if room >= 0 and ROOMS[room] in (one, other):
            return ROOMS.index(other if ROOMS[room] == one else one)
    return -1


def suggestions(rules: Rules, state: np.record, room: int) -> list[int]:
    """Return the suggestions in ``room`` that the seat may make."""
    named = int(state.named[state.seat, room])
    return [ask for ask in SUGGESTIONS if rules.repeats or not named >> (ask - ASK) & 1]


def actions(rules: Rules, state: np.record) -> Iterator[int]:
    """Yield the legal actions, in order of number."""
    seat = int(state.seat)
    here = room_at(int(state.spot[seat]))
    if state.phase == TURN:
        shut = list_barred(rules, state)
        shut |= {room for room in range(len(ROOMS)) if not list(suggestions(rules, state, room))}
        yield from (MOVE + room for room in range(len(ROOMS)) if room not in shut)
        if rules.board and passage(here) >= 0:
            yield PASSAGE
        if here >= 0 and state.summoned[seat]:
            yield from SUGGESTIONS
        if rules.accuse != "end":
            yield from ACCUSATIONS
        if rules.movement == "free":
            yield PASS
            yield from (WALK + square for square in sorted(squares(rules, state)))
    elif state.phase == SUGGEST:
        yield from suggestions(rules, state, here)
        if rules.accuse == "any":
            yield from ACCUSATIONS
    elif state.phase == SHOW:
        matching = int(state.hand[state.answerer] & state.cards)
        yield from (REVEAL + card for card in range(21) if matching >> card & 1)
    elif state.phase == END and rules.accuse in AT_THE_END:
        yield from ACCUSATIONS
        yield PASS
    else:
        assert state.phase == OVER
