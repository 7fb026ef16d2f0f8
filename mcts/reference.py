"""UCT, POMCP and SO-ISMCTS in plain Python: the specification of the search.

    tree = Reference(problem, exploration=0.2).search(simulations=500, key=1)
    best(tree)

All three are one algorithm over a `mcts.plain.problem.Problem` and differ in their inputs:

* UCT [KS: Kocsis & Szepesvari 2006]: full observability, so ``observation`` names the state.
* POMCP [SV: Silver & Veness 2010]: a state is drawn from the belief for each simulation, and nodes
  are histories of own actions and observations.
* SO-ISMCTS [CPW: Cowling, Powley & Whitehouse 2012]: the problem has several ``players``, all moved
  by the tree, and ``availability=True``.  Nodes are information sets of player 0.

The compiled search (`mcts.simulation`) grows the same tree, bit by bit, for the same key, options
and number of simulations with one thread (`tests/mcts/test_reference.py`).  Both differ from the
papers as follows: a node lists its actions at its second visit, not at its first; statistics belong
to edges; returns are scaled to [0, 1] by the problem's ``low`` and ``high``.

``puct``, ``pruning`` and ``halving`` are `mcts.selection`'s.

Limits: the extensions there (widening, types of actions, in-flight treatments, several roll-outs
per leaf, kept trees, trees of several players) are omitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from mcts.kernel.rng import derive_key
from mcts.plain.chance import Chance
from mcts.plain.problem import Belief, Problem
from mcts.plain.values import number

History = tuple[Any, ...]
"""Player 0's information: own actions and observations since the root; `h` of [SV, s. 3.1]."""


@dataclass
class Edge:
    """An action at a node, with its statistics; `N(ha)` and `V(ha)` of [SV, s. 3.1]."""

    action: Any
    visits: int = 0
    total: float = 0.0
    """Sum of the scaled returns of the player who decides at the node."""
    available: int = 0
    """Visits of the node at which the action was legal; `n'` of [CPW]."""


@dataclass
class Node:
    """A history; ``edges`` are None until its actions are listed."""

    visits: int = 0
    edges: list[Edge] | None = None
    rolls: int = 0
    """Roll-outs from here ..."""
    rolled: float = 0.0
    """... and the sum of their scaled returns."""
    passed: float = 0.0
    """With ``pruning``, visits times value as passed up."""


@dataclass
class Reference:
    """The search of ``problem`` from ``belief``, by default from its start.

    ``exploration`` is c in mean + c sqrt(2 ln N / n), ``max_nodes`` the budget of nodes, after
    which the tree stops growing.  The others are those of `mcts.options.Options`.
    """

    problem: Problem
    exploration: float
    availability: bool = False
    max_nodes: int = 100_000
    puct: bool = False
    seen: bool = False
    """Whether the unit of exploration is what was seen."""
    rollout_share: float = 0.0
    pruning: float = 0.0
    halving: bool = False
    belief: Belief | None = None
    tree: dict[History, Node] = field(init=False)
    """Nodes by history, in the order of their creation; the root is ()."""

    def search(self, simulations: int, key: int) -> dict[History, Node]:
        """Return the tree after ``simulations`` [SV, alg. 1, SEARCH]; ``key`` names all chance.

        Simulation i draws from its own stream, named by ``key`` and i.
        """
        self.tree, self.budget = {(): Node()}, simulations
        self.greatest = self.below_one = 0.0
        for i in range(simulations):
            self.chance = Chance(int(derive_key(key, i)))
            belief = self.problem.start if self.belief is None else self.belief
            self.simulate(self.problem.draw(belief, self.chance))  # s ~ B(h) [SV, s. 3.2]
        return self.tree

    def simulate(self, state: Any) -> None:
        """Run one simulation: select, expand, roll out, backpropagate.

        [KS, fig. 1; SV, alg. 1, SIMULATE; CPW, alg. 1]
        """
        problem, history, over = self.problem, History(), False
        path: list[tuple[Node, Edge, int, float]] = []  # with player and reward
        while not over and history in self.tree:
            edge = self.visit(history, state)
            if edge is None:
                break
            player = self.mover(state)
            self.chance.seed(self.chance.word)  # as the kernel passes it on
            state, reward = problem.step_checked(state, edge.action, self.chance)
            path.append((self.tree[history], edge, player, reward))
            over = len(path) == problem.steps or problem.over(state)
            if not over:
                history = self.observe(history, state, player, edge.action)
                if len(self.tree) < self.max_nodes:
                    self.tree.setdefault(history, Node())  # at most one new node: a leaf follows
        value = 0.0 if over else self.roll_out(state, problem.steps - len(path))
        leaf = None if over else self.tree.get(history)
        returned = [value] if problem.players == 1 else self.pay(over, state)
        self.backpropagate(path, returned, leaf, self.mover(state) if leaf else 0)

    def visit(self, history: History, state: Any) -> Edge | None:
        """Count a visit, list the actions if due; return the edge to follow, None at a leaf."""
        node = self.tree[history]
        node.visits += 1
        if node.edges is None and (node.visits > 1 or not history):
            node.edges = [Edge(action) for action in self.problem.list_actions(state)]
        legal = [edge for edge in node.edges or () if not history or self.legal(state, edge.action)]
        if history == () and self.halving:
            return self.halve(legal)
        return self.select(node, legal, history == ()) if legal else None

    def legal(self, state: Any, action: Any) -> bool:
        """Return whether a listed action is legal in this state: "compatible with d" [CPW]."""
        return self.problem.available is None or bool(self.problem.available(state, action))

    def select(self, node: Node, edges: list[Edge], top: bool) -> Edge | None:
        """Return the first untried edge, else the one of the greatest upper confidence bound.

        UCB1 [KS, s. 2.2, eq. 1 and 2]: mean + c sqrt(2 ln N / n), N the visits of all available
        actions.  With ``availability`` N is how often this action was available before [CPW,
        subset-armed bandits].  Ties go to the action listed first.
        """
        if self.puct:
            return self.select_by_prior(node, edges, 0.0 if top else self.rollout_share)
        if self.availability:
            for edge in edges:
                edge.available += 1
        for edge in edges:
            if edge.visits == 0:
                return edge
        visits = sum(edge.visits for edge in edges)

        def bound(edge: Edge) -> float:
            n = edge.available - 1 if self.availability else visits
            width = 2.0 * math.log(max(n, 1))
            return edge.total / edge.visits + self.unit() * math.sqrt(width / edge.visits)

        return max(edges, key=bound)

    def unit(self) -> float:
        """Return c in scaled returns."""
        seen = max(self.greatest + self.below_one - 1.0, 0.0)
        return (seen if self.seen else 1.0) * self.exploration

    def select_by_prior(self, node: Node, edges: list[Edge], share: float) -> Edge | None:
        """Return the edge of the greatest mean + c P sqrt(N) / (1 + n), None for a roll-out.

        PUCT [Rosin 2011; Silver et al. 2017].  An untried action is worth what the node is.
        """
        rolls = node.rolls if share > 0.0 else 0
        c = self.unit() * math.sqrt(sum(edge.visits for edge in edges) + rolls)
        best, best_bound = None, -math.inf
        if rolls:
            best_bound = node.rolled / rolls + share * c / (1.0 + rolls)
        c *= (1.0 - share) / len(edges)
        for edge in edges:
            known = edge.total / edge.visits if edge.visits else self.value(node)[1]
            if known + c / (1.0 + edge.visits) > best_bound:
                best, best_bound = edge, known + c / (1.0 + edge.visits)
        return best

    def halve(self, edges: list[Edge]) -> Edge:
        """Return the root's edge that is due [Karnin, Koren & Somekh 2013].

        A round gives each action left as many visits; then the worse half is dropped.  Those
        dropped have fewer visits than are due.
        """
        left, due, done = len(edges), 0, sum(edge.visits for edge in edges)
        phase = self.budget // max(1, math.ceil(math.log2(left)))
        while done >= (each := max(1, phase // left)) * left:
            done, due, left = done - each * left, due + each, max(min(2, len(edges)), left // 2)
        due += done // left
        able = [edge for edge in edges if edge.visits <= due]
        return max(able, key=lambda edge: (edge.visits, edge.total / max(edge.visits, 1)))

    def value(self, node: Node) -> tuple[int, float]:
        """Return the visits of ``node``, and the mean over its arms that have enough of them."""
        arms = [(node.rolls, node.rolled), *((e.visits, e.total) for e in node.edges or ())]
        least = max(self.pruning * max(n for n, _ in arms), 1.0)
        known = sum(n for n, _ in arms if n >= least)
        total = 0.0
        for n, returned in arms:
            total += returned if n >= least else 0.0
        return sum(n for n, _ in arms), total / max(known, 1)

    def mover(self, state: Any) -> int:
        """Return the player to move."""
        return int(self.problem.mover(state)) if self.problem.mover else 0

    def observe(self, history: History, state: Any, player: int, action: Any) -> History:
        """Return `hao`, player 0's information after an action [SV, s. 3.1].

        Of another player's action it knows only its observation [CPW, partial observability].
        """
        see = self.problem.seen
        seen = number(see(state, 0) if see else self.problem.observation(state))
        return (*history, (number(action), seen)) if player == 0 else (*history, seen)

    def roll_out(self, state: Any, steps: int) -> float:
        """Play the roll-out policy to the end [SV, alg. 1, ROLLOUT]; return its return.

        With several players the return is paid at the end (`pay`).
        """
        problem, total, weight = self.problem, 0.0, 1.0
        self.chance.seed(self.chance.word)
        if problem.play_out is not None:
            state, steps = problem.play_out(state, self.chance), 0
        while steps > 0 and not problem.over(state):
            action = self.rollout_action(state)
            if action is None:
                break
            state, reward = problem.step_checked(state, action, self.chance)
            total, weight, steps = total + weight * reward, weight * problem.discount, steps - 1
        self.end = state
        return total

    def rollout_action(self, state: Any) -> Any:
        """Return the roll-out policy's action, by default a uniform legal one; None without any."""
        legal = [a for a in self.problem.list_actions(state) if self.legal(state, a)]
        if not legal or self.problem.rollout is None:
            return legal[self.chance.below(len(legal))] if legal else None
        return self.problem.rollout(state, self.chance)

    def pay(self, over: bool, state: Any) -> list[float]:
        """Return each player's payoff at the end, in the tree or of the roll-out."""
        end, payoff = state if over else self.end, cast(Callable, self.problem.payoff)
        return [float(payoff(end, player)) for player in range(self.problem.players)]

    def backpropagate(
        self, path: list, payoffs: list[float], leaf: Node | None, mover: int
    ) -> None:
        """Add to each edge followed the scaled return from there on [SV, alg. 1].

        With one player R = r + gamma R; with several each edge gets its player's payoff [CPW].
        With ``pruning`` R is by how much a node's visits times its value grew.
        """
        problem, value = self.problem, payoffs[0]
        if leaf:
            leaf.rolls, leaf.rolled = leaf.rolls + 1, leaf.rolled + self.scale(payoffs[mover])
            value = self.settle(leaf, value)
        for node, edge, player, reward in reversed(path):
            value = reward + problem.discount * value if problem.players == 1 else payoffs[player]
            edge.visits += 1
            edge.total += self.scale(value)
            mean = edge.total / edge.visits
            self.greatest = max(self.greatest, mean)
            self.below_one = max(self.below_one, 1.0 - mean)
            value = self.settle(node, value)

    def settle(self, node: Node, value: float) -> float:
        """Return what ``node`` passes up: ``value``, or with ``pruning`` its growth."""
        if not self.pruning:
            return value
        visits, scaled = self.value(node)
        span, before = self.problem.high - self.problem.low, node.passed
        node.passed += (change := visits * (self.problem.low + span * scaled) - before)
        return change

    def scale(self, value: float) -> float:
        """Return a return in units of the problem's range."""
        return (value - self.problem.low) / (self.problem.high - self.problem.low)


def best(tree: dict[History, Node]) -> Any:
    """Return the root's most visited action (ties: the higher mean, then the first listed)."""
    edges = tree[()].edges or []
    return max(edges, key=lambda edge: (edge.visits, edge.total / max(edge.visits, 1))).action
