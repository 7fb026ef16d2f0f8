"""Likely: the card of each category with the fewest possible holders, and where it wins."""

from positions import steps

from sim.rules import preset
from sim.state import ASK, MOVE, PASSAGE, SUGGEST, TURN

CLUE = preset("speed_clue", players=3)
CATEGORIES = ((0, 6), (6, 12), (12, 21))


def fewest(state, seat, category):
    """Return the cards of a category with fewest possible holders, of those that may be it."""
    may = [int(mask) for mask in state.closure[seat].may]
    hidden = [card for card in range(*CATEGORIES[category]) if may[0] >> card & 1]
    holders = {card: sum(mask >> card & 1 for mask in may) for card in hidden}
    return [card for card in hidden if holders[card] == min(holders.values())]


def test_it_names_the_card_that_fewest_can_hold():
    named = 0
    for game in range(4):
        for state, action in steps(CLUE, ["likely"] * 3, game, 7):
            seat, repeated = int(state.seat), state.named[state.seat].any()
            if state.phase == TURN and MOVE <= action < PASSAGE:
                assert 12 + action in fewest(state, seat, 2)
            elif state.phase == SUGGEST and not repeated:
                suspect, weapon = divmod(action - ASK, 6)
                assert suspect in fewest(state, seat, 0) and 6 + weapon in fewest(state, seat, 1)
                named += 1
    assert named >= 12
