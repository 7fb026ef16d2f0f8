"""Rows of suggestions, decisions and certainties, which a run may write beside those of games.

Tables 4.3 and 4.4 of [Ledford 2018] are made from the first (`experiments.runs.figures`); for the
last see `experiments.matches.certainty`.  An
`Observer` watches a game (`sim.referee.play`) and changes nothing in it.

What a seat believes is computed from what that seat saw alone (`sim.suggestion_events`),
any player there: the factored belief of the thesis [Ledford 2018, App. B; eq. 3.1], whose whole
matrix has 30 bits at the start of its game, and the exact posterior, of which the envelope's
entropy is taken.  Both take in what everybody heard accused, and cards as shown at random; neither
reads anything into what is named or who does not accuse.
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
        ("player", pa.string()),  # who sits there
        ("suspect", pa.string()),
        ("weapon", pa.string()),
        ("room", pa.string()),
        ("answered_by", pa.int64()),  # seat that showed a card, -1 if nobody could
        ("known", pa.int64()),  # of the three cards: own, face up, or shown to the suggester before
        ("own", pa.int64()),  # of the three cards: in its hand
        # of the suggester, in bits, before the suggestion and after the answer
        ("entropy_before", pa.float64()),  # of the whole factored belief
        ("entropy_after", pa.float64()),
        ("envelope_before", pa.float64()),  # of the envelope, exact; null: does not fit in memory
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
        ("envelope", pa.float64()),  # its exact entropy in bits before the decision, or null
        # means of the search at its root, in chances to win: of the action chosen ...
        ("value", pa.float64()),
        ("going_on", pa.float64()),  # ... and the highest of those that do not accuse, or null
        ("accusing", pa.float64()),  # probability of the likeliest accusation on offer, or null
    ]
)
"""Columns of the rows of decisions: those that a planner searched for, and no other."""

KINDS = {"suggestions": SUGGESTION, "decisions": DECISION, "certainties": CERTAINTY}
"""Kinds of rows with their columns."""

Watch = Callable[[np.record, int], None]
"""What `sim.referee.play` takes as ``watch``."""

_WORDS = {
    WALK: "walk",
    PASS: "stay",
    REVEAL: "show",
    ACCUSE: "accusation",
    ASK: "suggestion",
    PASSAGE: "passage",
    MOVE: "move",
}
"""Kinds of actions by the first number that they have, highest first."""


def together(*watches: Watch | None) -> Watch | None:
    """Return one watch that calls ``watches`` in turn, without those that are None.

    None if all are: a game that nobody watches is played faster.
    """
    there = [watch for watch in watches if watch is not None]
    if len(there) < 2:
        return there[0] if there else None

    def watch(state: np.record, action: int) -> None:
        for observe in there:
            observe(state, action)

    return watch


class EnvelopeEntropies:
    """The entropy of the envelope for the seats of a table, computed again only where news came."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, float | None]] = {}
        self._work: Workspace | None = None

    def of(self, evidence: np.record) -> float | None:
        """Return the bits under the exact posterior of one seat, None if it has no room.

        ``evidence`` is an element of `belief.evidence.EVIDENCE`; it names its seat.
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
    """Beliefs of one seat, from what it saw alone."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._factored = FactoredBelief(setting)
        self._taken_in = 0
        records = setting.records()
        self.evidence, self._records = records[0], records.view(np.ndarray)

    def see(self, suggestions: Sequence[tuple[int, int, int, int]]) -> None:
        """Take in what is new of all ``suggestions`` so far (`sim.state.EVENT`)."""
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
    """Writes down suggestions, decisions and certainties of the game that it watches.

    ``match``: name of the match; ``rules``, ``seats``, ``game``: as the referee is given them;
    ``kinds``: of rows to write, of `KINDS`.  Attribute ``rows``: by kind, whole once the game is
    over.
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
        # What planners had spent, by seat: they count from 0 in every game.
        planners = [seat for seat, player in enumerate(seats) if player.policy is None]
        self._spent = dict.fromkeys(planners if "decisions" in kinds else (), (0, 0, 0.0))

    def __call__(self, state: np.record, action: int) -> None:
        """Take note of ``action``, which comes next in ``state``; -1 for the end."""
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
        """Take in an accusation, unless it is right: then the game is over."""
        pair, room = divmod(action - ACCUSE, len(ROOMS))
        suspect, weapon = divmod(pair, len(WEAPONS))
        cards = 1 << suspect | 1 << FIRST_WEAPON + weapon | 1 << FIRST_ROOM + room
        if cards != state.envelope:
            row = self._row(state, int(state.seat))
            self._take_in(row, (row["seat"], cards, ACCUSED, -1))

    def _take_in(self, row: dict[str, Any], event: tuple[int, int, int, int]) -> None:
        """Add an ``event`` of the turn in ``row`` to what was seen; note what it determines."""
        self._answered.append(event)
        if self._certainties is not None:
            about = {key: row[key] for key in ("match", "game", "turn")}
            for seat, category, right in self._certainties.see(event):
                own = {"seat": seat, "player": self._seats[seat].name, "category": category}
                certain = {**about, **own, "own_turn": self._begun[seat], "right": right}
                self.rows["certainties"].append(certain)

    def _answer(self, state: np.record, action: int) -> None:
        """Take in the answer: the card being shown now, or one that left no choice, or none."""
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
        """Write a row if ``action`` was searched for: then its player alone has spent anything."""
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
        """Return what ``seat`` believes after all that it has seen."""
        self._minds[seat].see(self._answered)
        return self._minds[seat]

    def _row(self, state: np.record, seat: int) -> dict[str, Any]:
        """Return the columns that say what a row is about."""
        return {
            "match": self._match,
            "game": self._game,
            "turn": int(state.turn),
            "seat": seat,
            "player": self._seats[seat].name,
        }


def _predict(result: SearchResult | None) -> dict[str, float | None]:
    """Return what a search expects at its root, null where it looked at nothing of the kind."""
    if result is None:  # a player that thinks, and keeps no table of its root
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
    """Return the word of `sim.records.events` for ``action``, chosen in ``state``."""
    if action == PASS and state.phase == END:
        return "pass"
    return next(word for first, word in _WORDS.items() if action >= first)
