"""Random games of questions as one seat sees them, and a brute-force posterior over deals.

The brute force reads the raw events, not the evidence record: it lists the possible hands of each
player with their likelihoods and joins them, so it shares no code and no ordering with
`belief.exact`.
"""

from itertools import combinations

import numpy as np

from belief import evidence
from belief.evidence import LEAST_INFORMATIVE, UNIFORM
from mcts.kernel.compile import INTERPRETED

PAIRS = 200_000 if INTERPRETED else 3_000_000
CATEGORIES = (range(6), range(6, 12), range(12, 21))


def mask(cards):
    """Return the bit mask of some cards."""
    return sum(1 << int(card) for card in cards)


def random_trio(rng):
    """Return a suspect, a weapon and a room."""
    return tuple(int(rng.choice(category)) for category in CATEGORIES)


class History:
    """One observer's view: its seat, hand, face-up cards, hand sizes and the answers it saw.

    Players choose what to show by the rule ``showing``; with ``shares`` it is public how many
    cards of each category everybody was dealt.
    """

    def __init__(self, players, seat, deal, shares=False, showing=UNIFORM):
        self.players, self.seat, self.deal, self.showing = players, seat, deal, showing
        self.hand = [c for c in range(21) if deal[c] == seat + 1]
        self.face_up = [c for c in range(21) if deal[c] == -1]
        self.sizes = np.array([int(np.sum(deal == p + 1)) for p in range(players)])
        self.shares = None
        if shares:
            dealt = [[np.sum(deal[list(c)] == p + 1) for c in CATEGORIES] for p in range(players)]
            self.shares = np.array(dealt)
        self.events = []
        self._shown = {}  # by answerer and asker: the cards that this asker has been shown

    def ask(self, asker, trio, rng):
        """Let the others answer a question truthfully and note what the observer sees."""
        for step in range(1, self.players):
            player = (asker + step) % self.players
            held = [c for c in trio if self.deal[c] == player + 1]
            if not held:
                self.events.append(("passed", player, trio, None))
                continue
            before = self._shown.setdefault((player, asker), set())
            if self.showing == LEAST_INFORMATIVE:
                held = [c for c in held if c in before] or held
            card = int(rng.choice(held))
            before.add(card)
            if player != self.seat:
                kind = "shown" if asker == self.seat else "showed"
                self.events.append((kind, player, trio, card))
            return

    def record(self, weighted=True):
        """Return the evidence record element of this history.

        Not ``weighted``, a card shown to us is recorded as held, and no more.
        """
        ev = evidence.new_evidence()[0]
        sizes = self.sizes.astype(np.int64)
        evidence.reset(ev, self.players, self.seat, sizes, mask(self.hand), mask(self.face_up))
        ev.showing = self.showing
        if self.shares is not None:
            ev.shares[: self.players] = self.shares
        for kind, player, trio, card in self.events:
            if player == self.seat:
                continue
            if kind == "passed":
                evidence.passed(ev, player, mask(trio))
            elif kind == "showed":
                evidence.showed(ev, player, mask(trio))
            elif weighted:
                evidence.shown(ev, player, card, mask(trio))
            else:
                evidence.has_card(ev, player, card)
        return ev

    def likelihoods(self, player, hands, weighted=True):
        """Return the likelihood of all answers of ``player`` with each of ``hands`` (masks)."""
        weight = np.ones(len(hands))
        seen = 0
        for kind, who, trio, card in self.events:
            if who != player:
                continue
            held = hands & mask(trio)
            if kind == "passed":
                weight *= held == 0
            elif kind == "showed":
                weight *= held != 0
            else:
                if self.showing == LEAST_INFORMATIVE:
                    held = np.where(held & seen, held & seen, held)
                weight *= held >> card & 1
                if weighted:
                    weight /= np.maximum(np.bitwise_count(held), 1)
                seen |= 1 << card
        return weight


def random_sizes(rng, players, cards):
    """Return unequal hand sizes from 2 to 7."""
    while True:
        sizes = 2 + rng.multinomial(cards - 2 * players, np.full(players, 1 / players))
        if sizes.max() <= 7:
            return sizes


def random_history(
    rng, players, questions, sizes=None, face_up=0, repeat=0.2, shares=False, showing=UNIFORM
):
    """Return a history of random truthful questions; some are asked again word for word."""
    order = rng.permutation(21)
    envelope = [int(rng.choice(category)) for category in CATEGORIES]
    rest = [int(c) for c in order if c not in envelope]
    deal = np.full(21, -1)
    deal[envelope] = 0
    rest = rest[face_up:]
    if sizes is None:
        deal[rest] = np.arange(len(rest)) % players + 1
    else:
        deal[rest] = np.repeat(np.arange(players), sizes) + 1
    history = History(players, int(rng.integers(players)), deal, shares, showing)
    asked = []
    for _ in range(questions):
        if asked and rng.random() < repeat:
            asker, trio = asked[rng.integers(len(asked))]
        else:
            asker = int(rng.integers(players))
            trio = random_trio(rng)
        asked.append((asker, trio))
        history.ask(asker, trio, rng)
    return history


def hands(history, player, weighted=True):
    """Return the possible hands of ``player`` as masks and their likelihoods."""
    surely, barred = set(), set(history.hand) | set(history.face_up)
    for kind, who, trio, card in history.events:
        if who == player and kind == "passed":
            barred.update(trio)
        if kind == "shown":
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


def histories(seed, wanted, players=(3, 4, 5, 6), limit=PAIRS):
    """Yield random histories small enough for brute force, of each number of players in turn.

    With ``limit`` None they may be of any size.  Hands are unequal; shares are public in every
    second round, and showing alternates every two.
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
        )
        if limit is None or deals_below(history, limit):
            found += 1
            yield history
