"""A short proof of a certain mark in a notebook: observations of its seat that suffice.

Facts are dropped one by one while the rest proves the mark, by the closure or the exact posterior.
The own hand and the face-up cards are facts like the answers: all start as unknown, so that a proof
names each that it needs.  No fact of the result can be dropped, unless `MOST_SOLVES` ends the
search early; a proof with fewer facts may exist.

Like the notebook it is computed from a `Knowledge`, so that nothing else can enter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import or_
from typing import Any

import numpy as np

from belief.closure import new_known, update_closure
from belief.events import NOT_ENVELOPE, PASSED, REFUTED_OTHER, REFUTED_US, check_events, record
from belief.evidence import ALL_CARDS, CATEGORY_MASK, MAX_PLAYERS, EvidenceFull, new_evidence
from belief.exact.solver import ExactPosterior
from belief.exact.workspace import FIRST_STATES, workspace
from experiments.web.analysis.notebook import NO, YES, Knowledge, round_chance
from sim.cards import CARDS, N_CARDS
from sim.cards import cards_of as names
from sim.suggestion_events import suggestion_events

MOST_SOLVES = 200
"""Maximum number of posteriors computed per proof."""

MOST_OBSERVATIONS = 8
"""Maximum number of observations in a shown proof."""

ORDERS = 12
"""Number of orders in which facts are dropped if the closure proves the mark; the shortest wins."""

OWN, NOT_OWN, FACE_UP, NOT_FACE_UP = "own", "not_own", "face_up", "not_face_up"
SHOWN, ANSWERED, PASSES, ACCUSES = "shown", "answered", "passes", "accuses"
_KINDS = {PASSED: PASSES, REFUTED_OTHER: ANSWERED, REFUTED_US: SHOWN, NOT_ENVELOPE: ACCUSES}
_FIRST_DROPPED = (ANSWERED, ACCUSES, PASSES, SHOWN, OWN, NOT_OWN, FACE_UP, NOT_FACE_UP)
"""Order of dropping, so that facts that are easy to see remain."""

_OUTSIDE = -1
"""The seat of an observer without cards, to whom each own card is news."""


@dataclass(frozen=True)
class Fact:
    """An observation, of a kind of `_FIRST_DROPPED`."""

    kind: str
    row: tuple[int, int, int, int]  # of `belief.events`: kind, player, cards, card
    suggestion: int = -1  # number of the suggestion or accusation that it belongs to


def prove(knowledge: Knowledge, card: int, column: int, exact: bool) -> dict[str, Any] | None:
    """Return the proof whether ``column`` (0 the envelope, seat + 1) has ``card``.

    For JSON: ``holds`` is `YES` or `NO`; ``facts`` the observations, each with its ``kind``, its
    ``cards`` and, for a suggestion or an accusation, its ``turn``, the ``asker``, the seats ``by``
    and the ``card`` shown; ``sizes`` and ``shares``, how many cards each player holds and of which
    kind, or None if not needed; ``more``, the number of observations of a proof that is too long to
    show, or None.  None without certainty.  ``exact``: whether to use the exact posterior, which
    proves more than the closure.
    """
    prover = _Prover(knowledge, card, column, exact)
    facts = prover.find()
    if facts is None:
        return None
    too_long = _count_seen(facts) > MOST_OBSERVATIONS
    return {
        "holds": prover.holds,
        "facts": [] if too_long else list(_describe(knowledge, facts)),
        "sizes": list(knowledge.rules.hand_sizes) if prover.needs_sizes(facts) else None,
        "shares": knowledge.rules.shares if prover.needs_shares(facts) else None,
        "more": MOST_OBSERVATIONS if too_long else None,
    }


def _list_facts(knowledge: Knowledge) -> list[Fact]:
    """Return all observations of the seat, those to be dropped first at the front."""
    rules, seat = knowledge.rules, knowledge.seat
    facts = [*_list_hand(knowledge.hand, seat, OWN, NOT_OWN)]
    if knowledge.face_up is not None:
        if rules.players < MAX_PLAYERS:
            facts += _list_hand(knowledge.face_up, rules.players, FACE_UP, NOT_FACE_UP)
        rows, ends = suggestion_events(knowledge.suggestions, seat, rules.players)
        of = np.searchsorted(ends, np.arange(len(rows)), "right").tolist()
        facts += [
            Fact(_KINDS[row[0]], tuple(row), number)
            for row, number in zip(rows.tolist(), of, strict=True)
        ]
    facts.reverse()
    return sorted(facts, key=lambda fact: _FIRST_DROPPED.index(fact.kind))


def _list_hand(hand: int, player: int, held: str, lacked: str) -> Iterator[Fact]:
    """Yield for each card whether it is in the known ``hand`` of ``player``."""
    for card in range(N_CARDS):
        if hand >> card & 1:
            yield Fact(held, (REFUTED_US, player, 1 << card, card))
        else:
            yield Fact(lacked, (PASSED, player, 1 << card, -1))


class _Prover:
    """Proofs that ``column`` has, or lacks, ``card``.

    Attribute ``holds``: which of the two all knowledge proves, or None.
    """

    def __init__(self, knowledge: Knowledge, card: int, column: int, exact: bool) -> None:
        self._card, self._column, self._solves = card, column, MOST_SOLVES if exact else 0
        self._work = workspace(FIRST_STATES)
        self._facts = _list_facts(knowledge)
        self._start = _begin(knowledge)
        self.holds: str | None = None
        if knowledge.face_up is None:  # only the own cards are certain
            self._facts = [fact for fact in self._facts if fact.kind == OWN and fact.row[3] == card]
            self.holds = YES if self._facts and column == 1 + knowledge.seat else NO
        else:
            self.holds = self._close(self._facts) or self._solve(self._facts)

    def find(self) -> list[Fact] | None:
        """Return facts that prove the mark, none of them redundant; None if all facts do not."""
        if self.holds is None or len(self._facts) < 2:
            return self._facts if self.holds and self._facts else None
        if self._suffices(self._facts):
            draw = np.random.default_rng(0).permutation
            drawn = (draw(len(self._facts)) for _ in range(ORDERS - 1))
            orders = [self._facts, *([self._facts[at] for at in order] for order in drawn)]
            found = [_shorten(facts, self._suffices) for facts in orders]
            shortest = min(found, key=lambda facts: (_count_seen(facts), len(facts)))
            return _shorten(shortest, self._proves, 1)
        return _shorten(self._facts, self._proves)

    def needs_sizes(self, facts: Sequence[Fact]) -> bool:
        """Return whether ``facts`` prove nothing if hands may have any size."""
        rows, players = [fact.row for fact in facts], int(self._start["players"][0])
        return _propagate(rows, players, self._card, self._column) != self.holds

    def needs_shares(self, facts: Sequence[Fact]) -> bool:
        """Return whether the proof needs the number of cards of each kind in each hand."""
        if self._start["shares"][0, 0, 0] < 0:
            return False
        shares, self._start["shares"] = self._start["shares"].copy(), -1
        needed = not self._proves(facts)
        self._start["shares"] = shares
        return needed

    def _suffices(self, facts: Sequence[Fact]) -> bool:
        return self._close(facts) == self.holds

    def _proves(self, facts: Sequence[Fact]) -> bool:
        return self._suffices(facts) or self._solve(facts) == self.holds

    def _records(self, facts: Sequence[Fact]) -> np.ndarray:
        """Return the evidence of ``facts``."""
        records = self._start.copy()
        plain = records.view(np.ndarray)
        rows = np.array([fact.row for fact in facts], np.int64).reshape(-1, 4)
        record(plain, check_events(rows, plain))
        return records

    def _close(self, facts: Sequence[Fact]) -> str | None:
        """Return what the closure of ``facts`` proves, or None."""
        known = new_known()[0]
        update_closure(self._records(facts)[0], known)
        if known.has[self._column] >> self._card & 1:
            return YES
        return None if known.may[self._column] >> self._card & 1 else NO

    def _solve(self, facts: Sequence[Fact]) -> str | None:
        """Return what the posterior of ``facts`` proves, or None."""
        if not self._solves:
            return None
        self._solves -= 1
        try:
            posterior = ExactPosterior(self._records(facts)[0], self._work)
        except EvidenceFull:
            return None
        self._work = posterior.work
        chance = round_chance(float(posterior.marginals[self._card, self._column]))
        return {0.0: NO, 1.0: YES}.get(chance)


def _begin(knowledge: Knowledge) -> np.ndarray:
    """Return the evidence of an outsider: hand sizes, and face-up cards as the hand of one more."""
    rules, records, face_up = knowledge.rules, new_evidence(), knowledge.face_up or 0
    sizes, shares = list(rules.hand_sizes), list(rules.shares or ())
    if rules.players < MAX_PLAYERS:
        sizes.append(face_up.bit_count())
        shares.append(tuple((face_up & mask).bit_count() for mask in CATEGORY_MASK))
    else:
        records["face_up"] = records["lacks"] = face_up
    players = len(sizes)
    records["players"], records["seat"], records["own_card_weight"] = players, _OUTSIDE, 1.0
    records["hand_sizes"][0, :players] = sizes
    records["lacks"][0, players:] = ALL_CARDS
    records["shares"] = -1
    if rules.shares is not None:
        records["shares"][0, :players] = shares
    return records


def _shorten(
    facts: list[Fact], proves: Callable[[Sequence[Fact]], bool], max_dropped: int | None = None
) -> list[Fact]:
    """Return ``facts`` without redundant ones, dropping ``max_dropped`` at once, finally one."""
    size = max_dropped or max(1, len(facts) // 2)
    while True:
        at = 0
        while at < len(facts):
            fewer = facts[:at] + facts[at + size :]
            if proves(fewer):
                facts = fewer
            else:
                at += size
        if size == 1:
            return facts
        size //= 2


def _count_seen(facts: Sequence[Fact]) -> int:
    return sum(fact.suggestion >= 0 for fact in facts)


def _propagate(rows: Sequence[tuple[int, ...]], players: int, card: int, column: int) -> str | None:
    """Return what events imply for ``column`` and ``card`` if hands may have any size."""
    has, may = [0] * (players + 1), [ALL_CARDS] * (players + 1)
    clauses = [(0, mask) for mask in CATEGORY_MASK]
    wrong = {cards for kind, _, cards, _ in rows if kind == NOT_ENVELOPE}
    for kind, player, cards, shown in rows:
        if kind == PASSED:
            may[player + 1] &= ~cards
        elif kind == REFUTED_US:
            has[player + 1] |= 1 << shown
        elif kind == REFUTED_OTHER:
            clauses.append((player + 1, cards))
    for _ in range(2 * N_CARDS):  # each second round at least places a card
        for holder in range(players + 1):
            may[holder] &= ~sum(has) | has[holder]
        for mask in CATEGORY_MASK:
            may[0] &= has[0] | ~mask if has[0] & mask else ALL_CARDS
        may[0] &= _unite(may[0], wrong) if wrong else ALL_CARDS
        for one in range(N_CARDS):
            holders = [holder for holder in range(players + 1) if may[holder] >> one & 1]
            if len(holders) == 1:
                has[holders[0]] |= 1 << one
        for holder, cards in clauses:
            left = cards & may[holder]
            has[holder] |= left if left.bit_count() == 1 else 0
    return YES if has[column] >> card & 1 else None if may[column] >> card & 1 else NO


def _unite(may: int, wrong: Collection[int]) -> int:
    """Return the cards of the envelopes of ``may`` that are not in ``wrong`` (masks)."""
    open_ = (may & mask for mask in CATEGORY_MASK)
    kinds = ([1 << card for card in range(N_CARDS) if cards >> card & 1] for cards in open_)
    envelopes = map(sum, product(*kinds))
    return reduce(or_, (cards for cards in envelopes if cards not in wrong), 0)


def _describe(knowledge: Knowledge, facts: Sequence[Fact]) -> Iterator[dict[str, Any]]:
    """Yield the facts for JSON: open cards first, then suggestions by turn."""
    for kind in (OWN, NOT_OWN, FACE_UP, NOT_FACE_UP):
        cards = sum(fact.row[2] for fact in facts if fact.kind == kind)
        if cards:
            yield {"kind": kind, "cards": names(cards)}
    for number in sorted({fact.suggestion for fact in facts} - {-1}):
        for kind in (PASSES, ANSWERED, SHOWN, ACCUSES):
            rows = [fact.row for fact in facts if (fact.kind, fact.suggestion) == (kind, number)]
            if rows:
                shown = rows[0][3]
                yield {
                    "kind": kind,
                    "turn": knowledge.turns[number],
                    "asker": knowledge.suggestions[number][0],
                    "by": sorted(row[1] for row in rows),
                    "cards": names(rows[0][2]),
                    "card": CARDS[shown] if shown >= 0 else None,
                }
