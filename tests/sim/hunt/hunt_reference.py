"""Small hunts solved again, from their definition: every step, staying included, every outcome."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np

from sim.hunt.outcomes import NO_TARGET, Hunt, hunt
from sim.hunt.reward import Weights


def star(moves, weights=(12, 1, 1)):
    """Return four cells round cell 0; cells 1 to 3 show whether y is 0, 1, 2 of four."""
    graph = nx.Graph()
    for cell in range(4):
        graph.add_node(cell, targets=(cell - 1,) if cell else ())
    for one, other, length in ((0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0), (1, 2, 1.5)):
        graph.add_edge(one, other, length=length)
    likelihood = np.zeros((3, 4, 2))
    for target, y in itertools.product(range(3), range(4)):
        likelihood[target, y, int(y == target)] = 1.0
    return hunt(graph, [0.4, 0.1, 0.3, 0.2], likelihood, Weights(*weights), 0, moves)


PUBLISHED = {
    (12, 1, 1): ((6.076140, 7.820181, 8.066800), (6.076140, 6.820181, 6.820181)),
    (12, 0, 2): ((6.076140, 7.520181, 7.520181), (6.076140, 6.320181, 6.320181)),
    (4, 1, 1): ((0.692047, 0.692047, 0.692047), (0.692047, 0.692047, 0.692047)),
}
"""Of `star` by w_B, w_J, w_D: values of the closed and the open strategy for 1, 2, 3 moves."""


def random_hunt(seed: int, moves: int = 3, sure: bool = False) -> Hunt:
    """Return a hunt of 4 cells and 2 or 3 targets, one of them in two cells, noisy unless sure."""
    rng = np.random.default_rng(seed)
    graph = nx.random_labeled_tree(4, seed=seed)
    graph.add_edge(*rng.choice(4, 2, replace=False).tolist())
    for arc in graph.edges.values():
        arc["length"] = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
    graph.nodes[0]["targets"] = (0,)
    graph.nodes[1]["targets"] = (1,)
    graph.nodes[2]["targets"] = (int(rng.integers(2)) + 1,)
    graph.nodes[3]["targets"] = (0,) if rng.random() < 0.5 else ()
    likelihood = rng.dirichlet(np.full(2, 0.3), (3, 3))
    if sure:
        likelihood = likelihood.round()
    weights = Weights(*rng.uniform([5, 0, 0], [15, 1, 1]))
    cost = rng.uniform(0, 2, 3)
    return hunt(graph, rng.dirichlet(np.ones(3)), likelihood, weights, 0, moves, cost)


def entropy(chances):
    """Return the entropy in nats."""
    return -sum(chance * np.log(chance) for chance in chances if chance > 0)


class Reference:
    """The value of a hunt, by what may be known when."""

    def __init__(self, hunt: Hunt) -> None:
        self.hunt = hunt

    def steps(self, cell, left):
        """Yield what can be done in a step: where it ends, the target measured or None, cost."""
        hunt = self.hunt
        for there, length in enumerate(hunt.length[cell]):
            if np.isfinite(length):
                yield there, None, hunt.distance * length
                target = hunt.target[there]
                if target != NO_TARGET and target in left:
                    cost = hunt.distance * length + hunt.test * hunt.cost[target]
                    yield there, int(target), cost

    def closed_loop(self):
        """Return the value if each step may depend on all outcomes so far."""
        left = frozenset(np.flatnonzero(self.hunt.open).tolist())
        return self._closed_loop(self.hunt.cell, self.hunt.moves, left, self.hunt.prior)

    def _closed_loop(self, cell, moves, left, belief):
        if not moves:
            return 0.0
        values = []
        for there, target, cost in self.steps(cell, left):
            if target is None:
                values.append(self._closed_loop(there, moves - 1, left, belief) - cost)
                continue
            value = -cost
            for likely in self.hunt.likelihood[target].T:
                chance = belief @ likely
                if chance > 0:
                    then = belief * likely / chance
                    gain = self.hunt.benefit * (entropy(belief) - entropy(then))
                    rest = self._closed_loop(there, moves - 1, left - {target}, then)
                    value += chance * (gain + rest)
            values.append(value)
        return max(values)

    def ways(self):
        """Return the least cost of measuring each set of targets that can be."""
        found = {}

        def walk(cell, moves, left, measured, paid):
            key = frozenset(measured)
            found[key] = min(found.get(key, np.inf), paid)
            if moves:
                for there, target, cost in self.steps(cell, left):
                    more = set() if target is None else {target}
                    walk(there, moves - 1, left - more, measured | more, paid + cost)

        left = frozenset(np.flatnonzero(self.hunt.open).tolist())
        walk(self.hunt.cell, self.hunt.moves, left, frozenset(), 0.0)
        return found

    def outcomes(self, targets):
        """Yield all that the ``targets`` may show: each one's outcome, probability, posterior."""
        targets = sorted(targets)
        for seen in itertools.product(range(self.hunt.likelihood.shape[2]), repeat=len(targets)):
            joint = self.hunt.prior.copy()
            for target, outcome in zip(targets, seen, strict=True):
                joint = joint * self.hunt.likelihood[target, :, outcome]
            if joint.sum() > 0:
                yield dict(zip(targets, seen, strict=True)), joint.sum(), joint / joint.sum()

    def open(self):
        """Return the value of the best plan that is fixed at the start."""
        before, benefit = entropy(self.hunt.prior), self.hunt.benefit
        return max(
            sum(chance * benefit * (before - entropy(then)) for _, chance, then in self.outcomes(s))
            - cost
            for s, cost in self.ways().items()
        )

    def full_information(self):
        """Return the value if all outcomes are known when the plan is made."""
        before, benefit, ways = entropy(self.hunt.prior), self.hunt.benefit, self.ways()
        shown = {
            measured: {
                tuple(sorted(seen.items())): benefit * (before - entropy(then)) - cost
                for seen, _, then in self.outcomes(measured)
            }
            for measured, cost in ways.items()
        }
        return sum(
            chance
            * max(
                worth[tuple((target, seen[target]) for target in sorted(measured))]
                for measured, worth in shown.items()
            )
            for seen, chance, _ in self.outcomes(range(len(self.hunt.open)))
        )
