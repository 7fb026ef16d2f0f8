"""Others' problems and solvers: the corrected return is right, rows are kept, bounds are read."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.solvers import __main__ as solvers
from benchmarks.solvers import point_based, references, report, rows
from benchmarks.solvers.episodes import Player, correct
from benchmarks.solvers.look_ahead import LookAhead, live_part
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import below, new_stream
from mcts.problems.closed_loop import play
from mcts.tabular.exact import exact_value
from mcts.tabular.files import write_pomdp
from mcts.tabular.tables import Tabular, after

ROOT = Path(__file__).parents[2]
EPISODES = 100 if INTERPRETED else 800
EVEN = np.full((2, 2), 0.5)


def make_tiger(discount=0.75, steps=None):
    seen = [[[0.85, 0.15], [0.15, 0.85]], EVEN, EVEN]
    parts = {"transitions": [np.eye(2), EVEN, EVEN], "observations": seen}
    parts["rewards"] = [[-1, -1], [-100, 10], [10, -100]]
    return Tabular(start=[0.5, 0.5], discount=discount, steps=steps, **parts)


def make_corridor():
    """Steps to either side slip; one end is terminal, the other is a trap that is not seen."""
    moves = np.zeros((2, 6, 6))
    for place in range(1, 5):
        moves[0, place, [place - 1, place]] = 0.8, 0.2
        moves[1, place, [place + 1, place]] = 0.7, 0.3
    moves[:, 0, 0] = 1.0
    seen = np.array([[0.6, 0.4], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.1, 0.9], [0.2, 0.8]])
    rewards = np.tile(-0.1, (2, 6, 6))
    rewards[:, 4, 5], rewards[:, :, 0], rewards[:, 0, :] = 3.0, -2.0, 0.0
    start = [0.1, 0.2, 0.3, 0.2, 0.2, 0.0]
    parts = {"transitions": moves, "observations": [seen, seen], "rewards": rewards}
    return Tabular(start=start, discount=0.75, **parts)


def wander(position, key):
    """Choose by the likeliest state and chance."""
    legal = position.legal[slice(*position.legal_first[position.state[0] :][:2])]
    likeliest = position.state[position.share.argmax()]
    return int(legal[(likeliest + below(new_stream(key), 2)) % len(legal)])


class WithoutDiscount(LookAhead):
    """The planted fault."""

    def ahead(self, state, share, action):
        reward, ahead = super().ahead(state, share, action)
        return reward, ahead / self.p.discount


def errors_apart(problem, kind, vectors):
    """Return by how many standard errors the corrected return is above the raw one."""
    player = Player(problem.position(), vectors)
    player.look = kind(problem.position(), vectors)
    found = [player.play(problem.position(), wander, key) for key in range(EPISODES)]
    apart = np.array([row["corrected"] - row["return"] for row in found])
    return apart.mean() / (apart.std() / math.sqrt(len(apart)))


@pytest.mark.parametrize("make", [make_tiger, make_corridor])
def test_the_corrected_return_has_the_mean_of_the_return(make):
    problem = make()
    vectors = np.random.default_rng(1).normal(60.0, 4.0, (len(problem.start), 3))
    vectors[problem.tables.kind != 0] = 0.0
    assert abs(errors_apart(problem, LookAhead, vectors)) < 3
    assert abs(errors_apart(problem, WithoutDiscount, vectors)) > 6


def test_the_corrected_return_of_a_short_trial_meets_the_recursion():
    problem = make_tiger(0.95, 3)
    look = LookAhead(problem.position(), point_based.solve(make_tiger(0.95).position(), 1, 1e6))
    raw, corrected = [], []
    for key in range(EPISODES):
        made = []

        def choose(p, key, made=made):
            made.append((p, max(range(3), key=partial(value_of, problem, p))))
            return made[-1][1]

        raw.append(play(problem.position(), after, choose, key))
        corrected.append(correct(look, made, 3))
    error = np.std(corrected) / math.sqrt(EPISODES)
    assert abs(np.mean(corrected) - exact_value(problem, 3)) < 3 * error
    assert np.std(corrected) < np.std(raw) / 2


def value_of(problem, p, action):
    move, seen, reward = problem.matrices(action)
    joint = (p.share @ move[p.state])[:, None] * seen
    ahead = sum(exact_value(problem, p.steps - 1, column) for column in joint.T)
    return p.share @ reward[p.state] + problem.discount * ahead


def test_one_step_ahead_is_that_of_the_matrices():
    problem = make_corridor()
    vectors = np.random.default_rng(2).normal(size=(6, 4))
    look, live = LookAhead(problem.position(), vectors), problem.tables.kind == 0
    state, share = live_part(problem.position())
    for action in range(2):
        move, seen, reward = problem.matrices(action)
        joint = (share @ move[state] * live)[:, None] * seen
        expected = share @ reward[state], (joint.T @ vectors).max(axis=1).sum()
        assert look.ahead(state, share, action) == pytest.approx(expected)


def test_point_based_vectors_are_a_lower_bound_near_the_optimum():
    p = make_tiger(0.95).position()
    found = LookAhead(p, point_based.solve(p, 3, 1e6)).value(*live_part(p))
    assert 19.2 < found < 19.3713684


def test_solvers_on_the_path_are_run_and_read(tmp_path, monkeypatch):
    problem, file = make_tiger(), tmp_path / "tiger.aaai.POMDP"
    write_pomdp(problem, file)
    known = [row["source"] for row in references.find(file, problem, 0)]
    assert known == ["SARSOP"] and not [*references.find(file, make_corridor(), 0)]
    (program := tmp_path / "pomdpsol").write_text(
        "#!/bin/sh\necho ' 0.5     3    40   1.25  2.5e1    23.75   7    9  '\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    row = [row for row in references.find(file, problem, 9) if row["source"] == "pomdpsol, 9 s"]
    assert row == [{"problem": file.name, "lower": 1.25, "upper": 25.0, "source": "pomdpsol, 9 s"}]
    assert references.read_bounds("", "0\n1.0 4.0\n\n1\n3.0 1.0\n", np.full(2, 0.5)) == (2.5, 2.5)
    assert report.per_cent(-6.6, -6.0) == pytest.approx(90)


@pytest.mark.skipif(INTERPRETED, reason="too slow for the interpreter")
def test_rows_are_kept_and_make_the_tables(tmp_path, capsys, monkeypatch):
    (folder := tmp_path / "files").mkdir()
    out = tmp_path / "out"
    write_pomdp(make_tiger(), folder / "tiger.aaai.POMDP")
    (folder / "wrong.POMDP").write_text("discount: 2\n")
    monkeypatch.setattr(point_based, "WORK", 1e5)
    few = ["--simulations", "50", "--episodes", "2", "--seconds", "0"]
    asked = [str(folder), "--out", str(out), *few]
    solvers.main([*asked, "--planners", "root_only,fib"])
    printed = capsys.readouterr().out
    assert "left out: wrong.POMDP" in printed and "1.933 to 1.9339" in printed
    solvers.main(asked)
    assert "pomcp less root_only" in (tables := capsys.readouterr().out)
    monkeypatch.setattr(rows, "play", lambda task: pytest.fail("played again"))
    solvers.main(["--out", str(out)])
    assert capsys.readouterr().out in tables
    with pytest.raises(SystemExit, match="episodes of seed 9101"):
        solvers.main([*asked, "--seed", "5"])


def test_pages_are_made_from_rows():
    """By `python -m benchmarks.solvers --out docs/results/rows/solvers`."""
    folder = ROOT / "docs/results"
    kept = [
        pl.read_parquet(folder / "rows/solvers" / name) for name in (rows.EPISODES, rows.REFERENCES)
    ]
    *shown, errors = report.tables(*kept)
    for page, table in zip(("solvers.md", "solvers_differences.md"), shown, strict=True):
        assert table in (folder / page).read_text()
    assert errors.write_csv() == (folder / "rows/solvers/errors.csv").read_text()
    assert report.summarise(*kept) in (ROOT / "docs/solvers.md").read_text()
