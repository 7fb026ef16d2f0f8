"""A sweeper of Hydra that optimises learns what each run came to, or that it failed."""

from __future__ import annotations

import json
import logging

import pytest
import yaml
from hydra.core.hydra_config import HydraConfig

from experiments.settings.command import Command
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
