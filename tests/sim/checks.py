"""Invariants of all game states and actions, as kernels for millions of them.

Each check returns `FINE` or the number of the violated property.  They are derived from the rules,
not from `sim.game`.
"""

from __future__ import annotations

import numpy as np
from walking import check_call, check_walk

from belief.closure import update_closure
from belief.evidence import ALL_CARDS, CATEGORY_MASK, N_CARDS, count, is_excluded
from mcts.kernel.compile import jit
from sim.board import N_CORRIDOR, N_ROOMS, N_SPOTS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.state import (
    ACCUSE,
    ASK,
    END,
    EVIDENCE,
    EXTERNAL,
    FACTORED,
    MOVE,
    OVER,
    PASS,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    WALK,
)

PROPERTIES = (
    "fine",
    "cards",  # each is in one place, hands are as large as the rules say, nothing moves
    "pawns",  # stand where they may, and in a room where the phase needs one
    "moved",  # as far as rolled round the pawns, by the right door, and only the own pawn
    "turns",  # go round, to those who still play, up to the cap; phases follow each other
    "asked",  # the first seat that can answer does; nobody else learns the card
    "accused",  # the right one wins; a wrong one costs the turns left, and is heard if so ruled
    "summoned",  # those whom a suggestion moved, until they act
    "mask",  # the list of legal actions is the rules', in order
    "choice",  # a policy chooses what is legal
    "proof",  # a policy that waits for proof is not wrong
    "evidence",  # of a seat is never contradictory, and the truth is consistent with it
    "closure",  # has what is true at least as possible, and no more than what is true as sure
    "belief",  # rows are distributions
    "copies",  # of a state stay as they are
    "end",  # of a game comes
)
(
    FINE,
    CARDS_KEPT,
    PAWNS,
    MOVED,
    TURNS,
    ASKED,
    ACCUSED,
    SUMMONED,
    MASK,
    CHOICE,
    PROOF,
    EVIDENCE_KEPT,
    CLOSURE,
    BELIEF,
    COPIES,
    ENDS,
) = range(len(PROPERTIES))


@jit
def check_move(world, before, after, action: int, g) -> int:
    """Check where all pawns stand after ``action``."""
    seat = before.seat
    start, landed = before.spot[seat], after.spot[seat]
    right = True
    if action < PASSAGE and world.board:
        right = check_walk(world, before, after, g, action - MOVE)
    elif action < PASSAGE:
        right = landed == world.first_door[action - MOVE]
    elif action == PASSAGE:
        right = landed == world.first_door[world.passage[g.room[start]]]
    elif action >= WALK:
        right = landed == action - WALK
    elif ASK <= action < REVEAL and not world.board:
        right = landed == world.start[seat]
    else:
        right = landed == start
    for other in range(world.players):
        if other != seat and after.spot[other] != before.spot[other]:
            right &= check_call(world, before, action) == other
    return FINE if right else MOVED


# Suggestions.


@jit
def check_summons(world, before, after, action: int, g) -> int:
    """Check summons: the pawn that was moved by a suggestion and has not acted since."""
    acts = action < ACCUSE or action >= PASS
    for seat in range(world.players):
        wanted = 0 if acts and seat == before.seat else before.summoned[seat]
        if check_call(world, before, action) == seat:
            room = g.room[before.spot[before.seat]]
            if g.room[before.spot[seat]] != room:
                wanted = 1
                if after.spot[seat] != world.first_door[room]:
                    return SUMMONED
        if after.summoned[seat] != wanted:
            return SUMMONED
    return FINE


@jit
def first_able(world, s, cards: int) -> int:
    """Return the first seat after the asker that holds one of ``cards``, or -1."""
    for i in range(1, world.players):
        seat = (s.seat + i) % world.players
        if s.hand[seat] & cards:
            return seat
    return -1


@jit
def check_question(world, before, after, action: int, g) -> int:
    """Check the cards that are named, who answers, and who knows what afterwards."""
    asking = ASK <= action < ACCUSE
    cards, card, asker = before.cards, -1, before.seat
    if asking:
        pair, room = action - ASK, g.room[before.spot[asker]]
        cards = 1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6 | 1 << FIRST_ROOM + room
    able = first_able(world, before, cards)
    concluded = REVEAL <= action < PASS
    if asking:
        if after.cards != cards or after.answerer != able:
            return ASKED
        matching = before.hand[able] & cards if able >= 0 else 0
        concluded = count(matching) < 2
        if concluded and able >= 0:
            card = count(matching - 1)
    elif concluded:
        card = action - REVEAL
    if after.asked != before.asked + asking:
        return ASKED
    for seat in range(world.players):
        learnt = 1 << card if card >= 0 and seat == asker else 0
        if after.known[seat] != before.known[seat] | learnt:
            return ASKED
        if after.suggestions[seat] != before.suggestions[seat] + (asking and seat == asker):
            return ASKED
        for room in range(9):
            named = asking and seat == asker and not world.repeats and cards >> 12 + room & 1
            pair = 1 << action - ASK if named else 0
            if after.named[seat, room] != before.named[seat, room] | pair:
                return ASKED
        for other in range(world.players):
            newly = learnt if seat == asker and other == able else 0
            if after.has_shown[other, seat] != before.has_shown[other, seat] | newly:
                return ASKED
    if after.events != (concluded or said_aloud(world, before, after, action) > 0):
        return ASKED
    if concluded:
        event = after.event[0]
        if event[0] != asker or event[1] != cards or event[2] != able or event[3] != card:
            return ASKED
    return FINE


@jit
def said_aloud(world, before, after, action: int) -> int:
    """Return the mask of the accusation that all should hear, 0 for none."""
    if not world.heard or not ACCUSE <= action < REVEAL or not after.out[before.seat]:
        return 0
    trio = action - ACCUSE
    return 1 << trio // 54 | 1 << FIRST_WEAPON + trio // 9 % 6 | 1 << FIRST_ROOM + trio % 9


@jit
def check_heard(world, before, after, action: int) -> int:
    """Check that all hear a wrong accusation where the rules say so, and remember it."""
    cards, event = said_aloud(world, before, after, action), after.event[0]
    for seat in range(world.players):
        if after.heard[seat] != (cards if cards and seat == before.seat else before.heard[seat]):
            return ACCUSED
    if cards and (event[0] != before.seat or event[1] != cards or event[2] != -2 or event[3] != -1):
        return ACCUSED
    return FINE


# Turns.


@jit
def passes_on(world, before, after) -> int:
    """Check that the next seat that still plays has its turn, or that the game is over."""
    following = -1
    for i in range(1, world.players + 1):
        seat = (before.seat + i) % world.players
        if following < 0 and not after.out[seat]:
            following = seat
    if before.turn == world.turn_cap or following < 0:
        return FINE if after.phase == OVER and after.turn == before.turn else TURNS
    rolled = world.dice <= after.roll <= 6 * world.dice
    begun = after.phase == TURN and after.turn == before.turn + 1 and after.seat == following
    return FINE if begun and rolled else TURNS


@jit
def ends(world, before, after) -> int:
    """Check that the turn goes to its end, where the rules give it one, or on."""
    return stays(before, after, END) if world.accuse else passes_on(world, before, after)


@jit
def stays(before, after, phase: int) -> int:
    """Check that the turn goes on with ``phase``."""
    same = after.seat == before.seat and after.turn == before.turn and after.roll == before.roll
    return FINE if same and after.phase == phase else TURNS


@jit
def check_turn(world, before, after, action: int, g) -> int:
    """Check who decides what after ``action``."""
    if ACCUSE <= action < REVEAL:
        return _check_accusation(world, before, after, action - ACCUSE)
    for seat in range(world.players):
        if after.out[seat] != before.out[seat]:
            return ACCUSED
    if after.winner != -1:
        return ACCUSED
    if ASK <= action < ACCUSE:
        able = first_able(world, before, after.cards)
        if able >= 0 and count(after.hand[able] & after.cards) > 1:
            return stays(before, after, SHOW)
        return ends(world, before, after)
    if action == PASS and before.phase == END:
        return passes_on(world, before, after)
    landed = after.spot[before.seat]
    policy = before.policy[before.seat] != EXTERNAL
    back = (world.reenter or (world.again and policy)) and action < PASSAGE
    if back and landed == before.spot[before.seat] and after.phase == SUGGEST:
        return stays(before, after, SUGGEST) if g.room[landed] >= 0 else TURNS
    if action <= PASSAGE and landed != before.spot[before.seat] and g.room[landed] >= 0:
        return stays(before, after, SUGGEST)
    return ends(world, before, after)


@jit
def _check_accusation(world, before, after, trio: int) -> int:
    """Check what an accusation came to."""
    seat = before.seat
    start = before.phase == TURN and world.accuse != 3
    when = start or (before.phase == END and world.accuse > 0)
    if not (when or (before.phase == SUGGEST and world.accuse == 2)):
        return ACCUSED
    weapon, room = 1 << FIRST_WEAPON + trio // 9 % 6, 1 << FIRST_ROOM + trio % 9
    right = before.envelope == 1 << trio // 54 | weapon | room
    for other in range(world.players):
        if after.out[other] != (before.out[other] or (other == seat and not right)):
            return ACCUSED
    if right:
        return FINE if after.phase == OVER and after.winner == seat else ACCUSED
    playing = 0
    for other in range(world.players):
        playing += 1 - after.out[other]
    if world.last_wins and playing == 1:
        over = after.phase == OVER and after.winner >= 0
        return FINE if over and not after.out[after.winner] else ACCUSED
    return passes_on(world, before, after) if after.winner == -1 else ACCUSED


# Every state.


@jit
def cards_kept(world, s, start) -> int:
    """Check that every card is in one place, that of the deal ``start``, and hands are as ruled."""
    seen, n = s.envelope | s.face_up, count(s.envelope) + count(s.face_up)
    for kind in CATEGORY_MASK:
        if count(s.envelope & kind) != 1:
            return CARDS_KEPT
    for seat in range(len(s.hand)):
        hand = s.hand[seat]
        seen |= hand
        n += count(hand)
        if hand != start.hand[seat] or count(hand) != world.hand_sizes[seat]:
            return CARDS_KEPT
        for kind in range(3):
            share = world.shares[seat, kind]
            if share >= 0 and count(hand & CATEGORY_MASK[kind]) != share:
                return CARDS_KEPT
    if s.envelope != start.envelope or s.face_up != start.face_up:
        return CARDS_KEPT
    return FINE if seen == ALL_CARDS and n == N_CARDS else CARDS_KEPT


@jit
def pawns(world, s, g) -> int:
    """Check that every pawn stands where the rules, and the phase, have it."""
    for seat in range(world.players):
        spot = s.spot[seat]
        if not 0 <= spot < N_SPOTS or not -1 <= s.goal[seat] < N_ROOMS:
            return PAWNS
        for other in range(seat):
            if world.blocking and spot < N_CORRIDOR and s.spot[other] == spot:
                return PAWNS
        suggesting = s.phase == SUGGEST and seat == s.seat
        if suggesting and g.room[spot] < 0:
            return PAWNS
        if not world.board and not suggesting and spot != world.start[seat]:
            return PAWNS
    if s.phase == SHOW and world.board:
        here = g.room[s.spot[s.seat]]
        return FINE if here >= 0 and s.cards >> FIRST_ROOM + here & 1 else PAWNS
    return FINE


# What seats have learnt.


@jit
def consistent(world, s, seat: int) -> int:
    """Check the evidence of ``seat`` against the hands as they are."""
    facts = s.evidence[seat]
    if facts.contradiction or facts.overflow or facts.has[seat] != s.hand[seat]:
        return EVIDENCE_KEPT
    for player in range(world.players):
        hand = s.hand[player]
        if facts.has[player] & ~hand or facts.lacks[player] & hand:
            return EVIDENCE_KEPT
        if facts.seen_from[player] != s.has_shown[player, seat]:
            return EVIDENCE_KEPT
    for i in range(facts.clauses):
        entry = np.int64(facts.clause[i])
        if not s.hand[entry >> N_CARDS] & entry:
            return EVIDENCE_KEPT
    elsewhere = s.face_up
    for player in range(world.players):
        elsewhere |= facts.has[player]
    for player in range(world.players):
        said = s.heard[player]
        if said == s.envelope or not (said & elsewhere or said == 0 or is_excluded(facts, said)):
            return EVIDENCE_KEPT
    return FINE


@jit
def check_closure(world, s, seat: int, known) -> int:
    """Check the closure of ``seat`` against the truth, and against a fresh one in ``known``."""
    if not update_closure(s.evidence[seat], known):
        return CLOSURE
    for holder in range(world.players + 1):
        held = s.envelope if holder == 0 else s.hand[holder - 1]
        has, may = known.has[holder], known.may[holder]
        if has & ~held or held & ~may:
            return CLOSURE
        kept = s.closure[seat]
        if s.settled[seat] and (kept.has[holder] != has or kept.may[holder] != may):
            return CLOSURE
    return FINE


@jit
def check_rows(world, s, seat: int) -> int:
    """Check that every row of the factored belief of ``seat`` is a distribution."""
    for card in range(N_CARDS):
        total = 0.0
        for holder in range(world.players + 1):
            p = s.belief[seat][card, holder]
            total += p
            if not 0.0 <= p <= 1.0:
                return BELIEF
        if abs(total - (0.0 if s.face_up >> card & 1 else 1.0)) > 1e-9:
            return BELIEF
    return FINE


@jit
def learnt(world, s, known) -> int:
    """Check what every seat that keeps track has learnt."""
    for seat in range(world.players):
        code = FINE
        if s.tracks[seat] & EVIDENCE:
            code = consistent(world, s, seat)
            if code == FINE:
                code = check_closure(world, s, seat, known)
        if code == FINE and s.tracks[seat] & FACTORED:
            code = check_rows(world, s, seat)
        if code != FINE:
            return code
    return FINE
