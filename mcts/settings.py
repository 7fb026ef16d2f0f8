"""Options of a search as the numbers that kernels read; nothing here needs Numba."""

from __future__ import annotations

from typing import NamedTuple

UCT, AVAILABILITY, WEIGHTED = 0, 1, 2
SELECTION = {"uct": UCT, "availability": AVAILABILITY, "weighted": WEIGHTED}
"""Selection rules by name."""

NONE, VIRTUAL_LOSS, WU_UCT = 0, 1, 2
IN_FLIGHT = {"none": NONE, "virtual_loss": VIRTUAL_LOSS, "wu_uct": WU_UCT}
"""In-flight treatments by name."""


class Settings(NamedTuple):
    """The numbers that one search runs by: values, so that changing them recompiles nothing."""

    exploration: float
    """c of the formula, in units of the scaled returns ..."""
    root_exploration: float
    """... and at the root."""
    selection: int
    """One of `SELECTION`."""
    in_flight: int
    """One of `IN_FLIGHT`."""
    virtual_loss: float
    """Visits that one in flight counts for under `VIRTUAL_LOSS`."""
    widening_base: float
    """Actions offered at a node of N visits: ceil(base N**exponent), at least 1; base 0: all."""
    widening_exponent: float
    outcomes_base: float
    """Observations kept below an action of n visits: ceil(base n**exponent); base 0: all."""
    outcomes_exponent: float
    common_random_numbers: int
    """1: the n-th visits of all root actions share their random numbers."""
    rollouts_per_leaf: int
    """Roll-outs a leaf."""
    leaf_threads: int
    """Threads that share the roll-outs of one leaf; 1 unless leaf-parallel."""
    players: int
    perspectives: int
    discount: float
    """Factor a step between own decisions."""
    low: float
    """Return, in the domain's units, that is scaled to 0 ..."""
    span: float
    """... and the range that is scaled to 1."""
