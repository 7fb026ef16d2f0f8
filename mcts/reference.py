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


@dataclass
class Reference:
    """The search of ``problem`` from ``belief``, by default from its start.

    ``exploration`` is c in mean + c sqrt(2 ln N / n), ``max_nodes`` the budget of nodes, after
    which the tree stops growing.
    """

    problem: Problem
    exploration: float
    availability: bool = False
    max_nodes: int = 100_000
    belief: Belief | None = None
    tree: dict[History, Node] = field(init=False)
    """Nodes by history, in the order of their creation; the root is ()."""

    def search(self, simulations: int, key: int) -> dict[History, Node]:
        """Return the tree after ``simulations`` [SV, alg. 1, SEARCH]; ``key`` names all chance.

        Simulation i draws from its own stream, named by ``key`` and i.
        """
        self.tree = {(): Node()}
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
        path: list[tuple[Edge, int, float]] = []  # edges followed, with player and reward
        while not over and history in self.tree:
            edge = self.visit(history, state)
            if edge is None:
                break
            player = self.mover(state)
            self.chance.seed(self.chance.word)  # as the kernel passes it on
            state, reward = problem.step_checked(state, edge.action, self.chance)
            path.append((edge, player, reward))
            over = len(path) == problem.steps or problem.over(state)
            if not over:
                history = self.observe(history, state, player, edge.action)
                if len(self.tree) < self.max_nodes:
                    self.tree.setdefault(history, Node())  # at most one new node: a leaf follows
        value = 0.0 if over else self.roll_out(state, problem.steps - len(path))
        self.backpropagate(path, value if problem.players == 1 else self.pay(over, state))

    def visit(self, history: History, state: Any) -> Edge | None:
        """Count a visit, list the actions if due; return the edge to follow, None at a leaf."""
        node = self.tree[history]
        node.visits += 1
        if node.edges is None and (node.visits > 1 or not history):
            node.edges = [Edge(action) for action in self.problem.list_actions(state)]
        legal = [edge for edge in node.edges or () if not history or self.legal(state, edge.action)]
        return self.select(legal) if legal else None

    def legal(self, state: Any, action: Any) -> bool:
        """Return whether a listed action is legal in this state: "compatible with d" [CPW]."""
        return self.problem.available is None or bool(self.problem.available(state, action))

    def select(self, edges: list[Edge]) -> Edge:
        """Return the first untried edge, else the one of the greatest upper confidence bound.

        UCB1 [KS, s. 2.2, eq. 1 and 2]: mean + c sqrt(2 ln N / n), N the visits of all available
        actions.  With ``availability`` N is how often this action was available before [CPW,
        subset-armed bandits].  Ties go to the action listed first.
        """
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
            return edge.total / edge.visits + self.exploration * math.sqrt(width / edge.visits)

        return max(edges, key=bound)

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

    def backpropagate(self, path: list[tuple[Edge, int, float]], value: Any) -> None:
        """Add to each edge followed the scaled return from there on [SV, alg. 1].

        With one player ``value`` is that of the leaf, and R = r + gamma R; with several each edge
        gets its player's payoff [CPW].
        """
        problem = self.problem
        for edge, player, reward in reversed(path):
            if problem.players == 1:
                value = reward + problem.discount * value
            returned = value if problem.players == 1 else value[player]
            edge.visits += 1
            edge.total += (returned - problem.low) / (problem.high - problem.low)


def best(tree: dict[History, Node]) -> Any:
    """Return the root's most visited action (ties: the higher mean, then the first listed)."""
    edges = tree[()].edges or []
    return max(edges, key=lambda edge: (edge.visits, edge.total / max(edge.visits, 1))).action
