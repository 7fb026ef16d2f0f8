"""Games in which two hidden cards may lie where the other one was dealt, and who plays them."""

from __future__ import annotations

import numpy as np

from sim.cards import CARDS, CATEGORY_MASK
from sim.chance import search_key
from sim.knowledge import begin
from sim.records.events import opening
from sim.records.record import header, line
from sim.records.stepped import SteppedGame

PATIENT = {False: 3, True: 6}
"""Questions after which somebody accuses, so that games end; without a board and on one."""

LIKED = ("suggest", "passage", "move", "pass", "walk")
"""What people do rather than what follows."""

SEED = 5


class Exchanged(SteppedGame):
    """The game ``number``, in which two cards may lie where the other one was dealt."""

    number = 0
    swap = None
    """(holder, card, holder, card), holders are seats or -1 for the envelope; None: as dealt."""

    def __init__(self, rules, seats, seed, game):
        super().__init__(rules, seats, SEED, self.number)
        if self.swap is None:
            return
        state, bits = self._state, (1 << self.swap[1]) | (1 << self.swap[3])
        for holder in (self.swap[0], self.swap[2]):
            if holder < 0:
                state.envelope ^= bits
            else:
                state.hand[holder] ^= bits
                begin(self._board, state, holder)
        self.events, self._lines = [], [line(header(rules, seats, self.seed, self.game))]
        self._note(opening(self._board, state))
        for seat in self._outsiders:
            key = int(search_key(self.seed, self.game, seat))
            seats[seat].begin(rules, seat, self.view(seat), key)


def kind_of(card):
    """Return the category of a card."""
    return next(kind for kind, mask in enumerate(CATEGORY_MASK) if int(mask) >> card & 1)


def to_exchange(events, seat, number, alike=False):
    """Return two cards to exchange that ``seat`` does not hold, of a game with these ``events``;
    ``alike``: of one category."""
    where = {}
    for event in events:
        if event["event"] == "deal":
            where |= {CARDS.index(card): event["seat"] for card in event["cards"]}
        elif event["event"] == "envelope":
            where |= {CARDS.index(card): -1 for card in event["cards"]}
    fit = [
        (where[one], one, where[other], other)
        for one in where
        for other in where
        if where[one] < where[other]
        and seat not in (where[one], where[other])
        and ((where[one] >= 0 and not alike) or kind_of(one) == kind_of(other))
    ]
    return fit[np.random.default_rng(number).integers(len(fit))]


def choose(seat, prompt, board):
    """Return what a person in ``seat`` answers, by what it is asked alone."""
    if prompt["shows"]:
        return min(choice["action"] for choice in prompt["choices"])
    stream = np.random.default_rng([seat, prompt["number"]])
    kinds = {choice["kind"] for choice in prompt["choices"]}
    if "accuse" in kinds and prompt["number"] >= PATIENT[board]:
        return 46 + int(stream.integers(324))
    kind = next(kind for kind in LIKED if kind in kinds)
    fit = [choice["action"] for choice in prompt["choices"] if choice["kind"] == kind]
    return int(stream.choice(fit))
