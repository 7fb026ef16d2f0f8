"""Episodes of a user's own problem: whatever its code does is a line, and costs no episode."""

from __future__ import annotations

import sys
import threading

import pytest
from cups import rows

from experiments.settings import signals

OUTCRIES = {
    "raise Mute": "Mute: (its text cannot be read: ZeroDivisionError) (game_None.py, line ",
    "sys.exit(3)": "SystemExit: 3 (game_None.py, line ",
    "return at, 10**400": "it must be a number, at most 1e+100",
}
"""By what a step does, what is said of it."""


def test_one_ctrl_c_ends_episodes_of_which_one_never_does(command, game, monkeypatch):
    """It is released in the end, as the control: a command that waits ends after that."""
    released = threading.Event()
    release = threading.Timer(15, released.set)
    monkeypatch.setattr(signals, "released", released, raising=False)
    more = """
from dataclasses import replace
from experiments.settings import signals

calls = []

def endless(at, cup, chance):
    calls.append(at)
    if len(calls) > 20_000:
        if len(calls) == 20_001:
            os.kill(os.getpid(), signal.SIGINT)
        signals.released.wait()
    return step(at, cup, chance)

problem = replace(problem, step=endless)
"""
    release.start()
    with signals.handle():
        outcome = command(f"problem={game(more=more)}", "episodes=1000", "seed=3")
    early = not released.is_set()
    release.cancel()
    released.set()
    assert early and outcome.code == 130, outcome.err
    kept = rows(outcome)["episode"].to_list()
    assert 2 < len(kept) < 100 and kept == list(range(len(kept)))
    assert f"interrupted after {len(kept)} episodes, kept in" in outcome.err


@pytest.mark.parametrize("outcry", OUTCRIES)
def test_whatever_a_step_raises_or_pays_is_a_line(command, game, outcry):
    more = f"""
import sys
from dataclasses import replace

class Mute(Exception):
    def __str__(self):
        return str(1 / 0)

def cry(at, cup, chance):
    {outcry}

problem = replace(problem, step=cry)
"""
    outcome = command(f"problem={game(more=more)}", "episodes=2")
    assert outcome.code == 1 and outcome.err.count("\n") == 1
    assert OUTCRIES[outcry] in outcome.err


@pytest.mark.parametrize(
    ("settings", "returned"), [([], 3.0), (["steps=2"], 2.0), (["horizon=3"], 0.0)], ids=str
)
def test_a_pot_that_grows_is_taken_in_the_last_step(command, game, settings, returned):
    """It is worth 1, and 1 more with each turn of waiting; who always looks ahead always waits."""
    pot = """
problem = Problem(
    start=[1],
    actions=lambda pot: ["wait", "take"] if pot else [],
    step=lambda pot, action, chance: (pot + 1, 0) if action == "wait" else (0, pot),
    observation=lambda pot: pot,
    low=0.0,
    high=9.0,
    steps=3,
)
"""
    outcome = command(f"problem={game(more=pot)}", "episodes=2", "simulations=200", *settings)
    assert outcome.code == 0, outcome.err
    assert rows(outcome)["return"].to_list() == [returned, returned]


@pytest.mark.parametrize("outcry", ["raise GeneratorExit", "sys.exit()"])
def test_whatever_an_import_raises_is_a_line(command, game, outcry):
    outcome = command(f"problem={game(more=f'import sys; {outcry}')}")
    assert outcome.code == 1 and outcome.err.count("\n") == 1 and "game_None.py" in outcome.err


def test_a_file_may_import_what_lies_beside_it_and_says_where_it_fails(command, game, tmp_path):
    (tmp_path / "beside_it.py").write_text("EPISODES = 3")
    outcome = command(f"problem={game(more='import beside_it')}", "episodes=2")
    assert outcome.code == 0, outcome.err
    sys.path.remove(str(tmp_path))
    outcome = command(f"problem={game(more='os.nowhere')}", "episodes=2")
    assert outcome.code == 1 and outcome.err.count("\n") == 1
    assert "AttributeError: module 'os' has no attribute 'nowhere' (game_None.py" in outcome.err


def test_returns_out_of_range_are_noticed_once(command, game, tmp_path):
    narrow = "from dataclasses import replace\nproblem = replace(problem, high=7.5)"
    outcome = command(f"problem={game(more=narrow)}", "episodes=12", "seed=3")
    assert outcome.code == 0, outcome.err
    outside = int((rows(outcome)["return"] > 7.5).sum())
    assert 0 < outside == outcome.summary["outside"] < 12
    assert outcome.out.count(f"{outside} of 12 returns lie outside low=0 to high=7.5") == 1
    sound = command(f"problem={game()}", "episodes=12", f"run.folder={tmp_path / 'sound'}")
    assert "lie outside" not in sound.out
