"""The environment for learners: offered accusations, their price, float observations."""

import numpy as np
import pytest
from env_play import accuse, begin_game, play, quiet, read

from belief.exact.solver import ExactPosterior
from sim.chance import game_key
from sim.environment.aec import env, raw_env
from sim.environment.against import Against
from sim.environment.flat import FLAT_LAYOUT, SIZE
from sim.game import new_game
from sim.knowledge import learn
from sim.rules import world
from sim.state import ACCUSE, EVIDENCE, EXTERNAL, REVEAL, TURN, empty

LEARNING = {"accuse_from": 0.2, "wrong_price": 0.5, "flat": True}


def offers_one(core):
    """Return the accusations in the mask."""
    mask = core.observe(core.agent_selection)["action_mask"]
    return (ACCUSE + np.flatnonzero(mask[ACCUSE:REVEAL])).tolist()


@pytest.mark.parametrize("threshold", [0.1, 1.0])
def test_accusations_are_offered_from_a_probability_on(threshold):
    core, rng = begin_game("ledford", accuse_from=threshold), np.random.default_rng(4)
    found = compared = 0
    for _, seen in play(core, rng, 900):
        if read(seen)["phase"] != TURN:
            assert not offers_one(core)
            continue
        facts = evidence_of(core)
        table = ExactPosterior(facts).envelope_table()
        suspects, weapons, rooms = np.nonzero(table >= threshold - 1e-9)
        wanted = (ACCUSE + 9 * (6 * suspects + weapons) + rooms).tolist()
        assert offers_one(core) == wanted
        assert seen["action_mask"][:ACCUSE].any()  # something else can always be done
        compared += 1
        found += len(wanted)
    assert compared > 50 and found > 0


def evidence_of(core):
    """Return what the seat that decides has seen, from the events of the game as they happened."""
    seat = core.possible_agents.index(core.agent_selection)
    state, board = empty()[0], world(core.rules)[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    state.tracks[seat] = EVIDENCE
    new_game(board, state, np.uint64(game_key(core.seed, core.game)))
    for asker, cards, answerer, card in core._logs[seat].events.tolist():
        learn(board, state, seat, asker, cards, answerer, card)
    return state.evidence[seat]


def test_a_wrong_accusation_costs_its_price_at_once():
    game = env(wrong_price=0.25)
    game.reset(seed=5)
    accuse(game.unwrapped, rightly=False)
    assert game.rewards == {"player_0": -0.25, "player_1": 0, "player_2": 0, "player_3": 0}
    game.step(3)
    assert set(game.rewards.values()) == {0}
    assert game.unwrapped._cumulative_rewards["player_0"] == -0.25  # until it is asked again


def test_the_flat_observation_says_what_is_true():
    core, rng = begin_game("ledford", **LEARNING), np.random.default_rng(1)
    for agent, seen in play(core, rng, 200):
        assert core.observation_space(agent).contains(seen)
        vector, seat = seen["observation"], core.possible_agents.index(agent)
        fields = vector.view(FLAT_LAYOUT)[0]
        assert vector.shape == (SIZE,) and vector.dtype == np.float32
        assert fields["phase"].sum() == fields["room"].sum() == 1
        held = np.flatnonzero(fields["chance"][:, 1] == 1.0)
        assert sum(1 << int(card) for card in held) == core._state.hand[seat]
        sums = fields["chance"].sum(axis=1)
        face_up = [int(core._state.face_up) >> card & 1 for card in range(21)]
        np.testing.assert_allclose(sums, 1 - np.array(face_up), atol=1e-5)
        truth = core._state.envelope
        assert all(fields["chance"][card, 0] > 0 for card in range(21) if int(truth) >> card & 1)


def test_what_cannot_be_is_refused():
    assert len(offers_one(begin_game(accuse_from=5e-324))) > 30  # the least there is
    for wrong in (0.0, -0.1, 1.5, float("nan"), "half"):
        with pytest.raises(ValueError, match="accuse_from must be above 0"):
            env(accuse_from=wrong)
    with pytest.raises(ValueError, match="no switch 'accuse_form'"):
        env(accuse_form=0.5)
    for wrong in (-1.0, float("inf"), float("nan"), "much"):
        with pytest.raises(ValueError, match="wrong_price must be a number from 0"):
            env(wrong_price=wrong)


def test_a_seat_is_told_nothing_hidden():
    """Two hidden cards change places: offers and vector stay, until something is seen of it."""
    same = 0
    for game in range(6):
        one, two = (begin_game("speed", game=game, **LEARNING) for _ in range(2))
        cards = [int(two._state.hand[seat]) for seat in (1, 2)]
        a, b = (card & -card for card in cards)
        two._state.hand[1] ^= a | b
        two._state.hand[2] ^= a | b
        seen = [core.observe("player_0") for core in (one, two)]
        assert all((seen[0][key] == seen[1][key]).all() for key in seen[0])
        other = [core.observe("player_1")["observation"] for core in (one, two)]
        same += bool((other[0] == other[1]).all())
    assert same == 0  # the control: who holds them sees it


def test_one_learner_against_policies():
    table = Against("heuristic", "speed")
    rng, rewards = np.random.default_rng(2), []
    table.reset(seed=11)
    for _ in range(12):
        over = False
        seats = {table.agent}
        while not over:
            action = quiet(table.action_masks(), rng)
            _, reward, ended, cut, _ = table.step(action)
            over = ended or cut
            seats.add(table.agent)
        assert len(seats) == 1
        rewards.append(reward)
        table.reset()
    assert set(rewards) <= {-1.0, 0.0, 1.0} and -1.0 in rewards


def wrong_accusation(table):
    """Return one for the learner."""
    offers = np.flatnonzero(table.action_masks()[ACCUSE:REVEAL]) + ACCUSE
    return next(int(action) for action in offers if not accuses_rightly(table.table, action))


@pytest.mark.parametrize("alone", [False, True])
def test_a_learner_pays_for_a_wrong_accusation(alone):
    """Also where it ends the game, since nobody else is left in it."""
    rash = Against("random", accuse_from=None, wrong_price=0.5)
    rash.reset(seed=11)
    rash.table._states["out"][0, 1:4] = alone
    assert rash.step(wrong_accusation(rash))[1:4] == (-1.5, True, False)
    assert all(rash.table.terminations.values()) == alone


def test_a_learner_begins_with_a_decision():
    """Though two turns are all, and some of its seats come later."""
    short = Against("random", "speed", turn_cap=2)
    short.reset(seed=1)
    for _ in range(5):
        assert short.action_masks().any() and short.agent in ("player_0", "player_1")
        over = False
        while not over:
            over = any(short.step(np.flatnonzero(short.action_masks())[0])[2:4])
        short.reset()
    with pytest.raises(ValueError, match="unknown policy 'nobody'"):
        Against("nobody")


def accuses_rightly(core: raw_env, action: int) -> bool:
    """Return whether an accusation names the envelope."""
    suspect, weapon, room = (action - ACCUSE) // 54, (action - ACCUSE) // 9 % 6, (action - 46) % 9
    return core._state.envelope == 1 << suspect | 1 << 6 + weapon | 1 << 12 + room
