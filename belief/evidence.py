"""Evidence of one player: passes, cards shown to others, cards shown to it.

`EVIDENCE` is a flat record, the input of the exact belief; ``dst[i] = src[j]`` is a deep copy.
Every answer depends on the answerer's hand alone, so the likelihood of a deal is a product over
hands:

* a pass: the answerer lacks the three cards (a mask),
* a card shown to another player: it has at least one of the three (a *clause*),
* a card shown to us: it has that card, and showed it with probability 1/k, k = how many of the
  three it holds.  The entry keeps the *other* two cards, and their multiplicity.  If players choose
  by `LEAST_INFORMATIVE`, a card already shown to us has no such weight.

The prior over deals is uniform, given the hand sizes, or given ``shares`` if the rules make public
how many cards of each category a player was dealt [Ferrari & Cai 2009].  A public wrong accusation
excludes one triple from the envelope.  Only free consequences are drawn here; `belief.closure` does
the rest.  Sets of cards are bit masks.  Nothing here consumes randomness.
"""

from __future__ import annotations

import math

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.errors import SleuthError

N_CARDS = 21
MAX_PLAYERS = 6
HOLDERS = MAX_PLAYERS + 1
ENVELOPE = 0
N_CATEGORIES = 3
CATEGORY_START = (0, 6, 12, 21)
CATEGORY_MASK = (0x3F, 0x3F << 6, 0x1FF << 12)
ALL_CARDS = (1 << N_CARDS) - 1

MAX_CLAUSES = 128
MAX_SHOWN = 96
MAX_EXCLUDED = 8

UNIFORM, LEAST_INFORMATIVE = 0, 1
"""`EVIDENCE.showing`: which matching card a player shows.  UNIFORM: any of them, equally likely.
LEAST_INFORMATIVE: one already shown to this asker if possible, else any."""

EVIDENCE = np.dtype(
    [
        ("players", np.int64),
        ("seat", np.int64),  # of the observer
        ("face_up", np.int64),  # mask
        ("hand_sizes", np.int64, (MAX_PLAYERS,)),
        ("has", np.int64, (MAX_PLAYERS,)),  # mask of cards that the player certainly holds
        ("lacks", np.int64, (MAX_PLAYERS,)),  # mask of cards that it certainly does not hold
        ("seen_from", np.int64, (MAX_PLAYERS,)),  # mask of cards that it has shown to us
        ("shares", np.int64, (MAX_PLAYERS, N_CATEGORIES)),  # cards it was dealt of each, or all -1
        ("showing", np.int64),  # UNIFORM or LEAST_INFORMATIVE
        ("contradiction", np.int64),  # 1: no deal explains this (as far as detected here)
        ("overflow", np.int64),  # 1: a list was full and evidence was lost
        ("clauses", np.int64),  # live entries of `clause`
        ("shown", np.int64),  # live entries of `others`
        ("excluded", np.int64),  # live entries of `not_envelope`
        ("named", np.int64, (MAX_PLAYERS,)),  # mask of cards in the player's own questions
        # weight per named card in its own hand, 1: asking is uninformative
        ("own_card_weight", np.float64, (MAX_PLAYERS,)),
        ("log_dropped", np.float64),  # log of the constant factors no longer in any list
        ("clause", np.int32, (MAX_CLAUSES,)),  # player << 21 | cards, of which it has one
        ("others", np.int32, (MAX_SHOWN,)),  # player << 21 | other cards of the question
        ("times", np.int32, (MAX_SHOWN,)),  # how often: the weight is k ** -times
        ("not_envelope", np.int32, (MAX_EXCLUDED,)),  # suspect, weapon and room: not the envelope
    ]
)

Evidence = np.record
"""One `EVIDENCE`: all that one player knows for certain, and was shown; 1.8 kB."""


class ContradictoryEvidence(SleuthError, ValueError):
    """No deal is consistent with the evidence."""


class EvidenceFull(SleuthError, ValueError):
    """A list of `EVIDENCE` overflowed: beliefs computed from it would miss evidence."""


def new_evidence(copies: int = 1) -> np.ndarray:
    """Return ``copies`` blank records, to be passed to kernels as ``records[i]``."""
    return np.zeros(copies, EVIDENCE).view(np.recarray)


@jit
def count(cards: int) -> int:
    """Return how many cards the mask holds (compiled to one instruction)."""
    n = 0
    while cards:
        cards &= cards - 1
        n += 1
    return n


@jit
def lowest(cards: int) -> int:
    """Return the lowest card of a mask that is not empty."""
    return count((cards & -cards) - 1)


@jit
def category(card: int) -> int:
    """Return 0 for a suspect, 1 for a weapon, 2 for a room."""
    if card < CATEGORY_START[1]:
        return 0
    return 1 if card < CATEGORY_START[2] else 2


@jit
def shares_known(ev: Evidence) -> bool:
    """Return whether each player's number of cards of each category is public."""
    return ev.shares[0, 0] >= 0


@jit
def reset(
    ev: Evidence, players: int, seat: int, hand_sizes: np.ndarray, hand: int, face_up: int
) -> None:
    """Start ``ev`` for the observer ``seat`` (0 .. players-1) that was dealt ``hand`` (mask).

    ``hand_sizes`` (int64, at least ``players`` long) is public; cards in ``face_up`` (mask) have no
    holder.  Showing is uniform and the shares are unknown, unless the caller then sets
    ``ev.showing``, or ``ev.shares`` of every player.
    """
    ev.players = players
    ev.seat = seat
    ev.face_up = face_up
    ev.contradiction = 0
    ev.overflow = 0
    ev.clauses = 0
    ev.shown = 0
    ev.excluded = 0
    ev.showing = UNIFORM
    ev.log_dropped = 0.0
    for player in range(MAX_PLAYERS):
        ev.own_card_weight[player] = 1.0
        ev.named[player] = 0
        ev.seen_from[player] = 0
        for kind in range(N_CATEGORIES):
            ev.shares[player, kind] = -1
        ev.has[player] = 0
        ev.lacks[player] = hand | face_up if player < players else ALL_CARDS
        ev.hand_sizes[player] = hand_sizes[player] if player < players else 0
    ev.has[seat] = hand
    ev.lacks[seat] = ALL_CARDS & ~hand
    if count(hand) != hand_sizes[seat] or hand & face_up:
        ev.contradiction = 1


@jit
def _simplify(ev: Evidence, player: int) -> None:
    """Shorten the clauses of ``player`` after its masks grew; drop satisfied ones.

    A clause of one card becomes knowledge, which may satisfy others: repeat until a fixed point.
    `has` grows with every further round, so there are at most 21.
    """
    moved = True
    while moved:
        moved = False
        kept = 0
        for i in range(ev.clauses):
            entry = np.int64(ev.clause[i])
            if entry >> N_CARDS == player:
                cards = entry & ALL_CARDS & ~ev.lacks[player]
                if cards & ev.has[player]:
                    continue
                if cards & (cards - 1) == 0:  # one card left, or none
                    if cards == 0:
                        ev.contradiction = 1
                    ev.has[player] |= cards
                    moved = True
                    continue
                entry = player << N_CARDS | cards
            ev.clause[kept] = entry
            kept += 1
        ev.clauses = kept


@jit
def note_pass(ev: Evidence, player: int, cards: int) -> None:
    """Record that ``player`` could not answer a question for ``cards``."""
    if cards & ev.has[player]:
        ev.contradiction = 1
    if cards & ~ev.lacks[player]:
        ev.lacks[player] |= cards
        _simplify(ev, player)


@jit
def has_card(ev: Evidence, player: int, card: int) -> None:
    """Record that ``player`` holds ``card``, from any source."""
    bit = 1 << card
    if ev.has[player] & bit:
        return
    if ev.lacks[player] & bit:
        ev.contradiction = 1
    ev.has[player] |= bit
    _simplify(ev, player)
    for other in range(ev.players):
        if other != player and not ev.lacks[other] & bit:
            if ev.has[other] & bit:
                ev.contradiction = 1
            ev.lacks[other] |= bit
            _simplify(ev, other)


@jit
def _add_clause(ev: Evidence, player: int, cards: int) -> None:
    """Add a clause unless another implies it; drop those that it implies."""
    weaker = 0
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        if entry >> N_CARDS == player:
            old = entry & ALL_CARDS
            if old & ~cards == 0:
                return
            weaker += cards & ~old == 0
    kept = ev.clauses
    if weaker:
        kept = 0
        for i in range(ev.clauses):
            entry = np.int64(ev.clause[i])
            if entry >> N_CARDS != player or cards & ~entry:
                ev.clause[kept] = entry
                kept += 1
    if kept == MAX_CLAUSES:
        ev.overflow = 1
        return
    ev.clause[kept] = player << N_CARDS | cards
    ev.clauses = kept + 1


@jit
def _compact_clauses(ev: Evidence) -> None:
    """Drop the clauses implied by the masks, or by others that were shortened."""
    for player in range(ev.players):
        _simplify(ev, player)
    listed = ev.clauses
    ev.clauses = 0
    for i in range(listed):  # never past the end of the new list
        entry = np.int64(ev.clause[i])
        _add_clause(ev, entry >> N_CARDS, entry & ALL_CARDS)


@jit
def note_refutation(ev: Evidence, player: int, cards: int) -> None:
    """Record that ``player`` showed one of ``cards`` to another player.

    An implied clause is dropped.  Sets ``overflow`` if the list is full.
    """
    if cards & ev.has[player]:
        return
    cards &= ~ev.lacks[player]
    if cards & (cards - 1) == 0:
        if cards == 0:
            ev.contradiction = 1
        else:
            has_card(ev, player, lowest(cards))
        return
    if ev.clauses == MAX_CLAUSES and not ev.overflow:
        _compact_clauses(ev)
    _add_clause(ev, player, cards)


@jit
def note_question(ev: Evidence, player: int, cards: int) -> int:
    """Record that ``player`` asked for ``cards``; return those it had not asked for before.

    A deal in which it holds n of all the cards it asked for weighs ``ev.own_card_weight[player] **
    n``.
    """
    fresh = cards & ~ev.named[player]
    ev.named[player] |= cards
    return fresh


@jit
def _add_shown(ev: Evidence, entry: int, times: int) -> None:
    """Add a card shown to us, by its ``others``; equal entries are counted in one."""
    for i in range(ev.shown):
        if ev.others[i] == entry:
            ev.times[i] += times
            return
    if ev.shown == MAX_SHOWN:
        ev.overflow = 1
        return
    ev.others[ev.shown] = entry
    ev.times[ev.shown] = times
    ev.shown += 1


@jit
def _compact_shown(ev: Evidence) -> None:
    """Reduce the entries to cards that may be held, merge equal ones, drop constant factors."""
    listed = ev.shown
    ev.shown = 0
    for i in range(listed):  # never past the end of the new list
        entry, times = np.int64(ev.others[i]), np.int64(ev.times[i])
        player = entry >> N_CARDS
        others = entry & ALL_CARDS & ~ev.lacks[player]
        if others & ~ev.has[player]:
            _add_shown(ev, player << N_CARDS | others, times)
        else:
            ev.log_dropped -= times * math.log(1 + count(others))


@jit
def note_card(ev: Evidence, player: int, card: int, cards: int) -> None:
    """Record that ``player`` showed *us* ``card`` when asked for ``cards`` (which include it).

    The choice among the k cards held is uniform: factor 1/k.  Under `LEAST_INFORMATIVE`, if some of
    ``cards`` had been shown to us before, the choice is among those: a factor common to all deals,
    or a contradiction if ``card`` is another.  Sets ``overflow`` if the list is full.
    """
    has_card(ev, player, card)
    before = ev.seen_from[player] & cards
    ev.seen_from[player] |= 1 << card
    if ev.showing == LEAST_INFORMATIVE and before:
        if before >> card & 1:
            ev.log_dropped -= math.log(count(before))
        else:
            ev.contradiction = 1
        return
    others = cards & ~(1 << card) & ~ev.lacks[player]
    if others == 0:
        return
    if ev.shown == MAX_SHOWN and not ev.overflow:
        _compact_shown(ev)
    # Cards that it certainly holds stay in the entry: they are part of k.
    _add_shown(ev, player << N_CARDS | others, 1)


@jit
def note_not_envelope(ev: Evidence, cards: int) -> None:
    """Record that the envelope is not ``cards`` (mask of one of each category).

    A triple with a card known to be elsewhere is not listed.  Sets ``overflow`` if the list is
    full.
    """
    elsewhere = ev.face_up
    for player in range(ev.players):
        elsewhere |= ev.has[player]
    if cards & elsewhere or is_excluded(ev, cards):
        return
    if ev.excluded == MAX_EXCLUDED:
        listed = ev.excluded
        ev.excluded = 0
        for i in range(listed):
            if not ev.not_envelope[i] & elsewhere:
                ev.not_envelope[ev.excluded] = ev.not_envelope[i]
                ev.excluded += 1
    if ev.excluded == MAX_EXCLUDED:
        ev.overflow = 1
        return
    ev.not_envelope[ev.excluded] = cards
    ev.excluded += 1


@jit
def is_excluded(ev: Evidence, envelope: int) -> bool:
    """Return whether ``envelope`` (mask) is excluded."""
    found = False
    for i in range(ev.excluded):
        found |= ev.not_envelope[i] == envelope
    return found


def check(ev: Evidence) -> None:
    """Raise `ContradictoryEvidence` or `EvidenceFull` for faults that kernels found in ``ev``."""
    if ev.contradiction:
        raise ContradictoryEvidence("the recorded answers contradict each other")
    if ev.overflow:
        raise EvidenceFull(
            f"more than {MAX_CLAUSES} clauses, {MAX_SHOWN} shown cards or {MAX_EXCLUDED} excluded "
            "envelopes are live"
        )
