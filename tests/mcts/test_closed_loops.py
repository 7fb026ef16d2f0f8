"""Closed loops: known values, what the belief knows, and what it does when particles run out."""

from dataclasses import replace

import numpy as np
import pytest

from mcts.options import Budget, Options
from mcts.plain.episode import play_episode
from mcts.plain.problem import Problem
from mcts.problems import tiger
from mcts.problems.closed_loop import play
from mcts.search import Search


def listen_until(odds):
    """Return the rule of Tiger that opens a door when it is surer than ``odds``."""

    def choose(p, key):
        if max(p.left, 1 - p.left) < odds:
            return tiger.LISTEN
        return tiger.OPEN_RIGHT if p.left > 0.5 else tiger.OPEN_LEFT

    return choose


@pytest.mark.parametrize(("odds", "value"), [(0.9, 19.3714), (0.8, -73.59), (0.98, 16.2590)])
def test_a_loop_returns_what_its_rule_is_worth(odds, value):
    """The values of `test_tiger`, without an end; the last twentieth of it is behind step 60."""
    start = tiger.TigerParameters(steps=60)
    found = [play(start, tiger.after, listen_until(odds), key) for key in range(400)]
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(value * (1 - 0.95**60), abs=3.5 * error)
    assert error < 5


POT = Problem(
    start=[1],
    actions=lambda pot: ["wait", "take"] if pot else [],
    step=lambda pot, action, chance: (pot + 1, 0.0) if action == "wait" else (0, float(pot)),
    observation=lambda pot: pot,
    low=0.0,
    high=9.0,
    steps=3,
)
"""It grows by one with each turn of waiting."""


@pytest.mark.parametrize(
    ("horizon", "actions", "returned"),
    [(None, ["wait", "wait", "take"], 3.0), (5, ["wait"] * 3, 0.0)],
    ids=["counting", "receding"],
)
def test_a_search_knows_how_many_steps_are_left(horizon, actions, returned):
    """The control waits to the end: it always looks five steps ahead."""
    search, left = Search(POT.position(steps=5), Options(exploration=0.5, nodes=200)), []

    def choose(position, key):
        left.append(position.steps)
        return search.run(Budget(simulations=200), key, position).best

    assert play_episode(POT, choose, 1, 10, horizon)[:2] == (returned, actions)
    assert left == ([3, 2, 1] if horizon is None else [5, 5, 5])
    left.clear()
    listen = play(
        tiger.TigerParameters(steps=3),
        tiger.after,
        lambda p, key: left.append(p.steps) or tiger.LISTEN,
        1,
        horizon,
    )
    assert left == ([3, 2, 1] if horizon is None else [5, 5, 5])
    assert listen == pytest.approx(-1 - 0.95 - 0.95**2)


def test_a_state_met_when_no_step_is_left_is_another_time_not_over():
    """Found first three steps away, then two, from where staying pays: worth 10, not 5."""
    moves = {
        0: {"on": (1, 3.0), "across": (5, 0.0)},
        1: {"on": (2, 1.0)},
        2: {"on": ("end", 1.0)},
        5: {"on": ("end", 0.0)},
        "end": {"stay": ("end", 10.0), "leave": ("out", 0.0)},
        "out": {"leave": ("out", 0.0)},
    }
    problem = Problem(
        start=[0],
        actions=lambda at: list(moves[at]),
        step=lambda at, action, chance: moves[at][action],
        observation=lambda at: at,
        rollout=lambda at, chance: list(moves[at])[-1],
        low=0.0,
        high=10.0,
        steps=3,
    )
    found = [
        Search(replace(problem, same=same).position(), Options(exploration=1.0, nodes=100))
        .run(Budget(simulations=2_000), 1)
        .visits.tolist()
        for same in (False, True)
    ]
    assert found[0] == found[1] and found[0][1] > 1_900


def listen_or_open(state, action, chance):
    left, _ = state
    if action == "listen":
        return (left, (chance.random() < 0.85) == left), -1.0
    reward = -100.0 if left == (action == "open left") else 10.0
    return (chance.random() < 0.5, chance.random() < 0.5), reward


TIGER = Problem(
    start=[(True, None), (False, None)],
    actions=lambda state: ("listen", "open left", "open right"),
    step=listen_or_open,
    observation=lambda state: state[1],
    low=-2000.0,
    high=200.0,
    steps=30,
    discount=0.95,
)


def by_particles(position, key):
    """Open a door after two sounds more from the other side: 0.97 of the particles, not 0.85."""
    left = np.mean([state[0] for state in position.number.searched.belief])
    wanted = "listen" if 0.075 < left < 0.925 else "open right" if left > 0.5 else "open left"
    return TIGER.number(wanted)


@pytest.mark.parametrize(
    "likelihood",
    [
        None,
        lambda state, action, heard: 0.5 if action != "listen" else (0.15, 0.85)[state[0] == heard],
    ],
    ids=["rejection", "likelihood"],
)
def test_a_loop_with_particles_returns_what_its_rule_is_worth(likelihood):
    problem = replace(TIGER, likelihood=likelihood)
    found = [play_episode(problem, by_particles, key, 100).returned for key in range(50)]
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(19.3714 * (1 - 0.95**30), abs=3 * error)
    assert np.mean(found) > 0 and error < 5


def test_an_episode_ends_where_particles_run_out():
    silent = replace(
        TIGER, start=lambda chance: (chance.word % 7, None), step=lambda s, a, c: (s, 0.0)
    )
    faulty = replace(silent, observation=lambda state: state)
    found = [play_episode(faulty, by_particles, key, 1) for key in range(20)]
    assert {episode.deprived for episode in found} == {False, True}
    assert all(len(episode.actions) == 1 for episode in found if episode.deprived)
    over = replace(TIGER, terminal=lambda state: True)
    assert not play_episode(over, by_particles, 1).deprived


def look_or_take(state, action, chance):
    return (state[0], state[1] + 1), 0.0


DOORS = Problem(
    start=[("left", 0), ("right", 0)],
    actions=lambda state: ["look", "take"] if state[1] < 3 else [],
    step=look_or_take,
    observation=lambda state: state[1],
    low=0.0,
    high=1.0,
    steps=3,
)


def test_an_action_that_cannot_be_done_is_told():
    """An action chosen for the particles must be legal in the state that nobody knows."""
    peeping = replace(DOORS, actions=lambda state: ["look", state[0]])
    messages = set()
    for key in range(9):
        try:
            play_episode(peeping, lambda position, _: peeping.number("left"), key, 20)
        except ValueError as fault:
            messages.add(str(fault))
        else:
            messages.add("played")
    assert messages == {
        "'left' was chosen but is illegal: actions must not depend on hidden information",
        "played",
    }
