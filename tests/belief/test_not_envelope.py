"""Triples that were heard not to be the envelope: the exact posterior against brute force, and how
the other beliefs take them in.

Predicted answers, information, own-card weights, posteriors in parts, walks and particles have such
histories in their own tests.
"""

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from histories import brute_force, histories, means, weighted_deals

from belief import evidence, matrix, public
from belief.beliefs.base import Setting
from belief.beliefs.registry import BELIEFS, make_belief
from belief.closure import new_known, update_closure
from belief.contract.history import History, mask
from belief.events import NOT_ENVELOPE
from belief.evidence import MAX_EXCLUDED
from belief.exact.solver import ExactPosterior, log_weight, workspace
from mcts.kernel.rng import new_stream
from sim.cards import CARDS

ROOT = Path(__file__).resolve().parents[2]
HISTORIES = 160
TRIPLES = 5
SETTING = Setting(4, 0, (4, 4, 4, 4), mask((0, 7, 13, 14)), mask((3, 20)))
SHARES = ((1, 1, 2), (1, 1, 2), (1, 2, 1), (1, 1, 2))


def heard(seed, wanted):
    """Yield (history, deals, weights) where 1 to `TRIPLES` possible envelopes were excluded."""
    rng = np.random.default_rng(seed)
    for number, history in enumerate(histories(seed, wanted)):
        hidden = np.unique(weighted_deals(history)[0] == 0, axis=0)
        wrong = hidden[(hidden != (history.deal == 0)).any(axis=1)]
        for row in rng.permutation(wrong)[: 1 + number % TRIPLES]:
            history.events.append(("not_envelope", history.seat, tuple(np.flatnonzero(row)), None))
        if history.list_excluded():
            yield history, *weighted_deals(history)


def unheard(history, triples=TRIPLES):
    """Return the evidence of a history without the last ``triples`` accusations."""
    ev = history.record()
    ev.excluded = max(ev.excluded - triples, 0)
    return ev


def test_posteriors_agree_with_brute_force():
    work, forward_only = workspace(), workspace()
    seen = {name: 0 for name in ("heard", "apart", "one apart", "predicted apart", "several flags")}
    for history, deals, weight in heard(31, HISTORIES):
        marginals, table = means(deals, weight / weight.sum())
        ev = history.record()
        posterior = ExactPosterior(ev, work)
        np.testing.assert_allclose(posterior.marginals, marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(posterior.envelope_table(), table, rtol=0, atol=1e-10)
        assert posterior.log_weight == pytest.approx(np.log(weight.sum()), abs=1e-10)
        assert log_weight(ev, forward_only) == pytest.approx(posterior.log_weight, abs=1e-10)
        wanted = np.sort(table.ravel())[::-1][:4]
        likely = [p for _, p in posterior.likely_envelopes(4)]
        np.testing.assert_allclose(likely, wanted[wanted > 0], rtol=0, atol=1e-10)
        for cards in history.list_excluded():
            trio = [card for card in range(21) if cards >> card & 1]
            assert posterior.envelope_probability(*trio) == 0.0
        seen["heard"] += 1
        plan = work.plan[0]
        flags = [entry >> 21 == 0 for entry in plan.clause[: plan.clauses]]
        seen["several flags"] += sum(flags) > 1
        # The controls: who did not hear, or missed one of several, believes otherwise.
        nobody = posterior.predict(history.list_excluded()[-1])[1]
        deaf = ExactPosterior(unheard(history))
        seen["apart"] += np.abs(deaf.marginals - marginals).max() > 1e-3
        seen["predicted apart"] += abs(deaf.predict(history.list_excluded()[-1])[1] - nobody) > 1e-3
        missed = ExactPosterior(unheard(history, 1)).marginals
        if len(history.list_excluded()) > 1:
            seen["one apart"] += np.abs(missed - marginals).max() > 1e-3
    assert min(seen.values()) >= HISTORIES // 3, seen


def opening(*triples):
    """Return the evidence of the first seat of four that has heard ``triples``."""
    ev = SETTING.records().view(np.recarray)[0]
    for triple in triples:
        evidence.note_not_envelope(ev, mask(triple))
    return ev


def test_a_triple_is_kept_once_and_too_many_are_too_many():
    ev = opening((1, 6, 12), (1, 6, 12), (2, 6, 12))
    assert ev.excluded == 2
    assert evidence.is_excluded(ev, mask((1, 6, 12)))
    assert not evidence.is_excluded(ev, mask((1, 6, 15)))
    rooms = [room for room in range(12, 21) if not (SETTING.hand | SETTING.face_up) >> room & 1]
    evidence.note_not_envelope(ev, mask((4, 8, min({*range(12, 21)} - {*rooms}))))
    assert ev.excluded == 2  # that room is known to be elsewhere
    for number in range(MAX_EXCLUDED - 2):
        evidence.note_not_envelope(ev, mask((4, 8 + number // 4, rooms[number % 4])))
    assert ev.excluded == MAX_EXCLUDED
    evidence.has_card(ev, 1, 9)
    evidence.note_not_envelope(ev, mask((5, 8, rooms[0])))  # in the place of those with card 9
    assert not ev.overflow and ev.excluded == MAX_EXCLUDED - 1
    for suspect in (1, 2):
        evidence.note_not_envelope(ev, mask((suspect, 8, rooms[0])))
    with pytest.raises(evidence.EvidenceFull, match="8 excluded envelopes"):
        evidence.check(ev)
    evidence.reset(ev, 4, 0, np.array(SETTING.hand_sizes), SETTING.hand, SETTING.face_up)
    assert ev.excluded == 0


def test_two_known_cards_and_a_triple_leave_the_third_out():
    """And where both envelopes of a card are excluded, so is the card; all of them: no deal."""
    known = new_known()[0]
    ev = opening((1, 6, 12))
    for player in (1, 2, 3):
        evidence.note_pass(ev, player, mask((1, 6)))
    assert update_closure(ev, known)
    assert int(known.may[0]) == mask((1, 6, 15, 16, 17, 18, 19))
    for player in (1, 2, 3):
        evidence.note_pass(ev, player, mask((12,)))
    assert not update_closure(ev, known)
    for pairs, left in (([(12, 1), (15, 1)], (2,)), ([(12, 1)], (1, 2))):
        ev = opening(*[(suspect, 6, room) for room, suspect in pairs])
        for player in (1, 2, 3):
            evidence.note_pass(ev, player, mask((6,)))
        for suspect, player in ((4, 1), (5, 2)):
            evidence.has_card(ev, player, suspect)
        for room, player in ((16, 1), (17, 1), (18, 2), (19, 3)):
            evidence.has_card(ev, player, room)
        assert update_closure(ev, known)
        assert int(known.may[0]) & 0x3F == mask(left)


def by_bayes(rows, cards):
    """Return a matrix given that not all of three cards are in the envelope, by all 7^3 places."""
    joint = np.zeros((7, 7, 7))
    for at in product(range(7), repeat=3):
        joint[at] = np.prod([rows[card, column] for card, column in zip(cards, at, strict=True)])
    joint[0, 0, 0] = 0.0
    given = rows.copy()
    for i, card in enumerate(cards):
        given[card] = joint.sum(axis=tuple({0, 1, 2} - {i})) / joint.sum()
    return given


def test_matrix_and_public_view_are_bayes():
    rng = np.random.default_rng(1)
    assert public.note_not_envelope is matrix.note_not_envelope
    for i in range(20):
        rows = np.zeros((21, 7))
        rows[:, :5] = rng.dirichlet(np.ones(5), 21)
        cards = [int(rng.integers(*limits)) for limits in ((0, 6), (6, 12), (12, 21))]
        if i % 3 == 1:
            rows[cards[0]] = np.eye(7)[i % 2]  # certain: it stays so, and the others learn
        given = rows.copy()
        changed = matrix.note_not_envelope(given, mask(cards))
        np.testing.assert_allclose(given, by_bayes(rows, cards), rtol=0, atol=1e-12)
        assert changed == mask(np.flatnonzero((given != rows).any(axis=1)))
        assert (changed != 0) == (i % 3 != 1 or i % 2 == 0)


def test_a_matrix_of_two_certain_cards_clears_the_third():
    rows = np.zeros((21, 7))
    rows[[1, 6], 0] = 1.0
    rows[12, [0, 2]] = 0.7, 0.3
    assert matrix.note_not_envelope(rows, mask((1, 6, 12))) == 1 << 12
    assert rows[12].tolist() == [0, 0, 1, 0, 0, 0, 0]  # exactly
    rows[12] = np.eye(7)[0]
    before = rows.copy()
    assert matrix.note_not_envelope(rows, mask((1, 6, 12))) == 0
    np.testing.assert_array_equal(rows, before)


@pytest.mark.parametrize("name", BELIEFS)
def test_every_belief_takes_a_triple_in(name):
    """Ours or another's, the table has less of it: but for the matrix, nothing."""
    setting = Setting(4, 0, (4, 4, 4, 4), SETTING.hand, SETTING.face_up, SHARES)
    belief = make_belief(name, setting, new_stream(1))
    before = belief.envelope_table()
    belief.observe(np.array([(NOT_ENVELOPE, 0, mask((1, 6, 12)), -1)]))
    belief.note_not_envelope(mask((2, 8, 15)))
    after = belief.envelope_table()
    places = ([1, 2], [0, 2], [0, 3])
    assert (before[places] > 0).all()
    if name == "factored":
        assert (after[places] < before[places]).all()
    else:
        assert (after[places] == 0).all()
    assert after.sum() == pytest.approx(1.0)
    assert (after[4, 4] > 0).any()


def test_the_game_typed_on_the_page_is_counted_alike():
    """The example of docs/beliefs.md against the deals of the recorded game, counted."""
    page = (ROOT / "docs/beliefs.md").read_text()
    first, typed = re.findall(r"```python\n(.*?)```", page, re.S)
    names = {}
    exec(first + typed.split("\ndef hidden")[0], names)
    said = [json.loads(line) for line in (ROOT / "tests/data/game.jsonl").read_text().splitlines()]
    deal = np.zeros(21, np.int64)
    for row in said[1:]:
        if row["event"] == "deal":
            deal[[CARDS.index(name) for name in row["cards"]]] = row["seat"] + 1
    history = History(4, 3, deal)
    for row in said[1:]:
        if row["turn"] > 12:
            break
        if row["event"] in ("suggestion", "accusation"):
            trio = [CARDS.index(name) for name in row["cards"]]
        if row["event"] == "accusation":
            history.events.append(("not_envelope", row["seat"], trio, None))
        if row["event"] == "refute":
            history.events += [("passed", player, trio, None) for player in row["unable"]]
        if row["event"] == "show" and row["by"] != 3:
            kind = "refuted_us" if row["seat"] == 3 else "refuted_other"
            history.events.append((kind, row["by"], trio, CARDS.index(row["card"])))
    marginals, table = means(*brute_force(history))
    np.testing.assert_allclose(names["belief"].marginals(), marginals, rtol=0, atol=1e-10)
    np.testing.assert_allclose(names["belief"].envelope_table(), table, rtol=0, atol=1e-10)
    history.events = [event for event in history.events if event[0] != "not_envelope"]
    control, _ = means(*brute_force(history))
    assert np.abs(control - marginals).max() > 1e-3
