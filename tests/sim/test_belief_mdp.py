"""Answers drawn one by one from the factored belief: answerers, frequencies and effects."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from positions import SMALL, cards_of, searched_position, stream_of, unsure_positions
from scipy.stats import chisquare

from mcts.kernel.compile import jit
from sim.cards import FIRST_ROOM
from sim.planning import belief_mdp, cluedo
from sim.planning.answers import draw_answer, named_cards
from sim.state import ASK, SUGGEST, empty

BMCTS = replace(SMALL, belief="factored", answers="predictive")
LD = replace(BMCTS, variant="ld_bmcts", redraw="decision")


@pytest.fixture(scope="module")
def places():
    """Return positions at which the seat may suggest."""
    found = [one for one in unsure_positions(12) if one.state.phase == SUGGEST]
    assert len(found) >= 2
    return found[:2]


def begin_game(one, config=BMCTS, key=1):
    """Return (parameters, workspace) at the start of a simulation."""
    p, s = searched_position(one, config)
    cluedo.start(p, s, stream_of(key))
    return p, s


# How often.


def expect(p, state, asker, cards, sequential=True):
    """Return the probability of every (answerer or -1, mask of what it holds), worked out here.

    Not ``sequential``, as if an answer informed nothing about the next.
    """
    seat, players = p.seat, p.world[0].players
    rows = {card: state.belief[seat, card].copy() for card in cards}
    found, left = Counter(), 1.0
    for step in range(1, players):
        player = (asker + step) % players
        if player == seat:
            own = sum(1 << card for card in cards if state.hand[seat] >> card & 1)
            if own:
                found[seat, own] += left
                return found
            continue
        chance = {}
        for card in cards:
            barred = state.envelope >> card & 1 or rows[card].sum() == 0
            chance[card] = 0.0 if barred else rows[card][player + 1] / rows[card].sum()
            if sequential:
                rows[card][player + 1] = 0.0
        for holds in product((0, 1), repeat=3):
            which = dict(zip(cards, holds, strict=True))
            weight = np.prod([chance[c] if which[c] else 1 - chance[c] for c in cards])
            held = sum(1 << card for card in cards if which[card])
            if held:
                found[player, held] += left * weight
        left *= np.prod([1 - chance[card] for card in cards])
    found[-1, 0] += left
    return found


@jit
def draw_answers(p, state, action, stream, hands):
    """Fill ``hands``, int64 (n, 6), with those that answer a suggestion, again and again."""
    for i in range(len(hands)):
        cards, first = named_cards(p.world[0], state, action), (state.seat + 1) % p.world[0].players
        draw_answer(p.world[0], state, p.seat, p.seat, False, cards, first, 0, stream)
        for seat in range(6):
            hands[i, seat] = state.hand[seat]


def answers(p, s, action, count):
    """Return how often each (answerer or -1, mask) came out for the suggestion ``action``."""
    state, found, drawn = s.state[0], Counter(), np.zeros((count, 6), np.int64)
    cards = suggest(p, state, action)
    draw_answers(p, state, action, stream_of(8), drawn)
    for hands in drawn.tolist():
        held = [hand & sum(1 << c for c in cards) for hand in hands]
        order = [(int(state.seat) + i) % 4 for i in range(1, 4)]
        who = next((seat for seat in order if held[seat]), -1)
        others = [seat for seat in range(4) if seat not in (who, p.seat)]
        assert not any(hands[seat] for seat in others)  # and nobody else was given anything
        found[who, held[who] if who >= 0 else 0] += 1
    return found


def suggest(p, state, action):
    """Return the three cards of a suggestion where the pawn of the seat to move is."""
    pair = action - ASK
    room = int(p.world[0].room_of[state.spot[state.seat]])
    return pair // 6, 6 + pair % 6, FIRST_ROOM + room


def fit(counts, chances):
    """Return the chi-square p-value of counts; 0 if there is one where none can be."""
    total = sum(counts.values())
    if any(chances[key] < 1e-12 for key in counts):
        return 0.0
    often = [key for key in chances if chances[key] * total >= 5]
    seen = np.array([counts[key] for key in often] + [0.0])
    wanted = np.array([chances[key] * total for key in often] + [0.0])
    seen[-1], wanted[-1] = total - seen.sum(), total - wanted.sum()
    if wanted[-1] < 1:
        seen, wanted = seen[:-1], wanted[:-1] * seen[:-1].sum() / wanted[:-1].sum()
    return chisquare(seen, wanted).pvalue


@pytest.mark.parametrize("config", [BMCTS, LD], ids=["bmcts", "ld_bmcts"])
def test_answers_come_as_often_as_the_matrix_says(config, places):
    draws, values, controls = 2_500, [], []
    for one in places:
        p, s = begin_game(one, config)
        state = s.state[0]
        for asker in (one.seat, (one.seat + 1) % 4, (one.seat + 2) % 4):
            state.seat = asker
            state.spot[asker] = state.spot[one.seat]
            for pair in (7, 29):
                cards = suggest(p, state, ASK + pair)
                counts = answers(p, s, ASK + pair, draws)
                values.append(fit(counts, expect(p, state, asker, cards)))
                alike = expect(p, state, asker, cards, sequential=False)
                if len(counts) > 2 and asker == one.seat:
                    controls.append(fit(counts, alike))
    assert min(values) > 1e-4
    assert np.mean(np.array(values) > 0.05) > 0.6
    assert np.median(controls) < 1e-6  # as if earlier passes informed nothing


# What opponents believe, and accusations.


def own_columns(state, seat):
    """Return what an opponent believes of its own cards, and of everything else."""
    belief = state.belief[seat].copy()
    own = belief[:, seat + 1].copy()
    belief[:, seat + 1] = 0.0
    total = belief.sum(axis=1, keepdims=True)
    return own, np.divide(belief, total, out=np.zeros_like(belief), where=total > 0)


def test_agents_are_told_that_they_do_not_hold_the_cards_of_a_drawn_envelope(places):
    """[Ledford 2018, s. 3.5]; and nothing else: not that these are in the envelope."""
    informed = 0
    for one in places:
        restricted, free = begin_game(one, LD)[1].state[0], begin_game(one)[1].state[0]
        envelope = cards_of(int(restricted.envelope))
        np.testing.assert_array_equal(restricted.belief[one.seat], free.belief[one.seat])
        for other in {*range(4)} - {one.seat}:
            rows = restricted.belief[other]
            assert not rows[envelope, other + 1].any()
            assert rows[envelope].sum(axis=1) == pytest.approx(1.0)
            assert (rows[envelope, 0] < 1.0).any()
            rest = [card for card in range(21) if card not in envelope]
            np.testing.assert_array_equal(rows[rest], free.belief[other][rest])
            before, after = own_columns(free, other), own_columns(restricted, other)
            np.testing.assert_allclose(before[1], after[1], atol=1e-12)
            informed += (before[0][envelope] > 0).sum()  # the control: unrestricted
    assert informed > 5


def test_the_chance_of_an_accusation_is_that_of_independent_rows():
    generator = np.random.default_rng(6)
    for _ in range(20):
        matrix = np.zeros((21, 7))
        matrix[:, :5] = generator.random((21, 5)) ** 3
        chance = 1.0
        for first, end in ((0, 6), (6, 12), (12, 21)):
            chance *= matrix[first:end, 0].max() / matrix[first:end, 0].sum()
        assert belief_mdp.reward(empty()[0], matrix) == pytest.approx(chance, rel=1e-12)
    matrix[6:12, 0] = 0.0
    assert belief_mdp.reward(empty()[0], matrix) == 0.0
