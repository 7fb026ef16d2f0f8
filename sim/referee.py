"""The referee: one game among any players, through the one state machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mcts.options import SEEDS, checked
from sim.arena import Memory, act, run
from sim.chance import game_key, search_key
from sim.game import apply, decider, legal, new_game
from sim.players.player import Player
from sim.policies import greedy
from sim.policies.table import SHOWING, seat_policies
from sim.rules import Rules, world
from sim.state import EVENTS, EXTERNAL, N_ACTIONS, OVER, SHOW, State, World, empty
from sim.view import as_seen, view_of


@dataclass(frozen=True)
class SeatResult:
    """One seat of one game; ``search_seconds`` is wall time spent searching."""

    player: str
    won: bool
    out: bool
    suggestions: int
    decisions: int
    simulations: int
    search_seconds: float


@dataclass(frozen=True)
class GameResult:
    """One game; ``winner`` is a seat or -1 for a draw, ``turns`` counts all players' turns."""

    winner: int
    turns: int
    suggestions: int
    seats: tuple[SeatResult, ...]


class IllegalAction(ValueError):
    """A player chose an action that the rules do not allow here."""


def play(
    rules: Rules,
    seats: Sequence[Player],
    seed: int,
    game: int,
    watch: Callable[[np.record, int], None] | None = None,
) -> GameResult:
    """Play game number ``game`` of the run ``seed`` among ``seats``.

    Deal and dice depend on (seed, game) alone; so does the result, as long as the players are
    deterministic given the key they are handed.  ``watch`` is handed the true state and the action
    before every action, and after the last the state and -1; it changes nothing.

    Raises
    ------
    ValueError
        If there is not one player a seat, or a number is out of range.
    IllegalAction
        If a player's choice is not among the legal actions.
    """
    if len(seats) != rules.players:
        raise ValueError(f"{rules.players} seats need as many players, got {len(seats)}")
    seed, game = checked("seed", seed, SEEDS), checked("game", game, SEEDS)
    board = world(rules)[0]
    state = empty()[0]
    policies = [player.policy for player in seats]
    seat_policies(state, policies)
    memory = Memory(policies)
    outsiders = [seat for seat, player in enumerate(seats) if player.policy is None]
    for seat in outsiders:
        player = seats[seat]
        state.showing[seat] = EXTERNAL if player.picks_cards else SHOWING.index(player.showing)
    state.recording = int(bool(outsiders))
    new_game(board, state, np.uint64(game_key(seed, game)))
    for seat in outsiders:
        seats[seat].begin(rules, seat, view_of(state, seat), int(search_key(seed, game, seat)))
    options = np.empty(N_ACTIONS, np.int64)
    while True:
        _run(board, state, memory, watch)
        for event in state.event[: state.events].tolist():
            for seat in outsiders:
                seats[seat].see(as_seen(tuple(event), seat))
        state.events = 0
        if state.phase == OVER:
            break
        seat = decider(state)
        if not _from_outside(state):  # stopped only because the events were full
            continue
        action = int(seats[seat].decide(view_of(state, seat)))
        if action not in options[: legal(board, state, options)]:
            raise IllegalAction(f"{seats[seat].name} in seat {seat} chose action {action}")
        if watch:
            watch(state, action)
        apply(board, state, action)
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
            )
            for seat, player in enumerate(seats)
        ),
    )


def _from_outside(state: State) -> bool:
    """Tell whether the decision at hand is for a player from outside."""
    seat = decider(state)
    return (state.showing if state.phase == SHOW else state.policy)[seat] == EXTERNAL


def _run(
    board: World,
    state: State,
    memory: Memory,
    watch: Callable[[np.record, int], None] | None,
) -> None:
    """Run compiled seats as `sim.arena.run` does; action by action if somebody watches."""
    if watch is None:
        while not run(board, state, memory.work, memory.sample):
            memory.grow()
        return
    while state.phase != OVER and state.events < EVENTS and not _from_outside(state):
        action = act(board, state, memory.work, memory.sample)
        if action == greedy.UNSOLVED:
            memory.grow()
            continue
        watch(state, int(action))
        apply(board, state, action)
