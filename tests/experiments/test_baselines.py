"""The baselines: what the command leaves and refuses, the references, and the strengths."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from experiments.baselines import games as baseline_games
from experiments.baselines.__main__ import COMMAND
from experiments.baselines.games import WIN_RATE
from experiments.matches import play
from experiments.matches.schedule import Match, Seating
from experiments.runs import references
from experiments.runs.references import LENGTHS, LENGTHS_OF, PROGRAM, TRIAL, YARDSTICKS
from experiments.stats.intervals import win_rate
from sim.policies.table import Policy
from sim.rules import Rules

FIGURES = ("baselines.parquet", "config.yaml", "summary.json")
PLOTS = ("threshold.png", "baselines.png")
BY_NAME = {baseline.name: baseline for baseline in YARDSTICKS}


@pytest.fixture
def command(run_study):
    """Run the command in this process with the given arguments, at a small size."""
    return lambda *arguments: run_study(COMMAND, "games=40", "greedy_games=8", *arguments)


def test_all_setups_are_played_written_and_drawn(command):
    outcome = command()
    assert outcome.code == 0
    assert sorted(path.name for path in outcome.folder.iterdir()) == sorted((*FIGURES, *PLOTS))
    for plot in PLOTS:
        assert (outcome.folder / plot).read_bytes().startswith(b"\x89PNG")
    described = outcome.summary
    assert described["rules"]["name"] == "ledford"
    assert {"configuration", "command", "versions", "commit", "machine"} == set(described["run"])
    lines = described["lines"]
    assert pl.read_parquet(outcome.folder / "baselines.parquet").to_dicts() == lines
    assert {line["setup"] for line in lines} == set(BY_NAME)
    assert {line["quantity"] for line in lines} == {WIN_RATE, *LENGTHS}
    for line in lines:
        assert line["games"] == (8 if "greedy" in line["setup"] else 40)
        assert line["low"] <= line["value"] <= line["high"]
        if line["reference"] is not None:
            assert line["difference"] == line["value"] - line["reference"]
        if line["quantity"] == WIN_RATE:
            rate = win_rate(round(line["value"] * line["games"]), line["games"])
            assert (line["value"], line["low"], line["high"]) == (rate.value, rate.low, rate.high)
            known = line["difference"]
            assert line["within"] == (None if known is None else abs(known) <= 0.05)
    assert "greedy(0.35) v greedy" in outcome.out and "48.0 % (44.9 to 51.1)" in outcome.out


def _played(outcome):
    return {line["setup"] for line in outcome.summary["lines"]}


def test_only_plays_what_has_the_pattern_in_its_name_or_is_it(command, tmp_path):
    played = _played(command("only=[closure]"))
    assert played == {"closure v heuristic", "swift v closure", "greedy v closure"}
    (tmp_path / "out").rename(tmp_path / "closure")
    outcome = command("only=[swift(0.?) v swift]")
    assert _played(outcome) == {f"swift({at}) v swift" for at in (0.7, 0.6, 0.5, 0.4, 0.3, 0.2)}
    assert {"threshold.png"} < {path.name for path in outcome.folder.iterdir()}
    assert "baselines.png" not in {path.name for path in outcome.folder.iterdir()}


def test_other_setups_may_be_added(command, tmp_path):
    before = command("only=[swift v closure]").summary["lines"]
    outcome = command("only=[closure]", f"run.resume={tmp_path / 'out'}")
    assert _played(outcome) == {"closure v heuristic", "swift v closure", "greedy v closure"}
    lines = outcome.summary["lines"]
    assert lines[0]["setup"] == "closure v heuristic" and lines[1:2] == before


def test_switches_of_the_rules_are_read_by_type_and_change_the_games(command, tmp_path):
    usual = command("only=[swift v closure]").summary
    (tmp_path / "out").rename(tmp_path / "usual")
    changes = ("rules.blocking=false", "rules.turn_cap=7", "rules.doors=any")
    outcome = command("only=[swift v closure]", *changes)
    described = outcome.summary
    assert described["rules"] == usual["rules"] | {
        "blocking": False,
        "turn_cap": 7,
        "doors": "any",
    }
    assert described["lines"][0]["nobody_won"] > usual["lines"][0]["nobody_won"]
    assert "rules ledford, doors=any, blocking=False, turn_cap=7" in outcome.out


def test_games_of_three_have_no_references(command):
    described = command("only=[v heuristic]", "rules.players=3").summary
    assert {line["quantity"] for line in described["lines"]} == {WIN_RATE}
    assert all(line["reference"] is None for line in described["lines"])


def test_ctrl_c_keeps_the_setups_that_are_done(command, monkeypatch):
    whole = baseline_games.played

    def pressed_after_two(*arguments):
        games = whole(*arguments)
        yield next(games)
        yield next(games)
        games.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(baseline_games, "played", pressed_after_two)
    outcome = command()
    assert outcome.code == 130
    assert "interrupted after 2 set-ups, kept in" in outcome.err
    described = outcome.summary
    assert described["interrupted"]
    assert {line["setup"] for line in described["lines"]} == {
        baseline.name for baseline in YARDSTICKS[:2]
    }
    assert sorted(path.name for path in outcome.folder.iterdir()) == sorted(FIGURES)


def _games(baseline, games, workers=2):
    (found,) = baseline_games.played([(baseline, games)], Rules(), 21, workers, lambda *_: None)
    return found[1]


def test_the_number_of_threads_changes_nothing():
    baseline = BY_NAME["greedy v swift"]
    one, two = (_games(baseline, 60, workers) for workers in (1, 2))
    assert one.equals(two)


def test_games_are_those_of_the_main_job():
    games = _games(BY_NAME["swift(0.35) v heuristic"], 60)
    match = Match(
        name="swift against 3 heuristic",
        rules={"name": "ledford"},
        entrants=({"name": "swift", "threshold": 0.35}, {"name": "heuristic"}),
        seating=Seating.one(4, range(4)),
        measured=0,
        seed=21,
    )
    table = play.portion(match, range(60)).rows
    focal = table.filter(table["focal"])
    assert sum(focal["won"].to_pylist()) == games["won"].sum()
    assert sum(focal["turns"].to_pylist()) == games["turns"].sum()
    assert sum(focal["game_suggestions"].to_pylist()) == games["suggestions"].sum()


def test_a_game_in_which_all_are_out_is_not_one_at_the_cap():
    games = _games(BY_NAME["swift(0.35) v swift(0.35)"], 400)
    all_out = games.filter(~pl.col("decided") & ~pl.col("capped"))
    assert 20 < all_out.height < 60  # 10 % [the trial simulator: 11 % at 0.25]
    ended = all_out["turns"].filter(all_out["turns"] < Rules().turn_cap)
    assert len(ended) > 20 and ended.max() < 100
    assert (games.filter("capped")["turns"] == Rules().turn_cap).all()


def test_references_are_those_written_down():
    """Win rates in per cent with 95 % intervals, as their sources print them."""
    written = {
        "random v heuristic": [(6.6, 5.8, 7.6)],
        "heuristic v random": [(86.6, 85.3, 87.7), (91.3,)],
        "closure v heuristic": [(63.3, 62.6, 64.0)],
        "swift v heuristic": [(91.8,)],
        "swift v closure": [(74.8,)],
        "swift(0.35) v heuristic": [(68.0,)],
        "greedy v heuristic": [(91.6, 89.7, 93.2)],
        "greedy v closure": [(78.4, 75.7, 80.8)],
        "greedy v swift": [(27.0,)],
        "greedy(0.5) v greedy": [(44.1,)],
        "greedy(0.35) v greedy": [(48.0, 44.9, 51.1)],
        "swift v swift": [(25.0,)],
        "swift v swift(0.35)": [(17.7,)],
    }
    waiting = (26.9, 31.3, 39.8, 43.1, 45.3, 46.6, 44.9, 39.8, 36.9)
    for at, rate in zip((0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2), waiting, strict=True):
        written[f"swift({at}) v swift"] = [(rate,)]
    for at, rate in zip((0.5, 0.4, 0.3, 0.25), (19.8, 21.7, 23.9, 24.8), strict=True):
        written[f"swift({at}) v swift(0.35)"] = [(rate,)]
    kept = {
        name: [(each.value, *(each.interval or ())) for each in baseline.references]
        for name, baseline in BY_NAME.items()
        if baseline.references
    }
    assert kept.keys() == written.keys()
    for name, rates in written.items():
        for ours, theirs in zip(kept[name], rates, strict=True):
            assert np.round(100 * np.array(ours), 1)[: len(theirs)].tolist() == list(theirs)
    lengths = {(name, each.source): each.value for name, each in LENGTHS.items()}
    assert lengths == {
        (references.TURNS_WON, PROGRAM): 121,
        (references.TURNS, TRIAL): 135,
        (references.TURNS_MEDIAN, PROGRAM): 123,
        (references.SUGGESTIONS_WON, PROGRAM): 29.7,
        (references.SUGGESTIONS, TRIAL): 40.7,
        (references.ENDLESS, PROGRAM): 0.0074,
    }
    assert LENGTHS_OF in BY_NAME


STRENGTHS = ("closure v heuristic", "swift v heuristic", "swift v closure")


def _near(focal, others, rate, games=2_000):
    """Tell whether wins are within five standard deviations of a rate within 5 points of ``rate``.

    A player whose true rate is within 5 points fails by chance once in a million runs.
    """
    baseline = references.Baseline(focal, others)
    wins = int(_games(baseline, games)["won"].sum())
    least = binom.isf(1 - 3e-7, games, rate - references.WITHIN)
    most = binom.isf(3e-7, games, min(rate + references.WITHIN, 1))
    return least <= wins <= most


@pytest.mark.parametrize("name", STRENGTHS)
def test_strengths(name):
    baseline = BY_NAME[name]
    assert _near(baseline.focal, baseline.others, baseline.references[0].value)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("closure v heuristic", Policy("heuristic", inference=False)),
        ("closure v heuristic", Policy("swift")),
        ("swift v heuristic", Policy("closure")),
        ("swift v closure", Policy("closure")),
    ],
)
def test_another_player_in_its_place_is_seen(name, instead):
    baseline = BY_NAME[name]
    assert not _near(instead, baseline.others, baseline.references[0].value)
