"""Late positions: posterior, values and regret against exact belief, brute force and games."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from endgame_checks import FAULTS, BruteForce, Optimal, again, table

from belief.evidence import ContradictoryEvidence
from belief.exact.solver import ExactPosterior
from sim.endgame import solver
from sim.endgame.deals import list_deals
from sim.endgame.positions import Endgame, solve_position
from sim.endgame.random_positions import MARGIN, MAX_DEALS, MIN_ENVELOPES, TURNS, endgame, endgames
from sim.legal import legal
from sim.player import Player
from sim.policies.registry import Policy, seat_policy
from sim.rules import world
from sim.state import ACCUSE, ASK, MOVE, N_ACTIONS, REVEAL, SUGGEST, TURN
from sim.view import Log, replay_evidence


@cache
def some(players: int, count: int = 4) -> list[Endgame]:
    """Return the first interesting positions of so many players."""
    return list(islice(endgames(1, players), count))


@cache
def any_positions(players: int, turns: int = TURNS) -> list[Endgame]:
    """Return the positions of the first games, interesting or not."""
    found = (endgame(2, game, players, turns) for game in range(16))
    return [one for one in found if one]


def exact(one: Endgame) -> ExactPosterior:
    """Return the exact belief of the seat."""
    view, log = one.view.copy()[0], Log()
    seat_policy(view, one.seat, Policy("greedy"))
    for event in one.events:
        log.append(event)
    replay_evidence(world(one.rules)[0], view, one.seat, log.events)
    return ExactPosterior(view.evidence[one.seat])


def show(one: Endgame) -> np.ndarray:
    """Return the product over the cards shown to the seat of 1/k, under each deal."""
    weights = np.ones(len(one.deals))
    for asker, cards, answerer, _ in one.events:
        if asker == one.seat and answerer >= 0:
            named = [card for card in range(21) if cards >> card & 1]
            weights /= (one.deals[:, named] == answerer + 1).sum(axis=1)
    return weights


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_posterior_is_that_of_the_exact_belief(players):
    unequal = 0
    for one in any_positions(players):
        belief = exact(one)
        marginals = [one.weights @ (one.deals == holder) for holder in range(7)]
        np.testing.assert_allclose(np.transpose(marginals), belief.marginals, atol=1e-12)
        np.testing.assert_allclose(table(one, one.weights), belief.envelope_table(), atol=1e-12)
        # Their sum too: no deal is missing or listed twice.
        assert show(one).sum() == pytest.approx(belief.total, rel=1e-12)
        even = np.full(len(one.deals), 1 / len(one.deals))
        unequal += np.abs(table(one, even) - belief.envelope_table()).max() > 1e-3
    assert unequal >= 2, "the control: without 1/k the two would differ"


def test_a_deal_is_listed_only_if_nobody_passed_on_its_cards():
    """By hand: three players with two cards each of what is left of a small pack."""
    dealt = [0, 1, 6, 7, 12, 13]  # open: two cards a category
    hidden = sum(1 << card for card in dealt)
    away = ((1 << 21) - 1) & ~hidden
    sizes, own = (0, 2, 1), 0

    def count(*events: tuple[int, int, int, int]) -> int:
        return len(list_deals(sizes, 0, own, away, events, 99))

    assert count() == 8 * 3  # an envelope, then who of the last three cards is alone
    passed = (0, 1 << 0 | 1 << 6 | 1 << 12, -1, -1)
    assert count(passed) == 3  # all of them in the envelope
    refuted_other = (2, 1 << 0 | 1 << 6 | 1 << 12, 1, -1)
    shown_card = (0, 1 << 0 | 1 << 6 | 1 << 12, 1, 0)
    # Envelopes with 0, 1, 2, 3 of the other cards 1, 7, 13 leave as many of the named to players.
    assert count(refuted_other) == 3 * 1 * 2 + 3 * 3 + 1 * 3
    assert count(shown_card) == 4 * 2
    assert list_deals(sizes, 0, own, away, [passed], 2) is None
    assert count(passed, shown_card) == 0


def few_deals() -> Endgame:
    """Return a position with three turns and four deals that is not surely won."""
    return next(one for one in some(5) if len(one.deals) == 4)


def test_three_turns_are_worth_what_brute_force_finds():
    one = few_deals()
    np.testing.assert_allclose(one.suggestions, BruteForce(one).suggestions(one, 3), atol=1e-12)
    assert one.best == pytest.approx(one.suggestions.max(), abs=1e-12)


@cache
def brute_force_of_two_turns() -> list[tuple[Endgame, np.ndarray]]:
    late = [one for players in (3, 4, 5) for one in any_positions(players, 2)]
    return [(one, BruteForce(one).suggestions(one, 2)) for one in late]


def test_two_turns_are_worth_what_brute_force_finds():
    assert len(brute_force_of_two_turns()) > 9
    for one, values in brute_force_of_two_turns():
        np.testing.assert_allclose(one.suggestions, values, atol=1e-12)


@pytest.mark.parametrize("fault", FAULTS)
def test_brute_force_sees_other_answers(monkeypatch, fault):
    monkeypatch.setattr(solver, "answers", fault)
    apart = 0
    for one, values in brute_force_of_two_turns():
        apart += np.abs(again(one).suggestions - values).max() > 1e-3
    assert apart >= 2


def test_in_the_last_turn_a_suggestion_is_worth_nothing():
    one = any_positions(4, 1)[0]
    assert not one.suggestions.any()
    assert one.best == pytest.approx(table(one, one.weights).max(), abs=1e-12)


GAMES = 500


def test_best_play_wins_the_game_as_often_as_its_value_says():
    chosen = [some(players)[0] for players in (3, 4, 5)] + [some(4)[1]]
    values = np.array([one.best for one in chosen])
    wins = sum(Optimal(one).wins(GAMES) for one in chosen)
    error = np.sqrt(GAMES * (values @ (1 - values)))
    assert abs(wins - GAMES * values.sum()) < 3.29 * error  # 99.9 %
    assert abs(wins - GAMES * sum(table(one, one.weights).max() for one in chosen)) > 3.29 * error


@pytest.mark.parametrize("players", [3, 4, 5])
def test_interesting_positions_are_what_is_said_of_them(players):
    seats = set()
    for one in some(players):
        view, now = one.view[0], table(one, one.weights)
        assert one.rules.name == "speed" and one.rules.players == players
        assert len(one.deals) <= MAX_DEALS and np.count_nonzero(now) >= MIN_ENVELOPES
        assert now.max() + MARGIN < one.best < 1 - MARGIN and one.gap > MARGIN
        assert view.phase == TURN and view.seat == one.seat and not view.out[one.seat]
        assert not view.envelope and not view.key
        seats.add(one.seat)
        out = np.empty(N_ACTIONS, np.int64)
        assert one.actions.tolist() == out[: legal(world(one.rules)[0], view, out)].tolist()
        assert one.actions.tolist() == [*range(MOVE, MOVE + 9), *range(ACCUSE, REVEAL)]
    assert len(seats) > 1


class Fixed(Player):
    """Does the actions that it is given, and keeps what it sees."""

    def __init__(self, *actions: int) -> None:
        super().__init__("fixed")
        self.actions, self.events, self.views = list(actions), [], []

    def begin(self, rules, seat, view, key):
        self.began = rules, seat, key

    def see(self, event):
        self.events.append(event)

    def decide(self, view):
        self.views.append(view)
        return self.actions.pop(0)


def test_regret_is_what_a_choice_loses():
    one = some(4)[0]
    for action, value in zip(one.actions.tolist(), one.values.tolist(), strict=True):
        assert one.regret(action) == pytest.approx(one.best - value)
    assert one.values[:9] == pytest.approx(one.suggestions.max(axis=1))
    for pair, room in np.ndindex(36, 9):
        chance = table(one, one.weights)[pair // 6, pair % 6, room]
        assert one.values[9 + 9 * pair + room] == pytest.approx(chance, abs=1e-12)
    for move in range(MOVE, MOVE + 9):
        then = one.after(move)
        assert then.best == pytest.approx(one.values[move])
        assert then.view[0].phase == SUGGEST
        assert then.actions.tolist() == list(range(ASK, ASK + 36))
        for pair in range(36):
            lost = one.regret(move) + then.regret(ASK + pair)
            assert lost == pytest.approx(one.best - one.suggestions[move - MOVE, pair])
    with pytest.raises(ValueError, match="not legal"):
        one.regret(ASK)
    with pytest.raises(ValueError, match="no move"):
        one.after(ACCUSE)
    with pytest.raises(ValueError, match="no move"):
        one.after(MOVE).after(MOVE)


def test_a_player_is_told_what_the_seat_has_seen():
    one = some(4)[0]
    player = Fixed(MOVE + 3, ASK + 7)
    one.sit(player, 5)
    assert player.began == (one.rules, one.seat, 5)
    assert player.events == list(one.events)
    assert one.choice(player, 5) == MOVE + 3
    assert one.after(MOVE + 3).choice(player, 5) == ASK + 7
    assert [view[0].phase for view in player.views] == [TURN, SUGGEST]
    hidden = [player.views[0][0].hand[other] for other in range(6) if other != one.seat]
    assert not any(hidden)
    player.views[0][0].turn = 0
    assert one.view[0].turn, "a player gets a copy"


def test_positions_of_other_kinds_are_refused():
    one = some(4)[0]
    args = one.seat, one.view, one.events, MAX_DEALS
    assert solve_position(one.rules, one.seat, one.view, one.events, len(one.deals) - 1) is None
    with pytest.raises(ValueError, match="start of an own turn"):
        solve_position(one.rules, one.seat, one.after(MOVE).view, one.events, MAX_DEALS)
    with pytest.raises(ValueError, match="start of an own turn"):
        solve_position(replace(one.rules, board=True), *args)
    playing = one.view.copy()
    playing[0].out[(one.seat + 1) % 4] = 0
    with pytest.raises(ValueError, match="no other player has turns"):
        solve_position(one.rules, one.seat, playing, one.events, MAX_DEALS)
    own = next(card for card in range(21) if one.view[0].hand[one.seat] >> card & 1)
    wrong = (one.seat, 1 << own, (one.seat + 1) % 4, own)
    with pytest.raises(ContradictoryEvidence):
        solve_position(one.rules, one.seat, one.view, (*one.events, wrong), MAX_DEALS)
