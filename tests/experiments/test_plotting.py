"""Pictures show what they are given, and are whole or not there."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from experiments import plotting
from experiments.runs.plots import draw_rates
from experiments.stats.intervals import Estimate

FOUND = [Estimate(0.5, 0.25, 0.625), Estimate(0.75, 0.75, 1.0)]


def bars(axes):
    """Return the ends of the error bars, (n, 2, 2) as x and y of both."""
    (container,) = axes.containers
    return np.array(container.lines[2][0].get_segments())


def test_a_picture_is_whole_or_not_there(tmp_path):
    path = tmp_path / "a.png"
    with plotting.picture(path, "title", (2, 2), columns=2) as (_, axes):
        assert axes.shape == (1, 2)
        assert not path.exists()
    assert path.read_bytes().startswith(b"\x89PNG")
    before = path.read_bytes()
    with pytest.raises(ValueError), plotting.picture(path, "title", (2, 2)):
        raise ValueError
    assert path.read_bytes() == before
    with pytest.raises(OSError), plotting.picture(tmp_path / "no" / "a.png", "title", (2, 2)):
        pass
    assert list(tmp_path.iterdir()) == [path]
    assert not plt.get_fignums(), "figures are closed"


@pytest.mark.parametrize("across", [False, True])
def test_intervals_end_where_the_estimates_do(tmp_path, across):
    with plotting.picture(tmp_path / "a.png", "", (2, 2)) as (_, ((axes,),)):
        plotting.intervals(axes, [1, 2], FOUND, across=across)
        ends = bars(axes)[:, :, ::-1] if across else bars(axes)
    assert ends.tolist() == [[[1, 0.25], [1, 0.625]], [[2, 0.75], [2, 1.0]]]


def test_a_bound_that_is_not_known_is_not_drawn(tmp_path):
    unknown = Estimate(0.5, float("nan"), float("nan"))
    with plotting.picture(tmp_path / "a.png", "", (2, 2)) as (_, ((axes,),)):
        plotting.intervals(axes, [1, 2], [unknown, FOUND[1]])
        first, second = axes.containers[0].lines[2][0].get_segments()
    assert len(first) < 2 and second.tolist() == [[2, 0.75], [2, 1.0]]


def test_a_band_lies_between_the_bounds(tmp_path):
    with plotting.picture(tmp_path / "a.png", "", (2, 2)) as (_, ((axes,),)):
        plotting.band(axes, [1, 2], FOUND, 1, label="b")
        (line,), (area,) = axes.lines, axes.collections
        assert line.get_ydata().tolist() == [0.5, 0.75]
        assert line.get_color() == plotting.SERIES[1]
        corners = {tuple(point) for point in area.get_paths()[0].vertices.tolist()}
    assert {(1, 0.25), (1, 0.625), (2, 0.75), (2, 1.0)} == corners


def test_a_legend_says_each_label_once(tmp_path):
    with plotting.picture(tmp_path / "a.png", "", (2, 2)) as (figure, ((axes,),)):
        for label in ("a", "b", "a"):
            axes.plot([1], [1], label=label)
        plotting.legend_below(figure, axes)
        assert [text.get_text() for text in figure.legends[0].texts] == ["a", "b"]


@pytest.mark.parametrize(("count", "most"), [(1, 5), (5, 5), (1000, 7), (3, 100)])
def test_thinning_keeps_the_ends(count, most):
    kept = plotting.thin(count, most)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert len(kept) == min(count, most)


def test_the_axis_of_win_rates_is_as_wide_as_the_intervals_are(tmp_path):
    with plotting.picture(tmp_path / "a.png", "title", (4, 2)) as (_, ((axes,),)):
        draw_rates(axes, [Estimate(0.31, 0.29, 0.33), Estimate(0.36, 0.34, 0.38)], [0.25, 0.25])
        assert axes.get_xlim() == pytest.approx((0.2, 0.4))
        draw_rates(axes, [Estimate(0.5, 0.0, 1.0)], [0.25])
        assert axes.get_xlim() == pytest.approx((0.0, 1.0))
