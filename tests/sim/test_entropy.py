"""The entropy player: its values against brute force over the deals."""

import numpy as np
import pytest
from endgame_checks import TRIOS, outcomes

from belief.information import mutual
from mcts.kernel.compile import INTERPRETED
from sim.board import N_ROOMS
from sim.endgame.random_positions import MARGIN, endgame
from sim.players.entropy import EntropyPlayer
from sim.rules import world
from sim.state import EVIDENCE
from sim.view import replay_evidence

FOUND = (10, 51, 58, 76)
"""Games of seed 5 that have an interesting late position."""

PRICE = 0.3


@pytest.fixture(scope="module")
def late():
    """Interesting late positions, one a game."""
    found = [endgame(5, game) for game in FOUND[: 2 if INTERPRETED else None]]
    assert all(one.gap > MARGIN and one.best < 1 - MARGIN for one in found)
    return found


def information(one, cards, even=False):
    """Return the bits of the answer to a trio about the named cards, by the table of deals.

    It shares no code with ours.  With ``even`` every answer that is possible in a deal is as
    likely, also from players behind the first who can answer: the control.
    """
    joint = {}
    for deal, weight in zip(one.deals, one.weights, strict=True):
        named = tuple(deal[card] == 0 for card in cards)
        shown = [(int(deal[c]), c) for c in cards if deal[c] > 0 and deal[c] != one.seat + 1]
        evenly = {answer: 1 / len(shown) for answer in shown} or {None: 1.0}
        for answer, chance in (evenly if even else outcomes(one, deal, cards)).items():
            joint[answer, named] = joint.get((answer, named), 0.0) + weight * chance
    rows, columns = ({key[i] for key in joint} for i in (0, 1))
    return mutual(np.array([[joint.get((r, c), 0.0) for c in columns] for r in rows]))


def test_values_are_those_of_brute_force_over_the_deals(late):
    apart = 0
    for one in late:
        player = EntropyPlayer(price=PRICE, candidates=len(TRIOS))
        one.sit(player, 1)
        state = one.view.copy()[0]
        state.tracks[one.seat] = EVIDENCE
        replay_evidence(world(one.rules)[0], state, one.seat, player.log.events)
        player._solve(state.evidence[one.seat])
        mask, value = player.choose(state.evidence[one.seat], np.ones(N_ROOMS))
        chosen = tuple(card for card in range(21) if mask >> card & 1)
        bits = {cards: information(one, cards) for cards in TRIOS}
        assert value == pytest.approx(max(bits.values()) - PRICE, abs=1e-9)
        assert value == pytest.approx(bits[chosen] - PRICE, abs=1e-9)
        apart += abs(bits[chosen] - information(one, chosen, even=True)) > 1e-3
    assert apart
