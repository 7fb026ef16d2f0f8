"""Games in the driver alone: the same rows as over Ray, nothing lost, nothing imported in vain."""

from __future__ import annotations

from threading import Event

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from experiments.matches import in_process, lineups, play, runner, startup
from experiments.matches.results import Played
from experiments.matches.schedule import Match, Schedule
from experiments.settings import config
from tests.experiments.rows import make_match

QUIET = Console(quiet=True)

POLICIES = ("player=random",)
PLANNER = ("player=bmcts", "player.budget.simulations=8", "rules.turn_cap=60")


def match_of(*overrides: str) -> Match:
    (match,) = lineups.matches(config.compose("compare", overrides))
    return match


def schedule(match: Match, games: int) -> Schedule:
    return Schedule([match], [games])


def table(portions) -> pa.Table:
    """Return the rows of all ``portions`` by game and seat, without times."""
    rows = pa.concat_tables(played.rows for done in portions for _, played in done)
    ordered = rows.sort_by([("game", "ascending"), ("seat", "ascending")])
    return ordered.drop_columns("search_seconds").unify_dictionaries()


@pytest.mark.parametrize(("overrides", "games"), [(POLICIES, 1000), (PLANNER, 6)])
def test_the_driver_alone_plays_the_rows_that_two_workers_play(ray_session, overrides, games):
    match = match_of(*overrides)
    play.warm(match)
    alone = table(in_process.play_games([match], schedule(match, games)))
    two = table(runner.play_games([match], schedule(match, games), 2, [1.0]))
    assert alone.num_rows == 4 * games
    assert alone.to_pylist() == two.to_pylist()
    other = match_of(*overrides, "seed=1")
    others = table(in_process.play_games([other], schedule(other, games)))
    assert alone.to_pylist() != others.to_pylist(), "another seed, other games"


@pytest.mark.parametrize(
    ("overrides", "workers", "address", "alone"),
    [
        (POLICIES, 1, None, True),
        (POLICIES, None, None, False),
        (POLICIES, 2, None, False),
        (POLICIES, 1, "somewhere", False),
        ((*PLANNER, "player.search.threads=2"), None, None, True),  # one game fills the cores
        ((*PLANNER, "player.search.mode=root", "player.search.workers=2"), 1, None, False),
    ],
)
def test_ray_is_started_where_games_need_it_alone(monkeypatch, overrides, workers, address, alone):
    started = []

    def start(address, cores):
        started.append(address)
        return cores

    monkeypatch.setattr(config, "cores", lambda: 2)
    monkeypatch.setattr(runner, "start", start)
    found = startup.resources([match_of(*overrides)], workers, address, QUIET)
    assert found.alone is alone
    assert started == ([] if alone else [address])


@pytest.fixture
def portions(monkeypatch):
    """Play portions by a function instead of the game."""
    return lambda function: monkeypatch.setattr(play, "portion", function)


MATCH = make_match()


def test_games_given_up_are_not_waited_for_and_disturb_none_that_come_later(portions, monkeypatch):
    monkeypatch.setattr(in_process, "POLL_SECONDS", 0.01)
    ended, under_way, most, first = Event(), [], [], Event()

    def portion(match, games):
        under_way.append(games[0])
        most.append(len(under_way))
        first.set()
        assert ended.wait(60)
        under_way.remove(games[0])
        return Played(pa.table({"game": np.asarray(games)}))

    portions(portion)
    given_up = in_process.play_games([MATCH], schedule(MATCH, 1000))
    assert next(given_up) == []
    assert first.wait(60)
    given_up.close()  # as after Ctrl-C: at once, though a game is under way
    assert under_way == [0]
    later = in_process.play_games([MATCH], schedule(MATCH, 5))
    assert next(later) == []
    assert len(most) == 1, "the first has not ended"
    ended.set()
    assert [batch[0][1].rows["game"].to_pylist() for batch in later if batch] == [[*range(5)]]
    assert most == [1, 1], "the rest of what was given up was not played"
