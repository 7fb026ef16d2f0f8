"""A brute-force posterior over the deals of random games as one seat sees them.

It reads the raw events, not the evidence record: it lists the possible hands of each player with
their likelihoods and joins them, so it shares no code and no ordering with `belief.exact.solver`.
"""

from itertools import combinations

import numpy as np

from belief.contract.history import CATEGORIES, mask, random_history, random_sizes
from belief.evidence import LEAST_INFORMATIVE, UNIFORM

PAIRS = 3_000_000


def hands(history, player, weighted=True):
    """Return the possible hands of ``player`` as masks and their likelihoods."""
    surely, barred = set(), set(history.hand) | set(history.face_up)
    for kind, who, trio, card in history.events:
        if kind == "not_envelope":
            continue
        if who == player and kind == "passed":
            barred.update(trio)
        if kind == "refuted_us":
            (surely if who == player else barred).add(card)
    free = [1 << c for c in range(21) if c not in barred and c not in surely]
    places = int(history.sizes[player]) - len(surely)
    masks = mask(surely) + np.array([sum(c) for c in combinations(free, places)], np.int64)
    if history.shares is not None:
        for category, share in zip(CATEGORIES, history.shares[player], strict=True):
            masks = masks[np.bitwise_count(masks & mask(category)) == share]
    weights = history.likelihoods(player, masks, weighted)
    return masks[weights > 0.0], weights[weights > 0.0]


def _parts(history, weighted=True):
    """Return (player, hands, likelihoods) of the others, those of fewest hands first."""
    others = [p for p in range(history.players) if p != history.seat]
    parts = [(p, *hands(history, p, weighted)) for p in others]
    return sorted(parts, key=lambda part: len(part[1]))


def weighted_deals(history, weighted=True):
    """Return (deals int64 (n, 21), likelihoods (n,)) of all deals that explain the history."""
    dealt = mask(range(21)) & ~mask(history.face_up) & ~mask(history.hand)
    parts = _parts(history, weighted)
    joined, weight = np.zeros((1, 0), np.int64), np.ones(1)
    taken = np.zeros(1, np.int64)
    for _, masks, weights in parts:
        left, right = np.nonzero((taken[:, None] & masks[None, :]) == 0)
        joined = np.column_stack([joined[left], masks[right]])
        weight = weight[left] * weights[right]
        taken = taken[left] | masks[right]
    envelope = dealt & ~taken
    valid = np.ones(len(envelope), bool)
    for category in CATEGORIES:
        inside = envelope & mask(category)
        valid &= (inside != 0) & (inside & (inside - 1) == 0)
    valid &= ~np.isin(envelope, history.list_excluded())
    joined, weight, envelope = joined[valid], weight[valid], envelope[valid]
    deals = np.full((len(weight), 21), -1)
    deals[:, history.hand] = history.seat + 1
    for card in range(21):
        deals[envelope >> card & 1 == 1, card] = 0
        for column, (player, _, _) in enumerate(parts):
            deals[joined[:, column] >> card & 1 == 1, card] = player + 1
    return deals, weight


def brute_force(history, weighted=True):
    """Return (deals int64 (n, 21), probabilities (n,)) of all deals that explain the history."""
    deals, weight = weighted_deals(history, weighted)
    return deals, weight / weight.sum()


def places(drawn, deals):
    """Return which of ``deals`` each of those ``drawn`` (n, 21) is; an error if it is none."""
    digits = 7 ** np.arange(21)  # below 2 ** 63
    known, found = (np.asarray(some, np.int64) @ digits for some in (deals, drawn))
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known[order], found), len(known) - 1)
    assert (known[order][place] == found).all(), "a deal that is none of them"
    return order[place]


def deals_below(history, limit):
    """Return whether brute force joins at most ``limit`` pairs of hands at a time."""
    taken = np.zeros(1, np.int64)
    for _, masks, _ in _parts(history):
        if len(taken) * len(masks) > limit:
            return False
        left, right = np.nonzero((taken[:, None] & masks[None, :]) == 0)
        taken = taken[left] | masks[right]
    return True


def means(deals, probability):
    """Return the card marginals (21, 7) and the envelope table (6, 6, 9) of weighted deals."""
    marginals = np.zeros((21, 7))
    for column in range(7):
        marginals[:, column] = probability @ (deals == column)
    table = np.zeros((6, 6, 9))
    trio = [np.argmax(deals[:, list(category)] == 0, axis=1) for category in CATEGORIES]
    np.add.at(table, tuple(trio), probability)
    return marginals, table


def histories(seed, wanted, players=(3, 4, 5, 6), limit=PAIRS, accusations=0):
    """Yield random histories small enough for brute force, of each number of players in turn.

    With ``limit`` None they may be of any size.  Hands are unequal; shares are public in every
    second round, and showing alternates every two.  With ``accusations`` each hears 1 to so many.
    """
    rng = np.random.default_rng(seed)
    found = 0
    while found < wanted:
        n, turn = players[found % len(players)], found // len(players)
        face_up = int(rng.integers(4))
        history = random_history(
            rng,
            n,
            int(rng.integers(3, 40)),
            sizes=random_sizes(rng, n, 18 - face_up),
            face_up=face_up,
            repeat=float(rng.choice([0.0, 0.2, 0.6])),
            shares=turn % 2 == 1,
            showing=LEAST_INFORMATIVE if turn // 2 % 2 else UNIFORM,
            accusations=1 + found % accusations if accusations else 0,
        )
        if limit is None or deals_below(history, limit):
            found += 1
            yield history
