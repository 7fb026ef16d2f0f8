"""Long calls from Python say in a line how far they are, and hear Ctrl-C."""

import io
import os
import signal
import threading

import numpy as np
import pytest

from mcts.kernel import waiting
from mcts.kernel.compile import _Counter
from mcts.kernel.waiting import Progress, call_aside
from sim import arena
from sim.rules import preset


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Let the time of `waiting` pass as the test says: returns a list of one moment."""
    now = [0.0]
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(waiting, "_ours", True)
    waiting.say.cache_clear()
    return now


@pytest.mark.parametrize(
    ("stream", "ours", "said"),
    [
        (Terminal(), True, "\rsleuth: 30 of 90 games\rsleuth: 50 of 90 games\n"),
        (io.StringIO(), True, ""),
        (Terminal(), False, ""),
    ],
    ids=["terminal", "file", "command"],
)
def test_progress_is_shown_in_a_terminal_when_it_takes_long(stream, ours, said, clock, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream)
    if not ours:
        waiting.leave_to_caller()
    with Progress("games", 90) as progress:
        for done, clock[0] in ((10, 0.5), (20, 1.9), (30, 2.1), (40, 2.5), (50, 3.2)):
            progress.show(done)
    assert stream.getvalue() == said


@pytest.mark.parametrize(("moments", "lines"), [((0.0, 1.9, 3.9), 0), ((0.0, 2.5, 9.0), 1)])
def test_compiling_is_said_once_if_it_takes_long(moments, lines, clock, capsys):
    counter = _Counter()
    for clock[0] in moments[:2]:
        counter.on_start(None)
    counter.on_end(None), counter.on_end(None)
    clock[0] = moments[2]
    counter.on_start(None), counter.on_start(None)
    assert capsys.readouterr().err.count("sleuth: compiling") == lines
    assert counter.functions == 2


def test_ctrl_c_is_heard_during_a_call_of_native_code():
    begun, over = threading.Event(), threading.Event()

    def job():
        begun.set()
        over.wait(60)

    def press():
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        call_aside(job)
    over.set()
    assert call_aside(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call_aside(divmod, 7, 0)


@pytest.mark.parametrize("policies", [["closure"] * 3, ["greedy", "closure", "random"]])
def test_the_arena_plays_the_same_in_any_portions(policies, monkeypatch):
    rules, games = preset("classic", players=3, turn_cap=40), np.arange(7, 27)
    whole = arena.play_many(rules, policies, 5, games)
    sizes = []
    monkeypatch.setattr(waiting, "_next_portion", lambda games, _: sizes.append(games) or 3)
    parts = arena.play_many(rules, policies, 5, games)
    assert sizes[1:-1] == [3] * (len(sizes) - 2) and len(sizes) >= 7
    for name, column in vars(whole).items():
        assert np.array_equal(column, getattr(parts, name))


def test_a_player_that_is_not_compiled_is_pointed_to_play():
    with pytest.raises(ValueError, match=r"unknown policy 'bmcts'.*not compiled play by `play`"):
        arena.play_many(preset("speed"), ["bmcts"] * 4, 1, np.arange(1))


def test_ctrl_c_ends_many_games_between_portions(monkeypatch):
    """The portions adapt to the speed, and Python runs between them."""
    assert waiting._next_portion(8, 0.01) == 16
    assert waiting._next_portion(8, 0.2) == 8
    assert waiting._next_portion(8, 1.0) == 4 and waiting._next_portion(1, 9.0) == 1
    reached = []

    def press(_, done):
        reached.append(done)
        if done > 100:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Progress, "show", press)
    with pytest.raises(KeyboardInterrupt):
        arena.play_many(preset("speed"), ["random"] * 4, 1, np.arange(10**6))
    assert reached[-1] < 1_000
