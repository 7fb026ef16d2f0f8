"""Figures of details: against all rows at once, and their intervals against many runs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.matches.details import DECISION, KINDS, SUGGESTION, Observer
from experiments.matches.results import ROW
from experiments.runs.figures import decision_stats, game_lengths, suggestion_stats
from sim.player import PolicyPlayer
from sim.referee import play
from sim.rules import preset

GAMES = 24


@pytest.fixture(scope="module")
def game_rows():
    """Return the rows of games between three heuristics and a closure player, by kind."""
    rules = preset("ledford", turn_cap=140)
    kinds = {"games": [], "suggestions": [], "decisions": []}
    for game in range(GAMES):
        names = ["heuristic"] * 4
        names[game % 4] = "closure"
        seats = [PolicyPlayer(name) for name in names]
        match = ("first", "second")[game % 3 == 2]
        observer = Observer(match, rules, seats, game, KINDS)
        result = play(rules, seats, 5, game, observer)
        kinds["suggestions"] += observer.rows["suggestions"]
        for seat, each in enumerate(result.seats):
            who = (match, game, seat, each.player, each.player == "closure", each.won, each.out)
            row = (*who, each.suggestions, 0, 0, 0.0, 0, result.winner)
            row += (result.turns, result.suggestions)
            kinds["games"].append(dict(zip(ROW.names, row, strict=True)))
        # What a planner in the closure player's seat might have searched.
        for i in range(1 + game % 5):
            kind = ("move", "suggestion", "accusation")[i % 3]
            row = (match, game, 1 + i, game % 4, "closure", kind, 100 + game, 0.1 * (1 + i), 3.0)
            kinds["decisions"].append(dict(zip(DECISION.names, row, strict=False)))
    return kinds


SCHEMAS = {"games": ROW, "suggestions": SUGGESTION, "decisions": DECISION}


def write(folder, kinds, parts):
    """Write rows in parts, the games of a part side by side, in no order."""
    for kind, rows in kinds.items():
        for part in range(parts):
            mine = [row for row in rows if row["game"] % parts == part]
            table = pa.Table.from_pylist(mine[::-1], SCHEMAS[kind])
            pq.write_table(table, folder / f"{kind}-{part:05d}.parquet")
    return folder


@pytest.fixture(scope="module")
def folder(game_rows, tmp_path_factory):
    return write(tmp_path_factory.mktemp("run"), game_rows, 5)


def of(rows, match, player):
    """Return the rows of one player by game."""
    games = {}
    for row in rows:
        if (row["match"], row["player"]) == (match, player):
            games.setdefault(row["game"], []).append(row)
    return games


def pool(games, value):
    return np.mean([value(row) for rows in games.values() for row in rows])


def by_game(games, value):
    return np.mean([np.mean([value(row) for row in rows]) for rows in games.values()])


PAIRS = [(match, player) for match in ("first", "second") for player in ("closure", "heuristic")]


def decrease(row):
    return row["entropy_before"] - row["entropy_after"]


def test_suggestions_are_those_of_all_rows_at_once(game_rows, folder):
    figures = {(each.match, each.player): each for each in suggestion_stats(folder)}
    assert list(figures) == PAIRS
    for (match, player), figure in figures.items():
        games = of(game_rows["suggestions"], match, player)
        assert figure.games == len(games)
        assert figure.suggestions == sum(map(len, games.values()))
        for found, said in (
            (figure.decrease, pool(games, decrease)),
            (figure.game_decrease, by_game(games, decrease)),
            (figure.known, pool(games, lambda row: row["known"])),
            (figure.game_known, by_game(games, lambda row: row["known"])),
            (figure.own, pool(games, lambda row: row["own"])),
            (
                figure.envelope_decrease,
                pool(games, lambda row: row["envelope_before"] - row["envelope_after"]),
            ),
        ):
            assert found.value == pytest.approx(said)
            assert found.low < found.value < found.high
        # The two means are not the same thing, as the two published figures are not.
        assert figure.decrease.value < figure.game_decrease.value


def test_lengths_of_games(game_rows, folder):
    for figure in game_lengths(folder):
        rows = [row for row in game_rows["games"] if row["match"] == figure.match]
        firsts = [row for row in rows if row["seat"] == 0]
        turns = [row["turns"] for row in firsts]
        assert figure.games == len(firsts)
        assert figure.undecided == sum(row["winner"] < 0 for row in firsts)
        assert figure.turns.value == pytest.approx(np.mean(turns))
        assert figure.median_turns.value == np.median(turns)
        assert (figure.least_turns, figure.most_turns) == (min(turns), max(turns))
        asked = [row["game_suggestions"] for row in firsts]
        assert figure.suggestions.value == pytest.approx(np.mean(asked))
        for player, share in figure.by_player.items():
            mine = [row["suggestions"] for row in rows if row["player"] == player]
            assert share.value == pytest.approx(np.mean(mine))
        # Three heuristics and one other make up the table.
        total = 3 * figure.by_player["heuristic"].value + figure.by_player["closure"].value
        assert total == pytest.approx(figure.suggestions.value)


def test_searches(game_rows, folder):
    for figure in decision_stats(folder):
        games = of(game_rows["decisions"], figure.match, figure.player)
        rows = [row for each in games.values() for row in each]
        assert (figure.games, figure.decisions) == (len(games), len(rows))
        assert figure.simulations.value == pytest.approx(pool(games, lambda r: r["simulations"]))
        assert figure.seconds.value == pytest.approx(pool(games, lambda r: r["seconds"]))
        kinds = [row["kind"] for row in rows]
        assert figure.kinds == {kind: kinds.count(kind) for kind in set(kinds)}


def test_an_unknown_envelope_is_left_out(game_rows, tmp_path):
    rows = [dict(row) for row in game_rows["suggestions"]]
    for row in rows[::3]:
        row["envelope_before"] = row["envelope_after"] = None
    folder = write(tmp_path, {"suggestions": rows, "games": game_rows["games"]}, 3)
    for figure in suggestion_stats(folder):
        games = of(game_rows["suggestions"], figure.match, figure.player)
        assert figure.decrease.value == pytest.approx(pool(games, decrease))
        there = [
            row
            for each in of(rows, figure.match, figure.player).values()
            for row in each
            if row["envelope_after"] is not None
        ]
        lost = np.mean([row["envelope_before"] - row["envelope_after"] for row in there])
        assert figure.envelope_decrease.value == pytest.approx(lost)
