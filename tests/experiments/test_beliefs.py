"""Beliefs are measured on what one seat saw; the check of calibration passes and fails as due.

Where suggestions do not depend on hands and the showing rule is known, the exact belief must come
out calibrated.  The published one and the exact one with the wrong rule are the controls.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from belief.events import PASSED, REFUTED_OTHER, REFUTED_US
from belief.evidence import LEAST_INFORMATIVE, UNIFORM
from experiments.beliefs import accuracy, asked
from experiments.beliefs.__main__ import COMMAND
from experiments.beliefs.accuracy import Game, measure, play, seen_by
from experiments.beliefs.calibration import FLOOR, summarise
from experiments.stats.intervals import clustered_means
from sim.arena import play_many
from sim.players.bayes import BayesPlayer
from sim.policies.registry import Policy
from sim.rules import preset
from sim.state import ACCUSED

SEED = 3
LEDFORD, SPEED = preset("ledford"), preset("speed", players=3)
LONGEST = max(accuracy.MOMENTS)


def figures(rules, names, games, player="uniform", showing="random", assumed=UNIFORM):
    """Return the figures of beliefs over games among players of one kind."""
    seats = [Policy(player, showing=showing)] * rules.players
    rows = []
    for game in play(rules, seats, SEED, range(games), LONGEST):
        rows += measure(game, rules, assumed, names, SEED)
    return summarise(pl.from_dicts(rows, accuracy.ROWS.schema), 10, SEED)


def faults(each, small=0.1):
    """Return the means and bins that no calibrated belief has: off by 4 standard errors."""
    found = []
    for row in ({"suggestions": "all", **each}, *each["by_suggestions"]):
        bias = row["bias"]
        if abs(bias["value"]) > 4 * bias["error"] or abs(bias["value"]) > small:
            found.append(f"bias after {row['suggestions']}: {bias['value']:.3f}")
    for row in each["bins"]:
        if row["observed"] and row["observed"]["error"]:
            off = row["observed"]["value"] - row["predicted"]
            if abs(off) > 4 * row["observed"]["error"]:
                found.append(f"bin from {row['from']}: off by {off:.3f}")
    found += [f"certain of {each['said']}" for each in each["certain"] if each["wrong"]]
    return found


@pytest.fixture(scope="module")
def uniform_play():
    return figures(LEDFORD, ("exact", "factored", "constrained", "closure"), 800)


def test_the_exact_belief_is_calibrated_in_uniform_play(uniform_play):
    assert not faults(uniform_play["exact"])
    assert sum(row["cards"] for row in uniform_play["exact"]["bins"]) > 10_000


def test_the_other_beliefs_are_not(uniform_play):
    for name in ("factored", "constrained", "closure"):
        assert faults(uniform_play[name])
        assert uniform_play[name]["excess"]["low"] > 0


def test_the_exact_belief_needs_the_right_showing_rule():
    play_by = {"games": 1000, "showing": "least_informative"}
    assert not faults(figures(SPEED, ["exact"], assumed=LEAST_INFORMATIVE, **play_by)["exact"])
    wrong = faults(figures(SPEED, ["exact"], assumed=UNIFORM, **play_by)["exact"])
    assert any(fault.startswith("bias after") for fault in wrong)


def test_a_belief_that_its_rule_contradicts_is_counted_and_left_out():
    each = figures(LEDFORD, ["exact"], 60, assumed=LEAST_INFORMATIVE)["exact"]
    failed = each["raised"]["ContradictoryEvidence"]
    last = each["by_suggestions"][-1]
    assert 0 < failed < 60
    assert last["games"] == 60 - failed
    assert each["moments"] < 60 * len(accuracy.MOMENTS)


@pytest.mark.nightly
def test_accusations_that_all_hear_are_handed_on_and_are_no_suggestions():
    """Of policies and of players that are asked; the control leaves them out."""
    rules, games = replace(preset("ferrari2009"), accusations="heard"), (SEED, range(12), LONGEST)
    bayes = lambda: BayesPlayer(evidence="exact", threshold=0.4)  # noqa: E731
    for played in (
        play(rules, [Policy("swift", threshold=0.2)] * 3, *games),
        asked.play(rules, bayes, *games),
    ):
        differs = 0
        for game in played:
            said = game.suggestions[game.suggestions[:, 2] != ACCUSED]
            assert len(seen_by(0, game, rules, UNIFORM).ends) == len(said) <= LONGEST
            heard, deaf = (
                [row["probability"] for row in measure(one, rules, UNIFORM, ["exact"], SEED)]
                for one in (game, replace(game, suggestions=said))
            )
            differs += any(np.array(heard) > np.array(deaf) + 1e-9)
        assert differs


def test_the_games_are_those_of_the_arena():
    seats = [Policy("swift")] * 4
    asked = [len(game.suggestions) for game in play(LEDFORD, seats, SEED, range(20), 1000)]
    known = play_many(LEDFORD, seats, SEED, np.arange(20)).suggestions.sum(axis=1)
    assert asked == known.tolist()


CARDS = 1 << 0 | 1 << 6 | 1 << 12
ASKED = np.array([(0, CARDS, 2, 6), (1, CARDS, 2, 6), (2, CARDS, -1, -1), (3, CARDS, 2, 0)])


def by_hand(hands=None, suggestions=ASKED):
    """Return a game made up: seats 0 to 3 hold cards 1-4, 7-10, (0, 6, 13, 14) and 15-18."""
    hands = hands or (0b11110, 0b11110 << 6, 1 << 0 | 1 << 6 | 0b11 << 13, 0b1111 << 15)
    return Game(0, hands, 1 << 19 | 1 << 20, 1 << 5 | 1 << 11 | 1 << 12, suggestions)


WORDS = {"passed": PASSED, "refuted": REFUTED_OTHER, "showed": REFUTED_US}


@pytest.mark.parametrize(
    ("seat", "reported"),
    [
        (0, "1 passed, 2 showed / 2 refuted / 3 passed, 1 passed / 1 passed, 2 refuted"),
        (3, "1 passed, 2 refuted / 2 refuted / 0 passed, 1 passed / 0 passed, 1 passed, 2 showed"),
        (2, "1 passed / / 3 passed, 0 passed, 1 passed / 0 passed, 1 passed"),
    ],
)
def test_a_seat_sees_who_passed_and_the_cards_shown_to_it(seat, reported):
    seen = seen_by(seat, by_hand(), LEDFORD, UNIFORM)
    parts = [
        [each.split() for each in part.split(",") if each.strip()] for part in reported.split("/")
    ]
    events = [(WORDS[kind], int(player)) for part in parts for player, kind in part]
    assert [tuple(row[:2]) for row in seen.events.tolist()] == events
    assert seen.ends.tolist() == np.cumsum([len(part) for part in parts]).tolist()
    shown = {0: 6, 3: 0}
    for kind, _, cards, card in seen.events.tolist():
        assert cards == CARDS
        assert card == (shown[seat] if kind == REFUTED_US else -1)


def test_what_a_seat_sees_hangs_on_nothing_hidden():
    seen = seen_by(0, by_hand(), LEDFORD, UNIFORM)
    other = by_hand((0b11110, 0b1111 << 15, 1 << 0 | 1 << 6 | 0b11 << 13, 0b11110 << 6))
    asked = ASKED.copy()
    asked[1:, 3] = 0, -1, 6  # shown to others
    other = replace(other, envelope=1 << 5 | 1 << 6 | 1 << 20, suggestions=asked)
    same = seen_by(0, other, LEDFORD, UNIFORM)
    assert same.setting == seen.setting
    np.testing.assert_array_equal(same.events, seen.events)


def rows_of(probabilities, moments=(2, 4), name="exact", said=0.25):
    """Return rows made up: card 0 is in the envelope, and card 1 gets as much."""
    envelope = np.zeros(21)
    envelope[:2] = said
    return [
        {
            "belief": name,
            "game": game,
            "suggestions": moment,
            "truth": 1 << 0 | 1 << 6 | 1 << 12,
            "unseen": 0b11,
            "probability": probability,
            "entropy": 3.0,
            "envelope": envelope,
            "contradictions": 0,
            "microseconds": 1.0 + game,
        }
        for game, probability in enumerate(probabilities)
        for moment in moments
    ]


def test_the_figures_are_what_they_say():
    rows = rows_of([0.25] * 30 + [0.0] * 10) + rows_of([0.125] * 40, name="other", said=1.0)
    table = pl.from_dicts(rows, accuracy.ROWS.schema)
    found = summarise(table, 10, SEED)
    exact, other = found["exact"], found["other"]
    assert exact["log_loss"]["value"] == pytest.approx((30 * 2 - 10 * np.log2(FLOOR)) / 40)
    assert exact["bias"]["value"] == pytest.approx(3 - exact["log_loss"]["value"])
    assert exact["zeros"] == exact["floored"] == 0.25
    assert "excess" not in exact
    assert other["excess"]["value"] == pytest.approx(3 - exact["log_loss"]["value"])
    assert exact["microseconds"] == 20.5
    (full,) = [row for row in exact["bins"] if row["cards"]]
    assert (full["from"], full["cards"], full["games"]) == (0.2, 160, 40)
    assert full["predicted"] == 0.25
    assert full["observed"]["value"] == 0.5
    assert other["certain"] == [
        {"said": 0, "cards": 0, "wrong": 0},
        {"said": 1, "cards": 160, "wrong": 80},
    ]


def test_an_interval_counts_games_and_not_moments():
    drawn = np.random.default_rng(SEED).normal(size=400)
    (once,) = clustered_means(drawn[None], np.ones((1, 400)), SEED)
    (often,) = clustered_means(8 * drawn[None], np.full((1, 400), 8), SEED)
    assert often == once
    assert once.error == pytest.approx(drawn.std() / 20, rel=0.15)
    assert once.low < once.value < once.high
    with pytest.raises(ValueError, match="two games"):
        clustered_means(drawn[None, :1], np.ones((1, 1)), SEED)


def test_a_run_leaves_rows_summary_and_pictures(run_study):
    outcome = run_study(COMMAND, "player=heuristic", "games=25")
    assert (outcome.code, outcome.err) == (0, "")
    table = pl.read_parquet(outcome.folder / "moments.parquet")
    assert dict(table.schema) == accuracy.ROWS.schema
    summary = outcome.summary
    names = list(summary["beliefs"])
    assert names[0] == "exact" and len(names) >= 5
    assert table.height == sum(found["moments"] for found in summary["beliefs"].values())
    assert summary["games"] == 25 and summary["assumed_showing"] == "uniform"
    for picture in ("accuracy.png", "calibration.png"):
        assert (outcome.folder / picture).read_bytes().startswith(b"\x89PNG")
    for name in names:
        assert re.search(rf"{name} +\d\.\d+ ±", outcome.out)


def test_games_of_players_that_are_asked_are_the_referees_own():
    rules = preset("ferrari2009")
    games = list(asked.play(rules, lambda: BayesPlayer(evidence="repaired"), SEED, [3, 1], LONGEST))
    dealt = play(rules, [Policy("random")] * 3, SEED, [3, 1], 1)
    for game, same in zip(games, dealt, strict=True):
        assert (game.number, game.hands, game.envelope) == (same.number, same.hands, same.envelope)
        assert 5 < len(game.suggestions) <= LONGEST
        for asker, cards, answerer, card in game.suggestions.tolist():
            others = [(asker + step) % 3 for step in (1, 2)]
            able = [seat for seat in others if game.hands[seat] & cards]
            assert answerer == (able[0] if able else -1)
            assert card == -1 if not able else game.hands[answerer] & cards & 1 << card


def test_tables_by_the_text_lose_more_than_repaired_ones():
    """The log loss of 40 games, and how many of them end in a contradiction."""
    found = figures(
        preset("ferrari2009"), ("exact", "tables_text", "tables_repaired"), 40, "closure"
    )
    text, repaired = found["tables_text"], found["tables_repaired"]
    assert text["excess"]["low"] > repaired["excess"]["high"] > 0
    assert text["contradictory"] > 0
    assert not repaired["contradictory"] and not found["exact"]["contradictory"]
