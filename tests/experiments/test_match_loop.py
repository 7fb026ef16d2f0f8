"""The end of a match depends on the order of the games alone, not on that of their completion."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from omegaconf import OmegaConf
from rich.console import Console

from experiments.matches import lineups, match_loop, part_files, play, results, runner, startup
from experiments.matches.match_loop import Resources
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.stats import stopping
from tests.experiments.rows import make_match, read_rows

CREW = Resources(workers=(3,) * 4, cpus=(1.0,) * 4, address=None, cores=2)


def match(player: str, **changes) -> Match:
    others = {"name": "heuristic", "label": "other"}
    rules = {"name": "ledford", "players": 4, "turn_cap": 200}
    usual = {"name": player, "rules": rules, "entrants": ({"name": player}, others), "seed": 1}
    return make_match(**{**usual, **changes})


@pytest.fixture
def scramble(monkeypatch):
    """Play in this process, and hand the games over in a random order."""

    def use(seed: int, portion: int = 7):
        order = random.Random(seed)

        def play_games(matches, schedule, workers, cpus):
            schedule._size = [portion] * len(matches)
            under_way = []
            while True:
                while len(under_way) < 5 and (taken := schedule.take()) is not None:
                    under_way.append(taken)
                if not under_way:
                    return
                which, games = under_way.pop(order.randrange(len(under_way)))
                yield [(which, play.portion(matches[which], games))]

        monkeypatch.setattr(runner, "play_games", play_games)
        monkeypatch.setattr(runner, "start", lambda *_: 2)

    return use


def run(folder, matches, stop, games=2000, watch=lambda: True):
    folder.mkdir(exist_ok=True)
    played = Results.resume(folder, matches)
    ended = match_loop.play(played, games, stopping.parse(stop), CREW, watch)
    return played, ended


@pytest.mark.parametrize("stop", ["width:0.2", "sprt:0:100", "sprt:50%:40%"])
def test_a_rule_ends_a_match_at_the_same_game_in_whatever_order_they_come(scramble, tmp_path, stop):
    found = []
    for seed, portion in ((1, 7), (2, 1), (3, 40)):
        scramble(seed, portion)
        played, ended = run(tmp_path / str(seed), [match("closure")], stop)
        assert (ended.fault, ended.interrupted) == (None, False)
        found.append(read_rows(played.folder).drop_columns("search_seconds"))
        assert played.tallies[0].games == len(set(found[-1]["game"].to_pylist()))
    assert found[0].equals(found[1]) and found[0].equals(found[2])
    assert 10 < found[0].num_rows / 4 < 2000
    on_disk = [part_files.read(part, results.ROW) for part in results.parts(tmp_path / "3")]
    assert sum(each.num_rows for each in on_disk) > found[0].num_rows, "control: games beyond"


def test_a_run_that_a_rule_ended_has_nothing_left_to_play(scramble, tmp_path):
    scramble(1)
    played, _ = run(tmp_path / "a", [match("closure")], "width:0.2")
    parts = results.parts(played.folder)
    again, ended = run(tmp_path / "a", [match("closure")], "width:0.2")
    assert not ended.interrupted
    assert results.parts(played.folder) == parts
    assert again.tallies[0].games == played.tallies[0].games


def test_a_test_of_several_players_ends_each_where_its_difference_shows(scramble, tmp_path):
    scramble(4)
    matches = [match("heuristic"), match("swift"), match("closure")]
    played, _ = run(tmp_path / "a", matches, "sprt:0%:2%")
    control, swift, closure = (tally.games for tally in played.tallies)
    assert swift < closure, "the larger difference shows earlier"
    assert control == max(swift, closure), "the control goes on as long as it is needed"


def test_a_difference_is_looked_at_when_the_control_comes_last(monkeypatch, tmp_path):
    """The player's games are all there before the control's, or the other way round."""
    monkeypatch.setattr(runner, "start", lambda *_: 2)
    matches, ends = [match("heuristic"), match("swift")], []
    for order in ((0, 1), (1, 0)):

        def play_games(these, schedule, workers, cpus, order=order):
            for which in order:
                for first in range(0, 300, 50):
                    yield [(which, play.portion(these[which], range(first, first + 50)))]

        monkeypatch.setattr(runner, "play_games", play_games)
        played, _ = run(tmp_path / str(order), matches, "sprt:0%:10%", games=300)
        ends.append([tally.games for tally in played.tallies])
    assert ends[0] == ends[1] == [50, 50]


def test_trees_of_ray_workers_have_the_cores_to_themselves(scramble, monkeypatch, tmp_path):
    scramble(6)
    several = config.compose("compare", ["player=bmcts", "player.search.workers=2"]).player
    rooted, threaded = (
        {**OmegaConf.to_container(several), "label": mode} for mode in ("root", "tree")
    )
    rooted["search"]["mode"] = "root"
    matches = [
        replace(match(each["label"]), entrants=(each, {"name": "heuristic"}))
        for each in (rooted, threaded, {"name": "swift", "label": "swift"})
    ]
    monkeypatch.setattr(lineups.config, "cores", lambda: 2)
    resources = startup.resources(matches, None, None, Console(quiet=True))
    assert (resources.workers, resources.cpus) == ((1, 2, 2), (0.0, 1.0, 1.0))
    groups = []

    def play_games(these, schedule, workers, cpus):
        groups.append(([each.labels[0] for each in these], workers, cpus))
        return
        yield

    stopped = []
    monkeypatch.setattr(runner, "play_games", play_games)
    monkeypatch.setattr(runner, "stop", lambda: stopped.append(len(groups)))
    played = Results(tmp_path, matches)
    match_loop.play(played, 4, stopping.parse("games"), resources, lambda: True, waits=False)
    assert groups == [(["tree", "swift"], 4, [1.0, 1.0]), (["root"], 1, [0.0])]
    assert stopped == [1, 2], "idle workers hold the cores of the trees, and trees those of games"
