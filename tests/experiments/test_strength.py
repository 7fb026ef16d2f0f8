"""Strength by workers: one simulated worker is one worker, and speed-ups are read off its curve."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest

from benchmarks.strength import measures, report
from benchmarks.strength.__main__ import COMMAND
from benchmarks.strength.report import figures, speed_up
from benchmarks.strength.ways import ONE, ways

FILES = ["config.yaml", "strength.parquet", "strength.png", "summary.json"]
SMALL = ["count=2", "searches=1", "simulations=8", "times=[1,8]", "workers=[1,8]"]


@pytest.fixture
def command(run_study):
    """Run the command in this process."""
    return partial(run_study, COMMAND)


@pytest.mark.nightly
def test_one_simulated_worker_loses_what_one_worker_loses(command):
    outcome = command(*SMALL)
    assert outcome.code == 0
    assert sorted(path.name for path in outcome.folder.iterdir()) == FILES
    rows = pl.read_parquet(outcome.folder / report.ROWS.file)
    lost = {
        way: own.get_column("lost").to_list()
        for way, own in rows.group_by("way", "workers", maintain_order=True)
    }
    names = {name for name, _ in lost} - {ONE}
    assert names == {
        *("tree, none", "tree, virtual_loss", "tree, wu_uct"),
        *("root, visits", "root, value", "root, vote"),
    }
    assert all(lost[name, 1] == lost[ONE, 1] for name in names if name.startswith("tree"))
    shown, records = report.show(outcome.folder)
    assert len(shown.rows) == len(records) == len(lost)


@pytest.mark.nightly
def test_a_search_is_the_planners_own_where_one_worker_plays():
    """The control of `measures`: a planner that searches by ``one`` is the planner."""
    way = next(ways([1], [], []))
    ((_, (row,)),) = measures.in_games(6, 20)(way, [0])
    from experiments.matches import lineups, play
    from experiments.settings import config

    settings = config.compose(
        "compare", [*measures.FIELD, "player.budget.simulations=20", "seed=6"]
    )
    (match,) = lineups.matches(settings)
    (seat,) = (one for one in play.portion(match, np.array([0])).rows.to_pylist() if one["focal"])
    assert row["lost"] == 1.0 - seat["won"]


def test_a_speed_up_is_read_off_the_curve_of_one_worker():
    times = [1, 4, 16, 64]
    curve = 10.0 - np.log2(times)
    assert speed_up(times, curve, curve[2]) == pytest.approx(times[2])
    assert speed_up(times, curve, 100.0) == times[0]
    assert speed_up(times, curve, -100.0) == times[-1]
    bent = curve.copy()
    bent[1] = bent[0] + 1.0  # the control: noise that goes up is made level
    assert speed_up(times, bent, curve[2]) == pytest.approx(times[2])


def _rows(lost):
    return pl.DataFrame(
        [
            {"way": way, "workers": n, "case": case, "search": 0, "lost": loss, "seconds": 0.0}
            for (way, n), losses in lost.items()
            for case, loss in enumerate(losses)
        ],
        report.ROWS.schema,
    )


def test_cases_that_a_way_lacks_are_left_out():
    found = figures(_rows({(ONE, 1): [1.0, 0.0, 1.0], (ONE, 4): [0.0, 0.0], ("x", 4): [0.0]}), 1)
    assert [line["cases"] for line in found] == [1, 1, 1]
    assert [line["lost"].value for line in found] == [1.0, 0.0, 0.0]
    assert [line["speed_up"] and line["speed_up"].value for line in found] == [None, None, 4.0]
