"""Knowledge of the planner: no hidden information, and deals consistent with its observations."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from positions import (
    SMALL,
    Position,
    cards_of,
    decide,
    draw,
    exchange,
    find,
    least_p_value,
    other_deals,
    searched_position,
    stream_of,
    unsure_positions,
)
from scipy.stats import chisquare

from belief import evidence
from belief import matrix as factored
from belief.exact import solver
from belief.exact.solver import ExactPosterior
from mcts.options import Budget
from sim.planning import cluedo
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.planning.variants import POLICY, VARIANTS
from sim.player import PolicyPlayer
from sim.referee import play
from sim.rules import Rules
from sim.view import as_seen, view_of

SHIPPED = replace(PlannerConfig(), budget=Budget(simulations=60))
"""What the planner is by default, in less time."""


class Cheat(Planner):
    """Looks at the true hand of one opponent."""

    def __init__(self, config, truth):
        super().__init__(config)
        self.truth = truth

    def position(self, view):
        found = super().position(view)
        other = (self._seat + 1) % self.truth.rules.players
        root = found.root[0]
        for card in cards_of(int(self.truth.state.hand[other])):
            evidence.has_card(root.evidence[self._seat], other, card)
            factored.note_card(root.belief[self._seat], other, card)
            found.deals[:, card] = other + 1
        if self.config.belief == "exact":
            assert solver.solve(root.evidence[self._seat], found.posterior)
        return found


def plan_of(variant, **changes):
    """Return a quick plan of a planner."""
    how = VARIANTS[variant]
    others = {} if how.movers == POLICY else {"opponents": "tree"}
    return replace(SMALL, variant=variant, budget=Budget(simulations=60), **others, **changes)


FACTORED = {"belief": "factored", "answers": "predictive"}

HIDING = {"hiding": 1.0, "summoning": 0.2}

EVERYBODY = {
    "small": SMALL,
    "shipped": SHIPPED,
    **{variant: plan_of(variant) for variant in VARIANTS},
    **{f"{variant}-by-answers": plan_of(variant, **FACTORED)
       for variant in ("bmcts", "ld_bmcts", "bmcts_or", "flat")},
    **{f"bmcts-{belief}": plan_of("bmcts", belief=belief)
       for belief in ("factored", "constrained", "particles", "closure")},
    "ld_bmcts-decision": plan_of("ld_bmcts", redraw="decision"),
    "bmcts-reading": plan_of("bmcts", own_card_weight=0.2),
    "so_ismcts-reading": plan_of("so_ismcts", own_card_weight=0.2),
    "bmcts-hiding": plan_of("bmcts", **HIDING, opponents="hide", rollout="hide"),
    "bmcts-by-answers-hiding": plan_of("bmcts", **HIDING, **FACTORED),
}  # fmt: skip


@pytest.mark.parametrize("name", EVERYBODY)
def test_the_planner_cannot_see(name):
    changed, config = 0, EVERYBODY[name]
    places = 3 if name in ("small", "shipped") else 2
    for key, one in enumerate(unsure_positions(places)):
        first, cheating = find(decide(one, config)), find(decide(one, config, Cheat, one))
        for other in other_deals(one, 2, key):
            assert other.view.tobytes() == one.view.tobytes()
            assert other.seen == one.seen
            assert other.state.tobytes() != one.state.tobytes()
            assert find(decide(other, config)) == first
            changed += find(decide(other, config, Cheat, other)) != cheating
    assert changed >= places  # the same check catches a planner that peeks


class Remembers(Planner):
    """Keeps all that the referee hands it and all that it finds."""

    def __init__(self, config):
        super().__init__(config)
        self.memory = []

    def begin(self, rules, seat, view, key):
        self.memory.append((seat, view.tobytes(), key))
        super().begin(rules, seat, view, key)

    def see(self, event):
        self.memory.append(event)
        super().see(event)

    def decide(self, view):
        action = super().decide(view)
        self.memory.append((view.tobytes(), action, find(self) if self.result else None))
        return action


class Swaps:
    """Stands between the referee's state and one seat: the view is of another deal.

    The state has the other hidden cards in it while the view is made, and the truth afterwards.
    """

    def __init__(self, look, show):
        self.look, self.show = look, show
        self.events, self.swaps = [], 0

    def view_of(self, state, seat):
        truth = state.copy()
        one = Position(Rules(), seat, truth, self.events)
        stream = stream_of(len(self.events))
        for deal in ExactPosterior(one.evidence()).sample(stream, 20):
            other = exchange(one, deal, stream).state
            if other.envelope != truth.envelope:
                self.swaps += 1
                break
        for field in truth.dtype.names:
            state[field] = other[field]
        view = self.look(state, seat)
        for field in truth.dtype.names:
            state[field] = truth[field]
        return view

    def as_seen(self, event, seat):
        self.events.append(event)
        asker, cards, answerer, card = event
        if answerer >= 0 and seat not in (asker, answerer):
            card = next(other for other in cards_of(cards) if other != card)
        return self.show((asker, cards, answerer, card), seat)


def shows_hands(state, seat):
    """Make a view that is not blank where it should be."""
    seen = view_of(state, seat)
    seen[0].hand[:] = state.hand
    return seen


def shows_knowledge(state, seat):
    """Make a view with what the others have seen."""
    seen = view_of(state, seat)
    seen[0].known[:] = state.known
    return seen


def tells_all(event, seat):
    """Show every seat the card."""
    return event


@pytest.mark.parametrize(
    ("look", "show", "tight"),
    [
        (view_of, as_seen, True),
        (shows_hands, as_seen, False),
        (shows_knowledge, as_seen, False),
        (view_of, tells_all, False),
    ],
)
def test_the_referee_lets_nothing_through(monkeypatch, look, show, tight):
    """In a real game; the last three are the control."""

    def game(view, event):
        monkeypatch.setattr("sim.referee.view_of", view)
        monkeypatch.setattr("sim.referee.as_seen", event)
        # Not free to accuse early, which would end the game after a few decisions.
        planner = Remembers(replace(SHIPPED, least_accused=0.8, budget=Budget(simulations=30)))
        seats = [PolicyPlayer("heuristic") for _ in range(3)]
        result = play(Rules(turn_cap=20), [*seats[:2], planner, *seats[2:]], 8, 1)
        return planner, result.turns

    swaps = Swaps(look, show)
    truth, turns = game(look, show)
    other, turns_again = game(swaps.view_of, swaps.as_seen)
    assert truth.decisions >= 4 and len(truth.seen) >= 5
    assert swaps.swaps >= 4
    if tight:
        assert (other.memory, turns_again) == (truth.memory, turns)
    else:
        assert other.memory != truth.memory


# Deals drawn at the start of a simulation.


def test_drawn_deals_match_the_exact_posterior():
    joint = 0
    for key, one in enumerate(unsure_positions(3)):
        p, s = searched_position(one)
        deals = draw(p, s, 1_500, key)
        for deal in deals:
            assert (np.bincount(deal[deal > 0], minlength=5)[1:5] == one.rules.hand_sizes).all()
        for asker, cards, answerer, card in one.seen:
            named = [c for c in range(21) if cards >> c & 1]
            passed = [(asker + i) % 4 for i in range(1, 4)]
            passed = passed[: passed.index(answerer)] if answerer >= 0 else passed
            for seat in passed:
                assert not (deals[:, named] == seat + 1).any()
            if answerer >= 0:
                assert (deals[:, named] == answerer + 1).any(axis=1).all()
            if card >= 0:
                assert (deals[:, card] == answerer + 1).all()
        posterior = ExactPosterior(one.evidence())
        assert least_p_value(deals, posterior.marginals) > 1e-5
        # The joint distribution of the envelope, whose parts are not independent.
        table = posterior.envelope_table().ravel()
        order = np.argsort(-table)
        order = order[table[order] * len(deals) >= 5]
        suspect, weapon, room = (
            np.argmax(deals[:, first:end] == 0, axis=1)
            for first, end in ((0, 6), (6, 12), (12, 21))
        )
        cells = np.bincount(54 * suspect + 9 * weapon + room, minlength=324)
        assert not cells[table == 0].any()
        if len(order) > 1:
            share = table[order] / table[order].sum()
            assert chisquare(cells[order], share * cells[order].sum()).pvalue > 1e-5
            joint += 1
        # The control: deals that explain the seat's cards but nothing that was said.
        ignorant = ExactPosterior(one.evidence(events=False)).sample(stream_of(key), 1_500)
        assert least_p_value(ignorant, posterior.marginals) < 1e-9
    assert joint > 0


def test_opponents_do_not_know_our_hand():
    shown_at_all = 0
    for one in unsure_positions(6):
        p, s = searched_position(one)
        ours = int(one.state.hand[one.seat])
        shown = Counter()
        for asker, _, answerer, card in one.events:
            if answerer == one.seat:
                shown[asker] |= 1 << card
        shown_at_all += sum(mask.bit_count() for mask in shown.values())
        stream = stream_of(3)
        for _ in range(20):
            cluedo.start(p, s, stream)
            state = s.state[0]
            assert state.hand[one.seat] == ours
            for seat in range(4):
                if seat != one.seat:
                    assert state.known[seat] & ours == shown[seat]
                    own = state.hand[seat] | state.face_up
                    assert state.known[seat] & own == own
                    # What it was shown by others is where the drawn deal has it.
                    assert state.known[seat] & state.envelope == 0
    assert shown_at_all > 3


def matrix_of(one, seat, hand, face_up, shown):
    """Return the factored belief of ``seat`` and the mask of cards it knows.

    It has the cards ``hand`` and was shown the cards ``shown``, one a suggestion of its own.
    """
    players = one.rules.players
    matrix, known, shown = np.zeros((21, 7)), hand | face_up, iter(shown)
    factored.start(matrix, players, seat, hand, face_up)
    for asker, cards, answerer, _ in one.seen:
        asked = [(asker + i) % players for i in range(1, players)]
        for passer in asked[: asked.index(answerer)] if answerer >= 0 else asked:
            if passer != seat:
                factored.note_pass(matrix, passer, cards)
        if answerer >= 0 and asker == seat:
            card = next(shown)
            factored.note_card(matrix, answerer, card)
            known |= 1 << card
        elif answerer not in (-1, seat):
            factored.note_refutation(matrix, answerer, cards, 21 - known.bit_count())
    return matrix, known


def honest(one, state, seat, matrix):
    """Return whether ``matrix`` follows from the drawn hand of ``seat`` and what it saw.

    Which card it was shown by another opponent is the simulation's choice among the drawn
    answerer's, so any is allowed that explains the set of the cards it knows.
    """
    open_to = []
    for asker, cards, answerer, card in one.seen:
        if asker == seat and answerer >= 0:
            held = int(state.hand[answerer]) & cards & int(state.known[seat])
            open_to.append([card] if answerer == one.seat else cards_of(held))
    hand, face_up = int(state.hand[seat]), int(one.state.face_up)
    explained = (matrix_of(one, seat, hand, face_up, shown) for shown in product(*open_to))
    return any(
        known == state.known[seat] and np.array_equal(matrix, rebuilt)
        for rebuilt, known in explained
    )


def test_opponents_believe_what_they_saw_and_no_more():
    leaks = asked = 0
    for one in unsure_positions(4):
        p, s = searched_position(one)
        truth = one.state.hand
        ours, stream = cards_of(int(truth[one.seat])), stream_of(4)
        others = [seat for seat in range(4) if seat != one.seat]
        asked += sum(event[0] != one.seat and event[2] >= 0 for event in one.seen)
        for _ in range(5):
            cluedo.start(p, s, stream)
            state = s.state[0]
            for seat in others:
                assert honest(one, state, seat, state.belief[seat])
                # The control: a little of the truth in one row, ours or another opponent's.
                third = next(other for other in others if other != seat)
                for holder, card in ((one.seat, ours[0]), (third, cards_of(int(truth[third]))[0])):
                    leaky = state.belief[seat].copy()
                    if leaky[card, holder + 1] < 0.99:
                        leaky[card] *= 0.999
                        leaky[card, holder + 1] += 0.001
                        assert not honest(one, state, seat, leaky)
                        leaks += 1
    assert leaks > 60 and asked > 6
