"""The kinds of opponents that a planner reckons with, and how likely it takes each to be.

A `Mixture` is the prior: policies with weights, and how often a whole company is of one kind.  It
is named in the configuration by a preset (``usual``), or by types with weights
(``swift35:2,heuristic:1``).
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.policies.registry import FAST_NAMES, Policy

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
"""Opponents by name; a number is the threshold in percent.  Greedy is modelled by swift."""

ALIKE = 0.5
"""Chance beforehand that all opponents are of one type."""


@dataclass(frozen=True)
class Mixture:
    """Prior over opponents; ValueError on an impossible one.

    Attributes
    ----------
    types : names in `TYPES`, each once
    weights : of the types, above 0, to be normalised
    alike : chance that all opponents are of one type, which is then drawn once for them together
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
        """The policies of the types, in their order."""
        return tuple(TYPES[name] for name in self.types)

    @property
    def likeliest(self) -> Policy:
        """The policy of most weight, the first of equals."""
        return TYPES[self.types[self.weights.index(max(self.weights))]]


_USUAL = {"random": 1, "uniform": 1, "swift50": 4, "swift35": 4, "reader35": 4, "hide35": 4}
"""Weights beside 2.  Who plays at random is soon found out; who accuses early is not, and meanwhile
costs most."""

PRESETS = {"usual": Mixture(tuple(TYPES), tuple(float(_USUAL.get(name, 2)) for name in TYPES))}
"""Mixtures by name."""


def mixture(text: str) -> Mixture:
    """Return the mixture that ``text`` names or lists, as ``swift35:2,heuristic:1``.

    ValueError if it is neither, in one sentence.
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
