"""The beliefs by name."""

from __future__ import annotations

import numpy as np

from belief.constrained import ConstrainedBelief
from belief.contract import Belief, Setting
from belief.logical import ClosureBelief
from belief.particles import ParticleBelief
from belief.posterior import ExactBelief
from belief.published import FactoredBelief

BELIEFS: dict[str, type[Belief]] = {
    belief.name: belief
    for belief in (ExactBelief, FactoredBelief, ConstrainedBelief, ParticleBelief, ClosureBelief)
}


def make(name: str, setting: Setting, stream: np.ndarray, **options) -> Belief:
    """Return the belief ``name`` of an observer in ``setting``.

    ``stream`` is consumed by beliefs that draw (particles), from here on; ``options`` are those of
    the belief's class.

    Raises
    ------
    ValueError
        There is no such belief.
    """
    if name not in BELIEFS:
        raise ValueError(f"belief must be one of {', '.join(BELIEFS)}, not {name!r}")
    if name == ParticleBelief.name:
        options["stream"] = stream
    return BELIEFS[name](setting, **options)
