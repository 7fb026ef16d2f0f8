"""Which edge to follow: UCT over the actions on offer, and what visits in flight count for.

The formula is mean + c sqrt(2 ln N / n) [Kocsis & Szepesvari 2006; Ledford 2018, eq. 2.8] with
returns scaled to [0, 1].  Ledford's program amounts to c = 0.707 here, and Cowling's 0.7 (given
without the factor 2) to 0.495.

N is the sum over the actions *now on offer* (the legality-modified UCT of Ledford 2018, 2.5.2;
"sleeping bandits"), not the node's visits.  Progressive widening [Coulom 2007; Chaslot et al.
2008] offers only the first part of a node's list, which grows with its visits.

In-flight treatments, for threads that share a tree:

* `NONE`: visits in flight do not count.
* `VIRTUAL_LOSS` [Chaslot, Winands & van den Herik 2008]: each counts as ``virtual_loss`` visits
  with return 0 until its own return is known.

Nothing here consumes randomness; ties go to the action listed first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mcts.kernel.compile import jit
from mcts.tree import NOWHERE, Tree

NONE, VIRTUAL_LOSS = 0, 1
IN_FLIGHT = {"none": NONE, "virtual_loss": VIRTUAL_LOSS}
"""In-flight treatments by name."""


class Settings(NamedTuple):
    """The numbers that one search runs by: values, so that changing them recompiles nothing."""

    exploration: float
    """c of the formula, in units of the scaled returns."""
    in_flight: int
    """One of `IN_FLIGHT`."""
    virtual_loss: float
    """Visits that one in flight counts for under `VIRTUAL_LOSS`."""
    widening_base: float
    """Actions offered at a node of N visits: ceil(base N**exponent), at least 1; base 0: all."""
    widening_exponent: float
    discount: float
    """Factor a step between own decisions."""
    low: float
    """Return, in the domain's units, that is scaled to 0 ..."""
    span: float
    """... and the range that is scaled to 1."""


@jit
def on_offer(listed: int, visits: int, settings: Settings) -> int:
    """Return how many of a node's ``listed`` actions are on offer at its ``visits``-th visit."""
    if settings.widening_base == 0.0:
        return listed
    offered = math.ceil(settings.widening_base * float(visits) ** settings.widening_exponent)
    return min(max(1, offered), listed)


@jit
def count(tree: Tree, edge: int, settings: Settings) -> float:
    """Return the visits of ``edge``, those in flight included as their treatment says."""
    visits = float(tree.edge_visits[edge])
    if settings.in_flight == VIRTUAL_LOSS:
        visits += settings.virtual_loss * float(tree.edge_in_flight[edge])
    return visits


@jit
def select(tree: Tree, node: int, settings: Settings) -> int:
    """Return the edge of the listed ``node`` to follow: the first unvisited, or the best by UCT."""
    first = tree.first[node]
    last = first + on_offer(tree.length[node], tree.visits[node], settings)
    total = 0.0
    for edge in range(first, last):
        n = count(tree, edge, settings)
        if n <= 0.0:
            return edge
        total += n
    width = 2.0 * math.log(max(total, 1.0))
    best, best_bound = NOWHERE, -math.inf
    for edge in range(first, last):
        n = max(count(tree, edge, settings), 1.0)  # another thread may have just landed
        bound = tree.edge_total[edge] / n + settings.exploration * math.sqrt(width / n)
        if bound > best_bound:
            best, best_bound = edge, bound
    return best
