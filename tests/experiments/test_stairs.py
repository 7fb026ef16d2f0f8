"""Tables of steps: lines follow from each other, cells resume by themselves, differences pair."""

import csv

import numpy as np
import pytest
from filelock import FileLock
from hydra.core.config_store import ConfigStore

from experiments.matches import results
from experiments.matches.match_loop import LOCK
from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import paired_difference
from experiments.tables import forms
from experiments.tables.stairs import parts as of
from experiments.tables.stairs import plot
from experiments.tables.stairs.form import ADDED, ALONE, APART, CUMULATIVE, Step, Steps, in_column

QUICK = {
    "about": "quick ones",
    "players": ["heuristic", "swift"],
    "opponents": ["heuristic"],
    "settings": ["rules.turn_cap=60"],
    "games": 8,
    "simulations": None,
    "seconds": 0,
    "seed": 5100,
    "compiled": True,
    "base": "as it is",
    "steps": [
        "walls+rules.blocking=false+about=nobody is in the way",
        "sure+player.threshold=0.5+of=swift",
        "capped+rules.turn_cap=30 +games=12",
    ],
}


def table(**changes):
    return Steps(**{**QUICK, **changes}, name="quick_steps")


def lines(made, player):
    """Return way, name, settings and the line before of each line of a column."""
    (column,) = (one for one in forms.columns(made) if one.player.label == player)
    return [
        (line.way, line.step, dict(line.settings), line.before and line.before.called)
        for line, _ in in_column(made, column)
    ]


def test_lines_put_steps_together_by_their_way():
    walls, sure = {"rules.blocking": "false"}, {"player.threshold": "0.5"}
    cap = {"rules.turn_cap": "30"}
    assert lines(table(ways=[CUMULATIVE, ALONE, ADDED]), "swift") == [
        (CUMULATIVE, "as it is", {}, None),
        (CUMULATIVE, "walls", walls, "as it is"),
        (CUMULATIVE, "sure", walls | sure, "walls"),
        (CUMULATIVE, "capped", walls | sure | cap, "sure"),
        (ALONE, "walls", walls, "as it is"),
        (ALONE, "sure", sure, "as it is"),
        (ALONE, "capped", cap, "as it is"),
        (ADDED, "walls", sure | cap, "capped"),
        (ADDED, "sure", walls | cap, "capped"),
        (ADDED, "capped", walls | sure, "capped"),
    ]
    assert lines(table(ways=[APART]), "swift") == [
        (APART, "walls", walls, None),
        (APART, "sure", sure, "walls"),
        (APART, "capped", cap, "sure"),
    ]


def test_a_step_of_another_player_belongs_to_the_next_as_far_as_it_is_there():
    walls, own = {"rules.blocking": "false"}, {"player.inference": "false"}
    steps = [QUICK["steps"][0], "sure+player.threshold=0.5+player.inference=false+of=swift"]
    made = table(ways=[ALONE], steps=[*steps, QUICK["steps"][2]])
    assert lines(made, "heuristic") == [
        (CUMULATIVE, "as it is", {}, None),
        (ALONE, "walls", walls, "as it is"),
        (ALONE, "capped", own | {"rules.turn_cap": "30"}, "as it is"),
    ]


def test_cells_that_are_played_alike_are_one_folder(tmp_path):
    found = {part.names: part for part in of.parts(table(), tmp_path)}
    walls, alone = (found["swift", "one", way, "walls"] for way in (CUMULATIVE, ALONE))
    assert walls.folder == alone.folder and walls.match == alone.match
    folders = {part.folder for part in found.values()}
    assert len(folders) == len(found) - 2  # the first step of either player
    assert walls.match.rules["turn_cap"] == 60  # the table's, and the step's in its place:
    assert found["swift", "one", CUMULATIVE, "capped"].match.rules["turn_cap"] == 30
    assert {part.games for part in found.values() if part.line.step == "capped"} == {12}
    assert {part.games for part in of.parts(table(), tmp_path, games=5)} == {5}


def test_settings_for_the_next_and_their_budgets(tmp_path):
    steps = [f"{n}+player.budget.simulations={n}" for n in (100, 1000)]
    curve = table(players=["best"], model="preset", compiled=False, ways=[APART], steps=steps)
    for fast, expected in ((False, [100, 1000]), (True, [1, 10])):
        matches = [part.match for part in of.parts(curve, tmp_path, fast=fast)]
        assert [one.entrants[0]["budget"]["simulations"] for one in matches] == expected
    assert curve.hours(100, None, 1) == pytest.approx(0)
    timed = table(players=["best"], ways=[APART], steps=steps, compiled=False, seconds=2)
    assert timed.hours(100, None, 2) == pytest.approx(100 * 2 * (0.1 + 1) / 2 / 3600)


@pytest.mark.parametrize(
    "entry, told",
    [
        ("a+b", "b in a is no setting"),
        ("a+games=3", "must be a number, at least 4"),
        ("a+games=many", "must be a number"),
    ],
)
def test_a_step_that_cannot_be_read_is_refused(entry, told):
    assert Step.read("a+games=4+x=1+y=2").settings == {"x": "1", "y": "2"}
    with pytest.raises(Refusal, match=told):
        Step.read(entry)


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"steps": ["a+x=1", "a+x=2"]}, "a stands there twice"),
        ({"base": "walls"}, "walls stands there twice"),
        ({"ways": [ADDED]}, "is held against the last cumulative step"),
    ],
)
def test_steps_that_cannot_be_told_apart_are_refused(changes, told):
    Steps.check("table", table())
    with pytest.raises(Refusal, match=told):
        Steps.check("table", table(**changes))


@pytest.fixture
def command(run_tables, tmp_path, monkeypatch):
    """The command, in one process; among its tables is ``quick_steps``."""
    monkeypatch.setattr(config, "cores", lambda: 1)
    ConfigStore.instance().store("quick_steps", Steps(**QUICK), group="table", package="table")
    of.forget()

    def run(*arguments):
        of.forget()
        return run_tables("quick_steps", *arguments, folder=tmp_path)

    run.root = tmp_path
    return run


def games(command):
    """Return the games of each cell, by the name of its folder."""
    folder = command.root / "quick_steps"
    return {
        path.name: sorted(set(results.read(path)["game"].to_pylist()))
        for path in folder.iterdir()
        if path.is_dir()
    }


def records(command, *arguments):
    """Return the lines of the CSV, by player, way and step."""
    code, shown = command(*arguments, f"write={command.root / 'written'}")
    assert code == 0, shown.err
    with (command.root / "written/quick_steps.csv").open() as file:
        found = list(csv.DictReader(file))
    return {(row["player"], row["way"], row["step"]): row for row in found}


def test_cells_are_played_in_parts_and_grow(command):
    code, shown = command("only=[swift,cumulative,walls]")
    assert code == 0, shown.err
    assert "2 of 12 cells have all their games, 10 have none yet" in shown.out
    first = games(command)
    assert list(first.values()) == [list(range(8))]
    grown = records(command, "only=[swift]", "games=10")
    assert all(row["games"] == "10" for row in grown.values()) and len(grown) == 7
    assert set(first) < set(games(command)) and len(games(command)) == 6
    text = (command.root / "written/quick_steps.md").read_text()
    assert "python -m experiments.tables quick_steps games=10\n" in text
    before = {path: path.stat().st_mtime_ns for path in command.root.rglob("games-*")}
    assert records(command, "show=true") == grown
    assert {path: path.stat().st_mtime_ns for path in command.root.rglob("games-*")} == before
    png = command.root / "quick_steps/quick_steps.png"
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_difference_is_paired_with_the_line_before(command):
    """Control: the line above is another."""
    found = records(command, "games=40", "only=[swift]")
    played = {part.names: part for part in of.parts(table(), command.root)}

    def won(way, step):
        part = played["swift", "one", way, step]
        rows = results.read(part.folder).to_pylist()
        return np.array([row["won"] for row in rows if row["focal"]])

    row = found["swift", ALONE, "sure"]
    expected = paired_difference(won(CUMULATIVE, "as it is"), won(ALONE, "sure"))
    assert row["before"] == "as it is" and row["common_games"] == "40"
    assert float(row["difference"]) == pytest.approx(expected.value)
    assert float(row["difference low"]) == pytest.approx(expected.low)
    assert expected != paired_difference(won(CUMULATIVE, "walls"), won(ALONE, "sure"))
    assert found["swift", CUMULATIVE, "as it is"]["difference"] == ""


def test_a_cell_that_another_process_plays_is_passed_over(command):
    assert command("only=[heuristic,walls,cumulative]", "games=4")[0] == 0
    (folder,) = (path for path in (command.root / "quick_steps").iterdir() if path.is_dir())
    with FileLock(folder / LOCK):
        code, shown = command("only=[heuristic]")
    assert code == 0 and "played by another process, passed over" in shown.out
    found = games(command)
    assert found.pop(folder.name) == list(range(4)) and len(found) == 3
    assert command("only=[heuristic]")[0] == 0 and games(command)[folder.name] == list(range(8))


@pytest.mark.parametrize(
    "given, told",
    [
        (("only=[stairs]",), "this table has heuristic, swift, one, cumulative, alone, as it is"),
        (("only=[heuristic,sure]",), "no cell is all of that"),
        (("simulations=9",), "leave it out"),
        (("show=true",), "nothing was played"),
        (("games=3",), "games=3: must be at least 4"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(command, given, told):
    code, shown = command(*given)
    assert code == 1 and told in shown.err and shown.err.count("\n") == 1


def test_curves_are_drawn_of_lines_apart(command, monkeypatch):
    """Control: nothing is drawn of cells without games."""
    picture = command.root / "picture.png"
    plot.draw(table(), of.parts(table(), command.root / "nowhere"), picture)
    assert not picture.exists()
    assert command("only=[heuristic]", "games=4")[0] == 0
    monkeypatch.setattr(plot, "simulations_of", lambda match: match.rules["turn_cap"])
    monkeypatch.setattr(plot, "_published", lambda part: None, raising=False)
    plot.draw(table(ways=[APART]), of.parts(table(), command.root), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
