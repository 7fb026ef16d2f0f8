"""Decisions of a seat in real games, and the same with all that it cannot know exchanged.

What a seat cannot know is the deal beyond its own hand, what the other seats have learnt and how
they play, the cards that they showed each other, and the key of the game.  A player that decides
otherwise when these are exchanged for others that look the same to it knows more
than it may (`sim.contract.testing.check_player`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from belief.exact.solver import ExactPosterior
from sim.arena import Memory, act
from sim.chance import game_key
from sim.game import apply, decider, new_game
from sim.knowledge import knowledge_version
from sim.policies import greedy
from sim.policies.table import SLOW, Policy, choose, seat_policies
from sim.rules import Rules, world
from sim.state import EVIDENCE, MAX_PLAYERS, OVER, SHOW, STATE, State, empty

_OPEN = ("spot", "summoned", "out", "suggestions", "walked")
_OWN = tuple(
    name
    for name in STATE.names
    if STATE[name].shape[:1] == (MAX_PLAYERS,) and name not in (*_OPEN, "hand", "has_shown")
)
"""The fields with a row for every seat that only this seat knows, or nobody at the table."""

SEED = 11
"""Of the run whose games are played."""


def decisions(
    rules: Rules, policies: Sequence[Policy | str], seat: int, game: int, memory: Memory
) -> Iterator[np.record]:
    """Yield the state at every decision of ``seat`` in a game among ``policies``; do not keep it.

    The evidence of ``seat`` is kept, whether its policy needs it or not.
    """
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies)
    state.tracks[seat] |= EVIDENCE
    state.recording = 1
    new_game(board, state, np.uint64(game_key(SEED, game)))
    while state.phase != OVER:
        if decider(state) == seat:
            yield state
        action = act(board, state, memory.work, memory.sample)
        if action == greedy.UNSOLVED:
            memory.grow()
            continue
        state.events = 0
        apply(board, state, action)


def decide(state: State, rules: Rules, seat: int, memory: Memory) -> int:
    """Return the action of ``seat``, drawing from the stream that is open in ``state``."""
    board = world(rules)[0]
    if state.phase == SHOW or state.policy[seat] < SLOW:
        return int(choose(board, state, seat))
    while (action := greedy.choose(board, state, seat, memory.work, memory.sample)) < 0:
        memory.grow()
    return int(action)


def hands_of(deal: np.ndarray) -> tuple[int, list[int]]:
    """Return the envelope and the six hands of a deal, as masks."""
    envelope, *hands = (
        sum(1 << int(card) for card in np.flatnonzero(deal == holder)) for holder in range(7)
    )
    return envelope, hands


def deals(state: State, seat: int, stream: np.ndarray, count: int) -> list[np.ndarray]:
    """Return up to ``count`` deals with another envelope, from the posterior of ``seat``."""
    drawn = ExactPosterior(state.evidence[seat]).sample(stream, 5 * count)
    return [deal for deal in drawn if hands_of(deal)[0] != state.envelope][:count]


def exchange(state: State, seat: int, deal: np.ndarray, noise: np.random.Generator) -> np.record:
    """Return another state that looks to ``seat`` like the true ``state``.

    Hands and envelope are those of ``deal``, int64 (21,).  What other seats have learnt, how they
    play, which cards they showed each other, the log, the key of the game and scratch are noise.
    """
    other = empty()
    other[0] = state
    s = other[0]
    envelope, hands = hands_of(deal)
    others = [other for other in range(MAX_PLAYERS) if other != seat]
    s.envelope = envelope
    s.hand[:] = [
        state.hand[seat] if other == seat else hands[other] for other in range(MAX_PLAYERS)
    ]
    for field in _OWN:
        for other in others:
            part = s[field][other : other + 1].view(np.uint8)
            part[:] = noise.integers(0, 2, part.shape)
    for answerer in others:
        for asker in others:
            s.has_shown[answerer, asker] = noise.integers(1 << 21)
    if s.marginals_of != knowledge_version(state, seat):
        s.marginals[:] = noise.random(s.marginals.shape)
    s.intention = 0  # from before the exchange
    s.event[:] = noise.integers(0, 6, s.event.shape)
    s.key = np.uint64(noise.integers(1 << 62))
    return s
