"""Answers, turns and ends in simulations of the released program."""

import numpy as np
import pytest
from positions import position, stream_of
from presets import spec_of
from test_released import begin_game, config

from mcts.kernel.compile import jit
from mcts.options import Budget
from mcts.search import Search
from sim.planning import answers
from sim.planning.released import departures, play
from sim.players.registry import make
from sim.rules import Rules
from sim.state import ACCUSE, ASK, MOVE, OVER, PASSAGE, TURN

# Answers.


def test_answers_in_the_tree_weigh_what_the_belief_gives_them():
    own, out, weights = np.zeros((21, 7)), np.zeros(8, np.int64), np.zeros(8)
    own[0, :3] = 0.2, 0.3, 0.5
    own[6, :3] = 0.5, 0.0, 0.5
    own[12, :3] = 0.6, 0.4, 0.0
    cards = 1 << 0 | 1 << 6 | 1 << 12
    n = answers.list_answers(own, 0, cards, 0, out, weights)
    assert dict(zip(out[:n].tolist(), weights[:n].tolist(), strict=True)) == pytest.approx(
        {370: 0.3, 382: 0.4, 391: 0.7 * 0.6}
    )
    n = answers.list_answers(own, 0, cards, 1 << 2, out, weights)  # column 2 has passed
    assert weights[:n].tolist() == pytest.approx([0.6, 0.4, 0.4 * 0.6])
    own[0, :3] = 0.0, 1.0, 0.0
    n = answers.list_answers(own, 0, cards, 0, out, weights)
    assert out[:n].tolist() == [370, 382]  # "no card" has no chance


@jit
def asked_often(world, state, real, agent, even, cards, stream, held):
    """Fill ``held`` with the hands that answer a question, again and again."""
    first = (state.seat + 1) % world.players
    for i in range(len(held)):
        answers.draw_answer(world, state, real, agent, even, cards, first, 0, stream)
        for seat in range(world.players):
            held[i, seat] = state.hand[seat] & cards


def test_even_answers_are_a_coin_whatever_the_belief_says():
    p, _, state = begin_game("in a room")
    seat = (state.seat + 1) % 4
    belief = state.belief[p.agent]
    belief[[0, 6, 12]] = 0.0
    belief[[0, 6], 0], belief[[0, 6], seat + 1] = 0.9, 0.1
    belief[12, 0] = 1.0
    held, cards = np.zeros((2000, 4), np.int64), 1 << 0 | 1 << 6 | 1 << 12
    shown = {}
    for on in (0, departures.EVEN_ANSWERS):
        world = p.planned.world[0]
        asked_often(world, state, p.planned.seat, p.agent, on > 0, cards, stream_of(5), held)
        shown[on] = [(held[:, seat] == mask).mean() for mask in (0, 1 << 0, 1 << 6)]
    assert shown[0] == pytest.approx([0.81, 0.09, 0.09], abs=0.03)
    assert shown[departures.EVEN_ANSWERS] == pytest.approx([0.5, 0.25, 0.25], abs=0.045)


# Turns.


@jit
def own_turns(world, state, on, out):
    """Fill ``out`` with what the agent does at its turn, again and again; its goal is forgotten."""
    for i in range(len(out)):
        state.goal[state.seat] = -1
        out[i] = play.own_turn(world, state, on)


def drawn_turns(room, on, sure=False):
    """Return 2,000 actions of the agent in seat 0 at a turn in ``room``; it may be ``sure``."""
    p, _, state = begin_game("at a turn")
    world = p.planned.world[0]
    state.phase, state.seat, state.summoned[0] = TURN, 0, 0
    state.spot[0] = world.first_door[room]
    if sure:
        know(state.belief[0])
    out = np.zeros(2000, np.int64)
    own_turns(world, state, on, out)
    return out


def know(notebook):
    """Make a notebook certain of suspect 1, weapon 1 and room 1."""
    notebook[:, 0] = 0.0
    notebook[[1, 7, 13]] = 0.0
    notebook[[1, 7, 13], 0] = 1.0


KNOWN = ACCUSE + 9 * 7 + 1


def test_a_move_has_a_ticket_for_each_room():
    study = 0
    kinds = {}
    for on in (departures.RANDOM_SELF, departures.RANDOM_SELF | departures.MOVE_TICKETS):
        out = drawn_turns(study, on)
        kinds[on] = (out == PASSAGE).mean()
        moved = out[out < PASSAGE] - MOVE
        assert set(moved.tolist()) == set(range(9)) - {study}  # any room, not that of a policy
        assert np.bincount(moved).max() < 1.6 * np.bincount(moved)[1:].min()
    assert list(kinds.values()) == pytest.approx([1 / 2, 1 / 9], abs=0.045)


def test_the_own_seat_accuses_any_trio_once_it_knows():
    on = departures.RANDOM_SELF | departures.MOVE_TICKETS
    out = drawn_turns(0, on, sure=True)
    accused = out[out >= ACCUSE]
    assert len(accused) / len(out) == pytest.approx(0.1, abs=0.03)
    assert len(set(accused.tolist())) > 100
    # The controls: the policy accuses at once, and right; unsure nobody does.
    assert set(drawn_turns(0, departures.MOVE_TICKETS, sure=True).tolist()) == {KNOWN}
    assert (drawn_turns(0, on) < ACCUSE).all()


def test_bold_opponents_accuse_what_is_likeliest_below_four_bits():
    state = begin_game("at a turn")[2]
    matrix = state.belief[2]
    matrix[:] = 0.0
    matrix[:, 1] = 1.0
    matrix[[1, 7, 13], :2] = 0.6, 0.4
    state.bits[2][:] = -1.0
    assert play.is_bold(state, 2) and play.likeliest(matrix) == KNOWN
    assert play.chance_of(matrix, KNOWN) == 1.0
    matrix[:6, 1], matrix[:6, 0] = 0.5, 0.5
    state.bits[2][:] = -1.0
    assert not play.is_bold(state, 2)
    assert play.chance_of(matrix, KNOWN) == pytest.approx(1 / 6)


# What comes of a suggestion: one simulation of a game that ends after the next turn.


def ask(*names, knows=None):
    """Let the agent suggest, the second to answer be known to have a card, and the next play.

    ``knows``: so many seats after the asker one knows the envelope.  Returns asker, what is paid,
    and the state at the end of the game.
    """
    p = begin_game("in a room", *names)[0]
    asker, state = p.agent, p.root[0]
    world = p.planned.world.copy()
    world[0].turn_cap = state.turn + 1
    belief = state.belief[asker]
    belief[[0, 6]] = belief[12:21] = 0.0
    belief[0, (asker + 2) % 4 + 1] = 1.0
    state.hand[asker] = 0
    state.belief[(asker + 1) % 4][6, :5] = 0.2
    if knows is not None:
        know(state.belief[(asker + knows) % 4])
    p = p._replace(planned=p.planned._replace(world=world))
    search = Search(p, config("bmcts_faithful").search_options)
    assert search.run(Budget(simulations=1), 5).actions[0] == ASK
    s = search._workers[0][0]
    assert s.state[0].phase == OVER
    return asker, s.paid, s.state[0]


def test_after_an_answer_the_answerers_left_goes_on():
    asker, _, state = ask()
    assert state.seat == (asker + 1) % 4
    asker, _, state = ask("answerer_next")
    assert state.seat == (asker + 3) % 4


def test_an_opponent_that_knows_wins_at_once():
    asker, paid, state = ask("instant_win", knows=2)
    assert state.winner == (asker + 2) % 4
    assert paid.tolist() == [float(seat == state.winner) for seat in range(6)]
    for control in (
        ask("instant_win"),
        ask(knows=2),
        ask("instant_win", knows=0),
    ):
        assert control[2].winner == -1 and not control[1].any()


def test_who_does_not_know_its_hand_learns_from_its_answers():
    for names, learnt in (((), False), (("own_answers",), True)):
        asker, _, state = ask(*names)
        passed = (asker + 1) % 4  # it had none of the three
        assert (state.belief[passed][6, passed + 1] == 0.0) == learnt


# To the end.


def roll_outs(preset, **changes):
    """Return winner, sum of what is paid, and turns of 100 roll-outs at the opening of seat 2."""
    changes = {f"departures__{name}": value for name, value in changes.items()}
    planner = make(spec_of(preset, budget__simulations=1, **changes), Rules())
    one = position(2, 0)
    p = one.take(planner).position(one.view)
    search, ends = Search(p, planner.config.search_options), []
    for key in range(100):
        search.run(Budget(simulations=1), key)
        s = search._workers[0][0]
        ends.append((s.state[0].winner, s.paid.sum(), s.state[0].turn - one.state.turn))
    return np.array(ends)


def test_the_programs_roll_outs_end():
    """Its own take 138 to 202 ticks on average; without own answers half of ours would not end."""
    for preset in ("bmcts_released", "ld_bmcts_released"):
        ends = roll_outs(preset)
        assert ((ends[:, 0] >= 0) == (ends[:, 1] == 1.0)).all()
        assert (ends[:, 0] >= 0).mean() > 0.9 and 40 < ends[:, 2].mean() < 200
    endless = roll_outs("bmcts_released", own_answers=False, first_seat=False)
    assert (endless[:, 0] < 0).mean() > 0.3
