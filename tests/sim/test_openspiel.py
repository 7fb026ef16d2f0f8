"""Cluedo with few cards in OpenSpiel: information of players, exact values, and a search."""

from functools import partial

import pytest

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

import pyspiel
from open_spiel.python.observation import make_observation

from mcts.kernel.compile import INTERPRETED
from mcts.openspiel.planners import planner, table_of
from mcts.options import Budget, Options
from sim.cards import CARDS
from sim.openspiel.cluedo import NAME, Table


def load(**switches):
    return pyspiel.load_game(NAME, switches)


def begin_game(game, deal=0):
    """Return the first decision after a deal."""
    state = game.new_initial_state()
    state.apply_action(deal)
    return state


def do(state, words):
    """Do the legal action of these words."""
    (action,) = [a for a in state.legal_actions() if state.action_to_string(a) == words]
    state.apply_action(action)


def test_deals_are_all_there_are():
    assert len(Table(2, 2, 2, 1, 1).deals) == 2 * 2 * 2
    assert len(Table(2, 3, 2, 1, 1).deals) == 6 * 3
    assert Table(2, 3, 2, 1, 1).sizes == [2, 1]
    assert len(set(Table(3, 3, 3, 2, 1).deals)) == 18 * 30  # hands of 2, 2 and 1
    for deal in Table(2, 3, 2, 1, 1).deals:
        cards = [deal.envelope, *deal.hands]
        assert sum(cards) == 0b111 | 0b11 << 6 | 1 << 12
        assert [card.bit_count() for card in cards] == [3, 2, 1]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((2, 1, 2, 1, 3), "1 cards are too few for 2 players: put more in play"),
        ((1, 2, 2, 1, 3), "players must be 2 to 6, not 1"),
        ((2, 2, 2, 1, 0), "turns must be 1 to 1000, not 0"),
        ((4, 6, 6, 9, 3), "more than 100,000 deals: take fewer cards"),
    ],
)
def test_a_table_that_cannot_be_is_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        Table(*numbers)


def test_who_asks_sees_the_card_and_the_others_that_there_was_one():
    game = load(players=3, suspects=3, weapons=2, rooms=2, turns=3)
    deal = next(
        number
        for number, deal in enumerate(game.table.deals)
        if deal.hands[1] >> CARDS.index("Scarlett") & 1
    )
    state = begin_game(game, deal)
    assert state.current_player() == 0
    do(state, "enters Hall")
    do(state, "asks Scarlett+knife")
    assert state.current_player() == 1
    before = [state.information_state_string(seat) for seat in range(3)]
    assert all(message.endswith("0 asks Scarlett+knife, 1 has one") for message in before)
    do(state, "shows Scarlett")
    message = [state.information_state_string(seat) for seat in range(3)]
    assert [now.removeprefix(then) for now, then in zip(message, before, strict=True)] == [
        "; 1 shows Scarlett",
        "; 1 shows Scarlett",
        "; 1 shows",
    ]
    assert state.current_player() == 1


def test_the_deal_shows_in_the_hand_alone():
    game = load(suspects=3, weapons=2)
    by_hand = {}
    for number, deal in enumerate(game.table.deals):
        message = begin_game(game, number).information_state_string(0)
        assert by_hand.setdefault(deal.hands[0], message) == message
    assert len(set(by_hand.values())) == len(by_hand) > 1


@pytest.mark.parametrize("heard", [False, True])
def test_a_wrong_accusation_is_known_to_who_made_it_or_to_all(heard):
    state = begin_game(load(heard=heard))
    (right,) = [
        action
        for action in state.legal_actions()
        if "accuses" in state.action_to_string(action) and state.child(action).is_terminal()
    ]
    assert state.child(right).returns() == [1.0, -1.0]
    wrong = next(
        action
        for action in state.legal_actions()
        if "accuses" in state.action_to_string(action) and action != right
    )
    words = state.action_to_string(wrong)
    state.apply_action(wrong)
    assert state.information_state_string(0).endswith(f"0 {words}")
    assert state.information_state_string(1).endswith(f"0 {words}" if heard else "; 0 is out")


@pytest.mark.parametrize(
    "switches",
    [
        {"turns": 2},
        {"turns": 2, "heard": True},
        {"players": 3, "suspects": 3, "rooms": 2, "turns": 1},
    ],
    ids=["two players", "two who hear", "three players"],
)
def test_what_a_player_knows_is_what_it_can_do_and_all_it_knew_before(switches):
    """In every history: of one information state the actions are the same, nobody forgets, and of
    every action all players learn that there was one."""
    game, legal, longest = load(**switches), {}, 0
    waiting = [(game.new_initial_state(), 0)]
    while waiting:
        state, made = waiting.pop()
        longest = max(longest, made)
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            known = (state.current_player(), state.information_state_string())
            assert state.legal_actions()
            assert legal.setdefault(known, state.legal_actions()) == state.legal_actions()
        for action in state.legal_actions():
            below = state.child(action)
            for player in range(game.num_players()):
                before, after = (s.information_state_string(player) for s in (state, below))
                assert after.startswith(before) and len(after) > len(before)
            waiting.append((below, made + (not state.is_chance_node())))
    assert len(legal) > 100 and longest == game.max_game_length()


def test_what_all_may_observe_tells_nobodys_cards():
    game = load(suspects=3, weapons=2)
    kind = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    public = make_observation(game, kind)
    message = set()
    for deal in range(len(game.table.deals)):
        state = begin_game(game, deal)
        state.apply_action(0)
        message |= {public.string_from(state, player) for player in range(2)}
    assert message == {"0 enters Study"}
    everything = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(ValueError, match="choose one player's information"):
        make_observation(game, everything)


@pytest.mark.parametrize("heard", [False, True])
def test_it_passes_their_test_of_games(monkeypatch, heard):
    game = load(suspects=3, weapons=2, heard=heard)
    check = partial(pyspiel.random_sim_test, num_sims=2, serialize=True, verbose=False)
    check(game)
    kind = type(game.new_initial_state())
    monkeypatch.setattr(kind, "returns", lambda self: [7.0] * game.num_players())
    with pytest.raises(pyspiel.SpielError):
        check(game)


def guess(state, key):
    """Accuse at once, of cards not held, any of them with equal chance."""
    held = state.information_state_string().split(";")[0]
    fit = [
        action
        for action in state.legal_actions()
        if (words := state.action_to_string(action)).startswith("accuses")
        and not any(card in held for card in words.removeprefix("accuses ").split("+"))
    ]
    fit = fit or state.legal_actions()
    return {a: float(a in fit) / len(fit) for a in state.legal_actions()}


def accuse_anybody(state, key):
    """Accuse at once, of any cards, the own ones too."""
    legal = state.legal_actions()
    fit = [a for a in legal if state.action_to_string(a).startswith("accuses")] or legal
    return {a: float(a in fit) / len(fit) for a in legal}


@pytest.mark.parametrize(("turns", "value"), [(1, 0.5), (2, 0.25)])
def test_the_value_of_the_shortest_games(turns, value):
    """One of two weapons or suspects is to be guessed; with two turns the other guesses as well."""
    game = load(turns=turns)
    found = table_of(game, guess, 0)
    assert pyspiel.exploitability(game, found) == pytest.approx(0.0, abs=1e-9)

    def worth(state):
        if state.is_terminal():
            return state.returns()[0]
        if state.is_chance_node():
            chances = state.chance_outcomes()
        else:
            chances = found[state.information_state_string()]
        return sum(chance * worth(state.child(action)) for action, chance in chances if chance)

    assert worth(game.new_initial_state()) == pytest.approx(value)
    assert pyspiel.exploitability(game, table_of(game, accuse_anybody, 0)) > 0.1
    aloud = load(turns=turns, heard=True)  # who hears a wrong guess knows the card of who made it
    assert (pyspiel.exploitability(aloud, table_of(aloud, guess, 0)) > 0.1) == (turns == 2)


@pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")
def test_a_search_finds_that_it_must_guess():
    game = load(turns=2)
    options = Options(selection="availability", exploration=0.35, nodes=1_000)
    plan = planner(options, Budget(simulations=400))
    for deal in (0, 5):
        state = begin_game(game, deal)
        shares = plan(state, 1)
        best = max(shares, key=shares.get)
        assert guess(state, 0)[best] > 0
