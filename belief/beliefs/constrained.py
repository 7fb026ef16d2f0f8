"""The factored matrix on top of logical closure, fitted to hand sizes and envelope.

The rows of the published belief (`belief.matrix`) are restricted to what `belief.closure` leaves
possible (`mask_matrix`), and scaled in turn by columns -- hand sizes, by category if shares are
public; one envelope card of each category -- and by rows: iterated proportional fitting
[Sinkhorn 1964].

Limits: hand sizes hold up to the error after a few rounds (0.04 cards on average with 5).  Fitting
keeps the odds of the matrix, with soft evidence multiplied in as often as it was seen, except for a
floor of 0.01 on possible entries.  The envelope table assumes independent categories, except for
excluded triples.  Updates consume no randomness; `sample` consumes its stream.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.base import Setting
from belief.beliefs.closure import SettledBelief
from belief.closure import update_closure
from belief.events import CARD, KIND, NAMED, PLAYER, note
from belief.evidence import (
    CATEGORY_MASK,
    ENVELOPE,
    HOLDERS,
    N_CARDS,
    Evidence,
    count,
    lowest,
    shares_known,
)
from belief.matrix import start, take_in
from belief.sampling.mcmc import unsettled_cards
from mcts.kernel.compile import jit

_FLOOR = 0.01


@jit
def mask_matrix(matrix_in: np.ndarray, known: np.record, players: int, out: np.ndarray) -> None:
    """Write ``matrix_in`` (21, 7), restricted to what ``known`` leaves possible, into ``out``.

    A row with a known holder is 1.0 there; others are renormalised over their possible holders, and
    uniform if these had no mass; rows of face-up cards are zero.  ``out`` may be ``matrix_in``.
    """
    for card in range(N_CARDS):
        total = 0.0
        possible = 0
        surely = -1
        for holder in range(HOLDERS):
            entry = 0.0
            if holder <= players:
                if known.has[holder] >> card & 1:
                    surely = holder
                if known.may[holder] >> card & 1:
                    entry = matrix_in[card, holder]
                    possible += 1
            out[card, holder] = entry
            total += entry
        if surely >= 0:
            for holder in range(players + 1):
                out[card, holder] = 0.0
            out[card, surely] = 1.0
        elif total > 0.0:
            for holder in range(players + 1):
                out[card, holder] /= total
        elif possible:
            for holder in range(players + 1):
                out[card, holder] = (known.may[holder] >> card & 1) / possible


@jit
def _raise_to_floor(out: np.ndarray, known: np.record, players: int, cards: int) -> None:
    for holder in range(players + 1):
        rest = cards & known.may[holder]
        while rest:
            card = lowest(rest)
            out[card, holder] = max(out[card, holder], _FLOOR)
            rest &= rest - 1


@jit
def _scale_column(out: np.ndarray, holder: int, cards: int, wanted: int) -> None:
    total = 0.0
    rest = cards
    while rest:
        total += out[lowest(rest), holder]
        rest &= rest - 1
    if total > 0.0:
        factor = wanted / total
        while cards:
            out[lowest(cards), holder] *= factor
            cards &= cards - 1


@jit
def fit(
    matrix_in: np.ndarray, known: np.record, ev: Evidence, rounds: int, out: np.ndarray
) -> None:
    """Write ``matrix_in`` (21, 7), masked and fitted in ``rounds`` of columns and rows, to ``out``.

    ``known`` is the closure of the evidence ``ev``, which gives hand sizes and public shares.  With
    0 rounds it is `mask_matrix`.  Certain entries stay exactly 1.0.  ``out`` may be ``matrix_in``.
    """
    players = ev.players
    mask_matrix(matrix_in, known, players, out)
    open_cards = unsettled_cards(ev, known)
    if rounds:
        _raise_to_floor(out, known, players, open_cards)
    by_category = shares_known(ev)
    for _ in range(rounds):
        for kind, inside in enumerate(CATEGORY_MASK):
            # A category whose envelope card is known has no other candidate.
            _scale_column(out, ENVELOPE, open_cards & inside & known.may[ENVELOPE], 1)
            if by_category:
                for player in range(players):
                    wanted = ev.shares[player, kind] - count(known.has[player + 1] & inside)
                    cards = open_cards & inside & known.may[player + 1]
                    _scale_column(out, player + 1, cards, wanted)
        if not by_category:
            for player in range(players):
                wanted = ev.hand_sizes[player] - count(known.has[player + 1])
                _scale_column(out, player + 1, open_cards & known.may[player + 1], wanted)
        rest = open_cards
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            total = 0.0
            for holder in range(players + 1):
                total += out[card, holder]
            for holder in range(players + 1):
                out[card, holder] /= total


@jit
def _observe(b: np.ndarray, seen: int, ev: Evidence, events: np.ndarray) -> int:
    for i in range(len(events)):
        row = events[i]
        seen = take_in(b, seen, ev.seat, row)
        note(ev, row[KIND], row[PLAYER], row[NAMED], row[CARD])
    return seen


class ConstrainedBelief(SettledBelief):
    """The published matrix restricted by closure, with hand sizes and envelope fitted.

    ``setting``: the observer's knowledge; ``rounds``: of fitting, from 0 (closure alone).
    """

    name = "constrained"

    def __init__(self, setting: Setting, rounds: int = 5) -> None:
        super().__init__(setting)
        if rounds < 0:
            raise ValueError(f"rounds must be a whole number from 0, not {rounds}")
        self._rounds = rounds
        self._matrix = np.zeros((N_CARDS, HOLDERS))
        start(self._matrix, setting.players, setting.seat, setting.hand, setting.face_up)
        self._seen = setting.hand | setting.face_up

    def _observe(self, events: np.ndarray) -> None:
        self._seen = int(_observe(self._matrix, self._seen, self.evidence, events))
        self._settle(update_closure(self.evidence, self.known))

    def _rows(self) -> np.ndarray:
        matrix = np.zeros((N_CARDS, HOLDERS))
        fit(self._matrix, self.known, self.evidence, self._rounds, matrix)
        return matrix
