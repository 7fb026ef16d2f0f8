"""Value of a leaf: by one roll-out, by several, or by those of all threads together.

Leaf parallelization: the first thread holds each leaf out to the others, everybody rolls out from
copies of it, and the first thread goes on with the mean when all have answered.

Randomness: a leaf that one thread rolls out from goes on with the stream of its simulation; of a
shared one, worker w uses the stream below it that is named by w.
"""

from __future__ import annotations

import numpy as np

from mcts.domain import copy, payoff, rollout
from mcts.kernel.atomics import fetch_add, load
from mcts.kernel.compile import jit_generic
from mcts.kernel.rng import draw, fold
from mcts.scratch import ROLLING_OUT, begin_lap, end_lap
from mcts.threads import ANSWERED, CHANCE, ENDED, STOP, TICKET, give_way


@jit_generic
def add_payoffs(p, s, value, sums, settings):
    """Add what a play-out that ended in ``s`` with the return ``value`` paid to ``sums``."""
    if settings.players == 1:
        fetch_add(sums, 0, value)
    else:
        for player in range(settings.players):
            fetch_add(sums, player, payoff(p, s, player))


@jit_generic
def average_rollouts(p, s, spare, scratch, control, settings):
    """Fill ``scratch.payoff``, zero so far, with the mean of several roll-outs from ``s``."""
    if settings.leaf_threads > 1:
        count = _share(p, s, spare, scratch, control, settings)
    else:
        count = _play_out(p, s, spare, scratch.stream, scratch.payoff, settings)
    for player in range(settings.players):
        scratch.payoff[player] /= count


@jit_generic
def _play_out(p, s, spare, stream, sums, settings):
    """Roll out ``settings.rollouts_per_leaf`` times from copies of ``s``, add what they pay to
    ``sums``, and return how many they were.
    """
    for _ in range(settings.rollouts_per_leaf):
        copy(p, s, spare)
        add_payoffs(p, spare, rollout(p, spare, stream), sums, settings)
    return settings.rollouts_per_leaf


@jit_generic
def _share(p, s, spare, scratch, control, settings):
    """Roll out together with the other threads; return how many roll-outs that were."""
    own = scratch.stream[0]
    control[ANSWERED] = 0
    control[CHANCE] = np.int64(own)
    fetch_add(control, TICKET, 1)
    scratch.stream[0] = fold(own, 0)
    _play_out(p, s, spare, scratch.stream, scratch.payoff, settings)
    while load(control, ANSWERED) < settings.leaf_threads - 1 and load(control, STOP) == 0:
        give_way()
    scratch.stream[0] = own
    draw(scratch.stream)
    return settings.rollouts_per_leaf * (1 + load(control, ANSWERED))


@jit_generic
def assist(p, spare, scratch, lead, lead_scratch, settings, control, worker):
    """Roll out from every leaf that the first thread holds out, until the search ends; return 0."""
    ticket = 0
    while True:
        while load(control, TICKET) == ticket:
            if load(control, ENDED) or load(control, STOP):
                return 0
            give_way()
        ticket = load(control, TICKET)
        begin_lap(scratch)
        scratch.stream[0] = fold(np.uint64(load(control, CHANCE)), worker)
        _play_out(p, lead, spare, scratch.stream, lead_scratch.payoff, settings)
        end_lap(scratch, ROLLING_OUT)
        fetch_add(control, ANSWERED, 1)
