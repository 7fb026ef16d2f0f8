"""The Bayesian-network player [Cai & Ferrari 2006, s. IV-B], and moves of the papers' players.

Its belief is given by evidence tables (`belief.network`) or the exact posterior.  It walks to the
nearest possible room, and keeps one that reaches the threshold; names the likeliest open suspect
and weapon, else own cards; and accuses when all three maxima reach the threshold.
`docs/players/bn.md` lists what the paper leaves open.  No function consumes randomness.

``chances``, float64 (21,): P(card is in the envelope), each category summing to 1; ``s``: the
seat's view (`sim.view`).  Sets of rooms and cards are masks, bit r for room r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from mcts.limits import one_of
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.players.paper import Believing, BelievingPlayer
from sim.policies.common import accusation, may_accuse, was_heard
from sim.policies.walking import enter_again
from sim.rules import Rules, world
from sim.state import ASK, END, PASS, SUGGEST, State, World

AGAIN = ("other", "same")
"""Place of the next suggestion: the nearest other wanted room, or the same room, by stepping out
and in again."""


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/bn.yaml``."""

    name: str = one_of("bn", default="bn")
    again: str = one_of(*AGAIN, default="other")

    def make(self, rules: Rules) -> BayesPlayer:
        """Return the player; ValueError like `Believing.check_hands`."""
        self.check_hands(rules)
        return BayesPlayer(**vars(self))


class BayesPlayer(BelievingPlayer):
    """The Bayesian-network player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._worlds = world(rules).view(np.ndarray)
        self._again = AGAIN.index(self.settings.again)

    def decide(self, view: np.recarray) -> int:
        chances, views = self.opinion.update(self.log), view.view(np.ndarray)
        return decide(self._worlds, views, self.seat, chances, self.threshold, self._again)


NOTHING = 1e-9
"""Probabilities up to this count as 0."""

WALKS = -1
"""No action yet: the pawn must move."""


@jit
def likeliest(chances: np.ndarray, cards: int) -> int:
    """Return the likeliest card of the mask ``cards`` (not 0), first of ties."""
    best, most = -1, -1.0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if chances[card] > most:
            best, most = card, chances[card]
    return best


@jit
def open_cards(chances: np.ndarray, cards: int, threshold: float) -> int:
    """Return the mask of ``cards`` with a probability above 0 and below ``threshold``."""
    found, rest = 0, cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if NOTHING < chances[card] < threshold:
            found |= 1 << card
    return found


@jit
def find_certain(chances: np.ndarray, threshold: float) -> int:
    """Return the likeliest envelope (mask) if all its cards reach ``threshold``, else 0."""
    found = 0
    for kind in CATEGORY_MASK:
        card = likeliest(chances, kind)
        if chances[card] < threshold:
            return 0
        found |= 1 << card
    return found


@jit
def wanted_rooms(chances: np.ndarray, threshold: float) -> int:
    """Return the mask of rooms to enter: one that reaches ``threshold``, else all open rooms."""
    best = likeliest(chances, CATEGORY_MASK[2])
    if chances[best] >= threshold:
        return 1 << best >> FIRST_ROOM
    return open_cards(chances, CATEGORY_MASK[2], threshold) >> FIRST_ROOM


@jit
def named_card(chances: np.ndarray, hand: int, kind: int, threshold: float) -> int:
    """Return the card of category ``kind`` to name.

    It is the likeliest open card, else the first own card, else the likeliest card.
    """
    category = CATEGORY_MASK[kind]
    still_open = open_cards(chances, category, threshold)
    if still_open:
        return likeliest(chances, still_open)
    own = hand & category
    return lowest(own) if own else likeliest(chances, category)


@jit
def suggestion(chances: np.ndarray, hand: int, threshold: float) -> int:
    """Return the suggestion of both `named_card` in the pawn's room."""
    suspect = named_card(chances, hand, 0, threshold)
    weapon = named_card(chances, hand, 1, threshold)
    return ASK + 6 * suspect + weapon - FIRST_WEAPON


@jit
def asks_something(
    world: World, s: State, seat: int, chances: np.ndarray, threshold: float
) -> bool:
    """Return whether a suggestion in the pawn's room can include an open card."""
    here = 1 << FIRST_ROOM << world.room_of[s.spot[seat]]
    return open_cards(chances, CATEGORY_MASK[0] | CATEGORY_MASK[1] | here, threshold) != 0


@jit
def settle(world: World, s: State, seat: int, chances: np.ndarray, threshold: float) -> int:
    """Return the accusation, suggestion or pass of this phase, or `WALKS` [C & F 2006, s. IV-B].

    The player accuses, at the start or end of its turn, when all three maxima reach ``threshold``,
    and suggests whenever it may.  When summoned to a room without an open card it walks instead,
    "to the nearest room where 0 < P < 90 %": otherwise players that know suspect and weapon and
    name their own cards would summon each other between two closed rooms forever.
    """
    if s.phase != SUGGEST:
        envelope = find_certain(chances, threshold) if may_accuse(world, s) else 0
        if envelope and not was_heard(s, envelope):
            return accusation(envelope)
        if s.phase == END:
            return PASS
        if not s.summoned[seat] or not asks_something(world, s, seat, chances, threshold):
            return WALKS
    return suggestion(chances, s.hand[seat], threshold)


@jit
def decide(
    worlds: np.ndarray,
    views: np.ndarray,
    seat: int,
    chances: np.ndarray,
    threshold: float,
    again: int,
) -> int:
    """Return the action of this phase: `settle`, or a walk to the nearest wanted room.

    ``worlds`` and ``views`` are plain arrays of one record, which Python passes to kernels faster.
    """
    world, s = worlds[0], views[0]
    action = settle(world, s, seat, chances, threshold)
    if action == WALKS:
        return enter_again(world, s, seat, wanted_rooms(chances, threshold), again)
    return action
