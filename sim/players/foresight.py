"""Value of suggestions some steps ahead: bits about the envelope less a price for turns.

The value of a posterior b with n suggestions left, from the pawn's spot [Xu 2013, s. IV: a treasure
hunt whose distances are expected turns; the recursion is ours, the draft has none]:

    V(b, 0) = 0,    V(b, n) = max over (room, trio) of E[H(b) - H(b') + V(b', n - 1)] - price * T

H is the entropy of the envelope in bits, T the expected turns until the trio can be suggested, b'
the posterior after an answer; the value is 0 once an accusation reaches the threshold.  Only the
trios with the highest information by the closed form on the exact marginals are evaluated.  The
last step counts the information about the three named cards (`belief.information.mutual`), slightly
less than the whole drop.

Ignored: other players' suggestions, moved pawns, and blocked paths.  No function consumes
randomness.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from belief.evidence import Evidence, EvidenceFull, lowest, new_evidence, note_card, note_pass
from belief.exact import solver
from belief.exact.answers import ANSWERS, predict_named
from belief.exact.envelope import envelope_table
from belief.information import closed_form, entropy, mutual
from mcts.kernel.compile import jit
from sim.board import MAX_ROLL, N_ROOMS, N_SPOTS
from sim.cards import FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.policies.common import turns_to
from sim.rules import Rules, world
from sim.state import State, World

NEVER = np.inf
"""Turns to an excluded room."""

ENVELOPE, ROOM = 7, 4
"""Target of the information: all hidden cards, or only the room card; bits by category."""

CERTAIN = 1.0 - 1e-9

_ALIKE = 1e-9
"""Trios in one room whose values differ by less are equivalent; only one is evaluated."""

_PAIRS = 36


@jit
def turns_now(world: World, s: State, seat: int, turns: np.ndarray) -> None:
    """Fill ``turns`` (9,) with the expected turns of ``seat``, this one included, to each room.

    For the start of its turn, with the roll known.
    """
    turns_later(world, s.spot[seat], turns)
    here = world.room_of[s.spot[seat]]
    for room in range(N_ROOMS):
        if room != here and not (here >= 0 and world.passage[here] == room):
            turns[room] = turns_to(world, s, seat, room)
    if here >= 0 and s.summoned[seat]:
        turns[here] = 1.0


@jit
def turns_later(world: World, spot: int, turns: np.ndarray) -> None:
    """Fill ``turns`` (9,) with the expected turns from ``spot`` to a suggestion in each room.

    Before the roll.  The pawn re-enters its own room by stepping out, under free movement.
    """
    here = world.room_of[spot]
    for room in range(N_ROOMS):
        if room == here:
            turns[room] = 2.0 if world.free else NEVER
        elif here >= 0 and world.passage[here] == room:
            turns[room] = 1.0
        else:
            turns[room] = world.turns[world.steps[room, spot]]


@cache
def arrivals(rules: Rules) -> np.ndarray:
    """Return the spot at which a walk from each spot enters each room, (9 rooms, spots)."""
    board = world(rules)[0]
    reached = np.empty((N_ROOMS, N_SPOTS), np.int64)
    for room, spot in np.ndindex(reached.shape):
        at, here = spot, board.room_of[spot]
        if rules.doors == "any" and here >= 0:
            doors = np.flatnonzero(board.room_of == here)
            at = doors[np.argmin(board.distance[room, doors])]
        while board.room_of[at] != room:
            at = board.landing[0, room, at, MAX_ROLL]
        reached[room, spot] = at
    return reached


@jit
def _insert(cards: np.ndarray, values: np.ndarray, found: int, named: int, value: float) -> int:
    """Insert a suggestion into the sorted list, unless equivalent to one; return the length."""
    if found == len(cards) and value <= values[found - 1]:
        return found
    for i in range(found):
        if abs(values[i] - value) < _ALIKE and cards[i] >> FIRST_ROOM == named >> FIRST_ROOM:
            return found
    at = found if found < len(cards) else found - 1
    while at > 0 and values[at - 1] < value:
        values[at], cards[at] = values[at - 1], cards[at - 1]
        at -= 1
    values[at], cards[at] = value, named
    return min(found + 1, len(cards))


@jit
def best_suggestions(
    ev: Evidence,
    work,
    turns: np.ndarray,
    price: float,
    about: int,
    joint: np.ndarray,
    cards: np.ndarray,
    values: np.ndarray,
) -> int:
    """Find the suggestions with the most bits less ``price`` per turn; return their number.

    Parameters
    ----------
    ev, work : evidence of the seat, and a workspace solved for it
    turns : (9,) expected turns to each room, `NEVER` excludes
    about : `ENVELOPE` or `ROOM`
    joint : (19, 8) scratch
    cards, values : (n,) overwritten, best first: masks of the named cards, and their values
    """
    found = 0
    for room in range(N_ROOMS):
        if turns[room] == NEVER:
            continue
        for pair in range(_PAIRS):
            suspect, weapon = pair // 6, FIRST_WEAPON + pair % 6
            named = 1 << suspect | 1 << weapon | 1 << (FIRST_ROOM + room)
            if about == ENVELOPE:
                bits = closed_form(work.marginals, ev.seat, suspect, weapon, FIRST_ROOM + room)
            else:
                predict_named(ev, work, named, about, joint)
                bits = mutual(joint)
            found = _insert(cards, values, found, named, bits - price * turns[room])
    if about == ENVELOPE:  # re-rank the best by the exact information about the named cards
        for i in range(found):
            named = cards[i]
            predict_named(ev, work, named, about, joint)
            value = mutual(joint) - price * turns[lowest(named >> FIRST_ROOM)]
            at = i
            while at > 0 and values[at - 1] < value:
                values[at], cards[at] = values[at - 1], cards[at - 1]
                at -= 1
            values[at], cards[at] = value, named
    return found


@jit
def _hear(ev: Evidence, cards: int, answer: int) -> None:
    """Record ``answer``, a row of `predict_named`, to the observer's suggestion ``cards``."""
    player = ev.seat
    for _ in range(ev.players - 1):
        player = (player + 1) % ev.players
        if answer // 3 == player and answer < ANSWERS - 1:
            rest = cards
            for _ in range(answer % 3):
                rest &= rest - 1
            note_card(ev, player, lowest(rest), cards)
            return
        note_pass(ev, player, cards)


@jit
def _remaining(work, about: int, table: np.ndarray, flat: np.ndarray) -> tuple[float, float]:
    """Return the entropy of a solved posterior, and the probability of the likeliest envelope.

    ``table`` (6, 6, 9) and ``flat`` are scratch on the same memory.
    """
    envelope_table(work, table)
    most = 0.0
    for p in flat:
        most = max(most, p)
    if about == ENVELOPE:
        return entropy(flat), most
    return entropy(work.marginals[FIRST_ROOM:N_CARDS, 0]), most


class Foresight:
    """The recursion, for one seat of one game.

    Parameters
    ----------
    rules, seat : rules of the game, and the seat
    price : price of an expected turn, in bits
    candidates : number of suggestions evaluated at each step
    about : `ENVELOPE` or `ROOM`
    same_room : whether it may suggest in the same room twice in a row
    threshold : probability of the likeliest envelope from which the value is 0
    """

    def __init__(
        self,
        rules: Rules,
        seat: int,
        price: float,
        candidates: int,
        about: int,
        same_room: bool,
        threshold: float,
    ) -> None:
        self._board, self._arrivals = world(rules)[0], arrivals(rules)
        self._start = None if rules.board else int(self._board.start[seat])
        self._price, self._candidates, self._about = price, candidates, about
        self._same_room, self._threshold = same_room, min(threshold, CERTAIN)
        self.work = solver.workspace()
        self._joint, table = np.zeros((ANSWERS, 8)), np.zeros((6, 6, 9))
        self._tables = table, table.reshape(-1)

    def solve(self, facts: Evidence) -> None:
        """Solve the posterior of ``facts`` in `work`, for `choose` and other readers.

        Raises belief.evidence.ContradictoryEvidence if no deal explains them,
        belief.evidence.EvidenceFull if the posterior does not fit into memory.
        """
        if not solver.solve(facts, self.work):
            exact = solver.ExactPosterior(facts, self.work)
            if exact.parts > 1:
                raise EvidenceFull("the posterior is too wide for a search ahead")
            self.work = exact.work

    def choose(self, facts: Evidence, turns: np.ndarray, spot: int, horizon: int) -> int:
        """Return the mask of the best suggestion for the next ``horizon`` suggestions.

        `work` must be solved for ``facts``, and is overwritten; ``turns`` (9,): expected turns from
        the pawn's ``spot`` to each room.
        """
        return self._best(facts, turns, spot, horizon)[0]

    def _best(self, facts: Evidence, turns: np.ndarray, spot: int, steps: int) -> tuple[int, float]:
        """Return the best suggestion and its value; `work` must be solved for ``facts``."""
        cards, values = np.zeros(self._candidates, np.int64), np.zeros(self._candidates)
        found = best_suggestions(
            facts, self.work, turns, self._price, self._about, self._joint, cards, values
        )
        if steps == 1:
            return int(cards[0]), float(values[0])
        before = _remaining(self.work, self._about, *self._tables)[0]
        answers = []
        for named in cards[:found].tolist():
            predict_named(facts, self.work, named, ENVELOPE, self._joint)
            answers.append(self._joint.sum(axis=1))
        best, most = 0, -np.inf
        for named, chances in zip(cards[:found].tolist(), answers, strict=True):
            room = (named >> FIRST_ROOM).bit_length() - 1
            value = before - self._price * turns[room]
            for answer in np.flatnonzero(chances > 0.0).tolist():
                value -= chances[answer] * self._after(facts, named, answer, room, spot, steps - 1)
            if value > most:
                best, most = named, value
        return best, most

    def _after(
        self, facts: Evidence, named: int, answer: int, room: int, spot: int, steps: int
    ) -> float:
        """Return the entropy after an answer, less the value of ``steps`` more suggestions."""
        heard = new_evidence()
        heard[0] = facts
        _hear(heard[0], named, answer)
        if not solver.solve(heard[0], self.work):  # no memory for another step
            return 0.0
        bits, most = _remaining(self.work, self._about, *self._tables)
        if most >= self._threshold:
            return bits
        there = self._arrivals[room, spot] if self._start is None else self._start
        turns = np.empty(N_ROOMS)
        turns_later(self._board, there, turns)
        self.bar(turns, room)
        return bits - self._best(heard[0], turns, there, steps)[1]

    def bar(self, turns: np.ndarray, last: int) -> None:
        """Exclude the room ``last`` (-1 for none) from ``turns`` unless `same_room`."""
        if last >= 0 and not self._same_room:
            turns[last] = NEVER
