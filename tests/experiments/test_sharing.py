"""Processes that play in one folder share its games: none is lost, doubled or changed."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import signal
import time

import pytest

from experiments import locks
from experiments.locks import Busy
from experiments.matches import claims as claims_module
from experiments.matches import in_process, match_loop, results, schedule, shared
from experiments.matches.claims import CLAIMS, Claims
from experiments.matches.match_loop import Resources
from experiments.matches.results import Played, Results
from experiments.run import Run
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.stats import stopping
from tests.experiments.rows import make_match, read_rows

ALONE = Resources((1,), (1.0,), None, 1, alone=True)
GAMES = 400
NAMES = ["a", "b"]


@pytest.fixture
def fork():
    """Run a function in a forked process, killed at the end; its result is the exit code."""
    children = []

    def start(work) -> int:
        child = os.fork()
        if child:
            children.append(child)
            return child
        code = 1
        try:
            code = work() or 0
        finally:
            os._exit(code)

    yield start
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


@pytest.fixture
def made_up(rows, monkeypatch):
    """Play games that are made up, each of which takes two milliseconds."""

    def play_games(matches, schedule):
        while (portion := schedule.take()) is not None:
            which, games = portion
            time.sleep(0.002 * len(games))
            yield [(which, Played(rows(games.tolist())))]

    monkeypatch.setattr(in_process, "play_games", play_games)
    monkeypatch.setattr(results, "FLUSH_SECONDS", (0.02, 0.02))
    monkeypatch.setattr(shared, "SHARED_FLUSH_SECONDS", 0.02)
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(schedule, "BLOCK", 5)
    monkeypatch.setattr(schedule, "FIRST_PORTION", 5)


def play(folder, match, games=GAMES, watch=lambda: True, **more):
    kept = Results.resume(folder, [match])
    rule = stopping.parse(more.pop("stop", "games"))
    return kept, match_loop.play(kept, games, rule, ALONE, watch, **more)


def code_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("victims", [0, 2])
def test_processes_share_a_run_even_if_some_are_killed(
    fork, made_up, rows, match, tmp_path, victims
):
    runfolder.claim(tmp_path, [match], "games")
    started = [fork(lambda: play(tmp_path, match)[0].games != GAMES) for _ in range(4)]
    for victim in started[:victims]:
        time.sleep(random.uniform(0.02, 0.08))
        os.kill(victim, signal.SIGKILL)
    assert [code_of(child) for child in started[victims:]] == [0] * (4 - victims)
    kept, ended = play(tmp_path, match)
    assert (ended.interrupted, ended.left, kept.games) == (False, False, GAMES)
    assert read_rows(tmp_path).equals(rows(range(GAMES)))
    writers = {part.name.split("-")[1] for part in results.parts(tmp_path)}
    assert any(writer.startswith("s") for writer in writers), "they shared it"


@pytest.mark.parametrize("trusted", [True, False])
def test_a_host_that_lists_the_folder_late_plays_no_game_again(
    fork, made_up, rows, match, tmp_path, monkeypatch, trusted
):
    """As NFS does, for up to a minute.  The control does not count what is on disk."""
    runfolder.claim(tmp_path, [match], "games")
    listed = results.parts

    def list_late(folder, kind="games"):
        return [part for part in listed(folder, kind) if time.time() - part.stat().st_mtime > 0.3]

    def share():
        monkeypatch.setattr(results, "parts", list_late)
        if not trusted:
            monkeypatch.setattr(os, "pwrite", lambda *_: 0)
        kept, ended = play(tmp_path, match)
        return 0 if not trusted or (kept.games, ended.left) == (GAMES, False) else 1

    children = [fork(share) for _ in range(3)]
    codes = [code_of(child) for child in children]
    if trusted:
        assert codes == [0] * 3
        assert read_rows(tmp_path).equals(rows(range(GAMES)))
    else:
        found = read_rows(tmp_path)
        assert found.num_rows > 4 * len(found["game"].unique()), "some are doubled"


def test_without_claims_the_games_are_played_twice(fork, made_up, match, tmp_path, monkeypatch):
    """The control: two processes that claim nothing play the same games, which is found."""
    monkeypatch.setattr(Claims, "take", lambda self, *_: 0)
    runfolder.claim(tmp_path, [match], "games")
    for child in [fork(lambda: play(tmp_path, match, 100) and 0) for _ in range(2)]:
        code_of(child)
    with pytest.raises(Refusal, match="also in an earlier part"):
        Results.resume(tmp_path, [match])


def test_a_rule_ends_a_shared_match_where_it_ends_one_played_alone(fork, made_up, match, tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    stop = "width:0.2"
    for folder in (alone, together):
        runfolder.claim(folder, [match], stop)
    last = play(alone, match, 4000, stop=stop)[0].games
    assert 20 < last < 4000
    children = [
        fork(lambda: play(together, match, 4000, stop=stop)[0].games != last) for _ in range(3)
    ]
    assert [code_of(child) for child in children] == [0, 0, 0]
    assert read_rows(together).equals(read_rows(alone))


def test_one_that_does_not_wait_leaves_what_others_have_claimed(fork, made_up, match, tmp_path):
    runfolder.claim(tmp_path, [match], "games")

    def hold():
        with Claims(tmp_path, [match.name]) as held:
            held.take(match.name, 3, 5)
            (tmp_path / "ready").touch()
            time.sleep(60)

    fork(hold)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    kept, ended = play(tmp_path, match, 20, waits=False)
    assert (ended.left, ended.interrupted, kept.games) == (True, False, 15)
    assert kept.tallies[0].missing(0, 20).tolist() == [15, 16, 17, 18, 19]


def test_a_block_is_one_process_and_free_when_it_dies(fork, tmp_path):
    def hold():
        with Claims(tmp_path, NAMES) as held:
            assert (held.slot, held.take("b", 3, 5)) == (0, 0)
            (tmp_path / "ready").touch()
            time.sleep(60)

    child = fork(hold)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    with Claims(tmp_path, NAMES) as mine:
        assert mine.slot == 1 and mine.shared
        assert mine.take("b", 3, 5) is None and mine.take("a", 3, 5) == 0
        assert not mine.forget(), "another process plays"
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert mine.take("b", 3, 5) == 0
        mine.settle(lambda name, block: 5 if name == "b" else 0)
        assert mine.take("b", 3, 5) is None, "its games are on disk"
        assert mine.take("b", 3, 8) == 5, "and three more are wanted"
        assert mine.forget() and mine.take("b", 3, 5) == 0


def test_counts_are_trusted_until_every_host_lists_the_rows(tmp_path):
    with Claims(tmp_path, NAMES) as first:
        first.take("a", 0, 1)
        first.settle(lambda *_: 1)
    with Claims(tmp_path, NAMES) as second:
        assert second.slot == 0 and second.take("a", 0, 1) is None
    old = time.time() - claims_module.LAG - 1
    os.utime(tmp_path / CLAIMS, (old, old))
    with Claims(tmp_path, NAMES) as third:
        assert third.take("a", 0, 1) == 0


def test_a_part_that_is_removed_is_played_again(made_up, rows, match, tmp_path, monkeypatch, capfd):
    """The wait for it says why."""
    runfolder.claim(tmp_path, [match], "games")
    play(tmp_path, match, 30)
    results.parts(tmp_path)[0].unlink()
    monkeypatch.setattr(shared, "LAG", 0.5)
    monkeypatch.setattr(shared, "SILENT", 0.0)
    assert play(tmp_path, match, 30)[0].games == 30
    assert read_rows(tmp_path).equals(rows(range(30)))
    assert "a network disk may list them" in capfd.readouterr().err


def test_a_process_does_not_share_with_itself(tmp_path):
    with Claims(tmp_path, NAMES), pytest.raises(Busy, match="in use by this process"):
        Claims(tmp_path, NAMES)
    Claims(tmp_path, NAMES).close()


@pytest.mark.parametrize("function", ["flock", "lockf"])
def test_a_file_system_without_locks_is_refused_in_a_line(tmp_path, monkeypatch, function):
    def fail(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, function, fail)
    with pytest.raises(Refusal, match=r"does not lock files \(No locks available\)"):
        if function == "flock":
            with Run(tmp_path).lock():
                pass
        else:
            Claims(tmp_path, NAMES)


def test_locks_that_another_host_does_not_see_are_found_out(fork, tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "BEAT_SECONDS", 0.4)

    def hold():
        with Run(tmp_path).lock():
            time.sleep(60)

    child = fork(hold)
    while not (tmp_path / locks.HOLDER).exists():
        time.sleep(0.01)
    with pytest.raises(Busy), Run(tmp_path).lock():
        pass
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    monkeypatch.setattr(locks.socket, "gethostname", lambda: "other")
    with pytest.raises(Refusal, match="whose locks this host does not see"), Run(tmp_path).lock():
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with Run(tmp_path).lock():  # its count no longer grows
        assert (tmp_path / locks.HOLDER).read_text().startswith("other ")
    assert not (tmp_path / locks.HOLDER).exists()


def test_one_process_writes_the_plan(fork, tmp_path):
    match = make_match()
    children = [fork(lambda: runfolder.claim(tmp_path / "run", [match], "games")) for _ in range(6)]
    assert [code_of(child) for child in children] == [0] * 6
    with pytest.raises(Refusal, match="with other settings: stop was"):
        runfolder.claim(tmp_path / "run", [match], "width:0.1")


def test_another_takes_the_lead_when_the_first_has_gone(fork, tmp_path):
    def hold():
        with Run(tmp_path).join():
            (tmp_path / "ready").touch()
            time.sleep(60)

    child = fork(hold)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    run = Run(tmp_path)
    with run.join():
        assert not run.leads and not run.lead()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert run.lead() and run.leads
    assert not run.leads
