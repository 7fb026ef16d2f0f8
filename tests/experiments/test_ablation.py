"""Ablations: lines follow from each other, cells resume by themselves, differences are paired."""

import csv
import re
from dataclasses import replace

import numpy as np
import pytest
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import Comparison, mcnemar
from experiments.stats.intervals import Estimate, paired_difference
from experiments.tables import catalog, joined, ladder
from experiments.tables import cells as of
from experiments.tables.joined import Joined
from experiments.tables.quantities import QUANTITIES
from experiments.tables.schema import ADDED, ALONE, APART, CUMULATIVE
from experiments.tables.steps import Ablation
from sim.planning.released.departures import renew
from tests.experiments.rows import play_matches, read_rows

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
        "walls+rules.blocking=false+about=pawns are not in the way",
        "sure+player.threshold=0.5+of=swift",
        "capped+rules.turn_cap=30 +games=12",
    ],
}


def table(**changes):
    return Ablation(**{**QUICK, **changes}, name="quick_steps")


def lines(made, player):
    """Return way, name, settings and reference of each line of a set-up."""
    found = [cell.line for cell in made.cells if cell.player.label == player]
    return [
        (line.way, line.step, dict(line.settings), line.reference and line.reference.label)
        for line in found
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


def by_step(cells):
    return {(cell.cell.player.label, cell.line.way, cell.line.step): cell for cell in cells}


def test_cells_that_are_played_alike_are_one_folder(tmp_path):
    found = by_step(of.cells_of(table(), tmp_path))
    walls, alone = (found["swift", way, "walls"] for way in (CUMULATIVE, ALONE))
    assert walls.folder == alone.folder and walls.match == alone.match
    folders = {part.folder for part in found.values()}
    assert len(folders) == len(found) - 2  # the first step of either player
    assert walls.match.rules["turn_cap"] == 60  # the table's, and the step's in its place:
    assert found["swift", CUMULATIVE, "capped"].match.rules["turn_cap"] == 30
    assert {part.games for part in found.values() if part.line.step == "capped"} == {12}
    assert {part.games for part in of.cells_of(table(), tmp_path, games=5)} == {5}


def test_a_layout_may_have_a_share_of_the_games(tmp_path):
    both = table(players=["swift"], layouts=["one", "rest"], shares={"rest": 0.3})
    found = of.cells_of(both, tmp_path)
    games = {(part.cell.layout, part.line.step): part.games for part in found}
    assert games["one", "walls"] == 8 and games["rest", "walls"] == 3
    assert games["one", "capped"] == 12 and games["rest", "capped"] == 4
    seconds = replace(both, seconds=3600.0).hours(None, None, 1)
    assert seconds == sum(part.games for part in found)  # an hour each


@pytest.fixture
def command(run_tables, tmp_path, monkeypatch):
    """The command, in one process; among its tables is ``quick_steps``."""
    monkeypatch.setattr(config, "cores", lambda: 1)
    ConfigStore.instance().store("quick_steps", Ablation(**QUICK), group="table", package="table")
    of.forget_runs()

    def run(*arguments):
        of.forget_runs()
        return run_tables("quick_steps", *arguments, folder=tmp_path)

    run.root = tmp_path
    return run


def games(command):
    """Return the games of each cell, by the name of its folder."""
    folder = command.root / "quick_steps"
    return {
        path.name: sorted(set(read_rows(path)["game"].to_pylist()))
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
    played = by_step(of.cells_of(table(), command.root))

    def find_wins(way, step):
        part = played["swift", way, step]
        rows = read_rows(part.folder).to_pylist()
        return np.array([row["won"] for row in rows if row["focal"]])

    row = found["swift", ALONE, "sure"]
    expected = paired_difference(find_wins(CUMULATIVE, "as it is"), find_wins(ALONE, "sure"))
    assert row["before"] == "as it is" and row["common_games"] == "40"
    assert float(row["difference"]) == pytest.approx(expected.value)
    assert float(row["difference low"]) == pytest.approx(expected.low)
    p = mcnemar(find_wins(CUMULATIVE, "as it is"), find_wins(ALONE, "sure"))
    compared = sum(bool(one["difference p"]) for one in found.values())
    assert float(row["difference p"]) == pytest.approx(p)
    assert p <= float(row["difference p holm"]) <= min(1.0, compared * p)
    assert expected != paired_difference(find_wins(CUMULATIVE, "walls"), find_wins(ALONE, "sure"))
    assert found["swift", CUMULATIVE, "as it is"]["difference"] == ""


@pytest.mark.parametrize(("p_holm", "marked"), [(0.049, True), (0.051, False)])
def test_what_holms_correction_keeps_is_marked(p_holm, marked):
    gain = Comparison("a", "b", 150, Estimate(0.08, 0.004, 0.154), 0.01, p_holm)
    assert ladder._points(gain) == "+8.0 (+0.4 to +15.4)" + " ≠" * marked
    said = " ".join(str(note) for note in ladder._notes(table(), [], True))
    (bound,) = re.findall(r"≠ marks differences with p below ([0-9.]+), .* Holm's correction", said)
    assert marked == (p_holm < float(bound))


@pytest.mark.parametrize(
    "given, message",
    [(("only=[heuristic,sure]",), "no cell matches all of these"), (("show=true",), "no games in")],
)
def test_what_cannot_be_is_refused_in_one_line(command, given, message):
    code, shown = command(*given)
    assert code == 1 and message in shown.err and shown.err.count("\n") == 1


@pytest.mark.nightly
def test_after_all_steps_it_is_the_planner_by_the_text(tmp_path):
    """Control: one step before it is not."""
    name = "ld_bmcts"
    table = catalog.load("ledford_steps")
    table = replace(table, ways=[CUMULATIVE], players=[f"{name}_released"], layouts=["one"])
    column = of.cells_of(table, tmp_path)
    text = config.compose("compare", [f"player={name}_faithful"])
    faithful = OmegaConf.to_container(text.player, resolve=True)

    def differing(cell):
        ours = renew(cell.match.entrants[0])
        keys = ({*ours} | {*faithful}) - {"label", "budget"}
        return [key for key in keys if ours.get(key) != faithful.get(key)]

    assert differing(column[-1]) == [] and sorted(differing(column[-2])) == [
        "_target_",
        "departures",
    ]
    assert column[-1].match.rules == OmegaConf.to_container(text.rules, resolve=True)
    assert column[0].match.rules["name"] == "released" and len(differing(column[0])) == 4
    curve = replace(catalog.load("ledford_released"), players=[f"{name}_released"], layouts=["one"])
    matches = {cell.line.step: cell.match for cell in of.cells_of(curve, tmp_path)}
    assert matches["3000"] == column[0].match != matches["1000"]


CLIMBED = Ablation(
    about="quick ones",
    players=["swift"],
    opponents=["random"],
    settings=["rules.turn_cap=200"],
    ways=[CUMULATIVE],
    steps=["capped+rules.turn_cap=60", "left+rules.blocking=false"],
    games=60,
    simulations=None,
    seconds=0,
    seed=5100,
    compiled=True,
    name="climbed",
)


def test_cells_of_ablations_are_found_by_names_of_their_own(tmp_path, monkeypatch):
    """Control: a step without games is missing."""
    monkeypatch.setattr(joined.catalog, "load_ablation", lambda name: CLIMBED)
    of.forget_runs()
    found = of.cells_of(CLIMBED, tmp_path)
    play_matches(found[0].folder, [found[0].match], 60)
    play_matches(tmp_path / "own", [found[1].match], 60)
    table = replace(catalog.load("ledford_4_1"), beside=["climbed"])
    run = Joined(replace(table, run="own"), tmp_path)
    setup = "swift against 3 random"
    assert set(run.joined) == {f"{setup}, climbed"}
    for quantity in ("won", "endless", "turns_if_won"):
        there = QUANTITIES[quantity].of(run, f"{setup}, climbed", "swift")
        assert there == QUANTITIES[quantity].of(found[0].run, setup)
        assert there != QUANTITIES[quantity].of(run, setup)
    assert QUANTITIES["won"].of(run, f"{setup}, climbed, last") is None
    command = "Beside them `python -m experiments.tables climbed`"
    assert run.describe() == [f"{command}: 60 games per cell; seed 5100."]


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"shares": {"one": 1.5}}, "table.shares.one=.*layouts: one"),
        ({"steps": ["a+b"]}, "b in a is not a setting"),
        ({"steps": ["a+games=3"]}, "must be a number, at least 4"),
        ({"ways": [ADDED]}, "is compared with the last cumulative step"),
    ],
)
def test_malformed_and_ambiguous_steps_are_refused(changes, message):
    Ablation.check("table", table(steps=["a+games=4+x=1+y=2"]))
    with pytest.raises(Refusal, match=message):
        Ablation.check("table", table(**changes))
