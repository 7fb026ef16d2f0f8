"""Problems and planners of the tables of POMCPOW, by name, with the published parameters.

They are those of the programs behind [Sunberg & Kochenderfer 2018]; nothing is tuned here.  Tag and
RockSample are not in their tables: they take the parameters of Laser Tag, with POMCP's exploration.
Their POMCP-DPW is `one_step`: in that program no observation is ever met again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from experiments.settings.commandline import Refusal
from mcts.continuous.episode import play
from mcts.continuous.planner import Planner, Search, choose_at_random, choose_by_values
from mcts.kernel.rng import derive_key
from mcts.problems.light_dark import go_to_the_side, light_dark
from mcts.problems.rocksample import PUBLISHED
from mcts.problems.sub_hunt import ping_first, sub_hunt
from mcts.problems.tag import laser_tag, tag
from mcts.problems.vdp_tag import VdpTagParameters, manage_uncertainty
from mcts.problems.weighed_rocks import weighed_rocks

_UNLIMITED = 1e9

_TAG = {
    "pomcpow": Search("pomcpow", 26.0, 90, 4.0, 1 / 35, final="visits"),
    "pomcp": Search("pomcp", 26.0, 90),
    "pomcp_dpw": Search("pomcp_dpw", 26.0, 90, 4.0, 1 / 35),
    "one_step": Search("pomcp_dpw", 26.0, 90, _UNLIMITED),
    "pft_dpw": Search("pft_dpw", 26.0, 90, 4.0, 1 / 35, leaf="greedy"),
}

SEARCHES: dict[str, dict[str, Search]] = {
    "light_dark": {
        "pomcpow": Search("pomcpow", 90.0, 20, 5.0, 1 / 15),
        "pomcp": Search("pomcp", 100.0, 20),
        "pomcp_discretised": Search("pomcp", 100.0, 20, grain=0.05),
        "pomcp_dpw": Search("pomcp_dpw", 100.0, 20, 4.0, 1 / 10),
        "one_step": Search("pomcp_dpw", 100.0, 20, _UNLIMITED),
        "pft_dpw": Search("pft_dpw", 100.0, 20, 4.0, 1 / 10, leaf="greedy"),
    },
    "laser_tag": _TAG,
    "sub_hunt": {
        "pomcpow": Search("pomcpow", 17.0, 20, 6.0, 1 / 100, final="visits"),
        "pomcp": Search("pomcp", 100.0, 20),
        "pomcp_discretised": Search("pomcp", 100.0, 20, grain=1.0),
        "pomcp_dpw": Search("pomcp_dpw", 100.0, 20, 1.0, 1 / 10),
        "one_step": Search("pomcp_dpw", 100.0, 20, _UNLIMITED),
        "pft_dpw": Search("pft_dpw", 100.0, 20, 2.0, 1 / 10, leaf="greedy"),
    },
    "vdp_tag": {
        "pomcpow": Search("pomcpow", 110.0, 10, 5.0, 1 / 100, 30.0, 1 / 30, leaf="random"),
        "pomcp_discretised": Search("pomcp", 100.0, 10, grain=0.2, leaf="random"),
        "pomcp_dpw": Search("pomcp_dpw", 110.0, 10, 5.0, 1 / 100, 30.0, 1 / 30, leaf="random"),
        "one_step": Search("pomcp_dpw", 110.0, 10, _UNLIMITED, 0.0, 30.0, 1 / 30, leaf="random"),
        "pft_dpw": Search("pft_dpw", 70.0, 10, 8.0, 1 / 85, 20.0, 1 / 25, leaf="random"),
    },
    "tag": _TAG,
    "rocksample": {
        "pomcpow": Search("pomcpow", 20.0, 90, 4.0, 1 / 35, final="visits"),
        "pomcp": Search("pomcp", 20.0, 90),
        "pomcp_dpw": Search("pomcp_dpw", 20.0, 90, 4.0, 1 / 35),
        "pft_dpw": Search("pft_dpw", 20.0, 90, 4.0, 1 / 35, leaf="greedy"),
    },
}
"""By problem and planner."""

HEURISTICS: dict[str, Callable[[Any, np.ndarray], int | None]] = {
    "light_dark": go_to_the_side,
    "sub_hunt": ping_first,
    "vdp_tag": manage_uncertainty,
}
POLICIES = ("qmdp", "random", "heuristic")
MODELS = tuple(SEARCHES)
_WITHOUT_VALUES = ("vdp_tag",)
_ANGLES = 25
"""Directions of VDP Tag, where they are few."""
MOST_ACTIONS = 100
"""Of an episode without ``steps``, as published."""


def planners(problem: str) -> list[str]:
    """Return the names of what plays ``problem``."""
    return [
        *SEARCHES[problem],
        *(("qmdp",) if problem not in _WITHOUT_VALUES else ()),
        "random",
        *(("heuristic",) if problem in HEURISTICS else ()),
    ]


def leaves(problem: str, planner: str) -> tuple[str, ...]:
    """Return the leaves that ``planner`` may have."""
    if planner in POLICIES:
        return ()
    if problem in _WITHOUT_VALUES:
        return ("random",)
    return ("values", "random", "greedy") if planner == "pft_dpw" else ("values", "random")


def find_search(problem: str, planner: str, leaf: str | None) -> Search | None:
    """Return how ``planner`` searches, None if it does not; raises Refusal if there is none.

    ``leaf``: in place of the published one.
    """
    if planner in POLICIES and planner in planners(problem):
        return None
    search = SEARCHES[problem].get(planner)
    if search is None:
        raise Refusal(f"planner={planner}: of {problem} there are {', '.join(planners(problem))}")
    if leaf is None:
        return search
    known = leaves(problem, planner)
    if leaf not in known:
        raise Refusal(f"leaf={leaf}: {planner} of {problem} has {' or '.join(known)}")
    return replace(search, leaf=leaf)


@cache
def _make(problem: str, planner: str, size: tuple[int, int]) -> Any:
    """Return the parameters of a problem that is the same in every episode."""
    if problem == "vdp_tag":
        few = planner == "pomcp_discretised"
        return VdpTagParameters(angles=_ANGLES) if few else VdpTagParameters()
    if problem == "rocksample":
        return weighed_rocks(size[0], PUBLISHED[size])
    return {"light_dark": light_dark, "sub_hunt": sub_hunt, "tag": tag}[problem]()


def _parameters(problem: str, planner: str, size: tuple[int, int], key: int) -> Any:
    if problem == "laser_tag":
        return laser_tag(int(derive_key(key, 9)))
    return _make(problem, planner, size)


def _follow(policy: str, problem: str, p: Any, particles: np.ndarray, key: int, left: int) -> int:
    """Return the action of a policy that does not search, and knows no deadline."""
    if policy == "random":
        return choose_at_random(p, particles, key)
    found = HEURISTICS[problem](p, particles) if policy == "heuristic" else None
    return choose_by_values(p, particles) if found is None else found


def player(
    problem: str,
    planner: str,
    leaf: str | None,
    simulations: int,
    particles: int,
    seed: int,
    size: tuple[int, int],
    steps: int | None = None,
    horizon: int | None = None,
) -> Callable[[int], dict[str, Any]]:
    """Return what plays the episode of a number; raises Refusal as `find_search`.

    Searches know that all is over after ``steps``, but look ``horizon`` ahead if that is given, or
    as published if neither is.
    """
    search = find_search(problem, planner, leaf)
    if search is not None and horizon is not None:
        search = replace(search, depth=horizon)
    counts = steps is not None and horizon is None
    held: list[Any] = []

    def episode(number: int) -> dict[str, Any]:
        key = int(derive_key(seed, number))
        p = _parameters(problem, planner, size, key)
        if search is None:
            choose: Any = partial(_follow, planner, problem, p)
        else:
            if not held:
                held.append(Planner(p, search, simulations))
            held[0].move(p)
            choose = held[0].choose if counts else lambda *seen: held[0].choose(*seen[:2])
        began = time.process_time()
        found = play(p, choose, key, particles, steps or MOST_ACTIONS)
        return {
            "episode": number,
            "return": found.returned,
            "actions": found.actions,
            "deprived": False,
            "seconds": time.process_time() - began,
        }

    return episode
