"""Walks over deals: what they keep, where they settle, and repair."""

import numpy as np
import pytest
from histories import brute_force, deals_below, hands, means
from scipy.stats import chisquare

from belief.closure import new_known, update_closure
from belief.contract.history import explains_answers, random_history, random_sizes, setting_of
from belief.evidence import LEAST_INFORMATIVE, UNIFORM
from belief.sampling import mcmc
from mcts.kernel.compile import jit
from mcts.kernel.rng import new_stream


@jit
def walk_far(ev, known, deal, trial, cards, n, stream, matrix, rounds):
    """Walk ``rounds`` times 20 steps and count who has each card after each; return what took."""
    taken = 0
    for _ in range(rounds):
        taken += mcmc.walk(ev, known, deal, trial, cards, n, stream, 20)
        for card in range(21):
            for holder in range(7):
                matrix[card, holder] += deal[holder] >> card & 1
    return taken


@jit
def deal_often(ev, deal, stream, out):
    """Fill ``out`` (n, 21) with uniform deals."""
    for i in range(len(out)):
        mcmc.deal(ev, deal, stream)
        mcmc.spread(deal, out[i])


def histories(seed, wanted, limit=300_000, **options):
    """Yield random histories small enough for brute force."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < wanted:
        history = random_history(rng, 3 + found % 2, int(rng.integers(5, 20)), **options)
        if deals_below(history, limit):
            found += 1
            yield history


def masks(deal):
    """Return a deal (21,) of holders as masks (7,)."""
    return np.array([sum(1 << c for c in range(21) if deal[c] == h) for h in range(7)])


def ready(history):
    """Return the evidence of a history, what is known, and the list of its open cards."""
    ev, known, cards = history.record(), new_known()[0], np.zeros(21, np.int64)
    assert update_closure(ev, known)
    return ev, known, cards, mcmc.list_cards(mcmc.unsettled_cards(ev, known), cards)


@pytest.mark.parametrize("showing", [UNIFORM, LEAST_INFORMATIVE])
def test_likelihood_of_hands_is_that_of_the_answers(showing):
    compared = 0
    for history in histories(1, 6, showing=showing):
        ev = history.record()
        for player in range(history.players):
            if player == history.seat:
                continue
            possible, weights = hands(history, player)
            ours = np.array([mcmc.log_likelihood(ev, player, int(hand)) for hand in possible])
            # The evidence also knows of cards that others have shown.
            alive = np.isfinite(ours)
            assert alive.any()
            apart = ours[alive] - np.log(weights[alive])
            np.testing.assert_allclose(apart, apart[0], atol=1e-9)
            compared += int(np.ptp(weights) > 0)
            wrong = int(possible[0]) ^ 0b11
            expected = history.likelihoods(player, np.array([wrong]))[0] > 0
            assert expected or mcmc.log_likelihood(ev, player, wrong) == -np.inf
    assert compared >= 4


def test_a_walk_keeps_what_a_deal_must_keep():
    rng = np.random.default_rng(2)
    for i in range(8):
        players, face_up = 3 + i % 4, i % 3
        sizes = random_sizes(rng, players, 18 - face_up)
        history = random_history(rng, players, 15, sizes=sizes, face_up=face_up, shares=i % 2 == 1)
        ev, known, cards, n = ready(history)
        deal, trial = masks(history.deal), np.zeros(7, np.int64)
        holder = np.zeros(21, np.int64)
        taken = mcmc.walk(ev, known, deal, trial, cards, n, new_stream(i), 300)
        mcmc.spread(deal, holder)
        assert taken > 0 or n < 2
        assert explains_answers(holder[None], history).all()
        assert [np.sum(holder == p + 1) for p in range(players)] == history.sizes.tolist()
        kinds = (slice(0, 6), slice(6, 12), slice(12, 21))
        assert [np.sum(holder[kind] == 0) for kind in kinds] == [1, 1, 1]
        if history.shares is not None:
            shares = [[np.sum(holder[k] == p + 1) for k in kinds] for p in range(players)]
            assert shares == history.shares.tolist()


@pytest.mark.parametrize("accusations", [0, 5])
def test_a_walk_settles_on_the_posterior(accusations):
    """And one that does not know the factors 1/k settles elsewhere."""
    rounds = 300_000 if accusations else 60_000  # these walks are slower
    errors, control = [], []
    for history in histories(5, 6, accusations=accusations):
        truth, _ = means(*brute_force(history))
        for weighted, found in ((True, errors), (False, control)):
            ev, known, cards, n = ready(history)
            ev = ev if weighted else history.record(weighted=False)
            matrix, deal, trial = np.zeros((21, 7)), masks(history.deal), np.zeros(7, np.int64)
            walk_far(ev, known, deal, trial, cards, n, new_stream(3), matrix, rounds)
            found.append(np.abs(matrix / rounds - truth).max())
    assert max(errors) < 0.015
    assert np.median(control) > 0.03


def test_deals_are_uniform():
    rng = np.random.default_rng(4)
    n = 20_000
    for shares in (False, True):
        history = random_history(rng, 4, 0, face_up=2, shares=shares)
        ev = setting_of(history).records()[0]
        deals, deal = np.zeros((n, 21), np.int64), np.zeros(7, np.int64)
        deal_often(ev, deal, new_stream(1), deals)
        truth, _ = means(*brute_force(history)) if shares else (uniform_marginals(history), None)
        for card in range(21):
            expected = truth[card] * n
            if (expected > 0).sum() > 1:
                seen = np.array([np.sum(deals[:, card] == column) for column in range(7)])
                assert chisquare(seen[expected > 0], expected[expected > 0]).pvalue > 1e-5
        assert (deals[:, history.hand] == history.seat + 1).all()


def uniform_marginals(history):
    """Return the marginals (21, 7) of a deal before any answer, without public shares."""
    matrix = np.zeros((21, 7))
    matrix[history.hand, history.seat + 1] = 1
    seen = history.hand + history.face_up
    others = [p for p in range(history.players) if p != history.seat]
    for kind in (range(6), range(6, 12), range(12, 21)):
        cards = [c for c in kind if c not in seen]
        matrix[cards, 0] = 1 / len(cards)
        for player in others:
            share = history.sizes[player] / sum(history.sizes[others])
            matrix[cards, player + 1] = share * (1 - 1 / len(cards))
    return matrix


@pytest.mark.parametrize("accusations", [0, 5])
def test_repair_finds_a_deal(accusations):
    repaired = 0
    n = 60
    for history in histories(6, n, accusations=accusations):
        ev, known, cards, _ = ready(history)
        deal, holder = np.zeros(7, np.int64), np.zeros(21, np.int64)
        stream = new_stream(1)
        mcmc.deal(ev, deal, stream)
        mcmc.spread(deal, holder)
        assert mcmc.explains(ev, deal) == explains_answers(holder[None], history)[0]
        own = int(ev.has[ev.seat])
        movable = mcmc.list_cards((1 << 21) - 1 & ~int(ev.face_up) & ~own, cards)
        found = mcmc.repair(ev, known, deal, cards, movable, stream, 5000)
        mcmc.spread(deal, holder)
        assert not found or explains_answers(holder[None], history).all()
        assert deal[history.seat + 1] == own
        repaired += found
    assert repaired >= 0.95 * n
