"""Information that a suggestion leaks: bits about the envelope that the opponents learn.

An opponent's gain from an answer is the change of its log score, log2 of the probability that it
gives to the truth about a named card; it is negative if the opponent is misled.  The sum over
cards, opponents and answers is weighted by the *own* belief.  The three cards are assumed
independent.  An opponent's view is the public view (`belief.public`) without the case that it has
the card itself; it also knows the cards that we have shown it (``shown``).

How much a shown card reveals of one of the three depends on the two others.  By Bayes the odds are
divided by the probability that one of the two had to be shown; here the gain is interpolated, by
that probability, between those of `SHOWN` times the odds and of the same odds.  So `tabulate` sums
over opponents and holders once per card, and a pair costs a few dozen products.  Nothing here
consumes randomness or allocates.
"""

from __future__ import annotations

from math import log2

import numpy as np

from belief.entropy_table import rough_entropy
from belief.evidence import CATEGORY_START, ENVELOPE, HOLDERS, MAX_PLAYERS, N_CARDS, category
from mcts.kernel.compile import jit
from mcts.kernel.stack import floats

SHOWN = 3.0
"""Factor on the odds that a player who shows one of three cards has a given one, if the two others
explain it with probability 1/2 (1 / `SHOWN`)."""

_SPAN = SHOWN / (SHOWN - 1.0)

UNSURE, BOUND, TWIN = 0, 1, 2
VIEW = 3
SHIFT, SHIFT_MORE = VIEW + MAX_PLAYERS, VIEW + 2 * MAX_PLAYERS
HERE, HERE_MORE = VIEW + 3 * MAX_PLAYERS, VIEW + 4 * MAX_PLAYERS
AWAY = VIEW + 5 * MAX_PLAYERS
COLUMNS = VIEW + 6 * MAX_PLAYERS
"""Columns of a table.  `UNSURE`: own entropy of "the card is in the envelope", in bits; `BOUND`:
lower bound of the opponents' gain on the card; `TWIN`: the first card of its category from which
all learn the same by this table.  The others are indexed by step, that of seats clockwise from the
asker, and the number of players for "no answer".  `VIEW`: the public probability that the seat has
the card.  `SHIFT`: gain times probability, if no player asked so far has the card; `HERE`: if the
answerer has it; `_MORE`: the addition if the odds of the answerer's having it are multiplied by
`SHOWN`.  `AWAY`: probability that none of the first seats, so many, has the card."""

_LEAST = 0.002
"""Maximum certainty of an opponent: the view is rough, and a log is steep."""


@jit
def _score(before: float, after: float) -> float:
    """Return log2(after / before), both kept away from 0 and 1."""
    return log2(max(after, _LEAST) / max(before, _LEAST))


@jit
def tabulate(
    belief: np.ndarray,
    view: np.ndarray,
    seat: int,
    players: int,
    playing: int,
    shown: np.ndarray,
    cards: int,
    table: np.ndarray,
) -> None:
    """Fill the rows of ``table`` (21, `COLUMNS`) for ``cards`` (mask).

    ``belief`` is that of ``seat``, ``view`` the public one; ``playing`` is the mask of seats that
    still play, and ``shown[p]`` the mask of cards that player p has seen in our hand.
    """
    for card in range(N_CARDS):
        if not cards >> card & 1:
            continue
        row = table[card]
        twin = _twin(belief, view, shown, cards, card)
        if twin < card:
            for column in range(COLUMNS):
                row[column] = table[twin, column]
            continue
        for column in range(COLUMNS):
            row[column] = 0.0
        row[UNSURE] = rough_entropy(belief[card, ENVELOPE])
        row[TWIN] = card
        row[AWAY] = left = 1.0
        column = seat + 1
        for step in range(1, players):
            column = column + 1 if column < players else 1
            left -= belief[card, column]
            row[AWAY + step] = max(left, 0.0)
            row[VIEW + step] = view[card, column]
        if view[card, ENVELOPE] > 0.0:
            for step in range(1, players):
                other = (seat + step) % players
                if playing >> other & 1 and not shown[other] >> card & 1:
                    _add(belief[card], view[card], seat, players, step, row)
        row[BOUND] = _bound(row, players)


@jit
def _twin(belief: np.ndarray, view: np.ndarray, shown: np.ndarray, cards: int, card: int) -> int:
    """Return the first of ``cards`` in the category of ``card`` with the same knowledge."""
    for other in range(CATEGORY_START[category(card)], card):
        if cards >> other & 1 and _same(belief, view, shown, card, other):
            return other
    return card


@jit
def _same(belief: np.ndarray, view: np.ndarray, shown: np.ndarray, card: int, other: int) -> bool:
    for holder in range(HOLDERS):
        if belief[card, holder] != belief[other, holder]:
            return False
    for holder in range(HOLDERS):
        if view[card, holder] != view[other, holder]:
            return False
    for player in range(MAX_PLAYERS):
        if (shown[player] >> card ^ shown[player] >> other) & 1:
            return False
    return True


@jit
def _bound(row: np.ndarray, players: int) -> float:
    """Return a lower bound of the opponents' gain on the card of ``row``, in any suggestion."""
    least, here = row[SHIFT + players], 0.0
    for answer in range(1, players):
        more = row[SHIFT + answer] + _SPAN * row[SHIFT_MORE + answer]
        least = min(least, row[SHIFT + answer], more)
        more = row[HERE + answer] + _SPAN * row[HERE_MORE + answer]
        here += min(0.0, row[HERE + answer], more)
    return least + here


@jit
def _add(
    belief: np.ndarray, view: np.ndarray, seat: int, players: int, step: int, row: np.ndarray
) -> None:
    """Add to ``row`` what the player ``step`` seats away gains from every answer."""
    other = (seat + step) % players
    rest = 1.0 - view[other + 1]
    before = view[ENVELOPE] / max(rest, _LEAST)
    if before >= 1.0 - _LEAST:
        return
    # Of the card: the other's probability that no player asked so far has it, and our probability
    # that it is with no player asked so far, neither in the envelope nor with the other.
    asked, elsewhere = 1.0, 1.0 - belief[ENVELOPE] - belief[other + 1]
    right = misled = 0.0
    player = seat
    for answer in range(1, players + 1):
        # The answerer is ``answer`` steps away; past the last seat: no answer.
        player = player + 1 if player + 1 < players else 0
        here = 0.0
        if answer < players and answer != step:
            here = view[player + 1] / rest
            right_more = misled_more = 0.0
            if here > 0.0:
                right_more, misled_more = _gains(before, asked + (SHOWN - 1.0) * here)
                right_more, misled_more = right_more - right, misled_more - misled
            row[HERE + answer] += belief[player + 1] * misled
            row[HERE_MORE + answer] += belief[player + 1] * misled_more
            asked -= here
            elsewhere = max(elsewhere - belief[player + 1], 0.0)
            row[SHIFT_MORE + answer] += belief[ENVELOPE] * right_more + elsewhere * misled_more
        row[SHIFT + answer] += belief[ENVELOPE] * right + elsewhere * misled
        if here > 0.0 and answer < players:
            right, misled = _gains(before, asked)


@jit
def _gains(before: float, scale: float) -> tuple[float, float]:
    """Return the gains if the card is in the envelope, and if not, where ``before`` / ``scale``."""
    after = before / max(scale, _LEAST)
    return _score(before, after), _score(1.0 - before, 1.0 - after)


LANES = 8
"""Weapons in one vector, of which six are real: loops over them become one instruction."""


@jit
def weapon_columns(table: np.ndarray, columns: np.ndarray) -> None:
    """Write the weapons of ``table`` as vectors into ``columns`` (`COLUMNS`, `LANES`)."""
    for column in range(COLUMNS):
        for lane in range(CATEGORY_START[1]):
            columns[column, lane] = table[CATEGORY_START[1] + lane, column]
        for lane in range(CATEGORY_START[1], LANES):
            columns[column, lane] = 0.0


@jit
def leakage(
    table: np.ndarray, columns: np.ndarray, players: int, suspect: int, room: int, bits: np.ndarray
) -> None:
    """Write into ``bits`` (1, `LANES`) what all opponents together are expected to gain, in bits.

    Lane i is the suggestion of ``suspect`` with weapon i in ``room``; ``columns`` is the result of
    `weapon_columns` for ``table``.  If the answerer shows a card, the opponents gain on it with the
    probability of that if the answerer has it (``..._here``), or if no player asked so far has it
    (``..._shift``).
    """
    one, three = table[suspect], table[room]
    sums = floats(1, LANES)
    for lane in range(LANES):
        sums[0, lane] = 0.0
    for answer in range(1, players):
        before = AWAY + answer - 1
        up_to = before + 1
        one_before, three_before = one[before], three[before]
        one_up_to, three_up_to = one[up_to], three[up_to]
        second = one_before * three_before
        second_away = second - one_up_to * three_up_to
        one_view, three_view = 1.0 - one[VIEW + answer], 1.0 - three[VIEW + answer]
        second_more = _SPAN * one_view * three_view
        one_here, one_here_more = one[HERE + answer], one[HERE_MORE + answer]
        one_shift, one_shift_more = one[SHIFT + answer], one[SHIFT_MORE + answer]
        three_here, three_here_more = three[HERE + answer], three[HERE_MORE + answer]
        three_shift, three_shift_more = three[SHIFT + answer], three[SHIFT_MORE + answer]
        two_view, two_here = columns[VIEW + answer], columns[HERE + answer]
        two_here_more, two_shift = columns[HERE_MORE + answer], columns[SHIFT + answer]
        two_shift_more = columns[SHIFT_MORE + answer]
        two_before, two_up_to = columns[before], columns[up_to]
        for lane in range(LANES):
            first = two_before[lane] * three_before
            third = one_before * two_before[lane]
            first_away = first - two_up_to[lane] * three_up_to
            third_away = third - one_up_to * two_up_to[lane]
            seen = 1.0 - two_view[lane]
            more = _SPAN * seen * three_view
            sum_ = sums[0, lane] + (
                first * (one_here + more * one_here_more)
                + first_away * (one_shift + more * one_shift_more)
            )
            sum_ += second * (two_here[lane] + second_more * two_here_more[lane]) + second_away * (
                two_shift[lane] + second_more * two_shift_more[lane]
            )
            more = _SPAN * one_view * seen
            sum_ += third * (three_here + more * three_here_more) + third_away * (
                three_shift + more * three_shift_more
            )
            sums[0, lane] = sum_
    before, no_answer = AWAY + players - 1, SHIFT + players
    second = one[before] * three[before]
    for lane in range(LANES):
        two = columns[before, lane]
        sum_ = sums[0, lane] + (
            two * three[before] * one[no_answer] + second * columns[no_answer, lane]
        )
        bits[0, lane] = sum_ + one[before] * two * three[no_answer]
