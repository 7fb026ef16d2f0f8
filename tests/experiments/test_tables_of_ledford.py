"""Tables of [Ledford 2018]: what was published, ours beside it, and causes that were tested."""

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from omegaconf import OmegaConf

from experiments.matches import play, results
from experiments.runs import runfolder
from experiments.runs.published import find
from experiments.settings import config
from experiments.tables import cells, report, rows
from experiments.tables.figures import ENDLESS, TURNS_WON, WON, Figure, Measured
from experiments.tables.ledford import rows as ledford
from experiments.tables.ledford.causes import REMARKS
from experiments.tables.rows import ANY, UNEXPLAINED, fitting
from experiments.tables.stairs import beside
from experiments.tables.stairs import parts as of
from experiments.tables.stairs.beside import LAST, Joined
from experiments.tables.stairs.form import ADDED, APART, CUMULATIVE, Steps

LINES = [row for found in ledford.ROWS.values() for row in found]


def test_a_cause_stands_where_its_sign_fits():
    signs = {"rules": -1, "seat": 1, "best": ANY}
    assert fitting(signs, -1) == ("rules", "best")
    assert fitting(signs, 1) == ("seat", "best")
    assert fitting({"rules": -1}, 1) == (UNEXPLAINED,)


@cache
def cumulative(name):
    """Return the cumulative cells of a staircase."""
    table = replace(cells.load(name), ways=[CUMULATIVE])
    return of.parts(table, Path("nowhere"))


def test_every_cause_of_ours_by_the_text_is_a_step_of_a_staircase():
    """No other has a sign there: what has words of its own are remarks, and of other columns."""
    for row in LINES:
        assert set(row.causes) <= {ledford.RELEASED, ledford.BEST} and set(row.notes) <= set(
            REMARKS
        )
        if ledford.FAITHFUL in row.cells:
            name, setup, _, towards = row.stairs[ledford.FAITHFUL]
            assert CUMULATIVE in cells.load(name).ways and abs(towards) == 1
            _, *steps = (part.line for part in cumulative(name) if part.setup == setup)
            assert steps and all(line.about for line in steps)
    assert any(row.stairs for row in LINES)


@pytest.mark.parametrize("name", ["bmcts", "ld_bmcts"])
def test_after_all_steps_it_is_the_planner_by_the_text(name):
    """Control: one step before it is not."""
    who = f"{name}_released", "one"
    column = [part for part in cumulative("ledford_steps") if part.names[:2] == who]
    text = config.composed("compare", [f"player={name}_faithful"])
    expected = OmegaConf.to_container(text.player, resolve=True)

    def unlike(part):
        ours = part.match.entrants[0]
        keys = ({*ours} | {*expected}) - {"label", "budget"}
        return [key for key in keys if ours.get(key) != expected.get(key)]

    assert unlike(column[-1]) == [] and unlike(column[-2]) == ["departures"]
    assert column[-1].match.rules == OmegaConf.to_container(text.rules, resolve=True)
    assert column[0].match.rules["name"] == "released" and len(unlike(column[0])) == 2


def test_the_curve_as_released_has_the_first_line_of_the_staircase():
    curve, stairs = (
        {
            (part.setup, part.line.step): part.folder
            for part in of.parts(cells.load(name), Path("."))
        }
        for name in ("ledford_released", "ledford_steps")
    )
    at = [(setup, step) for setup, step in curve if step == "1000"]
    assert len(at) == 4
    for setup, step in at:
        assert curve[setup, step] == stairs[setup, "released"] != curve[setup, "3000"]


def test_the_editions_of_the_thesis_have_a_column_each():
    """By ``published-results``: Table 4.1 of the final text alone, 4.2 of both."""

    def values(rows, source):
        return [source in row.published and row.published[source].value for row in rows]

    of_policies = ledford.ROWS["ledford_4_1"]
    assert values(of_policies, "draft") == [False] * 4
    assert values(of_policies, "final") == [False, 0.0225, 0.9475, False]
    won = [row for row in ledford.ROWS["ledford_4_2"] if row.quantity is WON]
    both = list(zip(*(values(won, source) for source in ("draft", "final")), strict=True))
    assert both == [(0.718, 0.678), (0.204, 0.204), (False, 0.761), (0.2701, 0.2755)]


def test_published_figures_are_the_same_everywhere():
    known = {row.setup: row.published for row in LINES if row.quantity is WON}
    for player, other in (("heuristic", "random"), ("random", "heuristic")):
        again = find(player, 1, other)
        found = known[f"1 {player.title()} against 3 {other.title()}"]["again"]
        assert (found.value, found.games) == (again.wins / again.games, again.games)
    for player, name in (("bmcts", "BMCTS"), ("ld_bmcts", "LD-BMCTS")):
        for seats in (1, 3):
            logs = find(player, seats, "heuristic")
            found = known[f"{seats} {name} against {4 - seats} Heuristic"]["logs"]
            assert (found.value, found.games) == (logs.wins / logs.games, logs.games)
    assert WON.told(known["3 BMCTS against 1 Heuristic"]["logs"]) == "67.8 % (65.7 to 69.8)"


@pytest.fixture
def command(run_tables, tmp_path, monkeypatch):
    """The command, in one process."""
    monkeypatch.setattr(config, "cores", lambda: 1)
    of.forget()

    def run(*arguments):
        of.forget()
        return run_tables(*arguments, "fast=true", f"write={tmp_path / 'w'}", folder=tmp_path)

    run.root = tmp_path
    return run


def test_the_tables_of_policies_from_one_run(command):
    """Beside them nothing was played, which is said."""
    code, shown = command("ledford_4_1")
    assert code == 0 and "tell nothing" in shown.out  # a trial says that it is one
    text = (command.root / "w/ledford_4_1.md").read_text()
    assert "python -m experiments.tables ledford_4_1 games=400 seed=6103 fast=true" in text
    assert "`python -m experiments.tables ledford_4_1_steps`: not played yet." in text
    heads = "| draft text | final text | program run again | logs counted again | ours, released"
    assert heads in text
    assert r"| 1 Heuristic against 3 Random | games won | — | 94.75 % \[1\] | 86.6 % (85.3" in text
    assert "In `ledford_4_1_steps`, and not played yet: `" in text
    assert command("ledford_text", "show=true")[0] == 0
    with (command.root / "w/ledford_text.csv").open() as file:
        found = list(csv.DictReader(file))
    ours = {(row["quantity"], row["column"]): row for row in found}
    run = Measured(command.root / "ledford_policies_fast")
    rows = results.read(run.folder).to_pylist()
    name = "heuristic against 3 heuristic"
    played = [row for row in rows if row["match"] == name and row["seat"] == 0]
    won = np.array([row["turns"] for row in played if row["winner"] >= 0])
    endless = [row["turns"] == 3000 and row["winner"] < 0 for row in played]
    assert len(played) == 400
    assert float(ours[TURNS_WON.name, ledford.FAITHFUL]["value"]) == pytest.approx(won.mean())
    assert float(ours[ENDLESS.name, ledford.FAITHFUL]["value"]) == pytest.approx(np.mean(endless))
    (humans,) = [row for row in found if row["setup"].startswith("1 human")]
    assert (humans["draft_value"], humans["final_value"], humans["value"]) == ("0.6", "0.75", "")


def test_the_tables_of_planners_from_one_run(command):
    quick = "table.players=['best+budget.simulations=20+label=best']"
    assert command("ledford_4_2", "only=[best,heuristic]", quick)[0] == 0
    for name in ("ledford_4_3", "ledford_4_4"):
        assert command(name, "show=true", quick)[0] == 0
    with (command.root / "w/ledford_4_3.csv").open() as file:
        found = [row for row in csv.DictReader(file) if row["column"] == ledford.BEST]
    assert found and all(0 <= float(row["value"]) < 10 for row in found if row["value"])
    text = (command.root / "w/ledford_4_4.md").read_text()
    assert text.startswith("# ledford_4_4: turns a game, same games as ledford_4_2\n")
    assert "| 3 LD-BMCTS against 1 Heuristic |" in text


CLIMBED = Steps(
    about="quick ones",
    players=["swift"],
    opponents=["random"],
    settings=["rules.turn_cap=200"],
    ways=[CUMULATIVE],
    steps=[
        "capped+rules.turn_cap=60+about=games are short",
        "shown+player.showing=least_informative+about=it chooses what it shows",
        "left+rules.blocking=false+about=nobody is in the way",
    ],
    games=200,
    simulations=None,
    seconds=0,
    seed=5100,
    compiled=True,
    name="climbed",
)


def played(folder, match):
    """Play 200 games of ``match`` in ``folder``."""
    runfolder.claim(folder, [match], "games", resume=False)
    found = results.Results(folder, [match])
    found.add(0, play.portion(match, np.arange(200)))
    found.flush()


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    """A run, beside it a staircase whose last step was not played."""
    root = tmp_path_factory.mktemp("climbed")
    of.forget()
    found = of.parts(CLIMBED, root)
    for part in found[:-1]:
        played(part.folder, part.match)
    played(root / "own", found[1].match)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beside, "_steps", lambda name: CLIMBED)
        table = replace(cells.load("ledford_4_1"), beside=["climbed"])
        return Joined(root / "own", table, root, fast=False)


@pytest.mark.parametrize(
    "wins, towards, cause",
    [
        (200, 1, "climbed/capped"),  # ours is less, as it is after that step
        (200, -1, UNEXPLAINED),
        (0, -1, "climbed/capped"),
        (0, 1, UNEXPLAINED),
        (None, 1, ""),  # as many as ours
    ],
)
def test_a_step_is_a_cause_where_it_moves_ours_to_that_side(climbed, wins, towards, cause):
    setup = "swift against 3 random"
    won = climbed.match(setup).wins_of(climbed.winner(setup), 0)
    known = Figure.counted(int(won.sum()) if wins is None else wins, 200)
    row = rows.Row(
        "x",
        WON,
        {ledford.FAITHFUL: (setup, "swift"), ledford.RELEASED: (f"{setup}, climbed", "swift")},
        {"logs": known},
        stairs={ledford.FAITHFUL: ("climbed", setup, "swift", towards)},
    )
    paper = replace(ledford.PAPER, rows={"x": [row]})
    made = report.published("x", "", climbed, paper)
    ours, base = made.records
    assert ours["causes"] == cause and base["ours"].value > ours["ours"].value
    notes = "\n".join(made.shown.notes)
    assert ("[1] `capped` of `climbed`: games are short." in notes) == cause.startswith("climbed")
    assert "Tested by `climbed`, and moving some of these lines" in notes
    assert "and moving none of them beyond its interval: `shown`." in notes
    assert "In `climbed`, and not played yet: `left`." in notes


@pytest.mark.parametrize("towards", [1, -1])
def test_a_step_is_looked_at_last_of_all_where_its_turn_was_not_played(
    tmp_path, monkeypatch, towards
):
    table = replace(CLIMBED, ways=[CUMULATIVE, ADDED])
    monkeypatch.setattr(beside, "_steps", lambda name: table)
    of.forget()
    wanted = {(CUMULATIVE, "left"), (ADDED, "capped"), (ADDED, "shown")}  # all, and all but one
    found = of.parts(table, tmp_path)
    played(tmp_path / "own", found[0].match)
    for part in found:
        if (part.line.way, part.line.step) in wanted:
            played(part.folder, part.match)
    run = Joined(
        tmp_path / "own", replace(cells.load("ledford_4_1"), beside=["x"]), tmp_path, False
    )
    found = run.tested("x", "swift against 3 random", "swift", towards, WON)
    sides = {one.step: one.side for one in found}
    assert sides == {"capped": -towards, "shown": 0, "left": None}  # games are short: fewer wins


def test_a_cell_of_few_games_stands_for_no_curve_that_has_a_better_one():
    def column(*played):
        line = SimpleNamespace(way=APART)
        return [SimpleNamespace(played=games, games=100, line=line) for games in played]

    for games, stands in (
        ((100, 30, 1), 100),  # all its games
        ((50, 30, 1), 30),
        ((5, 1, 0), 1),
    ):
        assert beside._ends(column(*games))[0].played == stands
    assert beside._ends(column(0, 0)) == (None, None)


def test_what_stands_beside_is_asked_as_the_run_is(climbed):
    setup = "swift against 3 random"
    assert set(climbed.beside) == {f"{setup}, climbed"}  # the last step was not played
    there = climbed.beside[f"{setup}, climbed"].measured
    assert climbed.lines[f"{setup}, climbed"] == there.lines[setup] != climbed.lines[setup]
    for quantity in (WON, ENDLESS, TURNS_WON):
        asked = quantity.measure(climbed, f"{setup}, climbed", "swift")
        assert asked == quantity.measure(there, setup, "swift")
        assert asked != quantity.measure(climbed, setup, "swift")
    assert climbed.about() == [
        "Beside them `python -m experiments.tables climbed`: 200 games a cell; seed 5100."
    ]
    assert f"{setup}, climbed, {LAST}" not in climbed.lines
