"""Episodes of models whose observations are weighed, and the table of all planners."""

from __future__ import annotations

import polars as pl
import pytest

from experiments.episodes import models, report
from experiments.settings.commandline import Refusal

FEW = ("particles=200", "simulations=50")


def test_a_planner_plays(command):
    outcome = command("problem=light_dark", "planner=pomcpow", "episodes=3", "seed=2", *FEW)
    assert outcome.code == 0, outcome.err
    found = pl.read_parquet(outcome.folder / "episodes.parquet")
    assert found["return"].is_between(-100, 100).all()
    assert found["return"].n_unique() > 1
    assert "light_dark pomcpow" in outcome.out


def test_planners_know_the_steps_of_an_episode_but_not_the_published_end(monkeypatch):
    """A horizon as published is what they have without steps."""
    left = []

    class Noted(models.Planner):
        def choose(self, particles, key, *given):
            left.extend(given)
            return super().choose(particles, key, *given)

    monkeypatch.setattr(models, "Planner", Noted)

    def play(**more):
        left.clear()
        episode = models.player("light_dark", "pomcpow", None, 50, 100, 7, **more)
        return [(row["return"], row["actions"]) for row in map(episode, range(3))]

    assert max(actions for _, actions in play(steps=3)) == 3
    assert left == [3, 2, 1] * 3
    assert play() == play(horizon=20) == play(steps=100, horizon=20) != play(horizon=1)
    assert not left


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (("problem=laser_tag", "planner=despot"), "planner=despot: laser_tag has pomcpow"),
        (("problem=light_dark", "planner=pomcpow", "leaf=greedy"), "has values or random"),
        (("paper=pomcpow", "only=[heavy_dark]"), "only=heavy_dark: unknown cell"),
    ],
)
def test_what_does_not_exist_is_refused(command, settings, complaint):
    outcome = command(*settings, "episodes=2", *FEW)
    assert outcome.code == 1
    assert complaint in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_table_is_gone_on_with(command, tmp_path):
    only = "only=[light_dark/qmdp,light_dark/heuristic]"
    whole = command("paper=pomcpow", only, "episodes=20", *FEW)
    assert whole.code == 0, whole.err
    assert "-6.37 +- 1.03" in whole.out
    folder = tmp_path / "parts"
    command("paper=pomcpow", only, "episodes=10", *FEW, f"run.folder={folder}")
    command("paper=pomcpow", only, "episodes=20", *FEW, f"run.folder={folder}")
    rows, parts = (
        pl.read_parquet(place / "cells.parquet").drop("seconds") for place in (whole.folder, folder)
    )
    assert rows.equals(parts) and len(rows) == 40


def test_every_published_cell_can_be_played():
    published = [row for rows in models.ROWS.values() for row in rows.values() if row.published]
    assert len(published) == 28 and len(report.cells(None, None)) == 32
    assert {cell.split("/")[1] for cell in report.cells(None, "greedy")} == {"pft_dpw"}
    with pytest.raises(Refusal, match="light_dark has pomcpow"):
        models.find_search("light_dark", "nobody", None)
