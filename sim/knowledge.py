"""Learning of each seat from an event, in the forms that policies and planners use.

A seat learns from who passed, who showed a card and, where it asked, which card, and from what was
accused wrongly where that is heard: never from the hands themselves.  Kept are the cards that it
has seen, those that nobody showed when it asked (all seats) and, as far as ``tracks`` says, the
factored belief of [Ledford 2018, App. B] (`FACTORED`) and the evidence from which the logical
closure and the exact posterior follow (`EVIDENCE`).  What everybody learns (`PUBLIC`) is one view
for all seats, kept if one of them asks for it.
"""

from __future__ import annotations

import numpy as np

from belief import evidence, matrix, public
from belief.closure import update_closure
from belief.evidence import CATEGORY_MASK, lowest
from belief.evidence import N_CATEGORIES as N_CATEGORIES
from mcts.kernel.compile import jit
from sim.cards import N_CARDS
from sim.policies.common import any_card
from sim.state import ACCUSED, EVIDENCE, FACTORED, PUBLIC, State, World

_CHOSEN = CATEGORY_MASK[0] | CATEGORY_MASK[1]
"""The cards that an asker is free to name: the room is the one it is in."""


@jit
def keeps_public(world: World, s: State) -> bool:
    """Return whether some seat wants ``s.public`` kept."""
    wanted = 0
    for seat in range(world.players):
        wanted |= s.tracks[seat]
    return wanted & PUBLIC > 0


@jit
def open_public(world: World, s: State) -> None:
    """Reset what everybody knows to the face-up cards and the sizes of hands."""
    for seat in range(world.players):
        s.heard[seat] = 0
    if keeps_public(world, s):
        public.open_view(s.public, world.players, world.hand_sizes, s.face_up)


@jit
def witness(world: World, s: State, asker: int, cards: int, answerer: int) -> None:
    """Let what everybody knows grow by one event with ``cards``; nothing hidden is read."""
    if answerer == ACCUSED:
        s.heard[asker] = cards
        s.marginals_of = 0
        if keeps_public(world, s):
            public.note_not_envelope(s.public, cards)
    elif keeps_public(world, s):
        public.witness(s.public, world.players, asker, cards, answerer, s.face_up)


@jit
def begin(world: World, s: State, seat: int) -> None:
    """Reset what ``seat`` knows to its hand and the cards that lie face up."""
    s.known[seat] = s.hand[seat] | s.face_up
    s.proved[seat] = 0
    s.marginals_of = 0
    s.goal[seat] = -1
    if s.tracks[seat] & FACTORED:
        matrix.start(s.belief[seat], world.players, seat, s.hand[seat], s.face_up)
        s.bits[seat][:] = -1.0
    if s.tracks[seat] & EVIDENCE:
        facts = s.evidence[seat]
        evidence.reset(facts, world.players, seat, world.hand_sizes, s.hand[seat], s.face_up)
        for player in range(world.players):
            for kind in range(N_CATEGORIES):
                facts.shares[player, kind] = world.shares[player, kind]
        for player in range(world.players):
            weight = s.own_card_weight[seat, player]
            facts.own_card_weight[player] = weight if weight > 0.0 else 1.0
        s.settled[seat] = 0


@jit
def row_bits(s: State, seat: int, card: int) -> float:
    """Return the entropy in bits of where ``card`` is, as ``seat`` believes."""
    if s.bits[seat, card] < 0.0:
        s.bits[seat, card] = matrix.row_entropy(s.belief[seat], card)
    return s.bits[seat, card]


@jit
def reads(s: State, seat: int, asker: int) -> bool:
    """Return whether ``seat`` weighs what ``asker`` names by ``own_card_weight``; 0 is unset."""
    return s.own_card_weight[seat, asker] > 0.0 and s.own_card_weight[seat, asker] != 1.0


@jit
def learn(
    world: World, s: State, seat: int, asker: int, cards: int, answerer: int, card: int
) -> None:
    """Let ``seat`` learn from one suggestion of ``cards``, or from an accusation that all heard.

    ``card`` is read only where ``seat`` is the asker; ``answerer`` is -1 if everybody passed, and
    `ACCUSED` of an accusation.
    """
    if answerer == ACCUSED:
        _hear(s, seat, cards)
        return
    tracks, changed = s.tracks[seat], 0
    if tracks:
        for step in range(1, world.players):
            player = asker + step if asker + step < world.players else asker + step - world.players
            if player == answerer:
                break
            if player != seat:
                if tracks & FACTORED:
                    changed |= matrix.note_pass(s.belief[seat], player, cards)
                if tracks & EVIDENCE:
                    evidence.note_pass(s.evidence[seat], player, cards)
        if answerer >= 0 and answerer != seat:
            if seat == asker:
                changed |= _learn_card(s, seat, answerer, card, cards)
            else:
                changed |= _learn_shown(s, seat, answerer, cards)
        if asker != seat and reads(s, seat, asker) and tracks & EVIDENCE:
            changed |= _read(s, seat, asker, cards & _CHOSEN)
        while changed:
            s.bits[seat, lowest(changed)] = -1.0
            changed &= changed - 1
        s.settled[seat] = 0
    if seat == asker:
        if answerer >= 0:
            s.known[seat] |= 1 << card
        else:
            s.proved[seat] |= cards & ~s.known[seat]


@jit
def _hear(s: State, seat: int, cards: int) -> None:
    """Let ``seat`` take in that ``cards`` are not the envelope.

    What the accuser may hold is not read from them.  A seat that keeps evidence has it there; its
    matrix stays as it is, so that no policy takes it in twice (`sim.policies.swift.refresh`).
    """
    if s.tracks[seat] & EVIDENCE:
        evidence.note_not_envelope(s.evidence[seat], cards)
        s.settled[seat] = 0
    elif s.tracks[seat] & FACTORED:
        matrix.note_not_envelope(s.belief[seat], cards)
        s.bits[seat][:] = -1.0


@jit
def inform_others(world: World, s: State, seat: int, event: np.record, stream: np.ndarray) -> None:
    """Let all but ``seat`` learn from ``event``, as that seat saw it.

    A card shown between others is drawn uniformly from the drawn answerer's matching cards.
    """
    card = event.card
    if card < 0 and event.answerer >= 0:
        card = any_card(stream, s.hand[event.answerer] & event.cards)
    if event.answerer >= 0:
        s.has_shown[event.answerer, event.asker] |= 1 << card
    for other in range(world.players):
        if other != seat:
            learn(world, s, other, event.asker, event.cards, event.answerer, card)


@jit
def _learn_card(s: State, seat: int, answerer: int, card: int, cards: int) -> int:
    """Let ``seat`` take in the ``card`` that it was shown; return its mask, for its row changed."""
    if s.tracks[seat] & FACTORED:
        matrix.note_card(s.belief[seat], answerer, card)
    if s.tracks[seat] & EVIDENCE:
        evidence.note_card(s.evidence[seat], answerer, card, cards)
    return 1 << card


@jit
def _learn_shown(s: State, seat: int, answerer: int, cards: int) -> int:
    """Let ``seat`` take in that somebody else was shown one of ``cards``; return changed rows."""
    changed = 0
    if s.tracks[seat] & FACTORED and s.inference[seat]:
        unknown = N_CARDS - evidence.count(s.known[seat])
        changed = matrix.note_refutation(s.belief[seat], answerer, cards, unknown)
    if s.tracks[seat] & EVIDENCE:
        evidence.note_refutation(s.evidence[seat], answerer, cards)
    return changed


@jit
def _read(s: State, seat: int, asker: int, cards: int) -> int:
    """Let ``seat`` take in that ``asker`` chose to name ``cards``, which it may well not hold.

    Return the mask of those whose rows may have changed.
    """
    fresh = evidence.note_question(s.evidence[seat], asker, cards)
    if s.tracks[seat] & FACTORED:
        matrix.note_question(s.belief[seat], asker, fresh, s.own_card_weight[seat, asker])
    return fresh


@jit
def update_seat_closure(s: State, seat: int) -> bool:
    """Bring the logical closure of ``seat`` up to date; return whether it had changed."""
    if s.settled[seat]:
        return False
    update_closure(s.evidence[seat], s.closure[seat])
    s.settled[seat] = 1
    return True


@jit
def knowledge_version(s: State, seat: int) -> int:
    """Return a number that names ``seat`` and what it knows now, for `marginals_of`."""
    return 1 + 8 * s.asked + seat
