"""The counter runs, forwards and at the rate that two marks show; one that stands still is seen."""

import math
import time
from itertools import pairwise

import numpy as np
import pytest

from mcts.kernel.clock import Mark, cycles, mark, seconds_per_cycle
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, new_stream


@jit
def readings(work, stream, out):
    """Fill ``out`` with the cycles that ``work`` draws take, time after time."""
    for i in range(len(out)):
        before = cycles()
        for _ in range(work):
            stream[1] ^= draw(stream)
        out[i] = cycles() - before


@jit
def stand_still(work, stream, out):
    """The same by a counter that stands still: the control."""
    for i in range(len(out)):
        for _ in range(work):
            stream[1] ^= draw(stream)
        out[i] = 0


def check_it_grows(measure):
    """Raise AssertionError unless ten times the work takes longer, by the median of many."""
    out = np.zeros(31, np.int64)
    medians = []
    for work in (100, 1_000, 10_000):
        measure(work, new_stream(1), out)
        assert (out >= 0).all()
        medians.append(np.median(out))
    assert medians[0] < medians[1] < medians[2], medians


def test_more_work_takes_more_cycles():
    check_it_grows(readings)


def test_the_check_finds_a_counter_that_stands_still():
    with pytest.raises(AssertionError):
        check_it_grows(stand_still)


@pytest.mark.parametrize(
    ("cycles_passed", "seconds_passed", "length"),
    [(4_000, 1e-6, 2.5e-10), (10, 20.0, 2.0)],
    ids=["fast", "slow"],
)
def test_the_length_of_a_cycle(cycles_passed, seconds_passed, length):
    since = Mark(7_000, 3.0)
    until = Mark(7_000 + cycles_passed, 3.0 + seconds_passed)
    assert seconds_per_cycle(since, until) == pytest.approx(length)


def test_a_counter_that_stands_still_tells_no_time():
    assert math.isnan(seconds_per_cycle(Mark(5, 1.0), Mark(5, 2.0)))


def test_marks_agree_about_the_rate():
    """Far apart as they are, a busy machine cannot disturb them by much."""
    marks = []
    for _ in range(3):
        marks.append(mark())
        time.sleep(0.1)
    first, second = (seconds_per_cycle(*pair) for pair in pairwise(marks))
    assert 0 < first == pytest.approx(second, rel=0.3)


def test_the_plain_interpreter_counts_nanoseconds():
    before, began = cycles(), time.perf_counter()
    time.sleep(0.02)
    assert (cycles() - before) * 1e-9 == pytest.approx(time.perf_counter() - began, rel=0.3)
