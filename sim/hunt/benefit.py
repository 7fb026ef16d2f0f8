"""The information of a set of measurements, in nats: the value function of paths.

`Benefit` is the value of a set of targets.  `sim.hunt.measurements` computes it from a joint
distribution; `Partition`, below, needs none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from sim.hunt.graph import members, unpack


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


def surprise(p: np.ndarray | float) -> np.ndarray:
    """Return - p ln p of each, 0 for 0."""
    p = np.asarray(p, float)
    return -p * np.log(np.where(p > 0, p, 1.0))
