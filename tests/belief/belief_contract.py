"""`check_belief`: what any belief must keep, to be called on a new one; and histories as events."""

import numpy as np
import pytest
from histories import CATEGORIES, mask, random_history, random_sizes

from belief.contract import Setting
from belief.events import PASSED, SHOWED, SHOWN
from belief.evidence import LEAST_INFORMATIVE, UNIFORM, ContradictoryEvidence
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream

KINDS = {"passed": PASSED, "showed": SHOWED, "shown": SHOWN}


def setting_of(history):
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


def events_of(history):
    """Return the events of a history, int64 (n, 4)."""
    rows = [
        (KINDS[kind], player, mask(trio), card if kind == "shown" else -1)
        for kind, player, trio, card in history.events
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def explained(deals, history):
    """Return for each deal (n, 21) whether it explains all answers of a history."""
    good = np.ones(len(deals), bool)
    for kind, player, trio, card in history.events:
        held = deals[:, list(trio)] == player + 1
        if kind == "shown":
            good &= deals[:, card] == player + 1
        else:
            good &= held.any(axis=1) == (kind == "showed")
    return good


def check_marginals(belief):
    """Check the matrix against the setting; return it."""
    setting = belief.setting
    matrix = belief.marginals()
    assert matrix.shape == (21, 7)
    assert np.isfinite(matrix).all()
    assert (matrix >= 0).all()
    face_up = [c for c in range(21) if setting.face_up >> c & 1]
    hand = [c for c in range(21) if setting.hand >> c & 1]
    np.testing.assert_allclose(np.delete(matrix, face_up, 0).sum(axis=1), 1.0, atol=1e-9)
    assert (matrix[face_up] == 0).all()
    assert (matrix[:, setting.players + 1 :] == 0).all()
    np.testing.assert_allclose(matrix[hand, setting.seat + 1], 1.0, atol=1e-9)
    matrix[:] = np.nan
    assert np.isfinite(belief.marginals()).all(), "marginals() must return a copy"
    return belief.marginals()


def check_envelope(belief):
    """Check the table and its entropy."""
    table = belief.envelope_table()
    assert table.shape == (6, 6, 9)
    assert (table >= 0).all()
    assert table.sum() == pytest.approx(1.0, abs=1e-9)
    held = table[table > 0]
    assert belief.envelope_entropy() == pytest.approx(-(held * np.log2(held)).sum(), abs=1e-9)
    table[:] = np.nan
    assert np.isfinite(belief.envelope_table()).all(), "envelope_table() must return a copy"


def check_deals(belief, n=20):
    """Check deals against the setting and the stream; return them."""
    setting = belief.setting
    before = belief.marginals()
    deals = belief.sample(new_stream(7), n)
    assert deals.shape == (n, 21)
    assert deals.dtype == np.int64
    for card in range(21):
        if setting.face_up >> card & 1:
            assert (deals[:, card] == -1).all()
        elif setting.hand >> card & 1:
            assert (deals[:, card] == setting.seat + 1).all()
    for kind in CATEGORIES:
        assert ((deals[:, list(kind)] == 0).sum(axis=1) == 1).all()
    for player, size in enumerate(setting.hand_sizes):
        assert ((deals == player + 1).sum(axis=1) == size).all()
        if setting.shares is not None:
            for kind, share in zip(CATEGORIES, setting.shares[player], strict=True):
                assert ((deals[:, list(kind)] == player + 1).sum(axis=1) == share).all()
    np.testing.assert_array_equal(deals, belief.sample(new_stream(7), n))
    np.testing.assert_array_equal(belief.marginals(), before)
    return deals


def check_news(make):
    """Check single answers at the start of a game: what they rule out, and what excludes them."""
    setting = Setting(3, 1, (6, 6, 6), mask((0, 1, 6, 12, 13, 14)))
    belief = make(setting, new_stream(1))
    belief.passed(0, mask((2, 7, 15)))
    assert (belief.marginals()[[2, 7, 15], 1] == 0).all()
    belief.showed(2, mask((2, 7, 16)))
    belief.shown(0, 8, mask((3, 8, 17)))
    assert belief.marginals()[8, 1] == pytest.approx(1.0)
    belief.passed(1, mask((0, 6, 12)))  # ourselves: ignored, whatever it says
    check_marginals(belief)
    if belief.logical:
        with pytest.raises(ContradictoryEvidence):
            belief.shown(2, 8, mask((3, 8, 17)))
            belief.marginals()
    for bad in (
        [(3, 0, 1, -1)],
        [(PASSED, 3, 1, -1)],
        [(PASSED, 0, 1 << 21, -1)],
        [(SHOWN, 0, 7, 3)],
        [(SHOWN, 0, 7)],
    ):
        with pytest.raises(ValueError, match="event"):
            make(setting, new_stream(1)).observe(np.array(bad))


def check_belief(make, histories=16, questions=(0, 25)):
    """Check everything that the contract of beliefs promises.

    ``make(setting, stream)`` returns a new belief of one kind.  Runs over random games of 3 to 6
    players with equal and unequal hands, with and without face-up cards, public shares, and either
    rule of showing.
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
            shares=i % 3 == 1,
            showing=LEAST_INFORMATIVE if i % 7 > 3 else UNIFORM,
        )
        setting = setting_of(history)
        events = events_of(history)
        belief = make(setting, new_stream(i))
        assert belief.setting is setting
        assert belief.name == type(belief).name
        check_marginals(belief)
        check_envelope(belief)
        check_deals(belief)
        belief.observe(events)
        after = check_marginals(belief)
        check_envelope(belief)
        deals = check_deals(belief)
        if belief.logical:
            assert explained(deals, history).all()
        # Taken in at once, one by one, or read out after each: the same.
        single, replayed = make(setting, new_stream(i)), make(setting, new_stream(i))
        for event in events:
            single.observe(event[None])
        np.testing.assert_array_equal(single.marginals(), after)
        trace = replayed.replay(events)
        assert trace.shape == (len(events), 21, 7)
        if len(events):
            np.testing.assert_array_equal(trace[-1], after)
        np.testing.assert_array_equal(replayed.marginals(), after)
        np.testing.assert_array_equal(replayed.sample(new_stream(7), 20), deals)
    check_news(make)
