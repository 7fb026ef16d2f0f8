"""Beliefs about the envelope in games among compiled policies, moment by moment.

In each game one seat, in rotation, is the observer.  Every belief is handed what that seat saw,
from the start, and is read at fixed numbers of suggestions; a moment that the game did not reach
gives no row.  Moments of one game are dependent: `experiments.beliefs.calibration` takes its
intervals by game.

A wrong accusation that everybody hears is handed on as it comes, and is no suggestion.  What an
observer could conclude from who did *not* accuse, or accused wrongly in secret, is part of no
belief, and is not handed on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from belief.beliefs.base import Belief, Setting
from belief.beliefs.particles import ParticleDeprivation
from belief.beliefs.registry import make_belief
from belief.evidence import (
    ALL_CARDS,
    ENVELOPE,
    N_CARDS,
    ContradictoryEvidence,
    EvidenceFull,
    lowest,
)
from belief.information import entropy
from experiments import study
from mcts.kernel.rng import new_stream
from sim.arena import Memory, run
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.chance import game_key, search_key
from sim.game import new_game
from sim.policies.registry import Policy, seat_policies
from sim.rules import Rules, world
from sim.state import ACCUSED, OVER, empty
from sim.suggestion_events import setting_of, suggestion_events

MOMENTS = (2, 4, 8, 12, 16, 24, 32)
"""Suggestions made, by all players together, when the beliefs are read."""

FAILURES = (ContradictoryEvidence, EvidenceFull, ParticleDeprivation)
"""What may happen to a belief in an ordinary game; it is counted, and the belief is spent."""

ROWS = study.Rows(
    file="moments.parquet",
    units="games",
    schema={
        "belief": pl.String,
        "game": pl.Int64,
        "seat": pl.Int64,  # of the observer
        "suggestions": pl.Int64,  # made so far: one of the moments
        "truth": pl.Int64,  # mask of the three cards in the envelope
        "unseen": pl.Int64,  # mask of the cards neither in the observer's hand nor face up
        "probability": pl.Float64,  # of the true envelope
        "entropy": pl.Float64,  # of the envelope, in bits
        "envelope": pl.Array(pl.Float64, N_CARDS),  # P(card is in the envelope), by card
        "raised": pl.String,  # why there are no figures here, one of `FAILURES`; else null
        "contradictions": pl.Int64,  # readings so far in which it contradicted itself
        "microseconds": pl.Float64,  # an update, over the whole game: the same in its rows
    },
    more=("games", "bins"),
)
"""One row a belief, game and moment."""


@dataclass(frozen=True)
class Game:
    """One game: ``hands`` (players,), ``face_up`` and ``envelope`` are masks.

    ``suggestions``, int64 (n, 4), are rows (asker, cards, answerer or -1, card shown or -1), and
    among them heard accusations (`sim.state.EVENT`).
    """

    number: int
    hands: tuple[int, ...]
    face_up: int
    envelope: int
    suggestions: np.ndarray


@dataclass(frozen=True)
class Seen:
    """A game as one seat saw it.

    Attributes
    ----------
    setting : what it knew before the first suggestion
    events : int64 (n, 4), see `belief.events`
    ends : (suggestions,) events seen when each suggestion, and no accusation, had been answered
    """

    setting: Setting
    events: np.ndarray
    ends: np.ndarray


def play(
    rules: Rules, policies: Sequence[Policy], seed: int, numbers: Iterable[int], longest: int
) -> Iterator[Game]:
    """Play the games ``numbers`` of run ``seed``, each up to ``longest`` suggestions.

    Raises EvidenceFull if the posterior of a greedy player does not fit into memory.
    """
    board, state, memory = world(rules)[0], empty()[0], Memory(policies)
    seat_policies(state, policies)
    state.recording = 1
    for number in numbers:
        new_game(board, state, np.uint64(game_key(seed, number)))
        asked: list[np.ndarray] = []
        while state.phase != OVER and state.asked < longest:
            while not run(board, state, memory.work, memory.sample):
                memory.grow()
            asked.extend(state.event[: state.events].copy())
            state.events = 0
        yield Game(
            number=number,
            hands=tuple(map(int, state.hand[: rules.players])),
            face_up=int(state.face_up),
            envelope=int(state.envelope),
            suggestions=up_to(asked, longest),
        )


def up_to(events: Sequence[np.ndarray], longest: int) -> np.ndarray:
    """Return ``events`` up to the suggestion number ``longest`` + 1, int64 (n, 4)."""
    rows = np.array(events, np.int64).reshape(-1, 4)
    return rows[np.cumsum(rows[:, 2] != ACCUSED) <= longest]


def seen_by(seat: int, game: Game, rules: Rules, showing: int) -> Seen:
    """Return what ``seat`` saw of ``game``; it takes the others to show cards by ``showing``."""
    setting = setting_of(rules, seat, game.hands[seat], game.face_up, showing)
    events, ends = suggestion_events(game.suggestions.tolist(), seat, rules.players)
    return Seen(setting, events, ends[game.suggestions[:, 2] != ACCUSED])


def measure(
    game: Game,
    rules: Rules,
    showing: int,
    beliefs: Sequence[str],
    seed: int,
    moments: Sequence[int] = MOMENTS,
) -> list[dict[str, object]]:
    """Return the rows (`ROWS`) of one game, whose observer sits in seat ``number`` mod players.

    Randomness of beliefs that draw is named by (seed, game, seat).
    """
    seat = game.number % rules.players
    seen = seen_by(seat, game, rules, showing)
    reached = [moment for moment in moments if moment <= len(seen.ends)]
    truth = _index(game.envelope)
    rows = []
    for name in beliefs:

        def fresh(name: str = name) -> Belief:
            return make_belief(
                name, seen.setting, new_stream(int(search_key(seed, game.number, seat)))
            )

        same = {
            "belief": name,
            "game": game.number,
            "seat": seat,
            "truth": game.envelope,
            "unseen": ALL_CARDS & ~(seen.setting.hand | seen.setting.face_up),
            "microseconds": _microseconds(fresh, seen.events),
        }
        said = _at_moments(fresh(), seen, truth, reached)
        rows += [
            {**same, "suggestions": moment, **reading}
            for moment, reading in zip(reached, said, strict=True)
        ]
    return rows


def _at_moments(
    belief: Belief, seen: Seen, truth: tuple[int, int, int], moments: Sequence[int]
) -> Iterator[dict[str, object]]:
    """Yield what the belief says at each of ``moments``; once it has failed, why."""
    observed, raised = 0, None
    for moment in moments:
        end = int(seen.ends[moment - 1])
        if raised is None:
            try:
                belief.observe(seen.events[observed:end])
                table, matrix = belief.envelope_table(), belief.marginals()
            except FAILURES as fault:
                raised = type(fault).__name__
        observed = end
        if raised is None:
            yield {
                "probability": float(table[truth]),
                "entropy": float(entropy(table.ravel())),
                "envelope": matrix[:, ENVELOPE],
                "contradictions": belief.contradictions,
            }
        else:
            yield {"raised": raised}


def _microseconds(fresh: Callable[[], Belief], events: np.ndarray) -> float | None:
    """Return the time of an update with its read-out; None if there were none or it failed."""
    belief = fresh()
    try:
        begun = time.perf_counter()
        belief.replay(events)
        spent = time.perf_counter() - begun
    except FAILURES:
        return None
    return 1e6 * spent / len(events) if len(events) else None


def _index(envelope: int) -> tuple[int, int, int]:
    """Return the place of ``envelope`` (mask) in an envelope table (6, 6, 9)."""
    suspect, weapon, room = (int(lowest(envelope & inside)) for inside in CATEGORY_MASK)
    return suspect, weapon - FIRST_WEAPON, room - FIRST_ROOM
