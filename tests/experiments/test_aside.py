"""A record, a plot or a display beside a run may fail: one line says so, no row is lost."""

from __future__ import annotations

import sys

import pytest

from experiments.compare import outcome
from experiments.matches.progress import GamesPlayed
from experiments.provenance import tracking
from experiments.runs import mlflow_run
from experiments.settings.commandline import Aside, Refusal
from experiments.sweep import plot
from tests.experiments.rows import read_rows

SMALL = ("player=random", "opponent=random", "match.games=12", "match.workers=1")


def raises(fault):
    """Return a function that raises ``fault``."""

    def fail(*_, **__):
        raise fault

    return fail


PLANTED = {
    "MLflow is broken": (sys.modules, "mlflow", None, "record is incomplete (import of mlflow"),
    "a sender that exits": (tracking.Tracker, "record", raises(SystemExit(3)), "(SystemExit: 3)"),
    "the figures": (mlflow_run.Curves, "follow", raises(AttributeError()), "Error"),
    "a full disk": (outcome, "draw", raises(OSError(28, "No space left")), "the plot is missing"),
    "the display": (GamesPlayed, "update", raises(ValueError("closed")), "display has stopped"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_fails_beside_a_run_ends_nothing(what, run_compare, monkeypatch, database):
    place, name, broken, said = PLANTED[what]
    patch = monkeypatch.setitem if isinstance(place, dict) else monkeypatch.setattr
    patch(place, name, broken)
    ran = run_compare(*SMALL, f"tracking.uri={database}")
    assert ran.code == 0, ran.err
    assert ran.err.startswith("warning: ") and said in ran.err and ran.err.count("\n") == 1
    assert read_rows(ran.folder).num_rows == 4 * 12 and ran.line["games"] == 12


def test_what_fails_beside_a_sweep_ends_nothing(run_sweep, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    monkeypatch.setattr(plot, "draw", raises(RuntimeError("no font")))
    ran = run_sweep("player=random", "opponent=random", "seed=1,2", "match.games=4")
    assert ran.code == 0, ran.err
    assert ran.err.count("warning: ") == ran.err.count("\n") == 2, ran.err
    assert [line["games"] for line in ran.table] == ["4", "4"]


def test_a_request_to_end_and_what_is_refused_pass(capsys):
    beside = Aside("the plot is missing")
    with pytest.raises(KeyboardInterrupt):
        beside.do(raises(KeyboardInterrupt()))
    with pytest.raises(Refusal, match="no server"):
        beside.do(raises(Refusal("no server")), refuses=True)
    assert beside.do(lambda: 3) == 3 and beside.fault is None
    for _ in range(2):
        assert beside.do(raises(Refusal("no server"))) is None
    assert beside.do(lambda: 3) is None, "once it has failed it is left alone"
    assert capsys.readouterr().err == "warning: the plot is missing (no server)\n"
