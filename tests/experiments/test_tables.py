"""Tables: every cell can be played, a run goes on where it stopped, ours stands beside theirs."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pytest

from experiments.matches import results
from experiments.runs.published import published
from experiments.settings import config
from experiments.tables import __main__ as tables
from experiments.tables import cells as of
from experiments.tables import ledford, plot
from experiments.tables.cells import Cell, Table
from experiments.tables.figures import ENDLESS, TURNS_WON, WON, Figure, Measured
from sim import rules
from sim.players import registry

ALL = tables.tables()


@pytest.mark.parametrize("name", ALL)
def test_every_cell_can_be_played(name, monkeypatch):
    monkeypatch.setattr(config, "cores", lambda: 2)
    cells = ALL[name].cells
    assert len({(each.player, each.opponent, each.layout, each.apart) for each in cells}) == len(
        cells
    )
    few = cells[:1] if name.startswith("planners_") else cells[::4]  # they differ in the budget
    found = of.matches(part(ALL[name], few), None, seed=7)
    assert len({match.name for match in found}) == len(few)
    for match in found:
        for entrant in match.entrants:
            assert registry.make(entrant, rules.preset("ledford"))


def part(table, cells):
    """Return ``table`` with these cells alone."""
    return Table(table.name, table.about, lambda: iter(cells), table.games, table.simulations, 0)


def test_opponents_are_taken_for_what_they_are_in_the_main_table():
    for match in of.matches(ALL["main"], None, seed=7):
        player, opponent = match.entrants
        if opponent["name"] == "heuristic":
            assert player["opponents"] == "heuristic"
        else:
            assert player["opponents"] == "swift"
            assert player["model"]["threshold"] == opponent["threshold"]


def test_the_budget_is_the_tables_or_the_one_given():
    def budgets(name, simulations=None, fast=False):
        found = of.matches(part(ALL[name], ALL[name].cells[:1]), simulations, 7, fast)
        return [each["budget"]["simulations"] for each in found[0].entrants if "budget" in each]

    assert budgets("planners") == [200] and budgets("planners", 50) == [50]
    assert budgets("robin") == [200, 200] and budgets("robin", 50) == [50, 50]
    assert budgets("planners_time") == [None] and budgets("budget") == [50]
    assert budgets("ledford_4_2", fast=True) == [20]


SHORT = ("player@opponent=heuristic", "rules.turn_cap=40")


@pytest.fixture
def command(tmp_path, monkeypatch, capsys, ray_session):
    """Run the command in this process; among its tables is ``quick``, of two quick cells."""
    monkeypatch.setattr(config, "cores", lambda: 2)

    def cells():
        for name in ("closure", "swift"):
            yield Cell(name, "heuristic", (f"player={name}", *SHORT))

    quick = Table("quick", "quick ones", cells, 6, None, 0, compiled=True)
    monkeypatch.setattr(tables, "tables", lambda: {**ALL, "quick": quick, **run.more})

    def run(*arguments):
        given = ["tables", *arguments, "--folder", str(tmp_path)]
        monkeypatch.setattr(sys, "argv", given)
        code = 0
        try:
            tables.main()
        except SystemExit as end:
            code = end.code or 0
        return code, capsys.readouterr()

    run.more = {}
    run.folder = tmp_path / "quick"
    return run


def rows(folder, match=None):
    """Return what was played, by match, game and seat."""
    found = results.read(folder).drop_columns(["search_seconds"]).to_pylist()
    return [row for row in found if match in (None, row["match"])]


def test_a_run_goes_on_where_it_stopped(command):
    assert command("quick", "--games", "4")[0] == 0
    first = rows(command.folder)
    assert command("quick", "--games", "8")[0] == 0
    grown = rows(command.folder)
    assert {row["game"] for row in grown} == set(range(8)) and len(grown) == 2 * 8 * 4
    assert [row for row in grown if row["game"] < 4] == first
    parts = set(command.folder.glob("games-*"))
    code, shown = command("quick", "--games", "8")
    assert code == 0 and set(command.folder.glob("games-*")) == parts  # nothing left to play
    named = "swift against 3 heuristic less closure against 3 heuristic, same 8 games"
    assert named in shown.out
    assert command("quick", "--show")[1].out == shown.out


def test_some_cells_alone(command):
    assert command("quick", "--games", "4")[0] == 0
    closure = rows(command.folder, "closure against 3 heuristic")
    for _ in range(2):  # the second time there is nothing to play
        assert command("quick", "--games", "8", "--only", "swift")[0] == 0
    assert rows(command.folder, "closure against 3 heuristic") == closure
    assert len(rows(command.folder, "swift against 3 heuristic")) == 8 * 4


@pytest.mark.parametrize(
    "given, told",
    [
        (("quik",), "there is no such table (did you mean quick?)"),
        (("quick", "--games", "3"), "give 4 or more"),
        (("quick", "--games", "few"), "is not a number from 1 on"),
        (("quick", "--only", "nobody"), "this table has closure, swift"),
        (("quick", "--simulations", "9"), "leave it out"),
        (("quick", "--seed", "-1"), "--seed -1"),
        (("quick", "--show", "--fast"), "nothing was played"),
        (("quick", "--seed", "8"), "matches.0.seed was 7 there and is 8 now"),
        (("quick", "--show", "--write", "/dev/null/x"), "--write /dev/null/x: Not a directory"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_refused_in_one_line(command, given, told):
    assert command("quick", "--games", "4")[0] == 0
    before = rows(command.folder)
    code, shown = command(*given)
    assert code == 1 and told in shown.err and shown.err.count("\n") == 1
    assert rows(command.folder) == before


def test_a_folder_that_cannot_be_is_refused(command):
    command.folder.write_text("")
    code, shown = command("quick")
    assert code == 1 and shown.err.startswith("sleuth-tables: ") and shown.err.count("\n") == 1


def test_the_list_tells_all_tables(command):
    shown = command("list")[1].out
    assert all(name in shown for name in ALL)


def test_budgets_are_drawn(tmp_path):
    def made(*budgets):
        lines = {
            f"best{each} against 3 swift35": {
                "player": f"best{each}",
                "games": 300,
                "win_rate": 0.4,
                "ci95": [0.3, 0.5],
                "parity": 0.25,
            }
            for each in budgets
        }
        match = of.matches(part(ALL["budget"], ALL["budget"].cells[:1]), None, 7)[0]
        played = type("Played", (), {"matches": [match]})
        return type("Run", (), {"lines": lines, "played": played})

    picture = tmp_path / "budget.png"
    plot.by_budget(ALL["budget"], made(50), picture)
    assert not picture.exists()  # a point is no curve
    plot.by_budget(ALL["budget"], made(50, 200), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def names():
    """The matches of the thesis' two runs."""
    both = (ALL["ledford_4_1"], ALL["ledford_4_2"])
    return {table.run: {each.name for each in of.matches(table, None, 7)} for table in both}


@pytest.mark.parametrize("name", ledford.ROWS)
def test_lines_of_the_thesis_stand_on_matches_and_causes(name, names):
    for row in ledford.ROWS[name]:
        assert {match for match, _ in row.cells.values()} <= names[ALL[name].run]
        for keys in (*row.causes.values(), row.notes):
            assert set(keys) <= set(ledford.CAUSES)
        for column in row.cells:  # whatever differs has a cause
            assert (row.text is row.program is None) or row.causes[column]


def test_every_cause_belongs_to_a_line():
    rows = [row for found in ledford.ROWS.values() for row in found]
    used = {key for row in rows for keys in (*row.causes.values(), row.notes) for key in keys}
    assert used == set(ledford.CAUSES)


def test_published_figures_are_the_same_everywhere():
    known = {row.setup: row.program for row in ledford.ROWS["ledford_4_1"] if row.program}
    for player, other in (("heuristic", "random"), ("random", "heuristic")):
        again = published(player, 1, other)
        found = known[f"1 {player.title()} against 3 {other.title()}"]
        assert (found.value, found.games) == (again.wins / again.games, again.games)
    bmcts = [row.program for row in ledford.ROWS["ledford_4_2"][:2]]
    assert [WON.told(each) for each in bmcts] == ["67.8 % (65.7 to 69.8)", "20.4 % (18.7 to 22.2)"]


@pytest.mark.parametrize(
    "ours, theirs, apart",
    [
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.39, 0.6), False),
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.41, 0.6), True),
        (Figure(0.3, 0.2, 0.4), Figure(0.1, 0.05, 0.19), True),
        (Figure(0.3, 0.2, 0.4), Figure(0.4), False),
        (Figure(0.3, 0.2, 0.4), Figure(0.41), True),
        (Figure(10), Figure(None, 11, 12), True),
        (Figure(10), Figure(11), None),
    ],
)
def test_figures_are_apart_without_a_common_value(ours, theirs, apart):
    assert ours.apart(theirs) is theirs.apart(ours) is apart


def test_the_tables_of_policies_from_one_run(command, tmp_path):
    given = ("--fast", "--write", str(tmp_path / "written"))
    code, shown = command("ledford_4_1", *given)
    assert code == 0 and "tell nothing" in shown.out  # a trial says that it is one
    text = (tmp_path / "written/ledford_4_1.md").read_text()
    assert "python -m experiments.tables ledford_4_1 --games 400 --seed 7 --fast" in text
    assert "| 1 Heuristic against 3 Random | games won | 94.75 % [1] | 86.6 % (85.3" in text
    code, shown = command("ledford_text", "--show", *given)
    assert code == 0
    with (tmp_path / "written/ledford_text.csv").open() as file:
        found = list(csv.DictReader(file))
    ours = {(row["quantity"], row["column"]): row for row in found}
    run = Measured(tmp_path / "ledford_policies_fast")
    name = "heuristic against 3 heuristic"
    played = [row for row in rows(run.folder, name) if row["seat"] == 0]
    won = np.array([row["turns"] for row in played if row["winner"] >= 0])
    endless = [row["turns"] == 3000 and row["winner"] < 0 for row in played]
    assert len(played) == 400
    assert float(ours[TURNS_WON.name, ledford.OURS]["value"]) == pytest.approx(won.mean())
    assert float(ours[ENDLESS.name, ledford.OURS]["value"]) == pytest.approx(np.mean(endless))
    humans = [row for row in found if row["setup"].startswith("1 human")]
    assert len(humans) == 2 and not any(row["value"] for row in humans)


def test_a_difference_is_marked_with_its_cause(command, monkeypatch, tmp_path):
    row = ledford.ROWS["ledford_4_1"][2]
    table = part(ALL["ledford_4_1"], [each for each in ALL["ledford_4_1"].cells if each.apart])
    command.more = {"ledford_4_1": table}

    def marked(wins, *given):
        changed = replace(row, program=Figure.counted(wins, 400))
        monkeypatch.setitem(ledford.ROWS, "ledford_4_1", [changed])
        shown = command("ledford_4_1", "--games", "400", *given)[1].out
        assert f"{row.setup} │ games won │ 94.75 % [1] │" in shown
        return "≠ [2]" in shown and ledford.CAUSES["unexplained"][:40] in shown

    assert not marked(364)
    assert marked(100, "--show")


def test_the_tables_of_planners_from_one_run(command, tmp_path):
    given = ("--fast", "--only", "best,heuristic", "--write", str(tmp_path / "written"))
    assert command("ledford_4_2", *given)[0] == 0
    for name in ("ledford_4_3", "ledford_4_4"):
        assert command(name, *given, "--show")[0] == 0
    with (tmp_path / "written/ledford_4_3.csv").open() as file:
        found = [row for row in csv.DictReader(file) if row["column"] == ledford.BEST]
    assert found and all(0 <= float(row["value"]) < 10 for row in found)
    text = (tmp_path / "written/ledford_4_4.md").read_text()
    assert "20 simulations a decision" in text and "| 3 LD-BMCTS against 1 Heuristic |" in text
