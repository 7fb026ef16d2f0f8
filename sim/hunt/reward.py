"""The reward of a hunt: information less tests less distance [Ferrari & Cai 2009, eqs. 1, 2].

The sum over steps of w_B Delta H - w_J J - w_D D; the first part telescopes to the information of
all measurements (eq. 7), so the value of a path is

    V = w_B I(y; z_S) - w_J sum of J over S - w_D length

with S the targets measured on it, each at most once.  Information is in nats, as in the published
Table III.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Weights(NamedTuple):
    """w_B per nat, w_J per unit of a test's cost, w_D per unit of length."""

    benefit: float = 1.0
    test: float = 1.0
    distance: float = 1.0


class Route(NamedTuple):
    """A path through the graph of a hunt, and its measured targets.

    ``cells`` are nodes of the `networkx.Graph` along the path; ``measured`` target numbers, in
    order; ``benefit`` in nats and ``value`` by the weights.
    """

    cells: tuple[Hashable, ...]
    length: float
    measured: tuple[int, ...]
    benefit: float
    value: float
