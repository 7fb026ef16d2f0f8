"""Knowledge updates of each seat after an event, in the forms that policies and planners use.

A seat learns who passed, who showed a card, which card if it asked, and wrong accusations if they
are heard; it never reads hands.  Every seat keeps the cards it has seen and the cards that no
player showed when it asked.  Depending on ``tracks`` it also keeps the factored belief of [Ledford
2018, App. B] (`FACTORED`) and the evidence for closure and exact posterior (`EVIDENCE`).  Public
knowledge (`PUBLIC`) is one view for all seats, kept if any seat tracks it.
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
"""Cards that an asker may choose freely; the room is that of its pawn."""


@jit
def keeps_public(world: World, s: State) -> bool:
    """Return whether any seat tracks ``s.public``."""
    wanted = 0
    for seat in range(world.players):
        wanted |= s.tracks[seat]
    return wanted & PUBLIC > 0


@jit
def open_public(world: World, s: State) -> None:
    """Reset public knowledge to the face-up cards and the hand sizes."""
    for seat in range(world.players):
        s.heard[seat] = 0
    if keeps_public(world, s):
        public.open_view(s.public, world.players, world.hand_sizes, s.face_up)


@jit
def witness(world: World, s: State, asker: int, cards: int, answerer: int) -> None:
    """Update public knowledge with one event with ``cards``; reads no hidden information."""
    if answerer == ACCUSED:
        s.heard[asker] = cards
        s.marginals_of = 0
        if keeps_public(world, s):
            public.note_not_envelope(s.public, cards)
    elif keeps_public(world, s):
        public.witness(s.public, world.players, asker, cards, answerer, s.face_up)


@jit
def begin(world: World, s: State, seat: int) -> None:
    """Reset the knowledge of ``seat`` to its hand and the face-up cards."""
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
    """Return the entropy in bits of the holder of ``card``, as ``seat`` believes."""
    if s.bits[seat, card] < 0.0:
        s.bits[seat, card] = matrix.row_entropy(s.belief[seat], card)
    return s.bits[seat, card]


@jit
def reads(s: State, seat: int, asker: int) -> bool:
    """Return whether ``seat`` weighs suggestions of ``asker`` (``own_card_weight`` is set)."""
    return s.own_card_weight[seat, asker] > 0.0 and s.own_card_weight[seat, asker] != 1.0


@jit
def learn(
    world: World, s: State, seat: int, asker: int, cards: int, answerer: int, card: int
) -> None:
    """Update ``seat`` with one suggestion of ``cards``, or with a heard accusation.

    ``card`` is read only if ``seat`` is the asker; ``answerer`` is -1 if all players passed, and
    `ACCUSED` for an accusation.
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
    # With evidence the matrix is not updated: `sim.policies.swift.refresh` would count it twice.
    if s.tracks[seat] & EVIDENCE:
        evidence.note_not_envelope(s.evidence[seat], cards)
        s.settled[seat] = 0
    elif s.tracks[seat] & FACTORED:
        matrix.note_not_envelope(s.belief[seat], cards)
        s.bits[seat][:] = -1.0


@jit
def inform_others(world: World, s: State, seat: int, event: np.record, stream: np.ndarray) -> None:
    """Update all seats except ``seat`` with ``event`` as seen by ``seat``.

    A card shown between other seats is drawn uniformly from the answerer's matching cards in ``s``;
    consumes ``stream``.
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
    """Record the ``card`` shown to ``seat``; return the mask of its changed row."""
    if s.tracks[seat] & FACTORED:
        matrix.note_card(s.belief[seat], answerer, card)
    if s.tracks[seat] & EVIDENCE:
        evidence.note_card(s.evidence[seat], answerer, card, cards)
    return 1 << card


@jit
def _learn_shown(s: State, seat: int, answerer: int, cards: int) -> int:
    """Record that another asker was shown one of ``cards``; return the mask of changed rows."""
    changed = 0
    if s.tracks[seat] & FACTORED and s.inference[seat]:
        unknown = N_CARDS - evidence.count(s.known[seat])
        changed = matrix.note_refutation(s.belief[seat], answerer, cards, unknown)
    if s.tracks[seat] & EVIDENCE:
        evidence.note_refutation(s.evidence[seat], answerer, cards)
    return changed


@jit
def _read(s: State, seat: int, asker: int, cards: int) -> int:
    """Weigh that ``asker`` chose to name ``cards``; return the mask of changed rows."""
    fresh = evidence.note_question(s.evidence[seat], asker, cards)
    if s.tracks[seat] & FACTORED:
        matrix.note_question(s.belief[seat], asker, fresh, s.own_card_weight[seat, asker])
    return fresh


@jit
def update_seat_closure(s: State, seat: int) -> bool:
    """Update the logical closure of ``seat`` if it is stale; return whether it was."""
    if s.settled[seat]:
        return False
    update_closure(s.evidence[seat], s.closure[seat])
    s.settled[seat] = 1
    return True


@jit
def knowledge_version(s: State, seat: int) -> int:
    """Return a number that identifies ``seat`` and its current knowledge, for `marginals_of`."""
    return 1 + 8 * s.asked + seat
