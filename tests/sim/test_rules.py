"""Deals, presets and what `Rules` refuses."""

import numpy as np
import pytest

from belief.evidence import MAX_PLAYERS
from sim.board import start_spot
from sim.cards import ALL_CARDS, CARDS, CATEGORY_MASK, SUSPECTS
from sim.chance import game_key
from sim.game import new_game
from sim.rules import Rules, preset, world
from sim.state import TURN, empty

PLAYERS = (3, 4, 5, 6)


def dealt(players, games, seed=1):
    """Yield the state of some fresh games; the same record each time."""
    board, state = world(Rules(players=players))[0], empty()[0]
    for game in range(games):
        new_game(board, state, np.uint64(game_key(seed, game)))
        yield state


@pytest.mark.parametrize("players", PLAYERS)
def test_a_deal_hands_out_every_card_once(players):
    rules = Rules(players=players)
    for state in dealt(players, 200):
        parts = [state.envelope, state.face_up, *state.hand]
        assert sum(int(part).bit_count() for part in parts) == len(CARDS)
        assert int(np.bitwise_or.reduce(parts)) == ALL_CARDS
        assert [int(state.envelope & category).bit_count() for category in CATEGORY_MASK] == [
            1,
            1,
            1,
        ]
        sizes = [int(hand).bit_count() for hand in state.hand]
        assert sizes == list(rules.hand_sizes) + [0] * (MAX_PLAYERS - players)
        assert int(state.face_up).bit_count() == rules.face_up


def test_hand_sizes():
    sizes = {players: Rules(players=players) for players in PLAYERS}
    assert {n: (rules.hand_sizes[0], rules.face_up) for n, rules in sizes.items()} == {
        3: (6, 0),
        4: (4, 2),
        5: (3, 3),
        6: (3, 0),
    }


def test_every_card_goes_everywhere():
    """Each card is in the envelope, a hand and face up about as often as it should be."""
    games = 3_000
    counts = np.zeros((3, len(CARDS)))
    for state in dealt(4, games):
        for row, mask in enumerate((state.envelope, state.hand[2], state.face_up)):
            counts[row, [card for card in range(len(CARDS)) if int(mask) >> card & 1]] += 1
    for first, end in ((0, 6), (6, 12), (12, 21)):
        expected = games / (end - first)
        hidden = counts[0, first:end]
        assert ((hidden - expected) ** 2 / expected).sum() < 35  # chi-square, 5 or 8 degrees
        rest = games - hidden
        for row, share in ((1, 4 / 18), (2, 2 / 18)):
            gap = counts[row, first:end] - share * rest
            assert (np.abs(gap) < 4.5 * np.sqrt(share * (1 - share) * rest)).all()


def test_a_new_game_begins_with_the_first_seat_on_the_start_squares():
    for players in PLAYERS:
        rules = Rules(players=players)
        for state in dealt(players, 3):
            assert (state.phase, state.seat, state.turn, state.winner) == (TURN, 0, 1, -1)
            starts = [start_spot(suspect) for suspect in rules.suspects]
            assert state.spot[:players].tolist() == starts
            assert rules.suspects[0] == "Scarlett"


def test_pawns_answer_to_their_suspects():
    for players in PLAYERS:
        rules = Rules(players=players)
        seat_of = world(rules)[0].seat_of
        assert [SUSPECTS[i] for i in np.argsort(seat_of)[-players:]] == list(rules.suspects)
        assert (seat_of < 0).sum() == 6 - players


@pytest.mark.parametrize("dice", [1, 2])
def test_the_dice(dice):
    board, state = world(Rules(dice=dice))[0], empty()[0]
    rolls = []
    for game in range(600):
        new_game(board, state, np.uint64(game_key(0, game)))
        rolls.append(int(state.roll))
    assert set(rolls) == set(range(dice, 6 * dice + 1))
    assert np.mean(rolls) == pytest.approx(3.5 * dice, abs=0.3 * dice)


def test_game_and_seed_name_the_deal():
    def deal(seed, game):
        board, state = world(Rules())[0], empty()[0]
        new_game(board, state, np.uint64(game_key(seed, game)))
        return state.envelope, *state.hand, state.roll

    assert deal(0, 0) == deal(0, 0)
    assert len({deal(seed, game) for seed in range(5) for game in range(5)}) == 25


@pytest.mark.parametrize(
    ("switches", "sentence"),
    [
        ({"players": 2}, "rules.players=2: must be at least 3"),
        ({"players": 7}, "rules.players=7: must be at most 6"),
        ({"dice": 0}, "rules.dice=0: must be at least 1"),
        ({"turn_cap": 0}, "rules.turn_cap=0: must be at least 1"),
    ],
)
def test_impossible_rules_are_refused(switches, sentence):
    with pytest.raises(ValueError, match=sentence):
        Rules(**switches)


def test_presets():
    assert preset("ledford") == Rules()
    assert preset("ledford", players=3).players == 3
    with pytest.raises(ValueError, match="ledford"):
        preset("ledfrod")
