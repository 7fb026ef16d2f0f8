"""Two runs are compared game by game, or not at all."""

from __future__ import annotations

import json
import re

import pytest
from rich.console import Console

from experiments import paired, results
from experiments.commandline import Refusal
from experiments.summary import write


def _run(folder, table, **changes):
    folder.mkdir()
    kept = results.Results(folder)
    kept.add(table)
    kept.flush()
    settings = {
        "player": {"name": "bmcts"},
        "opponent": {"name": "heuristic"},
        "rules": {"name": "ledford", "players": 4},
        "match": {"focal_seats": None},
        "seed": 0,
    } | changes
    write(folder, {"run": {"configuration": settings}})
    return folder


def test_the_difference_is_taken_by_game(rows, tmp_path, capsys):
    first = _run(tmp_path / "a", rows(range(40), winner=lambda game: 0), player={"name": "x"})
    second = _run(tmp_path / "b", rows(reversed(range(40))))
    paired.show(first, second, Console(width=200))
    shown = capsys.readouterr().out
    assert "40 games of seed 0" in shown
    assert re.search(r"10 │ +25\.0 %", shown)
    assert re.search(r"40 │ +100\.0 %", shown)
    assert "on the same games: 75.0 %" in shown


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"opponent": {"name": "random"}},
        {"rules": {"name": "ledford", "players": 3}},
        {"match": {"focal_seats": [0]}},
    ],
)
def test_runs_of_different_games_are_refused(rows, tmp_path, changes):
    first = _run(tmp_path / "a", rows(range(8)))
    second = _run(tmp_path / "b", rows(range(8)), **changes)
    with pytest.raises(Refusal, match="the runs differ in"):
        paired.show(first, second, Console())


def test_runs_of_different_length_are_refused(rows, tmp_path):
    first, second = _run(tmp_path / "a", rows(range(8))), _run(tmp_path / "b", rows(range(9)))
    with pytest.raises(Refusal, match="8 and 9"):
        paired.show(first, second, Console())


def test_the_command_refuses_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["paired", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        paired.main()
    assert end.value.code == 1
    assert "give the folder of a finished run" in capsys.readouterr().err


def test_a_summary_cut_short_is_refused(tmp_path):
    (tmp_path / results.SUMMARY).write_text(json.dumps({"run": {}})[:5])
    with pytest.raises(Refusal, match="give the folder"):
        paired.show(tmp_path, tmp_path, Console())
