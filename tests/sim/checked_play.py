"""Games among any players with all checks after every step, and faults that test the checks.

A seat with policy `EXTERNAL` takes random legal actions.  The kernel keeps the last states and
re-hashes them after every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from checks import (
    CHOICE,
    COPIES,
    ENDS,
    FINE,
    PROOF,
    PROPERTIES,
    cards_kept,
    check_heard,
    check_move,
    check_question,
    check_summons,
    check_turn,
    learnt,
    pawns,
)
from faults import ILLEGAL, SHARED, STUCK, WRONG, spoil, spoil_list
from legal_checks import mask
from walking import ground

from belief.closure import new_known
from belief.exact import solver
from belief.information import sample_workspace
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, new_stream
from sim.arena import act
from sim.chance import game_key
from sim.game import apply, new_game
from sim.legal import legal
from sim.policies import greedy
from sim.policies.registry import Policy, seat_policy
from sim.rules import Rules, world
from sim.state import ACCUSE, EVIDENCE, EXTERNAL, FACTORED, OVER, REVEAL, SHOW, WALK, empty

LIVE, BEFORE, DEAL, KEPT = range(4)
"""Places in the array of states; from `KEPT` on are the last ones."""

COPIES_KEPT = 3
EVERY = 500
"""After so many steps all legal actions are tried, not only the one that is chosen."""

UNSOLVED = -1
MOST_ACTIONS = 4
"""In a turn: go, suggest, show, and accuse or pass."""

TALLY = np.dtype(
    [
        ("events", np.int64),  # actions done
        ("tried", np.int64),  # actions tried on the side
        ("games", np.int64),
        ("won", np.int64),
        ("capped", np.int64),
        ("clauses", np.int64),  # most in the evidence of any seat
        ("shown", np.int64),
        ("code", np.int64),  # of the property that failed
        ("steps", np.int64),  # in the last game
        ("actions", np.int64, (5, 7)),  # by phase and kind of action
    ]
)
_ODD = np.uint64(0x9E3779B97F4A7C15)
KIND_ENDS = (9, 10, 46, 370, 391, 392)
"""Where the kinds of action end: move, passage, suggestion, accusation, card, pass, walk."""


@jit
def hash_words(words: np.ndarray, place: int) -> np.uint64:
    """Return a hash of one state; equal neighbours do not cancel out."""
    total = np.uint64(0)
    for i in range(words.shape[1]):
        total ^= words[place, i] * (_ODD + np.uint64(2 * i))
    return total


@jit
def copy(words: np.ndarray, place: int, onto: int) -> None:
    """Copy one state, word by word: Numba takes twenty times as long to assign a large record."""
    for i in range(words.shape[1]):
        words[onto, i] = words[place, i]


@jit
def anything(s, options: np.ndarray, n: int, stream: np.ndarray, accusing: int) -> int:
    """Return a legal action: an accusation ``accusing`` times in a thousand, where there is one."""
    wanted = below(stream, 1000) < accusing
    found = 0
    for i in range(n):
        found += (ACCUSE <= options[i] < REVEAL) == wanted
    if found == 0:
        return options[below(stream, n)]
    left = below(stream, found)
    if not wanted and options[n - 1] >= WALK and below(stream, 2):
        left %= 9  # squares are many, and lead nowhere
    for i in range(n):
        if (ACCUSE <= options[i] < REVEAL) == wanted:
            if left == 0:
                return options[i]
            left -= 1
    return options[0]


@jit
def decide(world, s, g, n: int, work, sample, stream, accusing: int) -> int:
    """Return the action of the seat that decides."""
    who = s.showing[s.answerer] if s.phase == SHOW else s.policy[s.seat]
    if who == EXTERNAL:
        return anything(s, g.options, n, stream, accusing)
    return act(world, s, work, sample)


@jit
def jumps_to_conclusions(world, s, action: int, doubts: np.ndarray) -> bool:
    """Return whether a seat that waits for proof accuses wrongly, though not in its last turn."""
    if not ACCUSE <= action < REVEAL or doubts[s.seat]:
        return False
    playing = world.players - s.out[: world.players].sum()
    if world.turn_cap - s.turn < playing:
        return False
    trio = action - ACCUSE
    return s.envelope != 1 << trio // 54 | 1 << 6 + trio // 9 % 6 | 1 << 12 + trio % 9


@jit
def checked_state(rules, states, g) -> int:
    """Check the live state by itself."""
    code = cards_kept(rules, states[LIVE], states[DEAL])
    return code if code != FINE else pawns(rules, states[LIVE], g)


@jit
def checked_step(rules, states, g, action: int, known) -> int:
    """Check what ``action`` made of the state before."""
    before, s = states[BEFORE], states[LIVE]
    code = checked_state(rules, states, g)
    if code == FINE:
        code = check_turn(rules, before, s, action, g)
    if code == FINE:
        code = check_move(rules, before, s, action, g)
    if code == FINE:
        code = check_summons(rules, before, s, action, g)
    if code == FINE:
        code = check_question(rules, before, s, action, g)
    if code == FINE:
        code = check_heard(rules, before, s, action)
    if code == FINE and s.events:
        code = learnt(rules, s, known)
    return code


@jit
def count_up(s, action: int, players: int, tally) -> None:
    """Take note of a step."""
    kind = 0
    while kind < 6 and action >= KIND_ENDS[kind]:
        kind += 1
    tally.actions[s.phase, kind] += 1
    tally.events += 1
    for seat in range(players):
        tally.clauses = max(tally.clauses, s.evidence[seat].clauses)
        tally.shown = max(tally.shown, s.evidence[seat].shown)


@jit
def step(
    world, checked, states, words, hashes, g, known, work, sample, stream, doubts, accusing, fault,
    tally,
) -> int:  # fmt: skip
    """Do one step of the seat that decides, and check all that there is to check."""
    played, rules, s, at = world[0], checked[0], states[LIVE], (tally.steps - 1) % COPIES_KEPT
    n = legal(played, s, g.options)
    if fault:
        n = spoil_list(s, g.options, n, fault)
    code = mask(rules, s, g, n)
    if code != FINE:
        return code
    action = decide(played, s, g, n, work, sample, stream, accusing)
    if action == greedy.UNSOLVED:
        return UNSOLVED
    if fault == ILLEGAL:
        action += 1000
    elif fault == WRONG and s.phase == 0:
        action = ACCUSE + (s.envelope & 1)
    listed = False
    for i in range(n):
        listed |= g.options[i] == action
    if not listed:
        return CHOICE
    if jumps_to_conclusions(world[0], s, action, doubts):
        return PROOF
    place = LIVE if fault == SHARED else KEPT + at
    copy(words, LIVE, BEFORE)
    copy(words, LIVE, KEPT + at)
    hashes[at] = hash_words(words, place)
    count_up(s, action, rules.players, tally)
    if fault == STUCK:
        return FINE
    s.events = 0
    apply(played, s, action)
    if fault:
        spoil(rules, states[BEFORE], s, action, fault)
    for i in range(min(tally.steps, COPIES_KEPT)):
        if hash_words(words, LIVE if fault == SHARED else KEPT + i) != hashes[i]:
            return COPIES
    return checked_step(rules, states, g, action, known[0])


@jit
def try_action(world, checked, states, words, g, known, tally) -> int:
    """Do every legal action, one after another, each in the same state; check what it makes."""
    s, n = states[LIVE], legal(world[0], states[LIVE], g.options)
    copy(words, LIVE, BEFORE)
    code = FINE
    for i in range(n):
        if code == FINE:
            s.events = 0
            apply(world[0], s, g.options[i])
            code = checked_step(checked[0], states, g, g.options[i], known[0])
            copy(words, BEFORE, LIVE)
    tally.tried += n
    return code


@jit
def play(
    world, checked, states, words, hashes, g, known, work, sample, stream, doubts, accusing, fault,
    tallies, seed, events,
) -> int:  # fmt: skip
    """Play games, checking, until ``events`` actions are done; return the first fault found."""
    rules, s, tally = checked[0], states[LIVE], tallies[0]
    while tally.events < events:
        new_game(world[0], s, game_key(seed, tally.games))
        s.events = 0
        copy(words, LIVE, DEAL)
        tally.games += 1
        tally.steps = 0
        code = checked_state(rules, states, g)
        if code == FINE:
            code = learnt(rules, s, known[0])
        while code == FINE and s.phase != OVER and tally.events < events:
            tally.steps += 1
            if tally.events % EVERY == EVERY - 1 and fault == 0:
                code = try_action(world, checked, states, words, g, known, tally)
                if code != FINE:
                    break
            code = step(
                world, checked, states, words, hashes, g, known, work, sample, stream, doubts,
                accusing, fault, tally,
            )  # fmt: skip
            if tally.steps > MOST_ACTIONS * rules.turn_cap:
                code = ENDS
        tally.won += s.winner >= 0
        tally.capped += s.phase == OVER and s.turn == rules.turn_cap
        if code != FINE:
            return code
    return FINE


@dataclass(frozen=True)
class Table:
    """Players and rules of a table; a seat without a policy does anything legal.

    Attributes
    ----------
    accusing : accusations in a thousand decisions of a seat without a policy
    asked_to_show : whether those seats also choose the card they show
    """

    rules: Rules
    seats: Sequence[Policy | None]
    seed: int = 0
    accusing: int = 3
    asked_to_show: bool = True


def seat_player(table: Table) -> np.recarray:
    """Return the states for `play`, with everybody in their seats and all knowledge kept."""
    states = empty(KEPT + COPIES_KEPT)
    live = states[LIVE]
    live.recording = 1
    for seat, which in enumerate(table.seats):
        seat_policy(live, seat, which or Policy("uniform"))
        live.tracks[seat] |= EVIDENCE | FACTORED
        if which is None:
            live.policy[seat] = EXTERNAL
            live.showing[seat] = EXTERNAL if table.asked_to_show else 0
    return states


def doubts(table: Table) -> np.ndarray:
    """Return by seat whether it may accuse wrongly."""
    found = np.ones(len(table.seats), np.bool_)
    for seat, which in enumerate(table.seats):
        if which and which.name != "heuristic" and which.threshold == 1:
            found[seat] = False
    return found


def play_checked(
    table: Table, events: int, fault: int = 0, checked: Rules | None = None
) -> np.record:
    """Play so many events of games at ``table`` with all checks; return the tally.

    The control: with a planted ``fault``, or ``checked`` against other rules than are played.
    """
    states, tally = seat_player(table), np.zeros(1, TALLY).view(np.recarray)
    words = states.view(np.uint64).reshape(len(states), -1)
    slow = any(which and which.name == "greedy" for which in table.seats)
    if slow:
        greedy.choose.load()
    # As `play_many` would, but what is too large here is an error.
    work = solver.workspace(1 << 20 if slow else 2)
    tally[0].code = play(
        world(table.rules), world(checked or table.rules), states, words,
        np.zeros(COPIES_KEPT, np.uint64), ground(table.rules.walls), new_known(), work,
        sample_workspace(greedy.DEALS), new_stream(table.seed), doubts(table), table.accusing,
        fault, tally, table.seed, events,
    )  # fmt: skip
    return tally[0]


def find(tally: np.record) -> str:
    """Return the name of the property that failed, ``fine`` if none did."""
    return "unsolved" if tally.code == UNSOLVED else PROPERTIES[tally.code]
