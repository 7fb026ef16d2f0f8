"""Rows on disk are whole and count once, in whatever order they come."""

from __future__ import annotations

import pytest

from experiments import results
from experiments.commandline import Refusal
from experiments.summary import summarise


def test_parts_are_read_back_in_order(rows, tmp_path):
    kept = results.Results(tmp_path)
    kept.add(rows([4, 5]))
    kept.flush()
    kept.add(rows([0, 1, 2, 3]))
    kept.flush()
    kept.flush()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["games-00000.parquet", "games-00001.parquet"]
    assert kept.read().equals(rows(range(6)))
    assert (kept.games, kept.wins) == (6, 6)


def test_a_game_counts_once(rows, tmp_path):
    kept = results.Results(tmp_path)
    kept.add(rows([0, 1]))
    kept.add(rows([1, 2]))
    kept.add(rows([0, 1, 2]))
    kept.flush()
    assert kept.games == kept.wins == 3
    assert kept.read().equals(rows(range(3)))


def test_results_are_written_while_the_run_goes_on(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FLUSH_SECONDS", 0.0)
    kept = results.Results(tmp_path)
    kept.add(rows([0]))
    assert results.read(tmp_path).equals(rows([0]))


def test_a_part_cut_short_is_not_read(rows, tmp_path):
    kept = results.Results(tmp_path)
    kept.add(rows([0]))
    kept.flush()
    (tmp_path / ".games-00001.parquet.writing").write_bytes(b"PAR1 and then the power went")
    assert results.read(tmp_path).equals(rows([0]))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(Refusal, match="holds no games"):
        results.read(tmp_path)


def test_the_figures_of_a_run(rows):
    table = rows(range(8), winner=lambda game: {0: 0, 1: 1, 2: -1, 3: 0}.get(game, game % 4))
    figures = summarise(table, 4)
    assert (figures["games"], figures["wins"], figures["draws"]) == (8, 6, 1)
    assert figures["win_rate"] == 0.75
    assert figures["ci95"][0] < 0.75 < figures["ci95"][1]
    assert figures["parity"] == 0.25
    assert figures["turns_mean"] == 103.5
    assert figures["suggestions_mean"] == 26
    assert figures["simulations_per_second"] == 2000
    assert figures["by_seat"]["2"] == {"games": 2, "wins": 1}


def test_a_run_without_games_has_figures_too():
    figures = summarise(results.ROW.empty_table(), 4)
    assert (figures["games"], figures["win_rate"], figures["turns_mean"]) == (0, None, None)
    assert figures["parity"] == 0.25
