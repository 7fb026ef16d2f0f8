"""Kuhn poker: the rules by its known value, best responses by enumeration, and ISMCTS on it."""

from itertools import permutations

import numpy as np
import pytest

from benchmarks.games.kuhn_poker import (
    BET,
    EQUILIBRIUM,
    PASS,
    RANDOM,
    VALUE,
    KuhnParameters,
    act,
    bets,
    payoff,
    terminal,
    workspace,
)
from mcts.options import Budget, Options
from mcts.search import Search

BLUFFS = (0.0, 0.2, 1 / 3)


def value_of(first, second):
    """Return the first player's expected gain, where each plays chance(card, made, so_far)."""
    p, total = KuhnParameters(), 0.0

    def play(s, weight):
        nonlocal total
        if terminal(p, s):
            total += weight * payoff(p, s, 0)
            return
        mine = s[2] % 2 == 0
        chance = (first if mine else second)(int(s[0 if mine else 1]), int(s[2]), int(s[3]))
        for action, share in ((PASS, 1 - chance), (BET, chance)):
            if share > 0:
                after = s.copy()
                act(after, action)
                play(after, weight * share)

    for own, other in permutations(range(3), 2):
        s = workspace(p)
        s[:2] = own, other
        play(s.copy(), 1 / 6)
    return total


def equilibrium(bluff):
    return lambda card, made, so_far: bets(card, made, so_far, bluff)


@pytest.mark.parametrize("bluff", BLUFFS)
def test_the_equilibria_are_worth_what_they_are(bluff):
    assert value_of(equilibrium(bluff), equilibrium(bluff)) == pytest.approx(VALUE)


def exact_values(card, opponent):
    """Return the exact value of passing and betting first with ``card``, best play after."""
    others = [other for other in range(3) if other != card]

    def chance(other, made, so_far):
        return 0.5 if opponent == RANDOM else bets(other, made, so_far, 1 / 3)

    betted = np.mean(
        [chance(o, 1, 1) * (2 if card > o else -2) + (1 - chance(o, 1, 1)) * 1.0 for o in others]
    )
    shown = sum((1 - chance(o, 1, 0)) * (1 if card > o else -1) for o in others) / 2
    fold = sum(chance(o, 1, 0) * -1.0 for o in others) / 2
    call = sum(chance(o, 1, 0) * (2 if card > o else -2) for o in others) / 2
    return shown + max(fold, call), betted


@pytest.mark.parametrize("opponent", [EQUILIBRIUM, RANDOM], ids=["equilibrium", "random"])
@pytest.mark.parametrize("card", range(3))
def test_a_search_finds_the_best_response(card, opponent):
    search = Search(KuhnParameters(), Options(exploration=0.5, nodes=64))
    p = KuhnParameters(card=card, opponent=opponent)
    result = search.run(Budget(simulations=60_000), 1, p)
    best = max(exact_values(card, opponent))
    assert float(result.values.max()) == pytest.approx(best, abs=0.06)
    # Control: without a tree, what is done after a pass is a coin's choice (to whom it matters).
    flat = Search(KuhnParameters(), Options(exploration=0.5, nodes=1))
    value = flat.run(Budget(simulations=60_000), 1, p).values[PASS]
    assert value < exact_values(card, opponent)[0] - 0.05 or (card, opponent) == (1, EQUILIBRIUM)
