"""A position of a recorded game to play on from, its hidden part drawn again for one seat.

Deal and moves follow from what the seat knows, and chance: the others' cards and the envelope are
a draw from its exact posterior, what they showed one another and accused in secret is made up to
fit, and a walk is the first that leads where it led.  Nothing else of the record comes in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belief.exact.solver import ExactPosterior
from experiments.web.analysis.notebook import Knowledge, evidence_of
from mcts.kernel.rng import new_stream
from sim.game import apply
from sim.legal import legal
from sim.player import Player
from sim.records.events import Event, describe_action
from sim.records.stepped import Past
from sim.referee import Deal, open_game
from sim.rules import Rules, world
from sim.state import ACCUSE, N_ACTIONS, PASS, PASSAGE, REVEAL, SHOW, WALK, State, World, empty


def draw_past(
    rules: Rules, seats: Sequence[Player], seat: int, known: Sequence[Event], seed: int
) -> Past:
    """Return a past of the game that to ``seat`` looks like the one it has seen.

    ``seats``: players who go on with it; ``known``: events that the seat knows of, from the deal up
    to a turn decision; ``seed``: of the random numbers.  Raises ValueError with one sentence, if it
    is out, or what happened does not follow from what it knows.  Raises
    belief.evidence.EvidenceFull if the posterior does not fit into memory.
    """
    deal = _draw_deal(rules, seat, known, seed)
    board, state = world(rules)[0], open_game(rules, seats, seed, 0, deal).states[0]
    chance, moves = np.random.default_rng(seed), list[tuple[int, int]]()
    own = -1
    for event in known:
        action = None
        match event:
            case {"event": "roll", "steps": steps}:
                state.roll = steps
                moves[-1:] = [(action, steps) for action, _ in moves[-1:]]
            case {"event": "show"} if state.phase != SHOW:
                pass  # it was the only card, and is shown by now
            case {"event": "refute", "by": by}:
                if state.answerer != (-1 if by is None else by):
                    raise ValueError("what was answered does not follow from the cards")
                if state.phase == SHOW and seat not in (event["seat"], by):
                    action = int(chance.choice(_list_legal(board, state)))
            case {"event": "verdict"}:
                if event["seat"] == seat:
                    raise ValueError("this seat is out, and has nothing more to decide")
                if not board.heard:  # else the accusation itself is known
                    action = _find(board, state, event)
            case {"event": "move" | "walk" | "stay"}:
                own = event["action"]
            case {"event": "reach"}:
                action, own = _find(board, state, event, own), -1
            case {"action": action}:
                pass
        if action is not None:
            if action not in _list_legal(board, state):
                raise ValueError("what happened does not follow from the cards")
            apply(board, state, action)
            state.events = 0
            moves.append((action, int(state.roll)))
    return Past(tuple(deal), tuple(moves))


def _draw_deal(rules: Rules, seat: int, known: Sequence[Event], seed: int) -> Deal:
    knowledge = Knowledge.of(rules, seat, known)
    (holders,) = ExactPosterior(evidence_of(knowledge)).sample(new_stream(seed), 1)
    envelope, *hands = (
        sum(1 << int(card) for card in np.flatnonzero(holders == holder))
        for holder in range(rules.players + 1)
    )
    assert knowledge.face_up is not None and hands[seat] == knowledge.hand
    first = next((one["steps"] for one in known if one["event"] == "roll"), 0)
    return Deal(envelope, knowledge.face_up, tuple(hands), first)


def _find(board: World, state: State, event: Event, own: int = -1) -> int:
    """Return the first action that leads to ``event``, ``own`` before all others.

    A person and a compiled policy may use different doors by the same action
    (`sim.movement.walk_out`).
    """
    trial = empty()
    for action in sorted(_list_legal(board, state), key=lambda action: action != own):
        moves = action <= PASSAGE or action == PASS or action >= WALK
        if moves if event["event"] == "reach" else ACCUSE <= action < REVEAL:
            trial[0] = state
            apply(board, trial[0], action)
            if event in describe_action(board, state, action, trial[0]):
                return action
    raise ValueError("a pawn moved as it cannot with these players: choose another event")


def _list_legal(board: World, state: State) -> list[int]:
    options = np.empty(N_ACTIONS, np.int64)
    return options[: legal(board, state, options)].tolist()
