"""Planners of finite problems by name.  To add one, write a function and name it in `PLANNERS`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mcts.bmcts.options import BeliefOptions
from mcts.bmcts.search import BeliefSearch
from mcts.options import H_MCTS, MOST_NODES, Budget, Options
from mcts.search import Search
from mcts.tabular.domain import TabularPosition
from mcts.tabular.values import fast_informed_bound

Choose = Callable[[TabularPosition, int], int]
"""Returns an action for a position with its exact belief, and a key."""

Planner = Callable[[TabularPosition, int, str], Choose]
"""Makes a chooser from the position at the start, whose ``steps`` searches look ahead and whose
``rollout`` is the leaf, from simulations a decision, and from the name of the leaf."""


def search(p: TabularPosition, simulations: int, _: str, nodes: int | None = None) -> Choose:
    """Return the general search with the options of `experiments.episodes` for files."""
    span = p.high - p.low
    units = float(np.ptp(p.reward)) or span
    options = Options(
        exploration=units / math.sqrt(2) / span, nodes=nodes or min(simulations, MOST_NODES)
    )
    found, budget = Search(p, options), Budget(simulations=simulations)
    return lambda position, key: found.run(budget, key, position).best


def search_hybrid(p: TabularPosition, simulations: int, leaf: str) -> Choose:
    """Return Hybrid MCTS; optimistic leaf values are not an arm."""
    how = H_MCTS | (
        {} if leaf in ("random", "mean") else {"rollout_share": 0.0, "exploration": 0.5}
    )
    found = Search(p, Options(nodes=min(simulations, MOST_NODES), **how))
    budget = Budget(simulations=simulations)
    return lambda position, key: found.run(budget, key, position).best


def believe(p: TabularPosition, simulations: int, leaf: str, **options: Any) -> Choose:
    """Return BMCTS with exact beliefs, by default with its default options."""
    nodes = min(simulations + 1, MOST_NODES)
    found = BeliefSearch(p, BeliefOptions(**{"leaf": leaf, "nodes": nodes} | options))
    budget = Budget(simulations=simulations)
    return lambda position, key: found.run(budget, key, position).best


def look_one_step(p: TabularPosition, simulations: int, leaf: str) -> Choose:
    """Return BMCTS cut to one step: every action is tried, no belief after it is entered."""
    cut = {"nodes": 1, "exploration": 1e6, "final": "mean"}
    return believe(p, p.actions, leaf, **cut)


def follow_bound(p: TabularPosition, simulations: int, _: str) -> Choose:
    """Return the policy of the fast informed bound, without a search."""
    bound = fast_informed_bound(p, p.steps, int(p.seen.max()) + 1)[-1]

    def choose(position: TabularPosition, key: int) -> int:
        first = position.legal_first[position.state[0] :][:2]
        legal = position.legal[slice(*first)]
        return int(legal[(position.share @ bound[position.state])[legal].argmax()])

    return choose


PLANNERS: dict[str, Planner] = {
    "pomcp": search,
    "h_mcts": search_hybrid,
    "root_only": partial(search, nodes=1),
    "bmcts": believe,
    "one_step": look_one_step,
    "fib": follow_bound,
}

POLICIES = {"fib", "one_step"}
"""Planners that make no simulations; their leaf is the fast informed bound."""

PAIRS = (
    ("bmcts", "root_only"),
    ("bmcts", "one_step"),
    ("bmcts", "pomcp"),
    ("h_mcts", "root_only"),
    ("pomcp", "root_only"),
)
"""Differences that the report shows: the first less the second, on the same episodes."""
