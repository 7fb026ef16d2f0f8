"""Regret: what the command leaves, and that it measures what choices lose."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from experiments.regret import __main__ as regret
from experiments.regret.__main__ import COMMAND, turn
from sim.player import Player
from sim.state import ACCUSE, ASK, MOVE, SUGGEST

SMALL = {"positions": 2, "seeds": 2, "simulations": "[10,40]"}
FILES = ["config.yaml", "regret.parquet", "regret.png", "summary.json"]


def _positions(seed=0, seats=4, count=3):
    return regret.find_positions(seed, seats, count)


@pytest.fixture
def command(run_study):
    """Run the command in this process with the given arguments, at a small size."""

    def run(*arguments):
        given = {argument.partition("=")[0] for argument in arguments}
        small = [f"{key}={value}" for key, value in SMALL.items() if key not in given]
        if "player=swift" in arguments or any(key.startswith("player.budget") for key in given):
            small = [setting for setting in small if not setting.startswith("simulations")]
        return run_study(COMMAND, *small, *arguments)

    return run


def _rows(outcome):
    return pl.read_parquet(outcome.folder / "regret.parquet").to_dicts()


def test_players_are_measured_written_and_drawn(command):
    outcome = command("players=[bmcts,swift]")
    assert outcome.code == 0
    assert sorted(path.name for path in outcome.folder.iterdir()) == FILES
    assert (outcome.folder / "regret.png").read_bytes().startswith(b"\x89PNG")
    described, rows = outcome.summary, _rows(outcome)
    assert {"configuration", "command", "versions", "commit", "machine"} == set(described["run"])
    assert described["players"]["bmcts"]["search"]["exploration"] == 0.2
    assert len(rows) == 3 * 2 * 2
    figures = described["figures"]
    assert [(line["player"], line["simulations"]) for line in figures] == [
        ("bmcts", 10),
        ("bmcts", 40),
        ("swift", None),
    ]
    for line in figures:
        who = (line["player"], line["simulations"])
        mine = [row for row in rows if (row["player"], row["simulations"]) == who]
        assert line["turns"] == len(mine) == 4
        assert line["regret"] == pytest.approx(np.mean([row["regret"] for row in mine]))
        assert line["low"] <= line["regret"] <= line["high"]
        assert f"{100 * line['regret']:.1f} (" in outcome.out
    shown, again = regret.show(outcome.folder)  # as the page of its kept rows does
    assert again == figures and shown.rows == regret.tabulate(described).rows
    for row in rows:
        assert 0 <= row["first_regret"] <= row["regret"] <= row["best"] < 1
        assert (row["second"] is None) == (row["first"] >= ACCUSE)


def test_players_may_search_with_budgets_of_their_own(command):
    outcome = command("player=bmcts", "player.budget.simulations=30", "rules.players=3")
    (line,) = outcome.summary["figures"]
    assert (line["player"], line["simulations"]) == ("bmcts", 30)
    assert outcome.summary["seats"] == 3 and "late positions of 3 players" in outcome.out


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
    first, second = regret.figures(pl.from_dicts(rows, infer_schema_length=None), 0)
    assert first["regret"] == pytest.approx(0.15) and first["first_regret"] == pytest.approx(0.075)
    assert first["best_share"] == 0.25 and first["accused_share"] == 0
    # Five searches of a position are no five positions: two standard errors are 0.11, not 0.05.
    assert 0.18 < first["high"] - first["low"] < 0.26
    assert (second["regret"], second["low"], second["high"]) == (0, 0, 0)
    assert second["best_share"] == 1 and second["accused_share"] == 1


def test_references_are_what_thoughtless_turns_lose():
    found = regret.references(_positions())
    for position in _positions():
        assert position.values[9:].max() < position.best - 0.03
    best = [position.best for position in _positions()]
    assert found["best"] == pytest.approx(np.mean(best))
    mean = np.mean([position.suggestions.mean() for position in _positions()])
    assert found["any_suggestion"] == pytest.approx(np.mean(best) - mean)
    accusing = np.mean([position.values[9:].max() for position in _positions()])
    assert found["accusing_at_once"] == pytest.approx(np.mean(best) - accusing)
