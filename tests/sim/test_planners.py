"""All planners: legal, reproducible, blind to hidden information, and distinct.

(The tests of the contract show that it detects violations.)
"""

import sys
from dataclasses import replace

import numpy as np
import pytest
from positions import (
    SMALL,
    decide,
    positions,
    unsure_positions,
)
from presets import spec_of

from belief.beliefs import registry
from belief.beliefs.constrained import ConstrainedBelief
from mcts.kernel.rng import derive_key, new_stream
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.tree import EDGES, EXPANDED, NODES, NOWHERE, ROOT
from sim.contract.testing import check_player
from sim.planning import cluedo
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.planning.variants import ONE_TREE, POLICY, TREES, VARIANTS
from sim.players.registry import make
from sim.policies.registry import Policy, number
from sim.rules import preset, world
from sim.state import ACCUSE, ASK, ASKED, EXTERNAL, REVEAL, SUGGEST

pytestmark = pytest.mark.usefixtures("few_games_for_a_best_response")

SHORT = preset("ledford", turn_cap=24)
"""Six turns of each seat, with a decision or two in each."""


def quick(name, player=None):
    """Return the planner of a preset with 30 simulations a decision, and free to accuse late."""
    made = make(spec_of(name, budget__simulations=30, actions__least_accused=0.8), SHORT)
    return player(made.config, name) if player else made


class Peeper(Planner):
    """Names its chance by the true envelope, which it looks up the stack of calls for."""

    def position(self, view):
        frame = sys._getframe()
        while "state" not in frame.f_locals:
            frame = frame.f_back
        self._key = derive_key(self._key, int(frame.f_locals["state"].envelope))
        return super().position(view)


@pytest.mark.parametrize("name", ["bmcts", "mo_ismcts"])
def test_a_planner_that_peeps_is_found(name):
    """The control."""
    with pytest.raises(AssertionError, match="when hidden information is exchanged"):
        check_player(lambda: quick(name, Peeper), SHORT, games=2, swaps=3)


class Levelled(ConstrainedBelief):
    """A belief of some other package: nothing in the compiled search knows it."""

    name = "levelled"


def test_any_logical_belief_draws_the_deals_of_a_planner(monkeypatch, places):
    monkeypatch.setitem(registry.BELIEFS, "levelled", Levelled)
    config = replace(CONFIGS["pomcp"], belief="levelled")
    assert check_player(lambda: Planner(config), SHORT, games=1, swaps=1) >= 1
    one = places[0]
    position = one.take(Planner(config)).position(one.view)
    same = one.take(Planner(replace(config, belief="constrained"))).position(one.view)
    assert len(position.deals) and position.belief == same.belief
    np.testing.assert_array_equal(position.deals, same.deals)
    other = one.take(Planner(replace(config, belief="closure"))).position(one.view)
    assert other.belief != same.belief and not np.array_equal(other.deals, same.deals)


@pytest.mark.parametrize(
    ("name", "players"), zip((*VARIANTS, "bmcts_released"), (4, 3, 6) * 3, strict=True)
)
def test_every_variant_keeps_the_contract_of_players(name, players):
    rules = preset("ledford", players=players, turn_cap=6 * players)
    # With a deal that it takes for known it accuses at its first turn, and is out.
    least = 1 if quick(name).config.how.clairvoyant else 3
    assert check_player(lambda: quick(name), rules, games=1, swaps=1) >= least


BY_TREE = [name for name, how in VARIANTS.items() if how.movers != POLICY]
CONFIGS = {name: replace(SMALL, variant=name) for name in VARIANTS if name not in BY_TREE}
CONFIGS |= {
    name: replace(SMALL, variant=name, opponents="tree", rollout_opponents="heuristic")
    for name in BY_TREE
}


def plan_one(name, one, **changes):
    """Return the planner of a variant after its decision at a position."""
    return decide(one, replace(CONFIGS[name], **changes))


@pytest.fixture(scope="module")
def places():
    """Return positions at which nothing is certain."""
    return unsure_positions(3)


def test_movers_have_a_tree_for_each_player_or_one(places):
    for name in BY_TREE:
        first = 0
        for one in places:
            tree = plan_one(name, one).search.tree
            nodes = tree.order[: tree.counters[NODES]]
            first += int((tree.parent[nodes[nodes != ROOT]] == NOWHERE).sum())
        assert (first > 0) == (VARIANTS[name].movers == TREES)
    assert {VARIANTS[name].movers for name in BY_TREE} == {ONE_TREE, TREES}


def test_availability_is_counted_where_it_selects(places):
    for name, how in VARIANTS.items():
        tree = plan_one(name, places[0]).search.tree
        counts = tree.edge_available[: tree.counters[EDGES]]
        assert counts.any() == (how.selection == "availability")


def test_an_opponent_never_shows_a_card_that_it_was_not_drawn(places):
    """Cards that some node of SHOW lists and a drawn hand lacks: counted less often than passed.

    It is asked where it has but one as well: the length of a history must not show how many.
    """
    rare = single = 0
    for one in places:
        tree = plan_one("so_ismcts", one, budget=Budget(simulations=1_000)).search.tree
        nodes = tree.order[: tree.counters[NODES]]
        for node in nodes[tree.status[nodes] == EXPANDED].tolist():
            block = slice(tree.first[node], tree.first[node] + tree.length[node])
            if tree.action[block][0] >= REVEAL:
                assert tree.length[node] == 3
                assert (tree.edge_visits[block] <= tree.edge_available[block]).all()
                passed = tree.edge_visits[block].sum()
                assert tree.edge_available[block].sum() >= passed
                single += tree.edge_available[block].sum() < 2 * passed
                rare += (tree.edge_available[block] < passed).any()
    assert rare > 0 and single > 0


def test_an_accusation_pays_by_the_deal_where_it_says_so():
    """Its mean return is the probability beside the edge by the belief, near it by deals drawn."""
    deals = [n for n, how in VARIANTS.items() if how.reward_from_deal and not how.clairvoyant]
    exact, apart = 0, dict.fromkeys(deals, 0)
    for one in positions(4, (5, 7), others="uniform"):
        for name in (name for name, how in VARIANTS.items() if not how.clairvoyant):
            result = plan_one(name, one, least_accused=0.001).result
            accusing = (result.visits > 4) & (result.actions >= ACCUSE) & (result.actions < REVEAL)
            values, edge_data = result.values[accusing], result.edge_data[accusing]
            right = np.rint(values * result.visits[accusing])
            if name in apart:  # whole games won
                assert values * result.visits[accusing] == pytest.approx(right, abs=1e-9)
                apart[name] += int((np.abs(values - edge_data) > 1e-9).sum())
            else:
                assert values == pytest.approx(edge_data, abs=1e-12)
                exact += int(accusing.sum())
    assert exact > 10 and min(apart.values()) > 0


def by_tree(planner, one, seed=0):
    """Search, apart, each deal that the planner drew for its last search."""
    config, key = planner.config, int(derive_key(planner._key, seed))
    position = planner.position(one.view)
    deals = planner.belief.sample(new_stream(key), config.trees)
    share = config.budget.split(config.trees)
    search = planner.search
    return deals, [
        search.run(share, key + i, position._replace(deals=deals[i : i + 1].copy()))
        for i in range(config.trees)
    ]


def test_pimc_adds_the_visits_of_its_trees(places):
    for one in places:
        planner = plan_one("pimc", one, trees=5)
        found = planner.result
        deals, results = by_tree(planner, one)
        assert len(deals) == 5 and len({deal.tobytes() for deal in deals}) > 1
        added = dict.fromkeys(found.actions.tolist(), 0)
        for result in results:
            assert result.visits.sum() == result.simulations == 50
            for action, visits in zip(result.actions.tolist(), result.visits, strict=True):
                added[action] += int(visits)
        assert list(added.values()) == found.visits.tolist()
        assert found.simulations == 250 and found.nodes == sum(result.nodes for result in results)
        again = merge(results, "visits")
        assert again.best == found.best
        np.testing.assert_array_equal(again.values, found.values)
        # The control: it is not one of its trees.
        assert all(result.visits.sum() < found.visits.sum() for result in results)


def inform(position, deal, ask, card):
    """Return what the searching seat sees after asking and being shown ``card`` in ``deal``."""
    p = position._replace(deals=deal[None].copy())
    s, stream = cluedo.workspace(p), new_stream(5)
    cluedo.start(p, s, stream)
    seen = []
    for action in [ask] if card is None else [ask, REVEAL + card]:
        cluedo.step(p, s, action, 0.0, stream)
        seen.append(int(cluedo.observation_of(p, s, 0)))
    return seen


def test_a_history_does_not_tell_how_many_cards_an_opponent_held():
    """Two deals in which the same card is shown, by one who had no choice and by one who had.

    The control asks opponents for a card only where they have a choice.
    """
    compared = 0
    for one in positions(60, (1, 2, 3, 4, 5), others="uniform"):
        if one.state.phase != SUGGEST or compared == 5:
            continue
        planner = one.take(Planner(CONFIGS["so_ismcts"]))
        position, players = planner.position(one.view), one.rules.players
        room = 12 + world(one.rules)[0].room_of[one.state.spot[one.seat]]
        for pair in range(36):
            cards = [pair // 6, 6 + pair % 6, room]
            held = {}
            for deal in planner.belief.sample(new_stream(1), 300):
                for step in range(1, players):
                    matching = [c for c in cards if deal[c] == (one.seat + step) % players + 1]
                    if matching:
                        held.setdefault((step, matching[0]), {})[len(matching) > 1] = deal
                        break
            both = [(key, deals) for key, deals in held.items() if len(deals) == 2]
            if both:
                ((_, card), deals), ask = both[0], ASK + pair
                one_card, several = (inform(position, deals[many], ask, card) for many in (0, 1))
                assert one_card == several
                other = [c for c in cards if deals[True][c] == deals[True][card] and c != card]
                assert inform(position, deals[True], ask, other[0]) != several
                position.root[0].showing[position.root[0].showing == ASKED] = EXTERNAL
                first = [inform(position, deals[many], ask, None) for many in (0, 1)]
                assert first[0] != first[1]
                compared += 1
                break
    assert compared == 5


# What cannot be.


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"variant": "mcts"}, "variant=mcts: choose one of bmcts, ld_bmcts"),
        ({"answers": "predictive"}, "one by one from the factored belief, not from exact"),
        (
            {"variant": "pomcp", "belief": "factored", "answers": "predictive"},
            "pomcp plays with a deal: its answers cannot come one by one",
        ),
        ({"variant": "so_ismcts"}, "so_ismcts moves its opponents by the tree"),
        ({"opponents": "tree"}, "bmcts moves its opponents by a policy"),
        ({"rollout_opponents": "greedy"}, "greedy is too slow inside a simulation"),
        (
            {"opponents": Policy("swift", threshold=0.5), "rollout_opponents": "swift"},
            "threshold of opponents and rollout_opponents must be the same",
        ),
        ({"own_card_weight": 0.0}, "own_card_weight=0.0: must be above 0 and at most 100"),
        (
            {"variant": "so_ismcts", "opponents": "tree", "options": Options(pruning=0.1)},
            "pruning must be 0 for so_ismcts, whose tree moves all seats",
        ),
    ],
)
def test_plans_that_cannot_be_are_refused(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        PlannerConfig(**wrong)


def test_opponents_keep_their_switches_in_the_tree_and_in_roll_outs(places):
    one = places[0]
    config = PlannerConfig(opponents=Policy("swift", threshold=0.35), rollout_opponents="heuristic")
    root = one.take(Planner(config)).position(one.view).root[0]
    other = (one.seat + 1) % one.rules.players
    assert root.policy[other] == number("swift") and root.threshold[other] == 0.35
    assert root.inference[other] == Policy("heuristic").inference


KEEPING = replace(PlannerConfig().options, keep_tree=True)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"variant": "pimc", "options": KEEPING}, "pimc keeps no tree"),
        (
            {"variant": "so_ismcts", "opponents": "tree", "options": KEEPING},
            "so_ismcts keeps no tree",
        ),
        ({"opponents": "swift"}, "swift needs evidence"),
        ({"rollout_opponents": "closure"}, "closure needs evidence"),
    ],
)
def test_plans_that_would_do_nothing_or_harm_are_refused(wrong, sentence):
    predictive = {} if "options" in wrong else {"belief": "factored", "answers": "predictive"}
    with pytest.raises(ValueError, match=sentence):
        PlannerConfig(**predictive, **wrong)
    if "options" not in wrong:  # a deal is drawn at the leaf, from the evidence
        allowed = {key: wrong[key] for key in wrong if key != "opponents"}
        assert PlannerConfig(variant="bmcts_or", **predictive, **allowed)
