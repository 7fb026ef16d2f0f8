"""Contract test of beliefs.

`check_belief` updates a belief through random games as one seat sees them, and raises
AssertionError with the failure.  It needs no test runner.  It does not check whether the
probabilities are right: compare them with those of ``exact``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from belief.beliefs.base import Belief, Setting
from belief.contract.history import (
    CATEGORIES,
    History,
    events_of,
    explains_answers,
    mask,
    random_history,
    random_sizes,
    setting_of,
)
from belief.events import NOT_ENVELOPE, PASSED, REFUTED_US
from belief.evidence import LEAST_INFORMATIVE, N_CARDS, UNIFORM, ContradictoryEvidence
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream

_DRAWS = 20
_ROUNDING = 1e-9

Make = Callable[[Setting, np.ndarray], Belief]


def check_belief(
    make: Make,
    histories: int = 16,
    questions: tuple[int, int] = (0, 25),
    needs_shares: bool = False,
) -> None:
    """Check the whole contract of beliefs (`belief.beliefs.base`).

    Raises AssertionError with the first fault found.

    Parameters
    ----------
    make : ``make(setting, stream)`` returns a new belief of one kind
    histories : random games, of 3 to 6 players with equal and unequal hands, with and without
        face-up cards, public shares, public wrong accusations, and either rule of showing; 4 in the
        interpreter
    questions : minimum number of questions in a game, and the exclusive maximum
    needs_shares : whether shares are public in all games, for a belief that needs them
    """
    rng = np.random.default_rng(11)
    for i in range(4 if INTERPRETED else histories):
        players, face_up = 3 + i % 4, (0, 2, 1, 3, 0)[i % 5]
        history = random_history(
            rng,
            players,
            int(rng.integers(*questions)),
            sizes=random_sizes(rng, players, 18 - face_up) if i % 2 else None,
            face_up=face_up,
            shares=needs_shares or i % 3 == 1,
            showing=LEAST_INFORMATIVE if i % 7 > 3 else UNIFORM,
            accusations=(0, 1, 3)[i % 3],
        )
        _check_history(make, history, i)
    _check_news(make, needs_shares)


def _ask(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)


def _same(one: np.ndarray, other: np.ndarray, complaint: str) -> None:
    _ask(np.array_equal(one, other), complaint)


def _check_history(make: Make, history: History, key: int) -> None:
    """Check a belief before and after the events of a history, in every way of updating."""
    setting, events = setting_of(history), events_of(history)
    belief = make(setting, new_stream(key))
    _ask(belief.setting is setting, "setting is not the constructor's")
    _ask(belief.name == type(belief).name, "name is not that of the class")
    _check_marginals(belief)
    _check_envelope(belief)
    _check_deals(belief)
    belief.observe(events)
    after = _check_marginals(belief)
    _check_envelope(belief)
    deals = _check_deals(belief)
    if belief.logical:
        _ask(bool(explains_answers(deals, history).all()), "a deal does not explain the answers")
    single = make(setting, new_stream(key))
    single.replay(events)
    _same(single.marginals(), after, "events one by one give other marginals than all at once")
    _same(_draw(single), deals, "events one by one give other deals than all at once")


def _check_marginals(belief: Belief) -> np.ndarray:
    setting = belief.setting
    matrix = belief.marginals()
    _ask(matrix.shape == (N_CARDS, 7), f"marginals has the shape {matrix.shape}, not (21, 7)")
    _ask(bool(np.isfinite(matrix).all()), "a marginal is not finite")
    _ask(bool((matrix >= 0).all()), "a marginal is below 0")
    face_up = [card for card in range(N_CARDS) if setting.face_up >> card & 1]
    hand = [card for card in range(N_CARDS) if setting.hand >> card & 1]
    sums = np.delete(matrix, face_up, 0).sum(axis=1)
    _ask(bool((np.abs(sums - 1.0) <= _ROUNDING).all()), "marginals of a card do not sum to 1")
    _ask(bool((matrix[face_up] == 0).all()), "a face-up card has a holder")
    empty = matrix[:, setting.players + 1 :]
    _ask(bool((empty == 0).all()), "a card may be with an absent player")
    sure = matrix[hand, setting.seat + 1]
    _ask(bool((np.abs(sure - 1.0) <= _ROUNDING).all()), "the own hand is not certain")
    matrix[:] = np.nan
    again = belief.marginals()
    _ask(bool(np.isfinite(again).all()), "marginals must return a new array each time")
    return again


def _check_envelope(belief: Belief) -> None:
    table = belief.envelope_table()
    _ask(table.shape == (6, 6, 9), f"envelope_table has the shape {table.shape}, not (6, 6, 9)")
    _ask(bool((table >= 0).all()), "an envelope has a probability below 0")
    _ask(abs(table.sum() - 1.0) <= _ROUNDING, f"envelope_table sums to {table.sum()}, not 1")
    held = table[table > 0]
    bits = -(held * np.log2(held)).sum()
    off = abs(belief.envelope_entropy() - bits)
    _ask(off <= _ROUNDING, "envelope_entropy is not that of envelope_table")
    table[:] = np.nan
    finite = np.isfinite(belief.envelope_table()).all()
    _ask(bool(finite), "envelope_table must return a new array each time")


def _draw(belief: Belief) -> np.ndarray:
    return belief.sample(new_stream(7), _DRAWS)


def _check_deals(belief: Belief) -> np.ndarray:
    setting = belief.setting
    before = belief.marginals()
    deals = _draw(belief)
    shape = (deals.shape, deals.dtype)
    _ask(shape == ((_DRAWS, N_CARDS), np.int64), f"{_DRAWS} deals are {shape}, not int64 (n, 21)")
    for card in range(N_CARDS):
        if setting.face_up >> card & 1:
            _ask(bool((deals[:, card] == -1).all()), "a face-up card is dealt")
        elif setting.hand >> card & 1:
            ours = (deals[:, card] == setting.seat + 1).all()
            _ask(bool(ours), "a card of the own hand is dealt to another player")
    for kind in CATEGORIES:
        inside = (deals[:, list(kind)] == 0).sum(axis=1)
        _ask(bool((inside == 1).all()), "a deal has not one card of each category in the envelope")
    for player, size in enumerate(setting.hand_sizes):
        held = deals == player + 1
        _ask(bool((held.sum(axis=1) == size).all()), f"a deal has not {size} cards for {player}")
        if setting.shares is not None:
            for kind, share in zip(CATEGORIES, setting.shares[player], strict=True):
                right = (held[:, list(kind)].sum(axis=1) == share).all()
                _ask(bool(right), "a deal breaks the public shares of the categories")
    _same(belief.marginals(), before, "sample changes the belief")
    _same(deals, _draw(belief), "the same stream gives other deals the second time")
    return deals


def _check_news(make: Make, needs_shares: bool) -> None:
    """Check single answers at the start of a game: their exclusions and contradictions."""
    shares = ((1, 2, 3), (2, 1, 3), (2, 2, 2)) if needs_shares else None
    setting = Setting(3, 1, (6, 6, 6), mask((0, 1, 6, 12, 13, 14)), shares=shares)
    belief = make(setting, new_stream(1))
    belief.note_pass(0, mask((2, 7, 15)))
    gone = belief.marginals()[[2, 7, 15], 1]
    _ask(bool((gone == 0).all()), "a player who passed may still hold one of the cards")
    belief.note_refutation(2, mask((2, 7, 16)))
    belief.note_card(0, 8, mask((3, 8, 17)))
    sure = belief.marginals()[8, 1]
    _ask(abs(sure - 1.0) <= _ROUNDING, "a card that was shown to us is not certain")
    seen = belief.marginals()
    belief.note_pass(1, mask((2, 7, 15)))
    _same(belief.marginals(), seen, "our own answer changes the belief")
    belief.note_not_envelope(mask((3, 9, 18)))
    belief.observe(np.array([(NOT_ENVELOPE, 1, mask((4, 9, 18)), -1)]))
    seen = _check_marginals(belief)
    _check_envelope(belief)
    if belief.logical:
        heard = belief.envelope_table()[[3, 4], 3, 6]
        _ask(bool((heard == 0).all()), "an excluded envelope is still possible")

        def contradict() -> None:
            belief.note_card(2, 8, mask((3, 8, 17)))
            belief.marginals()

        complaint = "contradictory answers raise no ContradictoryEvidence"
        _refuses(contradict, ContradictoryEvidence, complaint)
    for bad in (
        [(4, 0, 7, -1)],
        [(NOT_ENVELOPE, 0, 1, -1)],
        [(PASSED, 3, 1, -1)],
        [(PASSED, 0, 1 << 21, -1)],
        [(PASSED, 0, 3, -1)],
        [(PASSED, 1, 1, -1)],
        [(REFUTED_US, 0, 7, 3)],
        [(REFUTED_US, 0, 7)],
    ):
        fresh = make(setting, new_stream(1))
        _refuses(
            lambda rows=bad, belief=fresh: belief.observe(np.array(rows)),
            ValueError,
            f"{bad[0]} is no event, and observe does not raise ValueError",
        )


def _refuses(call: Callable[[], None], fault: type[Exception], complaint: str) -> None:
    try:
        call()
    except fault:
        return
    raise AssertionError(complaint)
