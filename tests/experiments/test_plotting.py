"""Pictures show what they are given, and are whole or not there."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from matplotlib.text import Text

from benchmarks.evidence import listing, paper
from benchmarks.solvers import picture
from benchmarks.solvers.rows import EPISODES, REFERENCES
from experiments import palette, plotting
from experiments.runs.plots import draw_seats, win_rate_plot
from experiments.stats.intervals import Estimate


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


def small(figures):
    """Return what is too wide or too small on a page 690 pixels wide, where 6.5 points are 9."""
    wide = ["wide" for figure in figures if figure.get_figwidth() > plotting.WIDTH]
    texts = [text for figure in figures for text in figure.findobj(Text) if text.get_visible()]
    return wide + [text.get_text() for text in texts if text.get_fontsize() < 6.5]


KINDS = ["matrix", "field", "budget", "solvers", "win_rate", "control"]
LONG = ["regret", "thresholds", "qlearning", "strength_32", "ledford_4_1_steps"]
LONG = [pytest.param(name, marks=pytest.mark.nightly) for name in [*LONG, "beliefs_tables_closure"]]


@pytest.mark.parametrize("name", [*KINDS, *LONG])
def test_pictures_are_readable_where_pages_show_them(name, tmp_path):
    with plotting.keep_figures() as figures:
        if name == "win_rate":
            seats = {"0": {"games": 1, "wins": 1}}
            win_rate_plot(np.array([True]), seats, "one game", 0.25, tmp_path / "a.png")
        elif name == "control":
            with plotting.picture(tmp_path / "a.png", "control", (9, 2)) as (_, ((axes,),)):
                axes.set_xlabel("tiny", fontsize=6)
            figures[0].set_figwidth(9)
        elif name == "solvers":
            kept = (
                listing.ROOT / "docs/results/rows/solvers" / file for file in (EPISODES, REFERENCES)
            )
            picture.draw(*(pl.read_parquet(file.read_bytes()) for file in kept), tmp_path / "a.png")
        else:
            (one,) = listing.choose(listing.read(), [name])
            paper.make(one, one.rows).draw(tmp_path)
    assert figures
    assert small(figures) == (["wide", "tiny"] if name == "control" else [])
    assert name != "win_rate" or figures[0].axes[0].containers, "a single game is seen"


def test_a_player_has_one_colour_in_all_pictures(tmp_path):
    colours = []
    for players in (["bmcts", "pomcp"], ["swift", "bmcts"]):
        with plotting.picture(tmp_path / "a.png", "", (2, 2)) as (_, ((axes,),)):
            draw_seats(axes, [(name, [Estimate(0.5, 0.4, 0.6)]) for name in players])
            drawn = zip(players, axes.containers, strict=True)
            colours.append({name: bars.lines[0].get_color() for name, bars in drawn})
    assert colours[0]["bmcts"] == colours[1]["bmcts"] == palette.look("bmcts")["color"]
    assert len({*colours[0].values(), *colours[1].values()}) == 3
    assert palette.tell_apart(["bmcts, heard", "bmcts, secret"]) == range(2)
