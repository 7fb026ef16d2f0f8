"""The beliefs by name: every class of this package that has one (`docs/extending.md`)."""

from __future__ import annotations

import inspect

import numpy as np

from belief.contract import Belief, Setting
from mcts.kernel.compile import modules_of

BELIEFS: dict[str, type[Belief]] = {
    each.name: each
    for module in modules_of("belief")
    for each in vars(module).values()
    if inspect.isclass(each) and issubclass(each, Belief) and "name" in vars(each)
}


def make(name: str, setting: Setting, stream: np.ndarray, **options) -> Belief:
    """Return the belief ``name`` of an observer in ``setting``.

    ``stream`` is consumed, from here on, by beliefs that take one (particles); ``options`` are
    those of the belief's class.

    Raises
    ------
    ValueError
        There is no such belief.
    """
    if name not in BELIEFS:
        raise ValueError(f"belief must be one of {', '.join(BELIEFS)}, not {name!r}")
    if "stream" in inspect.signature(BELIEFS[name]).parameters:
        options["stream"] = stream
    return BELIEFS[name](setting, **options)
