"""Permanents: the hidden card of a category from beliefs about each dealt card.

A category has ``columns`` values (the cards that the observer does not hold) and ``columns - 1``
rows, one for each card that the others were dealt.  ``entry[row, column]`` is the belief about that
card alone.  The rows are assumed independent, except that no two cards are the same; the value left
over is hidden:

    P(hidden = n) = perm(entry without column n) / sum over all columns of such permanents,

which is Jeffrey's rule over the network of the cards [Cai & Ferrari 2006, eqs. 3, 4, 7, 8], without
the terms in which two cards are the same: there the network is undefined.  A permanent is a sum
over subsets of columns: ``forward[taken]`` is the weight of all ways in which the first rows have
exactly the columns in the mask ``taken``, ``backward[taken]`` that of all ways in which the other
rows have columns outside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.evidence import CATEGORY_START, count
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform

MAX_COLUMNS = CATEGORY_START[3] - CATEGORY_START[2]
MAX_ROWS = MAX_COLUMNS - 1


class Weights(NamedTuple):
    """Scratch memory of one thread."""

    forward: np.ndarray  # float64 (512,), by mask of columns
    backward: np.ndarray  # float64 (512,)
    hidden: np.ndarray  # float64 (9,): the result of `hidden_card`
    rows: np.ndarray  # float64 (8, 9): the result of `row_marginals`
    drawn: np.ndarray  # int64 (8,): the result of `draw_rows`


def new_weights() -> Weights:
    """Return new scratch memory."""
    subsets = 1 << MAX_COLUMNS
    return Weights(
        np.zeros(subsets),
        np.zeros(subsets),
        np.zeros(MAX_COLUMNS),
        np.zeros((MAX_ROWS, MAX_COLUMNS)),
        np.zeros(MAX_ROWS, np.int64),
    )


@jit
def hidden_card(entry: np.ndarray, columns: int, weights: Weights) -> bool:
    """Fill ``weights.hidden[:columns]`` with the probability that each value is the hidden one.

    Also fills ``weights.forward``.  Returns False, with undefined results, if no assignment of
    different values to the rows has any weight: the entries contradict each other.
    """
    forward, hidden = weights.forward, weights.hidden
    everything = (1 << columns) - 1
    forward[0] = 1.0
    for taken in range(1, everything):
        row = count(taken) - 1
        total = 0.0
        for column in range(columns):
            bit = 1 << column
            if taken & bit:
                total += forward[taken ^ bit] * entry[row, column]
        forward[taken] = total
    total = 0.0
    for column in range(columns):
        total += forward[everything ^ 1 << column]
    if not total > 0.0:
        return False
    for column in range(columns):
        hidden[column] = forward[everything ^ 1 << column] / total
    return True


@jit
def fill_backward(entry: np.ndarray, columns: int, weights: Weights) -> bool:
    """Fill ``weights.backward``; return whether there is any weight, as `hidden_card`."""
    backward = weights.backward
    everything = (1 << columns) - 1
    for free in range(1, everything + 1):
        taken = everything ^ free
        row = count(taken)
        if row == columns - 1:
            backward[taken] = 1.0
            continue
        total = 0.0
        for column in range(columns):
            bit = 1 << column
            if free & bit:
                total += entry[row, column] * backward[taken | bit]
        backward[taken] = total
    return backward[0] > 0.0


@jit
def row_marginals(entry: np.ndarray, columns: int, weights: Weights) -> bool:
    """Fill ``weights.rows`` with the probability of each value in each row, and `hidden_card`.

    Unlike ``entry`` itself these respect that no two cards are the same.  Returns as `hidden_card`.
    """
    if not hidden_card(entry, columns, weights) or not fill_backward(entry, columns, weights):
        return False
    forward, backward, rows = weights.forward, weights.backward, weights.rows
    for row in range(columns - 1):
        for column in range(columns):
            rows[row, column] = 0.0
    for taken in range((1 << columns) - 1):
        row = count(taken)
        if row == columns - 1:
            continue
        for column in range(columns):
            bit = 1 << column
            if not taken & bit:
                weight = forward[taken] * entry[row, column] * backward[taken | bit]
                rows[row, column] += weight / backward[0]
    return True


@jit
def draw_rows(entry: np.ndarray, columns: int, weights: Weights, stream: np.ndarray) -> int:
    """Draw a value for every row into ``weights.drawn``; return the value that is hidden.

    ``weights.backward`` must be that of ``entry`` (`fill_backward`).  Consumes one draw per row.
    """
    backward = weights.backward
    taken = 0
    for row in range(columns - 1):
        left = uniform(stream) * backward[taken]
        chosen = -1
        for column in range(columns):
            bit = 1 << column
            if taken & bit:
                continue
            weight = entry[row, column] * backward[taken | bit]
            if weight > 0.0:
                chosen = column
                if left < weight:
                    break
                left -= weight
        weights.drawn[row] = chosen
        taken |= 1 << chosen
    hidden = 0
    while taken >> hidden & 1:
        hidden += 1
    return hidden
