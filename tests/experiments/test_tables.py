"""Tables: each is well-formed, a run continues where it stopped, players get their models."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hydra.core.config_store import ConfigStore

from experiments.settings import config
from experiments.stats.intervals import paired_difference
from experiments.tables import catalog
from experiments.tables.cells import choose
from experiments.tables.figure import Figure
from experiments.tables.matches import matches
from experiments.tables.measured import Measured
from experiments.tables.schema import Computed, Table
from sim import rules
from sim.players import registry
from tests.experiments.rows import read_rows


@pytest.fixture(scope="module")
def tables():
    return {name: catalog.outline(name) for name in catalog.names()}


@pytest.fixture(scope="module")
def tables_of_games(tables):
    """Tables that are made of games."""
    return {name: table for name, table in tables.items() if isinstance(table, Table)}


def matches_of(table, number=None, simulations=None):
    """Return the matches of ``table``, or the one of its cell with this ``number``."""
    with pytest.MonkeyPatch.context() as patch:
        if number is not None:
            patch.setattr(type(table), "cells", [table.cells[number]])
        return matches(table, simulations, 7)


@pytest.mark.nightly
def test_a_cell_of_every_table_can_be_played(tables_of_games):
    for name, table in tables_of_games.items():
        cells = table.cells
        (match,) = matches_of(table, len(cells) // 2)
        for entrant in match.entrants:
            assert registry.make(entrant, rules.preset(**match.rules)), name


def test_opponents_are_modelled_with_all_their_switches():
    others = ["hide+hiding=2+by_out=0.1+label=h", "reader", "greedy+own_card_weight=0.2+label=g"]
    table = replace(catalog.load("ablation"), opponents=[*others, "heuristic"], players=["best"])
    found = [match.entrants for match in matches_of(table)]
    models = [player["opponents"] for player, _ in found]
    assert models == ["hide", "swift", "swift", "heuristic"]
    for player, opponent in found[:3]:
        shared = {key: opponent[key] for key in player["model"] if key in opponent}
        assert shared.items() <= player["model"].items() and "own_card_weight" in shared
    assert found[0][0]["model"]["hiding"] == 2 and found[1][0]["model"]["own_card_weight"] == 0.1


@pytest.mark.nightly
def test_planners_of_the_papers_keep_their_own_model():
    names = ["bmcts_faithful", "so_ismcts_faithful", "pomcp_faithful", "mo_ismcts"]
    table = replace(
        catalog.load("planners"), players=names, opponents=catalog.load("planners").opponents[1:]
    )
    models = [
        (there["opponents"], there["rollout"]["opponents"], there["model"]["threshold"])
        for there in (match.entrants[0] for match in matches_of(table))
    ]
    assert models == [
        ("heuristic", None, 1),
        ("tree", "random", 1),
        ("swift", None, 0.35),
        ("tree", "swift", 0.35),  # the tree moves them
    ]


def test_both_planners_of_a_match_have_the_same_model():
    table = replace(catalog.load("robin"), players=["flat"], opponents=["flat", "mo_ismcts"])
    (match,) = matches_of(table)
    assert match.labels == ["flat", "mo_ismcts"]
    for entrant in match.entrants:
        model = entrant["rollout"] if "ismcts" in entrant["name"] else entrant
        assert model["opponents"] == "swift" and entrant["model"]["threshold"] == 0.35


def test_strength_is_measured_on_a_seed_that_tuned_nothing(tables_of_games):
    assert {table.seed for table in tables_of_games.values()}.isdisjoint({7})
    hidden = {"ablation", "company"}  # best was tuned again when it learnt to hide
    assert {catalog.load(name).seed for name in hidden} == {6001}
    again = {"field", "matrix", "search", "tree"}  # and again, when it found out who sits there
    assert {catalog.load(name).seed for name in again}.isdisjoint(
        {6001, 4247, 6133, 6151, 6152, 6163}
    )


def test_the_budget_is_the_tables_or_the_one_given():
    def budgets(name, simulations=None):
        (match,) = matches_of(catalog.load(name), 0, simulations)
        return [one["budget"]["simulations"] for one in match.entrants if "budget" in one]

    assert budgets("planners") == [200] and budgets("planners", 50) == [50]
    assert budgets("robin") == [200, 200] and budgets("robin", 50) == [50, 50]
    assert budgets("planners_time") == [None] and budgets("budget") == [125]
    assert budgets("ledford_4_2") == [1000]


QUICK = Table(
    about="quick ones",
    players=["closure", "swift"],
    opponents=["heuristic"],
    settings=["rules.turn_cap=40"],
    games=6,
    simulations=None,
    seconds=0,
    seed=7,
    compiled=True,
)


class Command(NamedTuple):
    """Runs the command in this process; ``folder`` is where the table ``quick`` is played."""

    run: Callable[..., Any]
    folder: Path

    def __call__(self, *arguments):
        return self.run(*arguments, folder=self.folder.parent)


@pytest.fixture
def command(run_tables, tmp_path, monkeypatch):
    """The command; among its tables is ``quick``, of two quick cells."""
    monkeypatch.setattr(config, "cores", lambda: 1)
    ConfigStore.instance().store("quick", QUICK, group="table", package="table")
    return Command(run_tables, tmp_path / "quick")


def rows(folder, match=None):
    """Return the rows of all games, by match, game and seat."""
    found = read_rows(folder).drop_columns(["search_seconds"]).to_pylist()
    return [row for row in found if match in (None, row["match"])]


def test_a_run_continues_where_it_stopped(command):
    assert command("quick", "games=4")[0] == 0
    first = rows(command.folder)
    assert command("quick", "games=8")[0] == 0
    grown = rows(command.folder)
    assert {row["game"] for row in grown} == set(range(8)) and len(grown) == 2 * 8 * 4
    assert [row for row in grown if row["game"] < 4] == first
    parts = set(command.folder.glob("games-*"))
    code, shown = command("quick", "games=8")
    assert code == 0 and set(command.folder.glob("games-*")) == parts  # nothing left to play
    named = "swift against 3 heuristic minus closure against 3 heuristic: "
    assert named in shown.out
    assert command("quick", "show=true")[1].out == shown.out
    assert "matches.0.seed was 7 there and is 8 now" in command("quick", "seed=8")[1].err
    assert rows(command.folder) == grown


def test_cells_are_chosen_by_players_opponents_and_variants():
    cells = [cell.choices for cell in catalog.load("tree").cells]

    def find(*only):
        return {cells[number] for number in choose(cells, only)}

    assert find("swift", "greedy35", "classic", "best") == {
        ("best", opponent, "one", "classic") for opponent in ("swift", "greedy35")
    }
    assert len(find("best_tree")) == 16 and len(find("entropy")) == 8
    robin = [cell.choices for cell in catalog.load("field").cells]
    assert choose(robin, ["cai2006"]) == [1] and choose(robin, None) == [0, 1, 2]


@pytest.mark.parametrize(
    "given, message",
    [
        (("quick", "only=[unknown]"), "this table has closure, swift, heuristic, one"),
        (("quick", "simulations=9"), "leave it out"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_faults_are_refused_in_one_line(command, given, message):
    code, shown = command(*given)
    assert code == 1 and message in shown.err and shown.err.count("\n") == 1
    assert not command.folder.exists()


@pytest.mark.parametrize(
    "number, changes, message",
    [
        (0, {"rules": "speed"}, "table.rules: unknown setting (choose one of about, players, "),
        (1, {"seconds": "???"}, "seconds is missing: give it a value"),
        (2, {"defaults": ["_self_"]}, "its defaults must begin with /schema/table@_here_"),
    ],
)
def test_the_file_of_a_faulty_table_is_named(command, monkeypatch, number, changes, message):
    """In the list as well."""
    name = f"faulty_{number}"  # what is composed is kept by name
    plain = {"about": "x", "players": ["swift"], "opponents": ["heuristic"], "games": 20}
    plain |= {"defaults": ["/schema/table@_here_", "_self_"], "simulations": None, "seconds": 1}
    ConfigStore.instance().store(name, plain | changes, group="table", package="table")
    monkeypatch.setattr(catalog, "names", lambda: [name])
    for given in ((), (name,), (f"table={name}", "games=8")):
        code, shown = command(*given)
        assert code == 1 and shown.err.count("\n") == 1
        assert shown.err.startswith(f"sleuth-tables: conf/table/{name}.yaml: {message}")


@pytest.mark.nightly
def test_the_list_reads_tables_as_hydra_composes_them(tables):
    for name, table in tables.items():
        assert table == replace(catalog.load(name), published=None), name


def test_all_tables_are_listed(command, tables):
    shown = [command(*given)[1].out for given in ((), ("list",), ("table=list",))]
    assert shown[0] == shown[1] == shown[2] and all(name in shown[0] for name in catalog.names())
    assert any(isinstance(table, Computed) for table in tables.values())


@pytest.mark.parametrize(
    "ours, theirs, differ",
    [
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.39, 0.6), False),
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.41, 0.6), True),
        (Figure(10), Figure(11), None),
    ],
)
def test_figures_differ_without_a_common_value(ours, theirs, differ):
    assert ours.differs(theirs) is differ is theirs.differs(ours)


def test_differences_are_from_the_control_and_from_further_ones(command):
    assert command("quick", "games=40", "table.players=[closure,swift,greedy]")[0] == 0
    run = Measured(command.folder)
    closure, swift, greedy = (match.name for match in run.played.matches)
    found = run.comparisons([])
    assert [(one.first, one.second) for one in found] == [(closure, swift), (closure, greedy)]
    assert found[0].games == 40
    assert found[0].difference == paired_difference(run.wins(closure), run.wins(swift))
    assert run.summary.comparisons[0]["p_holm"] == found[0].p_holm
    pairs = {(one.first, one.second) for one in run.comparisons(["swift"])}
    assert pairs == {(closure, swift), (closure, greedy), (swift, greedy)}
    assert catalog.load("search").controls == ["best"]
