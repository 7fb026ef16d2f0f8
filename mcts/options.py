"""Options and budget of a search: validated values, each error one clear sentence.

The range of an option is defined once, in its field (`mcts.limits`); the section ``search`` of a
planner's settings uses these fields, and kernels read those of the same name in `KernelParams`.
This module does not need Numba.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from mcts.kernel.allocation import cores
from mcts.limits import above, between, check, one_of

UCT, AVAILABILITY, WEIGHTED, PUCT = 0, 1, 2, 3
SELECTION = {"uct": UCT, "availability": AVAILABILITY, "weighted": WEIGHTED, "puct": PUCT}
"""Selection rules by name."""

NONE, VIRTUAL_LOSS, WU_UCT = 0, 1, 2
IN_FLIGHT = {"none": NONE, "virtual_loss": VIRTUAL_LOSS, "wu_uct": WU_UCT}
"""In-flight treatments by name."""

DECLARED, SEEN = 0, 1
UNITS = {"declared": DECLARED, "seen": SEEN}
"""Units of exploration by name."""

FINAL = ("visits", "mean")
"""Rules for the final choice of an action."""

MODES = ("tree", "leaf", "root")
"""Shared between threads or workers: one tree, the roll-outs of one leaf, or only the result."""

MERGES = ("visits", "value", "vote")
"""Ways to merge the root tables of root-parallel searches (`mcts.merge`)."""

SEEDS = 2**63
"""Upper bound of seeds of runs and numbers of games, exclusive: compiled code holds them in signed
64-bit integers."""

KEYS = 2**64
"""Upper bound of keys of searches, which are hashes of such seeds, exclusive."""

MOST_NODES = 100_000_000
"""Maximum nodes of a tree, which then takes some 60 GB with its edges."""

_EDGES_PER_NODE = 8
_MOST = 1_000_000
"""Default maximum of an option: larger values are typing errors."""


H_MCTS: dict[str, Any] = {
    "selection": "puct",
    "exploration": 1.0,
    "unit": "seen",
    "rollout_share": 0.5,
    "pruning": 0.1,
    "halving": True,
}
"""Options of Hybrid MCTS: sequential halving at the root, PUCT below [Pepels et al. 2014], with
averages that are not charged for exploration (`mcts.selection`)."""


def check_integer(name: str, value: int, end: int) -> int:
    """Return ``value``, called ``name``, as a Python integer.

    Raises ValueError unless it is an integer from 0 to below ``end``, for instance `SEEDS`.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not 0 <= int(value) < end:
        raise ValueError(f"{name} must be a whole number from 0 to {end - 1}, not {value!r}")
    return int(value)


def check_count(name: str, value: int) -> int:
    """Return ``value``, called ``name``, as a Python integer; ValueError unless at least 1."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not 1 <= int(value) < SEEDS:
        raise ValueError(f"{name} must be a whole number from 1, not {value!r:.100}")
    return int(value)


_find_types = cache(get_type_hints)


def fill(kind: Any, values: Mapping[str, Any]) -> Any:
    """Return the NamedTuple ``kind`` from ``values`` by name, converted to its field types."""
    kinds = _find_types(kind)
    return kind(**{name: kinds[name](values[name]) for name in kind._fields})


@dataclass(frozen=True)
class Budget:
    """End of a search: the first limit reached; at least one must be given."""

    simulations: int | None = between(1, 1_000_000_000, default=None)
    """Play-outs; a leaf may have several."""
    seconds: float | None = above(0, 10_000_000, default=None)
    """Wall time; at least one simulation is run."""

    def split(self, parts: int) -> Budget:
        """Return the budget of each of ``parts`` consecutive searches."""
        simulations, seconds = self.simulations, self.seconds
        return Budget(
            simulations=None if simulations is None else max(1, round(simulations / parts)),
            seconds=None if seconds is None else seconds / parts,
        )

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            raise ValueError("a budget needs simulations, seconds or both")
        check(self)


class KernelParams(NamedTuple):
    """Numeric settings of one search, passed as values, so that changes need no recompilation."""

    exploration: float
    """c of the formula, in units of the scaled returns ..."""
    root_exploration: float
    """... and at the root."""
    selection: int
    """One of `SELECTION`."""
    in_flight: int
    """One of `IN_FLIGHT`."""
    virtual_loss: float
    """Visits counted per visit in flight under `VIRTUAL_LOSS`."""
    widening_base: float
    """Actions offered at a node of N visits: ceil(base N**exponent), at least 1; base 0: all."""
    widening_exponent: float
    unit: int
    """One of `UNITS`."""
    rollout_share: float
    """Prior probability of the roll-out policy as an arm of each node below the root; 0: no arm."""
    pruning: float
    """Share of the most visited arm's visits below which an arm is not passed up; 0: all are."""
    maximum: int
    """1: the best of those arms is passed up, not their mean."""
    exact: int
    """1: below the root an edge with data is worth it, and is not tried to find that out."""
    halving: int
    """Simulations of a search that halves the root's actions; 0: it selects as below the root."""
    action_types: int
    """1: the type of an action is chosen first, then an action of that type."""
    common_random_numbers: int
    """1: the n-th visits of all root actions share their random numbers."""
    rollouts_per_leaf: int
    """Roll-outs a leaf."""
    leaf_threads: int
    """Threads that share the roll-outs of one leaf; 1 unless leaf-parallel."""
    players: int
    perspectives: int
    discount: float
    """Discount per step between own decisions."""
    low: float
    """Return, in the domain's units, that is scaled to 0 ..."""
    span: float
    """... and the range that is scaled to 1."""


@dataclass(frozen=True)
class Options:
    """Options of a search.

    Raises ValueError for a value out of range; the message names the option, its range and the
    value.
    """

    exploration: float = between(0, _MOST, default=0.7)
    """c in mean + c sqrt(2 ln N / n), for returns scaled to [0, 1]."""
    root_exploration: float | None = between(0, _MOST, default=None)
    """c at the root, None: the same.  Below the root a small c finds the best continuation soon; at
    it a larger one compares the actions at similar visits [Tolpin & Shimony 2012]."""
    selection: str = one_of(*SELECTION, default="uct")
    """N in the formula: visits of the actions on offer, or how often the action was available
    (``availability``, for ISMCTS), or the formula times the action's weight (``weighted``).  With
    ``puct`` c multiplies P sqrt(N) / (1 + n) instead, P even (`mcts.selection`)."""
    in_flight: str = one_of(*IN_FLIGHT, default="virtual_loss")
    """Treatment of visits in flight in other threads: ``none``, ``virtual_loss``, ``wu_uct``."""
    virtual_loss: float = between(0, _MOST, default=1.0)
    """Under ``virtual_loss``, visits with return 0 counted per visit in flight."""
    widening_base: float = between(0, _MOST, default=0.0)
    """A node of N visits offers ceil(base N**exponent) actions; 0: all."""
    widening_exponent: float = between(0, 1, default=0.5)
    unit: str = one_of(*UNITS, default="declared")
    """Unit of exploration: the ``declared`` range of returns, or the range of the edges' means
    ``seen`` in the tree [MuZero: Schrittwieser et al. 2020]."""
    rollout_share: float = between(0, 1, default=0.0)
    """Above 0: the roll-out policy from here on is one more arm of each node below the root; under
    ``puct`` with this prior probability.  For roll-outs of a policy, or its values: an
    optimistic value in their place would end the tree here."""
    pruning: float = between(0, 1, default=0.0)
    """What a node passes up is the mean over its arms with at least this share of the visits of the
    most visited one; 0: over all returns.  For one player."""
    maximum: bool = False
    """Pass up the mean of the best of those arms; their common mean otherwise."""
    exact: bool = False
    """Below the root the number attached to an action, if above 0, is its exact value: it is passed
    up if it is the best, and is no reason to try the action.  For domains that say so."""
    halving: bool = False
    """Sequential halving of the root's actions, for a budget of simulations alone."""
    final: str = one_of(*FINAL, default="visits")
    """Final choice: most ``visits`` (ties: mean), or best ``mean`` (ties: visits); then the action
    listed first."""
    action_types: bool = False
    """Choose the type of an action first, then an action of that type (`mcts.selection`)."""
    common_random_numbers: bool = False
    """Common random numbers: the n-th visits of all root actions share their chance."""
    rollouts_per_leaf: int = between(1, 10_000, default=1)
    """Roll-outs from each leaf (per thread in mode ``leaf``), averaged."""
    keep_tree: bool = False
    """Whether a search may reuse the last one's subtree below its root (`Search.advance`)."""
    mode: str = one_of(*MODES, default="tree")
    """``tree``: the threads share one tree; ``leaf``: they share the roll-outs of each leaf;
    ``root``: ``workers`` search one tree each, with ``threads`` threads, and merge their roots."""
    threads: int = between(1, 1024, default=1)
    workers: int = between(1, 1024, default=1)
    """Ray actors of root parallelization."""
    merge: str = one_of(*MERGES, default="visits")
    """Merging of roots: ``visits`` or ``value`` averaged, or a ``vote``."""
    nodes: int = between(1, MOST_NODES, default=100_000)
    """Maximum nodes.  One node is flat Monte Carlo: no tree, roll-outs shared by UCT."""
    edges: int | None = between(1, 1_000_000_000, default=None)
    """Maximum edges; None: 8 per node, and at least one list of maximum length."""
    oversubscribe: bool = False
    """Allow more threads than cores."""

    def __post_init__(self) -> None:
        check(self)
        if self.workers > 1 and self.mode != "root":
            raise ValueError(f"{self.workers} workers need mode root, not {self.mode}")
        if self.keep_tree and self.mode == "root":
            raise ValueError("keep_tree needs one tree: it excludes mode root")
        if self.action_types and self.selection != "uct":
            raise ValueError(f"action_types needs selection uct, not {self.selection}")
        if self.rollout_share and self.selection == "weighted":
            raise ValueError("rollout_share needs another selection than weighted")
        if self.exact and self.selection not in ("uct", "availability"):
            raise ValueError(f"exact needs selection uct or availability, not {self.selection}")
        if (self.maximum or self.exact) and not self.pruning:
            raise ValueError("maximum and exact need pruning above 0")
        if self.halving and (self.keep_tree or self.action_types):
            raise ValueError("halving begins with an empty root: no keep_tree, no action_types")
        if self.threads > cores() and not self.oversubscribe:
            raise ValueError(
                f"{self.threads} threads are more than the {cores()} cores; "
                "set oversubscribe to run them anyway"
            )

    def edge_budget(self, longest: int) -> int:
        """Return the number of edges to allocate if a list has up to ``longest`` actions."""
        if self.edges is not None:
            return self.edges
        return max(longest, self.nodes * min(longest, _EDGES_PER_NODE))

    @property
    def leaf_threads(self) -> int:
        """Threads that share one leaf."""
        return self.threads if self.mode == "leaf" else 1

    @property
    def playouts(self) -> int:
        """Play-outs per descent of the tree."""
        return self.rollouts_per_leaf * self.leaf_threads

    def kernel_params(
        self, discount: float, low: float, span: float, players: int = 1, perspectives: int = 1
    ) -> KernelParams:
        """Return the kernel's settings from these options and the domain's declarations."""
        found = vars(self) | {"leaf_threads": self.leaf_threads}
        found |= {"discount": discount, "low": low, "span": span}
        found |= {"players": players, "perspectives": perspectives}
        found |= {"selection": SELECTION[self.selection], "in_flight": IN_FLIGHT[self.in_flight]}
        found["unit"] = UNITS[self.unit]
        if self.root_exploration is None:
            found["root_exploration"] = self.exploration
        return fill(KernelParams, found)
