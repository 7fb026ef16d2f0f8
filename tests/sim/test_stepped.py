"""A game in steps equals the referee's game, and pauses before each decision."""

import pytest

from sim.player import IllegalAction, PolicyPlayer
from sim.records.record import Recorder, read
from sim.records.replay import replay
from sim.records.stepped import Person, SteppedGame
from sim.referee import play
from sim.rules import PRESETS, Rules


def play_out(game):
    """Play ``game`` to its end; return it."""
    while not game.over:
        game.act(game.decide())
    return game


def company(rules):
    """Return compiled players of different kinds, a slow one among them."""
    names = ("swift", "greedy", "heuristic", "random", "hide", "swift")
    return [PolicyPlayer(name) for name in names[: rules.players]]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_same_players_play_the_referees_game(rules):
    recorder = Recorder(rules, company(rules), 3, 1)
    play(rules, company(rules), 3, 1, watch=recorder)
    assert play_out(SteppedGame(rules, company(rules), 3, 1)).record() == recorder.text()


def test_people_decide_from_outside(tmp_path):
    """Somebody who always does the last legal thing; the record can be played again."""
    rules = Rules(turn_cap=60)
    seats = [Person("Ann"), *company(rules)[:2], Person("Bob")]
    game, asked = SteppedGame(rules, seats, 3, 3), set()
    while not game.over:
        if isinstance(seats[game.decider], Person):
            asked.add((game.decider, game.shows))
            choices = [action for action in game.choices() if action not in range(46, 370)]
            game.act(choices[-1])
        else:
            game.act(game.decide())
    assert {seat for seat, _ in asked} == {0, 3} and True in {shows for _, shows in asked}
    (tmp_path / "game.jsonl").write_text(game.record())
    assert replay(read(tmp_path / "game.jsonl"))[0].turn == 60


def test_what_the_rules_do_not_allow_changes_nothing():
    game = SteppedGame(Rules(), [Person("Ann"), *company(Rules())[:3]], 3, 4)
    before = game.record(), game.view(0).tobytes()
    for action in (-1, 9, 10, 391, 10**6):
        with pytest.raises(IllegalAction, match=f"seat 0 chose action {action}"):
            game.act(action)
    assert before == (game.record(), game.view(0).tobytes())
    game.act(game.choices()[0])
    assert before[0] != game.record()


def test_a_game_goes_on_where_its_actions_lead():
    """The seats that decide inside are asked again, the others are given what they did."""
    whole = play_out(SteppedGame(Rules(), company(Rules()), 3, 5))
    again = SteppedGame(Rules(), company(Rules()), 3, 5)
    for action in whole.actions[:40]:
        assert again.decide() == action
        again.act(action)
    assert again.events == whole.events[: len(again.events)]
    assert play_out(again).record() == whole.record()
