"""The Bayesian-network player: its information, moves, suggestions and switches."""

from __future__ import annotations

import numpy as np
import pytest

from belief.beliefs.registry import make_belief
from belief.evidence import ENVELOPE
from mcts.kernel.rng import new_stream
from sim.cards import CARDS, ROOMS
from sim.player import PolicyPlayer
from sim.players.bayes import BayesPlayer, decide
from sim.players.paper import EVIDENCE, Opinion
from sim.referee import play
from sim.rules import preset, world
from sim.state import ACCUSE, ACCUSED, ASK, END, MOVE, PASS, PASSAGE, SUGGEST, TURN, WALK, empty
from sim.suggestion_events import setting_of, suggestion_events
from sim.view import Log

FERRARI = preset("ferrari2009")
BOARD = world(FERRARI)[0]
STUDY, HALL, LOUNGE, KITCHEN = map(ROOMS.index, ("Study", "Hall", "Lounge", "Kitchen"))


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_a_heard_accusation_is_no_suggestion(evidence):
    """Tables have no place for it, the posterior has; the control hears that nobody answers."""
    hand = 1 << 0 | 1 << 1 | 1 << 6 | 1 << 12 | 1 << 13 | 1 << 14
    chances = []
    for event in (None, (1, 1 << 2 | 1 << 8 | 1 << 16, ACCUSED, -1), (1, 1 << 2 | 1 << 8, -1, -1)):
        log = Log()
        if event:
            log.append(event)
        chances.append(Opinion(evidence, FERRARI, 0, hand, 0).update(log).copy())
    assert (chances[0] == chances[1]).all() == (evidence != "exact")
    assert (chances[0] != chances[2]).any()


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_it_believes_what_the_belief_of_that_name_does(evidence):
    name = "exact" if evidence == "exact" else f"tables_{evidence}"
    furthest = []

    class Compared(BayesPlayer):
        def decide(self, view):
            action = super().decide(view)
            setting = setting_of(self.rules, self.seat, self.hand, self.face_up)
            twin = make_belief(name, setting, new_stream(1))
            twin.observe(suggestion_events(self.log.events.tolist(), self.seat, 3)[0])
            there = twin.marginals()[:, ENVELOPE]
            furthest.append(np.abs(self.opinion.chances - there).max())
            return action

    for game in range(3):
        others = [PolicyPlayer("heuristic")] * 2
        play(FERRARI, [others[0], Compared(evidence=evidence), others[1]], 2, game)
    assert len(furthest) > 20 and max(furthest) < 1e-12


# One decision, with chances made up.

EVEN = [0, 0, 0.25, 0.25, 0.25, 0.25], [0, 0.2, 0.2, 0.2, 0.2, 0.2]


def seat(rules=FERRARI, phase=TURN, room=None, player=None, **switches):
    """Return a player in seat 0 with the cards 0, 1, 6, 12, 13, 14, and a function that asks it."""
    player, views = player or BayesPlayer(evidence="exact", **switches), empty()
    s = views[0]
    s.hand[0] = sum(1 << card for card in (0, 1, 6, 12, 13, 14))
    player.begin(rules, 0, views, 1)
    board = world(rules)[0]
    s.spot[:3], s.phase = board.start[:3], phase
    if room is not None:
        s.spot[0] = board.first_door[room]

    def ask(suspects, weapons, rooms):
        player.opinion.chances[:] = [*suspects, *weapons, *rooms]
        return player.decide(views)

    return ask, s


def only(*rooms):
    """Return the chances of the nine rooms, even over ``rooms``."""
    return [(room in rooms) / len(rooms) for room in range(9)]


def test_it_walks_to_the_nearest_room_that_is_open():
    ask, s = seat()
    steps = [int(BOARD.steps[room, s.spot[0]]) for room in range(9)]
    far = sorted(range(9), key=steps.__getitem__)
    assert steps[far[0]] < steps[far[4]] < steps[far[7]]
    assert ask(*EVEN, only(*range(9))) == MOVE + far[0]
    assert ask(*EVEN, only(far[4], far[7])) == MOVE + far[4]
    for place in (4, 7):
        rooms = [0.05 * (room in far[3:8]) for room in range(9)]
        rooms[far[place]] += 0.75
        assert ask(*EVEN, rooms) == MOVE + far[3]  # 0.8 is below the threshold
        rooms = [0.01 * (room in far[3:8]) for room in range(9)]
        rooms[far[place]] += 0.95
        assert ask(*EVEN, rooms) == MOVE + far[place]


def test_a_passage_is_nearest():
    ask, _ = seat(room=STUDY)
    assert ask(*EVEN, only(STUDY, HALL, KITCHEN)) == PASSAGE
    assert ask(*EVEN, only(STUDY, HALL)) == MOVE + HALL


def test_the_room_where_it_stands_is_entered_again_or_another_first():
    rooms = only(HALL, LOUNGE)
    ask, _ = seat(room=HALL)
    assert ask(*EVEN, rooms) == MOVE + LOUNGE
    ask, s = seat(room=HALL, again="same")
    out = ask(*EVEN, rooms)
    assert out == WALK + BOARD.neighbours[s.spot[0], 0]
    s.spot[0] = out - WALK
    assert ask(*EVEN, rooms) == MOVE + HALL
    ask, _ = seat(room=HALL)  # the one that is left: by way of the nearest other
    nearest = ask(*EVEN, only(HALL))
    assert MOVE <= nearest < PASSAGE and nearest != MOVE + HALL
    ask, _ = seat(preset("ferrari2009", movement="towards"), room=HALL, again="same")
    assert ask(*EVEN, rooms) == MOVE + LOUNGE  # it may not stop before the door


def test_summoned_it_suggests_at_once():
    ask, s = seat(room=HALL)
    s.summoned[0] = 1
    assert ASK <= ask(*EVEN, only(LOUNGE, STUDY)) < ACCUSE


def test_it_names_the_likeliest_open_cards_else_its_own():
    ask, _ = seat(phase=SUGGEST, room=HALL)
    suspects, weapons = [0, 0, 0.2, 0.5, 0.3, 0], [0, 0, 0, 0.06, 0, 0.94]
    assert ask(suspects, weapons, only(HALL, LOUNGE)) == ASK + 6 * 3 + 3
    weapons = [0, 0, 0, 0, 0, 1]
    assert ask(suspects, weapons, only(HALL, LOUNGE)) == ASK + 6 * 3 + 0
    assert ask([0, 0, 0, 0, 1, 0], weapons, only(HALL, LOUNGE)) == ASK + 0


@pytest.mark.parametrize("phase", [TURN, END])
def test_it_accuses_when_all_three_reach_the_threshold(phase):
    ask, _ = seat(phase=phase)
    sure = [0, 0, 0.92, 0.08, 0, 0], [0, 0, 0, 0, 0.91, 0.09], [0, 0, 0, 0, 0, 0, 0, 0.9, 0.1]
    assert ask(*sure) == ACCUSE + 9 * (6 * 2 + 4) + 7
    for kind in range(3):
        less = [list(part) for part in sure]
        less[kind] = [min(p, 0.85) for p in less[kind]]
        assert ask(*less) == PASS if phase == END else ask(*less) < ACCUSE


def test_a_summoned_player_walks_on_where_nothing_is_open():
    """Control: one open card of the three, and it suggests there at once."""
    for opened, stays in ((None, False), ("wrench", True), ("Hall", True)):
        state, chances = _sure(opened)
        action = decide(world(FERRARI).view(np.ndarray), state.view(np.ndarray), 0, chances, 0.9, 0)
        assert (ASK <= action < ACCUSE) == stays


def _sure(opened):
    """Return a seat summoned to the Hall that knows all but the room, and its chances."""
    state = empty()
    s = state[0]
    s.phase, s.summoned[0], s.roll = TURN, 1, 3
    s.spot[0] = BOARD.first_door[HALL]
    chances = np.zeros(21)
    chances[CARDS.index("Plum")] = chances[CARDS.index("rope")] = 1.0
    chances[[CARDS.index("Study"), CARDS.index("Kitchen")]] = 0.5
    if opened is not None:
        chances[CARDS.index(opened)] = 0.3
    return state, chances
