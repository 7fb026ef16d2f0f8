"""Deals, presets and errors of `Rules`."""

import numpy as np
import pytest

from sim.cards import CARDS
from sim.chance import game_key
from sim.game import new_game
from sim.rules import Rules, preset, world
from sim.state import empty

PLAYERS = (3, 4, 5, 6)


def dealt(players, games, seed=1):
    """Yield the state of some fresh games; the same record each time."""
    board, state = world(Rules(players=players))[0], empty()[0]
    for game in range(games):
        new_game(board, state, np.uint64(game_key(seed, game)))
        yield state


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


def test_presets():
    assert preset("ledford") == Rules()
    assert preset("ledford", players=3).players == 3
    with pytest.raises(ValueError, match="ledford"):
        preset("ledfrod")
