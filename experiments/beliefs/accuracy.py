"""Accuracy of beliefs about the envelope in games among compiled policies, by moment.

In each game one seat, in rotation, is the observer.  Every belief gets what that seat saw, from the
start, and is read at fixed numbers of suggestions; a moment that the game did not reach gives no
row.  Moments of one game are dependent: `experiments.beliefs.calibration` computes intervals by
game.

A wrong accusation that is public is passed to the belief, and is no suggestion.  Beliefs do not get
conclusions from players who did *not* accuse, or who accused wrongly in secret.
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
"""Number of suggestions of all players after which the beliefs are read."""

FAILURES = (ContradictoryEvidence, EvidenceFull, ParticleDeprivation)
"""Expected failures of a belief in an ordinary game: they are counted, and end the belief."""

ROWS = study.Rows(
    file="moments.parquet",
    units="games",
    schema={
        "belief": pl.String,
        "game": pl.Int64,
        "seat": pl.Int64,  # of the observer
        "suggestions": pl.Int64,  # so far: one of the moments
        "truth": pl.Int64,  # mask of the three cards in the envelope
        "unseen": pl.Int64,  # mask of the cards neither in the observer's hand nor face up
        "probability": pl.Float64,  # of the true envelope
        "entropy": pl.Float64,  # of the envelope, in bits
        "envelope": pl.Array(pl.Float64, N_CARDS),  # P(card is in the envelope), by card
        "raised": pl.String,  # the failure that left no figures, one of `FAILURES`; or null
        "contradictions": pl.Int64,  # contradictory readings so far
        "microseconds": pl.Float64,  # per update, over the whole game
    },
    more=("games", "bins"),
)
"""One row per belief, game and moment."""


@dataclass(frozen=True)
class Game:
    """One game: ``hands`` (players,), ``face_up`` and ``envelope`` are masks.

    ``suggestions``, int64 (n, 4), are rows (asker, cards, answerer or -1, card shown or -1),
    including heard accusations (`sim.state.EVENT`).
    """

    number: int
    hands: tuple[int, ...]
    face_up: int
    envelope: int
    suggestions: np.ndarray


@dataclass(frozen=True)
class Seen:
    """A game as seen from one seat.

    ``setting``: its knowledge before the first suggestion; ``events``: int64 (n, 4), see
    `belief.events`; ``ends``: (suggestions,) number of events by the answer to each suggestion,
    without accusations.
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
    """Return ``events`` before suggestion number ``longest`` + 1, int64 (n, 4)."""
    rows = np.array(events, np.int64).reshape(-1, 4)
    return rows[np.cumsum(rows[:, 2] != ACCUSED) <= longest]


def seen_by(seat: int, game: Game, rules: Rules, showing: int) -> Seen:
    """Return what ``seat`` saw of ``game``, assuming that the others show cards by ``showing``."""
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
    """Return the rows (`ROWS`) of one game, with the observer in seat ``number`` mod players.

    (seed, game, seat) determines the randomness of beliefs that draw.
    """
    seat = game.number % rules.players
    seen = seen_by(seat, game, rules, showing)
    reached = [moment for moment in moments if moment <= len(seen.ends)]
    suspect, weapon, room = (int(lowest(game.envelope & inside)) for inside in CATEGORY_MASK)
    truth = suspect, weapon - FIRST_WEAPON, room - FIRST_ROOM
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
    """Yield the belief's reading at each of ``moments``, or the failure once it has failed."""
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
    """Return the time of an update with its reading; None without updates or after a failure."""
    belief = fresh()
    try:
        begun = time.perf_counter()
        belief.replay(events)
        spent = time.perf_counter() - begun
    except FAILURES:
        return None
    return 1e6 * spent / len(events) if len(events) else None
