"""Tables: every cell can be played, a run goes on where it stopped, ours stands beside theirs."""

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hydra.core.config_store import ConfigStore

from experiments.matches import results
from experiments.settings import config
from experiments.stats.intervals import paired_difference
from experiments.tables import cai, ferrari, papers
from experiments.tables import cells as of
from experiments.tables.figures import GAINED, Figure, Measured
from experiments.tables.forms import Table
from experiments.tables.ledford import rows as ledford
from experiments.tables.stairs.beside import LAST
from experiments.tables.stairs.parts import parts
from sim import rules
from sim.players import registry

TEXTS = {name: (files("conf.table") / f"{name}.yaml").read_text() for name in of.names()}
PLAYED = [name for name, text in TEXTS.items() if "/computed@" not in text]  # quicker than `load`
FIRST = {"main": 12, "planners": 30, "robin": 20, "ledford_4_1": 4, "ledford_4_2": 3}


@pytest.mark.parametrize("name", PLAYED)
def test_every_cell_can_be_played(name, monkeypatch):
    monkeypatch.setattr(config, "cores", lambda: 2)
    cells = of.load(name).cells
    assert len(cells) == FIRST.get(name, len(cells)) and len(set(cells)) == len(cells)
    few = cells[:1] if name.startswith("planners_") else cells[::4]  # they differ in the budget
    few = few[::4] if name == "ledford_steps" else few  # tests/experiments/test_stairs.py has more
    found = matches(of.load(name), few)
    assert len({match.name for match in found}) == len(few)
    for match in found:
        for entrant in match.entrants:
            assert registry.make(entrant, rules.preset(**match.rules))


def matches(table, cells=None, simulations=None, fast=False):
    """Return the matches of ``table``, or of these ``cells`` of it."""
    with pytest.MonkeyPatch.context() as patch:
        if cells is not None:
            patch.setattr(type(table), "cells", cells)
        return of.matches(table, simulations, 7, fast)


def test_opponents_are_taken_for_what_they_are_in_the_main_table():
    for match in matches(of.load("main")):
        player, opponent = match.entrants
        if opponent["name"] == "heuristic":
            assert player["opponents"] == "heuristic"
        else:
            assert player["opponents"] == "swift"
            assert player["model"]["threshold"] == opponent["threshold"]


def test_planners_are_told_all_switches_of_their_opponents():
    others = ["hide+hiding=2+by_out=0.1+label=h", "reader", "greedy+own_card_weight=0.2+label=g"]
    table = replace(of.load("main"), opponents=others, players=["best"])
    found = [match.entrants for match in matches(table)]
    assert [player["opponents"] for player, _ in found] == ["hide", "swift", "swift"]
    for player, opponent in found:
        told = {key: opponent[key] for key in player["model"] if key in opponent}
        assert told.items() <= player["model"].items() and "own_card_weight" in told
    assert found[0][0]["model"]["hiding"] == 2 and found[1][0]["model"]["own_card_weight"] == 0.1


def test_one_model_of_all_opponents():
    found = matches(of.load("one_model"))
    models = {
        (one.entrants[0]["opponents"], one.entrants[0]["model"]["threshold"]) for one in found
    }
    assert models == {("swift", 0.35)}


def test_planners_of_the_papers_keep_their_own_model():
    found = {match.name: match.entrants[0] for match in matches(of.load("planners"))}

    def modelled(player):
        there = found[f"{player} against 3 swift35"]
        return there["opponents"], there["rollout"]["opponents"], there["model"]["threshold"]

    assert modelled("bmcts_faithful") == ("heuristic", None, 1)
    assert modelled("so_ismcts_faithful") == ("tree", "random", 1)
    assert modelled("pomcp_faithful") == ("swift", None, 0.35)
    assert modelled("mo_ismcts") == ("tree", "swift", 0.35)  # the tree moves them


def test_all_players_of_the_round_robin_have_the_same_model():
    for match in matches(of.load("robin")):
        assert match.labels[0] != match.labels[1]
        for entrant in match.entrants:
            theirs = entrant["rollout"] if "ismcts" in entrant["name"] else entrant
            assert theirs["opponents"] == "swift" and entrant["model"]["threshold"] == 0.35


def test_a_player_without_a_tree_is_beside_the_best():
    players = {match.labels[0]: match.entrants[0] for match in matches(of.load("main"))}
    best, without = players["best"], players["no_tree"]
    assert without["budget"]["nodes"] == 1
    budget = {**without["budget"], "nodes": None}
    assert {**without, "label": "best", "budget": budget} == best


def test_strength_is_measured_on_a_seed_that_tuned_nothing():
    assert [name for name in of.names() if isinstance(of.load(name), Table)] == PLAYED
    assert not [name for name in PLAYED if of.load(name).seed == 7]
    assert {of.load(name).seed for name in ledford.ROWS} == {6103, 6104}
    bayes = {*cai.ROWS, *ferrari.ROWS}
    fields = {"field", "field_best", "field_swift"}
    assert {of.load(name).seed for name in bayes} == {4245, 4246}
    assert {of.load(name).seed for name in fields} == {4247}
    hiding = {"hiding", "hiding_greedy", "responses"}
    assert {of.load(name).seed for name in hiding} == {5010}
    hidden = {"ablation", "company", "search"}  # best since it hides
    assert {of.load(name).seed for name in hidden} == {6001}
    steps = {name: of.load(name).seed for name in PLAYED if isinstance(of.load(name), of.Steps)}
    assert set(steps.values()) == {6100, 6101, 6102}
    rest = {*PLAYED} - {*steps} - {*ledford.ROWS} - bayes - fields - hiding - hidden
    assert {of.load(name).seed for name in rest} == {20261}


def test_the_budget_is_the_tables_or_the_one_given():
    def budgets(name, simulations=None, fast=False):
        found = matches(of.load(name), of.load(name).cells[:1], simulations, fast)
        return [one["budget"]["simulations"] for one in found[0].entrants if "budget" in one]

    assert budgets("planners") == [200] and budgets("planners", 50) == [50]
    assert budgets("robin") == [200, 200] and budgets("robin", 50) == [50, 50]
    assert budgets("planners_time") == [None] and budgets("budget") == [50]
    assert budgets("planners", fast=True) == [20] and budgets("ledford_4_2") == [1000]


def test_hours_follow_games_budget_and_cores():
    table = of.load("planners_5000")
    assert table.hours(None, None, 2) == pytest.approx(
        5 * of.load("planners_1000").hours(None, None, 2)
    )
    assert 100 < table.hours(None, None, 2) < 140  # five days, as the docs say
    assert table.hours(100, 500, 1) == pytest.approx(table.hours(None, None, 2) / 10 / 10 * 2)
    timed = of.load("planners_time")
    assert timed.hours(600, None, 2) == pytest.approx(2 * timed.hours(300, None, 2))


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
def command(run_tables, tmp_path, monkeypatch, ray_session):
    """The command; among its tables is ``quick``, of two quick cells."""
    monkeypatch.setattr(config, "cores", lambda: 2)
    ConfigStore.instance().store("quick", QUICK, group="table", package="table")
    return Command(run_tables, tmp_path / "quick")


def rows(folder, match=None):
    """Return what was played, by match, game and seat."""
    found = results.read(folder).drop_columns(["search_seconds"]).to_pylist()
    return [row for row in found if match in (None, row["match"])]


def test_a_run_goes_on_where_it_stopped(command):
    assert command("quick", "games=4")[0] == 0
    first = rows(command.folder)
    assert command("quick", "games=8")[0] == 0
    grown = rows(command.folder)
    assert {row["game"] for row in grown} == set(range(8)) and len(grown) == 2 * 8 * 4
    assert [row for row in grown if row["game"] < 4] == first
    parts = set(command.folder.glob("games-*"))
    code, shown = command("quick", "games=8")
    assert code == 0 and set(command.folder.glob("games-*")) == parts  # nothing left to play
    named = "swift against 3 heuristic less closure against 3 heuristic, same 8 games"
    assert named in shown.out
    assert command("quick", "show=true")[1].out == shown.out


def test_some_cells_alone(command):
    assert command("quick", "games=4")[0] == 0
    closure = rows(command.folder, "closure against 3 heuristic")
    for _ in range(2):  # the second time there is nothing to play
        assert command("quick", "games=8", "only=[swift]")[0] == 0
    assert rows(command.folder, "closure against 3 heuristic") == closure
    assert len(rows(command.folder, "swift against 3 heuristic")) == 8 * 4


@pytest.mark.parametrize(
    "given, told",
    [
        (("quik",), "there is no such table (did you mean quick?)"),
        (("quick", "games=3"), "games=3: must be at least 4"),
        (("quick", "games=few"), "games: Value 'few'"),
        (("quick", "only=[nobody]"), "this table has closure, swift"),
        (("quick", "simulations=9"), "leave it out"),
        (("quick", "seed=-1"), "seed=-1: must be at least 0"),
        (("quick", "show=true", "fast=true"), "nothing was played"),
        (("quick", "seed=8"), "matches.0.seed was 7 there and is 8 now"),
        (("quick", "show=true", "write=/dev/null/x"), "write=/dev/null/x: Not a directory"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_refused_in_one_line(command, given, told):
    code, shown = command("quick", "games=4")
    assert code == 0, shown.err
    before = rows(command.folder)
    code, shown = command(*given)
    assert code == 1 and told in shown.err and shown.err.count("\n") == 1
    assert rows(command.folder) == before


def test_a_folder_that_cannot_be_is_refused(command):
    command.folder.write_text("")
    code, shown = command("quick")
    assert code == 1 and shown.err.startswith("sleuth-tables: ") and shown.err.count("\n") == 1


def test_the_list_tells_all_tables(command):
    shown = [command(*given)[1].out for given in ((), ("list",), ("table=list",))]
    assert shown[0] == shown[1] == shown[2] and all(name in shown[0] for name in of.names())


PUBLISHED = [name for paper in papers.PAPERS for name in paper.rows if name in PLAYED]


@pytest.mark.parametrize("name", PUBLISHED)
def test_lines_of_a_paper_stand_on_matches_and_causes(name):
    paper = papers.of(name)
    table = of.load(name)
    found = {match.name: match for match in matches(table)}
    for steps in table.beside:
        for part in parts(of.load(steps), Path("nowhere")):
            found |= {f"{part.setup}, {end}": part.match for end in (steps, f"{steps}, {LAST}")}
    for row in paper.rows[name]:
        assert set(row.published) <= set(paper.sources)
        for match, player in row.cells.values():
            # beside a gain stands the control's match
            assert player in (found if row.quantity is GAINED else found[match].labels)
        for steps, match, player, _ in row.stairs.values():
            assert steps in table.beside and player in found[f"{match}, {steps}"].labels
        for signs in row.causes.values():
            assert set(signs) <= set(paper.causes) and set(signs.values()) <= {-1, 0, 1}
        assert set(row.notes) <= set(paper.causes)


@pytest.mark.parametrize("paper", papers.PAPERS, ids=lambda paper: next(iter(paper.rows)))
def test_every_cause_belongs_to_a_line(paper):
    lines = [row for found in paper.rows.values() for row in found]
    used = {key for row in lines for signs in (*row.causes.values(), row.notes) for key in signs}
    assert used == set(paper.causes)


@pytest.mark.parametrize(
    "ours, theirs, side",
    [
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.39, 0.6), 0),
        (Figure(0.3, 0.2, 0.4), Figure(0.5, 0.41, 0.6), -1),
        (Figure(0.3, 0.2, 0.4), Figure(0.1, 0.05, 0.19), 1),
        (Figure(0.3, 0.2, 0.4), Figure(0.4), 0),
        (Figure(0.3, 0.2, 0.4), Figure(0.41), -1),
        (Figure(10), Figure(None, 11, 12), -1),
        (Figure(10), Figure(11), None),
    ],
)
def test_figures_are_apart_without_a_common_value(ours, theirs, side):
    assert ours.side(theirs) == side and theirs.side(ours) == (side and -side)


def test_differences_are_from_the_control_and_from_further_ones(command):
    assert command("quick", "games=40")[0] == 0
    run = Measured(command.folder)
    closure, swift = (match.name for match in run.played.matches)
    won = [
        match.wins_of(tally.winner(), 0)
        for match, tally in zip(run.played.matches, run.played.tallies, strict=True)
    ]
    (found,) = run.comparisons([])
    assert (found.first, found.second, found.games) == (closure, swift, 40)
    assert found.difference == paired_difference(*won)
    assert run.figures["comparisons"][0]["p_holm"] == found.p_holm
    pairs = [(one.first, one.second) for one in run.comparisons(["swift"])]
    assert pairs == [(closure, swift)]  # a control is not held against itself or the first


def test_best_is_held_against_flat_and_against_no_tree(command):
    assert command("main", "fast=true", "games=4", "only=[flat,no_tree,best]")[0] == 0
    run = Measured(command.folder.parent / "main_fast")
    pairs = [(one.first, one.second) for one in run.comparisons(of.load("main").controls)]
    for opponent in ("swift35", "greedy35", "greedy", "heuristic"):
        flat, best, no_tree = (f"{who} against 3 {opponent}" for who in ("flat", "best", "no_tree"))
        assert {(flat, best), (flat, no_tree), (no_tree, best)} <= set(pairs)
    assert len(pairs) == 12
