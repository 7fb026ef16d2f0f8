"""Rows of suggestions, decisions and certainties, which a run may write in addition to games.

The first are the basis of Tables 4.3 and 4.4 of [Ledford 2018] (`experiments.runs.figures`); for
the last see `experiments.matches.certainty`.  An `Observer` watches a game (`sim.referee.play`)
without changing it.

A seat's beliefs are computed only from what it saw (`sim.suggestion_events`), for any player: the
factored belief of the thesis [Ledford 2018, App. B; eq. 3.1], whose whole matrix has 30 bits at the
start, and the exact posterior, for the envelope's entropy.  Both use public accusations and treat
shown cards as chosen at random; neither infers anything from named cards or from players that do
not accuse.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from belief import matrix
from belief.beliefs.base import Setting
from belief.beliefs.factored import FactoredBelief
from belief.events import check_events, record
from belief.evidence import EvidenceFull, lowest
from belief.exact.solver import ExactPosterior, Workspace
from belief.information import entropy
from experiments.matches.certainty import CERTAINTY, Certainties
from mcts.search import SearchResult
from sim.cards import FIRST_ROOM, FIRST_WEAPON, ROOMS, WEAPONS
from sim.cards import cards_of as names
from sim.player import Player
from sim.rules import Rules
from sim.state import ACCUSE, ACCUSED, ASK, END, MOVE, PASS, PASSAGE, REVEAL, SHOW, WALK
from sim.suggestion_events import setting_of, suggestion_events

SUGGESTION = pa.schema(
    [
        ("match", pa.string()),
        ("game", pa.int64()),
        ("turn", pa.int64()),  # of all players together, from 1
        ("seat", pa.int64()),  # of the suggester
        ("player", pa.string()),
        ("suspect", pa.string()),
        ("weapon", pa.string()),
        ("room", pa.string()),
        ("answered_by", pa.int64()),  # seat that showed a card, -1 if none could
        ("known", pa.int64()),  # of the three cards: own, face up, or shown before
        ("own", pa.int64()),  # of the three cards: in its hand
        # of the suggester, in bits, before the suggestion and after the answer
        ("entropy_before", pa.float64()),  # of the whole factored belief
        ("entropy_after", pa.float64()),
        ("envelope_before", pa.float64()),  # of the envelope, exact; null: exceeds memory
        ("envelope_after", pa.float64()),
    ]
)
"""Columns of the rows of suggestions."""

DECISION = pa.schema(
    [
        ("match", pa.string()),
        ("game", pa.int64()),
        ("turn", pa.int64()),
        ("seat", pa.int64()),
        ("player", pa.string()),
        ("kind", pa.string()),  # of the action chosen, in the words of `sim.records.events`
        ("simulations", pa.int64()),
        ("seconds", pa.float64()),  # wall time of the search
        ("envelope", pa.float64()),  # exact entropy in bits before the decision, or null
        # mean values at the root, as win probabilities: of the action chosen ...
        ("value", pa.float64()),
        ("going_on", pa.float64()),  # ... and the best action other than accusing, or null
        ("accusing", pa.float64()),  # probability of the most likely legal accusation, or null
    ]
)
"""Columns of the rows of decisions; only decisions that were searched."""

KINDS = {"suggestions": SUGGESTION, "decisions": DECISION, "certainties": CERTAINTY}
"""Columns by kind of row."""

Watch = Callable[[np.record, int], None]
"""The type of ``watch`` of `sim.referee.play`."""

_WORDS = {
    WALK: "walk",
    PASS: "stay",
    REVEAL: "show",
    ACCUSE: "accusation",
    ASK: "suggestion",
    PASSAGE: "passage",
    MOVE: "move",
}
"""Kinds of actions by their first number, highest first."""


def together(*watches: Watch | None) -> Watch | None:
    """Return one watch that calls ``watches`` in turn, skipping None.

    Returns None if all are None: an unwatched game is played faster.
    """
    there = [watch for watch in watches if watch is not None]
    if len(there) < 2:
        return there[0] if there else None

    def watch(state: np.record, action: int) -> None:
        for observe in there:
            observe(state, action)

    return watch


class EnvelopeEntropies:
    """The envelope's entropy for the seats of a table, recomputed only after new evidence."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, float | None]] = {}
        self._work: Workspace | None = None

    def of(self, evidence: np.record) -> float | None:
        """Return the bits under one seat's exact posterior, None if it does not fit in memory.

        ``evidence``: an element of `belief.evidence.EVIDENCE`, which names its seat.
        """
        seat, seen = int(evidence["seat"]), evidence.tobytes()
        if self._known.get(seat, (b"", None))[0] != seen:
            try:
                posterior = ExactPosterior(evidence, self._work)
                self._work = posterior.work
                bits = float(entropy(posterior.envelope_table().ravel()))
            except EvidenceFull:
                bits = None
            self._known[seat] = (seen, bits)
        return self._known[seat][1]


class _Mind:
    """Beliefs of one seat, from what it saw."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._factored = FactoredBelief(setting)
        self._taken_in = 0
        records = setting.records()
        self.evidence, self._records = records[0], records.view(np.ndarray)

    def see(self, suggestions: Sequence[tuple[int, int, int, int]]) -> None:
        """Process the new ones of all ``suggestions`` so far (`sim.state.EVENT`)."""
        new = suggestions[self._taken_in :]
        events = suggestion_events(new, self._setting.seat, self._setting.players)[0]
        self._factored.observe(events)
        record(self._records, check_events(events, self._records))
        self._taken_in = len(suggestions)

    @property
    def bits(self) -> float:
        """The entropy of the whole factored belief."""
        return float(matrix.entropy(self._factored.matrix))


class Observer:
    """Collects rows of suggestions, decisions and certainties of the game that it watches.

    ``match``: its name; ``rules``, ``seats``, ``game``: as passed to the referee;
    ``kinds``: of rows to collect, from `KINDS`.  Attribute ``rows``: by kind, complete once the
    game is over.
    """

    def __init__(
        self, match: str, rules: Rules, seats: Sequence[Player], game: int, kinds: Collection[str]
    ) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
        self._match, self._rules, self._seats, self._game = match, rules, seats, game
        self._minds: list[_Mind] = []
        self._entropies = EnvelopeEntropies()
        self._answered: list[tuple[int, int, int, int]] = []
        self._asked: dict[str, Any] | None = None  # the row of the suggestion being answered
        self._known = 0  # mask of the cards that its suggester knew
        self._certainties: Certainties | None = None
        self._begun = [0] * rules.players  # turns of each seat
        self._turn = 0
        # Simulations spent by each seat's planner, counted from 0 in every game.
        planners = [seat for seat, player in enumerate(seats) if player.policy is None]
        self._spent = dict.fromkeys(planners if "decisions" in kinds else (), (0, 0, 0.0))

    def __call__(self, state: np.record, action: int) -> None:
        """Record ``action``, about to be played in ``state``; -1 at the end."""
        if not self._minds:
            face_up = int(state.face_up)
            self._minds = [
                _Mind(setting_of(self._rules, seat, int(state.hand[seat]), face_up))
                for seat in range(self._rules.players)
            ]
            if "certainties" in self.rows:
                self._certainties = Certainties(self._rules, self._seats, state)
        if self._asked is not None:
            self._answer(state, action)
        if state.turn != self._turn:
            self._turn = int(state.turn)
            self._begun[state.seat] += 1
        self._decide(state, action)
        if ASK <= action < ACCUSE:
            self._ask(state)
        elif ACCUSE <= action < REVEAL and self._rules.accusations == "heard":
            self._hear(state, action)

    def _ask(self, state: np.record) -> None:
        """Begin the row of a suggestion."""
        seat = int(state.seat)
        self._asked, self._known = self._row(state, seat), int(state.known[seat])
        if "suggestions" in self.rows:
            mind = self._mind(seat)
            self._asked["entropy_before"] = mind.bits
            self._asked["envelope_before"] = self._entropies.of(mind.evidence)

    def _hear(self, state: np.record, action: int) -> None:
        """Process an accusation, unless it is right, which ends the game."""
        pair, room = divmod(action - ACCUSE, len(ROOMS))
        suspect, weapon = divmod(pair, len(WEAPONS))
        cards = 1 << suspect | 1 << FIRST_WEAPON + weapon | 1 << FIRST_ROOM + room
        if cards != state.envelope:
            row = self._row(state, int(state.seat))
            self._take_in(row, (row["seat"], cards, ACCUSED, -1))

    def _take_in(self, row: dict[str, Any], event: tuple[int, int, int, int]) -> None:
        """Add an ``event`` of the turn of ``row`` to what was seen; record what it determines."""
        self._answered.append(event)
        if self._certainties is not None:
            about = {key: row[key] for key in ("match", "game", "turn")}
            for seat, category, right in self._certainties.see(event):
                own = {"seat": seat, "player": self._seats[seat].name, "category": category}
                certain = {**about, **own, "own_turn": self._begun[seat], "right": right}
                self.rows["certainties"].append(certain)

    def _answer(self, state: np.record, action: int) -> None:
        """Process the answer: the card now shown, a forced card, or none."""
        cards, answerer, asked = int(state.cards), int(state.answerer), self._asked
        assert asked is not None, "an answer follows a suggestion"
        card = -1
        if state.phase == SHOW:
            card = action - REVEAL
        elif answerer >= 0:
            card = int(lowest(state.hand[answerer] & cards))
        self._take_in(asked, (asked["seat"], cards, answerer, card))
        self._asked = None
        if "suggestions" in self.rows:
            mind, hand = self._mind(asked["seat"]), int(state.hand[asked["seat"]])
            asked.update(zip(("suspect", "weapon", "room"), names(cards), strict=True))
            asked["answered_by"] = answerer
            asked["known"] = (self._known & cards).bit_count()
            asked["own"] = (hand & cards).bit_count()
            asked["entropy_after"] = mind.bits
            asked["envelope_after"] = self._entropies.of(mind.evidence)
            self.rows["suggestions"].append(asked)

    def _decide(self, state: np.record, action: int) -> None:
        """Write a row if ``action`` was searched, that is if its player's counters changed."""
        for seat, before in self._spent.items():
            player = self._seats[seat]
            if player.decisions == before[0]:
                continue
            self._spent[seat] = (player.decisions, player.simulations, player.search_seconds)
            row = self._row(state, seat)
            row["kind"] = _kind(state, action)
            row["simulations"] = player.simulations - before[1]
            row["seconds"] = player.search_seconds - before[2]
            row["envelope"] = self._entropies.of(self._mind(seat).evidence)
            self.rows["decisions"].append(row | _predict(getattr(player, "result", None)))

    def _mind(self, seat: int) -> _Mind:
        """Return the beliefs of ``seat``, up to date."""
        self._minds[seat].see(self._answered)
        return self._minds[seat]

    def _row(self, state: np.record, seat: int) -> dict[str, Any]:
        """Return the columns that identify a row."""
        return {
            "match": self._match,
            "game": self._game,
            "turn": int(state.turn),
            "seat": seat,
            "player": self._seats[seat].name,
        }


def _predict(result: SearchResult | None) -> dict[str, float | None]:
    """Return the root statistics of a search, null where it has none of the kind."""
    if result is None:  # the player searches but keeps no root statistics
        return dict.fromkeys(("value", "going_on", "accusing"))
    accuses = (result.actions >= ACCUSE) & (result.actions < REVEAL)
    going_on = result.values[~accuses & (result.visits > 0)]
    (chosen,) = np.flatnonzero(result.actions == result.best)
    return {
        "value": float(result.values[chosen]),
        "going_on": float(going_on.max()) if len(going_on) else None,
        "accusing": float(result.edge_data[accuses].max()) if accuses.any() else None,
    }


def _kind(state: np.record, action: int) -> str:
    """Return the name in `sim.records.events` of ``action``, chosen in ``state``."""
    if action == PASS and state.phase == END:
        return "pass"
    return next(word for first, word in _WORDS.items() if action >= first)
