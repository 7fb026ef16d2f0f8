"""No policy sees what its seat cannot know: hands, envelope, what others learnt, the key.

At decisions in real games by all presets, what the seat cannot know is swapped for another deal
that looks to it like the true one, and noise.  Its choice must stay the same.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from positions import stream_of

from mcts.kernel.compile import INTERPRETED
from sim.arena import Memory, act
from sim.contract.testing import deals, decide, decisions, exchange
from sim.game import open_decision
from sim.legal import legal
from sim.policies.table import NAMES, Policy
from sim.rules import PRESETS, Rules, world
from sim.state import END, N_ACTIONS, SHOW, SUGGEST, TURN, empty

PHASES = (TURN, SUGGEST, SHOW, END)
GAMES = 1 if INTERPRETED else 12
"""Of a preset and a policy, unless enough was seen before."""

ENOUGH = 4
"""Swaps of each phase that can be met."""
A_GAME = 12
"""Decisions of a phase that are looked at in a game."""


def table(name, policy, game):
    """Return (rules, policies, seat): one seat with ``policy``, among others."""
    rules = PRESETS[name]
    around = ("heuristic", "closure", "random", "swift", "uniform")
    seat = game % rules.players
    policies = [Policy(around[i % len(around)]) for i in range(rules.players)]
    showing = ("random", "least_informative")[game % 2]
    policies[seat] = Policy(policy, showing=showing)
    return rules, policies, seat


def choice(state, rules, seat, memory):
    """Return what the policy of ``seat`` chooses, and the goal that it keeps."""
    return decide(state, rules, seat, memory), int(state.goal[seat])


class Situation(NamedTuple):
    """A decision, and the same one with other deals and noise where its seat cannot know."""

    rules: Rules
    seat: int
    memory: Memory
    truth: np.recarray
    others: list[np.recarray]


def situations(name, policy, game, deals_each=2):
    """Yield decisions of a ``policy`` by the preset ``name``, those of each phase that there is."""
    noise, stream = np.random.default_rng(game), stream_of(game)
    rules, policies, seat = table(name, policy, game)
    memory, looked_at = Memory([Policy("greedy")]), Counter()
    for state in decisions(rules, policies, seat, game, memory):
        phase = int(state.phase)
        looked_at[phase] += 1
        # A game of wanderers lasts long: look at decisions spread over it.
        if looked_at[phase] > A_GAME and looked_at[phase] % 16:
            continue
        open_decision(state)
        truth = empty()
        truth[0] = state
        others = [
            exchange(state, seat, deal, noise) for deal in deals(state, seat, stream, deals_each)
        ]
        yield Situation(rules, seat, memory, truth[0], others)


def differences(found, choice):
    """Return by phase how many swaps there were, and how many changed the ``choice``."""
    swaps, changed = Counter(), Counter()
    for rules, seat, memory, truth, others in found:
        phase = int(truth.phase)
        chosen = choice(truth, rules, seat, memory)
        for other in others:
            swaps[phase] += 1
            changed[phase] += choice(other, rules, seat, memory) != chosen
    return swaps, changed


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize("name", PRESETS)
def test_no_policy_sees_what_its_seat_cannot_know(name, policy):
    phases = [phase for phase in PHASES if phase != END or PRESETS[name].accuse != "start"]
    swaps = Counter()
    for game in range(GAMES):
        more, changed = differences(situations(name, policy, game), choice)
        assert not +changed
        swaps += more
        if min(swaps[phase] for phase in phases) >= ENOUGH:
            break
    assert INTERPRETED or all(swaps[phase] >= ENOUGH for phase in phases), swaps
    assert set(swaps) <= set(phases)


def test_a_decision_is_that_of_the_arena():
    for policy in NAMES:
        for game in range(min(GAMES, 2)):
            rules, policies, seat = table("classic", policy, game)
            memory = Memory([Policy("greedy")])
            for number, state in enumerate(decisions(rules, policies, seat, game, memory)):
                one, other = empty(), empty()
                one[0] = other[0] = state
                open_decision(one[0])
                decided = decide(one[0], rules, seat, memory)
                assert act(world(rules)[0], other[0], memory.work, memory.sample) == decided
                if number == 40:
                    break


HIDDEN = {
    "the envelope": lambda s, seat, other: s.envelope,
    "a hand": lambda s, seat, other: s.hand[other],
    "cards known": lambda s, seat, other: s.known[other],
    "a goal": lambda s, seat, other: s.goal[other] + 1,
    "a factored belief": lambda s, seat, other: s.belief[other].view(np.int64).sum(),
    "entropies": lambda s, seat, other: s.bits[other].view(np.int64).sum(),
    "evidence": lambda s, seat, other: s.evidence[other].lacks.sum(),
    "a closure": lambda s, seat, other: s.closure[other].may.sum(),
    "a card shown": lambda s, seat, other: s.has_shown[other, other],
    "a policy": lambda s, seat, other: s.policy[other],
    "scratch": lambda s, seat, other: s.marginals.view(np.int64).sum(),
    "the log": lambda s, seat, other: s.event.sum(),
    "the key": lambda s, seat, other: s.key,
}


@pytest.fixture(scope="module")
def of_a_heuristic():
    return [one for game in range(2) for one in situations("cai2006", "heuristic", game)]


@pytest.mark.parametrize("what", HIDDEN)
def test_a_policy_that_peeks_is_found(what, of_a_heuristic):
    """The control: the choice among what is legal depends on one thing that is hidden."""
    options = np.empty(N_ACTIONS, np.int64)

    def peeking(state, rules, seat, memory):
        seen = HIDDEN[what](state, seat, (seat + 1) % rules.players)
        return int(options[int(seen) % legal(world(rules)[0], state, options)])

    _, changed = differences(of_a_heuristic, peeking)
    assert all(changed[phase] > 0 for phase in PHASES), changed
