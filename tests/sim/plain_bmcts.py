"""BMCTS and LD-BMCTS by the text of [Ledford 2018] in plain Python: no Numba, no search code.

It reads as the thesis does, and takes from the project the game (rules, Heuristic players, what a
seat learns from an answer) and the streams of chance alone.  `tests/sim/test_plain_bmcts.py` has it
grow the same tree, bit by bit, as the kernel does for the presets `bmcts_faithful` and
`ld_bmcts_faithful`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import add, mul
from typing import Any

import numpy as np

from belief import matrix
from mcts.kernel.rng import draw, fold, new_stream, uniform
from sim.game import apply, decider, open_decision, stops
from sim.planning.belief_mdp import RESTRICTED
from sim.policies.table import choose
from sim.state import ACCUSE, ASK, OVER, PASSAGE, REVEAL, SUGGEST, TURN

KINDS = (range(6), range(6, 12), range(12, 21))
"""The cards that are suspects, weapons, rooms."""


def add_one(values: Iterable[float]) -> float:
    """Return the sum, rounded after each addition, which `sum` is not from Python 3.12 on."""
    return reduce(add, values)


@dataclass
class Edge:
    """An action at a node, with b(accused) for an accusation, and what came of it."""

    action: int
    chance: float = 0.0
    visits: int = 0
    total: float = 0.0


@dataclass
class Node:
    """A belief state, reached from ``parent`` by an action and an observation."""

    parent: tuple[int, int] | None = None
    visits: int = 0
    edges: list[Edge] | None = None
    children: dict[tuple, int] = field(default_factory=dict)


class PlainBMCTS:
    """The search of the position ``p``, a `sim.planning.cluedo.Cluedo`, read as data alone."""

    def __init__(self, p: Any, exploration: float) -> None:
        self.p, self.seat, self.world, self.c = p, p.seat, p.world[0], exploration
        self.players = int(self.world.players)
        self.nodes = [Node()]

    def search(self, simulations: int, key: int) -> list[Node]:
        """Return the tree, its nodes in the order of their making."""
        for number in range(simulations):
            self.stream = new_stream(fold(np.uint64(key), number))
            self.start()
            path = self.descend()
            self.backpropagate(path, 0.0 if self.s.phase == OVER else self.roll_out())
        return self.nodes

    def start(self) -> None:
        """Begin at the root: our belief in every seat, with our hand spread out [s. 3.4, 3.5]."""
        s = self.s = self.p.root.copy()[0]
        s.key, s.envelope = draw(self.stream), 0
        for other in set(range(self.players)) - {self.seat}:
            s.hand[other] = 0
            s.known[other], s.goal[other], s.bits[other] = s.face_up, -1, -1.0
            matrix.start(s.belief[other], self.players, other, 0, s.face_up)
            for card in range(21):
                if not s.hand[self.seat] >> card & 1:
                    s.belief[other, card] = s.belief[self.seat, card]
        if self.p.answers == RESTRICTED:
            deal = self.p.deals[int(draw(self.stream)) % len(self.p.deals)]
            s.envelope = sum(1 << int(card) for card in np.flatnonzero(deal == 0))
            for seat in range(self.players):
                matrix.note_pass(s.belief[seat], seat, s.envelope)

    def descend(self) -> list[tuple[Edge, float]]:
        """Select down to a leaf and expand it; return the edges followed, and their rewards."""
        at, path = 0, []
        while True:
            node = self.nodes[at]
            node.visits += 1
            if node.edges is None and (node.visits > 1 or at == 0):
                node.edges = self.actions()
            if node.edges is None:
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
        """Return the first edge not tried, else the greatest by UCT [eq. 2.8]."""
        fresh = [edge for edge in edges if edge.visits == 0]
        if fresh:
            return fresh[0]
        width = 2.0 * math.log(float(sum(edge.visits for edge in edges)))
        return max(edges, key=lambda e: e.total / e.visits + self.c * math.sqrt(width / e.visits))

    def actions(self) -> list[Edge]:
        """Return A(b): rooms, passage, suggestions, and the likeliest envelope first or second."""
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

    def step(self, edge: Edge) -> float:
        """Do an action and let the opponents play; return rho(b) if it accuses [eq. 2.11]."""
        s = self.s
        s.events = 0
        if ACCUSE <= edge.action < REVEAL:
            s.phase = OVER
            return edge.chance
        if edge.action < PASSAGE:
            s.goal[self.seat] = edge.action
        self.transition(edge.action)
        self.play_on()
        return 0.0

    def play_on(self) -> None:
        """Let the policies play until the searching seat decides, or the game is over."""
        while self.s.phase != OVER and not stops(self.s):
            open_decision(self.s)
            self.transition(choose(self.world, self.s, decider(self.s)))

    def transition(self, action: int) -> None:
        """Draw o from P(o | a, b); all beliefs take it in: P(b' | a, b, o) [eq. 2.10, 3.1]."""
        if ACCUSE <= action < REVEAL:
            self.s.winner, self.s.phase = self.s.seat, OVER
            return
        if PASSAGE < action < ACCUSE:
            self.draw_answer(action - ASK)
        apply(self.world, self.s, action)

    def draw_answer(self, pair: int) -> None:
        """Ask the players in turn: a card is held as b says, given that it was passed on so far."""
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
        """Return the matrix that says who holds what: the propagated belief."""
        return self.s.belief[self.seat]

    def observation(self) -> tuple:
        """Return what was seen, the places of all pawns included [s. 2.3, app. A]."""
        s = self.s
        seen = [s.phase, s.roll, s.known[self.seat]]
        for seat in range(self.players):
            seen += [s.spot[seat], s.out[seat], s.summoned[seat]]
        for asker, cards, answerer, card in s.event[: s.events].tolist():
            seen += [asker, cards, answerer, card if self.seat in (asker, answerer) else -1]
        return tuple(map(int, seen))

    def roll_out(self) -> float:
        """Let policies play all seats to the end; return what b makes of an own accusation."""
        s = self.s
        s.recording, s.events = 0, 0
        s.policy[: self.players] = self.p.policies[0, : self.players]
        self.play_on()
        return self.reward() if s.winner == self.seat else 0.0

    def reward(self) -> float:
        """Return rho(b) = sum_s b(s) R(s) of accusing the likeliest envelope [eq. 2.11]."""
        b = self.s.belief[self.seat, :, 0].tolist()
        x, y, z = max(self.unheard(), key=lambda trio: b[trio[0]] * b[trio[1]] * b[trio[2]])
        return self.chance((x, y, z)) / self.rest() if b[x] * b[y] * b[z] else 0.0

    def unheard(self) -> list[tuple[int, ...]]:
        """Return the envelopes that nobody accused aloud."""
        heard = self.s.heard.tolist()
        return [trio for trio in product(*KINDS) if sum(1 << card for card in trio) not in heard]

    def chance(self, trio: Iterable[int]) -> float:
        """Return b(envelope = trio), the categories taken as independent."""
        b = self.s.belief[self.seat, :, 0].tolist()
        totals = (add_one(b[card] for card in kind) or 1.0 for kind in KINDS)
        return reduce(mul, [b[card] / total for card, total in zip(trio, totals, strict=True)])

    def rest(self) -> float:
        """Return b of all that nobody accused aloud."""
        heard = {*product(*KINDS)}.difference(self.unheard())
        return 1.0 - add_one([0.0, *map(self.chance, sorted(heard))])

    def backpropagate(self, path: list[tuple[Edge, float]], value: float) -> None:
        """Add the return from each edge on, undiscounted, to its statistics."""
        for edge, reward in reversed(path):
            value = reward + value
            edge.visits += 1
            edge.total += value
