"""The game inside a simulation: policy decisions, answers, accusations, the end.

Policies draw from ``state.stream``, opened for each decision; answers and accusations draw from
``stream``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.evidence import CATEGORY_START, N_CATEGORIES, count, lowest
from belief.matrix import envelope_chance, never_certain, note_pass, note_refutation
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.game import apply, decider, next_turn, open_decision
from sim.knowledge import row_bits
from sim.movement import barred_room as shut_room
from sim.planning.answers import draw_answer, named_cards
from sim.planning.belief_mdp import reward
from sim.planning.released import departures as d
from sim.policies.common import PAIRS, accusation, needs_goal
from sim.policies.heuristic import certain_envelope, suggestion, unsure_room
from sim.policies.registry import choose
from sim.state import (
    ACCUSE,
    ASK,
    MOVE,
    OVER,
    PASS,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    State,
    World,
)

BOLD_BITS = 4.0
"""Entropy of the notebook below which an opponent accuses the likeliest envelope."""

_TRIOS = 324


class Play(NamedTuple):
    """A game inside a simulation.

    Attributes
    ----------
    world, state : rules and game
    real, agent : the searching seat, and the seat that it plays in simulations
    on : deviations, as bits of `sim.planning.released.departures`
    question : the open suggestion (`sim.planning.released.nodes`)
    paid : float64, returns by seat
    """

    world: World
    state: State
    real: int
    agent: int
    on: int
    question: np.ndarray
    paid: np.ndarray


# Decisions.


@jit
def decide(g: Play, on: int) -> int:
    """Return the action of the seat to move, by a deviation of ``on`` or else by its policy."""
    state = g.state
    own = state.seat == g.agent
    if state.phase == TURN:
        if own and on & (d.RANDOM_SELF | d.MOVE_TICKETS | d.NO_REENTRY):
            return own_turn(g.world, state, on)
        if not own and on & (d.BOLD_OPPONENTS | d.NO_REENTRY):
            return opponents_turn(g.world, state, on)
    elif state.phase == SUGGEST and own and on & d.RANDOM_SELF:
        return any_pair(state, on)
    return choose(g.world, state, decider(state))


@jit
def own_turn(world: World, state: State, on: int) -> int:
    """Return an action of the agent at a turn: a drawn type, then by policy or uniform.

    It may accuse once the envelope is known; the program then accuses a uniform trio.
    """
    seat = state.seat
    known = certain_envelope(state.belief[seat])
    if known and not on & d.RANDOM_SELF:
        return accusation(known)
    here = barred_room(world, state, on)
    rooms = N_ROOMS if here < 0 else N_ROOMS - 1
    kind = _draw_kind(world, state, rooms if on & d.MOVE_TICKETS else 1, known > 0)
    if kind == ACCUSE:
        return ACCUSE + below(state.stream, _TRIOS)
    if kind == ASK:
        return any_pair(state, on) if on & d.RANDOM_SELF else suggestion(world, state, seat)
    if kind == PASSAGE:
        return PASSAGE
    if on & d.RANDOM_SELF:
        goal = below(state.stream, rooms)
        return MOVE + (goal + 1 if 0 <= here <= goal else goal)
    return MOVE + _goal(world, state, here)


@jit
def opponents_turn(world: World, state: State, on: int) -> int:
    """Return an action of an opponent at a turn, of a drawn type."""
    seat = state.seat
    known = certain_envelope(state.belief[seat])
    if known:
        return accusation(known)
    bold = on & d.BOLD_OPPONENTS > 0 and is_bold(state, seat)
    kind = _draw_kind(world, state, 1, bold)
    if kind == ACCUSE:
        return likeliest(state.belief[seat])
    if kind == ASK:
        return suggestion(world, state, seat)
    if kind == PASSAGE:
        return PASSAGE
    return MOVE + _goal(world, state, barred_room(world, state, on))


@jit
def _draw_kind(world: World, state: State, moves: int, accuses: bool) -> int:
    """Return `MOVE` (``moves`` tickets), `PASSAGE`, `ASK` or `ACCUSE` (one ticket each)."""
    room = world.room_of[state.spot[state.seat]]
    passage = room >= 0 and world.passage[room] >= 0
    asks = room >= 0 and state.summoned[state.seat] > 0
    tickets = moves + passage + asks + accuses
    drawn = below(state.stream, tickets) - moves if tickets > moves else -1
    if drawn < 0:
        return MOVE
    if passage and drawn == 0:
        return PASSAGE
    return ASK if asks and drawn == passage else ACCUSE


@jit
def barred_room(world: World, state: State, on: int) -> int:
    """Return the room that the seat to move may not enter, -1 for none."""
    if world.reenter and not on & d.NO_REENTRY:
        return -1
    return max(world.room_of[state.spot[state.seat]], shut_room(world, state, state.seat))


@jit
def has_goal(world: World, state: State, barred: int) -> bool:
    """Return whether the seat to move has a goal that it may enter."""
    return not needs_goal(world, state, state.seat) and state.goal[state.seat] != barred


@jit
def _goal(world: World, state: State, barred: int) -> int:
    seat = state.seat
    if not has_goal(world, state, barred):
        state.goal[seat] = unsure_room(state, seat, barred)
    return state.goal[seat]


@jit
def any_pair(state: State, on: int) -> int:
    """Return a uniform suggestion among those that `may_ask` allows."""
    open_to = 0
    for pair in range(PAIRS):
        open_to += may_ask(state, pair, on)
    left = below(state.stream, open_to)
    for pair in range(PAIRS):
        left -= may_ask(state, pair, on)
        if left < 0:
            return ASK + pair
    return ASK


@jit
def may_ask(state: State, pair: int, on: int) -> bool:
    """Return whether the agent may name this pair: not face-up cards under `NO_FACE_UP`."""
    if not on & d.NO_FACE_UP:
        return True
    return not state.face_up & (1 << (pair // 6) | 1 << (FIRST_WEAPON + pair % 6))


@jit
def is_bold(state: State, seat: int) -> bool:
    """Return whether the total entropy of the notebook of ``seat`` is below `BOLD_BITS`."""
    bits = 0.0
    for card in range(N_CARDS):
        bits += row_bits(state, seat, card)
        if bits >= BOLD_BITS:
            return False
    return True


@jit
def likeliest(matrix: np.ndarray) -> int:
    """Return the accusation of the likeliest card of each category, first of ties."""
    envelope = 0
    for kind in range(N_CATEGORIES):
        best = CATEGORY_START[kind]
        for card in range(best + 1, CATEGORY_START[kind + 1]):
            if matrix[card, 0] > matrix[best, 0]:
                best = card
        envelope |= 1 << best
    return accusation(envelope)


@jit
def chance_of(matrix: np.ndarray, action: int) -> float:
    """Return the probability that the accusation ``action`` is right, for independent rows."""
    trio = action - ACCUSE
    accused = 1 << (trio // 54) | 1 << (FIRST_WEAPON + trio // 9 % 6) | 1 << (FIRST_ROOM + trio % 9)
    return envelope_chance(matrix, accused)


# Effects.


@jit
def act(g: Play, on: int, action: int, stream: np.ndarray) -> None:
    """Apply ``action`` of the seat to move, with a drawn answer for a suggestion."""
    if ACCUSE <= action < REVEAL:
        accuse(g, on, action, stream)
        return
    if PASSAGE < action < ACCUSE:
        asked = g.state.seat + 1 if g.state.seat + 1 < g.world.players else 0
        answer_by_chance(g, on, action, asked, 0, stream)
    do(g, on, action)


@jit
def answer_by_chance(
    g: Play, on: int, action: int, asked: int, passed: int, stream: np.ndarray
) -> None:
    """Draw the answer to the suggestion ``action`` from the player ``asked`` on."""
    cards, even = named_cards(g.world, g.state, action), on & d.EVEN_ANSWERS > 0
    draw_answer(g.world, g.state, g.real, g.agent, even, cards, asked, passed, stream)


@jit
def do(g: Play, on: int, action: int) -> None:
    """Apply ``action`` by the rules, and the deviations that follow an answer."""
    world, state = g.world, g.state
    asker = state.seat
    apply(world, state, action)
    if state.phase == SHOW or not (ASK <= action < ACCUSE or REVEAL <= action < PASS):
        return
    if on & d.OWN_ANSWERS:
        _learn_own_answers(world, state, asker)
    if on & d.INSTANT_WIN:
        for seat in range(world.players):
            if seat != g.agent and not state.out[seat] and certain_envelope(state.belief[seat]):
                win(g, seat, 1.0)
                return
    if on & d.ANSWERER_NEXT and state.answerer >= 0 and state.phase == TURN:
        seat = state.answerer
        for _ in range(world.players):
            seat = seat + 1 if seat + 1 < world.players else 0
            if not state.out[seat]:
                break
        state.seat = seat


@jit
def _learn_own_answers(world: World, state: State, asker: int) -> None:
    """Update the own columns of players that answered; certain rows do not change."""
    cards, seat = state.cards, asker
    for _ in range(world.players - 1):
        seat = seat + 1 if seat + 1 < world.players else 0
        if seat == state.answerer:
            unknown = N_CARDS - count(state.known[seat])
            changed = note_refutation(state.belief[seat], seat, cards, unknown)
        else:
            changed = note_pass(state.belief[seat], seat, cards)
        while changed:
            state.bits[seat, lowest(changed)] = -1.0
            changed &= changed - 1
        if seat == state.answerer:
            return


@jit
def win(g: Play, seat: int, worth: float) -> None:
    """End the game with ``seat`` as winner and return ``worth``."""
    g.state.winner = seat
    g.state.phase = OVER
    g.paid[seat] = worth


@jit
def accuse(g: Play, on: int, action: int, stream: np.ndarray) -> None:
    """Apply a policy's accusation.

    By the text, the agent's accusation ends the game with its probability as the return, and a
    certain opponent is right; an uncertain one is right with the probability in its notebook.
    `EVEN_ACCUSATIONS` tosses a coin instead.  A wrong accuser takes no more turns.
    """
    seat = g.state.seat
    matrix = g.state.belief[seat]
    if on & d.EVEN_ACCUSATIONS:
        right = uniform(stream) < 0.5
    elif seat == g.agent:
        win(g, seat, chance_of(matrix, action) if on & d.RANDOM_SELF else reward(g.state, matrix))
        return
    elif on & d.BOLD_OPPONENTS and not certain_envelope(matrix):
        right = uniform(stream) < chance_of(matrix, action)
    else:
        right = True
    if right:
        win(g, seat, 1.0)
    else:
        g.state.out[seat] = 1
        next_turn(g.world, g.state)


# Roll-out to the end.


@jit
def play_out(g: Play, alone: bool, stream: np.ndarray) -> None:
    """Run policies in all seats until the game is over or no player can win.

    ``alone``: only the agent's return matters.
    """
    while g.state.phase != OVER:
        open_decision(g.state)
        action = decide(g, g.on)
        act(g, g.on, action, stream)
        if action >= ASK and is_hopeless(g, alone):
            return


@jit
def is_hopeless(g: Play, alone: bool) -> bool:
    """Return whether no player whose return matters can win.

    Only bold opponents accuse before they are certain.
    """
    for seat in range(g.world.players):
        if g.state.out[seat] or (alone and seat != g.agent):
            continue
        if seat != g.agent and g.on & d.BOLD_OPPONENTS:
            return False
        if not never_certain(g.state.belief[seat]):
            return False
    return True
