"""The main job from command line to files."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import mlflow
import pytest

from experiments.matches import match_loop, play
from experiments.provenance import tracking
from tests.experiments.rows import read_rows

QUIET = "tracking.enabled=false"


def test_a_run_leaves_rows_summary_plot_and_record(run_compare, ray_session, database):
    outcome = run_compare("player=heuristic", "match.games=400", f"tracking.uri={database}")
    assert outcome.code == 0, outcome.err
    assert not outcome.err
    assert f"curves: mlflow ui --backend-store-uri {database}" in outcome.out
    summary = outcome.summary
    line = outcome.line
    assert (line["match"], line["player"]) == ("heuristic against 3 heuristic", "heuristic")
    assert (line["games"], summary["seed"], summary["interrupted"]) == (400, 0, False)
    assert line["ci95"][0] < 0.25 < line["ci95"][1], "parity among equals"
    assert summary["run"]["configuration"]["match"]["games"] == 400
    assert summary["run"]["versions"]["numba"]
    table = read_rows(outcome.folder)
    assert table.num_rows == 1600
    assert table["game"].to_pylist() == [game for game in range(400) for _ in range(4)]
    focal = table.filter(table["focal"])
    assert focal["seat"].to_pylist() == [game % 4 for game in range(400)]
    assert "heuristic against 3 heuristic" in outcome.out
    client = mlflow.MlflowClient(database)
    (run,) = client.search_runs([client.get_experiment_by_name("compare").experiment_id])
    assert run.info.status == "FINISHED"
    assert run.data.metrics["win_rate"] == line["win_rate"]
    assert run.data.params["opponent.name"] == "heuristic"
    files = {each.path for each in client.list_artifacts(run.info.run_id)}
    assert files == {"config.yaml", "summary.json", "win_rate.png"}
    assert (outcome.folder / "win_rate.png").read_bytes().startswith(b"\x89PNG")


def test_a_machine_that_others_keep_busy_is_named_beside_speeds(run_compare, monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (2.0 * os.cpu_count(), 0.0, 0.0))
    search = ("player=flat", "player.budget.simulations=4", "rules.turn_cap=8", "match.games=4")
    assert "busy machine: load" in run_compare(*search, QUIET, "match.workers=1").out
    assert "busy machine" not in run_compare("player=swift", QUIET, "match.games=4").out


def test_games_of_two_players_are_crossed(run_compare):
    """Also: Elo and the likelihood of superiority agree in sign with the difference."""
    games = ("match.players=[swift,closure]", "match.games=80", "match.workers=1")
    outcome = run_compare(*games, QUIET)
    (pair,) = outcome.summary["comparisons"]
    cells = [pair[key] for key in ("both", "only_first", "only_second", "neither")]
    one, two = (line["wins"] for line in outcome.summary["table"])
    assert sum(cells) == 80 and (cells[0] + cells[1], cells[0] + cells[2]) == (one, two)
    assert pair["difference"] < 0 and pair["elo_ci95"][1] < 0 and pair["superiority"] < 0.01
    (line,) = re.findall(
        "closure minus swift, same 80 games: .* superiority [0-9.]+ %", outcome.out
    )
    assert f", p {pair['p']:.2g}, {pair['elo']:+.0f} Elo" in line, "one line a pair"


def test_the_same_seed_gives_the_same_summary(run_compare, ray_session):
    match = ("player=bmcts", "match.games=3", "player.budget.simulations=4", "rules.turn_cap=60")
    one, two, other = (
        run_compare(*match, QUIET, f"match.workers={workers}", f"seed={seed}")
        for workers, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert one.figures == two.figures
    assert read_rows(one.folder).drop_columns("search_seconds") == read_rows(
        two.folder
    ).drop_columns("search_seconds")
    assert one.line["turns_mean"] != other.line["turns_mean"], "another seed, other games"


@pytest.mark.parametrize("path", ["debug/quick", "experiment/round_robin"])
def test_committed_experiments_run_shrunk(run_compare, path):
    shrunk = ("match.games=2", "match.workers=1", "player.budget.simulations=2")
    shrunk = (*shrunk, "rules.turn_cap=40", QUIET)
    outcome = run_compare(path.replace("/", "="), *shrunk)
    assert outcome.code == 0, outcome.err
    assert {line["games"] for line in outcome.summary["table"]} <= {0, 1, 2}
    assert sum(line["games"] for line in outcome.summary["table"]) >= 2


def test_a_sweep_is_one_run_after_another_recorded_beside_it_as_one(
    run_compare, database, tmp_path
):
    # `database` lies where the runs do: what is used when no other is named.
    quick = ("player=random", "match.games=20", "match.workers=1")
    outcome = run_compare("-m", *quick, "seed=5,6")
    assert outcome.code == 0, outcome.err
    folders = [outcome.folder / str(job) for job in (0, 1)]
    assert [json.loads((one / "summary.json").read_text())["seed"] for one in folders] == [5, 6]
    single = run_compare(*quick)
    assert single.code == 0, single.err
    assert list(tmp_path.rglob("mlflow.db")) == [tmp_path / "mlflow.db"]
    client = mlflow.MlflowClient(database)
    runs = client.search_runs([client.get_experiment_by_name("compare").experiment_id])
    names = {run.info.run_id: run.info.run_name for run in runs}
    assert set(names.values()) == {"run0/0", "run0/1", "run1"}
    said = {run.info.run_name: run.data.tags.get("multirun") for run in runs}
    assert said == {"run0/0": "run0", "run0/1": "run0", "run1": None}
    assert {run.info.status for run in runs} == {"FINISHED"}
    artifacts = (tmp_path / "mlartifacts").as_uri()
    assert all(run.info.artifact_uri.startswith(artifacts) for run in runs)


def test_a_game_that_raises_ends_the_run_in_one_line(run_compare, database, monkeypatch):
    portion = play.portion

    def play_with_a_bug(match, games):
        # Those that warm up have one simulation.
        if 3 in games and match.entrants[0]["budget"]["simulations"] > 1:
            raise ZeroDivisionError("of a player\nwho has a bug")
        return portion(match, games)

    monkeypatch.setattr(play, "portion", play_with_a_bug)
    settings = ("player=bmcts", "player.budget.simulations=2", "match.workers=1")
    outcome = run_compare(*settings, "match.games=8", f"tracking.uri={database}")
    assert outcome.code == 1
    fault = "game 3 raised ZeroDivisionError: of a player (traceback in error.txt)"
    kept = f"3 of 8 games were played, kept in {outcome.folder}"
    assert outcome.err == f"sleuth-compare: {fault}; {kept}\n"
    traceback = (outcome.folder / match_loop.ERROR).read_text()
    assert "in play_with_a_bug" in traceback
    summary = outcome.summary
    assert (outcome.line["games"], summary["interrupted"], summary["fault"]) == (3, True, fault)
    assert read_rows(outcome.folder).num_rows == 12
    client = mlflow.MlflowClient(database)
    (run,) = client.search_runs([client.get_experiment_by_name("compare").experiment_id])
    assert run.info.status == "FAILED"
    assert "error.txt" in {each.path for each in client.list_artifacts(run.info.run_id)}


SEARCHING = (
    "player=bmcts",
    "player.budget.simulations=1000",
    "player.search.oversubscribe=true",  # so that one core will do
)


@pytest.fixture
def ended_for_certain():
    """Take processes, of which none goes on when a test has failed."""
    begun = []
    yield begun
    for process in begun:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.nightly
@pytest.mark.parametrize(("workers", "number"), [(1, signal.SIGTERM), (2, signal.SIGHUP)])
def test_a_signal_keeps_what_was_played(tmp_path, database, ended_for_certain, workers, number):
    """SIGHUP as it comes: the terminal is closed, all processes get it, and nobody reads."""
    folder = tmp_path / "run"
    command = [sys.executable, Path(__file__).with_name("hasty.py"), *SEARCHING]
    command += [f"match.workers={workers}", f"run.folder={folder}"]
    ours, theirs = pty.openpty() if number == signal.SIGHUP else (None, subprocess.PIPE)
    process = subprocess.Popen(
        [*command, "match.games=100000000", f"tracking.uri={database}"],
        stdout=theirs,
        stderr=theirs,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        start_new_session=True,
        preexec_fn=None if ours is None else partial(fcntl.ioctl, theirs, termios.TIOCSCTTY, 0),
    )
    ended_for_certain.append(process)
    while not (list(folder.glob("games-*.parquet")) and (folder / tracking.RUN).exists()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    if ours is None:
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in out + err
        assert err.startswith("sleuth-compare: interrupted after ")
        assert err.count("\n") == 1
        assert f"continue with run.folder={folder}" in err
    else:
        os.close(theirs)
        os.close(ours)
        process.wait(timeout=60)
    assert process.returncode == 128 + number
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["interrupted"]
    (line,) = summary["table"]
    assert line["games"]
    assert read_rows(folder).num_rows == 4 * line["games"]
    assert _status(database) == {"KILLED"}
    assert not _list_left(process.pid), "processes of Ray outlive the run"


def _list_left(session: int) -> list[str]:
    """Return the processes of a session that are there after a while."""
    for _ in range(300):
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # has ended meanwhile
                found.append(path.read_text())
        # Behind the name in brackets: state, parent, group, session.
        fields = {text: text.rpartition(")")[2].split() for text in found}
        left = [
            text
            for text, (state, _, _, its, *_) in fields.items()
            if its == str(session) and state != "Z"
        ]
        if not left:
            break
        time.sleep(0.1)
    return left


def _status(uri: str) -> set[str]:
    """Return the status of the runs in the database."""
    client = mlflow.MlflowClient(uri)
    runs = client.search_runs([client.get_experiment_by_name("compare").experiment_id])
    return {run.info.status for run in runs}
