"""The reward of a hunt: information less tests less distance [Ferrari & Cai 2009, eqs. 1, 2].

The sum over steps of w_B Delta H - w_J J - w_D D; the first part telescopes to the information of
all that was measured (eq. 7), so a way is worth

    V = w_B I(y; z_S) - w_J sum of J over S - w_D length

with S the targets measured on it, each at most once.  Information is in nats: the published Table
III is.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Weights(NamedTuple):
    """w_B of a nat, w_J of a test's cost, w_D of a unit of length."""

    benefit: float = 1.0
    test: float = 1.0
    distance: float = 1.0


class Route(NamedTuple):
    """A way through the graph of a hunt, and what is measured on it.

    ``cells`` are nodes of the `networkx.Graph`, from start to end, in the order of the way;
    ``measured`` target numbers, in order; ``benefit`` in nats and ``value`` by the weights.
    """

    cells: tuple[Hashable, ...]
    length: float
    measured: tuple[int, ...]
    benefit: float
    value: float
