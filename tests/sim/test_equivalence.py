"""BMCTS, LD-BMCTS and POMCP with exact samples differ only in the variance of rewards.

Against opponents with random suggestions, answers drawn from the propagated exact belief and
answers of a deal drawn at the start have the same distribution [chain rule].  So with uniform
selection and without merging, the three agree in all action values; a planner with more information
than its seat does not.
"""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from belief.exact.solver import ExactPosterior
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import below, derive_key, new_stream
from mcts.options import Budget, Options
from mcts.search import Search
from sim.legal import legal
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.player import Player, PolicyPlayer
from sim.referee import play
from sim.rules import Rules, world
from sim.state import ACCUSE, N_ACTIONS, REVEAL

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

POSITIONS, SEARCHES, SIMULATIONS, LEVEL = 15, 100, 60, 0.001
RULES = Rules(turn_cap=40)
UNIFORMLY = Options(exploration=1e6, nodes=SIMULATIONS + 1)


class Wanderer(Player):
    """Plays at random, never accuses, and keeps what it was shown before each decision."""

    def begin(self, rules, seat, view, key):
        self.rules, self.seat, self.first = rules, seat, view.copy()
        self.stream, self.seen, self.positions = new_stream(key), [], []

    def see(self, event):
        self.seen.append(event)

    def decide(self, view):
        self.positions.append((view.copy(), list(self.seen)))
        out = np.empty(N_ACTIONS, np.int64)
        n = legal(world(self.rules)[0], view[0], out)
        harmless = [a for a in out[:n].tolist() if not ACCUSE <= a < REVEAL]
        return harmless[below(self.stream, len(harmless))]


def config(variant):
    return PlannerConfig(
        variant,
        transpositions=False,
        opponents="uniform",
        rollout="swift",
        candidates=4,
        options=UNIFORMLY,
        budget=Budget(simulations=SIMULATIONS),
    )


def positions():
    """Yield what a seat had seen at one decision of each of some games, and the true deal."""
    for game in range(POSITIONS):
        watcher = Wanderer("wanderer")
        deals = []
        seats = [watcher, *[PolicyPlayer("uniform") for _ in range(3)]]
        play(
            RULES, seats, 3, game, watch=lambda state, _, deals=deals: deals.append(deal_of(state))
        )
        view, events = watcher.positions[2 + game % 7]
        yield watcher.first, view, events, deals[0]


def deal_of(state):
    """Return the true deal, int64 (21,): 0 envelope, p + 1 player p, -1 face up."""
    holders = [(0, state.envelope), *[(seat + 1, state.hand[seat]) for seat in range(4)]]
    deal = np.full(21, -1)
    for holder, cards in holders:
        deal[[card for card in range(21) if int(cards) >> card & 1]] = holder
    return deal


def run_search(variant, first, view, events, known=None):
    """Return the value of each action in each of `SEARCHES` searches, and the actions.

    Half of the deals are ``known``, if it is given, the rest those of the belief.
    """
    planner = Planner(config(variant))
    planner.begin(RULES, 0, first, 1)
    for event in events:
        planner.see(event)
    p = planner.position(view)
    if known is not None:
        fair = ExactPosterior(p.root[0].evidence[0]).sample(new_stream(5), 300)
        p = p._replace(deals=np.concatenate([fair, np.repeat([known], 300, axis=0)]))
    search = Search(p, planner.config.search_options)
    values = []
    for i in range(SEARCHES):
        result = search.run(planner.config.budget, int(derive_key(i, *map(ord, variant))), p)
        values.append(result.values)
    return np.array(values), result.actions


def compare(ones, others):
    """Return the p-values of Welch's test, one an action."""
    with np.errstate(all="ignore"):
        found = ttest_ind(ones, others, axis=0, equal_var=False).pvalue
    same = (ones.std(axis=0) == 0) & (others.std(axis=0) == 0)
    return np.where(same, np.isclose(ones.mean(axis=0), others.mean(axis=0)) * 1.0, found)


def rejects(p_values):
    """Return how many hypotheses Holm's procedure rejects at `LEVEL`."""
    ordered = np.sort(np.concatenate(p_values))
    bar = LEVEL / (len(ordered) - np.arange(len(ordered)))
    above = np.nonzero(ordered > bar)[0]
    return int(above[0]) if len(above) else len(ordered)


@pytest.fixture(scope="module")
def honest():
    """Results of the three planners at every position."""
    return [
        (at, {variant: run_search(variant, *at[:3]) for variant in ("bmcts", "ld_bmcts", "pomcp")})
        for at in positions()
    ]


def test_the_three_agree(honest):
    p_values = []
    for _, found in honest:
        base, listed = found["bmcts"]
        for variant in ("ld_bmcts", "pomcp"):
            values, actions = found[variant]
            assert actions.tolist() == listed.tolist()
            p_values.append(compare(base, values))
    assert sum(map(len, p_values)) > 150
    assert rejects(p_values) == 0


def test_a_leak_is_seen(honest):
    """Control: every other deal of POMCP is the true one."""
    p_values = []
    for at, found in honest[:6]:
        values, _ = run_search("pomcp", *at)
        p_values.append(compare(found["bmcts"][0], values))
    assert rejects(p_values) > 0
