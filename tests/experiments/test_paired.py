"""Two runs are compared game by game, or not at all."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.console import Console

from experiments.matches import results
from experiments.matches.results import Played
from experiments.matches.schedule import Seating
from experiments.paired import __main__ as paired
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal


@pytest.fixture
def run(rows, match, tmp_path):
    """Make the folder of a run up."""

    def make(name, games, winner=lambda game: game % 4, **changes):
        folder, played = tmp_path / name, replace(match, **changes)
        runfolder.claim(folder, [played], "games", resume=False)
        kept = results.Results(folder, [played])
        kept.add(0, Played(rows(games, winner, played)))
        kept.flush()
        return folder

    return make


def test_the_difference_is_taken_by_game(run, capsys):
    first = run("a", range(40), winner=lambda game: 0)
    second = run("b", reversed(range(40)))
    paired.show(first, second, Console(width=200))
    shown = capsys.readouterr().out
    assert "40 games of seed 0" in shown
    assert re.search(r"10 +25\.0 %", shown)
    assert re.search(r"40 +100\.0 %", shown)
    assert "on the same games: 75.0 %" in shown


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"entrants": ({"name": "bmcts"}, {"name": "random"})},
        {"rules": {"name": "ledford", "players": 4, "turn_cap": 9}},
        {"seating": Seating.one(4, (0,))},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_runs_of_different_games_are_refused(run, changes):
    with pytest.raises(Refusal, match="the runs differ in"):
        paired.show(run("a", range(8)), run("b", range(8), **changes), Console())


def test_opponents_are_the_same_whatever_they_are_called(run, match, capsys):
    entrants = (match.entrants[0], {**match.entrants[1], "label": "other"})
    paired.show(run("a", range(8)), run("b", range(8), entrants=entrants), Console())
    assert "on the same games: 0.0 %" in capsys.readouterr().out


def test_runs_of_different_length_are_refused(run):
    with pytest.raises(Refusal, match="8 and 9"):
        paired.show(run("a", range(8)), run("b", range(9)), Console())


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (["{run}", "{run}"], "give the folder of a run"),
        (["runs=[{run},{run}]"], "give the folder of a run"),
        (["{run}"], "runs: 1 are named; a comparison is of two run folders"),
        ([], "runs is missing: give it a value"),
        (["{run}", "{run}", "-m"], "it runs once; give every setting one value"),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, capsys, named, told):
    assert paired.COMMAND.run([word.format(run=tmp_path) for word in named]) == 1
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_a_plan_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / runfolder.MATCHES_FILE).write_text('{"matches": [')
    with pytest.raises(Refusal, match="cannot be read"):
        paired.show(tmp_path, tmp_path, Console())
