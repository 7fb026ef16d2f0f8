"""A position of a recorded game to play on from, its hidden part drawn anew for one seat.

Deal and moves follow from what the seat knows, and chance: the others' cards and the envelope are
a draw from its exact posterior, what they showed one another and accused is made up to fit, and a
walk is the first that leads where it led.  Nothing else of the record comes in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belief.exact.solver import ExactPosterior
from experiments.web.analysis.notebook import Knowledge, evidence_of
from mcts.kernel.rng import new_stream
from sim.game import apply, legal
from sim.player import Player
from sim.records.events import Event, describe_action
from sim.records.stepped import Past
from sim.referee import Deal, open_game
from sim.rules import Rules, world
from sim.state import ACCUSE, N_ACTIONS, PASS, PASSAGE, REVEAL, SHOW, WALK, empty


def draw_past(
    rules: Rules, seats: Sequence[Player], seat: int, known: Sequence[Event], seed: int
) -> Past:
    """Return a past of the game that ``seat`` could not tell from the one it has seen.

    Parameters
    ----------
    seats : players who go on with it
    known : events that the seat knows of, from the deal up to a turn decision
    seed : of the random numbers

    Raises
    ------
    ValueError
        With one sentence, if it is out, or what happened does not follow from what it knows.
    belief.evidence.EvidenceFull
        If the posterior does not fit into memory.
    """
    if any(one["event"] == "verdict" and one["seat"] == seat for one in known):
        raise ValueError("this seat is out, and has nothing more to decide")
    return _Drawing(rules, seats, seat, known, seed).past


class _Drawing:
    """The game as it is drawn: a state, to which one known event after another is done."""

    def __init__(
        self,
        rules: Rules,
        seats: Sequence[Player],
        seat: int,
        known: Sequence[Event],
        seed: int,
    ) -> None:
        knowledge = Knowledge.of(rules, seat, known)
        stream = new_stream(seed)
        (holders,) = ExactPosterior(evidence_of(knowledge)).sample(stream, 1).tolist()
        masks = [
            sum(1 << card for card, who in enumerate(holders) if who == holder)
            for holder in range(rules.players + 1)
        ]
        assert knowledge.face_up is not None and masks[1 + seat] == knowledge.hand
        rolls = (one["steps"] for one in known if one["event"] == "roll")
        deal = Deal(masks[0], knowledge.face_up, tuple(masks[1:]), next(rolls, 0))
        self._board, self._chance = world(rules)[0], np.random.default_rng(seed)
        self._states = open_game(rules, seats, seed, 0, deal).states
        self._moves: list[list[int]] = []
        for event in known:
            self._do(event, seat)
        moves = [(action, roll) for action, roll in self._moves]
        self.past = Past(tuple(deal), tuple(moves))

    def _do(self, event: Event, seat: int) -> None:
        """Do what an event says; what led to it is found, where it is not for the seat to know."""
        state = self._states[0]
        match event:
            case {"event": "roll", "steps": steps}:
                state.roll = steps
                if self._moves:
                    self._moves[-1][1] = steps
            case {"event": "show"}:
                if state.phase == SHOW:  # else it was the only card, and is shown by now
                    self._act(event["action"])
            case {"event": "refute", "by": by}:
                if state.answerer != (-1 if by is None else by):
                    raise ValueError("what was answered does not follow from the cards")
            case {"event": "reach"} if event["seat"] != seat:
                self._act(self._find(event))
            case {"event": "verdict"}:
                self._act(self._find(event))
            case {"action": action}:
                self._act(action)
        hidden = event["event"] == "refute" and seat not in (event["seat"], event["by"])
        if hidden and state.phase == SHOW:
            self._act(int(self._chance.choice(self._legal())))

    def _act(self, action: int) -> None:
        state = self._states[0]
        if action not in self._legal():
            raise ValueError("what happened does not follow from the cards")
        apply(self._board, state, action)
        state.events = 0
        self._moves.append([action, int(state.roll)])

    def _find(self, event: Event) -> int:
        """Return the first action, apart from a right accusation, that leads to ``event``."""
        state, trial = self._states[0], empty()
        for action in self._legal():
            moves = action <= PASSAGE or action == PASS or action >= WALK
            if moves if event["event"] == "reach" else ACCUSE <= action < REVEAL:
                trial[0] = state
                apply(self._board, trial[0], action)
                if event in describe_action(self._board, state, action, trial[0]):
                    return action
        raise ValueError("a pawn moved as it cannot with these players: choose another event")

    def _legal(self) -> list[int]:
        options = np.empty(N_ACTIONS, np.int64)
        return options[: legal(self._board, self._states[0], options)].tolist()
