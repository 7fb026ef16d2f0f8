"""Random games of questions as one seat sees them, and a brute-force posterior over deals.

The brute force reads the raw events, not the evidence record: it lists the possible hands of each
player with their likelihoods and joins them, so it shares no code and no ordering with
`belief.exact`.
"""

from itertools import combinations

import numpy as np

from belief import evidence

CATEGORIES = (range(6), range(6, 12), range(12, 21))


def mask(cards):
    """Return the bit mask of some cards."""
    return sum(1 << int(card) for card in cards)


class History:
    """One observer's view: its seat, hand, face-up cards, hand sizes and the answers it saw."""

    def __init__(self, players, seat, deal):
        self.players, self.seat, self.deal = players, seat, deal
        self.hand = [c for c in range(21) if deal[c] == seat + 1]
        self.face_up = [c for c in range(21) if deal[c] == -1]
        self.sizes = np.array([int(np.sum(deal == p + 1)) for p in range(players)])
        self.events = []

    def ask(self, asker, trio, rng):
        """Let the others answer a question truthfully and note what the observer sees."""
        for step in range(1, self.players):
            player = (asker + step) % self.players
            held = [c for c in trio if self.deal[c] == player + 1]
            if not held:
                self.events.append(("passed", player, trio, None))
                continue
            card = int(rng.choice(held))
            if player != self.seat:
                kind = "shown" if asker == self.seat else "showed"
                self.events.append((kind, player, trio, card))
            return

    def record(self):
        """Return the evidence record element of this history."""
        ev = evidence.new_evidence()[0]
        sizes = self.sizes.astype(np.int64)
        evidence.reset(ev, self.players, self.seat, sizes, mask(self.hand), mask(self.face_up))
        for kind, player, trio, card in self.events:
            if player == self.seat:
                continue
            if kind == "passed":
                evidence.passed(ev, player, mask(trio))
            elif kind == "showed":
                evidence.showed(ev, player, mask(trio))
            else:
                evidence.shown(ev, player, card, mask(trio))
        return ev

    def likelihood(self, player, hand, uniform_showing=True):
        """Return the likelihood of all answers of ``player`` if it holds the set ``hand``."""
        weight = 1.0
        for kind, who, trio, card in self.events:
            if who != player:
                continue
            held = len(hand.intersection(trio))
            if (kind == "passed" and held) or (kind == "showed" and not held):
                return 0.0
            if kind == "shown":
                if card not in hand:
                    return 0.0
                if uniform_showing:
                    weight /= held
        return weight


def random_history(rng, players, questions, sizes=None, face_up=0, repeat=0.2):
    """Return a history of random truthful questions; some are asked again word for word."""
    order = rng.permutation(21)
    envelope = [int(rng.choice(category)) for category in CATEGORIES]
    rest = [int(c) for c in order if c not in envelope]
    deal = np.full(21, -1)
    deal[envelope] = 0
    rest = rest[face_up:]
    for i, card in enumerate(rest):
        deal[card] = i % players + 1
    history = History(players, int(rng.integers(players)), deal)
    asked = []
    for _ in range(questions):
        if asked and rng.random() < repeat:
            asker, trio = asked[rng.integers(len(asked))]
        else:
            asker = int(rng.integers(players))
            trio = tuple(int(rng.choice(category)) for category in CATEGORIES)
        asked.append((asker, trio))
        history.ask(asker, trio, rng)
    return history


def hands(history, player, uniform_showing=True):
    """Return the possible hands of ``player`` as masks and their likelihoods."""
    surely, barred = set(), set(history.hand) | set(history.face_up)
    for kind, who, trio, card in history.events:
        if who == player and kind == "passed":
            barred.update(trio)
        if kind == "shown":
            (surely if who == player else barred).add(card)
    free = [c for c in range(21) if c not in barred and c not in surely]
    masks, weights = [], []
    for chosen in combinations(free, int(history.sizes[player]) - len(surely)):
        hand = surely.union(chosen)
        weight = history.likelihood(player, hand, uniform_showing)
        if weight > 0.0:
            masks.append(mask(hand))
            weights.append(weight)
    return np.array(masks, np.int64), np.array(weights)


def brute_force(history, uniform_showing=True):
    """Return (deals int64 (n, 21), probabilities (n,)) of all deals that explain the history."""
    dealt = mask(range(21)) & ~mask(history.face_up) & ~mask(history.hand)
    others = [p for p in range(history.players) if p != history.seat]
    parts = [hands(history, p, uniform_showing) for p in others]
    joined, weight = np.zeros((1, 0), np.int64), np.ones(1)
    taken = np.zeros(1, np.int64)
    for masks, weights in parts:
        left, right = np.nonzero((taken[:, None] & masks[None, :]) == 0)
        joined = np.column_stack([joined[left], masks[right]])
        weight = weight[left] * weights[right]
        taken = taken[left] | masks[right]
    envelope = dealt & ~taken
    valid = np.ones(len(envelope), bool)
    for category in CATEGORIES:
        inside = envelope & mask(category)
        valid &= (inside != 0) & (inside & (inside - 1) == 0)
    joined, weight, envelope = joined[valid], weight[valid], envelope[valid]
    deals = np.full((len(weight), 21), -1)
    deals[:, history.hand] = history.seat + 1
    for card in range(21):
        deals[envelope >> card & 1 == 1, card] = 0
        for column, player in enumerate(others):
            deals[joined[:, column] >> card & 1 == 1, card] = player + 1
    return deals, weight / weight.sum()


def deals_below(history, limit):
    """Return whether brute force joins at most ``limit`` pairs of hands at a time."""
    others = [p for p in range(history.players) if p != history.seat]
    product = 1
    for player in others:
        product *= len(hands(history, player)[0])
        if product > limit:
            return False
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
