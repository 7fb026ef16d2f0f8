"""Play a portion of a match in this process: the work of one task, without Ray."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

import sim.players.registry
import sim.rules
from experiments.matches.details import KINDS, Observer, together
from experiments.matches.results import HELD, ROW, Played
from experiments.matches.schedule import Match
from mcts.kernel.plugins import blame_plugin
from sim.arena import play_many
from sim.player import Player
from sim.records.record import Recorder
from sim.referee import GameResult, play


def check(match: Match) -> None:
    """Construct rules and players once, to check that they are valid.

    Raises ValueError with one sentence that names the fault.
    """
    rules = sim.rules.preset(**match.rules)
    for specification in match.entrants:
        sim.players.registry.make(specification, rules)


def warm(match: Match) -> None:
    """Compile all that the match needs, or load it from disk, by playing minimal games.

    Done once before workers start: Numba's cache on disk has no lock.
    """
    small = replace(match, entrants=tuple(map(_smallest, match.entrants)))
    everybody = np.unique(match.seating.table, return_index=True)[1] // match.players
    # A recorded game runs other code.
    for records in {0, min(match.records, 1)}:
        portion(replace(small, records=records), np.unique(everybody))


def _smallest(specification: dict[str, Any]) -> dict[str, Any]:
    """Return a player that runs the same compiled code with minimal work, in this process."""
    if "search" not in specification:
        return specification
    search, budget = specification["search"], specification["budget"]
    return {
        **specification,
        "budget": {**budget, "simulations": search["threads"]},
        "search": {**search, "mode": "tree", "workers": 1},
    }


def portion(match: Match, games: np.ndarray) -> Played:
    """Play ``games``; return their rows, one per game and seat (`results.HELD`), and details.

    Raises BrokenPlugin if another package's player or policy raises an exception.
    """
    with blame_plugin():  # in the worker, which has the traceback
        return _portion(match, np.asarray(games, np.int64))


def _portion(match: Match, games: np.ndarray) -> Played:
    if not match.compiled or match.details:
        return _under_referee(match, games)
    written = _under_referee(match, games[games < match.records])
    rest = games[games >= match.records]
    kinds, kind = match.seating.kinds
    seated = kind[rest % len(kind)]
    tables = [
        _in_arena(match, kinds[number], rest[seated == number]) for number in np.unique(seated)
    ]
    return replace(written, rows=pa.concat_tables([written.rows, *tables]))


def _in_arena(match: Match, who: np.ndarray, games: np.ndarray) -> pa.Table:
    """Play games of compiled policies, entrant ``who[seat]`` in each seat."""
    rules = sim.rules.preset(**match.rules)
    policies = [sim.players.registry.make_policy(match.entrants[entrant]) for entrant in who]
    result = play_many(rules, policies, match.seed, games)
    n, players = len(games), match.players
    seat = np.tile(np.arange(players), n)
    winner = np.repeat(result.winner, players)
    nothing = np.zeros(n * players, np.int64)
    names = pa.DictionaryArray.from_arrays(np.tile(who, n).astype(np.int32), match.labels)
    one = pa.DictionaryArray.from_arrays(np.zeros(n * players, np.int32), [match.name])
    focal = match.measured is not None and who == match.measured
    return pa.table(
        {
            "match": one,
            "game": np.repeat(games, players),
            "seat": seat,
            "player": names,
            "focal": np.tile(focal, n if np.ndim(focal) else n * players),
            "won": seat == winner,
            "out": np.asarray(result.out, bool).ravel(),
            "suggestions": result.suggestions.ravel(),
            "decisions": nothing,
            "simulations": nothing,
            "search_seconds": nothing.astype(np.float64),
            "faults": nothing,
            "winner": winner,
            "turns": np.repeat(result.turns, players),
            "game_suggestions": np.repeat(result.suggestions.sum(axis=1), players),
        }
    ).cast(HELD)


def _under_referee(match: Match, games: np.ndarray) -> Played:
    """Play games with a seat that is no compiled policy, or with records or details."""
    rules = sim.rules.preset(**match.rules)
    written = [json.dumps(entrant) for entrant in match.entrants]
    rows, records = [], {}
    details: dict[str, list[dict[str, object]]] = {kind: [] for kind in match.details}
    for game, who in zip(games.tolist(), match.seating.at(games).tolist(), strict=True):
        seats = [
            _seat(written[entrant], rules, who[:seat].count(entrant))
            for seat, entrant in enumerate(who)
        ]
        recorder = None
        if game < match.records:
            recorder = Recorder(rules, seats, match.seed, game, match.beliefs)
        observer = Observer(match.name, rules, seats, game, match.details) if details else None
        result = play(rules, seats, match.seed, game, together(recorder, observer))
        rows += _rows(match, game, who, result)
        if recorder:
            records[game] = recorder.text()
        for kind in details:
            details[kind] += observer.rows[kind] if observer else []
    return Played(
        pa.Table.from_pylist(rows, ROW).cast(HELD),
        records,
        {kind: pa.Table.from_pylist(found, KINDS[kind]) for kind, found in details.items()},
    )


@lru_cache(maxsize=24)
def _seat(specification: str, rules: sim.rules.Rules, number: int) -> Player:
    """Return this process's cached player for a place at the table."""
    return sim.players.registry.make(json.loads(specification), rules)


def _rows(match: Match, game: int, who: list[int], result: GameResult) -> list[dict[str, object]]:
    return [
        {
            "match": match.name,
            "game": game,
            "seat": number,
            "focal": who[number] == match.measured,
            **vars(seat),
            "winner": result.winner,
            "turns": result.turns,
            "game_suggestions": result.suggestions,
        }
        for number, seat in enumerate(result.seats)
    ]
