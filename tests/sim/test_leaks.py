"""No policy uses hidden information: hands, envelope, others' knowledge, the key.

At decisions in games under all presets, hidden information is replaced by another consistent deal
and noise.  The choice must stay the same.

External programs receive messages: an attacker with this source and all messages, who inverts and
enumerates the key mixing, does not find the deal.
"""

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from heard import BOLD, fresh, wrong
from positions import stream_of

from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import mix
from sim.arena import Memory, act
from sim.chance import deal, game_key
from sim.contract.testing import deals, decide, decisions, exchange
from sim.game import apply, open_decision
from sim.legal import legal
from sim.player import PolicyPlayer
from sim.players import external
from sim.policies.registry import NAMES, Policy
from sim.records.events import names
from sim.referee import play
from sim.rules import PRESETS, Rules, preset, world
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
    policies = [BOLD if one.name == "swift" and game % 2 else one for one in policies]
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


def test_what_was_accused_in_secret_leaves_no_trace():
    """Not in any part of the state, so nobody plays by it; the control: where all hear it."""

    def accuse(which, spoken):
        board, states = fresh(preset("classic", accusations=spoken))
        apply(board, states[0], wrong(states[0], which))
        return states.tobytes()

    assert accuse(0, "secret") == accuse(1, "secret")
    assert accuse(0, "heard") != accuse(1, "heard")


AT_TABLE = preset("speed_clue", players=3, turn_cap=9)
DRAWN = 0x2545F4914F6CDD1D
"""Seed of a run as one draws it: no attacker guesses it."""
SEEDS_TRIED, GAMES_TRIED = (200, 2) if INTERPRETED else (5000, 4)
GOLDEN, WORD = 0x9E3779B97F4A7C15, 2**64 - 1


class Heard(external.ExternalPlayer):
    """A program from outside that keeps its messages, and always does the first thing listed."""

    def __init__(self):
        super().__init__([], 1.0, "heard")
        self.messages = []

    def _start(self):
        pass

    def _say(self, kind, **what):
        self.messages.append({"type": kind, **what})

    def _hear(self, deadline):
        return next(action for action in self.messages[-1]["actions"] if not 46 <= action < 370)


def overhear(seed, game):
    """Return what crosses to the program in seat 1 of a game, and the true hands by seat."""
    heard, dealt = Heard(), []
    play(
        AT_TABLE,
        [PolicyPlayer("closure"), heard, PolicyPlayer("closure")],
        seed,
        game,
        lambda state, action: dealt.append(state.hand[:3].tolist()),
    )
    return heard.messages, dealt[0]


def deal_of(seed, game):
    """Return the hands of a game, as anybody can compute them who has this source."""
    state = empty()[0]
    state.key = np.uint64(game_key(seed, game))
    deal(world(AT_TABLE)[0], state)
    return state.hand[:3].tolist()


def unmix(word):
    """Return what `mix` made ``word`` of."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        step = word
        for _ in range(64 // shift):
            step = word ^ step >> shift
        word = step * pow(factor, -1, 2**64) & WORD
    return word


def unfold(key, *words):
    """Return the key above ``key``, below which ``words`` name it."""
    for word in reversed(words):
        key = (unmix(key) - GOLDEN * int(mix(np.uint64(word + GOLDEN & WORD)))) & WORD
    return key


def invert(number, seat, game):
    """Return the seeds of runs whose key of a search, but for its upper 11 bits, is ``number``."""
    for upper in range(2**11):
        key = unmix(unfold(upper << 53 | number, game, seat))
        named = (key - 0x5EA2C4) * pow(GOLDEN, -1, 2**64) & WORD
        yield (unmix(named) - GOLDEN) & WORD


def attack(messages, game):
    """Return the deals that fit the hand, of the runs that an attacker comes upon."""
    begun = messages[0]
    hand = sum(1 << card for card in range(21) if names(1 << card)[0] in begun["hand"])
    numbers = {
        number
        for message in messages
        for number in message.values()
        if type(number) is int and number > 2**20
    }
    guessed = {seed for number in numbers for seed in invert(number, begun["seat"], game)}
    deals = [deal_of(seed, game) for seed in guessed if seed < 2**63] + try_deals()
    return [hands for hands in deals if hands[begun["seat"]] == hand]


@cache
def try_deals():
    """Return the deals of the runs that an attacker tries out."""
    return [deal_of(seed, game) for seed in range(SEEDS_TRIED) for game in range(GAMES_TRIED)]


def count_found(seed):
    """Return in how many of six games the attacker names the others' cards at the first guess."""
    overheard = [(game, *overhear(seed, game)) for game in range(6)]
    return sum(attack(said, game)[:1] == [hands] for game, said, hands in overheard)


def test_what_crosses_to_a_program_gives_no_deal_away(monkeypatch):
    assert count_found(DRAWN) == 0
    again = [overhear(DRAWN, 0)[0] for _ in range(2)]
    assert again[0] == again[1], "yet the same run is the same for the program"
    assert again[0][0]["seed"] != overhear(DRAWN, 1)[0][0]["seed"]

    # The controls: a key of its own crosses, and a seed that anybody tries out.
    def begin(self, rules, seat, view, key):
        usual(self, rules, seat, view, key)
        self.messages[-1]["seed"] = key % 2**53

    usual = external.ExternalPlayer.begin
    assert count_found(3) >= 3, "which is why a run says so"
    monkeypatch.setattr(Heard, "begin", begin, raising=False)
    assert count_found(DRAWN) >= 5
