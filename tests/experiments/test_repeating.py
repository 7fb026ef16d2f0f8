"""The command that a run records plays the same games again, under whatever launcher it ran."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from experiments.compare import __main__ as compare
from experiments.settings import arguments, config, repeating
from experiments.settings.schemas import Compare
from tests.experiments.rows import read_rows

SMALL = (
    "player=swift",
    "opponent=random",
    "match.games=3",
    "match.workers=1",
    "player.threshold=0.35",
)
QUIET = "tracking.enabled=false"


def read_command(folder):
    """Return the command in the files of a run: the same when it began, and at its end."""
    began = json.loads((folder / "matches.json").read_text())["command"]
    assert began == json.loads((folder / "summary.json").read_text())["run"]["command"]
    return began


@pytest.fixture(scope="module")
def multirun(tmp_path_factory):
    """Return the folder of a multirun of two points."""
    folder = tmp_path_factory.mktemp("multirun") / "run"
    with pytest.MonkeyPatch.context() as here:
        here.setenv("HYDRA_FULL_ERROR", "0")
        here.setattr(config, "cores", lambda: 2)
        typed = [*SMALL, "-m", "seed=11,12", QUIET]
        assert compare.COMMAND.run([*typed, f"run.folder={folder}"]) == 0
    return folder


def test_the_recorded_command_plays_the_same_games(run_compare, multirun):
    first, second = (read_rows(multirun / part) for part in "01")
    assert not first.equals(second), "the control"
    _, _, name, *settings = shlex.split(read_command(multirun / "0"))
    assert name == "experiments.compare" and {"seed=11", *SMALL} <= set(settings)
    again = run_compare(*settings, QUIET)
    assert again.code == 0, again.err
    assert read_rows(again.folder).equals(first)
    assert shlex.split(read_command(again.folder)) == ["python", "-m", name, *settings, QUIET]


def assert_like_the_first(folder, multirun):
    """Ask that the run in ``folder`` is the first of ``multirun`` but for the last word."""
    assert shlex.split(read_command(folder))[:-1] == shlex.split(read_command(multirun / "0"))[:-1]
    assert read_rows(folder).equals(read_rows(multirun / "0"))


@pytest.mark.nightly
def test_the_joblib_launcher_records_that_command(multirun, tmp_path):
    """As a user calls it: then the job is one of `__main__`, which in a worker is another's."""
    pytest.importorskip(
        "hydra_plugins.hydra_joblib_launcher",
        reason="no launcher here: pip install hydra-joblib-launcher",
    )
    launcher = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    typed = [*SMALL, "-m", *launcher, "seed=11", QUIET, f"run.folder={tmp_path}"]
    called = [sys.executable, "-m", "experiments.compare", *typed]
    ran = subprocess.run(called, capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr
    assert_like_the_first(tmp_path / "0", multirun)


def test_a_trial_of_a_sweep_is_repeated_alone(run_sweep, run_compare):
    fixed = ("player=swift", "opponent=random", "match.games=4", "match.workers=1", QUIET)
    swept = run_sweep(*fixed, "player.threshold=0.3,0.5", "sweep.fresh=6")
    assert swept.code == 0, swept.err
    whole = ["experiments.sweep", *fixed, "player.threshold=0.3,0.5", "sweep.fresh=6"]
    assert shlex.split(swept.summary["run"]["command"])[2:] == whole
    trials = sorted(swept.folder.glob("trial-*")) + sorted(swept.folder.glob("fresh-*"))
    assert len(trials) == 3
    commands = {folder: shlex.split(read_command(folder)) for folder in trials}
    for folder in (trials[0], trials[-1]):
        _, _, name, *settings = commands[folder]
        assert name == "experiments.compare"
        again = run_compare(*settings)
        assert again.code == 0, again.err
        assert read_rows(again.folder).equals(read_rows(folder))


@pytest.mark.parametrize(
    "typed",
    [
        "match.players=[bmcts,bmcts+own_card_weight=0.1]",
        "match.stop=sprt:0:30",
        "opponent/budget=short",
        r"player.label='it\'s'",
        "+player.x='1'",
    ],
)
def test_what_is_recorded_is_what_one_would_type(typed):
    given = arguments.read([typed], Compare).overrides
    said = shlex.split(repeating.line("compare", given))[3:]
    again = arguments.read(said, Compare).overrides
    (first,), (second,) = map(arguments.parse, given), map(arguments.parse, again)
    assert first.get_key_element() == second.get_key_element()
    assert repr(first.value()) == repr(second.value())
    assert len(said[0]) <= len(typed)


def test_where_a_run_lay_is_no_part_of_it():
    given = ["seed=1", "run.folder=a", "++run.folder=b", "run.records=2"]
    assert repeating.line("compare", given) == "python -m experiments.compare seed=1 run.records=2"
