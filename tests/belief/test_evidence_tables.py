"""Updates of the evidence tables, worked by hand; each fault of the text beside its repair."""

import numpy as np
import pytest

from belief.beliefs.base import Setting
from belief.beliefs.registry import make_belief
from belief.contract.history import events_of, mask, random_history, setting_of
from belief.evidence import ENVELOPE
from mcts.kernel.rng import new_stream

SHARES = ((2, 2, 2), (2, 1, 3), (1, 2, 3))
SETTING = Setting(3, 0, (6, 6, 6), mask((0, 1, 6, 7, 12, 13)), shares=SHARES)
BOTH = pytest.mark.parametrize("name", ["tables_text", "tables_repaired"])
ALL = pytest.mark.parametrize("name", ["tables_text", "tables_text2006", "tables_repaired"])
SUSPECTS, WEAPONS, ROOMS = range(3)


def belief(name):
    return make_belief(name, SETTING, new_stream(1))


def table(belief, kind):
    """Return the rows in use of a category's table."""
    columns = int(belief.tables.columns[kind])
    return np.array(belief.tables.entry[kind][: columns - 1, :columns])


@ALL
def test_rows_are_the_others_cards_and_columns_what_the_observer_lacks(name):
    one = belief(name)
    shapes = [table(one, kind).shape for kind in range(3)]
    assert shapes == [(3, 4), (3, 4), (6, 7)]
    owners = [one.tables.owner[kind][: shapes[kind][0]].tolist() for kind in range(3)]
    assert owners == [[1, 1, 2], [1, 2, 2], [1, 1, 1, 2, 2, 2]]
    np.testing.assert_allclose(table(one, SUSPECTS), 1 / 4)
    np.testing.assert_allclose(table(one, ROOMS), 1 / 7)


@ALL
def test_a_pass_empties_the_cards_and_shares_them_out(name):
    one = belief(name)
    one.note_pass(1, mask((2, 6, 14)))
    np.testing.assert_allclose(table(one, SUSPECTS)[:2], [[0, 1 / 3, 1 / 3, 1 / 3]] * 2)
    np.testing.assert_allclose(table(one, SUSPECTS)[2], 1 / 4)
    np.testing.assert_allclose(table(one, WEAPONS), 1 / 4)  # the weapon is our own
    np.testing.assert_allclose(table(one, ROOMS)[:3], [[0] + [1 / 6] * 6] * 3)


@BOTH
def test_a_card_shown_to_somebody_else_raises_each_free_card(name):
    """With three free cards: 1/3 + 1/4 x 2/3 = 1/2 in a table of 4, 1/3 + 1/7 x 2/3 in one of 7."""
    one = belief(name)
    one.note_refutation(2, mask((2, 8, 14)))
    np.testing.assert_allclose(table(one, SUSPECTS)[2], [1 / 2, 1 / 6, 1 / 6, 1 / 6])
    np.testing.assert_allclose(table(one, WEAPONS)[1], [1 / 2, 1 / 6, 1 / 6, 1 / 6])
    np.testing.assert_allclose(table(one, WEAPONS)[2], 1 / 4)  # of alike rows the first
    np.testing.assert_allclose(table(one, ROOMS)[3], [3 / 7] + [2 / 21] * 6)
    np.testing.assert_allclose(table(one, ROOMS)[:3], 1 / 7)
    # With two: 1/2 + 1/2 x 1/2 in the row that is likeliest to be it.
    one.note_refutation(2, mask((3, 8, 12)))
    np.testing.assert_allclose(table(one, WEAPONS)[1], [3 / 4] + [1 / 12] * 3)
    others = {  # 7/12 for the suspect; 5/36 less for each of the rest, or half of it
        "tables_text": [1 / 2 - 5 / 36, 7 / 12, 1 / 36, 1 / 36],
        "tables_repaired": [1 / 4, 7 / 12, 1 / 12, 1 / 12],
    }
    np.testing.assert_allclose(table(one, SUSPECTS)[2], others[name])


@ALL
def test_a_card_shown_to_us_is_certain_in_the_row_of_highest_entropy(name):
    one = belief(name)
    one.note_refutation(1, mask((2, 6, 12)))  # our own but the suspect, which is certain
    np.testing.assert_allclose(table(one, SUSPECTS)[0], [1, 0, 0, 0])
    one.note_card(1, 3, mask((3, 8, 14)))
    rows = table(one, SUSPECTS)
    np.testing.assert_allclose(rows[:2], [[1, 0, 0, 0], [0, 1, 0, 0]])
    assert (rows[2, :2] == 0).all()
    again = table(one, SUSPECTS)
    one.note_card(1, 3, mask((3, 8, 14)))  # no news
    np.testing.assert_array_equal(table(one, SUSPECTS), again)


def test_soft_evidence_excludes_nothing_and_proves_nothing():
    """1/3 + 0.4 x 2/3 = 0.6 is 0.2 too much: shared out evenly, or in proportion."""
    after = {"tables_text": [0.6, 0.305, 0.095, 0], "tables_repaired": np.array([6, 4, 1.9, 0.1])}
    after["tables_repaired"][1:] *= 4 / 6
    after["tables_repaired"] /= 10
    for name, expected in after.items():
        one = belief(name)
        row = one.tables.entry[SUSPECTS][2]
        row[:4] = 0.4, 0.4, 0.19, 0.01
        one.note_refutation(2, mask((2, 8, 14)))
        np.testing.assert_allclose(row[:4], expected)
        for _ in range(100):
            one.note_refutation(2, mask((2, 8, 14)))
        assert (row[0] == 1) == (name == "tables_text")
        assert (row[1:4].min() > 0) == (name == "tables_repaired")


@pytest.mark.parametrize(
    "name, rows",
    [
        # 1/2 + 0.7 / 2 in the likeliest row, or 1/2 + 0.4 / 2 in that of highest entropy.
        ("tables_text", [[0.85, 0.05, 0.05, 0.05], [0.4, 0.2, 0.2, 0.2]]),
        ("tables_text2006", [[0.7, 0.1, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1]]),
    ],
)
def test_the_text_of_2006_raises_the_row_of_highest_entropy(name, rows):
    """[Cai & Ferrari 2006, eqs. 19-23]; with two free cards, the third being our own."""
    one = belief(name)
    entry = one.tables.entry[SUSPECTS]
    entry[0, :4], entry[1, :4] = [0.7, 0.1, 0.1, 0.1], [0.4, 0.2, 0.2, 0.2]
    one.note_refutation(1, mask((2, 6, 14)))
    np.testing.assert_allclose(table(one, SUSPECTS)[:2], rows)


def test_by_the_text_of_2006_a_card_known_elsewhere_still_counts_as_shown():
    """Its alpha leaves out own cards alone: 1/3 for each of three, where that of 2009 has two."""
    for name, free in (("tables_text", 2), ("tables_text2006", 3)):
        one = belief(name)
        one.note_card(2, 2, mask((2, 8, 14)))
        one.note_refutation(1, mask((2, 8, 14)))
        assert table(one, SUSPECTS)[:2, 0].max() == 0  # the column of a 1 is cleared
        raised = 1 / free + 1 / 4 * (1 - 1 / free)
        assert table(one, WEAPONS)[0, 0] == pytest.approx(raised)


def test_a_card_that_is_known_to_be_there_may_have_been_shown_again():
    for name, fooled in (("tables_text", True), ("tables_repaired", False)):
        one = belief(name)
        one.note_card(1, 2, mask((2, 8, 14)))
        one.note_refutation(1, mask((2, 6, 14)))  # the suspect again, or the room
        certain = one.marginals()[14, 2] == pytest.approx(1)
        assert certain == fooled


def test_a_card_that_the_answerer_cannot_hold_is_not_what_it_showed():
    for name, raised in (("tables_text", 0.5), ("tables_repaired", 0.0)):
        one = belief(name)
        one.note_pass(2, mask((2, 6, 12)))
        one.note_refutation(2, mask((2, 6, 14)))  # so it was the room
        assert table(one, SUSPECTS)[2, 0] == pytest.approx(raised)
        sure = one.marginals()[14, 3] == pytest.approx(1)
        assert sure == (name == "tables_repaired")


def test_repaired_tables_are_sound():
    """In any truthful history: rows sum to 1, and what is true is possible; not so by the text."""
    rng, faults = np.random.default_rng(5), {"tables_text": 0, "tables_repaired": 0}
    for i in range(150):
        history = random_history(
            rng,
            3 + i % 4,
            int(rng.integers(1, 120)),
            face_up=(0, 0, 1, 2)[i % 4],
            repeat=0.5,
            shares=True,
        )
        dealt = [(card, holder) for card, holder in enumerate(history.deal) if holder >= 0]
        for name in faults:
            one = make_belief(name, setting_of(history), new_stream(1))
            one.observe(events_of(history))
            matrix = one.marginals()
            faults[name] += min(matrix[place] for place in dealt) <= 0
            faults[name] += one.contradictions > 0
            faults[name] += any(
                abs(table(one, kind).sum(axis=1) - 1).max() > 1e-9
                for kind in range(3)
                if one.tables.columns[kind] > 1
            )
    assert faults["tables_repaired"] == 0
    assert faults["tables_text"] > 100


def test_tables_that_contradict_themselves_are_read_by_what_is_certain_and_counted():
    one = belief("tables_text")
    entry = one.tables.entry[SUSPECTS]
    entry[:] = 0
    entry[0][0] = entry[1][0] = entry[2][1] = 1
    matrix = one.marginals()
    assert one.contradictions == 1
    np.testing.assert_allclose(matrix[2:6, ENVELOPE], [0, 0, 0.5, 0.5])
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    assert one.envelope_table().sum() == pytest.approx(1)
    assert set(one.sample(new_stream(2), 3)[:, 2:6].ravel()) == {0, 2, 3}
    assert not belief("tables_text").contradictions
