"""UCT against the formula worked out by hand, availability, widening, in-flight treatments."""

import math

import numpy as np
import pytest
from ladder import ALL, AWAKE, Ladder

from mcts.kernel.compile import specialise
from mcts.options import IN_FLIGHT, SELECTION, Options
from mcts.selection import on_offer, select
from mcts.tree import BELOW_ONE, EXPANDED, GREATEST, NOWHERE, ROOT, TOP, expand, new_tree

# As the kernel has it, but for itself: so it is kept in the cache.
_select = specialise(getattr(select, "py_func", select), Ladder.__module__)


def select_edge(tree, settings, awake=ALL):
    """Return the edge that is followed from the node when the actions in ``awake`` are legal."""
    state = np.zeros(5, np.int64)
    state[AWAKE] = awake
    return _select(Ladder(), state, tree, ROOT, settings)


def node_with(visits, totals, in_flight=None, available=None, weights=None):
    """Return a tree whose first node has edges with these statistics, and is not the root."""
    n = len(visits)
    tree = new_tree(4, 16)
    tree.status[ROOT] = 1
    weights = np.ones(n) if weights is None else np.array(weights)
    assert expand(tree, ROOT, np.arange(n), weights, n) == EXPANDED
    tree.edge_visits[:n] = visits
    tree.edge_total[:n] = totals
    tree.edge_in_flight[:n] = np.zeros(n) if in_flight is None else in_flight
    tree.edge_available[:n] = np.zeros(n) if available is None else available
    tree.visits[ROOT] = sum(visits) + 1
    tree.counters[TOP] = ROOT + 1
    return tree


def settings(**options):
    return Options(**options).kernel_params(1.0, 0.0, 1.0)


def by_hand(visits, totals, c):
    """Return the index that maximises mean + c sqrt(2 ln N / n)."""
    log = math.log(sum(visits))
    bounds = [t / n + c * math.sqrt(2 * log / n) for n, t in zip(visits, totals, strict=True)]
    return bounds.index(max(bounds))


def draw(generator, most=30):
    """Return visits and totals of five edges, and an exploration constant."""
    visits = generator.integers(1, most, 5)
    return visits, visits * generator.random(5), float(generator.choice([0.0, 0.1, 0.7, 3.0]))


def test_uct_is_the_formula():
    """mean + c sqrt(2 ln N / n), N: the visits of what is available alone."""
    generator = np.random.default_rng(1)
    chosen = set()
    for _ in range(300):
        visits, totals, c = draw(generator)
        awake = int(generator.integers(1, 32))
        legal = np.array([edge for edge in range(5) if awake >> edge & 1])
        best = legal[by_hand(visits[legal].tolist(), totals[legal].tolist(), c)]
        assert select_edge(node_with(visits, totals), settings(exploration=c), awake) == best
        chosen.add(best)
    assert chosen == set(range(5))


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_puct_is_the_formula(share):
    """mean + c P sqrt(N) / (1 + n); what is untried is worth what the node is."""
    generator = np.random.default_rng(4)
    chosen, as_uct = set(), 0
    for _ in range(300):
        visits, totals, c = draw(generator)
        totals[2] *= visits[2] > 15
        visits[2] *= visits[2] > 15
        rolls = int(generator.integers(1, 20))
        rolled = rolls * generator.random()
        arms = [
            (t / n if n else None, n, (1 - share) / 5) for n, t in zip(visits, totals, strict=True)
        ]
        value = (rolled + totals.sum()) / (rolls + visits.sum())
        total = visits.sum() + (rolls if share else 0)
        if share:
            arms.append((rolled / rolls, rolls, share))
        bounds = [
            (value if known is None else known) + c * prior * math.sqrt(total) / (1 + n)
            for known, n, prior in arms
        ]
        tree = node_with(visits, totals)
        tree.rolls[ROOT], tree.rolled[ROOT] = rolls, rolled
        how = settings(exploration=c, selection="puct", rollout_share=share)
        edge = select_edge(tree, how)
        assert edge == [*range(5), NOWHERE][int(np.argmax(bounds))]
        chosen.add(edge)
        as_uct += edge == select_edge(tree, settings(exploration=c))
    assert chosen >= set(range(5)) and (NOWHERE in chosen) == (share > 0)
    assert as_uct < 250  # the control


def test_the_unit_may_be_what_was_seen():
    tree = node_with([50, 2], [30.0, 0.4])
    assert select_edge(tree, settings()) == 1
    tree.returns[GREATEST], tree.returns[BELOW_ONE] = 0.6, 0.5  # from 0.5 to 0.6
    assert select_edge(tree, settings(unit="seen")) == 0
    assert select_edge(tree, settings(unit="seen", exploration=7.0)) == 1


def test_the_root_may_explore_more_than_the_nodes_below():
    tree = node_with([50, 2], [30.0, 1.0])
    curious = settings(exploration=0.0, root_exploration=0.7)
    assert select_edge(tree, curious) == 0
    tree.counters[TOP] = ROOT
    assert select_edge(tree, curious) == 1


def test_at_the_root_every_listed_action_is_legal():
    """(Elsewhere what is not is neither taken nor counted: see below.)"""
    tree = node_with([9, 2], [1.0, 2.0])
    assert select_edge(tree, settings(), awake=0b01) == 0
    tree.counters[TOP] = ROOT
    assert select_edge(tree, settings(), awake=0b01) == 1


def test_edges_not_on_offer_are_neither_taken_nor_counted():
    visits, totals = [4, 4, 1000], [2.0, 2.2, 1000.0]
    tree = node_with(visits, totals)
    tree.visits[ROOT] = 9
    # c such that counting the 1000 visits asleep would not change the choice, but taking would
    assert select_edge(tree, settings(widening_base=0.5)) == by_hand(visits[:2], totals[:2], 0.7)
    # and a pair for which N decides: 2 ln 8 against 2 ln 1008
    visits, totals = [7, 1, 1000], [6.3, 0.0, 0.0]
    tree = node_with(visits, totals)
    tree.visits[ROOT] = 9
    assert by_hand(visits[:2], totals[:2], 0.4) == 0
    log = math.log(sum(visits))
    assert 0.9 + 0.4 * math.sqrt(2 * log / 7) < 0.4 * math.sqrt(2 * log)
    assert select_edge(tree, settings(widening_base=0.5, exploration=0.4)) == 0


@pytest.mark.parametrize(
    ("listed", "visits", "base", "exponent", "offered"),
    [
        (10, 100, 0.0, 0.5, 10),
        (10, 0, 1.0, 0.5, 1),
        (10, 1, 1.0, 0.5, 1),
        (10, 16, 1.0, 0.5, 4),
        (10, 17, 1.0, 0.5, 5),
        (10, 16, 2.0, 0.5, 8),
        (10, 16, 2.0, 0.0, 2),
        (10, 10**9, 5.0, 1.0, 10),
        (10, 16, 0.01, 0.5, 1),
    ],
)
def test_widening(listed, visits, base, exponent, offered):
    widening = settings(widening_base=base, widening_exponent=exponent)
    assert on_offer(listed, visits, widening) == offered


# Actions that are not always legal.


@pytest.mark.parametrize("in_flight", IN_FLIGHT)
@pytest.mark.parametrize("selection", SELECTION)
def test_what_is_not_available_is_never_chosen(selection, in_flight):
    generator = np.random.default_rng(2)
    chosen, best_asleep = set(), 0
    for _ in range(300):
        visits, totals, c = draw(generator, most=4)
        visits[generator.random(5) < 0.1] = 0
        flying = generator.integers(0, 2, 5)
        awake = int(generator.integers(1, 32))
        tree = node_with(visits, totals, flying, visits + 3)
        how = settings(exploration=c, selection=selection, in_flight=in_flight)
        edge = select_edge(tree, how, awake)
        assert awake >> edge & 1
        chosen.add(edge)
        all_awake = node_with(visits, totals, flying, visits + 3)
        best_asleep += not awake >> select_edge(all_awake, how) & 1
    assert chosen == set(range(5))
    assert best_asleep > 50  # the control: with all awake it would often have been another


@pytest.mark.parametrize("selection", SELECTION)
def test_where_nothing_is_available_there_is_nowhere_to_go(selection):
    tree = node_with([3, 0], [1.0, 0.0])
    assert select_edge(tree, settings(selection=selection), awake=0b100) == NOWHERE
    assert not tree.edge_available[:2].any()


def test_availability_is_the_formula():
    """mean + c sqrt(2 ln N_a / n_a), N_a: earlier visits at which the action was available."""
    generator = np.random.default_rng(3)
    chosen, as_uct = set(), 0
    for _ in range(300):
        visits, totals, c = draw(generator, most=6)
        before = visits + generator.integers(0, 5, 5)
        awake = int(generator.integers(1, 32))
        legal = [edge for edge in range(5) if awake >> edge & 1]
        bounds = {
            edge: totals[edge] / visits[edge]
            + c * math.sqrt(2 * math.log(before[edge]) / visits[edge])
            for edge in legal
        }
        best = max(legal, key=bounds.get)
        tree = node_with(visits, totals, available=before)
        assert select_edge(tree, settings(exploration=c, selection="availability"), awake) == best
        chosen.add(best)
        as_uct += select_edge(tree, settings(exploration=c), awake) == best
        # Those that are legal count this visit, the others do not.
        counted = tree.edge_available[:5] - before
        assert counted.tolist() == [int(edge in legal) for edge in range(5)]
    assert chosen == set(range(5))
    assert as_uct < 295  # the control: one N for all actions is another rule


def test_weights_multiply_the_formula():
    """weight x [mean + c sqrt(2 ln N / n)]."""
    generator = np.random.default_rng(5)
    chosen, as_uct = set(), 0
    for _ in range(200):
        visits, totals, c = draw(generator)
        weights = generator.random(5) + 0.2
        log = 2 * math.log(sum(visits))
        bounds = weights * (totals / visits + c * np.sqrt(log / visits))
        tree = node_with(visits, totals, weights=weights)
        edge = select_edge(tree, settings(exploration=c, selection="weighted"))
        assert edge == int(np.argmax(bounds))
        chosen.add(edge)
        as_uct += select_edge(tree, settings(exploration=c)) == edge
    assert chosen == set(range(5))
    assert as_uct < 180  # the control: without weights it is another rule


def test_of_the_unvisited_the_heaviest_goes_first():
    tree = node_with([4, 0, 0, 0], [4.0, 0.0, 0.0, 0.0], weights=[9.0, 0.2, 0.5, 0.5])
    assert select_edge(tree, settings(selection="weighted")) == 2
    assert select_edge(tree, settings()) == 1  # the control
    assert select_edge(tree, settings(selection="weighted"), awake=0b0011) == 1


# Visits in flight.


def test_virtual_loss_steers_away_and_none_does_not():
    tree = node_with([5, 5], [4.0, 3.9], [3, 0])
    assert select_edge(tree, settings(in_flight="none")) == 0
    assert select_edge(tree, settings(in_flight="virtual_loss")) == 1
    assert select_edge(tree, settings(in_flight="virtual_loss", virtual_loss=0.0)) == 0


@pytest.mark.parametrize("in_flight", ["virtual_loss", "wu_uct"])
def test_in_flight_treatments_are_the_formula(in_flight):
    """Under WU-UCT visits in flight count in n and in N, and the mean is that of the returns known.

    Under virtual loss each counts as so many visits with return 0.
    """
    generator, loss = np.random.default_rng(5), 2.0
    others = dict.fromkeys(set(IN_FLIGHT) - {in_flight}, 0)
    for _ in range(300):
        visits, totals, c = draw(generator)
        flying = generator.integers(0, 6, 5)
        n = visits + flying * (loss if in_flight == "virtual_loss" else 1)
        means = totals / (n if in_flight == "virtual_loss" else visits)
        best = int(np.argmax(means + c * np.sqrt(2 * math.log(n.sum()) / n)))
        tree = node_with(visits, totals, flying)
        how = {"exploration": c, "virtual_loss": loss}
        assert select_edge(tree, settings(in_flight=in_flight, **how)) == best
        for other in others:
            others[other] += select_edge(tree, settings(in_flight=other, **how)) != best
    assert min(others.values()) > 20  # the controls: neither of the others is this rule


@pytest.mark.parametrize("in_flight", ["virtual_loss", "wu_uct"])
def test_an_unvisited_edge_in_flight_is_passed_over(in_flight):
    tree = node_with([0, 0], [0.0, 0.0], [1, 0])
    assert select_edge(tree, settings(in_flight="none")) == 0
    assert select_edge(tree, settings(in_flight=in_flight)) == 1
    lonely = node_with([0], [0.0], [1])
    assert select_edge(lonely, settings(in_flight=in_flight, virtual_loss=0.5)) == 0
