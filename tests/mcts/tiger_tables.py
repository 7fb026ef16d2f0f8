"""Tiger as tables, and the value that a search finds."""

import numpy as np

from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tabular.tables import Tabular

HEAR = [[0.85, 0.15], [0.15, 0.85]]
EVEN = [[0.5, 0.5], [0.5, 0.5]]
REWARDS = [[-1, -1], [-100, 10], [10, -100]]


def make_tiger(steps=3, hear=HEAR, **more):
    parts = {
        "start": [0.5, 0.5],
        "transitions": [np.eye(2), EVEN, EVEN],
        "observations": [hear, EVEN, EVEN],
        "rewards": REWARDS,
        "discount": 0.95,
        "steps": steps,
    }
    return Tabular(**parts | more)


def search_value(p, simulations=200_000, exploration=0.2, key=1):
    """Return the value of the most visited action."""
    search = Search(p, Options(exploration=exploration, nodes=50_000))
    result = search.run(Budget(simulations=simulations), key)
    return float(result.values[np.argmax(result.visits)])
