"""Games over Ray: the same with any number of workers, and after workers have died."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pyarrow as pa
import pytest
import ray

from experiments.matches import play, runner
from experiments.matches.schedule import Match, Schedule
from tests.experiments.rows import make_match

MATCH = make_match()


def _play(match: Match, games: int, workers: int, interfere=lambda: None):
    tables = []
    schedule = Schedule([match], [games])
    for done in runner.play_games([match], schedule, workers, [1.0]):
        tables += [each.rows for _, each in done]
        if done:
            interfere()
    return pa.concat_tables(tables).sort_by([("game", "ascending"), ("seat", "ascending")])


def _alone(games: int) -> pa.Table:
    """Return the same rows, played in this process."""
    rows = play.portion(MATCH, range(games)).rows
    return rows.sort_by([("game", "ascending"), ("seat", "ascending")])


def _busy_workers() -> list[int]:
    """Return the processes, started by this one, that play games now."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            title = (folder / "cmdline").read_bytes().split(b"\0")[0]
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            grandparent = int(
                Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1]
            )
        except (OSError, IndexError, ValueError):
            continue
        if title == b"ray::_play" and grandparent == os.getpid():
            found.append(int(folder.name))
    return found


def test_workers_change_nothing(ray_session):
    one, two = (_play(MATCH, 1000, workers) for workers in (1, 2))
    assert one.equals(two)
    assert one.equals(_alone(1000))


def test_a_killed_worker_costs_no_game(ray_session):
    killed = []

    def kill():
        if len(killed) < 2:
            for worker in _busy_workers()[:1]:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)

    table = _play(MATCH, 12_000, 2, kill)
    assert killed, "no worker was caught at play"
    assert table.equals(_alone(12_000))


def test_games_that_always_kill_their_worker_end_the_run(ray_session):
    @ray.remote(max_retries=0)
    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(runner.WorkersLost, match="games 4 to 5"):
        runner._result(die.remote(), range(4, 6))
