"""Likely: the card of each category with the fewest possible holders, and where it wins."""

import numpy as np

from sim.arena import play_many
from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.policies.registry import Policy, choose, seat_policies
from sim.rules import preset, world
from sim.state import ASK, MOVE, OVER, PASSAGE, SUGGEST, TURN, empty

CLUE = preset("speed_clue", players=3)
CATEGORIES = ((0, 6), (6, 12), (12, 21))


def decisions(rules, policies, game):
    """Yield (state, action) before every action of a game; do not keep the state."""
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies)
    new_game(board, state, np.uint64(game_key(7, game)))
    while state.phase != OVER:
        open_decision(state)
        action = int(choose(board, state, decider(state)))
        yield state, action
        apply(board, state, action)


def fewest(state, seat, category):
    """Return the cards of a category with fewest possible holders, of those that may be it."""
    may = [int(mask) for mask in state.closure[seat].may]
    hidden = [card for card in range(*CATEGORIES[category]) if may[0] >> card & 1]
    holders = {card: sum(mask >> card & 1 for mask in may) for card in hidden}
    return [card for card in hidden if holders[card] == min(holders.values())]


def test_it_names_the_card_that_fewest_can_hold():
    named = 0
    for game in range(4):
        for state, action in decisions(CLUE, ["likely"] * 3, game):
            seat, repeated = int(state.seat), state.named[state.seat].any()
            if state.phase == TURN and MOVE <= action < PASSAGE:
                assert 12 + action in fewest(state, seat, 2)
            elif state.phase == SUGGEST and not repeated:
                suspect, weapon = divmod(action - ASK, 6)
                assert suspect in fewest(state, seat, 0) and 6 + weapon in fewest(state, seat, 1)
                named += 1
    assert named >= 12


def share(rules, own, others, games=2_000):
    """Return the share of games that one ``own`` wins among ``others``, all seats alike."""
    won = 0
    for seat in range(rules.players):
        policies = [others] * rules.players
        policies[seat] = own
        first = seat * 1_000_000
        result = play_many(rules, policies, 3, np.arange(first, first + games // rules.players))
        won += int((result.winner == seat).sum())
    return won / games


def test_it_beats_information_where_an_accusation_follows_at_once_and_loses_where_not():
    assert share(CLUE, Policy("likely"), Policy("swift")) > 0.42
    speed = preset("speed", players=3)
    assert share(speed, Policy("likely"), Policy("swift")) < 0.28
