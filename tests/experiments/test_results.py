"""Rows on disk are whole and count once, in whatever order they come."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.matches import part_files, results
from experiments.matches.details import SUGGESTION
from experiments.matches.results import Played, Results
from experiments.runs.rows import by_part
from experiments.runs.summary import figures
from experiments.settings.commandline import Refusal
from tests.experiments.rows import read_rows


@pytest.fixture
def store(match, tmp_path):
    return Results(tmp_path, [match])


def test_parts_are_read_back_in_order(rows, store, tmp_path):
    store.add(0, Played(rows([4, 5])))
    store.flush()
    store.add(0, Played(rows([0, 1, 2, 3])))
    store.flush()
    store.flush()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["games-00000.parquet", "games-00001.parquet"]
    assert read_rows(tmp_path).equals(rows(range(6)))
    assert store.games == 6
    assert store.tallies[0].winner(6).tolist() == [0, 1, 2, 3, 0, 1]


def test_a_game_counts_once(rows, store, tmp_path):
    for games in ([0, 1], [1, 2], [0, 1, 2]):
        store.add(0, Played(rows(games)))
    store.flush()
    assert store.games == 3
    assert read_rows(tmp_path).equals(rows(range(3)))


def test_a_run_goes_on_where_it_stopped(rows, match, store, tmp_path):
    store.add(0, Played(rows([0, 3])))
    store.flush()
    again = Results.resume(tmp_path, [match])
    assert again.tallies[0].missing(0, 200).tolist() == [1, 2, *range(4, 200)]
    assert again.tallies[0].missing(2, 5).tolist() == [2, 4]
    again.add(0, Played(rows(range(5))))
    again.flush()
    assert read_rows(tmp_path).equals(rows(range(5)))
    assert len(results.parts(tmp_path)) == 2


def test_rows_of_details_count_with_their_games_alone(rows, match, store, tmp_path):
    def suggestions(*games):
        made_up = {"match": match.name, "turn": 1, "seat": 0, "player": "x", "known": 0, "own": 0}
        texts = dict.fromkeys(("suspect", "weapon", "room"), "x")
        more = {**made_up, **texts, "answered_by": -1, "entropy_before": 1.0, "entropy_after": 0.5}
        found = [more | {"game": game} for game in games]
        return pa.Table.from_pylist(found, SUGGESTION)

    store.add(0, Played(rows([0]), details={"suggestions": suggestions(0, 0)}))
    store.flush()
    # The power went between the two files of the next part.
    store.add(0, Played(rows([1]), details={"suggestions": suggestions(1)}))
    store.flush()
    results.parts(tmp_path)[-1].unlink()
    assert read_rows(tmp_path, "suggestions")["game"].to_pylist() == [0, 0]
    again = Results.resume(tmp_path, [match])
    again.add(0, Played(rows([0, 1]), details={"suggestions": suggestions(0, 1, 1, 1)}))
    again.flush()
    assert read_rows(tmp_path, "suggestions")["game"].to_pylist() == [0, 0, 1, 1, 1]


def test_games_after_the_end_of_a_match_do_not_count(rows, store, tmp_path):
    store.add(0, Played(rows(range(6))))
    store.flush()
    (tmp_path / results.STOPS).write_text('{"bmcts against 3 heuristic": 4}')
    assert read_rows(tmp_path).equals(rows(range(4)))


def test_the_tally_knows_how_far_it_is_without_a_gap():
    tally = results.Tally()
    assert tally.prefix == 0
    tally.add(np.array([0, 1, 5]), np.array([0, -1, 2]))
    assert tally.prefix == 2
    tally.add(np.arange(2, 5), np.zeros(3))
    assert tally.prefix == 6
    tally.add(np.arange(6, 200), np.zeros(194))
    assert tally.prefix == tally.games == 200
    assert tally.winner(6).tolist() == [0, -1, 0, 0, 0, 2]
    tally.cut(3)
    assert (tally.games, tally.reach, tally.prefix) == (3, 3, 3)


def test_the_figures_of_a_run(rows, store):
    store.add(
        0, Played(rows(range(8), winner=lambda game: {0: 0, 1: 1, 2: -1, 3: 0}.get(game, game % 4)))
    )
    store.flush()
    (line,) = figures(store).table
    assert (line.games, line.wins, line.draws) == (8, 6, 1)
    assert line.rate.low < line.rate.value == 0.75 < line.rate.high
    assert line.parity == 0.25
    assert line.turns_mean == 103.5
    assert line.suggestions_mean == 26
    assert line.simulations_per_second == 2000
    assert line.by_seat["2"] == {"games": 2, "wins": 1}
    written = line.to_json()
    assert (written["win_rate"], written["ci95"]) == (0.75, [line.rate.low, line.rate.high])


def test_rows_of_runs_made_before_a_column_of_counts_read_as_0(rows, tmp_path):
    """Control: any other column that is missing is refused."""
    part = tmp_path / "games-00000.parquet"
    whole = rows(range(3)).cast(results.ROW)
    pq.write_table(whole.drop_columns(["faults"]), part)
    assert part_files.read(part, results.ROW).equals(whole)
    asked = by_part(tmp_path, results.GAMES, lambda part: part.select("game", "faults"))
    assert asked["faults"].to_list() == [0] * whole.num_rows
    pq.write_table(whole.drop_columns(["turns"]), part)
    with pytest.raises(Refusal, match="column turns is missing"):
        part_files.read(part, results.ROW)
