"""A run on a cluster sends again what a lost host had, and ends in a line without the head."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from experiments.episodes import workers
from experiments.matches import runner
from experiments.matches.failures import WorkersLost
from experiments.matches.schedule import Schedule
from experiments.settings.commandline import Refusal
from mcts.distributed import cluster, local_ray
from tests.experiments.test_runner import MATCH

GAMES = 6


class OtherRay:
    """Ray of whose tasks those that went to the host which is gone never end."""

    def __init__(self) -> None:
        self.sent: list[SimpleNamespace] = []
        self.cancelled = 0

    def put(self, value):
        return value

    def options(self, **given):
        def remote(match, games, code):
            lost = given.get("scheduling_strategy") is None and len(self.sent) < 2
            task = SimpleNamespace(games=games, lost=lost, **given)
            self.sent.append(task)
            return _Key(task)

        return SimpleNamespace(remote=remote)

    def wait(self, asked, timeout, num_returns=1):
        ended = [key for key in asked if not key.task.lost]
        return ended[:num_returns], [key for key in asked if key not in ended[:num_returns]]

    def get(self, key):
        return key.task.games.tolist(), 0.1

    def cancel(self, key, force):
        self.cancelled += 1


class _Key:
    def __init__(self, task):
        self.task = task


def play(monkeypatch, looks, cpus=1.0, other=None):
    """Return the games that came, with at most 30 looks, and Ray."""
    other = other or OtherRay()
    monkeypatch.setattr(runner, "ray", other)
    monkeypatch.setattr(runner, "_play", other)
    monkeypatch.setattr(runner, "lost_hosts", lambda: next(looks, False))
    schedule = Schedule([MATCH], [GAMES])
    schedule._size = [1]
    came = []
    for _, done in zip(range(30), runner.play_games([MATCH], schedule, 3, [cpus]), strict=False):
        came += [game for _, games in done for game in games]
    return came, other


def test_what_a_lost_host_had_is_sent_again_and_counts_once(monkeypatch):
    came, other = play(monkeypatch, iter([False, False, True]))
    assert sorted(came) == list(range(GAMES))
    assert other.cancelled >= 2, "the tasks that never end"
    later = [task for task in other.sent if "scheduling_strategy" in vars(task)]
    assert later and all(task.num_cpus < 1 for task in later), "another queue"


def test_what_searches_in_actors_is_not_sent_twice(monkeypatch):
    """Its second process would wait for cores that the first one holds."""
    came, other = play(monkeypatch, iter([False, False, True]), cpus=0.0)
    assert len(other.sent) == GAMES
    assert all("scheduling_strategy" not in vars(task) for task in other.sent)
    assert len(came) == GAMES - 2, "Ray itself sends them again, later"


@pytest.fixture
def watch_over(monkeypatch):
    """A watch over the head at a socket, its nodes, and a clock to be moved."""
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    nodes = [{"NodeID": "one", "Alive": True}, {"NodeID": "two", "Alive": True}]
    context = SimpleNamespace(gcs_address=f"127.0.0.1:{port}")
    ray = SimpleNamespace(nodes=lambda: nodes, get_runtime_context=lambda: context)
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(cluster, "ray", ray)
    monkeypatch.setattr(cluster, "time", SimpleNamespace(monotonic=lambda: clock.now))
    yield cluster.Watch(), nodes, clock, server
    server.close()


def test_a_host_that_is_gone_is_noticed_once(watch_over):
    watch, nodes, clock, _ = watch_over
    clock.now += 60
    assert not watch.check(), "control: all are alive"
    nodes[1]["Alive"] = False
    found = []
    for _ in range(20):
        clock.now += 1
        found.append(watch.check())
    assert found.count(True) == 1 and not any(found[:4])


def test_a_head_is_gone_after_it_was_silent_for_long_and_not_after_a_pause_of_ours(watch_over):
    watch, _, clock, server = watch_over
    clock.now += 3_600
    server.close()
    assert not watch.check(), "one look without an answer, an hour after the last"
    clock.now += cluster.SILENT_SECONDS - 1
    assert not watch.check()
    clock.now += 5
    with pytest.raises(local_ray.RayFault, match="no longer answers: restart it"):
        watch.check()


def test_a_lost_head_ends_games_and_episodes_in_a_line(monkeypatch):
    def check():
        raise local_ray.RayFault("the head is gone")

    monkeypatch.setattr(runner, "_watch", SimpleNamespace(check=check))
    with pytest.raises(WorkersLost, match=r"^the head is gone"):
        runner.lost_hosts()
    with pytest.raises(Refusal, match="the same command continues"):
        workers._lost_hosts()
    monkeypatch.setattr(runner, "_watch", None)
    assert not runner.lost_hosts(), "control: on this machine nobody is watched"
