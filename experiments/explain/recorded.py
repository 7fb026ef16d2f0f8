"""A turn decision of a recorded game: what its seat had seen, knew, and could do.

Decisions are read by a replay that checks every line (`sim.records.replay`).  A player in place of
the seat gets only what the referee would have given it: the record's hidden cards stay hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from belief.beliefs.particles import ParticleDeprivation
from belief.evidence import EvidenceFull
from experiments.settings.commandline import Refusal
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON, WEAPONS, mask_of
from sim.chance import search_key
from sim.game import decider
from sim.legal import legal
from sim.planning.candidates import by_information, list_suggestions, list_ways
from sim.player import Player
from sim.records.events import Event
from sim.records.record import Record, knows
from sim.records.replay import states
from sim.rules import world
from sim.state import ACCUSE, ACCUSED, ASK, MOVE, N_ACTIONS, OVER, PASSAGE, SHOW, TURN
from sim.view import view_of

FIRST_LINE = 2
"""Line of the first event; the header is line 1."""


@dataclass(frozen=True)
class Decision:
    """A turn decision of a recorded game.

    Attributes
    ----------
    record, board : the game, and its rules as a `sim.rules.WORLD`
    line : of the decision in the record
    seat : of the player who decided
    choices : number of legal actions
    opening, view : what the seat saw after the deal, and now (`sim.view.view_of`)
    """

    record: Record
    board: np.record
    line: int
    seat: int
    choices: int
    opening: np.recarray
    view: np.recarray

    @property
    def action(self) -> int:
        """The recorded action."""
        return self.record.events[self.line - FIRST_LINE]["action"]

    @property
    def seen(self) -> list[tuple[int, int, int, int]]:
        """Earlier suggestions and heard accusations, as its seat saw them."""
        return list_seen(self.record.events[: self.line - FIRST_LINE], self.seat)

    @property
    def room(self) -> int:
        """The room of the seat's pawn, or -1."""
        return int(self.board.room_of[self.view[0].spot[self.seat]])


def decisions(record: Record) -> Iterator[Decision]:
    """Replay ``record`` and yield its turn decisions: all but which card to show.

    Raises sim.records.record.RecordError on the first line that contradicts the state machine.
    """
    board, options = world(record.rules)[0], np.empty(N_ACTIONS, np.int64)
    openings: list[np.recarray] = []
    line = FIRST_LINE
    for events, state in states(record):
        line += len(events)
        now = state[0]
        openings = openings or [view_of(now, seat) for seat in range(record.rules.players)]
        if now.phase in (SHOW, OVER):
            continue
        seat = int(decider(now))
        yield Decision(
            record=record,
            board=board,
            line=line,
            seat=seat,
            choices=int(legal(board, now, options)),
            opening=openings[seat],
            view=view_of(now, seat),
        )


def list_seen(events: Sequence[Event], seat: int) -> list[tuple[int, int, int, int]]:
    """Return answered suggestions and heard wrong accusations, as in `Player.see` of ``seat``."""
    log: list[tuple[int, int, int, int]] = []
    heard = False
    for event in events:
        match event:
            case {"event": "suggestion" | "accusation" as kind, "seat": asker, "cards": cards}:
                asked = asker, mask_of(cards)
                heard = kind == "accusation" and event["known_to"] == "all"
            case {"event": "verdict", "right": False} if heard:
                log.append((*asked, ACCUSED, -1))
            case {"event": "refute", "by": by}:
                log.append((*asked, -1 if by is None else by, -1))
            case {"event": "show", "card": card} if knows(event, seat):
                log[-1] = (*log[-1][:3], CARDS.index(card))
    return log


def pick(made: Sequence[Decision], event: int, seat: int | None) -> Decision:
    """Return the one of ``made`` on line ``event``, a decision of ``seat`` if given.

    Raises Refusal, which names the nearest decision, if it is missing or has a single choice.
    """
    record = made[0].record
    players, events = record.rules.players, (*record.events, record.end)
    if seat is not None and not 0 <= seat < players:
        raise Refusal(f"seat={seat}: the game has seats 0 to {players - 1}")
    if not 0 <= event - FIRST_LINE < len(events):
        last = FIRST_LINE + len(events) - 1
        raise Refusal(f"event={event}: the record has events on lines {FIRST_LINE} to {last}")
    found = next((decision for decision in made if decision.line == event), None)
    if found is None:
        fault = f" is no turn decision but {events[event - FIRST_LINE]['event']!r}"
    elif seat not in (None, found.seat):
        fault = f" is a decision of seat {found.seat}"
    elif found.choices == 1:
        fault = f": seat {found.seat} had no choice"
    else:
        return found
    raise Refusal(f"event={event}{fault}; {nearest(made, event, seat)}")


def pick_turn(made: Sequence[Decision], turn: int, seat: int | None) -> Decision:
    """Return the first of ``made`` from turn ``turn`` on in which ``seat`` had a choice.

    The default seat is that of the first recorded player without a compiled policy, or seat 0.
    Raises Refusal if there is none.
    """
    record = made[0].record
    if seat is None:
        outside = (at for at, one in enumerate(record.seats) if one["policy"] == "external")
        seat = next(outside, 0)
    for decision in made:
        if decision.seat == seat and decision.choices > 1 and decision.view[0].turn >= turn:
            return decision
    last = int(made[-1].view[0].turn)
    raise Refusal(
        f"turn={turn}: seat {seat} has no choice from there on; the game has {last} turns"
    )


def nearest(made: Sequence[Decision], event: int, seat: int | None) -> str:
    """Return a phrase on the decision with a choice nearest to line ``event``, but not on it.

    Only of ``seat``, if given; the earlier of two at equal distance.
    """
    fit = [
        decision.line
        for decision in made
        if decision.choices > 1 and decision.line != event and seat in (None, decision.seat)
    ]
    whose = "" if seat is None else f" of seat {seat}"
    if not fit:
        return f"the record has no other turn decision{whose}"
    return f"the nearest turn decision{whose} is event={min(fit, key=lambda at: abs(at - event))}"


def consider(player: Player, decision: Decision, seed: int) -> int:
    """Let ``player`` decide in place of the seat; return its action.

    It uses the random numbers of run ``seed``, independent of the record.  Raises Refusal if it has
    no belief to decide with.
    """
    record, seat = decision.record, decision.seat
    key = int(search_key(seed, record.game, seat))
    player.begin(record.rules, seat, decision.opening, key)
    for event in decision.seen:
        player.see(event)
    try:
        return int(player.decide(decision.view))
    except (EvidenceFull, ParticleDeprivation) as fault:
        raise Refusal(f"event={decision.line}: {fault}") from None


def prior(decision: Decision, marginals: np.ndarray) -> dict[int, float]:
    """Return the information that ranks candidates by action (`sim.planning.candidates`).

    A suggestion has its closed-form information; a move to a room that of the best suggestion
    there, per turn of walking.  ``marginals`` (21, 7) is the seat's belief.
    """
    board, state, seat = decision.board, decision.view[0], decision.seat
    actions, bits, n = np.empty(N_ACTIONS, np.int64), np.empty(N_ACTIONS), 0
    by = by_information(marginals, N_ACTIONS)
    if state.phase == TURN:
        n = list_ways(board, state, by, seat, actions, bits, 0)
    if decision.room >= 0:
        n = list_suggestions(board, state, by, seat, decision.room, actions, bits, n)
    return dict(zip(actions[:n].tolist(), bits[:n].tolist(), strict=True))


def question(decision: Decision, marginals: np.ndarray, action: int) -> tuple[int, ...]:
    """Return the cards that ``action`` suggests, or the best suggestion in its destination.

    None for any other action.
    """
    if action >= ACCUSE:
        return ()
    room = decision.room
    if action < ASK:
        room = int(decision.board.passage[room]) if action == PASSAGE else action - MOVE
        ranked, by = np.empty(1, np.int64), by_information(marginals, 1)
        state = decision.view[0]
        list_suggestions(decision.board, state, by, decision.seat, room, ranked, np.empty(1), 0)
        action = int(ranked[0])
    suspect, weapon = divmod(action - ASK, len(WEAPONS))
    return suspect, FIRST_WEAPON + weapon, FIRST_ROOM + room
