"""Information of measurements of targets about a hypothesis y, exactly, by the chain rule.

The benefit of a test is its expected reduction of entropy, given the earlier tests

    Delta H(t_k) = H(y | Z_{k-1}) - H(y | Z_k) = I(y; z_k | Z_{k-1})

[Ferrari & Cai 2009, eq. 6].  Its sum is I(y; z_S) (eq. 7), independent of the order (Remark 4.2).
Models of y and the measurements:

`NaiveBayes`  measurements are independent given y (divergent factorisation, eqs. 11-13)
`Independent` every target has a hypothesis of its own: mines of a field
`Partition`   the treasure is in one place, and looking never errs: rooms of Clue

All values are in nats.  The text has log2 (eq. 3), its Table III was made with natural logarithms.

Sums run over all joint outcomes of a set and so grow exponentially with its size.  They are
bounded, and a `ValueError` suggests a remedy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import mask, members, unpack

MOST_OUTCOMES = 1 << 22
"""Maximum joint outcomes, partial ones included, summed over for one set."""


class Benefit(ABC):
    """Information I(y; z_S) about the hypothesis from the measurements of a set S of targets.

    It is monotone, and must be submodular: the gain of a target never grows with earlier
    measurements, so that marginal gains bound the rest.  Attribute ``targets``: their number.
    """

    targets: int

    @abstractmethod
    def value(self, measured: Iterable[int]) -> float:
        """Return the information of these targets, in nats; 0 for none."""

    def reductions(self, order: Sequence[int]) -> np.ndarray:
        """Return the gain Delta H of each measurement after the earlier ones, float (k,) [eq. 6].

        0 for a repeated one.
        """
        return np.diff([self.value(order[:k]) for k in range(len(order) + 1)])

    def values(self, masks: np.ndarray) -> np.ndarray:
        """Return the information of each set of targets, float64 (k,), given masks (k, words)."""
        return np.array([self.value(members(bits)) for bits in masks])

    def upper_bound(self) -> float:
        """Return an upper bound on the information of any set, in nats: that of all targets."""
        return self.value(range(self.targets))


class Partition(Benefit):
    """One of several places holds the treasure; looking at one reveals whether it is there.

    The benefit of rooms in Clue when no other hand is known [Ferrari & Cai 2009, eq. 27]: with
    p the probabilities (targets,), of sum at most 1, and p_S their sum over S,

        B(S) = - sum over S of p_i ln p_i - (1 - p_S) ln (1 - p_S).

    It is submodular: with rest mass rho target i adds rho h(p_i / rho), which rises with rho.
    """

    def __init__(self, probability: np.ndarray) -> None:
        self.probability = np.asarray(probability, float)
        self.targets = len(self.probability)
        if (self.probability < 0).any() or self.probability.sum() > 1 + 1e-9:
            raise ValueError("probabilities of places must be at least 0 and sum to at most 1")

    def value(self, measured: Iterable[int]) -> float:
        chosen = self.probability[sorted(set(measured))]
        return float(surprise(chosen).sum() + surprise(max(0.0, 1 - chosen.sum())))

    def values(self, masks: np.ndarray) -> np.ndarray:
        member = unpack(masks, self.targets)
        rest = np.maximum(0.0, 1 - member @ self.probability)
        return member @ surprise(self.probability) + surprise(rest)


class NaiveBayes(Benefit):
    """Measurements that are independent of each other given the hypothesis [eqs. 11-13].

    Then I(y; z_S) = H(z_S) - sum over S of H(z_i | y), and P(z_S) comes by the recursion

        P(y, Z_k) = P(z_k | y) P(y, Z_{k-1}).

    ValueError if shapes do not fit or distributions do not sum to 1; from `value`, if a set has
    more than `MOST_OUTCOMES` joint outcomes.

    Parameters
    ----------
    prior : float (hypotheses,), P(y)
    likelihood : float (targets, hypotheses, outcomes), P(z_i = outcome | y).  A target with fewer
        outcomes than others has zeros for the rest.
    """

    def __init__(self, prior: np.ndarray, likelihood: np.ndarray) -> None:
        self.prior = np.ascontiguousarray(prior, float)
        self.likelihood = np.ascontiguousarray(likelihood, float)
        if self.prior.ndim != 1 or self.likelihood.ndim != 3:
            raise ValueError("a hypothesis has a prior (Y,) and likelihoods (targets, Y, outcomes)")
        if self.likelihood.shape[1] != len(self.prior):
            raise ValueError(
                f"likelihoods {self.likelihood.shape} do not fit {len(self.prior)} hypotheses"
            )
        check_distributions(self.prior, self.likelihood)
        self.targets = len(self.likelihood)
        self.noise = surprise(self.likelihood).sum(axis=2) @ self.prior
        """float (targets,): H(z_i | y), the entropy of a measurement when y is known."""

    def value(self, measured: Iterable[int]) -> float:
        return float(self.values(mask(measured, self.targets)[None])[0])

    def values(self, masks: np.ndarray) -> np.ndarray:
        member = unpack(masks, self.targets)
        entropy = np.empty(len(member))
        _, hypotheses, outcomes = self.likelihood.shape
        joint = np.empty((self.targets + 1, hypotheses))
        joint[0] = self.prior
        place = np.empty((2, self.targets + 1), np.int64)
        entropies(self.likelihood, member, MOST_OUTCOMES, joint, place, entropy)
        if np.isnan(entropy).any():
            size = int(member[np.isnan(entropy)][0].sum())
            raise ValueError(
                f"{size} measurements of {outcomes} outcomes each have too many joint outcomes for "
                f"exact information (at most {MOST_OUTCOMES:,}): measure fewer targets together, "
                "or take Independent if every target has a hypothesis of its own"
            )
        return np.maximum(0.0, entropy - member @ self.noise)

    def upper_bound(self) -> float:
        """Return the entropy of y, or the sum over single targets if that is less.

        All targets together may have too many joint outcomes.
        """
        alone = sum(self.value([target]) for target in range(self.targets))
        return float(min(surprise(self.prior).sum(), alone))


class Independent(Benefit):
    """Every target has a hypothesis of its own, independent of the others.

    ``prior``: float (targets, values), P(y_i); ``likelihood``: float (targets, values, outcomes),
    P(z_i = outcome | y_i).
    """

    def __init__(self, prior: np.ndarray, likelihood: np.ndarray) -> None:
        prior, likelihood = np.asarray(prior, float), np.asarray(likelihood, float)
        if prior.ndim != 2 or likelihood.ndim != 3 or likelihood.shape[:2] != prior.shape:
            raise ValueError(
                "targets with hypotheses of their own have priors (targets, values) and "
                f"likelihoods (targets, values, outcomes), not {prior.shape}, {likelihood.shape}"
            )
        check_distributions(prior, likelihood)
        self.targets = len(prior)
        joint = prior[:, :, None] * likelihood
        apart = surprise(joint.sum(axis=1)).sum(axis=1) + surprise(prior).sum(axis=1)
        self.information = np.maximum(0.0, apart - surprise(joint).sum(axis=(1, 2)))
        """float (targets,): I(y_i; z_i)."""

    def value(self, measured: Iterable[int]) -> float:
        return float(self.information[sorted(set(measured))].sum())

    def values(self, masks: np.ndarray) -> np.ndarray:
        return unpack(masks, self.targets) @ self.information


def surprise(p: np.ndarray | float) -> np.ndarray:
    """Return - p ln p of each, 0 for 0."""
    p = np.asarray(p, float)
    return -p * np.log(np.where(p > 0, p, 1.0))


def detector(places: int, hit: np.ndarray | float, false_alarm: np.ndarray | float) -> np.ndarray:
    """Return the likelihood of sensors that indicate whether the treasure is at their target.

    Hypothesis y < ``places`` is the place of the treasure, target i is place i.  Outcome 1 is an
    alarm.  ``hit``, ``false_alarm``: P(alarm | it is here), P(alarm | it is elsewhere), of all
    targets or of each.  Returns float (places, places, 2); with ``hit`` 1 and ``false_alarm`` 0 the
    benefit is `Partition`'s.
    """
    here = np.eye(places, dtype=bool)
    hit, false_alarm = (
        np.broadcast_to(np.asarray(rate, float), (places,))[:, None] for rate in (hit, false_alarm)
    )
    alarm = np.where(here, hit, false_alarm)
    return np.stack([1 - alarm, alarm], axis=-1)


def classifier(accuracy: np.ndarray, values: int) -> np.ndarray:
    """Return the likelihood of sensors that name the value of a hypothesis, with errors.

    ``accuracy``: float (targets,), P(it names the true one); wrong ones are equally likely;
    ``values``: of the hypothesis, at least 2.  Returns float (targets, values, values), for both
    `NaiveBayes` (one hypothesis) and `Independent`.
    """
    accuracy = np.asarray(accuracy, float)[:, None, None]
    return np.where(np.eye(values, dtype=bool), accuracy, (1 - accuracy) / (values - 1))


def check_distributions(*tables: np.ndarray) -> None:
    """Raise ValueError unless each table sums to 1 over its last axis and is never negative."""
    for table in tables:
        table = np.asarray(table, float)
        if not (table >= 0).all() or np.abs(table.sum(axis=-1) - 1).max(initial=0) > 1e-9:
            raise ValueError("prior and likelihood: probabilities are at least 0 and sum to 1")


@jit
def entropies(likelihood, member, max_outcomes, joint, place, entropy):
    """Write H(z_S) of each set of targets to ``entropy``, float64 (k,); NaN for too large ones.

    Parameters
    ----------
    likelihood : as of `NaiveBayes`
    member : bool (k, targets)
    max_outcomes : maximum joint outcomes of a set, partial ones included
    joint : float64 (targets + 1, hypotheses), work space: row n holds P(y, first n outcomes),
        row 0 the prior
    place : int64 (2, targets + 1), work space
    """
    for k in range(len(member)):
        size = 0
        for target in range(member.shape[1]):
            if member[k, target]:
                place[0, size] = target
                size += 1
        entropy[k] = _entropy(likelihood, place[0], size, max_outcomes, joint, place[1])


@jit
def _entropy(likelihood, chosen, size, max_outcomes, joint, outcome):
    """Return H(z) of ``chosen[:size]`` by depth-first search through outcomes [eq. 13], or NaN."""
    if size == 0:
        return 0.0
    total, steps, level = 0.0, 0, 0
    outcome[0] = -1
    while level >= 0:
        outcome[level] += 1
        if outcome[level] == likelihood.shape[2]:
            level -= 1
            continue
        mass = 0.0
        for y in range(joint.shape[1]):
            p = joint[level, y] * likelihood[chosen[level], y, outcome[level]]
            joint[level + 1, y] = p
            mass += p
        if mass == 0.0:
            continue
        steps += 1
        if steps > max_outcomes:
            return math.nan
        if level + 1 == size:
            total -= mass * math.log(mass)
        else:
            level += 1
            outcome[level] = -1
    return total
