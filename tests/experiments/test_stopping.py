"""Ends of matches: error rates, coverage at the end, and rules that are wrong, which fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log, sqrt

import numpy as np
import pytest

from experiments.stats.elo import elo_to_difference, elo_to_win_rate
from experiments.stats.intervals import (
    Estimate,
    paired_difference,
    win_rate,
)
from experiments.stats.sprt import Verdict
from experiments.stats.stopping import Sprt, Stop, Width, parse

TRIALS = 1000
ALLOWED = 0.05 + 3 * sqrt(0.05 * 0.95 / TRIALS)
"""An error rate of 5 % is seen above this once in a thousand simulations."""


BOUND = log(0.95 / 0.05)
"""Log-likelihood ratio of a verdict that errs with 5 %."""


def _wins(rate: float, games: int, trials: int = TRIALS) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(0)
    return (generator.random(games) < rate for _ in range(trials))


def _pairs(
    difference: float, discordant: float, games: int, trials: int = TRIALS
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield results of two players who win a quarter more or less and differ in some games."""
    generator = np.random.default_rng(1)
    gained, lost = (discordant + difference) / 2, (discordant - difference) / 2
    for _ in range(trials):
        draw = generator.random(games)
        both = draw < 0.25 - lost
        yield both | (draw > 1 - lost), both | ((draw > 0.5) & (draw < 0.5 + gained))


def _errors(verdicts: Iterator[Verdict], truth: str) -> float:
    return float(np.mean([each.accepted != truth for each in verdicts]))


@pytest.mark.parametrize(("text", "games"), [("sprt:25%,30%", 5000), ("sprt:0,60", 3000)])
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_the_test_of_wins(text, games, truth):
    """Seen: 4.1 and 4.6 % for win rates, 4.4 and 4.9 % for Elo (H0, H1)."""
    stop = parse(text)
    hypothesis = stop.h0 if truth == "H0" else stop.h1
    rate = elo_to_win_rate(hypothesis, 4) if stop.elo else hypothesis
    assert _errors((stop.verdict(won, 4) for won in _wins(rate, games)), truth) <= ALLOWED


PAIRED = [("sprt:0%,3%", 0.05, 3000), ("sprt:0%,3%", 0.2, 8000), ("sprt:0%,10%", 0.35, 2000)]


@pytest.mark.nightly
@pytest.mark.parametrize(("text", "discordant", "games"), PAIRED)
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_the_test_of_differences(text, discordant, games, truth):
    """Seen, under H0 and H1: 4.3 and 3.6 %, 5.8 and 4.7 %, 3.3 and 3.9 %."""
    stop = parse(text)
    results = _pairs(stop.h0 if truth == "H0" else stop.h1, discordant, games)
    assert _errors((stop.verdict_paired(*each) for each in results), truth) <= ALLOWED


def _coverage(estimates: Iterator[Estimate], truth: float) -> float:
    return float(np.mean([each.low <= truth <= each.high for each in estimates]))


def _end_matches(stop: Stop, rate: float, games: int) -> Iterator[tuple[int, int]]:
    """Yield wins and games at the end of matches that ``stop`` ends."""
    for won in _wins(rate, games):
        last = stop.after(won, 4)
        assert last is not None
        yield int(won[:last].sum()), last


@pytest.mark.parametrize(("rate", "width"), [(0.05, 0.05), (0.25, 0.1), (0.5, 0.1)])
def test_coverage_of_a_win_rate_after_a_stop_by_width(rate, width):
    """Seen: 95.6, 94.6 and 94.9 %."""
    stop = Width(width)
    coverage = _coverage((stop.win_rate(*each) for each in _end_matches(stop, rate, 2000)), rate)
    assert 0.93 < coverage < 0.98


@pytest.mark.nightly
def test_coverage_of_a_win_rate_after_the_sequential_test():
    """Seen: 99.5 %; Wilson's 90.8 %."""
    stop = parse("sprt:25%,30%")
    assert _coverage((stop.win_rate(*each) for each in _end_matches(stop, 0.3, 5000)), 0.3) >= 0.95
    # The control: Wilson's, for a number of games fixed in advance.
    assert _coverage((win_rate(*each) for each in _end_matches(stop, 0.3, 5000)), 0.3) < 0.93


@pytest.mark.nightly
def test_coverage_of_a_difference_after_the_sequential_test():
    """Seen: 99.6 %; the plain interval 91.2 %."""
    stop = parse("sprt:0%,3%")

    def coverage(interval: Callable[[np.ndarray, np.ndarray], Estimate]) -> float:
        ends = (
            interval(first[:last], second[:last])
            for first, second in _pairs(0.03, 0.2, 8000)
            if (last := stop.after_paired(first, second))
        )
        return _coverage(ends, 0.03)

    assert coverage(stop.difference) >= 0.95
    assert coverage(paired_difference) < 0.93  # the control: for a number of games fixed in advance


def test_a_verdict_by_hand():
    # A win is worth log(0.3 / 0.2) = 0.405, a loss log(0.7 / 0.8) = -0.134: eight wins.
    stop = Sprt(0.2, 0.3, elo=False)
    verdict = stop.verdict(np.ones(20, bool), 4)
    assert (verdict.games, verdict.accepted) == (8, "H1")
    assert verdict.llr == pytest.approx(8 * log(1.5))
    assert str(verdict) == "H1 accepted after 8 games (LLR 3.24, bounds ±2.94)"
    assert stop.after(np.ones(20, bool), 4) == 8
    lost = stop.verdict(np.zeros(30, bool), 4)
    assert (lost.games, lost.accepted) == (23, "H0")
    short = stop.verdict(np.ones(3, bool), 4)
    assert (short.games, short.accepted) == (3, None)
    assert str(short).startswith("undecided after 3 games")
    assert stop.after(np.ones(3, bool), 4) is None
    assert stop.verdict(np.ones(0, bool), 4) == Verdict(0, 0.0, None, BOUND)


def test_elo_of_a_table():
    assert elo_to_win_rate(0, 4) == pytest.approx(1 / 4)
    assert elo_to_win_rate(0, 6, seats=3) == pytest.approx(1 / 2)
    assert elo_to_win_rate(400, 2) == pytest.approx(10 / 11)
    assert elo_to_win_rate(400, 4, seats=1) == pytest.approx(10 / 13)
    assert elo_to_win_rate(-400, 4, seats=3) == pytest.approx(0.3 / 1.3)
    # In the same seats 30 Elo more give the same, whatever the first player's Elo.
    for elo, seats in ((0, 1), (100, 1), (-50, 3)):
        rate = elo_to_win_rate(elo, 4, seats)
        gain = elo_to_win_rate(elo + 30, 4, seats) - rate
        assert elo_to_difference(30, np.array(rate)) == pytest.approx(gain)
    for seats in (0, 4):
        with pytest.raises(ValueError):
            elo_to_win_rate(0, 4, seats)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("games", Stop()),
        ("width:0.02", Width(0.02)),
        ("sprt:0,30", Sprt(0, 30, elo=True)),
        ("sprt:25%,30%", Sprt(0.25, 0.3, elo=False)),
    ],
)
def test_rules_by_name(text, rule):
    assert parse(text) == rule
    assert type(parse(text)) is type(rule)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "choose games"),
        ("width:0", "above 0"),
        ("sprt:0,3%", "give both hypotheses in Elo or both"),
        ("sprt:0,9999", "at most 2000 Elo"),
    ],
)
def test_bad_rules(text, says):
    with pytest.raises(ValueError, match=says) as caught:
        parse(text)
    assert str(caught.value).startswith(f"match.stop={text}: ")
    assert "\n" not in str(caught.value)


def test_a_difference_is_no_win_rate():
    stop = parse("sprt:0%,3%")
    stop.check(paired=True)
    for ask in (lambda: stop.check(paired=False), lambda: stop.after(np.ones(3, bool), 4)):
        with pytest.raises(ValueError, match="between 0 and 100"):
            ask()
    parse("sprt:0,30").check(paired=False)
