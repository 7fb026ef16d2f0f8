"""BMCTS and LD-BMCTS of [Ledford 2018] in plain Python: read this file first.

It uses neither Numba nor the project's search, only its rules, Heuristic players, belief updates
(`sim.game.apply`) and random streams.  For the presets ``bmcts_faithful`` and
``ld_bmcts_faithful``, `mcts.simulation` with `sim.planning.belief_mdp` builds bit-identical trees
about 300 times as fast (`tests/sim/test_reference.py`).

    planner.begin(rules, seat, view, key)
    nodes = BMCTS(planner.position(view), exploration=1.0).search(simulations=1000, key=1)
    max(nodes[0].edges, key=lambda edge: edge.mean).action

A state of the MDP is a belief b (s. 2.5.1): the searching seat's matrix P(card is with holder) with
rows treated as independent (app. B).  An action a leads to b' with

    P(b' | b, a) = sum_o P(b' | a, b, o) P(o | a, b)          (eq. 2.10)

and the reward of an accusation is the probability of the accused envelope under b

    rho(b) = sum_s b(s) R(s)                                  (eq. 2.11)

The text leaves open: opponents accuse when certain, and count as right; a node gets its actions at
its second visit (the root at its first); the only offered accusation is the likeliest envelope.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import add, mul

import numpy as np

from belief import matrix
from mcts.kernel.rng import draw, fold, new_stream, uniform
from sim.game import apply, decider, open_decision, stops
from sim.planning.cluedo import Cluedo
from sim.planning.variants import LIGHTLY_DETERMINIZED
from sim.policies.registry import choose
from sim.state import ACCUSE, ASK, OVER, PASSAGE, REVEAL, SUGGEST, TURN

KINDS = (range(6), range(6, 12), range(12, 21))
"""Suspects, weapons and rooms."""


@dataclass
class Edge:
    """An action a at a node: visits n(b, a), and the sum of subsequent returns."""

    action: int
    chance: float = 0.0
    """b(accused) for an accusation, else 0."""
    visits: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """The estimate Q(b, a), a winning probability."""
        return self.total / self.visits


@dataclass
class Node:
    """A belief state, reached from ``parent`` (node number, action) by an observation."""

    parent: tuple[int, int] | None = None
    visits: int = 0
    edges: list[Edge] | None = None
    children: dict[tuple, int] = field(default_factory=dict)


class BMCTS:
    """A search of ``position``, which is only read.

    Attributes
    ----------
    c : the constant C of eq. 2.8
    nodes : the tree, in order of creation
    s : the simulated game: pawns, turn, and the matrices ``s.belief`` of all seats
    """

    def __init__(self, position: Cluedo, exploration: float) -> None:
        self.p, self.seat, self.world = position, position.seat, position.world[0]
        self.c = exploration
        self.players = int(self.world.players)
        self.nodes = [Node()]

    def search(self, simulations: int, key: int) -> list[Node]:
        """Return the tree after ``simulations``; simulation i draws from stream i of ``key``.

        Phases of s. 2.3: selection and expansion, roll-out, backpropagation.
        """
        for number in range(simulations):
            self.stream = new_stream(fold(np.uint64(key), number))
            self.start()
            path = self.descend()
            self.backpropagate(path, 0.0 if self.s.phase == OVER else self.roll_out())
        return self.nodes

    # The root: b in all seats [s. 3.4], an envelope for LD-BMCTS [s. 3.5].

    def start(self) -> None:
        """Reset the simulated game to the root."""
        s = self.s = self.p.root.copy()[0]
        s.key, s.envelope = draw(self.stream), 0
        for other in set(range(self.players)) - {self.seat}:
            # There are no hands.  Each opponent has a copy of our b with initial rows for our hand,
            # "spreading out the probability" [s. 3.4].
            s.hand[other] = 0
            s.known[other], s.goal[other], s.bits[other] = s.face_up, -1, -1.0
            matrix.start(s.belief[other], self.players, other, 0, s.face_up)
            for card in range(21):
                if not s.hand[self.seat] >> card & 1:
                    s.belief[other, card] = s.belief[self.seat, card]
        if self.p.answers == LIGHTLY_DETERMINIZED:
            # The envelope is drawn from the deals of the root.  Its cards are never shown, and each
            # agent knows "that they do not have any of the three" [s. 3.5].
            deal = self.p.deals[int(draw(self.stream)) % len(self.p.deals)]
            s.envelope = sum(1 << int(card) for card in np.flatnonzero(deal == 0))
            for seat in range(self.players):
                matrix.note_pass(s.belief[seat], seat, s.envelope)

    # Selection and expansion [s. 2.3].

    def descend(self) -> list[tuple[Edge, float]]:
        """Select down to a leaf and add it; return the path of edges with their rewards."""
        at, path = 0, []
        while True:
            node = self.nodes[at]
            node.visits += 1
            if node.edges is None and (node.visits > 1 or at == 0):
                node.edges = self.actions()
            if node.edges is None:  # a new node: start the roll-out
                return path
            edge = self.select(node.edges)
            path.append((edge, self.step(edge)))
            if self.s.phase == OVER:
                return path
            reached = (edge.action, *self.observation())
            if reached not in node.children:
                node.children[reached] = len(self.nodes)
                self.nodes.append(Node((at, edge.action)))
            at = node.children[reached]

    def select(self, edges: list[Edge]) -> Edge:
        """Return the first untried edge, else argmax of Q + C sqrt(2 ln N / n) [eq. 2.8].

        N sums the visits of the currently legal actions [s. 2.5.2].
        """
        fresh = [edge for edge in edges if edge.visits == 0]
        if fresh:
            return fresh[0]
        width = 2.0 * math.log(float(sum(edge.visits for edge in edges)))
        return max(edges, key=lambda e: e.mean + self.c * math.sqrt(width / e.visits))

    def actions(self) -> list[Edge]:
        """Return A(b): rooms, passage, suggestions, and the accusation of the likeliest envelope.

        The accusation comes first if its probability exceeds 1/2, else second.
        """
        s, here, found = self.s, self.world.room_of[self.s.spot[self.seat]], []
        if s.phase == TURN:
            found += [Edge(room) for room in range(9) if room != here]
            found += [Edge(PASSAGE)] if here >= 0 and self.world.passage[here] >= 0 else []
        if s.phase == SUGGEST or s.summoned[self.seat]:
            found += [Edge(ASK + pair) for pair in range(36)]
        if s.phase != SUGGEST:
            b = s.belief[self.seat, :, 0].tolist()
            scale = reduce(mul, [add_one(b[card] for card in kind) for kind in KINDS])
            scale *= self.rest()
            chances = {(x, y, z): b[x] * b[y] / scale * b[z] for x, y, z in self.unheard()}
            x, y, z = max(chances, key=chances.get)
            accusation = Edge(ACCUSE + 9 * (6 * x + y - 6) + z - 12, chances[x, y, z])
            found.insert(0 if accusation.chance > 0.5 else 1, accusation)
        return found

    def observation(self) -> tuple:
        """Return the observations since the last decision, all pawns included [s. 2.3, app. A]."""
        s = self.s
        seen = [s.phase, s.roll, s.known[self.seat]]
        for seat in range(self.players):
            seen += [s.spot[seat], s.out[seat], s.summoned[seat]]
        for asker, cards, answerer, card in s.event[: s.events].tolist():
            seen += [asker, cards, answerer, card if self.seat in (asker, answerer) else -1]
        return tuple(map(int, seen))

    # Transition: b' ~ P(b' | b, a) [eq. 2.10].

    def step(self, edge: Edge) -> float:
        """Apply an action, let the opponents play; return rho(b) of an accusation, else 0."""
        s = self.s
        s.events = 0
        if ACCUSE <= edge.action < REVEAL:
            s.phase = OVER
            return edge.chance  # rho(b) = b(accused) [eq. 2.11]
        if edge.action < PASSAGE:
            s.goal[self.seat] = edge.action
        self.transition(edge.action)
        self.play_on()
        return 0.0

    def play_on(self) -> None:
        """Run "three heuristic opponents" until we decide or the game is over [s. 3.4]."""
        while self.s.phase != OVER and not stops(self.s):
            open_decision(self.s)
            self.transition(choose(self.world, self.s, decider(self.s)))

    def transition(self, action: int) -> None:
        """Draw o ~ P(o | a, b); update all matrices, b' of P(b' | a, b, o) [eq. 2.10, 3.1]."""
        if ACCUSE <= action < REVEAL:
            self.s.winner, self.s.phase = self.s.seat, OVER
            return
        if PASSAGE < action < ACCUSE:
            self.draw_answer(action - ASK)
        apply(self.world, self.s, action)

    def draw_answer(self, pair: int) -> None:
        """Draw the holders of the three cards, player by player: o ~ P(o | a, b).

        A player holds a card with the probability of its row of b without the columns of players
        that passed before.  The first player with a card shows it.
        """
        s, b = self.s, self.answers_from().copy()
        cards = (pair // 6, 6 + pair % 6, 12 + int(self.world.room_of[s.spot[s.seat]]))
        for other in set(range(self.players)) - {self.seat}:
            s.hand[other] = 0
        for asked in ((s.seat + i) % self.players for i in range(1, self.players)):
            if asked != self.seat:
                for card in (card for card in cards if not s.envelope >> card & 1):
                    chance, total = b[card, asked + 1], add_one(b[card].tolist())
                    if chance > 0.0 and uniform(self.stream) * total < chance:
                        s.hand[asked] |= 1 << card
                    b[card, asked + 1] = 0.0
            if any(s.hand[asked] >> card & 1 for card in cards):
                return

    def answers_from(self) -> np.ndarray:
        """Return the matrix for drawing answers: the propagated b [s. 2.5.1]."""
        return self.s.belief[self.seat]

    # Roll-out and reward [s. 2.5.2].

    def roll_out(self) -> float:
        """Run policies in all seats to the end; return rho(b) if we accuse."""
        s = self.s
        s.recording, s.events = 0, 0
        s.policy[: self.players] = self.p.policies[0, : self.players]
        self.play_on()
        return self.reward() if s.winner == self.seat else 0.0

    def reward(self) -> float:
        """Return rho(b) of accusing the likeliest envelope [eq. 2.11]."""
        b = self.s.belief[self.seat, :, 0].tolist()
        x, y, z = max(self.unheard(), key=lambda trio: b[trio[0]] * b[trio[1]] * b[trio[2]])
        return self.chance((x, y, z)) / self.rest() if b[x] * b[y] * b[z] else 0.0

    def unheard(self) -> list[tuple[int, ...]]:
        """Return the envelopes without a heard accusation."""
        heard = self.s.heard.tolist()
        return [trio for trio in product(*KINDS) if sum(1 << card for card in trio) not in heard]

    def chance(self, trio: Iterable[int]) -> float:
        """Return b(envelope = trio): independent rows, column normalised by category."""
        b = self.s.belief[self.seat, :, 0].tolist()
        totals = (add_one(b[card] for card in kind) or 1.0 for kind in KINDS)
        return reduce(mul, [b[card] / total for card, total in zip(trio, totals, strict=True)])

    def rest(self) -> float:
        """Return b of all envelopes without a heard accusation."""
        heard = {*product(*KINDS)}.difference(self.unheard())
        return 1.0 - add_one([0.0, *map(self.chance, sorted(heard))])

    # Backpropagation [s. 2.3].

    def backpropagate(self, path: list[tuple[Edge, float]], value: float) -> None:
        """Add to each edge its return [eq. 2.2, 2.3; no discount in Cluedo]."""
        for edge, reward in reversed(path):
            value = reward + value
            edge.visits += 1
            edge.total += value


def add_one(values: Iterable[float]) -> float:
    """Return the sum with rounding after each addition, unlike `sum` since Python 3.12."""
    return reduce(add, values)
