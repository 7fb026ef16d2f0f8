"""Problems and planners of the tables of POMCPOW by name; ``pomcpow.yaml`` has their rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from experiments.settings.commandline import Refusal
from mcts.continuous.episode import play
from mcts.continuous.planner import Planner, Search, choose_at_random, choose_by_values
from mcts.kernel.rng import derive_key
from mcts.problems.light_dark import go_to_the_side, light_dark
from mcts.problems.sub_hunt import ping_first, sub_hunt
from mcts.problems.tag import laser_tag
from mcts.problems.vdp_tag import VdpTagParameters, manage_uncertainty


@dataclass(frozen=True)
class Row:
    """A planner of a problem: its search, and the published mean and standard error of 1,000
    episodes, each if any."""

    search: Search | None = None
    published: tuple[float | None, ...] = ()


def _read_rows() -> dict[str, dict[str, Row]]:
    text = files("experiments.episodes").joinpath("pomcpow.yaml").read_text("utf-8")

    def read(search: dict[str, Any] | None = None, published: Sequence[Any] = ()) -> Row:
        if search is None:
            return Row(None, tuple(published))
        numbers = {key: float(Fraction(str(search[key]))) for key in {*search} - _AS_WRITTEN}
        return Row(Search(**{**search, **numbers}), tuple(published))

    return {
        problem: {planner: read(**row) for planner, row in planners.items()}
        for problem, planners in yaml.safe_load(text).items()
    }


_AS_WRITTEN = {"kind", "leaf", "final", "depth"}
ROWS = _read_rows()
"""Rows by problem and planner."""

HEURISTICS: dict[str, Callable[[Any, np.ndarray], int | None]] = {
    "light_dark": go_to_the_side,
    "sub_hunt": ping_first,
    "vdp_tag": manage_uncertainty,
}
POLICIES = ("qmdp", "random", "heuristic")
MODELS = tuple(ROWS)
_ANGLES = 25
"""Number of directions of VDP Tag with discrete actions."""
MOST_ACTIONS = 100
"""Number of steps of an episode without ``steps``, as published."""


def leaves(problem: str, planner: str) -> tuple[str, ...]:
    """Return the possible leaves of ``planner``; only VDP Tag has no values of its states."""
    if planner in POLICIES:
        return ()
    if "qmdp" not in ROWS[problem]:
        return ("random",)
    return ("values", "random", "greedy") if planner == "pft_dpw" else ("values", "random")


def find_search(problem: str, planner: str, leaf: str | None) -> Search | None:
    """Return the search of ``planner``, None for a policy; raises Refusal if it is unknown.

    ``leaf`` replaces the published one.
    """
    row = ROWS[problem].get(planner)
    if row is None:
        raise Refusal(f"planner={planner}: {problem} has {', '.join(ROWS[problem])}")
    if row.search is None or leaf is None:
        return row.search
    known = leaves(problem, planner)
    if leaf not in known:
        raise Refusal(f"leaf={leaf}: {planner} of {problem} has {' or '.join(known)}")
    return replace(row.search, leaf=leaf)


@cache
def _make(problem: str, planner: str) -> Any:
    """Return the parameters of a problem, equal in all episodes."""
    if problem == "vdp_tag":
        few = planner == "pomcp_discretised"
        return VdpTagParameters(angles=_ANGLES) if few else VdpTagParameters()
    return {"light_dark": light_dark, "sub_hunt": sub_hunt}[problem]()


def _follow(
    policy: str, problem: str, params: Any, particles: np.ndarray, key: int, left: int
) -> int:
    """Return the action of a policy without search, which ignores the deadline."""
    if policy == "random":
        return choose_at_random(params, key)
    found = HEURISTICS[problem](params, particles) if policy == "heuristic" else None
    return choose_by_values(params, particles) if found is None else found


def player(
    problem: str,
    planner: str,
    leaf: str | None,
    simulations: int,
    particles: int,
    seed: int,
    steps: int | None = None,
    horizon: int | None = None,
) -> Callable[[int], dict[str, Any]]:
    """Return a function that plays the episode of a number; raises Refusal as `find_search`.

    Searches know that the episode ends after ``steps``, but look ``horizon`` ahead if given, or as
    published if neither is.
    """
    search = find_search(problem, planner, leaf)
    if search is not None and horizon is not None:
        search = replace(search, depth=horizon)
    counts = steps is not None and horizon is None
    held: list[Any] = []

    def episode(number: int) -> dict[str, Any]:
        key = int(derive_key(seed, number))
        other = problem != "laser_tag"
        p = _make(problem, planner) if other else laser_tag(int(derive_key(key, 9)))
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
