"""Evidence tables: one player's belief about each card that the others were dealt.

A category's table has a row for each of its cards that another player was dealt -- their number
must be public -- and a column for each of its cards that the observer does not hold; the entry is
the probability that this card is that value [Cai & Ferrari 2006, s. III-B, eqs. 13-17].
`belief.beliefs.evidence_tables` derives the envelope.  The updates are those of
[Ferrari & Cai 2009, App. V]:

* a pass (a): the named cards become 0 in all rows of the player who passed;
* a card shown to another player (b): each of the n named cards that are still free becomes ``1/n +
  e (1 - 1/n)`` in the answerer's row that is most likely to be it;
* a card shown to us (c): the answerer's row of highest entropy becomes that card;
* then the row is normalised by spreading the missing mass evenly over the entries that are neither
  0 nor the one just set, and the column of a 1 is cleared.

In the paper of 2006 (b) differs [s. III-C, eqs. 19-23]: the row is the answerer's of *highest
entropy*, for each card, and each of the three that the observer itself does not hold is free.

Under either text (`TREATMENTS`) that runs to false certainty.  The repairs, of that of 2009:

1. a card shown to another player is uninformative if the answerer certainly holds one of the three;
2. cards that the answerer cannot hold are not free (by the text a 0 is raised again);
3. rows that lost mass with a column are normalised too, until a fixed point;
4. rows are normalised in proportion, and unproved entries stay below 1, so that soft evidence
   excludes nothing and proves nothing (by the text, entries that fall below 0 stay 0).

Repaired tables are sound: the answers prove every 0 and 1, if they are true.  Where the source is
silent: a card known to be in the answerer's hand is uninformative when it is shown again; a certain
row stays so [eq. 17]; ties go to the first row; if the entry just set is the only one left in its
row, it is 1.  By the texts an entry within 1e-12 of 1 is 1.  Rows are normalised as in 2006 [eq.
15]: App. V, 2a divides the missing mass by all columns, so that no row sums to 1.  Nothing here
consumes randomness.
"""

from __future__ import annotations

from math import log2

import numpy as np

from belief.events import CARD, KIND, NAMED, NOT_ENVELOPE, PASSED, PLAYER, REFUTED_OTHER
from belief.evidence import CATEGORY_START, N_CARDS, N_CATEGORIES, category, lowest
from belief.network.permanents import MAX_COLUMNS, MAX_ROWS
from mcts.kernel.compile import jit

TABLES = np.dtype(
    [
        ("treatment", np.int64),  # index in `TREATMENTS`
        ("seat", np.int64),  # of the observer
        ("columns", np.int64, (N_CATEGORIES,)),  # cards it does not hold; rows are one fewer
        ("card", np.int64, (N_CATEGORIES, MAX_COLUMNS)),  # of a column
        ("column", np.int64, (N_CARDS,)),  # of a card, -1: own or face up
        ("owner", np.int64, (N_CATEGORIES, MAX_ROWS)),  # player of a row
        ("entry", np.float64, (N_CATEGORIES, MAX_ROWS, MAX_COLUMNS)),
    ]
)

Tables = np.record
"""One `TABLES`."""

TREATMENTS = ("text", "repaired", "text2006")
"""Ways to update: by the text of 2009, by the repairs, by the text of 2006."""

_REPAIRED, _TEXT2006 = TREATMENTS.index("repaired"), TREATMENTS.index("text2006")

_CLOSE, _UNPROVED = 1e-12, 1e-9


def new_tables(copies: int = 1) -> np.ndarray:
    """Return ``copies`` blank records, to be passed to kernels as ``records[i]``."""
    return np.zeros(copies, TABLES).view(np.recarray)


@jit
def start(
    t: Tables, players: int, seat: int, shares: np.ndarray, dealt: int, treatment: int
) -> None:
    """Begin the tables of ``seat``, all entries of a category equal [eq. 14].

    Parameters
    ----------
    shares : int64 (players or more, 3), cards of each category that each player was dealt
    dealt : mask of the cards that are neither its own nor face up
    treatment : index in `TREATMENTS`
    """
    t.treatment = treatment
    t.seat = seat
    for kind in range(N_CATEGORIES):
        columns = 0
        for card in range(CATEGORY_START[kind], CATEGORY_START[kind + 1]):
            t.column[card] = -1
            if dealt >> card & 1:
                t.card[kind, columns] = card
                t.column[card] = columns
                columns += 1
        t.columns[kind] = columns
        row = 0
        for player in range(players):
            if player != seat:
                for _ in range(shares[player, kind]):
                    t.owner[kind, row] = player
                    row += 1
        for row in range(columns - 1):
            for column in range(columns):
                t.entry[kind, row, column] = 1.0 / columns


@jit
def row_entropy(row: np.ndarray, columns: int) -> float:
    """Return the entropy of a row in bits [eq. 18]."""
    bits = 0.0
    for column in range(columns):
        p = row[column]
        if 0.0 < p < 1.0:
            bits -= p * log2(p)
    return bits


@jit
def certain_column(row: np.ndarray, columns: int) -> int:
    """Return the column of the 1 in a row, -1 if it has none."""
    for column in range(columns):
        if row[column] == 1.0:
            return column
    return -1


@jit
def spread(row: np.ndarray, columns: int, spared: int) -> None:
    """Make the row sum to 1: even shares of the difference for all but 0 and ``spared``.

    Entries that would fall below 0 become 0 permanently.  A row without mass is unchanged.
    """
    while True:
        total, movable = 0.0, 0
        for column in range(columns):
            if row[column] >= 1.0 - _CLOSE:
                for other in range(columns):
                    row[other] = 1.0 if other == column else 0.0
                return
            total += row[column]
            if row[column] > 0.0 and column != spared:
                movable += 1
        if abs(total - 1.0) <= _CLOSE or total == 0.0:
            return
        if movable == 0:  # only ``spared`` is left
            row[spared] = 1.0
            return
        share = (1.0 - total) / movable
        for column in range(columns):
            if row[column] > 0.0 and column != spared:
                row[column] = max(row[column] + share, 0.0)


@jit
def scale(row: np.ndarray, columns: int, spared: int) -> None:
    """Make the row sum to 1: all but ``spared`` (-1: none) in proportion.

    The only entry above 0 becomes exactly 1.  With several, ``spared`` stays at least 1e-9 below 1,
    and the others at least 1e-12.
    """
    others, several, last = 0.0, 0, spared
    for column in range(columns):
        if column != spared and row[column] > 0.0:
            others += row[column]
            several += 1
            last = column
    kept = row[spared] if spared >= 0 else 0.0
    if several + (kept > 0.0) <= 1:
        if kept > 0.0 or several:
            row[last] = 1.0
        return
    if kept > 0.0:
        kept = min(kept, 1.0 - _UNPROVED)
        row[spared] = kept
    for column in range(columns):
        if column != spared and row[column] > 0.0:
            row[column] = max(row[column] / others * (1.0 - kept), _CLOSE)


@jit
def _normalise(t: Tables, kind: int, row: int, spared: int) -> None:
    if t.treatment == _REPAIRED:
        scale(t.entry[kind, row], t.columns[kind], spared)
    else:
        spread(t.entry[kind, row], t.columns[kind], spared)


@jit
def _settle(t: Tables, kind: int, row: int, column: int) -> None:
    """Restore the rules of the tables [eqs. 15-17] after an entry was set."""
    columns, entry = t.columns[kind], t.entry[kind]
    _normalise(t, kind, row, column)
    moved = True
    while moved:
        moved = False
        for i in range(columns - 1):
            at = (row + i) % (columns - 1)  # the newest information comes first
            sure = certain_column(entry[at], columns)
            if sure < 0:
                continue
            for other in range(columns - 1):
                if other == at or entry[other, sure] == 0.0:
                    continue
                entry[other, sure] = 0.0
                if t.treatment == _REPAIRED:
                    scale(entry[other], columns, -1)
                    moved = True


@jit
def is_known(t: Tables, kind: int, column: int) -> bool:
    """Return whether some row is certain of this value."""
    known = False
    for row in range(t.columns[kind] - 1):
        known = known or t.entry[kind, row, column] == 1.0
    return known


@jit
def surely_holds(t: Tables, player: int, card: int) -> bool:
    """Return whether a row of ``player`` is certain of ``card``."""
    kind, column = category(card), t.column[card]
    if column >= 0:
        for row in range(t.columns[kind] - 1):
            if t.owner[kind, row] == player and t.entry[kind, row, column] == 1.0:
                return True
    return False


@jit
def _likeliest_row(t: Tables, player: int, card: int) -> int:
    """Return the row of ``player`` that is most likely to be ``card``, -1 if it has no row."""
    kind, column = category(card), t.column[card]
    best, most = -1, -1.0
    for row in range(t.columns[kind] - 1):
        if t.owner[kind, row] == player and t.entry[kind, row, column] > most:
            best, most = row, t.entry[kind, row, column]
    return best


@jit
def _most_open_row(t: Tables, player: int, kind: int) -> int:
    """Return the row of ``player`` in a category of highest entropy, -1 if it has no row."""
    best, most = -1, -1.0
    for row in range(t.columns[kind] - 1):
        if t.owner[kind, row] == player:
            bits = row_entropy(t.entry[kind, row], t.columns[kind])
            if bits > most:
                best, most = row, bits
    return best


@jit
def note_pass(t: Tables, player: int, cards: int) -> None:
    """Update: ``player`` has none of ``cards`` (mask) [eq. 41]."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        kind, column = category(card), t.column[card]
        if column < 0:
            continue
        for row in range(t.columns[kind] - 1):
            if t.owner[kind, row] == player and t.entry[kind, row, column] > 0.0:
                t.entry[kind, row, column] = 0.0
                _settle(t, kind, row, column)


@jit
def _make_certain(t: Tables, kind: int, row: int, column: int) -> None:
    """Set the card of a row to that of a column."""
    for other in range(t.columns[kind]):
        t.entry[kind, row, other] = 1.0 if other == column else 0.0
    _settle(t, kind, row, column)


@jit
def _is_free(t: Tables, player: int, card: int) -> bool:
    """Return whether ``card`` may be the one that ``player`` showed to another player."""
    kind, column = category(card), t.column[card]
    row = _likeliest_row(t, player, card) if column >= 0 else -1
    if row < 0 or t.treatment == _TEXT2006:
        return row >= 0
    if is_known(t, kind, column):
        return False
    return t.treatment != _REPAIRED or t.entry[kind, row, column] > 0.0


@jit
def note_refutation(t: Tables, player: int, cards: int) -> None:
    """Update: ``player`` showed one of ``cards`` (mask) to another player.

    [Ferrari & Cai 2009, eq. 42; Cai & Ferrari 2006, eqs. 19-23].
    """
    free, n, rest = 0, 0, cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if t.treatment == _REPAIRED and surely_holds(t, player, card):
            return
        if _is_free(t, player, card):
            free |= 1 << card
            n += 1
    while free:
        card = lowest(free)
        free &= free - 1
        kind, column = category(card), t.column[card]
        if t.treatment == _TEXT2006:
            row = _most_open_row(t, player, kind)
        else:
            row = _likeliest_row(t, player, card)
        if certain_column(t.entry[kind, row], t.columns[kind]) >= 0:
            continue
        if n == 1:
            _make_certain(t, kind, row, column)
            continue
        before = t.entry[kind, row, column]
        t.entry[kind, row, column] = 1.0 / n + before * (1.0 - 1.0 / n)
        _settle(t, kind, row, column)


@jit
def note_card(t: Tables, player: int, card: int) -> None:
    """Update: ``player`` showed us ``card`` (App. V, c)."""
    kind, column = category(card), t.column[card]
    if column < 0 or surely_holds(t, player, card):
        return
    row = _most_open_row(t, player, kind)
    if row >= 0:
        _make_certain(t, kind, row, column)


@jit
def take_in(t: Tables, event: np.ndarray) -> None:
    """Apply one event (`belief.events`); an excluded envelope does not affect the rows."""
    player = event[PLAYER]
    if player == t.seat or event[KIND] == NOT_ENVELOPE:
        return
    if event[KIND] == PASSED:
        note_pass(t, player, event[NAMED])
    elif event[KIND] == REFUTED_OTHER:
        note_refutation(t, player, event[NAMED])
    else:
        note_card(t, player, event[CARD])
