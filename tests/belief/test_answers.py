"""Predicted answers: against brute force, and against the weights of answers given."""

import numpy as np
import pytest
from histories import brute_force, histories

from belief import evidence
from belief.contract.history import mask, random_trio
from belief.evidence import LEAST_INFORMATIVE, UNIFORM, new_evidence
from belief.exact.answers import ANSWERS, predict_named
from belief.exact.solver import ExactPosterior, log_weight, workspace

HISTORIES = 100


def answers_of_deals(history, deals, probability, trio):
    """Return (answers (6, 3), P(nobody)) for the observer's own question, deal by deal."""
    answers, silent = np.zeros((6, 3)), np.ones(len(deals), bool)
    for step in range(1, history.players):
        player = (history.seat + step) % history.players
        seen = [c for kind, who, _, c in history.events if kind == "refuted_us" and who == player]
        held = deals[:, trio] == player + 1
        choice = held
        if history.showing == LEAST_INFORMATIVE:
            again = held & np.isin(trio, seen)
            choice = np.where(again.any(axis=1)[:, None], again, held)
        chance = np.where(silent, probability, 0.0) / np.maximum(choice.sum(axis=1), 1)
        answers[player] = chance @ choice
        silent &= ~held.any(axis=1)
    return answers, probability @ silent


@pytest.mark.parametrize("accusations", [0, 5])
def test_predictions_agree_with_brute_force(accusations):
    rng, work = np.random.default_rng(1), workspace()
    doubtful = 0
    for history in histories(21, HISTORIES, accusations=accusations):
        deals, probability = brute_force(history)
        posterior = ExactPosterior(history.record(), work)
        for _ in range(4):
            trio = random_trio(rng)
            answers, nobody = posterior.predict(mask(trio))
            wanted, silence = answers_of_deals(history, deals, probability, trio)
            np.testing.assert_allclose(answers, wanted, rtol=0, atol=1e-10)
            assert nobody == pytest.approx(silence, abs=1e-10)
            assert answers.sum() + nobody == pytest.approx(1.0, abs=1e-12)
            doubtful += answers.max() < 0.9
    assert doubtful >= HISTORIES


def named_of_deals(history, deals, probability, trio, about):
    """Return the joint distribution (19, 8) of answer and hidden named cards, deal by deal."""
    joint = np.zeros((ANSWERS, 8))
    for deal, chance in zip(deals, probability, strict=True):
        answers, nobody = answers_of_deals(history, deal[None], np.ones(1), trio)
        column = sum(1 << i for i in range(3) if deal[trio[i]] == 0) & about
        joint[:, column] += chance * np.append(answers.ravel(), nobody)
    return joint


@pytest.mark.parametrize("accusations", [0, 5])
def test_answers_and_named_cards_of_the_envelope_agree_with_brute_force(accusations):
    rng, joint = np.random.default_rng(3), np.zeros((ANSWERS, 8))
    faced = apart = 0
    for history in histories(24, HISTORIES // 4, limit=300, accusations=accusations):
        deals, probability = brute_force(history)
        ev = history.record()
        posterior = ExactPosterior(ev)
        for about in (7, 4):
            trio = random_trio(rng)
            predict_named(ev, posterior.work, mask(trio), about, joint)
            wanted = named_of_deals(history, deals, probability, trio, about)
            np.testing.assert_allclose(joint, wanted, rtol=0, atol=1e-10)
            answers, nobody = posterior.predict(mask(trio))
            sums = np.append(answers.ravel(), nobody)
            np.testing.assert_allclose(joint.sum(axis=1), sums, rtol=0, atol=1e-12)
            faced += bool(set(trio) & set(history.face_up))
            # The control: face-up cards taken for hidden ones, as both are with no player.
            wrong = np.where(deals < 0, 0, deals)
            other = named_of_deals(history, wrong, probability, trio, about)
            apart += np.abs(other - joint).max() > 1e-3
    assert faced and apart


def test_the_control_with_another_showing_rule_disagrees():
    apart = 0
    for history in histories(22, 64):
        deals, probability = brute_force(history)
        posterior = ExactPosterior(history.record())
        history.showing = UNIFORM if history.showing == LEAST_INFORMATIVE else LEAST_INFORMATIVE
        for kind, player, trio, _ in history.events:
            if kind == "refuted_us":  # likely to have been asked before
                answers, _ = posterior.predict(mask(trio))
                other, _ = answers_of_deals(history, deals, probability, trio)
                apart += np.abs(answers - other)[player].max() > 1e-3
    assert apart >= 6


def outcomes(ev, cards):
    """Yield answerer and card (-1 and None: no answer) with the evidence after each answer."""
    records = new_evidence(2)
    records[0] = ev
    passing = records[0]
    for step in range(1, int(ev.players)):
        player = (int(ev.seat) + step) % int(ev.players)
        for card in cards:
            records[1] = passing
            evidence.note_card(records[1], player, card, mask(cards))
            yield player, card, records[1]
        evidence.note_pass(passing, player, mask(cards))
    yield -1, None, passing


def test_weights_are_the_probabilities_of_what_was_answered():
    """exp(log_weight(B) - log_weight(A)) is what `predict` says under A."""
    rng, work, other = np.random.default_rng(2), workspace(), workspace()
    certain = 0
    for history in histories(23, HISTORIES // 2, limit=None):
        ev = history.record()
        posterior = ExactPosterior(ev, work)
        trio = random_trio(rng)
        answers, nobody = posterior.predict(mask(trio))
        total = 0.0
        for player, card, after in outcomes(ev, trio):
            weight = np.exp(log_weight(after, other) - posterior.log_weight)
            wanted = nobody if card is None else answers[player, trio.index(card)]
            assert weight == pytest.approx(wanted, abs=1e-10)
            total += weight
        assert total == pytest.approx(1.0, abs=1e-10)
        certain += max(answers.max(), nobody) > 1 - 1e-9
    assert certain < HISTORIES // 4
