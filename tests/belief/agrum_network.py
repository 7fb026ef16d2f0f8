"""The network of one category as drawn, solved by pyAgrum: to check `belief.network.permanents` by.

The hidden card is the first node, with an even prior [Cai & Ferrari 2006, eq. 9]; every dealt card
is a child of all nodes before it, and even over the values that none of them has [eqs. 10-12].
Tables grow as ``columns ** columns``: 0.8 million numbers for 7 values.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyagrum


def network(columns: int) -> Any:
    """Return the network of a category with so many values: ``T`` and its children ``C1`` ..."""
    made = pyagrum.BayesNet("cards")
    names = ["T", *(f"C{row + 1}" for row in range(columns - 1))]
    for name in names:
        made.add(pyagrum.LabelizedVariable(name, name, columns))
    for i, name in enumerate(names):
        for parent in names[:i]:
            made.addArc(parent, name)
        # Where parents have one value twice, which cannot be, a row must still be a distribution.
        rows = np.full((columns,) * (i + 1), 1.0 / columns)
        for parents in product(range(columns), repeat=i):
            if len(set(parents)) == i:
                rows[parents] = [(value not in parents) / (columns - i) for value in range(columns)]
        made.cpt(name)[:] = rows  # the order of the parents does not matter: they are alike
    return made


def hidden_card(entry: np.ndarray) -> np.ndarray:
    """Return the posterior of ``T``, (columns,), with ``entry`` (rows, columns) as evidence."""
    cards = network(entry.shape[1])  # must live as long as the inference
    inference = pyagrum.LazyPropagation(cards)
    inference.setEvidence({f"C{row + 1}": list(values) for row, values in enumerate(entry)})
    inference.makeInference()
    return inference.posterior("T").toarray()
