"""Pictures show what they are given, and are whole or not there."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from experiments import plotting
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
