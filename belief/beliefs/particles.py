"""A particle filter over deals, reinvigorated by exchanges of cards [Gordon, Salmond & Smith 1993].

N deals are drawn uniformly at the start.  Each event multiplies their weights by its likelihood;
when the effective size 1 / sum(w**2) falls below half of N they are resampled (systematic), and
every copy walks over deals with the exact posterior as stationary distribution
(`belief.sampling.mcmc`).  When no deal is left, the last ones are repaired, if possible.

Limits: copies of one deal stay correlated until their walks mix, so errors fall more slowly than
1/sqrt(N), and an event may leave no particle (`ParticleDeprivation`).  Every event consumes the
constructor's stream; `sample` consumes its own.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from belief.beliefs.base import Belief, Setting
from belief.closure import new_known, update_closure
from belief.events import CARD, KIND, NAMED, NOT_ENVELOPE, PLAYER, note
from belief.evidence import (
    CATEGORY_MASK,
    ENVELOPE,
    HOLDERS,
    N_CARDS,
    ContradictoryEvidence,
    Evidence,
    check,
    is_excluded,
    lowest,
)
from belief.sampling.mcmc import (
    IMPOSSIBLE,
    deal,
    explains,
    list_cards,
    log_likelihood,
    repair,
    spread,
    unsettled_cards,
    walk,
)
from mcts.kernel.compile import jit
from mcts.kernel.errors import SleuthError
from mcts.kernel.rng import uniform

ALIVE, CONTRADICTORY, DEPRIVED = 0, 1, 2
_REBUILT_STEPS = 10


class ParticleDeprivation(SleuthError, RuntimeError):
    """No particle explains the evidence, and repair failed."""


class Cloud(NamedTuple):
    """N weighted deals and the memory to move them."""

    hands: np.ndarray  # int64 (N, 7): masks, 0 the envelope, p + 1 player p
    weight: np.ndarray  # float64 (N,), sums to 1
    copied: np.ndarray  # int64 (N, 7): scratch of resampling
    scratch: np.ndarray  # float64 (N,): log likelihoods before an event
    cards: np.ndarray  # int64 (21,): scratch of walks
    trial: np.ndarray  # int64 (7,): likewise
    known: np.ndarray  # KNOWN, (1,)
    evidence: np.ndarray  # EVIDENCE, (1,)


@jit
def _begin(cloud: Cloud, stream: np.ndarray) -> None:
    n = len(cloud.weight)
    for i in range(n):
        deal(cloud.evidence[0], cloud.hands[i], stream)
        cloud.weight[i] = 1.0 / n


@jit
def _resample(cloud: Cloud, total: float, stream: np.ndarray) -> None:
    """Copy particles in proportion to their weights, which sum to ``total``; one draw."""
    n = len(cloud.weight)
    step = total / n
    pointer = uniform(stream) * step
    source, reached = 0, cloud.weight[0]
    for i in range(n):
        while reached <= pointer and source < n - 1:
            source += 1
            reached += cloud.weight[source]
        # Rounding can lead beyond the last particle with a weight.
        while cloud.weight[source] == 0.0:
            source -= 1
        for holder in range(HOLDERS):
            cloud.copied[i, holder] = cloud.hands[source, holder]
        pointer += step
    for i in range(n):
        for holder in range(HOLDERS):
            cloud.hands[i, holder] = cloud.copied[i, holder]
        cloud.weight[i] = 1.0 / n


@jit
def _move(cloud: Cloud, stream: np.ndarray, steps: int) -> None:
    ev, known = cloud.evidence[0], cloud.known[0]
    n = list_cards(unsettled_cards(ev, known), cloud.cards)
    for i in range(len(cloud.weight)):
        walk(ev, known, cloud.hands[i], cloud.trial, cloud.cards, n, stream, steps)


@jit
def _rebuild(cloud: Cloud, stream: np.ndarray, effort: int) -> bool:
    """Repair every particle in at most ``effort`` steps; False if none explains the evidence."""
    ev, known = cloud.evidence[0], cloud.known[0]
    movable = 0
    for holder in range(ev.players + 1):
        if holder != ev.seat + 1:
            movable |= cloud.hands[0, holder]
    n = list_cards(movable, cloud.cards)
    alive = 0
    for i in range(len(cloud.weight)):
        cloud.weight[i] = 0.0
        repaired = repair(ev, known, cloud.hands[i], cloud.cards, n, stream, effort)
        # The likelihood decides: the masks of `update_closure` only guide.
        if repaired and explains(ev, cloud.hands[i]):
            cloud.weight[i] = 1.0
            alive += 1
    if alive == 0:
        return False
    _resample(cloud, float(alive), stream)
    return True


@jit
def _log_weight(ev: Evidence, player: int, hands: np.ndarray) -> float:
    """Return the log likelihood of ``player``'s answers, or of public accusations if it is -1."""
    if player < 0:
        return IMPOSSIBLE if is_excluded(ev, hands[ENVELOPE]) else 0.0
    return log_likelihood(ev, player, hands[player + 1])


@jit
def _take_in(
    cloud: Cloud,
    kind: int,
    player: int,
    cards: int,
    card: int,
    stream: np.ndarray,
    steps: int,
    effort: int,
) -> int:
    """Condition on one event; return `ALIVE`, `CONTRADICTORY` or `DEPRIVED`."""
    ev = cloud.evidence[0]
    if kind == NOT_ENVELOPE:
        player = -1  # about the envelope, not about the accuser
    if player == ev.seat:
        return ALIVE
    n = len(cloud.weight)
    for i in range(n):
        cloud.scratch[i] = _log_weight(ev, player, cloud.hands[i])
    note(ev, kind, player, cards, card)
    if ev.overflow or not update_closure(ev, cloud.known[0]):
        return CONTRADICTORY
    total = 0.0
    squares = 0.0
    for i in range(n):
        if cloud.weight[i] == 0.0:
            continue
        after = _log_weight(ev, player, cloud.hands[i])
        if after == IMPOSSIBLE:
            cloud.weight[i] = 0.0
        elif after != cloud.scratch[i]:
            cloud.weight[i] *= exp(after - cloud.scratch[i])
        total += cloud.weight[i]
        squares += cloud.weight[i] * cloud.weight[i]
    if not total > 0.0:
        if not _rebuild(cloud, stream, effort):
            return DEPRIVED
        _move(cloud, stream, _REBUILT_STEPS * steps)
    elif 2.0 * total * total < n * squares:
        _resample(cloud, total, stream)
        _move(cloud, stream, steps)
    else:
        for i in range(n):
            cloud.weight[i] /= total
    return ALIVE


@jit
def _read(cloud: Cloud, matrix: np.ndarray) -> None:
    for card in range(N_CARDS):
        for holder in range(HOLDERS):
            matrix[card, holder] = 0.0
    for i in range(len(cloud.weight)):
        weight = cloud.weight[i]
        if weight > 0.0:
            for holder in range(HOLDERS):
                cards = cloud.hands[i, holder]
                while cards:
                    matrix[lowest(cards), holder] += weight
                    cards &= cards - 1


@jit
def _table(cloud: Cloud, table: np.ndarray) -> None:
    for i in range(len(cloud.weight)):
        envelope = cloud.hands[i, ENVELOPE]
        suspect = lowest(envelope & CATEGORY_MASK[0])
        weapon = lowest(envelope & CATEGORY_MASK[1]) - 6
        table[suspect, weapon, lowest(envelope & CATEGORY_MASK[2]) - 12] += cloud.weight[i]


@jit
def _filter(
    cloud: Cloud, events: np.ndarray, stream: np.ndarray, steps: int, effort: int
) -> tuple[int, int]:
    for i in range(len(events)):
        row = events[i]
        status = _take_in(
            cloud, row[KIND], row[PLAYER], row[NAMED], row[CARD], stream, steps, effort
        )
        if status != ALIVE:
            return i, status
    return len(events), ALIVE


@jit
def _draw(cloud: Cloud, stream: np.ndarray, holder: np.ndarray) -> None:
    """Draw deals by weight into ``holder`` (n, 21), one draw of ``stream`` each."""
    for row in range(len(holder)):
        left = uniform(stream)
        last = 0
        for i in range(len(cloud.weight)):
            if cloud.weight[i] > 0.0:
                last = i
                if left < cloud.weight[i]:
                    break
                left -= cloud.weight[i]
        spread(cloud.hands[last], holder[row])


class ParticleBelief(Belief):
    """Weighted deals; owns its stream, and consumes it at every event.

    Parameters
    ----------
    setting : the observer's knowledge
    stream : random stream (`mcts.kernel.rng`), owned by the belief from here on
    particles : their number N
    steps : exchanges proposed to every particle after a resampling
    effort : maximum exchanges proposed to every particle in repair
    """

    name = "particles"

    def __init__(
        self,
        setting: Setting,
        stream: np.ndarray,
        particles: int = 1000,
        steps: int = 20,
        effort: int = 2000,
    ) -> None:
        super().__init__(setting)
        if particles < 1:
            raise ValueError(f"particles must be a whole number from 1, not {particles}")
        self._stream, self._steps, self._effort = stream, steps, effort
        self._seen = 0
        self.cloud = Cloud(
            hands=np.zeros((particles, HOLDERS), np.int64),
            weight=np.zeros(particles),
            copied=np.zeros((particles, HOLDERS), np.int64),
            scratch=np.zeros(particles),
            cards=np.zeros(N_CARDS, np.int64),
            trial=np.zeros(HOLDERS, np.int64),
            known=new_known(),
            evidence=setting.records(),
        )
        _begin(self.cloud, stream)

    def _observe(self, events: np.ndarray) -> None:
        taken, status = _filter(self.cloud, events, self._stream, self._steps, self._effort)
        self._seen += taken
        check(self.cloud.evidence[0])
        if status == CONTRADICTORY:
            raise ContradictoryEvidence("no deal is consistent with the recorded answers")
        if status == DEPRIVED:
            raise ParticleDeprivation(
                f"event {self._seen} leaves none of {len(self.cloud.weight)} particles, and "
                f"{self._effort} exchanges repaired none; increase particles or effort"
            )

    def marginals(self) -> np.ndarray:
        matrix = np.zeros((N_CARDS, HOLDERS))
        _read(self.cloud, matrix)
        return matrix

    def envelope_table(self) -> np.ndarray:
        table = np.zeros((6, 6, 9))
        _table(self.cloud, table)
        return table / table.sum()

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        deals = np.zeros((n, N_CARDS), np.int64)
        _draw(self.cloud, stream, deals)
        return deals
