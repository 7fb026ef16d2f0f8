"""A sweeper of Hydra that optimises learns what each run came to, or that it failed."""

from __future__ import annotations

import json
import logging
import pickle
import sys

import pytest
import yaml
from hydra.core.hydra_config import HydraConfig

from experiments.compare import __main__ as compare
from experiments.provenance import tracking
from experiments.settings.command import Command, _Job
from experiments.settings.commandline import Refusal
from experiments.settings.schemas import Compare

SMALL = ("player=swift", "opponent=random", "match.games=12", "match.workers=1", "seed=3")
QUIET = "tracking.enabled=false"
OPTUNA = (
    "-m",
    "hydra/sweeper=optuna",
    "hydra/sweeper/sampler=random",
    "hydra.sweeper.sampler.seed=1",
    "hydra.sweeper.direction=maximize",
    "hydra.sweeper.n_jobs=1",
)


@pytest.fixture
def optuna_sweeper():
    pytest.importorskip(
        "hydra_plugins.hydra_optuna_sweeper",
        reason="no sweeper here: pip install --no-deps hydra-optuna-sweeper==1.3.0",
    )
    import optuna

    # Loggers keep the streams of the test in which they were made.
    before = logging.root.handlers[:]
    optuna.logging.disable_default_handler()
    yield
    optuna.logging.enable_default_handler()
    logging.root.handlers[:] = before


def optimise(run, *more):
    """Run `SMALL` with Optuna's sweeper; return what the command left."""
    return run(*OPTUNA, *SMALL, QUIET, *more)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_optimising_sweeper_learns_what_was_won(run_compare, optuna_sweeper):
    axis = "player.threshold=interval(0.1,0.9)"
    ran = optimise(run_compare, "hydra.sweeper.n_trials=2", axis)
    assert ran.code == 0, ran.err
    rates = {}
    for trial in range(2):
        found = json.loads((ran.folder / str(trial) / "summary.json").read_text())
        threshold = found["run"]["configuration"]["player"]["threshold"]
        rates[threshold] = found["table"][0]["win_rate"]
    assert len(set(rates.values())) == 2, "else any of them would be the best"
    shown = yaml.safe_load((ran.folder / "optimization_results.yaml").read_text())
    assert shown["best_value"] == max(rates.values())
    assert rates[shown["best_params"]["player.threshold"]] == shown["best_value"]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_refused_run_is_one_that_failed(run_compare, optuna_sweeper):
    axis = "player.threshold=choice(2,0.5)"
    tolerant = ("hydra.sweeper.n_trials=3", "hydra.sweeper.max_failure_rate=1")
    some = optimise(run_compare, *tolerant, axis)
    assert some.code == 1
    assert "must be above 0 and at most 1" in some.err and "Traceback" not in some.err
    shown = yaml.safe_load((some.folder / "optimization_results.yaml").read_text())
    assert shown["best_params"] == {"player.threshold": 0.5}
    assert shown["best_value"] > 0
    none = optimise(run_compare, "hydra.sweeper.n_trials=1", "player.threshold=choice(2,3)")
    assert none.code == 1
    assert "must be above 0 and at most 1" in none.err and "Traceback" not in none.err


def job_of(typed, job, tmp_path, multirun):
    """Return exit code and what Hydra learnt of the runs of ``typed``."""
    shown = []

    def note(settings, folder):
        shown.append(HydraConfig.get().mode)
        return job(settings, folder)

    flags = ["-m"] if multirun else []
    command = Command("compare", Compare, note)
    return command.run([*flags, *typed, f"run.folder={tmp_path / 'run'}"]), shown


def test_a_multirun_goes_on_after_a_refusal_and_ends_with_1(tmp_path, capsys):
    def job(settings, folder):
        if settings.seed == 1:
            raise Refusal("not this one")
        return 0.5

    code, shown = job_of(["seed=1,2"], job, tmp_path, multirun=True)
    assert code == 1 and len(shown) == 2
    assert capsys.readouterr().err == "sleuth-compare: not this one\n"
    code, shown = job_of(["seed=1"], job, tmp_path, multirun=False)
    assert code == 1
    assert capsys.readouterr().err == "sleuth-compare: not this one\n"


@pytest.mark.nightly
def test_a_launcher_elsewhere_says_that_a_run_was_refused(tmp_path, capsys):
    pytest.importorskip(
        "hydra_plugins.hydra_joblib_launcher",
        reason="no launcher here: pip install hydra-joblib-launcher",
    )

    def job(settings, folder):
        raise Refusal("not this one")

    launcher = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=1"]
    code, shown = job_of([*launcher, "seed=1"], job, tmp_path, multirun=True)
    assert code == 1 and len(shown) == 1
    err = capsys.readouterr().err
    assert "sleuth-compare: not this one\n" in err and "Traceback" not in err


@pytest.mark.nightly
def test_an_interrupted_launcher_does_not_say_that_nothing_was_done(tmp_path, capsys, monkeypatch):
    """Its runs keep what they have played, of which this process knows nothing."""

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Command, "_run_hydra", interrupt)
    code, shown = job_of(["seed=1,2"], None, tmp_path, multirun=True)
    assert code == 130 and not shown
    said = "interrupted; results so far are kept in the folders of its runs"
    assert capsys.readouterr().err == f"sleuth-compare: {said}\n"


def test_a_job_is_found_in_the_process_of_a_launcher(monkeypatch):
    """Called with ``python -m`` it is one of `__main__`, which is another module there."""
    job = type(compare.job)(compare.job.__code__, vars(compare), "job")
    job.__module__ = "__main__"
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", compare.__spec__)
    sent = _Job(Command("compare", Compare, job, lasting=True), ["seed=1"])
    found = pickle.loads(pickle.dumps(sent))
    assert found.command == compare.COMMAND and found.typed == ["seed=1"]


@pytest.mark.nightly
def test_the_first_line_of_the_table_is_what_is_maximised(run_compare, monkeypatch, database):
    shown = []
    job = compare.job

    def note(settings, folder):
        shown.append(job(settings, folder))
        return shown[-1]

    monkeypatch.setattr(compare, "COMMAND", Command("compare", Compare, note, lasting=True))
    two = run_compare(*SMALL[1:], "match.players=[swift,random]", QUIET)
    assert shown.pop() == two.summary["table"][0]["win_rate"] != two.summary["table"][1]["win_rate"]

    def broken(self, *_, **__):
        raise Refusal("the store is gone")

    monkeypatch.setattr(tracking.Tracker, "begin", broken)
    lost = run_compare(*SMALL, f"tracking.uri={database}")
    assert lost.code == 0 and "the store is gone" in lost.err
    assert shown.pop() == lost.line["win_rate"], "a sweeper knows what was found"
