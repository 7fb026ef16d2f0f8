"""Tables of strength: every cell can be played, goes on where it stopped, and is compared."""

import json
import sys

import pytest
from pyarrow.parquet import read_table

from experiments import config, results, runner, strength
from experiments.strength_tables import TABLES, Cell, cells
from sim import players, rules


@pytest.mark.parametrize("table", TABLES)
def test_every_cell_can_be_played(table, monkeypatch):
    monkeypatch.setattr(config, "cores", lambda: 2)
    found = cells(table)
    assert len({cell.name for cell in found}) == len(found)
    for cell in found[:: 8 if table.startswith("planners_") else 3]:
        match, _ = strength._match(cell, seed=7)
        for spec in (match.player, match.opponent):
            assert players.make(spec, rules.preset("ledford"))


def test_opponents_are_taken_for_what_they_are_in_the_main_table():
    for cell in cells("main"):
        match, _ = strength._match(cell, seed=7)
        model = match.player["opponents"]
        if match.opponent["name"] == "heuristic":
            assert model == "heuristic"
        else:
            assert model == "swift"
            assert match.player["model"]["threshold"] == match.opponent["threshold"]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys, ray_session):
    """Run a table of two quick cells in this process with the given arguments."""
    monkeypatch.setattr(config, "cores", lambda: 2)

    def quick(table, games=None):
        against = ("player@opponent=heuristic", "rules.turn_cap=40")
        return [
            Cell(table, name, "heuristic", games or 6, (f"player={name}", *against))
            for name in ("swift", "closure")
        ]

    monkeypatch.setattr(strength, "cells", quick)
    monkeypatch.setattr(strength, "CONTROLS", ("closure",))

    def run(*arguments):
        given = ["strength", "main", "--folder", str(tmp_path), *arguments]
        monkeypatch.setattr(sys, "argv", given)
        code = 0
        try:
            strength.main()
        except SystemExit as end:
            code = end.code or 0
        return code, capsys.readouterr()

    run.folder = tmp_path / "main"
    return run


def rows(folder):
    """Return what was played, by game and seat."""
    return results.read(folder).drop_columns(["search_seconds"]).to_pylist()


def test_a_cell_goes_on_where_it_stopped(command):
    assert command("--games", "4")[0] == 0
    first = rows(command.folder / "swift-heuristic")
    assert command("--games", "8")[0] == 0
    grown = rows(command.folder / "swift-heuristic")
    assert {row["game"] for row in grown} == set(range(8))
    assert [row for row in grown if row["game"] < 4] == first
    parts = set(command.folder.glob("*/games-*"))
    code, shown = command("--games", "8")
    assert code == 0 and set(command.folder.glob("*/games-*")) == parts  # nothing left to play
    assert "swift less closure against heuristic, same 8 games" in shown.out
    table = json.loads((command.folder / "table.json").read_text())
    assert [cell["games"] for cell in table["cells"]] == [8, 8]


def test_other_settings_are_refused_and_nothing_is_lost(command):
    assert command("--games", "4")[0] == 0
    before = rows(command.folder / "swift-heuristic")
    code, shown = command("--games", "4", "--seed", "8")
    assert code == 1 and "choose another --folder" in shown.err
    assert command("--games", "4", "--only", "nobody")[0] == 1
    assert rows(command.folder / "swift-heuristic") == before


def test_only_games_that_both_have_played_are_paired(command):
    assert command("--games", "8")[0] == 0
    part = next((command.folder / "swift-heuristic").glob("games-*"))
    kept = read_table(part)
    mask = [game % 2 == 0 for game in kept["game"].to_pylist()]
    results.pq.write_table(kept.filter(mask), part)
    shown = command("--show")[1]
    lost = len(set(kept["game"].to_pylist())) - len(set(kept.filter(mask)["game"].to_pylist()))
    assert lost and f"same {8 - lost} games" in shown.out


def test_games_of_another_seed_are_not_shown(command):
    assert command("--games", "4")[0] == 0
    assert "less closure" in command("--show")[1].out
    path = command.folder / "swift-heuristic" / strength.CELL
    path.write_text(path.read_text().replace('"seed": 7', '"seed": 8'))
    shown = command("--show")[1].out
    assert "less closure" not in shown and "closure" in shown


def test_a_folder_that_cannot_be_is_refused(command, tmp_path):
    (tmp_path / "main").write_text("")
    code, shown = command("--games", "4")
    assert code == 1 and shown.err.startswith("sleuth-strength: --folder")


def test_trees_of_ray_workers_and_games_share_the_cores(command, monkeypatch):
    how = ("player=bmcts", "player.search.mode=root", "player.search.workers=2")
    few = ("player.budget.simulations=8", "player@opponent=heuristic", "rules.turn_cap=12")
    merges = ("visits", "vote")

    def trees(table, games):
        settings = [(*how, *few, f"player.search.merge={merge}") for merge in merges]
        return [Cell(table, *each) for each in zip(merges, "hh", (4, 4), settings, strict=True)]

    monkeypatch.setattr(strength, "cells", trees)
    try:
        assert command()[0] == 0
    finally:  # the trees' workers hold the cores, and other tests need them
        runner.ray.shutdown()
        runner.start(None, 2)
    for merge in merges:
        assert len(rows(command.folder / f"{merge}-h")) == 4 * 4


def test_cells_told_apart_by_their_budget_are_drawn(tmp_path):
    curve = cells("budget", games=4)
    assert [cell.simulations for cell in curve] == [50, 100, 200, 500, 1000, 2000, 5000]
    games = dict.fromkeys(range(4), True)
    strength._draw(curve, {("best50", "swift35"): games}, tmp_path)
    assert not list(tmp_path.iterdir())  # a point is no curve
    strength._draw(curve, {(cell.player, "swift35"): games for cell in curve}, tmp_path)
    assert (tmp_path / "strength.png").read_bytes().startswith(b"\x89PNG")
    assert not any(cell.simulations for cell in cells("main"))
