"""The game inside a simulation: policy decisions, answers, accusations, the end.

``real`` is the searching seat, ``agent`` the seat that it plays in simulations, ``on`` the
deviations as bits, ``paid`` the returns by seat.  Policies draw from ``state.stream``, opened for
each decision; answers and accusations draw from ``stream``.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import CATEGORY_MASK, count, lowest
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
from sim.planning.released.departures import (
    ANSWERER_NEXT,
    BOLD_OPPONENTS,
    EVEN_ACCUSATIONS,
    EVEN_ANSWERS,
    INSTANT_WIN,
    MOVE_TICKETS,
    NO_FACE_UP,
    NO_REENTRY,
    OWN_ANSWERS,
    RANDOM_SELF,
)
from sim.policies.common import accusation, needs_goal
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
_PAIRS = 36


# Decisions.


@jit
def decide(world: World, state: State, agent: int, on: int) -> int:
    """Return the action of the seat to move, by a deviation or else by its policy."""
    own = state.seat == agent
    if state.phase == TURN:
        if own and on & (RANDOM_SELF | MOVE_TICKETS | NO_REENTRY):
            return own_turn(world, state, on)
        if not own and on & (BOLD_OPPONENTS | NO_REENTRY):
            return opponents_turn(world, state, on)
    elif state.phase == SUGGEST and own and on & RANDOM_SELF:
        return any_pair(state, on)
    return choose(world, state, decider(state))


@jit
def own_turn(world: World, state: State, on: int) -> int:
    """Return an action of the agent at a turn: a drawn type, then by policy or uniform.

    It may accuse once the envelope is known; the program then accuses a uniform trio.
    """
    seat = state.seat
    known = certain_envelope(state.belief[seat])
    if known and not on & RANDOM_SELF:
        return accusation(known)
    here = barred_room(world, state, on)
    moves = 1
    if on & MOVE_TICKETS:
        moves = N_ROOMS if here < 0 else N_ROOMS - 1
    kind = _draw_kind(world, state, moves, known > 0)
    if kind == ACCUSE:
        return ACCUSE + below(state.stream, _TRIOS)
    if kind == ASK:
        return any_pair(state, on) if on & RANDOM_SELF else suggestion(world, state, seat)
    if kind == PASSAGE:
        return PASSAGE
    if on & RANDOM_SELF:
        goal = below(state.stream, N_ROOMS if here < 0 else N_ROOMS - 1)
        return MOVE + (goal + 1 if 0 <= here <= goal else goal)
    return MOVE + _goal(world, state, here)


@jit
def opponents_turn(world: World, state: State, on: int) -> int:
    """Return an action of an opponent at a turn, of a drawn type."""
    seat = state.seat
    known = certain_envelope(state.belief[seat])
    if known:
        return accusation(known)
    bold = on & BOLD_OPPONENTS > 0 and is_bold(state, seat)
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
    if tickets == moves:
        return MOVE
    drawn = below(state.stream, tickets) - moves
    if drawn < 0:
        return MOVE
    if passage and drawn == 0:
        return PASSAGE
    return ASK if asks and drawn == passage else ACCUSE


@jit
def barred_room(world: World, state: State, on: int) -> int:
    """Return the room that the seat to move may not enter, -1 for none."""
    if world.reenter and not on & NO_REENTRY:
        return -1
    return max(world.room_of[state.spot[state.seat]], shut_room(world, state, state.seat))


@jit
def has_goal(world: World, state: State, barred: int) -> bool:
    """Return whether the seat to move has a goal that it may enter."""
    return not needs_goal(world, state, state.seat) and state.goal[state.seat] != barred


@jit
def _goal(world: World, state: State, barred: int) -> int:
    """Return the goal of the heuristic, kept until reached."""
    seat = state.seat
    if not has_goal(world, state, barred):
        state.goal[seat] = unsure_room(state, seat, barred)
    return state.goal[seat]


@jit
def any_pair(state: State, on: int) -> int:
    """Return a uniform suggestion among those that `may_ask` allows."""
    open_to = 0
    for pair in range(_PAIRS):
        open_to += may_ask(state, pair, on)
    left = below(state.stream, open_to)
    for pair in range(_PAIRS):
        left -= may_ask(state, pair, on)
        if left < 0:
            return ASK + pair
    return ASK


@jit
def may_ask(state: State, pair: int, on: int) -> bool:
    """Return whether the agent may name this pair: not face-up cards under `NO_FACE_UP`."""
    if not on & NO_FACE_UP:
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
    for kind in CATEGORY_MASK:
        best, rest = lowest(kind), kind
        while rest:
            card = lowest(rest)
            rest &= rest - 1
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
def act(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    action: int,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Apply ``action`` of the seat to move, with a drawn answer for a suggestion."""
    if ACCUSE <= action < REVEAL:
        accuse(world, state, agent, on, action, paid, stream)
        return
    if PASSAGE < action < ACCUSE:
        first = state.seat + 1 if state.seat + 1 < world.players else 0
        cards = named_cards(world, state, action)
        even = on & EVEN_ANSWERS > 0
        draw_answer(world, state, real, agent, even, cards, first, 0, stream)
    do(world, state, agent, on, action, paid)


@jit
def do(world: World, state: State, agent: int, on: int, action: int, paid: np.ndarray) -> None:
    """Apply ``action`` by the rules, and the deviations that follow an answer."""
    asker = state.seat
    apply(world, state, action)
    if state.phase == SHOW or not (ASK <= action < ACCUSE or REVEAL <= action < PASS):
        return
    if on & OWN_ANSWERS:
        learn_own_answers(world, state, asker)
    if on & INSTANT_WIN:
        for seat in range(world.players):
            if seat != agent and not state.out[seat] and certain_envelope(state.belief[seat]):
                win(state, seat, 1.0, paid)
                return
    if on & ANSWERER_NEXT and state.answerer >= 0 and state.phase == TURN:
        seat = state.answerer
        for _ in range(world.players):
            seat = seat + 1 if seat + 1 < world.players else 0
            if not state.out[seat]:
                break
        state.seat = seat


@jit
def learn_own_answers(world: World, state: State, asker: int) -> None:
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
def win(state: State, seat: int, worth: float, paid: np.ndarray) -> None:
    """End the game with ``seat`` as winner and return ``worth``."""
    state.winner = seat
    state.phase = OVER
    paid[seat] = worth


@jit
def accuse(
    world: World,
    state: State,
    agent: int,
    on: int,
    action: int,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Apply a policy's accusation.

    By the text, the agent's accusation ends the game with its probability as the return, and a
    certain opponent is right; an uncertain one is right with the probability in its notebook.
    `EVEN_ACCUSATIONS` tosses a coin instead.  A wrong accuser takes no more turns.
    """
    seat = state.seat
    if on & EVEN_ACCUSATIONS:
        right = uniform(stream) < 0.5
    elif seat == agent:
        matrix = state.belief[seat]
        chance = chance_of(matrix, action) if on & RANDOM_SELF else reward(state, matrix)
        win(state, seat, chance, paid)
        return
    elif on & BOLD_OPPONENTS and not certain_envelope(state.belief[seat]):
        right = uniform(stream) < chance_of(state.belief[seat], action)
    else:
        right = True
    if right:
        win(state, seat, 1.0, paid)
    else:
        state.out[seat] = 1
        next_turn(world, state)


# Roll-out to the end.


@jit
def play_out(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    alone: bool,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Run policies in all seats until the game is over or no player can win.

    ``alone``: only the agent's return matters.
    """
    while state.phase != OVER:
        open_decision(state)
        action = decide(world, state, agent, on)
        act(world, state, real, agent, on, action, paid, stream)
        if action >= ASK and is_hopeless(world, state, agent, on, alone):
            return


@jit
def is_hopeless(world: World, state: State, agent: int, on: int, alone: bool) -> bool:
    """Return whether no player whose return matters can win.

    Only bold opponents accuse before they are certain.
    """
    for seat in range(world.players):
        if state.out[seat] or (alone and seat != agent):
            continue
        if seat != agent and on & BOLD_OPPONENTS:
            return False
        if not never_certain(state.belief[seat]):
            return False
    return True
