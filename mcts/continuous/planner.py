"""Planners over particles of a model: the interface to the searches of this package.

planner = Planner(p, Search("pomcpow", exploration=90.0, k=5.0, alpha=1 / 15), 10_000)
action = planner.choose(particles, key=1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts import threads
from mcts.continuous.belief import refuse_densities
from mcts.continuous.belief_tree import Beliefs, choose_by_mean, run_beliefs
from mcts.continuous.model import model_of
from mcts.continuous.simulation import (
    BELIEFS,
    DRAWN,
    GREEDY,
    KEYED,
    RANDOM,
    VALUES,
    WEIGHTED,
    KernelParams,
    Scratch,
    run,
)
from mcts.continuous.tree import NODES, add_action, clear, new_tree
from mcts.kernel.compile import specialise
from mcts.kernel.rng import below, new_stream
from mcts.options import KEYS, MOST_NODES, check_count, check_integer, fill
from mcts.threads import alone
from mcts.tree import ROOT

LEAVES = {"values": VALUES, "random": RANDOM, "greedy": GREEDY}
KINDS = {"pomcp": KEYED, "pomcp_dpw": DRAWN, "pomcpow": WEIGHTED, "pft_dpw": BELIEFS}

_ALL_OVER = "nothing to decide: all particles are terminal"
MOST_ACTIONS = 10_000
"""Maximum number for a node that has all actions."""
_POOL = 24
"""Particle slots per simulation, in a tree of single states."""


@dataclass(frozen=True)
class Search:
    """Settings of a planner.  Raises ValueError for an unknown choice."""

    kind: str
    """One of `KINDS`."""
    exploration: float
    """c of mean + c sqrt(ln N / n), in the units of returns."""
    depth: int = 20
    k: float = 4.0
    alpha: float = 0.1
    """At most k n ** alpha observations follow an action tried n times; not for ``pomcp``."""
    k_action: float = 0.0
    alpha_action: float = 0.0
    """At most k_action N ** alpha_action actions of a node visited N times; 0: all."""
    grain: float = 1e-6
    """Width of the intervals that ``pomcp`` rounds observations to."""
    leaf: str = "values"
    """One of `LEAVES`; ``greedy`` is for ``pft_dpw`` only."""
    final: str = "mean"
    """Final choice: the best ``mean``, or the most ``visits``."""
    particles: int = 20
    """Particles of a node's belief, for ``pft_dpw``."""

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("leaf", LEAVES), ("final", ("mean", "visits"))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")
        if self.leaf == "greedy" and self.kind != "pft_dpw":
            raise ValueError("leaf=greedy needs beliefs: choose pft_dpw, or another leaf")
        if self.leaf != "random" and self.k_action:
            raise ValueError(f"leaf={self.leaf} needs all actions: set leaf=random for k_action")


class Planner:
    """A reusable tree and its work arrays for the model ``p``.

    Construction compiles or loads kernels, and allocates for ``simulations``.  Raises ValueError
    for too many actions to try all, or no simulation.  One thread at a time may use it: a second
    one gets a RuntimeError.
    """

    def __init__(self, p: Any, search: Search, simulations: int) -> None:
        actions, width, seen = (_count(p, name) for name in ("actions", "width", "seen"))
        self._simulations = check_count("simulations", simulations)
        self._p, self._search, self._numbers = p, search, _numbers(p)
        beliefs = search.kind == "pft_dpw"
        nodes = min(simulations + 1, MOST_NODES)
        places = {"pomcp": 1, "pomcp_dpw": nodes, "pft_dpw": nodes * search.particles}
        pool = places.get(search.kind, nodes * _POOL)
        most = int(search.k_action * simulations**search.alpha_action) + 1
        if not search.k_action and actions > MOST_ACTIONS:
            raise ValueError(f"{actions} actions are too many to try all: set k_action")
        given = not search.k_action
        self.tree = new_tree(nodes, actions if given else most, width, seen, pool, given)
        numbers = {"kind": KINDS[search.kind], "leaf": LEAVES[search.leaf], "ends": False}
        numbers |= {"discount": model_of(p).number("discount", p), "actions": actions}
        self._settings: KernelParams = fill(KernelParams, vars(search) | numbers)
        self._control = threads.new_control()
        path = np.zeros((2, search.depth), np.int64)
        states = np.zeros((2, width))
        rewards, shows = np.zeros(search.depth), np.zeros(seen)
        self._scratch = Scratch(*path, rewards, shows, states, new_stream(0))
        self._kernel = specialise(run_beliefs if beliefs else run, type(p).__module__)
        self._beliefs: tuple = ()
        if beliefs:
            m = search.particles
            self._beliefs = (Beliefs(*(np.zeros((m, width)) for _ in range(3)), np.zeros(m)),)

    @alone
    def move(self, p: Any) -> None:
        """Search ``p`` from now on: the same problem with other numbers.

        Raises ValueError if it differs in type, number of actions, widths of states and
        observations, or discount.
        """
        if _numbers(p) != self._numbers:
            raise ValueError("this planner was made for another problem: make a new one")
        self._p = p

    @alone
    def choose(self, particles: np.ndarray, key: int, left: int | None = None) -> int:
        """Return the action for the belief ``particles`` (count, numbers of a state).

        ``left``: actions until the end; None: no end.  Raises ValueError if all particles are
        terminal, the shape is wrong, a number is out of range, or densities cannot be weights.
        """
        particles = _rows(self._p, particles)
        clear(self.tree)
        settings = self._settings
        if left is not None and check_count("left", left) <= settings.depth:
            settings = settings._replace(depth=left, ends=True)
        suggest = model_of(self._p).suggest
        if self._search.k_action and suggest is not None:
            add_action(self.tree, ROOT, suggest(self._p, particles))
        parts = (self._p, self.tree, particles, settings, self._scratch, *self._beliefs)
        stream = np.uint64(check_integer("key", key, KEYS))
        done = 0

        def call(worker: int, limit: int) -> int:
            nonlocal done
            done = self._kernel(*parts, stream, self._control, limit)
            return done

        threads.run(call, 1, self._control, self._simulations, None)
        if not done:
            raise ValueError(_ALL_OVER)
        among = slice(self.tree.open[ROOT])
        visits, means = self.tree.edge_visits[ROOT, among], self.tree.edge_value[ROOT, among]
        refuse_densities(self._p, *self._weights(means[visits > 0]))
        by = visits if self._search.final == "visits" else np.where(visits > 0, means, -np.inf)
        return int(self.tree.actions[ROOT, np.argmax(by)])

    def _weights(self, means: np.ndarray) -> np.ndarray:
        """Return sums of densities, nan if they made a mean at the root nan."""
        if not np.isfinite(means).all():
            return np.array([np.nan])
        if self._search.kind != "pomcpow":
            return np.zeros(0)
        made = slice(ROOT + 1, int(self.tree.counters[NODES]))
        return self.tree.reached[self.tree.first[made] + self.tree.size[made] - 1]


def _count(p: Any, name: str) -> int:
    """Return the declaration ``name`` of the model of ``p``, a whole number."""
    return int(model_of(p).number(name, p))


def _numbers(p: Any) -> tuple[Any, ...]:
    """Return the numbers that shape a planner for ``p``."""
    names = ("actions", "width", "seen", "discount")
    return type(p), *(float(model_of(p).number(name, p)) for name in names)


def _rows(p: Any, particles: np.ndarray) -> np.ndarray:
    """Return ``particles`` as kernels take them; ValueError unless each row is a state of ``p``."""
    rows = np.ascontiguousarray(particles, float)
    width = _count(p, "width")
    if rows.ndim != 2 or not len(rows) or rows.shape[1] != width:
        raise ValueError(f"particles must be rows of {width} numbers, not of shape {rows.shape}")
    return rows


def choose_by_values(p: Any, particles: np.ndarray) -> int:
    """Return the QMDP action: the greatest mean of the MDP's values over ``particles``.

    Raises ValueError if all particles are terminal.
    """
    kernel = specialise(choose_by_mean, type(p).__module__)
    action = int(kernel(p, _rows(p, particles), _count(p, "actions"), new_stream(0)))
    if action < 0:
        raise ValueError(_ALL_OVER)
    return action


def choose_at_random(p: Any, key: int) -> int:
    """Return a uniformly random action, by ``key``."""
    return int(below(new_stream(key), _count(p, "actions")))
