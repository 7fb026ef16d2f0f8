"""The exact posterior early in games of 5 and 6, out of reach of brute force, by rejection.

The sampler draws deals uniformly from those with the observer's hand, the face-up cards and the
hand sizes, and accepts one with the likelihood of all answers.  It reads the raw events.
"""

import numpy as np
import pytest
from histories import CATEGORIES, mask, random_history, random_sizes
from scipy.stats import binom

from belief.evidence import LEAST_INFORMATIVE, UNIFORM, count
from belief.exact.solver import ExactPosterior, workspace
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, new_stream, uniform

POSITIONS, ACCEPTED, LEAST_ACCEPTANCE = 20, 50_000, 0.01
PASSED, REFUTED_OTHER, REFUTED_US = range(3)


@jit
def likelihood(hand, player, answers):
    """Return the likelihood of the answers (kind, player, cards, card, cards seen before)."""
    weight = 1.0
    for i in range(len(answers)):
        if answers[i, 1] != player:
            continue
        held = hand & answers[i, 2]
        if (held != 0) == (answers[i, 0] == PASSED):
            return 0.0
        if answers[i, 0] == REFUTED_US:
            if held & answers[i, 4]:
                held &= answers[i, 4]
            if not held >> answers[i, 3] & 1:
                return 0.0
            weight /= count(held)
    return weight


@jit
def reject(stream, pool, category_start, order, sizes, answers, deal, tally, wanted, tries):
    """Add accepted deals to ``tally`` (21, 7) until there are ``wanted``; return the tries.

    ``pool`` holds the cards to be dealt, by category; ``deal`` is scratch.  Gives up after
    ``tries``.
    """
    found = 0
    for tried in range(1, tries + 1):
        taken = 0
        for i in range(3):
            kinds = category_start[i + 1] - category_start[i]
            card = pool[category_start[i] + below(stream, kinds)]
            taken |= 1 << card
            deal[card] = 0
        # The likelihood only falls, so this player may be the last one to look at.
        weight, threshold = 1.0, uniform(stream)
        for player in order:
            before = taken
            for _ in range(sizes[player]):
                card = pool[below(stream, len(pool))]
                while taken >> card & 1:
                    card = pool[below(stream, len(pool))]
                taken |= 1 << card
                deal[card] = player + 1
            weight *= likelihood(taken & ~before, player, answers)
            if weight <= threshold:
                break
        if weight > threshold:
            for card in pool:
                tally[card, deal[card]] += 1
            found += 1
            if found == wanted:
                return tried
    return tries


def draw_sample(history, wanted, tries, key):
    """Return the tally of accepted deals and the tries."""
    pool = [c for c in range(21) if c not in history.hand and c not in history.face_up]
    starts = [sum(c < category[0] for c in pool) for category in CATEGORIES] + [len(pool)]
    answers, seen = [], np.zeros(history.players, np.int64)
    for kind, player, trio, card in history.events:
        before = int(seen[player]) if history.showing == LEAST_INFORMATIVE else 0
        number = ("passed", "refuted_other", "refuted_us").index(kind)
        answers.append((number, player, mask(trio), -1 if card is None else card, before))
        if kind == "refuted_us":
            seen[player] |= 1 << card
    answers = np.array(answers, np.int64).reshape(-1, 5)
    others = [p for p in range(history.players) if p != history.seat]
    order = sorted(others, key=lambda p: -np.sum(answers[:, 1] == p))  # the most doubtful first
    tally = np.zeros((21, 7), np.int64)
    used = reject(
        new_stream(key),
        np.array(pool),
        np.array(starts),
        np.array(order),
        history.sizes.astype(np.int64),
        answers,
        np.zeros(21, np.int64),
        tally,
        wanted,
        tries,
    )
    return tally, used


def positions(seed):
    """Yield early positions of 5 and 6 players of which at least 1 % of the deals are accepted.

    In each the observer has been shown a card.
    """
    rng = np.random.default_rng(seed)
    found = 0
    while found < POSITIONS:
        players = 5 + found % 2
        face_up = int(rng.integers(3))
        history = random_history(
            rng,
            players,
            int(rng.integers(2, 12)),
            sizes=random_sizes(rng, players, 18 - face_up),
            face_up=face_up,
            showing=LEAST_INFORMATIVE if found // 2 % 2 else UNIFORM,
        )
        if all(kind != "refuted_us" for kind, *_ in history.events):
            continue
        _, tries = draw_sample(history, 1000, round(1000 / LEAST_ACCEPTANCE), found)
        if tries < round(1000 / LEAST_ACCEPTANCE):
            found += 1
            yield history


def z_scores(chance, tally):
    """Return how many standard deviations the tally is off, where that is defined."""
    spread = np.sqrt(ACCEPTED * chance * (1 - chance))
    return ((tally - ACCEPTED * chance) / np.maximum(spread, 1e-9))[spread > 5]


@pytest.mark.nightly
def test_marginals_agree_with_rejection_sampling():
    work = workspace()
    smallest, squares, controls = [], [], []
    for key, history in enumerate(positions(41)):
        tally, _ = draw_sample(history, ACCEPTED, 200 * ACCEPTED, 1000 + key)
        chance = ExactPosterior(history.record(), work).marginals
        chance = np.clip(chance, 0.0, 1.0)
        chance[history.hand] = 0.0  # are not dealt
        assert (tally[chance == 0] == 0).all()
        assert tally.sum() == pytest.approx(ACCEPTED * chance.sum())
        tails = np.minimum(
            binom.cdf(tally, ACCEPTED, chance), binom.sf(tally - 1, ACCEPTED, chance)
        )
        smallest.append(tails[(chance > 0) & (chance < 1)])
        squares.append(z_scores(chance, tally) ** 2)
        # The control: a card shown to us taken as no more than held.
        flat = ExactPosterior(history.record(weighted=False), work).marginals
        flat[history.hand] = 0.0
        controls.append(np.abs(z_scores(flat, tally)).max())
    smallest, squares = np.concatenate(smallest), np.concatenate(squares)
    print(f"least p of {len(smallest)}: {smallest.min():.1e}, mean z^2 {squares.mean():.3f}")
    assert smallest.min() > 1e-3 / len(smallest)  # Bonferroni
    assert squares.mean() == pytest.approx(1.0, abs=0.1)
    assert np.sum(np.array(controls) > 14) > POSITIONS // 3
