"""Random late positions: games of random suggestions, stopped when few deals remain.

Suggestions name any trio, and answers show any matching card.  The game stops at the seat's first
turn with few enough consistent deals; the other players are then set to have accused wrongly.
Selection depends only on the seat's observations, so the true deal follows the posterior.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from mcts.kernel.rng import below
from mcts.options import SEEDS, check_integer
from sim.board import N_ROOMS
from sim.chance import game_key
from sim.endgame.deals import list_deals
from sim.endgame.positions import Endgame, solve_position
from sim.endgame.solver import PAIRS
from sim.game import apply, new_game, open_decision
from sim.policies.registry import choose
from sim.rules import preset, world
from sim.state import ASK, MOVE, SHOW, TURN, State, World, empty
from sim.view import as_seen, view_of

MAX_DEALS = 8
MIN_ENVELOPES = 3
TURNS = 3
"""Own turns left, the current one included."""
MARGIN = 0.03
"""Minimum gap between the values of an interesting position, and between the best and 1."""


def endgames(seed: int, players: int = 4) -> Iterator[Endgame]:
    """Yield interesting positions of ``players`` forever, deterministic given ``seed``.

    In an interesting position, neither an accusation now, nor a suboptimal trio, nor a certain win
    lies within `MARGIN` of the best value.
    """
    for game in count():
        found = endgame(seed, game, players)
        if found and found.gap > MARGIN and found.best < 1.0 - MARGIN:
            yield found


def endgame(seed: int, game: int, players: int = 4, turns: int = TURNS) -> Endgame | None:
    """Return the position of game number ``game`` of run ``seed``, with ``turns`` left.

    The seat is ``game`` modulo ``players``.  The position has at most `MAX_DEALS` deals; None if
    they have fewer than `MIN_ENVELOPES` envelopes.  ValueError if a number is out of range.
    """
    seed, game = check_integer("seed", seed, SEEDS), check_integer("game", game, SEEDS)
    rules = preset("speed", players=players)
    board, state = world(rules)[0], empty()[0]
    seat = game % players
    state.recording = 1
    new_game(board, state, np.uint64(game_key(seed, game)))
    events = []
    while True:
        if state.phase == TURN and state.seat == seat:
            cards = int(state.hand[seat]), int(state.face_up)
            deals = list_deals(rules.hand_sizes, seat, *cards, events, MAX_DEALS)
            if deals is not None:
                break
        open_decision(state)
        apply(board, state, _random_action(board, state))
        events += [as_seen(tuple(event), seat) for event in state.event[: state.events].tolist()]
        state.events = 0
    if len({deal.envelope for deal in deals}) < MIN_ENVELOPES:
        return None
    state.out[:players] = 1
    state.out[seat] = 0
    capped = replace(rules, turn_cap=int(state.turn) + turns - 1)
    return solve_position(capped, seat, view_of(state, seat), events, MAX_DEALS)


def _random_action(board: World, state: State) -> int:
    """Return a random move, suggestion or matching card; one draw from ``state.stream``."""
    if state.phase == SHOW:
        return choose(board, state, state.answerer)
    if state.phase == TURN:
        return MOVE + below(state.stream, N_ROOMS)
    return ASK + below(state.stream, PAIRS)
