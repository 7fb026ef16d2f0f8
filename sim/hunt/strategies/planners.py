"""Planners of hunts, variants of one search, and hunts played by them.

They are those of `sim.planning.variants` that differ in a hunt.  There is no other player, and
every listed action is possible, so SO-ISMCTS and MO-ISMCTS equal POMCP.

* ``bmcts``: outcomes from the propagated belief, which also pays.
* ``bmcts_or``: outcomes by a y drawn at the root, another drawn at the leaf.
* ``pomcp``: one y per simulation, by which tests pay (the logarithmic score).
* ``ld_bmcts``: control, y drawn once per decision, as in the text [Ledford 2018, 3.5].
* ``pimc``: control, a tree for each y that knows it, root tables added.
* ``flat``: control, no tree.
* ``greedy``: control, no search: the roll-out policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mcts.domain import domain_of
from mcts.kernel.rng import derive_key, new_stream, uniform
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.search import Search, SearchResult
from sim.hunt.strategies import hunt as positions
from sim.hunt.strategies.domain import STOP, AdaptiveHunt, greediest, start, workspace
from sim.hunt.strategies.hunt import NO_OUTCOME, NO_TARGET


@dataclass(frozen=True)
class Variant:
    """The choices that define a planner."""

    propagated: bool = False
    from_truth: bool = False
    resampled: bool = False
    once: bool = False
    """Whether y is drawn once per decision."""
    clairvoyant: bool = False
    """Whether each y has its own tree."""
    builds_tree: bool = True


VARIANTS = {
    "bmcts": Variant(propagated=True),
    "bmcts_or": Variant(resampled=True),
    "pomcp": Variant(from_truth=True),
    "ld_bmcts": Variant(once=True),
    "pimc": Variant(clairvoyant=True),
    "flat": Variant(propagated=True, builds_tree=False),
}
"""Planners by name."""

NODES = 200_000
"""Maximum nodes of a tree."""


class Planner:
    """A planner of positions like ``p``; calling it chooses in closed loop.

    Parameters
    ----------
    name : one of `VARIANTS`
    simulations : budget of a decision, over all its trees
    exploration, root_exploration : c in the tree and at its root, in units of the maximum return
        that the position declares for this planner's pay-offs: w_B times the entropy, or the
        surprise of the rarest y
    """

    def __init__(
        self,
        p: AdaptiveHunt,
        name: str,
        simulations: int,
        exploration: float = 0.2,
        root_exploration: float = 0.7,
    ) -> None:
        if name not in VARIANTS:
            raise ValueError(f"a planner of hunts is {', '.join(VARIANTS)}, not {name!r}")
        self.variant, self.simulations = VARIANTS[name], simulations
        self._exploration = exploration, root_exploration
        nodes = min(simulations + 1, NODES) if self.variant.builds_tree else 1
        self._search = Search(p, Options(nodes=nodes))

    def __call__(self, p: AdaptiveHunt, key: int) -> int:
        """Return the action for the position ``p``, with the randomness named by ``key``."""
        return self.search(p, key).best

    def search(self, p: AdaptiveHunt, key: int) -> SearchResult:
        """Search the position ``p`` with the randomness named by ``key``."""
        variant, prior = self.variant, p.hunt.prior
        if variant.once:
            draw = uniform(new_stream(derive_key(key, 0)))
            truth = int(np.searchsorted(np.cumsum(prior), draw * prior.sum(), side="right"))
            return self._run(p, key, self.simulations, truth)
        if not variant.clairvoyant:
            return self._run(p, key, self.simulations)
        trees = [
            self._run(p, int(derive_key(key, 1 + y)), round(self.simulations * prior[y]), int(y))
            for y in np.flatnonzero(prior)
        ]
        return merge(trees, "visits")

    def _run(self, p: AdaptiveHunt, key: int, simulations: int, known: int = -1) -> SearchResult:
        """Return the result of one tree."""
        p = p._replace(
            propagated=self.variant.propagated,
            from_truth=self.variant.from_truth,
            resampled=self.variant.resampled,
            known=known,
        )
        low, high = (domain_of(p).declaration(name, p) for name in ("low", "high"))
        unit = high / (high - low)
        below, root = (c * unit for c in self._exploration)
        self._search.options = replace(
            self._search.options, exploration=below, root_exploration=root
        )
        return self._search.run(Budget(simulations=max(1, simulations)), key, p)


def value(result: SearchResult) -> float:
    """Return the value of the search's choice."""
    return float(result.values[result.actions == result.best][0])


def greedy(p: AdaptiveHunt, key: int) -> int:
    """Return the roll-out policy's action, without search; ``key`` is not used."""
    s = workspace(p)
    start(p._replace(known=0), s, new_stream(key))
    return int(greediest(p, s)) + STOP + 1


Choice = Callable[[AdaptiveHunt, int], int]
"""``choose(position, key)`` returns an action; the key differs between decisions."""


def over(p: AdaptiveHunt) -> bool:
    """Return whether no steps are left, nothing to measure, or nothing to learn."""
    return p.hunt.moves <= 0 or not p.hunt.open.any() or bool(p.hunt.prior.max() >= 1.0)


def target_of(p: AdaptiveHunt, action: int) -> int:
    """Return the target that ``action`` measures, or `NO_TARGET`."""
    return NO_TARGET if action == STOP else int(p.hunt.target[p.decisions.cell[action - STOP - 1]])


def chances(p: AdaptiveHunt, action: int) -> dict[int, float]:
    """Return the possible outcomes of ``action`` with their probabilities; -1 for `STOP`."""
    return positions.chances(p.hunt, target_of(p, action))


def after(p: AdaptiveHunt, action: int, outcome: int = NO_OUTCOME) -> AdaptiveHunt:
    """Return the position after ``action`` and the ``outcome`` of its test, with the exact belief.

    ValueError if the outcome is impossible, one is missing, or there was no test.
    """
    if outcome not in chances(p, action):
        raise ValueError(f"outcome {outcome} is not possible after action {action}")
    if action == STOP:
        return p._replace(hunt=p.hunt._replace(moves=0))
    way, target = action - STOP - 1, target_of(p, action)
    there = int(p.decisions.cell[way]), int(p.decisions.steps[way])
    return p._replace(hunt=positions.after(p.hunt, *there, target, outcome))


def reward(p: AdaptiveHunt, action: int, then: AdaptiveHunt) -> float:
    """Return the reward of ``action`` from ``p`` to ``then``: the entropy, less the costs."""
    if action == STOP:
        return 0.0
    length = float(p.decisions.length[action - STOP - 1])
    return positions.reward(p.hunt, then.hunt, length, target_of(p, action))


def play(p: AdaptiveHunt, choose: Choice, key: int) -> float:
    """Play one hunt from ``p`` in closed loop; return the sum of its rewards.

    ``key``: names all randomness: the true y, the outcomes, the keys of decisions.
    """
    stream, decision, total = new_stream(derive_key(key, 0)), 0, 0.0
    truth = _draw(p.hunt.prior, stream)
    while not over(p):
        decision += 1
        action = choose(p, int(derive_key(key, decision)))
        target = target_of(p, action)
        tested = target != NO_TARGET
        outcome = _draw(p.hunt.likelihood[target, truth], stream) if tested else NO_OUTCOME
        then = after(p, action, outcome)
        total += reward(p, action, then)
        p = then
    return total


def expected_value(p: AdaptiveHunt, choose: Choice, key: int) -> float:
    """Return the exact mean of the rewards under ``choose``, over all outcomes.

    ``choose`` is called once for each reachable position, with a key derived from the path.
    """
    if over(p):
        return 0.0
    action = choose(p, key)
    value = 0.0
    for outcome, chance in chances(p, action).items():
        then = after(p, action, outcome)
        below = expected_value(then, choose, int(derive_key(key, 1 + outcome)))
        value += chance * (reward(p, action, then) + below)
    return value


def _draw(distribution: np.ndarray, stream: np.ndarray) -> int:
    """Return an index drawn from ``distribution``; one draw."""
    place = int(np.searchsorted(np.cumsum(distribution), uniform(stream), side="right"))
    return min(place, int(np.flatnonzero(distribution)[-1]))
