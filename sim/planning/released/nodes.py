"""Actions of tree nodes: the agent's own options, opponents' moves, and answers.

A suggestion whose answer the tree decides is *open*: it is not yet applied to the game.
``question`` stores it, with the asked player and the columns of players that passed, until a player
shows a card or all have passed.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM
from sim.knowledge import row_bits
from sim.planning.answers import empty_hands, list_answers, may_show, named_cards
from sim.planning.candidates import every, weave_accusations
from sim.planning.released.departures import BOLD_OPPONENTS, CERTAIN_ONLY, ROOT_BELIEF
from sim.planning.released.playing import barred_room, do, has_goal, is_bold, likeliest, may_ask
from sim.policies.common import accusation
from sim.policies.heuristic import certain_envelope, suggestion
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, REVEAL, SUGGEST, TURN, State, World

ACTION, ASKED, PASSED, HELD = range(4)
"""Fields of an open question: suggestion (0: none), asked player, mask of the columns of players
that passed, mask of the shown card."""


@jit
def list_own(
    p,
    state: State,
    work: tuple,
    belief: np.ndarray,
    on: int,
    out: np.ndarray,
    edge_data: np.ndarray,
) -> int:
    """List the actions of the seat to move with the notebook ``belief``, ascending.

    As for the planner by the text (`sim.planning.candidates`), less the excluded actions.  ``p``:
    its position, ``work``: its workspace for marginals.
    """
    seat = state.seat
    barred = barred_room(p.world[0], state, on)
    n = 0
    for i in range(every(p.world[0], state, seat, out)):
        asks = ASK <= out[i] < ACCUSE
        if out[i] != MOVE + barred and not (asks and not may_ask(state, out[i] - ASK, on)):
            out[n], edge_data[n] = out[i], 0.0
            n += 1
    if state.phase == SUGGEST or (on & CERTAIN_ONLY and not certain_envelope(belief)):
        return n
    for card in range(belief.shape[0]):
        for holder in range(belief.shape[1]):
            work.marginals[card, holder] = belief[card, holder]
    return weave_accusations(p, state, work, out, edge_data, n)


@jit
def list_opponents(
    world: World, state: State, on: int, out: np.ndarray, edge_data: np.ndarray
) -> int:
    """List the possible actions of the heuristic in the seat to move, for each type.

    All rooms of equal entropy are listed.  A certain envelope is accused immediately.
    """
    seat = state.seat
    known = certain_envelope(state.belief[seat])
    n = 0
    if state.phase != SUGGEST and known:
        out[0] = accusation(known)
        n = 1
    elif state.phase == END:
        out[0] = PASS
        n = 1
    elif state.phase == SUGGEST:
        out[0] = suggestion(world, state, seat)
        n = 1
    else:
        here = world.room_of[state.spot[seat]]
        n = _list_goals(world, state, barred_room(world, state, on), out)
        if here >= 0 and world.passage[here] >= 0:
            out[n] = PASSAGE
            n += 1
        if here >= 0 and state.summoned[seat]:
            out[n] = suggestion(world, state, seat)
            n += 1
        if on & BOLD_OPPONENTS and state.phase == TURN and is_bold(state, seat):
            out[n] = likeliest(state.belief[seat])
            n += 1
    for i in range(n):
        edge_data[i] = 1.0
    return n


@jit
def _list_goals(world: World, state: State, barred: int, out: np.ndarray) -> int:
    """List the current goal of the seat to move, or else all rooms of the highest entropy."""
    seat = state.seat
    if has_goal(world, state, barred):
        out[0] = MOVE + state.goal[seat]
        return 1
    highest = -1.0
    n = 0
    for room in range(N_ROOMS):
        bits = row_bits(state, seat, FIRST_ROOM + room)
        if room == barred or bits < highest:
            continue
        if bits > highest:
            highest, n = bits, 0
        out[n] = MOVE + room
        n += 1
    return n


# Questions.


@jit
def ask(world: World, state: State, agent: int, action: int, question: np.ndarray) -> None:
    """Open the suggestion ``action`` of the seat to move; ask the first possible holder."""
    question[ACTION], question[ASKED], question[PASSED] = action, state.seat, 0
    question[HELD] = 0
    ask_next(world, state, agent, question)


@jit
def answer(world: World, state: State, agent: int, action: int, question: np.ndarray) -> None:
    """Apply the asked player's card or pass; after a pass ask the next player."""
    if action == PASS:
        question[PASSED] |= 1 << (question[ASKED] + 1)
        ask_next(world, state, agent, question)
    else:
        question[HELD] = 1 << (action - REVEAL)


@jit
def ask_next(world: World, state: State, agent: int, question: np.ndarray) -> None:
    """Advance to the next possible holder, or to the asking seat."""
    cards = named_cards(world, state, question[ACTION]) & ~state.envelope
    while True:
        question[ASKED] = question[ASKED] + 1 if question[ASKED] + 1 < world.players else 0
        asked = question[ASKED]
        if asked == state.seat or may_show(state.belief[agent], asked, cards, 0)[0]:
            return
        question[PASSED] |= 1 << (asked + 1)


@jit
def is_decided(state: State, question: np.ndarray) -> bool:
    """Return whether the answer to the open suggestion is decided."""
    return question[HELD] != 0 or question[ASKED] == state.seat


@jit
def close(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    question: np.ndarray,
    paid: np.ndarray,
) -> None:
    """Apply a decided suggestion to the game, with hands that contain only its answer."""
    own, action = state.hand[real], question[ACTION]
    question[ACTION] = 0
    empty_hands(world, state, -1)
    if question[HELD]:
        state.hand[question[ASKED]] = question[HELD]
    do(world, state, agent, on, action, paid)
    empty_hands(world, state, -1)
    state.hand[real] = own


@jit
def list_open(
    world: World,
    state: State,
    agent: int,
    on: int,
    question: np.ndarray,
    out: np.ndarray,
    edge_data: np.ndarray,
) -> int:
    """List the answers of the asked player; `ROOT_BELIEF` ignores earlier passes."""
    cards = named_cards(world, state, question[ACTION]) & ~state.envelope
    passed = 0 if on & ROOT_BELIEF else question[PASSED]
    own = state.belief[agent]
    return list_answers(own, question[ASKED], cards, passed, out, edge_data)
