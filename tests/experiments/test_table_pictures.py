"""Pictures of tables along a setting: which lines there are, and which points."""

from pathlib import Path

from experiments import plotting
from experiments.tables import plot
from experiments.tables.measured import Measured

ROWS = Path(__file__).parents[2] / "docs/results/rows"


def test_each_variant_is_a_line_with_the_player_among_its_own_kind(tmp_path, monkeypatch):
    run, drawn = Measured(ROWS / "accusations"), {}
    draw = plotting.intervals

    def note(axes, places, *values, label, **look):
        drawn[label] = sorted(places)
        draw(axes, places, *values, label=label, **look)

    monkeypatch.setattr(plotting, "intervals", note)
    plot.draw_by_setting("threshold", run, tmp_path / "threshold.png")
    companies = ("swift", "swift35", "swift25")
    assert [*drawn] == [f"{one}, {how}" for one in companies for how in ("heard", "secret")]
    assert all(len(places) == 10 and places[-1] == 1.0 for places in drawn.values())
