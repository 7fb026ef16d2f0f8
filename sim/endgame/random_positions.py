"""Random late positions: games of random suggestions, stopped when few deals are left.

Suggestions name any room, suspect and weapon, and answers show any matching card.
At the first own turn at which few enough deals explain what the seat has seen, the others are taken
to have accused wrongly.  Games are kept or dropped by what the seat has seen alone, so the true
deal of a position that is kept is distributed as its posterior says.
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

MOST_DEALS = 8
LEAST_ENVELOPES = 3
TURNS = 3
"""Own turns to go, the one at hand included."""
MARGIN = 0.03
"""By this much the values of an interesting position are apart, and the best is below 1."""


def endgames(seed: int, players: int = 4) -> Iterator[Endgame]:
    """Yield interesting positions of ``players``, without end; the same for the same ``seed``.

    Interesting: neither an accusation at once, nor a trio not as good as the best, nor certainty
    in time comes within `MARGIN` of the best value.
    """
    for game in count():
        found = endgame(seed, game, players)
        if found and found.gap > MARGIN and found.best < 1.0 - MARGIN:
            yield found


def endgame(seed: int, game: int, players: int = 4, turns: int = TURNS) -> Endgame | None:
    """Return the position of game number ``game`` of the run ``seed``, with ``turns`` to go.

    That of seat ``game`` modulo ``players``, with up to `MOST_DEALS` deals; None if these have
    fewer than `LEAST_ENVELOPES` envelopes.  ValueError if a number is out of range.
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
            deals = list_deals(rules.hand_sizes, seat, *cards, events, MOST_DEALS)
            if deals is not None:
                break
        open_decision(state)
        apply(board, state, _random_action(board, state))
        events += [as_seen(tuple(event), seat) for event in state.event[: state.events].tolist()]
        state.events = 0
    if len({deal.envelope for deal in deals}) < LEAST_ENVELOPES:
        return None
    state.out[:players] = 1
    state.out[seat] = 0
    capped = replace(rules, turn_cap=int(state.turn) + turns - 1)
    return solve_position(capped, seat, view_of(state, seat), events, MOST_DEALS)


def _random_action(board: World, state: State) -> int:
    """Return any move, suggestion or matching card; one draw of ``state.stream``."""
    if state.phase == SHOW:
        return choose(board, state, state.answerer)
    if state.phase == TURN:
        return MOVE + below(state.stream, N_ROOMS)
    return ASK + below(state.stream, PAIRS)
