"""What one player has seen: passes, cards shown to others, cards shown to it.

`EVIDENCE` is a flat record, the input of the exact belief.  Copying ``dst[i] = src[j]`` is a deep
copy of a few kilobytes, so a search may keep one a node.  Kernels take the element ``evidence[0]``
of a record array; what they record depends on the seat of the observer alone, never on the truth.

Every answer depends on the answerer's hand alone, so the likelihood of a deal is a product over
hands [Sleuth design, "card dynamic programme"]:

* a pass: the answerer lacks the three cards (a mask),
* a card shown to somebody else: it has at least one of the three (a *clause*),
* a card shown to us: it has that card, and showed it with probability 1/k, k = how many of the
  three it holds.  The entry keeps the *other* two cards, and how often they came up.

A false accusation tells only its author anything, and ends that author's play: it is left out.
Only consequences that cost nothing are drawn here; `belief.propagation` settles the rest.
Sets of cards are bit masks.  Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit

CARDS = 21
MAX_PLAYERS = 6
HOLDERS = MAX_PLAYERS + 1
ENVELOPE = 0
CATEGORIES = 3
CATEGORY_START = (0, 6, 12, 21)
CATEGORY_MASK = (0x3F, 0x3F << 6, 0x1FF << 12)
ALL_CARDS = (1 << CARDS) - 1

MAX_CLAUSES = 256
MAX_SHOWN = 160

EVIDENCE = np.dtype(
    [
        ("players", np.int64),
        ("seat", np.int64),  # of the observer
        ("face_up", np.int64),  # mask
        ("hand_sizes", np.int64, (MAX_PLAYERS,)),
        ("has", np.int64, (MAX_PLAYERS,)),  # mask of cards that the player surely holds
        ("lacks", np.int64, (MAX_PLAYERS,)),  # mask of cards that it surely does not hold
        ("contradiction", np.int64),  # 1: no deal explains this (as far as was noticed here)
        ("overflow", np.int64),  # 1: a list was full and evidence was lost
        ("clauses", np.int64),  # live entries of `clause`
        ("shown", np.int64),  # live entries of `others`
        ("clause", np.int32, (MAX_CLAUSES,)),  # player << 21 | cards, of which it has one
        ("others", np.int32, (MAX_SHOWN,)),  # player << 21 | other cards of the question
        ("times", np.int32, (MAX_SHOWN,)),  # how often: the weight is k ** -times
    ]
)
"""One observer's evidence; masks and counts, a flat record of about 2.5 kB."""


class ContradictoryEvidence(ValueError):
    """No deal is consistent with the evidence."""


class EvidenceFull(ValueError):
    """A list of `EVIDENCE` had no room: beliefs computed from it would leave evidence out."""


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
def reset(ev, players: int, seat: int, hand_sizes: np.ndarray, hand: int, face_up: int) -> None:
    """Start ``ev`` for the observer ``seat`` (0 .. players-1) that was dealt ``hand`` (mask).

    ``hand_sizes`` (int64, at least ``players`` long) is public; cards in ``face_up`` (mask) belong
    to nobody.
    """
    ev.players = players
    ev.seat = seat
    ev.face_up = face_up
    ev.contradiction = 0
    ev.overflow = 0
    ev.clauses = 0
    ev.shown = 0
    for player in range(MAX_PLAYERS):
        ev.has[player] = 0
        ev.lacks[player] = hand | face_up if player < players else ALL_CARDS
        ev.hand_sizes[player] = hand_sizes[player] if player < players else 0
    ev.has[seat] = hand
    ev.lacks[seat] = ALL_CARDS & ~hand
    if count(hand) != hand_sizes[seat] or hand & face_up:
        ev.contradiction = 1


@jit
def _simplify(ev, player: int) -> None:
    """Shorten the clauses of ``player`` after its masks grew; drop those fulfilled.

    A clause down to one card is knowledge, which may fulfil others: go round until nothing moves.
    `has` grows with every further round, so there are at most 21.
    """
    moved = True
    while moved:
        moved = False
        kept = 0
        for i in range(ev.clauses):
            entry = np.int64(ev.clause[i])
            if entry >> CARDS == player:
                cards = entry & ALL_CARDS & ~ev.lacks[player]
                if cards & ev.has[player]:
                    continue
                if cards & (cards - 1) == 0:  # one card left, or none
                    if cards == 0:
                        ev.contradiction = 1
                    ev.has[player] |= cards
                    moved = True
                    continue
                entry = player << CARDS | cards
            ev.clause[kept] = entry
            kept += 1
        ev.clauses = kept


@jit
def passed(ev, player: int, cards: int) -> None:
    """Record that ``player`` could not answer a question for ``cards``."""
    if cards & ev.has[player]:
        ev.contradiction = 1
    if cards & ~ev.lacks[player]:
        ev.lacks[player] |= cards
        _simplify(ev, player)


@jit
def has_card(ev, player: int, card: int) -> None:
    """Record that ``player`` holds ``card``, however that came out."""
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
def showed(ev, player: int, cards: int) -> None:
    """Record that ``player`` showed one of ``cards`` to somebody else.

    A clause that follows from another is dropped.  Sets ``overflow`` if the list is full.
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
    weaker = 0
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        if entry >> CARDS == player:
            old = entry & ALL_CARDS
            if old & ~cards == 0:
                return
            weaker += cards & ~old == 0
    kept = ev.clauses
    if weaker:
        kept = 0
        for i in range(ev.clauses):
            entry = np.int64(ev.clause[i])
            if entry >> CARDS != player or cards & ~entry:
                ev.clause[kept] = entry
                kept += 1
    if kept == MAX_CLAUSES:
        ev.overflow = 1
        return
    ev.clause[kept] = player << CARDS | cards
    ev.clauses = kept + 1


@jit
def shown(ev, player: int, card: int, cards: int) -> None:
    """Record that ``player`` showed *us* ``card`` when asked for ``cards`` (which include it).

    The choice among the k cards held is uniform: factor 1/k.  Equal questions are one entry with a
    multiplicity.  Sets ``overflow`` if the list is full.
    """
    has_card(ev, player, card)
    others = cards & ~(1 << card) & ~ev.lacks[player]
    if others == 0:
        return
    # Cards that it surely holds stay in the entry: they are part of k.
    entry = player << CARDS | others
    for i in range(ev.shown):
        if ev.others[i] == entry:
            ev.times[i] += 1
            return
    if ev.shown == MAX_SHOWN:
        _drop_constant(ev)
    if ev.shown == MAX_SHOWN:
        ev.overflow = 1
        return
    ev.others[ev.shown] = entry
    ev.times[ev.shown] = 1
    ev.shown += 1


@jit
def _drop_constant(ev) -> None:
    """Remove the entries whose cards are all decided: their factor is the same for every deal."""
    kept = 0
    for i in range(ev.shown):
        entry = np.int64(ev.others[i])
        player = entry >> CARDS
        if entry & ALL_CARDS & ~ev.has[player] & ~ev.lacks[player]:
            ev.others[kept] = entry
            ev.times[kept] = ev.times[i]
            kept += 1
    ev.shown = kept


def check(ev) -> None:
    """Raise `ContradictoryEvidence` or `EvidenceFull` for what the kernels noticed in ``ev``."""
    if ev.contradiction:
        raise ContradictoryEvidence("the recorded answers exclude each other")
    if ev.overflow:
        raise EvidenceFull(f"more than {MAX_CLAUSES} clauses or {MAX_SHOWN} shown cards are live")
