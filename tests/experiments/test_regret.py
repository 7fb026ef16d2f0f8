"""Regret: what the command leaves and refuses, and that it measures what choices lose."""

from __future__ import annotations

import json
import sys
from functools import cache
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from pyarrow.csv import read_csv

from experiments.regret import __main__ as regret
from experiments.regret import report
from experiments.regret.__main__ import contestants, preset, turn
from experiments.settings.commandline import Refusal
from sim.endgame.finding import endgames
from sim.players.player import Player
from sim.state import ACCUSE, ASK, MOVE, SUGGEST

SMALL = ["--positions", "2", "--seeds", "2", "--simulations", "10,40"]
_POSITIONS = regret._positions
FILES = ["regret.csv", "regret.json", "regret.png"]


@cache
def _positions(seed=0, seats=4, count=3):
    return list(islice(endgames(seed, seats), count))


def _found(arguments):
    """Stand in for `regret._positions`: look every position up once."""
    return _positions(arguments.seed, arguments.seats)[: arguments.positions]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in this process with the given arguments, at a small size."""

    monkeypatch.setattr(regret, "_positions", _found)

    def run(*arguments):
        folder = tmp_path / "out"
        monkeypatch.setattr(sys, "argv", ["regret", *SMALL, "--folder", str(folder), *arguments])
        code = 0
        try:
            regret.main()
        except SystemExit as end:
            code = end.code
        shown = capsys.readouterr()
        return SimpleNamespace(code=code, out=shown.out, err=shown.err, folder=folder)

    return run


def _described(outcome):
    return json.loads((outcome.folder / "regret.json").read_text())


def _rows(outcome):
    return read_csv(outcome.folder / "regret.csv").to_pylist()


def test_players_are_measured_written_and_drawn(command):
    outcome = command("--players", "bmcts,swift")
    assert outcome.code == 0
    assert sorted(path.name for path in outcome.folder.iterdir()) == FILES
    assert (outcome.folder / "regret.png").read_bytes().startswith(b"\x89PNG")
    described, rows = _described(outcome), _rows(outcome)
    assert {"command", "versions", "commit", "machine"} == set(described["run"])
    assert described["players"]["bmcts"]["search"]["exploration"] == 0.2
    assert len(rows) == 3 * 2 * 2
    figures = described["figures"]
    assert [(each["player"], each["simulations"]) for each in figures] == [
        ("bmcts", 10),
        ("bmcts", 40),
        ("swift", None),
    ]
    for each in figures:
        mine = [
            row
            for row in rows
            if (row["player"], row["simulations"]) == (each["player"], each["simulations"])
        ]
        assert each["turns"] == len(mine) == 4
        assert each["regret"] == pytest.approx(np.mean([row["regret"] for row in mine]))
        assert each["low"] <= each["regret"] <= each["high"]
        assert f"{100 * each['regret']:.1f} (" in outcome.out
    for row in rows:
        assert 0 <= row["first_regret"] <= row["regret"] <= row["best"] < 1
        assert (row["second"] is None) == (row["first"] >= ACCUSE)


def test_positions_are_those_of_the_seed_and_the_table():
    arguments = SimpleNamespace(seed=0, seats=4, positions=1)
    (found,) = _POSITIONS(arguments)
    assert found.events == _positions()[0].events


def test_a_run_can_be_repeated_and_the_seed_names_it(command):
    def decisions(*arguments):
        rows = _rows(command("--players", "bmcts", *arguments))
        return [{**row, "search_seconds": None} for row in rows]

    first = decisions()
    assert decisions() == first
    assert decisions("--seed", "1") != first


def test_tables_of_other_sizes_and_changed_players(command):
    outcome = command("--players", "bmcts,uniform", "--seats", "3", "--set", "actions.candidates=2")
    described = _described(outcome)
    assert described["seats"] == 3
    assert described["players"]["bmcts"]["actions"]["candidates"] == 2
    assert "late positions of 3 players" in outcome.out


def test_one_player_may_have_changes_of_its_own(command):
    outcome = command("--players", "bmcts,bmcts+belief=factored+search.common_random_numbers=true")
    players = _described(outcome)["players"]
    assert [each["belief"] for each in players.values()] == ["exact", "factored"]
    assert [each["search"]["common_random_numbers"] for each in players.values()] == [False, True]
    assert command("--players", "bmcts+belief=astrology").code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--players", "bmtcs"], "did you mean bmcts?"),
        (["--players", ""], "player="),
        (["--set", "search.explore=1"], "player.search.explore"),
        (["--set", "search.exploration=-1"], "player.search.exploration=-1.0: must be at least 0"),
        (["--set", "rollout.policy=greedy"], "too slow"),
        (["--set", "search"], "write it as name=value"),
        (["--simulations", "10,none"], "'none' is not a number from 1 on"),
        (["--positions", "1"], "an interval needs two"),
        (["--seats", "2"], "a table has 3 to 6"),
        (["--seed", "-1"], "give a number from 0"),
        (["--folder", "/dev/null/here"], "--folder"),
        (["--seedz", "9"], "unrecognized arguments"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(command, arguments, reason):
    outcome = command(*arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    assert reason in outcome.err
    assert outcome.err.startswith("sleuth-regret: ") and outcome.err.count("\n") == 1
    assert not outcome.folder.exists()


@pytest.mark.parametrize(("done", "kept"), [(2, True), (1, False)])
def test_ctrl_c_keeps_the_positions_that_are_done(command, monkeypatch, done, kept):
    measured = regret._rows

    def pressed(number, *arguments):
        if number == done:
            raise KeyboardInterrupt
        return measured(number, *arguments)

    monkeypatch.setattr(regret, "_rows", pressed)
    outcome = command("--players", "swift", "--positions", "3")
    assert outcome.code == 130
    assert (outcome.folder / "regret.json").exists() == kept
    if kept:
        described = _described(outcome)
        assert described["interrupted"] and described["positions"] == 2
        assert {row["position"] for row in _rows(outcome)} == {0, 1}
        assert sorted(path.name for path in outcome.folder.iterdir()) == FILES[:2]
        assert "kept in" in outcome.err


def test_presets_that_search_come_once_a_budget():
    specs = {"planner": preset("bmcts"), "policy": preset("swift", ["search.exploration=9"])}
    entered = list(contestants(specs, [5, 7]))
    assert [(each.label, each.simulations) for each in entered] == [
        ("planner", 5),
        ("planner", 7),
        ("policy", None),
    ]
    assert [each.spec["budget"]["simulations"] for each in entered[:2]] == [5, 7]
    assert specs["planner"]["budget"]["simulations"] == 1000, "the preset is as it was"
    assert "search" not in specs["policy"]
    with pytest.raises(Refusal, match="there is no such"):
        preset("bmcts", ["nothing=1"])


class _Knowing(Player):
    """Reads its choices from the solution: the best ones or the worst."""

    def __init__(self, position, pick):
        super().__init__("knowing")
        self._position, self._pick = position, pick

    def decide(self, view):
        if view[0].phase == SUGGEST:
            return ASK + int(self._pick(self._position.suggestions[self._room]))
        self._room = int(self._pick(self._position.values[:9]))
        return MOVE + self._room


def test_the_best_turn_loses_nothing_and_others_what_they_lose():
    for position in _positions():
        made, lost = turn(position, _Knowing(position, np.argmax), 0)
        assert sum(lost) == pytest.approx(0, abs=1e-12)
        assert ASK <= made[1] < ACCUSE
        made, lost = turn(position, _Knowing(position, np.argmin), 0)
        room = int(np.argmin(position.suggestions.max(axis=1)))
        assert made[0] == MOVE + room
        worst = position.suggestions[room].min()
        assert sum(lost) == pytest.approx(position.best - worst) and sum(lost) > 0.03


class _Accuser(Player):
    """Accuses the first envelope of the list."""

    def decide(self, view):
        return ACCUSE


def test_an_accusation_ends_the_turn():
    position = _positions()[0]
    made, lost = turn(position, _Accuser("accuser"), 0)
    assert made == [ACCUSE]
    assert lost == [pytest.approx(position.best - position.values[9])]


def _row(player, simulations, position, lost, first=MOVE):
    row = {"player": player, "simulations": simulations, "position": position, "first": first}
    return {**row, "regret": lost, "first_regret": lost / 2, "search_seconds": 0.5}


def test_figures_are_means_with_intervals_over_positions():
    rows = [_row("a", 10, at, at / 10) for at in range(4) for _ in range(5)]
    rows += [_row("b", None, at, 0.0, first=ACCUSE) for at in range(4)]
    first, second = report.figures(rows, 0)
    assert first["regret"] == pytest.approx(0.15) and first["first_regret"] == pytest.approx(0.075)
    assert first["best_share"] == 0.25 and first["accused_share"] == 0
    # Five searches of a position are no five positions: two standard errors are 0.11, not 0.05.
    assert 0.18 < first["high"] - first["low"] < 0.26
    assert (second["regret"], second["low"], second["high"]) == (0, 0, 0)
    assert second["best_share"] == 1 and second["accused_share"] == 1


def test_references_are_what_thoughtless_turns_lose():
    found = report.references(_positions())
    for position in _positions():
        assert position.values[9:].max() < position.best - 0.03
    best = [position.best for position in _positions()]
    assert found["best"] == pytest.approx(np.mean(best))
    mean = np.mean([position.suggestions.mean() for position in _positions()])
    assert found["any_suggestion"] == pytest.approx(np.mean(best) - mean)
    accusing = np.mean([position.values[9:].max() for position in _positions()])
    assert found["accusing_at_once"] == pytest.approx(np.mean(best) - accusing)
