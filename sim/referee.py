"""The referee: one game among any players, on the state machine of `sim.game`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.options import SEEDS, check_integer
from sim.arena import Memory, run
from sim.chance import game_key, search_key
from sim.game import advance, apply, decider, new_game
from sim.legal import is_legal
from sim.player import IllegalAction, Player
from sim.policies.registry import SHOWING, SLOW, seat_policies
from sim.rules import Rules, world
from sim.state import EVENTS, EXTERNAL, OVER, SHOW, State, World, empty
from sim.view import as_seen, view_of


@dataclass(frozen=True)
class SeatResult:
    """One seat of one game; ``search_seconds``: wall time, ``faults``: of an external program."""

    player: str
    won: bool
    out: bool
    suggestions: int
    decisions: int
    simulations: int
    search_seconds: float
    faults: int = 0


@dataclass(frozen=True)
class GameResult:
    """One game; ``winner`` is a seat, or -1 for a draw; ``turns`` counts turns of all players."""

    winner: int
    turns: int
    suggestions: int
    seats: tuple[SeatResult, ...]


class Opening(NamedTuple):
    """A dealt game: its state (1,), memory for its policies, the external seats."""

    states: np.recarray
    memory: Memory
    outsiders: list[int]


def open_game(rules: Rules, seats: Sequence[Player], seed: int, game: int) -> Opening:
    """Deal game number ``game`` of run ``seed`` and call `Player.begin` of the external seats.

    Raises ValueError unless there is one player per seat and all numbers are in range.
    """
    if len(seats) != rules.players:
        raise ValueError(f"{rules.players} seats need as many players, got {len(seats)}")
    seed, game = check_integer("seed", seed, SEEDS), check_integer("game", game, SEEDS)
    states, policies = empty(), [player.policy for player in seats]
    state = states[0]
    seat_policies(state, policies)
    outsiders = [seat for seat, policy in enumerate(policies) if policy is None]
    for seat in outsiders:
        player = seats[seat]
        state.showing[seat] = EXTERNAL if player.picks_cards else SHOWING.index(player.showing)
    state.recording = int(bool(outsiders))
    new_game(world(rules)[0], state, np.uint64(game_key(seed, game)))
    for seat in outsiders:
        seats[seat].begin(rules, seat, view_of(state, seat), int(search_key(seed, game, seat)))
    return Opening(states, Memory(policies), outsiders)


def play(
    rules: Rules,
    seats: Sequence[Player],
    seed: int,
    game: int,
    watch: Callable[[np.record, int], None] | None = None,
) -> GameResult:
    """Play game number ``game`` of run ``seed`` among ``seats``.

    Deal and dice depend only on (seed, game); so does the result if the players are deterministic
    given their key.  ``watch`` receives the true state and the action before every action, and the
    final state with -1; it must not change the state.

    Raises ValueError like `open_game`; IllegalAction if a player chooses an illegal action.
    """
    states, memory, outsiders = open_game(rules, seats, seed, game)
    board, state = world(rules)[0], states[0]
    # Calling a kernel with a plain array takes a thirtieth of the time of a record.
    table = _Table(world(rules).view(np.ndarray), states.view(np.ndarray))
    happened, event = states["events"], states["event"][0]
    while True:
        _run(table, board, state, memory, watch)
        for suggestion in event[: happened[0]].tolist():
            for seat in outsiders:
                seats[seat].see(as_seen(tuple(suggestion), seat))
        happened[0] = 0
        seat = _next_outsider(*table)
        if seat == _NOBODY:
            break
        if seat == _GO_ON:
            continue
        action = int(seats[seat].decide(view_of(state, seat)))
        if not _is_legal(*table, action):
            raise IllegalAction(f"{seats[seat].name} in seat {seat} chose action {action}")
        if watch:
            watch(state, action)
        _apply(*table, action)
    if watch:
        watch(state, -1)
    return GameResult(
        winner=int(state.winner),
        turns=int(state.turn),
        suggestions=int(state.asked),
        seats=tuple(
            SeatResult(
                player=player.name,
                won=bool(state.winner == seat),
                out=bool(state.out[seat]),
                suggestions=int(state.suggestions[seat]),
                decisions=player.decisions,
                simulations=player.simulations,
                search_seconds=player.search_seconds,
                faults=player.faults,
            )
            for seat, player in enumerate(seats)
        ),
    )


class _Table(NamedTuple):
    worlds: np.ndarray  # (1,) of `sim.rules.WORLD`
    states: np.ndarray  # (1,) of `sim.state.STATE`


_NOBODY, _GO_ON = -1, -2
"""Instead of a seat: the game is over; the machine stopped because the events were full."""


@jit
def _from_outside(s: State) -> bool:
    if s.phase == SHOW:
        return s.showing[s.answerer] == EXTERNAL
    return s.policy[s.seat] == EXTERNAL


@jit
def _next_outsider(worlds: np.ndarray, states: np.ndarray) -> int:
    """Return the external seat that must decide, or `_NOBODY` or `_GO_ON`."""
    s = states[0]
    if s.phase == OVER:
        return _NOBODY
    return decider(s) if _from_outside(s) else _GO_ON


@jit
def _is_legal(worlds: np.ndarray, states: np.ndarray, action: int) -> bool:
    return is_legal(worlds[0], states[0], action)


@jit
def _apply(worlds: np.ndarray, states: np.ndarray, action: int) -> None:
    apply(worlds[0], states[0], action)


@jit
def _advance(worlds: np.ndarray, states: np.ndarray) -> bool:
    """Run the policies of the machine; return whether a slow policy decides next."""
    s = states[0]
    advance(worlds[0], s)
    return s.phase != OVER and s.phase != SHOW and s.events < EVENTS and s.policy[s.seat] >= SLOW


def _run(
    table: _Table,
    board: World,
    state: State,
    memory: Memory,
    watch: Callable[[np.record, int], None] | None,
) -> None:
    """Run compiled seats like `sim.arena.run`; one action at a time for ``watch``."""
    if watch is None:
        if _advance(*table):
            while not run(board, state, memory.work, memory.sample):
                memory.grow()
        return
    while state.phase != OVER and state.events < EVENTS and not _from_outside(state):
        action = memory.act(board, state)
        watch(state, action)
        apply(board, state, action)
