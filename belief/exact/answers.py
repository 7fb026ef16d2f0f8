"""Predicted answers to a suggestion, under a solved exact posterior.

Who answers, and with which card, depends on who holds the three named cards.  `joint_holders` reads
their joint distribution from the links that `belief.exact.forward_backward` has kept: it carries
the path weights from card to card, with the previous cards fixed to one holder after another.  The
rest is sums over its at most 343 entries.  It overwrites the scratch ``work.value`` and
``plan.joint``, and reads the rest of ``work``: one thread per workspace.

Players answer in turn from the asker on, including those who have accused wrongly; they choose the
card to show by ``ev.showing``.  Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import HOLDERS, LEAST_INFORMATIVE, MAX_PLAYERS, Evidence, count, lowest
from belief.exact.envelope import carry
from mcts.kernel.compile import jit

ANSWERS = 3 * MAX_PLAYERS + 1
"""Answers to a suggestion: one of three cards from one of six players, or no answer."""


@jit
def _reach(work, at: int, card: int) -> int:
    """Carry ``work.value`` from layer ``at`` to that of ``card``; return it (``at`` if known)."""
    plan = work.plan[0]
    if not plan.open >> card & 1:
        return at
    carry(work, at, plan.layer_of[card], -1, -1, -1)
    return plan.layer_of[card]


@jit
def _give(work, at: int, card: int, holder: int) -> int:
    """Carry ``work.value`` on with ``card`` at ``holder``; return the layer, or -1."""
    plan = work.plan[0]
    if not plan.open >> card & 1:
        # A face-up card is with no player, like one in the envelope.
        return at if holder == max(plan.settled[card], 0) else -1
    if work.marginals[card, holder] == 0.0:
        return -1
    carry(work, at, at + 1, card, holder, -1)
    return at + 1


@jit
def joint_holders(work, cards: int) -> None:
    """Fill ``plan.joint`` (7, 7, 7) with P(holders of the suspect, the weapon, the room).

    ``cards`` is a mask of one each; 0 is no player, p + 1 player p.
    """
    plan = work.plan[0]
    suspect = lowest(cards)
    cards &= cards - 1
    weapon, room = lowest(cards), lowest(cards & (cards - 1))
    for a in range(HOLDERS):
        for b in range(HOLDERS):
            for c in range(HOLDERS):
                plan.joint[a, b, c] = 0.0
    work.value[1] = 1.0
    # Layers are in the order of the categories.
    first = _reach(work, 0, suspect)
    for a in range(HOLDERS):
        behind = _give(work, first, suspect, a)
        if behind < 0:
            continue
        second = _reach(work, behind, weapon)
        for b in range(HOLDERS):
            behind = _give(work, second, weapon, b)
            if behind < 0:
                continue
            third = _reach(work, behind, room)
            for c in range(HOLDERS):
                behind = _give(work, third, room, c)
                if behind < 0:
                    continue
                weight = 0.0
                for state in range(plan.state_from[behind], plan.state_from[behind + 1]):
                    weight += work.value[state] * work.backward[state]
                plan.joint[a, b, c] = weight / plan.total


@jit
def _answering(ev: Evidence, a: int, b: int, c: int) -> tuple[int, int]:
    """Return the answerer to the observer if the named cards are at ``a``, ``b``, ``c``, and those
    that it holds, as bits 0 to 2; none without an answerer."""
    player, held = ev.seat, 0
    for _ in range(ev.players - 1):
        player = (player + 1) % ev.players
        held = (
            np.int64(a == player + 1)
            | np.int64(b == player + 1) << 1
            | np.int64(c == player + 1) << 2
        )
        if held:
            break
    return player, held


@jit
def _may_show(ev: Evidence, player: int, held: int, cards: int) -> int:
    """Return the held cards that ``player`` may show, each equally likely."""
    if ev.showing != LEAST_INFORMATIVE:
        return held
    before = _among(ev.seen_from[player], cards)
    return held & before if held & before else held


@jit
def predict_named(ev: Evidence, work, cards: int, about: int, joint: np.ndarray) -> None:
    """Compute the joint distribution of the answer to our suggestion ``cards`` and the envelope.

    ``work`` is solved for ``ev``; ``cards`` is a mask.  Fills ``joint`` (float64 (19, 8)): row 3 p
    + i, player p shows the i-th card, the last row without an answer; column: which of the three
    are in the envelope, as bits 0 to 2, only for cards in ``about``.
    """
    plan = work.plan[0]
    joint_holders(work, cards)
    for row in range(ANSWERS):
        for column in range(8):
            joint[row, column] = 0.0
    about &= ~_among(ev.face_up, cards)  # a face-up card is with no player either
    for a in range(HOLDERS):
        for b in range(HOLDERS):
            for c in range(HOLDERS):
                chance = plan.joint[a, b, c]
                if chance == 0.0:
                    continue
                column = np.int64(a == 0) | np.int64(b == 0) << 1 | np.int64(c == 0) << 2
                column &= about
                player, held = _answering(ev, a, b, c)
                if not held:
                    joint[ANSWERS - 1, column] += chance
                    continue
                held = _may_show(ev, player, held, cards)
                chance /= count(held)
                for i in range(3):
                    if held >> i & 1:
                        joint[3 * player + i, column] += chance


@jit
def _among(some: int, cards: int) -> int:
    """Return which of the three ``cards`` are in ``some``, as bits 0 to 2."""
    found = 0
    for i in range(3):
        if some & cards & -cards:
            found |= 1 << i
        cards &= cards - 1
    return found
