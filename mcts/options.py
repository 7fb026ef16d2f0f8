"""How to search and for how long: validated values, each refusal one clear sentence."""

from __future__ import annotations

import math
import numbers
import os
from dataclasses import dataclass

from mcts.selection import IN_FLIGHT, SELECTION, Settings

FINAL = ("visits", "mean")
"""Ways to choose the action in the end."""

MODES = ("tree", "leaf", "root")
"""What threads or workers share: one tree, the roll-outs of one leaf, or nothing but the result."""

MERGES = ("visits", "value", "vote")
"""Ways to merge the root tables of root-parallel searches (`mcts.merge`)."""

_EDGES_PER_NODE = 8


def cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ask(holds: bool, name: str, wanted: str, value: object) -> None:
    if not holds:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")


def _whole(value: object, least: int) -> bool:
    return (
        isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least
    )


def _real(value: object, least: float = 0.0) -> bool:
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= least
    )


@dataclass(frozen=True)
class Budget:
    """When a search ends: at whichever of the two comes first; at least one must be given."""

    simulations: int | None = None
    """Play-outs, of which a leaf may have several."""
    seconds: float | None = None
    """Wall time; at least one simulation is run."""

    def shared(self, parts: int) -> Budget:
        """Return what each of ``parts`` searches gets, one after another."""
        simulations, seconds = self.simulations, self.seconds
        return Budget(
            simulations=None if simulations is None else max(1, round(simulations / parts)),
            seconds=None if seconds is None else seconds / parts,
        )

    def __post_init__(self) -> None:
        simulations, seconds = self.simulations, self.seconds
        if simulations is None and seconds is None:
            raise ValueError("a budget needs simulations, seconds or both")
        if simulations is not None:
            _ask(_whole(simulations, 1), "simulations", "a whole number from 1", simulations)
        if seconds is not None:
            _ask(_real(seconds) and seconds > 0, "seconds", "a number above 0", seconds)


@dataclass(frozen=True)
class Options:
    """How to search.

    Raises
    ------
    ValueError
        For a value out of range; the sentence names the option, what it may be, and what it was.
    """

    exploration: float = 0.7
    """c in mean + c sqrt(2 ln N / n), for returns scaled to [0, 1]."""
    root_exploration: float | None = None
    """c at the root, None: the same.  Below it a small c finds the best continuation soon; at the
    root a larger one compares the actions at like numbers of visits [Tolpin & Shimony 2012]."""
    selection: str = "uct"
    """N in the formula: visits of the actions on offer, or how often the action was available
    (``availability``, for ISMCTS)."""
    in_flight: str = "virtual_loss"
    """What visits under way in other threads count for: ``none``, ``virtual_loss``, ``wu_uct``."""
    virtual_loss: float = 1.0
    """Under ``virtual_loss``, visits with return 0 that one in flight counts for."""
    widening_base: float = 0.0
    """At a node of N visits ceil(base N**exponent) actions are on offer; 0: all of them."""
    widening_exponent: float = 0.5
    final: str = "visits"
    """Choice in the end: most ``visits`` (ties: mean), or best ``mean`` (ties: visits); then the
    action listed first."""
    common_random_numbers: bool = False
    """Common random numbers: the n-th visits of all root actions are made of the same chance."""
    rollouts_per_leaf: int = 1
    """Roll-outs from each leaf (and thread, in mode ``leaf``), averaged."""
    keep_tree: bool = False
    """Whether a search may begin with what the last one found below its root (`Search.advance`)."""
    mode: str = "tree"
    """``tree``: the threads work on one tree; ``leaf``: they share the roll-outs of each leaf;
    ``root``: ``workers`` search one tree each, with so many ``threads``, and merge their roots."""
    threads: int = 1
    workers: int = 1
    """Ray actors of root parallelization."""
    merge: str = "visits"
    """How roots are merged: ``visits`` or ``value`` averaged, or a ``vote``."""
    nodes: int = 100_000
    """Budget of nodes.  One node is flat Monte Carlo: no tree, roll-outs shared by UCT."""
    edges: int | None = None
    """Budget of edges; None: 8 a node and no less than one longest list of actions."""
    oversubscribe: bool = False
    """Allow more threads than cores."""

    def __post_init__(self) -> None:
        treatments = " or ".join(IN_FLIGHT)
        _ask(_real(self.exploration), "exploration", "a number from 0", self.exploration)
        if self.root_exploration is not None:
            wanted = "a number from 0, or None"
            _ask(_real(self.root_exploration), "root_exploration", wanted, self.root_exploration)
        rules = " or ".join(SELECTION)
        _ask(self.selection in SELECTION, "selection", rules, self.selection)
        _ask(
            _whole(self.rollouts_per_leaf, 1),
            "rollouts_per_leaf",
            "a whole number from 1",
            self.rollouts_per_leaf,
        )
        _ask(self.mode in MODES, "mode", " or ".join(MODES), self.mode)
        _ask(self.merge in MERGES, "merge", " or ".join(MERGES), self.merge)
        _ask(_whole(self.workers, 1), "workers", "a whole number from 1", self.workers)
        if self.workers > 1 and self.mode != "root":
            raise ValueError(f"{self.workers} workers need mode root, not {self.mode}")
        if self.keep_tree and self.mode == "root":
            raise ValueError("keep_tree is for one tree: not for mode root")
        _ask(self.in_flight in IN_FLIGHT, "in_flight", treatments, self.in_flight)
        _ask(_real(self.virtual_loss), "virtual_loss", "a number from 0", self.virtual_loss)
        _ask(_real(self.widening_base), "widening_base", "a number from 0", self.widening_base)
        exponent = self.widening_exponent
        _ask(_real(exponent) and exponent <= 1, "widening_exponent", "within 0 and 1", exponent)
        _ask(self.final in FINAL, "final", " or ".join(FINAL), self.final)
        _ask(_whole(self.threads, 1), "threads", "a whole number from 1", self.threads)
        _ask(_whole(self.nodes, 1), "nodes", "a whole number from 1", self.nodes)
        if self.edges is not None:
            _ask(_whole(self.edges, 1), "edges", "a whole number from 1, or None", self.edges)
        if self.threads > cores() and not self.oversubscribe:
            raise ValueError(
                f"{self.threads} threads are more than the {cores()} cores; "
                "set oversubscribe to run them all the same"
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
        """Play-outs that one descent of the tree is worth."""
        return self.rollouts_per_leaf * self.leaf_threads

    def settings(
        self, discount: float, low: float, span: float, players: int = 1, perspectives: int = 1
    ) -> Settings:
        """Return what the kernel reads of these options, with the domain's declarations."""
        return Settings(
            exploration=float(self.exploration),
            root_exploration=float(
                self.exploration if self.root_exploration is None else self.root_exploration
            ),
            selection=SELECTION[self.selection],
            in_flight=IN_FLIGHT[self.in_flight],
            virtual_loss=float(self.virtual_loss),
            widening_base=float(self.widening_base),
            widening_exponent=float(self.widening_exponent),
            common_random_numbers=int(self.common_random_numbers),
            rollouts_per_leaf=int(self.rollouts_per_leaf),
            leaf_threads=int(self.leaf_threads),
            players=players,
            perspectives=perspectives,
            discount=discount,
            low=low,
            span=span,
        )
