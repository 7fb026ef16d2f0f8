"""Games with greedy seats: arena and referee agree, for any workspace."""

import numpy as np
import pytest

from belief.evidence import EvidenceFull
from belief.exact import solver
from mcts.kernel.compile import INTERPRETED
from sim import arena
from sim.arena import Memory, play_many
from sim.player import Player, PolicyPlayer
from sim.policies.registry import Policy, choose, seat_policies
from sim.referee import play
from sim.rules import PRESETS, world
from sim.view import Log, replay_evidence

SEED = 6
GAMES = 1 if INTERPRETED else 4
TABLES = [
    ("ledford", ["greedy", "heuristic", "swift", "greedy"]),
    ("cai2006", [Policy("greedy", threshold=0.5), "random", "greedy"]),
    ("classic", ["uniform", "greedy", Policy("greedy", threshold=0.8), "swift"]),
]


def results(rules, policies, games=GAMES):
    """Return the arena's results of some games, as lists."""
    found = play_many(rules, policies, SEED, np.arange(games))
    columns = (found.winner, found.turns, found.suggestions, found.out)
    return [column.tolist() for column in columns]


def referee(rules, seats, game, watch=None):
    """Return the referee's result of a game, as the arena's."""
    result = play(rules, seats, SEED, game, watch)
    suggestions = [seat.suggestions for seat in result.seats]
    return [result.winner, result.turns, suggestions, [seat.out for seat in result.seats]]


class Swift(Player):
    """Decides from views and events as the compiled swift player does, which draws nothing."""

    def begin(self, rules, seat, view, key):
        self.world, self.seat, self.log = world(rules), seat, Log()

    def see(self, event):
        self.log.append(event)

    def decide(self, view):
        board, state = self.world[0], view.copy()[0]
        seat_policies(state, ["swift"] * board.players)
        replay_evidence(board, state, self.seat, self.log.events)
        return int(choose(board, state, self.seat))


@pytest.mark.parametrize(("name", "policies"), TABLES)
def test_the_referee_plays_the_games_of_the_arena(name, policies):
    rules, table = PRESETS[name], results(PRESETS[name], policies)
    outside = [Swift("swift") if which == "swift" else PolicyPlayer(which) for which in policies]
    for game in range(GAMES):
        arena_s = [column[game] for column in table]
        watched = []
        assert referee(rules, [PolicyPlayer(which) for which in policies], game) == arena_s
        assert referee(rules, outside, game) == arena_s
        assert referee(rules, outside, game, lambda s, a, seen=watched: seen.append(a)) == arena_s
        assert watched[-1] == -1 and len(watched) > arena_s[1]


class Cramped(Memory):
    """Begins with hardly any room, and counts how often it has to grow."""

    grown = 0

    def __init__(self, policies):
        super().__init__(policies)
        self.work = solver.workspace(8)

    def grow(self):
        super().grow()
        type(self).grown += 1


@pytest.mark.parametrize(("name", "policies"), TABLES)
def test_a_workspace_that_is_too_small_grows_and_changes_no_game(monkeypatch, name, policies):
    rules = PRESETS[name]
    roomy = results(rules, policies)
    monkeypatch.setattr(arena, "Memory", Cramped)
    monkeypatch.setattr("sim.referee.Memory", Cramped)
    monkeypatch.setattr(Cramped, "grown", 0)
    assert results(rules, policies) == roomy
    in_the_arena = Cramped.grown
    assert in_the_arena >= 2
    seats = [PolicyPlayer(which) for which in policies]
    for watch in (None, lambda state, action: None):
        assert referee(rules, seats, 0, watch) == [column[0] for column in roomy]
    assert Cramped.grown > in_the_arena


def test_what_fits_into_no_workspace_is_an_error(monkeypatch):
    monkeypatch.setattr(arena, "Memory", Cramped)
    monkeypatch.setattr(solver.ExactPosterior, "MAX_STATES", 256)
    with pytest.raises(EvidenceFull, match="posterior of a greedy player does not fit"):
        results(PRESETS["ledford"], ["greedy"] * 4)
