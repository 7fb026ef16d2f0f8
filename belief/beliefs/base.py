"""Interface of beliefs: one observer's distribution over who holds which card.

A `Belief` is made from a `Setting` -- the observer's knowledge when the cards are dealt -- and fed
with events (`belief.events`).  It answers with matrices (21 cards, 7 columns: 0 the envelope, p + 1
player p), with the joint table of the envelope (6 suspects, 6 weapons, 9 rooms) and with whole
deals, int64 (21,) of 0 envelope, p + 1 player, -1 face up.  All entropies are in bits.

To add a belief: subclass, give it a `name`, and run `belief.contract.testing.check_belief` on it.

A belief that has raised is invalid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from belief.events import (
    KIND,
    NAMED,
    NOT_ENVELOPE,
    PASSED,
    REFUTED_OTHER,
    REFUTED_US,
    check_events,
    event,
    in_words,
    record,
)
from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    CATEGORY_START,
    ENVELOPE,
    LEAST_INFORMATIVE,
    MAX_PLAYERS,
    N_CARDS,
    N_CATEGORIES,
    UNIFORM,
    ContradictoryEvidence,
    lowest,
    new_evidence,
    reset,
)
from belief.exact.solver import ExactPosterior
from belief.information import entropy
from mcts.kernel.errors import SleuthError

_CATEGORIES = tuple(zip(CATEGORY_MASK, CATEGORY_START, strict=False))


@dataclass(frozen=True)
class Setting:
    """Knowledge of an observer before the first question.

    Raises ValueError if the numbers do not fit together.

    Parameters
    ----------
    players : their number, 3 to 6
    seat : of the observer, 0 .. players - 1
    hand_sizes : cards of each player
    hand, face_up : masks of the observer's cards, and of the cards without a holder
    shares : cards of each category (suspects, weapons, rooms) of every player, one tuple of three
        each, if the rules make them public
    showing : how an answerer chooses among the cards it could show: `evidence.UNIFORM` or
        `evidence.LEAST_INFORMATIVE`
    """

    players: int
    seat: int
    hand_sizes: tuple[int, ...]
    hand: int
    face_up: int = 0
    shares: tuple[tuple[int, int, int], ...] | None = None
    showing: int = UNIFORM

    def __post_init__(self) -> None:
        for name in ("players", "seat", "hand", "face_up", "showing"):
            if not isinstance(getattr(self, name), Integral):
                raise ValueError(f"{name} must be a whole number, not {getattr(self, name)!r:.100}")
        if not 3 <= self.players <= MAX_PLAYERS:
            raise ValueError(f"players must be 3 to {MAX_PLAYERS}, not {self.players}")
        if not 0 <= self.seat < self.players:
            raise ValueError(f"seat must be 0 to {self.players - 1}, not {self.seat}")
        if not _counts(self.hand_sizes, (self.players,)):
            raise ValueError(
                f"hand_sizes must be {self.players} numbers from 0, one per player, not "
                f"{self.hand_sizes!r:.100}: if one is unknown, count that player's cards"
            )
        if (self.hand | self.face_up) & ~ALL_CARDS or self.hand & self.face_up:
            raise ValueError("hand and face_up must be disjoint masks of 21 cards")
        if self.hand.bit_count() != self.hand_sizes[self.seat]:
            raise ValueError(
                f"the hand has {self.hand.bit_count()} cards, its size is "
                f"{self.hand_sizes[self.seat]}"
            )
        if sum(self.hand_sizes) + self.face_up.bit_count() + N_CATEGORIES != N_CARDS:
            raise ValueError(
                f"hands, face-up cards and envelope must be {N_CARDS} cards, not "
                f"{sum(self.hand_sizes) + self.face_up.bit_count() + N_CATEGORIES}"
            )
        seen = self.hand | self.face_up
        if any(seen & inside == inside for inside in CATEGORY_MASK):
            raise ValueError("hand and face_up leave no card of a category for the envelope")
        if self.showing not in (UNIFORM, LEAST_INFORMATIVE):
            raise ValueError(f"showing must be {UNIFORM} or {LEAST_INFORMATIVE}")
        if self.shares is not None:
            self._check_shares(self.shares)

    def _check_shares(self, shares: tuple[tuple[int, int, int], ...]) -> None:
        """Raise ValueError unless the public shares fit hand sizes, our hand and categories."""
        if not _counts(shares, (self.players, N_CATEGORIES)):
            raise ValueError(
                f"shares must be {self.players} tuples of {N_CATEGORIES} numbers from 0"
            )
        table = np.array(shares)
        if tuple(table.sum(axis=1)) != tuple(self.hand_sizes):
            raise ValueError("the shares of a player must add up to its hand size")
        for kind, inside in enumerate(CATEGORY_MASK):
            if (self.hand & inside).bit_count() != table[self.seat, kind]:
                raise ValueError("the shares of the observer must be those of its hand")
            if table[:, kind].sum() + 1 != (inside & ~self.face_up).bit_count():
                raise ValueError("the shares of a category must add up to its cards in hands")

    def records(self) -> np.ndarray:
        """Return the evidence before the first event, a new record array (1,)."""
        records = new_evidence()
        sizes = np.array(self.hand_sizes, np.int64)
        reset(records[0], self.players, self.seat, sizes, self.hand, self.face_up)
        records["showing"] = self.showing
        if self.shares is not None:
            records["shares"][0, : self.players] = self.shares
        return records


def _counts(values: Any, shape: tuple[int, ...]) -> bool:
    """Return whether ``values`` are non-negative integers, of the right count."""
    table = np.array(values, object)
    return table.shape == shape and all(isinstance(n, Integral) and int(n) >= 0 for n in table.flat)


class Belief(ABC):
    """One observer's belief.

    Class attributes
    ----------------
    name
        In `belief.beliefs.registry`.
    logical
        Whether it excludes what the answers exclude, raises on contradictory answers, and draws
        deals that explain all of them.  The published beliefs do not.
    needs_shares
        Whether the rules must make public how many cards of each category every player holds.
    contradictions
        Number of readings of a part that contradicted itself; 0 for a belief that raises.

    Raises ValueError if it needs public shares, and the setting has none.
    """

    name: ClassVar[str]
    logical: ClassVar[bool] = True
    needs_shares: ClassVar[bool] = False
    contradictions: int = 0

    def __init__(self, setting: Setting) -> None:
        if self.needs_shares and setting.shares is None:
            raise ValueError(
                f"the belief {self.name!r} needs hands by category: the number of cards of each "
                "category that every player was dealt must be public"
            )
        self.setting = setting
        self._given = setting.records().view(np.ndarray)
        self._events: list[np.ndarray] = []

    def __repr__(self) -> str:
        """Return the observer, the number of events, and the entropy of the envelope."""
        counted = self.contradictions
        try:
            doubt = f"{self.envelope_entropy():.2f} bits"
        except SleuthError:
            doubt = "no deal"
        self.contradictions = counted
        who = f"seat {self.setting.seat} of {self.setting.players}"
        return f"{type(self).__name__}({who}, {sum(map(len, self._events))} events, {doubt})"

    @abstractmethod
    def _observe(self, events: np.ndarray) -> None:
        """Update on checked events."""

    @abstractmethod
    def marginals(self) -> np.ndarray:
        """Return P(card is with holder), a new array (21, 7); rows of face-up cards are zero.

        Certain entries are 1.0, up to rounding in beliefs that count deals.
        """

    @abstractmethod
    def envelope_table(self) -> np.ndarray:
        """Return the joint distribution of the envelope, a new array (6, 6, 9) that sums to 1."""

    @abstractmethod
    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        """Return ``n`` deals, int64 (n, 21), with the right hand sizes; consumes ``stream``."""

    def observe(self, events: np.ndarray) -> None:
        """Update on events, int64 (n, 4), in one compiled call.

        Raises
        ------
        ContradictoryEvidence
            They contradict each other or earlier ones; the message names the first event after
            which no deal is left, counted from 0 over all events.  Some beliefs notice only at the
            next reading, a belief that is not ``logical`` never.
        EvidenceFull
            A fixed list was full.
        ValueError
            A row is no event (`belief.events.check_events`).
        """
        rows = self._check(events)
        try:
            self._observe(rows)
        except ContradictoryEvidence as fault:
            raise self._name(fault) from None

    def replay(self, events: np.ndarray) -> np.ndarray:
        """Update on events one by one and return the marginals after each, (n, 21, 7).

        Raises what `observe` and `marginals` raise.
        """
        trace = np.zeros((len(events), N_CARDS, MAX_PLAYERS + 1))
        for i in range(len(events)):
            self.observe(events[i : i + 1])
            trace[i] = self.marginals()
        return trace

    def _check(self, events: np.ndarray) -> np.ndarray:
        """Return ``events`` checked, and keep them to name a contradiction."""
        rows = check_events(events, self._given, sum(map(len, self._events)))
        self._events.append(rows)
        return rows

    def _name(self, fault: ContradictoryEvidence) -> ContradictoryEvidence:
        return name_contradiction(self._given, self._events) or fault

    def _list_excluded(self) -> np.ndarray:
        """Return the masks of excluded envelopes, int64 (n,)."""
        events = np.concatenate([np.zeros((0, 4), np.int64), *self._events])
        return events[events[:, KIND] == NOT_ENVELOPE, NAMED]

    def note_pass(self, player: int, cards: int) -> None:
        """Update: ``player`` has none of ``cards`` (mask)."""
        self.observe(event(PASSED, player, cards))

    def note_refutation(self, player: int, cards: int) -> None:
        """Update: ``player`` showed one of ``cards`` (mask) to another player."""
        self.observe(event(REFUTED_OTHER, player, cards))

    def note_card(self, player: int, card: int, cards: int) -> None:
        """Update: ``player`` showed us ``card`` when asked for ``cards`` (mask)."""
        self.observe(event(REFUTED_US, player, cards, card))

    def note_not_envelope(self, triple: int) -> None:
        """Update: the envelope is not ``triple`` (mask of one card of each category)."""
        self.observe(event(NOT_ENVELOPE, -1, triple))

    def envelope_chances(self) -> np.ndarray:
        """Return P(card is in the envelope), a new array (21,): a column of `marginals`."""
        return self.marginals()[:, ENVELOPE].copy()

    def envelope_entropy(self) -> float:
        """Return the joint entropy of the envelope, in bits."""
        return float(entropy(self.envelope_table().ravel()))


def name_contradiction(
    given: np.ndarray, batches: Sequence[np.ndarray]
) -> ContradictoryEvidence | None:
    """Return the exception that names the first event after which no deal is left.

    ``given``: the evidence before the first event; ``batches``: events in order of observation.
    None if some deal explains all of them.
    """
    events = np.concatenate(batches)
    if _has_deal(given, events):
        return None
    fine, bad = 0, len(events)
    if not _has_deal(given, events[:0]):
        return None
    while bad - fine > 1:  # a contradiction persists under later events
        middle = (fine + bad) // 2
        fine, bad = (middle, bad) if _has_deal(given, events[:middle]) else (fine, middle)
    return ContradictoryEvidence(
        f"no deal explains event {fine}, {in_words(events[fine])}, after those before it"
    )


def _has_deal(given: np.ndarray, events: np.ndarray) -> bool:
    records = given.copy()
    record(records, events)
    try:
        ExactPosterior(records[0])
    except ContradictoryEvidence:
        return False
    return True


def product_table(
    marginals: np.ndarray, possible: int, excluded: np.ndarray | Sequence[int] = ()
) -> np.ndarray:
    """Return the envelope table (6, 6, 9) of independent categories, without those ``excluded``.

    Each category is the envelope column of ``marginals`` (21, 7), normalised.  A column without
    mass (the published belief can be falsely certain that every card is elsewhere) is replaced by a
    uniform one over the cards in the mask ``possible``, or over all if there is none.  If only
    excluded masks have any probability, the table is uniform over the possible rest, if there is
    one.
    """
    parts = []
    for start, stop in pairwise(CATEGORY_START):
        column = marginals[start:stop, ENVELOPE].copy()
        if not column.any():
            column[:] = [possible >> card & 1 for card in range(start, stop)]
        if not column.any():
            column[:] = 1.0
        parts.append(column / column.sum())
    table = np.einsum("i,j,k->ijk", *parts)
    if not len(excluded):
        return table
    left = np.ones_like(table)
    for cards in excluded:
        place = [lowest(int(cards) & inside) - start for inside, start in _CATEGORIES]
        left[tuple(place)] = 0.0
    if (table * left).any():
        table *= left
    else:
        even = product_table(np.zeros_like(marginals), possible) * left
        table = even if even.any() else table
    return table / table.sum()
