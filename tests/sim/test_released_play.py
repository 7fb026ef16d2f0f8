"""Turns and ends in simulations of the released program."""

import numpy as np
from positions import position
from presets import spec_of
from test_released import begin_game, config

from mcts.options import Budget
from mcts.search import Search
from sim.players.registry import make
from sim.rules import Rules
from sim.state import ASK, OVER


def know(notebook):
    """Make a notebook certain of suspect 1, weapon 1 and room 1."""
    notebook[:, 0] = 0.0
    notebook[[1, 7, 13]] = 0.0
    notebook[[1, 7, 13], 0] = 1.0


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
