"""Climbs by SPSA: known surfaces, the error of the estimate, and whole sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.runs.runfolder import read_matches
from experiments.settings.commandline import Refusal
from experiments.sweep import plot as sweep_plot
from experiments.sweep import schema, spsa
from experiments.sweep.axes import Axis
from experiments.sweep.job import make_job
from experiments.sweep.outcomes import Line
from experiments.sweep.spsa import Spsa
from experiments.sweep.trials import Trials
from tests.experiments.rows import read_rows

PLAIN = Axis("plain", "plain", (), 0.0, 10.0)
LOG = Axis("log", "log", (), 0.01, 100.0, log=True)
WHOLE = Axis("whole", "whole", (), 1, 9, whole=True)
AXES = (PLAIN, LOG, WHOLE)
START = {"plain": 2.0, "log": 0.05, "whole": 3}
TOP = {"plain": 6.0, "log": 3.0, "whole": 6}
GAMES = 200
CLIMB = (
    "player=swift",
    "opponent=swift",
    "opponent.threshold=0.35",
    "player.threshold=interval(0.2,1)",
    "player.own_card_weight=tag(log,interval(0.05,5))",
    "sweep.method=spsa",
    "sweep.trials=8",
    "match.games=60",
    "sweep.fresh=90",
    "tracking.enabled=false",
    "match.workers=1",
)


class Killed(BaseException):
    """As if the process had been killed."""


def rate(at: dict[str, Any]) -> float:
    """Win rate of a parabola whose top is `TOP`."""
    apart = [spsa.share(axis, at[axis.key]) - spsa.share(axis, TOP[axis.key]) for axis in AXES]
    return max(0.0, 0.55 - 0.6 * float(np.square(apart).sum()))


def climb(seed: int, iterations: int = 100, step: float = 0.1) -> tuple[Spsa, list[float]]:
    """Play all trials of a climb on the parabola."""
    made = Spsa(AXES, START, seed, iterations, GAMES, 0.15, step)
    rng, rates = np.random.default_rng(seed), []
    for _ in range(2 * iterations):
        rates.append(rng.binomial(GAMES, rate(made.propose(rates))) / GAMES)
    return made, rates


@pytest.mark.nightly
def test_a_climb_finds_the_top_of_a_parabola_and_one_that_takes_no_step_does_not():
    made, rates = climb(1)
    reached = made.estimate(rates)
    assert rate(reached.parameters) > 0.54 > 0.4 > rate(START)
    still, rates = climb(1, step=0.0)
    assert rate(still.estimate(rates).parameters) == pytest.approx(rate(START), abs=0.01)


@pytest.mark.nightly
def test_intervals_of_the_estimate_hold_the_top():
    """Control: a fifth of their width holds it much less often."""
    held, narrow = [], []
    for seed in range(16):
        made, rates = climb(seed, iterations=50)
        reached = made.estimate(rates)
        for axis in (PLAIN, LOG):
            low, high = (spsa.share(axis, at) for at in reached.bounds[axis.key])
            top = spsa.share(axis, TOP[axis.key])
            middle = spsa.share(axis, reached.parameters[axis.key])
            held.append(low <= top <= high)
            narrow.append(abs(top - middle) <= 0.2 * (high - low) / 2)
    assert np.mean(held) >= 0.8
    assert np.mean(narrow) <= 0.5


def test_points_of_an_iteration_lie_on_either_side_and_signs_are_of_the_seed():
    made, other = (Spsa(AXES, START, seed, 40, GAMES, 0.1, 0.1) for seed in (3, 4))
    first, second = made.propose([]), made.propose([0.5])
    for axis in (PLAIN, LOG):
        shares = [spsa.share(axis, at[axis.key]) for at in (first, second)]
        assert abs(shares[0] - shares[1]) == pytest.approx(0.2)
        assert np.mean(shares) == pytest.approx(spsa.share(axis, START[axis.key]))
    both = (made, other)
    rises = [[each.propose([0.5] * 2 * k)["plain"] > 2 for k in range(20)] for each in both]
    assert rises[0] != rises[1]


def test_a_climb_from_command_line_to_files(run_sweep, monkeypatch):
    whole = run_sweep(*CLIMB, name="whole")
    assert whole.code == 0, whole.err
    reached = whole.summary["reached"]
    assert reached["start"] == {"player.threshold": 1.0, "player.own_card_weight": 1.0}
    assert reached["fresh"]["games"] == reached["start_fresh"]["games"] == 90
    gain = (reached["fresh"]["wins"] - reached["start_fresh"]["wins"]) / 90
    assert reached["gain"] == pytest.approx(gain)
    assert whole.summary["best"] is None
    assert "gained on the same games" in whole.out
    assert (whole.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    played = [whole.folder / f"trial-{trial:04d}" for trial in range(4)]
    seeds = [read_matches(folder)[0].seed for folder in (*played, whole.folder / "fresh-reached")]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3], "an iteration's games are its own"
    assert seeds[4] == read_matches(whole.folder / "fresh-start")[0].seed not in seeds[:4]
    assert read_rows(played[0]).num_rows == 4 * 60

    monkeypatch.setattr(sweep_plot, "draw_climb", lambda *given: given[-1])
    ended = Trials._tell

    def kill(self: Trials, line: Line, trials: int) -> None:
        ended(self, line, trials)
        if line.trial == 4:
            raise Killed

    with monkeypatch.context() as planted, pytest.raises(Killed):
        planted.setattr(Trials, "_tell", kill)
        run_sweep(*CLIMB, name="killed")
    again = run_sweep(*CLIMB, name="killed")
    assert again.code == 0, again.err
    assert again.figures == whole.figures
    other = run_sweep(*CLIMB[:-5], "sweep.trials=10", *CLIMB[-4:], name="killed")
    assert other.code == 1 and "sweep.trials" in other.err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("player.threshold=0.3,0.5", "spsa moves numbers: write player.threshold=interval"),
        ("sweep.trials=7", "give an even number"),
        ("sweep.perturb=0.9", "sweep.perturb"),
    ],
)
def test_climbs_that_cannot_be_are_refused(changed, said):
    schema.register()
    key = changed.partition("=")[0]
    kept = [each for each in CLIMB if not each.startswith(f"{key}=")]
    with pytest.raises(Refusal, match=said):
        make_job([*kept, changed])
