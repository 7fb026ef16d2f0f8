"""The problems of POMCPOW's tables: dynamics, observations and values, with planted faults."""

import itertools

import numpy as np
import pytest

from mcts.continuous import model
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream
from mcts.problems import light_dark, sub_hunt, tag

slow = pytest.mark.skipif(INTERPRETED, reason="too many draws for the interpreter")


@pytest.fixture(scope="module")
def problems():
    return {
        "light_dark": light_dark.light_dark(),
        "laser_tag": tag.laser_tag(7),
        "sub_hunt": sub_hunt.sub_hunt(size=6),
    }


NAMES = pytest.mark.parametrize("name", ["light_dark", "laser_tag", "sub_hunt"])


def own(p):
    return model.model_of(p)


def outcomes(p, s, action):
    """Return the states that may follow, with their probabilities."""
    found = {}
    for number in range(model.MOST_OUTCOMES):
        following, chance = own(p).outcome(p, s, action, number)
        if chance > 0:
            found[int(following)] = found.get(int(following), 0.0) + chance
    return found


def walk(p, key, length=60):
    """Yield states and actions met on random walks."""
    rng, stream = np.random.default_rng(key), new_stream(key)
    s = np.zeros(1)
    own(p).draw(p, s, stream)
    for _ in range(length):
        action = int(rng.integers(own(p).number("actions", p)))
        yield int(s[0]), action
        following = outcomes(p, int(s[0]), action)
        s[0] = rng.choice(list(following), p=list(following.values()))
        if own(p).terminal(p, s):
            own(p).draw(p, s, stream)


@NAMES
def test_probabilities_of_what_follows_add_up(problems, name):
    p = problems[name]
    for s, action in walk(p, 1):
        assert sum(outcomes(p, s, action).values()) == pytest.approx(1)


@slow
def test_readings_of_lasers_are_drawn_by_their_probabilities(problems):
    """Frequencies of one beam's readings; a beam a cell longer has others."""
    p = problems["laser_tag"]
    s = next(s for s, _ in walk(p, 2) if p.clear[s // 77, 0] >= 2 and s // 77 != s % 77)
    then, seen, stream = np.array([float(s)]), np.zeros(8), new_stream(5)
    counts = np.zeros(p.reading.shape[2])
    for _ in range(4_000):
        own(p).observe(p, 0, then, seen, stream)
        counts[int(seen[0])] += 1
    free = tag._free_cells(p, s // 77, s % 77, 0)
    by = p.reading[0, free]
    assert by.sum() == pytest.approx(1)
    assert abs(counts / 4_000 - by).max() < 0.03
    assert abs(counts / 4_000 - p.reading[0, free + 1]).max() > 0.03


@slow
@pytest.mark.parametrize("action", [sub_hunt.PING, sub_hunt.NORTH])
def test_sonar_is_drawn_by_its_density(action):
    """By mean and deviation of each beam: the log density is greatest on average at the truth."""
    p = sub_hunt.sub_hunt(size=6)
    truth = np.array([float(sub_hunt.place(p, 2, 2, 4, 3, 0, 0))])
    seen, stream = np.zeros(8), new_stream(6)

    def log_density(at):
        return np.log(own(p).density(p, action, np.array([float(at)]), seen))

    others = [sub_hunt.place(p, 2, 2, x, y, 0, 0) for x, y in ((4, 2), (1, 3), (0, 5))]
    gaps = []
    for _ in range(500):
        own(p).observe(p, action, truth, seen, stream)
        gaps.append([log_density(truth[0]) - log_density(at) for at in others])
    assert (np.mean(gaps, axis=0) > 0).all()


def test_the_opponent_flees():
    p = tag.laser_tag(0)
    height = p.blocked.shape[1]
    assert p.blocked[4, 2]

    def state(robot, opponent):
        return (robot[0] * height + robot[1]) * p.blocked.size + opponent[0] * height + opponent[1]

    # robot goes east from (2, 0) to (3, 0); the opponent at (4, 1) flees east or, blocked, stays
    found = outcomes(p, state((2, 0), (4, 1)), tag.EAST)
    assert found == pytest.approx({state((3, 0), (5, 1)): 0.4, state((3, 0), (4, 1)): 0.6})
    # level with the robot in x: 0.2 either way; north is free
    found = outcomes(p, state((6, 0), (6, 1)), tag.TAG)
    near = {(5, 1): 0.2, (7, 1): 0.2, (6, 2): 0.4, (6, 1): 0.2}
    assert found == pytest.approx({state((6, 0), at): chance for at, chance in near.items()})
    assert own(p).reward(p, np.array([state((6, 0), (6, 1))]), tag.TAG, np.zeros(1)) == -10
    caught = state((6, 1), (6, 1))
    assert outcomes(p, caught, tag.TAG) == {p.blocked.size**2: 1.0}
    assert own(p).reward(p, np.array([caught]), tag.TAG, np.zeros(1)) == 10
    assert p.q[caught].argmax() == tag.TAG and p.q[caught].max() == 10


def test_an_engaged_submarine(problems):
    p = problems["sub_hunt"]
    near, far = (sub_hunt.place(p, 2, 2, 2, y, sub_hunt.EAST, 0) for y in (4, 5))
    killed = 8 * 6**4
    assert outcomes(p, near, sub_hunt.ENGAGE) == {killed: 1.0}
    assert outcomes(p, near + 1, sub_hunt.ENGAGE)[killed] == pytest.approx(0.6)
    ahead = {(4, 5): 0.5, (3, 5): 0.25, (3, 4): 0.25}  # a side step off the grid ends at its edge
    assert outcomes(p, far, sub_hunt.ENGAGE) == pytest.approx(
        {
            sub_hunt.place(p, 2, 2, x, y, sub_hunt.EAST, 0): chance
            for (x, y), chance in ahead.items()
        }
    )
    aware = outcomes(p, far, sub_hunt.PING)
    assert all(s % 2 == 1 for s in aware)
    assert own(p).reward(p, np.array([near]), sub_hunt.ENGAGE, np.array([killed])) == 100
    gone = sub_hunt.place(p, 2, 2, 5, 3, sub_hunt.EAST, 0)
    assert own(p).terminal(p, np.array([float(gone)]))
    assert not own(p).terminal(p, np.array([float(gone + 2)]))  # for one that makes for the south


@NAMES
def test_rewards_are_of_a_state_or_of_what_follows_and_of_no_difference(problems, name):
    """POMCP-DPW and POMCPOW go on from a state that followed another one.

    So of two steps with one action, states that follow may be exchanged.
    """
    p, steps = problems[name], {}
    for s, action in walk(p, 5, 300):
        steps.setdefault(action, []).append((s, next(iter(outcomes(p, s, action)))))

    def gain(s, action, then):
        return own(p).reward(p, np.array([float(s)]), action, np.array([float(then)]))

    for action, found in steps.items():
        for (s, then), (other, after) in itertools.pairwise(found):
            exchanged = gain(s, action, after) + gain(other, action, then)
            assert gain(s, action, then) + gain(other, action, after) == exchanged
