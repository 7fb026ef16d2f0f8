"""Games among compiled and other players have the same result on the one state machine."""

import numpy as np
import pytest

from mcts.kernel.rng import fold
from sim.arena import play_many
from sim.chance import DECIDE, game_key, open_stream
from sim.game import apply
from sim.player import IllegalAction, Player, PolicyPlayer
from sim.policies.registry import choose, seat_policies
from sim.referee import play
from sim.rules import Rules, world
from sim.state import MOVE, PASSAGE, REVEAL, SHOW, TURN
from sim.view import Log, as_seen, replay_evidence

SEED = 4
MIXED = ["heuristic", "random", "uniform", "heuristic"]


class Replay(Player):
    """Decides from views and events as a compiled policy would: the test gives it the chance."""

    def __init__(self, policy, picks_cards=False):
        super().__init__(f"replayed {policy}")
        self.compiled = policy
        self.picks_cards = picks_cards
        self.games = 0

    def begin(self, rules, seat, view, key):
        self.board, self.seat, self.key = world(rules), seat, None
        self.log, self.goal, self.shown = Log(), -1, []
        assert int(view[0].hand[seat]).bit_count() == rules.hand_sizes[seat]
        assert view[0].turn == 1
        self.games += 1

    def see(self, event):
        self.log.append(event)

    def decide(self, view):
        board, state = self.board[0], view.copy()[0]
        state.key = self.chance
        seat_policies(state, [self.compiled] * self.board[0].players)
        replay_evidence(board, state, self.seat, self.log.events)
        state.goal[self.seat] = self.goal
        open_stream(state, DECIDE, 4 * state.turn + state.phase)
        action = int(choose(board, state, self.seat))
        if state.phase == SHOW:
            self.shown.append(action - REVEAL)
        self.goal = int(state.goal[self.seat])
        if state.phase == TURN and MOVE <= action < PASSAGE:
            apply(board, state, action)  # pawns in the way may have changed the goal
            self.goal = int(state.goal[self.seat])
        return action


def seat_player(policies, replayed=(), picks_cards=False):
    """Return one player a seat; those in ``replayed`` are not compiled."""
    return [
        Replay(name, picks_cards) if seat in replayed else PolicyPlayer(name)
        for seat, name in enumerate(policies)
    ]


def same(result, table, game):
    """Ask that a referee's result is the arena's of the same game."""
    row = int(game)
    assert result.winner == table.winner[row]
    assert result.turns == table.turns[row]
    assert [seat.suggestions for seat in result.seats] == table.suggestions[row].tolist()
    assert [seat.out for seat in result.seats] == table.out[row].tolist()
    assert [seat.won for seat in result.seats] == [i == result.winner for i in range(4)]
    assert result.suggestions == table.suggestions[row].sum()


def play_as_in_the_arena(policies, games, **how):
    """Play ``games`` games and compare each with the arena's."""
    table = play_many(Rules(), policies, SEED, np.arange(games))
    seats = seat_player(policies, **how)
    for game in range(games):
        for player in seats:
            player.chance = np.uint64(game_key(SEED, game))
        same(play(Rules(), seats, SEED, game), table, game)
    return seats


def test_compiled_seats_play_the_games_of_the_arena():
    seats = play_as_in_the_arena(MIXED, 30)
    assert [seat.policy.name for seat in seats] == MIXED


@pytest.mark.parametrize("picks_cards", [False, True])
def test_a_player_that_is_asked_plays_the_game_of_its_policy(picks_cards):
    for replayed in ((0,), (1, 2), (0, 1, 2, 3)):
        seats = play_as_in_the_arena(MIXED, 4, replayed=replayed, picks_cards=picks_cards)
        assert [getattr(seat, "games", 4) for seat in seats] == [4] * 4
        if picks_cards and len(replayed) == 4:
            assert sum(len(seat.shown) for seat in seats) > 0


def test_events_hide_the_card_from_those_it_was_not_shown_to():
    seats = seat_player(MIXED, replayed=(0, 1, 2, 3))
    for player in seats:
        player.chance = np.uint64(game_key(SEED, 1))
    result = play(Rules(), seats, SEED, 1)
    logs = [player.log.events.tolist() for player in seats]
    assert len({len(log) for log in logs}) == 1 and len(logs[0]) == result.suggestions
    for events in zip(*logs, strict=True):
        asker, cards, answerer, _ = events[0]
        shown = {seat: event[3] for seat, event in enumerate(events)}
        assert len({event[:3] for event in events}) == 1
        if answerer < 0:
            assert set(shown.values()) == {-1}
        else:
            assert shown[asker] == shown[answerer] and cards >> shown[asker] & 1
            assert {shown[seat] for seat in range(4) if seat not in (asker, answerer)} == {-1}
            assert as_seen(events[asker], asker) == events[asker]


class Keeps(Replay):
    """Keeps its keys and the hands that it was dealt."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.chance = np.uint64(5)
        self.given, self.hand = key, int(view[0].hand[seat])


def keys_and_hands(seed, game):
    """Return the keys handed to the four seats of a game, and their hands."""
    seats = [Keeps("random") for _ in range(4)]
    play(Rules(turn_cap=4), seats, seed, game)
    return [seat.given for seat in seats], [seat.hand for seat in seats]


def test_players_are_handed_keys_that_do_not_tell_the_deal(monkeypatch):
    games = [(seed, game) for seed in (0, 1, SEED) for game in range(3)]
    keys, hands = zip(*[keys_and_hands(*game) for game in games], strict=True)
    secret = {game_key(*game) for game in games}
    secret |= {
        fold(np.uint64(key), n) for key in secret for n in range(8)
    }  # of a seat, or of a purpose
    secret |= {fold(np.uint64(key), n) for key in secret for n in range(40)}
    every = [key for four in keys for key in four]
    assert len(set(every)) == len(every) == 36  # of a seed, a game and a seat
    assert not set(map(int, secret)) & set(every)
    assert [keys_and_hands(*game)[0] for game in games] == list(keys)
    # Other deals and dice under the same numbers: the keys know nothing of them.
    monkeypatch.setattr("sim.referee.game_key", lambda seed, game: game_key(seed + 100, game))
    again, others = zip(*[keys_and_hands(*game) for game in games], strict=True)
    assert again == keys
    assert all(one != other for one, other in zip(hands, others, strict=True))


class Says(Player):
    """Always answers the same."""

    def __init__(self, action):
        super().__init__("stubborn")
        self.action = action

    def decide(self, view):
        return self.action


@pytest.mark.parametrize("action", [10, 9, 375, 391, -1])
def test_illegal_actions_are_named(action):
    seats = [Says(action), *seat_player(MIXED[1:])]
    with pytest.raises(IllegalAction, match=f"stubborn in seat 0 chose action {action}"):
        play(Rules(), seats, SEED, 0)
