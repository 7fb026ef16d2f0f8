"""Play a portion of a match in this process: what one task does, without Ray."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

import sim.players
import sim.rules
from experiments.results import ROW, Played
from experiments.schedule import Match, label
from sim.arena import play_many
from sim.player import Player
from sim.record import Recorder
from sim.referee import GameResult, play


def check(match: Match) -> None:
    """Make rules and players once, to see whether they can be.

    Raises
    ------
    ValueError
        With one sentence on what cannot be.
    """
    rules = sim.rules.preset(**match.rules)
    for specification in (match.player, match.opponent):
        sim.players.make(specification, rules)


def warm(match: Match) -> None:
    """Compile all that the match needs, or load it from the disk, by the smallest possible game.

    Done once before workers start: Numba's cache on disk has no lock.
    """
    small = [_smallest(each) for each in (match.player, match.opponent)]
    # A game that is written down is played by other code.
    for records in {0, min(match.records, 1)}:
        portion(replace(match, player=small[0], opponent=small[1], records=records), range(1))


def _smallest(specification: dict[str, Any]) -> dict[str, Any]:
    """Return a player that runs the same compiled code as briefly as can be, in this process."""
    if "search" not in specification:
        return specification
    search, budget = specification["search"], specification["budget"]
    return {
        **specification,
        "budget": {**budget, "simulations": search["threads"]},
        "search": {**search, "mode": "tree", "workers": 1},
    }


def portion(match: Match, games: Sequence[int]) -> Played:
    """Play ``games``; return their rows, one a game and seat (`results.ROW`), and the records."""
    if not match.compiled:
        return _under_referee(match, games)
    rows, records = _under_referee(match, [k for k in games if k < match.records])
    rest = [k for k in games if k >= match.records]
    tables = [
        _in_arena(match, seat, np.array([k for k in rest if match.focal_seat(k) == seat]))
        for seat in match.focal_seats
    ]
    order = [("game", "ascending"), ("seat", "ascending")]
    return Played(pa.concat_tables([rows, *tables]).sort_by(order), records)


def _in_arena(match: Match, focal_seat: int, games: np.ndarray) -> pa.Table:
    """Play games among compiled policies in which ``focal_seat`` is the measured one."""
    seats = match.seats(focal_seat)
    rules = sim.rules.preset(**match.rules)
    policies = [sim.players.compiled(each) for each in seats]
    result = play_many(rules, policies, match.seed, games.astype(np.int64))
    n, players = len(games), match.players
    seat = np.tile(np.arange(players), n)
    winner = np.repeat(result.winner, players)
    nothing = np.zeros(n * players)
    return pa.table(
        {
            "game": np.repeat(games, players),
            "seat": seat,
            "player": [label(each) for each in seats] * n,
            "focal": seat == focal_seat,
            "won": seat == winner,
            "out": np.asarray(result.out, bool).ravel(),
            "suggestions": result.suggestions.ravel(),
            "decisions": nothing,
            "simulations": nothing,
            "search_seconds": nothing,
            "winner": winner,
            "turns": np.repeat(result.turns, players),
            "game_suggestions": np.repeat(result.suggestions.sum(axis=1), players),
        }
    ).cast(ROW)


def _under_referee(match: Match, games: Sequence[int]) -> Played:
    """Play games in which at least one seat is no compiled policy, or that are written down."""
    rules = sim.rules.preset(**match.rules)
    focal = _seated(json.dumps(match.player), rules, 0)
    others = [_seated(json.dumps(match.opponent), rules, i) for i in range(1, match.players)]
    rows, records = [], {}
    for game in games:
        focal_seat = match.focal_seat(game)
        seats = [*others[:focal_seat], focal, *others[focal_seat:]]
        recorder = Recorder(rules, seats, match.seed, game) if game < match.records else None
        rows += _rows(game, focal_seat, play(rules, seats, match.seed, game, recorder))
        if recorder:
            records[game] = recorder.text()
    return Played(pa.Table.from_pylist(rows, ROW), records)


@lru_cache(maxsize=12)
def _seated(specification: str, rules: sim.rules.Rules, number: int) -> Player:
    """Return the player that this process keeps for a place at the table, with all it has made."""
    return sim.players.make(json.loads(specification), rules)


def _rows(game: int, focal_seat: int, result: GameResult) -> list[dict[str, object]]:
    return [
        {
            "game": game,
            "seat": number,
            "player": seat.player,
            "focal": number == focal_seat,
            "won": seat.won,
            "out": seat.out,
            "suggestions": seat.suggestions,
            "decisions": seat.decisions,
            "simulations": seat.simulations,
            "search_seconds": seat.search_seconds,
            "winner": result.winner,
            "turns": result.turns,
            "game_suggestions": result.suggestions,
        }
        for number, seat in enumerate(result.seats)
    ]
