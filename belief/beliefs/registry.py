"""The beliefs by name: every class of this package that has one (`docs/extending.md`).

Plug-ins add others by entry points.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from belief.beliefs.base import Belief, Setting
from mcts.kernel.plugins import BrokenPlugin, entry_points
from mcts.kernel.sources import modules_of


def _find_beliefs() -> dict[str, type[Belief]]:
    """Return the beliefs by name; `BrokenPlugin` if one takes a name or a plug-in has none."""
    found: dict[str, type[Belief]] = {}
    outside = {plugin.module: plugin for plugin in entry_points("sleuth.beliefs").values()}
    for module in modules_of("belief.beliefs", "sleuth.beliefs"):
        for member in vars(module).values():
            if inspect.isclass(member) and issubclass(member, Belief) and "name" in vars(member):
                other = found.setdefault(member.name, member)
                if other is member:
                    continue
                complaint = f"has a belief {member.name!r}, as {other.__module__} has"
                if module.__name__ in outside:
                    raise outside[module.__name__].broken(complaint)
                raise BrokenPlugin(f"{member.__module__} {complaint}: rename one of them")
    for plugin in outside.values():
        if plugin.name not in found:
            raise plugin.broken(f"has no belief of that name in {plugin.module}")
    return found


BELIEFS: dict[str, type[Belief]] = _find_beliefs()


def make_belief(name: str, setting: Setting, stream: np.ndarray, **options: Any) -> Belief:
    """Return the belief ``name`` of an observer in ``setting``.

    Beliefs that take a stream (particles) own and consume ``stream``; ``options`` are those of the
    belief's class.  Raises ValueError if the name is unknown.
    """
    if name not in BELIEFS:
        raise ValueError(f"belief must be one of {', '.join(BELIEFS)}, not {name!r}")
    if "stream" in inspect.signature(BELIEFS[name]).parameters:
        options["stream"] = stream
    return BELIEFS[name](setting, **options)
