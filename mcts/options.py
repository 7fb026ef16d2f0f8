"""How to search and for how long: validated values, each refusal one clear sentence."""

from __future__ import annotations

import math
import numbers
import os
from dataclasses import dataclass

from mcts.selection import IN_FLIGHT, Settings

FINAL = ("visits", "mean")
"""Ways to choose the action in the end."""

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
    seconds: float | None = None
    """Wall time; at least one simulation is run."""

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
    in_flight: str = "virtual_loss"
    """What visits of other threads on their way count for: ``none`` or ``virtual_loss``."""
    virtual_loss: float = 1.0
    """Under ``virtual_loss``, visits with return 0 that one in flight counts for."""
    widening_base: float = 0.0
    """At a node of N visits ceil(base N**exponent) actions are on offer; 0: all of them."""
    widening_exponent: float = 0.5
    final: str = "visits"
    """Choice in the end: most ``visits`` (ties: mean), or best ``mean`` (ties: visits); then the
    action listed first."""
    threads: int = 1
    """Threads on the one tree."""
    nodes: int = 100_000
    """Budget of nodes.  One node is flat Monte Carlo: no tree, roll-outs shared by UCT."""
    edges: int | None = None
    """Budget of edges; None: 8 a node and no less than one longest list of actions."""
    oversubscribe: bool = False
    """Allow more threads than cores."""

    def __post_init__(self) -> None:
        treatments = " or ".join(IN_FLIGHT)
        _ask(_real(self.exploration), "exploration", "a number from 0", self.exploration)
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

    def settings(self, discount: float, low: float, span: float) -> Settings:
        """Return what the kernel reads of these options, with the domain's declarations."""
        return Settings(
            exploration=float(self.exploration),
            in_flight=IN_FLIGHT[self.in_flight],
            virtual_loss=float(self.virtual_loss),
            widening_base=float(self.widening_base),
            widening_exponent=float(self.widening_exponent),
            discount=discount,
            low=low,
            span=span,
        )
