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
from sim.planning.released.play import Play, barred_room, do, has_goal, is_bold, likeliest, may_ask
from sim.policies.common import accusation
from sim.policies.heuristic import certain_envelope, suggestion
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, REVEAL, SUGGEST, TURN, State, World

ACTION, ASKED, PASSED, HELD = range(4)
"""Fields of an open question: suggestion (0: none), asked player, mask of the columns of players
that passed, mask of the shown card."""


@jit
def list_own(p, g: Play, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the actions of the seat to move with the agent's notebook, ascending.

    As for the planner by the text (`sim.planning.candidates`), less the excluded actions.  ``p``:
    its position, ``work``: its workspace for marginals.
    """
    state, belief = g.state, g.state.belief[g.agent]
    barred = barred_room(g.world, state, g.on)
    n = 0
    for i in range(every(g.world, state, state.seat, out)):
        asks = ASK <= out[i] < ACCUSE
        if out[i] != MOVE + barred and not (asks and not may_ask(state, out[i] - ASK, g.on)):
            out[n], edge_data[n] = out[i], 0.0
            n += 1
    if state.phase == SUGGEST or (g.on & CERTAIN_ONLY and not certain_envelope(belief)):
        return n
    for card in range(belief.shape[0]):
        for holder in range(belief.shape[1]):
            work.marginals[card, holder] = belief[card, holder]
    return weave_accusations(p, state, work, out, edge_data, n)


@jit
def list_opponents(g: Play, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the possible actions of the heuristic in the seat to move, for each type.

    All rooms of equal entropy are listed.  A certain envelope is accused immediately.
    """
    world, state, seat = g.world, g.state, g.state.seat
    known = certain_envelope(state.belief[seat])
    n = 1
    if state.phase != SUGGEST and known:
        out[0] = accusation(known)
    elif state.phase == END:
        out[0] = PASS
    elif state.phase == SUGGEST:
        out[0] = suggestion(world, state, seat)
    else:
        here = world.room_of[state.spot[seat]]
        n = _list_goals(world, state, barred_room(world, state, g.on), out)
        if here >= 0 and world.passage[here] >= 0:
            out[n] = PASSAGE
            n += 1
        if here >= 0 and state.summoned[seat]:
            out[n] = suggestion(world, state, seat)
            n += 1
        if g.on & BOLD_OPPONENTS and state.phase == TURN and is_bold(state, seat):
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
def ask(g: Play, action: int) -> None:
    """Open the suggestion ``action`` of the seat to move; ask the first possible holder."""
    g.question[ACTION], g.question[ASKED], g.question[PASSED] = action, g.state.seat, 0
    g.question[HELD] = 0
    _ask_next(g)


@jit
def answer(g: Play, action: int) -> None:
    """Apply the asked player's card or pass; after a pass ask the next player."""
    if action == PASS:
        g.question[PASSED] |= 1 << (g.question[ASKED] + 1)
        _ask_next(g)
    else:
        g.question[HELD] = 1 << (action - REVEAL)


@jit
def _ask_next(g: Play) -> None:
    """Advance to the next possible holder, or to the asking seat."""
    question, state = g.question, g.state
    cards = named_cards(g.world, state, question[ACTION]) & ~state.envelope
    while True:
        asked = question[ASKED] + 1 if question[ASKED] + 1 < g.world.players else 0
        question[ASKED] = asked
        if asked == state.seat or may_show(state.belief[g.agent], asked, cards, 0)[0]:
            return
        question[PASSED] |= 1 << (asked + 1)


@jit
def close_if_decided(g: Play) -> None:
    """Apply an open suggestion whose answer is decided, with hands that contain only the answer."""
    question, state = g.question, g.state
    if not question[ACTION] or not (question[HELD] or question[ASKED] == state.seat):
        return
    own, action = state.hand[g.real], question[ACTION]
    question[ACTION] = 0
    empty_hands(g.world, state, -1)
    if question[HELD]:
        state.hand[question[ASKED]] = question[HELD]
    do(g, g.on, action)
    empty_hands(g.world, state, -1)
    state.hand[g.real] = own


@jit
def list_open(g: Play, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the answers of the asked player; `ROOT_BELIEF` ignores earlier passes."""
    question, state = g.question, g.state
    cards = named_cards(g.world, state, question[ACTION]) & ~state.envelope
    passed = 0 if g.on & ROOT_BELIEF else question[PASSED]
    return list_answers(state.belief[g.agent], question[ASKED], cards, passed, out, edge_data)
