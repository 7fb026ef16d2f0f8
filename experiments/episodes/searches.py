"""The planners of problems without a model of densities, by name: choosers of actions.

`pomcp` is the general search, and `h_mcts` the same with the options of Hybrid MCTS; `root_only` is
`pomcp` cut to its root.  `bmcts` searches a tree of
exact beliefs, for problems with tables; `one_step` is the same, cut to one step of look-ahead.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mcts.bmcts.options import BeliefOptions
from mcts.bmcts.search import BeliefSearch
from mcts.domain import domain_of
from mcts.options import H_MCTS, MOST_NODES, Budget, Options
from mcts.search import OutOfRange, Search
from mcts.tabular.domain import TabularPosition

TABLES = ("bmcts", "one_step")
PLANNERS = ("pomcp", "h_mcts", "root_only", *TABLES)

_UNITS = {"tiger": 110.0, "rocksample": 20.0}
"""POMCP's exploration: the range of one reward."""
_OPTIMISTIC = ("informed", "fib", "mdp")
"""Values of files that no policy returns ..."""
_WITHOUT_ARM = {"rollout_share": 0.0, "exploration": 0.5}
"""... and what Hybrid MCTS changes for them: as an arm they would end the tree."""
_ALL_ALIKE = 1e6
"""Exploration by which all actions are tried equally often."""

Choose = Callable[[Any, int], int]


def searcher(setup: Any, params: Any) -> Choose:
    """Return a chooser of actions by the ``setup``'s planner, for positions like ``params``."""
    warnings.simplefilter("ignore", OutOfRange)  # the summary reports it
    if setup.planner in TABLES:
        return _believer(setup, params)
    return _sampler(setup, params)


def _sampler(setup: Any, params: Any) -> Choose:
    """Return a chooser that searches for at most the steps of ``params``.

    If fewer steps have a smaller range of returns, exploration is scaled to keep its units, unless
    they are the values seen.
    """
    domain = domain_of(params)

    def span(position: Any) -> float:
        return domain.declaration("high", position) - domain.declaration("low", position)

    units = setup.exploration or _UNITS.get(setup.problem, span(params))
    if isinstance(params, TabularPosition) and not setup.exploration:
        units = float(np.ptp(params.reward)) or units
    how: dict[str, Any] = {"exploration": units / math.sqrt(2) / span(params)}
    if setup.planner == "h_mcts":
        optimistic = isinstance(params, TabularPosition) and setup.rollout in _OPTIMISTIC
        how = H_MCTS | (_WITHOUT_ARM if optimistic else {})
        how |= {"exploration": setup.exploration} if setup.exploration else {}
    nodes = 1 if setup.planner == "root_only" else setup.nodes
    options = Options(
        nodes=nodes or min(setup.simulations, MOST_NODES), **{"final": setup.final} | how
    )
    search, budget = Search(params, options), Budget(simulations=setup.simulations)

    def choose(position: Any, key: int) -> int:
        if options.unit == "declared":
            more = span(position._replace(steps=params.steps)) / span(position)
            search.options = replace(options, exploration=more * options.exploration)
        return search.run(budget, key, position).best

    return choose


def _believer(setup: Any, params: TabularPosition) -> Choose:
    """Return a chooser by BMCTS: with random roll-outs as in the thesis, else with leaf values."""
    how: dict[str, Any] = {"leaf": {"informed": "fib"}.get(setup.rollout, setup.rollout)}
    if setup.rollout == "random":
        how = {"leaf": "rollout", "backup": "mean", "selection": "uct"}
    simulations = setup.simulations
    nodes = setup.nodes or min(simulations + 1, MOST_NODES)
    if setup.exploration:
        how["exploration"] = setup.exploration
    if setup.planner == "one_step":
        how |= {"exploration": _ALL_ALIKE, "final": "mean"}
        nodes, simulations = 1, params.actions
    else:
        how["final"] = setup.final
    search = BeliefSearch(params, BeliefOptions(nodes=nodes, **how))
    return lambda position, key: search.run(Budget(simulations), key, position).best
