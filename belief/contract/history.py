"""Random games of questions as one seat sees them, for tests of beliefs.

Players suggest random trios and answer truthfully; none plays to win.  A `History` keeps the raw
events and the true deal, so that a belief can be compared with the truth.  All chance comes from
the caller's `numpy.random.Generator`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from belief.beliefs.base import Setting
from belief.events import NOT_ENVELOPE, PASSED, REFUTED_OTHER, REFUTED_US, note, record
from belief.evidence import CATEGORY_START, LEAST_INFORMATIVE, N_CARDS, UNIFORM, has_card

CATEGORIES = tuple(range(start, stop) for start, stop in pairwise(CATEGORY_START))
"""The cards of each category: suspects, weapons, rooms."""

_KINDS = {
    "passed": PASSED,
    "refuted_other": REFUTED_OTHER,
    "refuted_us": REFUTED_US,
    "not_envelope": NOT_ENVELOPE,
}


def mask(cards: Iterable[int]) -> int:
    """Return the bit mask of some cards."""
    return sum(1 << int(card) for card in cards)


def random_trio(rng: np.random.Generator) -> tuple[int, ...]:
    """Return a suspect, a weapon and a room."""
    return tuple(int(rng.choice(category)) for category in CATEGORIES)


class History:
    """One observer's view of a game, with the deal behind it.

    Parameters
    ----------
    players : their number
    seat : of the observer
    deal : int64 (21,): 0 envelope, p + 1 player p, -1 face up
    shares : whether the number of cards of each category that every player was dealt is public
    showing : how players choose the card to show: `evidence.UNIFORM` or
        `evidence.LEAST_INFORMATIVE`

    Attributes
    ----------
    hand, face_up : the observer's cards, and those without a holder
    sizes : int64 (players,), cards of each
    shares : (players, 3) cards of each category, or None
    events : (kind, player, trio, card) in order; the kinds are ``passed``, ``refuted_other`` (to
        another player), ``refuted_us`` (to the observer) and ``not_envelope`` (a wrong accusation
        by ``player``); the card is the one shown, or None
    """

    def __init__(
        self,
        players: int,
        seat: int,
        deal: np.ndarray,
        shares: bool = False,
        showing: int = UNIFORM,
    ) -> None:
        self.players, self.seat, self.deal, self.showing = players, seat, deal, showing
        self.hand = [c for c in range(N_CARDS) if deal[c] == seat + 1]
        self.face_up = [c for c in range(N_CARDS) if deal[c] == -1]
        self.sizes = np.array([int(np.sum(deal == p + 1)) for p in range(players)])
        self.shares = None
        if shares:
            dealt = [[np.sum(deal[list(c)] == p + 1) for c in CATEGORIES] for p in range(players)]
            self.shares = np.array(dealt)
        self.events: list[tuple[str, int, Sequence[int], int | None]] = []
        self._shown = {}  # by answerer and asker: the cards already shown to this asker

    def ask(self, asker: int, trio: Sequence[int], rng: np.random.Generator) -> None:
        """Let the others answer a question truthfully and record what the observer sees."""
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
                kind = "refuted_us" if asker == self.seat else "refuted_other"
                self.events.append((kind, player, trio, card))
            return

    def accuse(self, accuser: int, rng: np.random.Generator) -> None:
        """Let ``accuser`` name a wrong envelope that neither its hand nor the open cards exclude.

        Nothing is recorded if there is none: its hand leaves only the true envelope.
        """
        free = [[c for c in some if self.deal[c] not in (-1, accuser + 1)] for some in CATEGORIES]
        if max(map(len, free)) == 1:
            return
        trio = tuple(int(rng.choice(some)) for some in free)
        while all(self.deal[card] == 0 for card in trio):
            trio = tuple(int(rng.choice(some)) for some in free)
        self.events.append(("not_envelope", accuser, trio, None))

    def list_excluded(self) -> list[int]:
        """Return the masks of the excluded triples."""
        return [mask(trio) for kind, _, trio, _ in self.events if kind == "not_envelope"]

    def record(self, weighted: bool = True) -> np.record:
        """Return the evidence of this history (`belief.evidence`).

        If not ``weighted``, a card shown to us is only recorded as held.
        """
        records = setting_of(self).records()
        if weighted:
            record(records.view(np.ndarray), events_of(self))
            return records[0]
        for kind, player, cards, card in events_of(self):
            if kind == REFUTED_US:
                has_card(records[0], player, card)
            else:
                note(records[0], kind, player, cards, card)
        return records[0]

    def likelihoods(self, player: int, hands: np.ndarray, weighted: bool = True) -> np.ndarray:
        """Return the likelihood of all answers of ``player`` with each of ``hands`` (masks)."""
        weight = np.ones(len(hands))
        seen = 0
        for kind, who, trio, card in self.events:
            if who != player or kind == "not_envelope":
                continue
            held = hands & mask(trio)
            if kind == "passed":
                weight *= held == 0
            elif kind == "refuted_other":
                weight *= held != 0
            else:
                if self.showing == LEAST_INFORMATIVE:
                    held = np.where(held & seen, held & seen, held)
                weight *= held >> card & 1
                if weighted:
                    weight /= np.maximum(np.bitwise_count(held), 1)
                seen |= 1 << card
        return weight


def random_sizes(rng: np.random.Generator, players: int, cards: int) -> np.ndarray:
    """Return unequal hand sizes from 2 to 7, (players,), that add up to ``cards``."""
    while True:
        sizes = 2 + rng.multinomial(cards - 2 * players, np.full(players, 1 / players))
        if sizes.max() <= 7:
            return sizes


def random_history(
    rng: np.random.Generator,
    players: int,
    questions: int,
    sizes: np.ndarray | None = None,
    face_up: int = 0,
    repeat: float = 0.2,
    shares: bool = False,
    showing: int = UNIFORM,
    accusations: int = 0,
) -> History:
    """Return a history of random truthful questions, seen from a random seat.

    After each of the last questions, ``accusations`` in all, a player names a wrong envelope.

    With probability ``repeat`` a question repeats an earlier one.  Without ``sizes`` the cards are
    dealt in turn; ``face_up`` of them are left out.
    """
    order = rng.permutation(N_CARDS)
    envelope = [int(rng.choice(category)) for category in CATEGORIES]
    rest = [int(c) for c in order if c not in envelope]
    deal = np.full(N_CARDS, -1)
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
        if len(asked) > questions - accusations:
            history.accuse(int(rng.integers(players)), rng)
    return history


def setting_of(history: History) -> Setting:
    """Return the `Setting` of the observer of a history."""
    shares = history.shares
    return Setting(
        players=history.players,
        seat=history.seat,
        hand_sizes=tuple(map(int, history.sizes)),
        hand=mask(history.hand),
        face_up=mask(history.face_up),
        shares=None if shares is None else tuple(tuple(map(int, row)) for row in shares),
        showing=history.showing,
    )


def events_of(history: History) -> np.ndarray:
    """Return the events of a history as beliefs take them, int64 (n, 4)."""
    rows = [
        (_KINDS[kind], player, mask(trio), card if kind == "refuted_us" else -1)
        for kind, player, trio, card in history.events
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def explains_answers(deals: np.ndarray, history: History) -> np.ndarray:
    """Return for each deal, int64 (n, 21), whether it explains all answers of a history."""
    good = np.ones(len(deals), bool)
    for kind, player, trio, card in history.events:
        held = deals[:, list(trio)] == (0 if kind == "not_envelope" else player + 1)
        if kind == "not_envelope":
            good &= ~held.all(axis=1)
        elif kind == "refuted_us":
            good &= deals[:, card] == player + 1
        else:
            good &= held.any(axis=1) == (kind == "refuted_other")
    return good
