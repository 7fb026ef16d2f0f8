"""Information of a suggestion: closed form and estimate against enumeration and the truth."""

from itertools import product

import numpy as np
import pytest
from agreement import agreement
from histories import brute_force, deals_below, means

from belief import information
from belief.contract.history import random_history, random_trio
from belief.evidence import LEAST_INFORMATIVE
from belief.exact.answers import ANSWERS, predict_named
from belief.exact.solver import sample, solve, workspace
from mcts.kernel.rng import new_stream


def binary_bits(p):
    """Return the binary entropy, element by element."""
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def enumerate_answers(history, deals, probability, trio):
    """Return the exact expected drop of the envelope's joint entropy from asking ``trio``.

    The outcome is who answered with which card, or that nobody did.
    """
    trio = np.array(trio)
    order = [(history.seat + step) % history.players for step in range(1, history.players)]
    outcomes = {}
    held = deals[:, trio]
    silent = np.ones(len(deals), bool)
    for player in order:
        mine = held == player + 1
        k = mine.sum(axis=1)
        answers = silent & (k > 0)
        for i in range(3):
            weight = np.where(answers & mine[:, i], probability / np.maximum(k, 1), 0.0)
            outcomes[player, i] = weight
        silent &= k == 0
    outcomes["none"] = np.where(silent, probability, 0.0)

    def bits(weight):
        _, table = means(deals, weight)
        table = table[table > 0]
        return -(table * np.log2(table / table.sum())).sum()

    return bits(probability) - sum(bits(w) for w in outcomes.values() if w.sum() > 0)


def independent(marginals, seat, trio):
    """Return the closed form by plain enumeration of independent cards, outcomes merged."""
    before = sum(binary_bits(marginals[card, 0]) for card in trio)
    outcomes = {outcome: np.zeros(4) for outcome in (0, 1, 2, None)}
    rows = [np.append(marginals[card], max(0.0, 1 - marginals[card].sum())) for card in trio]
    for places in product(range(8), repeat=3):
        chance = np.prod([rows[i][place] for i, place in enumerate(places)])
        state = np.array([1.0, *(place == 0 for place in places)]) * chance
        for step in range(1, 6):
            column = (seat + step) % 6 + 1
            k = places.count(column)
            if k:
                for i in range(3):
                    if places[i] == column:
                        outcomes[i] += state / k
                break
        else:
            outcomes[None] += state
    after = sum(w[0] * binary_bits(w[1:] / w[0]).sum() for w in outcomes.values() if w[0] > 1e-15)
    return before - after


def test_closed_form_is_the_sum_over_independent_cards():
    rng = np.random.default_rng(2)
    for _ in range(40):
        marginals = np.zeros((21, 7))
        seat, players = int(rng.integers(3)), int(rng.integers(3, 7))
        for card in range(21):
            row = rng.dirichlet(np.full(players + 1, 0.7))
            row[seat + 1] = 0
            marginals[card, : players + 1] = row / row.sum()
        marginals[2] = 0.0  # face up
        marginals[8] = np.eye(7)[seat + 1]  # our own
        trio = (int(rng.choice([1, 2])), int(rng.choice([7, 8])), 15)
        ours = information.closed_form(marginals, seat, *trio)
        assert ours == pytest.approx(independent(marginals, seat, trio), abs=4e-3)


def test_mutual_information_of_small_tables():
    assert information.mutual(np.array([[0.5, 0.0], [0.0, 0.5]])) == 1.0
    assert information.mutual(np.outer([0.25, 0.75], [0.5, 0.5])) == pytest.approx(0.0, abs=1e-12)
    # A bit through a channel that errs with 0.1.
    noisy = np.array([[0.45, 0.05], [0.05, 0.45]])
    assert information.mutual(noisy) == pytest.approx(1 - information.entropy(np.array([0.1, 0.9])))


def positions(seed, wanted, players=(3, 4, 5, 6), questions=(4, 25), **options):
    """Yield random histories in which something is left to be learnt."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < wanted:
        number = players[found % len(players)]
        history = random_history(rng, number, int(rng.integers(*questions)), **options)
        work = workspace()
        if solve(history.record(), work) and work.marginals[:, 0].max(initial=0) < 1:
            found += 1
            yield history, work, [random_trio(rng) for _ in range(8)]


def test_what_is_told_about_the_named_cards_is_nearly_all_that_is_told():
    """Never more than the true drop, and nearer to it than the closed form."""
    joint, other, gaps, closed = np.zeros((ANSWERS, 8)), workspace(), [], []
    for history, work, trios in positions(8, 20):
        ev = history.record()
        for trio in trios[:5]:
            exact = information.expected_reduction(ev, *trio, other)
            predict_named(ev, work, sum(1 << card for card in trio), 7, joint)
            gaps.append(exact - information.mutual(joint))
            formula = information.closed_form(work.marginals, history.seat, *trio)
            closed.append(abs(exact - formula))
    assert min(gaps) > -1e-9
    print(f"mean gap {np.mean(gaps):.4f} bits, of the closed form {np.mean(closed):.4f}")
    assert np.mean(gaps) < 0.7 * np.mean(closed)


@pytest.mark.parametrize(("showing", "accusations"), [(0, 0), (LEAST_INFORMATIVE, 0), (0, 5)])
def test_expected_reduction_is_that_of_enumeration(showing, accusations):
    compared = 0
    heard = {"showing": showing, "accusations": accusations}
    for history, work, trios in positions(1, 12, (3, 4), (8, 25), **heard):
        if not deals_below(history, 200_000):
            continue
        deals, probability = brute_force(history)
        for trio in trios[:4]:
            before = {card for kind, _, _, card in history.events if kind == "refuted_us"}
            if showing == LEAST_INFORMATIVE and before.intersection(trio):
                continue  # enumeration takes showing as uniform
            ours = information.expected_reduction(history.record(), *trio, work)
            assert ours == pytest.approx(
                enumerate_answers(history, deals, probability, trio), abs=1e-9
            )
            compared += ours > 0.01
    assert compared >= 10


def count_answers(deals, seat, players, trio, share=lambda k: 1 / k):
    """Return the plug-in information of deals (n, 21); an answerer of k shows each by ``share``."""
    trio = np.array(trio)
    envelope = [tuple(np.flatnonzero(deal == 0)) for deal in deals]
    weights = {}
    for deal, trio_of_envelope in zip(deals, envelope, strict=True):
        for step in range(1, players):
            held = deal[trio] == (seat + step) % players + 1
            if held.any():
                for i in np.flatnonzero(held):
                    outcome = weights.setdefault((step, i), {})
                    outcome[trio_of_envelope] = outcome.get(trio_of_envelope, 0) + share(held.sum())
                break
        else:
            outcome = weights.setdefault("nobody", {})
            outcome[trio_of_envelope] = outcome.get(trio_of_envelope, 0) + 1

    def bits(counts):
        counts = np.array(list(counts))
        return -(counts * np.log2(counts / counts.sum())).sum()

    total = sum(sum(outcome.values()) for outcome in weights.values())
    before = {}
    for outcome in weights.values():
        for key, weight in outcome.items():
            before[key] = before.get(key, 0) + weight
    return (bits(before.values()) - sum(bits(o.values()) for o in weights.values())) / total


def test_sampled_is_the_information_of_its_deals():
    """The same deals, drawn again and counted in Python; without the 1/k it is another figure."""
    apart = []
    for key, (history, work, trios) in enumerate(positions(3, 12)):
        drawn = information.sample_workspace(60)
        stream, again = new_stream(key), new_stream(key)
        information.draw_sample(drawn, work, stream, history.seat, history.players)
        deals = np.zeros((60, 21), np.int64)
        for deal in deals:
            sample(work, again, deal)
        assert stream[0] == again[0]
        for trio in trios:
            ours = information.estimate(drawn, *trio)
            expected = count_answers(deals, history.seat, history.players, trio)
            assert ours == pytest.approx(max(expected, 0), abs=1e-9)
            assert ours == information.estimate(drawn, *trio)  # scratch is left clean
            wrong = count_answers(deals, history.seat, history.players, trio, share=lambda k: 1)
            apart.append(abs(wrong - expected) > 1e-3)
    assert np.mean(apart) > 0.1


def test_agreement_of_the_cheap_ratings():
    """The order of the ways to rate, and that none of them is chance."""
    found = agreement(30)
    rank = {name: row[0] for name, row in found.items()}
    share = {name: row[2] for name, row in found.items()}
    assert rank["closed form, exact"] > 0.75
    assert rank["1000 deals"] > rank["50 deals"] > 0.45 > 0.2 > rank["at random"]
    assert share["1000 deals"] < 0.05
    assert share["closed form, exact"] < 0.1
    assert share["50 deals"] < 0.25 < share["at random"]
