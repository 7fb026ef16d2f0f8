"""Opponent types of a planner, and their prior.

A `Mixture` is the prior: policies with weights, and the probability that all opponents have the
same type.  The configuration gives a preset (``usual``), or types with weights
(``swift35:2,heuristic:1``).  Kernels draw a type for each opponent and put it into its seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from sim.policies.registry import FAST_NAMES, Policy, seat_policy
from sim.state import MAX_PLAYERS, PUBLIC, STATE, SWITCHES, State, empty

TYPES: dict[str, Policy] = {
    "random": Policy("random"),
    "uniform": Policy("uniform"),
    "heuristic": Policy("heuristic"),
    "closure": Policy("closure"),
    "csp": Policy("csp"),
    "swift": Policy("swift"),
    "swift80": Policy("swift", threshold=0.8),
    "swift50": Policy("swift", threshold=0.5),
    "swift35": Policy("swift", threshold=0.35),
    "reader35": Policy("swift", threshold=0.35, own_card_weight=0.1),
    "hide": Policy("hide"),
    "hide35": Policy("hide", threshold=0.35),
}
"""Types by name; a number is the threshold in percent.  Swift models greedy."""

ALIKE = 0.5
"""Prior probability that all opponents have the same type."""


@dataclass(frozen=True)
class Mixture:
    """Prior over opponents; ValueError for impossible values.

    Attributes
    ----------
    types : names in `TYPES`, each once
    weights : positive, unnormalised weights of the types
    alike : probability that all opponents have the same, jointly drawn type
    """

    types: tuple[str, ...]
    weights: tuple[float, ...]
    alike: float = ALIKE

    def __post_init__(self) -> None:
        for name in self.types:
            if name not in TYPES:
                raise ValueError(
                    f"unknown type of opponents {name!r}: choose one of {', '.join(TYPES)}"
                )
        if not self.types or len(set(self.types)) < len(self.types):
            raise ValueError("a mixture needs one type at least, and each once")
        if len(self.weights) != len(self.types) or min(self.weights) <= 0.0:
            raise ValueError("a mixture needs a weight above 0 for each type")
        if not 0.0 <= self.alike <= 1.0:
            raise ValueError(f"alike must be from 0 to 1, got {self.alike}")

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Policies of the types, in order."""
        return tuple(TYPES[name] for name in self.types)

    @property
    def likeliest(self) -> Policy:
        """The policy with the highest weight, first of ties."""
        return TYPES[self.types[self.weights.index(max(self.weights))]]


_USUAL = {"random": 1, "uniform": 1, "swift50": 4, "swift35": 4, "reader35": 4, "hide35": 4}
"""Weights other than 2.  Random players are identified quickly; early accusers are not, and errors
about them cost the most."""

PRESETS = {"usual": Mixture(tuple(TYPES), tuple(float(_USUAL.get(name, 2)) for name in TYPES))}
"""Mixtures by name."""


def mixture(text: str) -> Mixture:
    """Return the mixture of a preset name or of a list like ``swift35:2,heuristic:1``.

    Raises ValueError for any other text.
    """
    if text in PRESETS:
        return PRESETS[text]
    names, weights = [], []
    for part in text.split(","):
        name, _, weight = part.partition(":")
        names.append(name.strip())
        try:
            weights.append(float(weight or 1.0))
        except ValueError:
            raise ValueError(f"{part.strip()!r} has no number for a weight") from None
    return Mixture(tuple(names), tuple(weights))


assert all(policy.name in FAST_NAMES for policy in TYPES.values())


# Opponents drawn for a simulation.

_FIELDS = ("policy", "tracks", *SWITCHES)

SEATED = np.dtype([(name, STATE[name].base) for name in _FIELDS], align=True)
"""A policy with its switches, as fields of `sim.state.STATE`; one own-card weight for all."""


class Seating(NamedTuple):
    """Types that a simulation draws from.

    Attributes
    ----------
    types : (n,) of `SEATED`; empty: the seats keep the policies of the root
    chances : float64 (7, n), cumulative.  Row 0: all opponents have this type (the last entry is
        the probability of one common type); row seat + 1: this opponent has it otherwise
    """

    types: np.recarray
    chances: np.ndarray


def to_records(policies: Sequence[Policy]) -> np.recarray:
    """Return ``policies`` as records that kernels put into seats."""
    state, made = empty()[0], np.zeros(len(policies), SEATED).view(np.recarray)
    for i, policy in enumerate(policies):
        seat_policy(state, 0, policy)
        for name in SEATED.names:
            value = state[name][0]
            made[i][name] = value[0] if name == "own_card_weight" else value
    return made


NO_TYPES = Seating(to_records(()), np.zeros((1 + MAX_PLAYERS, 0)))
"""No mixture: each seat keeps its policy."""


def wants_public(types: np.recarray) -> bool:
    """Return whether one of ``types`` tracks public knowledge."""
    return bool((types.tracks & PUBLIC).any())


@jit
def take_seat(s: State, seat: int, one: np.record) -> None:
    """Put the type ``one`` into ``seat`` of ``s``; its showing rule is unchanged."""
    s.policy[seat] = one.policy
    s.tracks[seat] = one.tracks
    s.inference[seat] = one.inference
    s.walk[seat] = one.walk
    s.threshold[seat] = one.threshold
    s.hiding[seat] = one.hiding
    s.summoning[seat] = one.summoning
    for asker in range(MAX_PLAYERS):
        s.own_card_weight[seat, asker] = one.own_card_weight
    s.by_out[seat] = one.by_out


@jit
def draw_opponents(
    s: State, seat: int, players: int, types: np.recarray, chances: np.ndarray, stream: np.ndarray
) -> None:
    """Put a drawn type into each seat except ``seat``, with ``chances`` of `Seating`.

    Consumes one draw for a common type, otherwise one more per opponent.
    """
    number = _up_to(chances[0], uniform(stream))
    alike = number < len(types)
    for other in range(players):
        if other != seat:
            if not alike:
                number = min(_up_to(chances[other + 1], uniform(stream)), len(types) - 1)
            take_seat(s, other, types[number])


@jit
def _up_to(sums: np.ndarray, at: float) -> int:
    i = 0
    while i < len(sums) and sums[i] <= at:
        i += 1
    return i
