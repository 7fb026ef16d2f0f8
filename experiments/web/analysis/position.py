"""A position of a recorded game to continue, its hidden part drawn again for one seat.

Deal and moves follow from the seat's knowledge and chance: the others' cards and the envelope are
drawn from its exact posterior, hidden answers and secret accusations are chosen to fit, and a walk
is the first with the same end.  Nothing else of the record is used.
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
    """Return a past of the game that looks to ``seat`` like the recorded one.

    ``seats``: the players that continue; ``known``: events that the seat knows, from the deal to a
    turn decision; ``seed``: of the random numbers.  Raises ValueError with one sentence if the seat
    is out, or if events do not follow from its knowledge.  Raises belief.evidence.EvidenceFull if
    the posterior does not fit into memory.
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
                pass  # the only card, shown already
            case {"event": "refute", "by": by}:
                if state.answerer != (-1 if by is None else by):
                    raise ValueError("an answer does not follow from the cards")
                if state.phase == SHOW and seat not in (event["seat"], by):
                    action = int(chance.choice(_list_legal(board, state)))
            case {"event": "verdict"}:
                if event["seat"] == seat:
                    raise ValueError("this seat is out, and has nothing more to decide")
                if not board.heard:  # otherwise the accusation is known
                    action = _find(board, state, event)
            case {"event": "move" | "walk" | "stay"}:
                own = event["action"]
            case {"event": "reach"}:
                action, own = _find(board, state, event, own), -1
            case {"action": action}:
                pass
        if action is not None:
            if action not in _list_legal(board, state):
                raise ValueError("an event does not follow from the cards")
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
    """Return the first action that leads to ``event``, preferring ``own``.

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
    raise ValueError("a pawn moved as these players cannot: choose another event")


def _list_legal(board: World, state: State) -> list[int]:
    options = np.empty(N_ACTIONS, np.int64)
    return options[: legal(board, state, options)].tolist()
