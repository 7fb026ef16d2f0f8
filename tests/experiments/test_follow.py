"""The progress of a run is read from its folder while others write there."""

import io
import json
import time
from collections import Counter
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from experiments import terminal
from experiments.matches.results import Played, Results, parts
from experiments.provenance.files import SUMMARY, write_json
from experiments.report import __main__ as report
from experiments.report import follow
from experiments.runs import runfolder
from experiments.settings import arguments
from experiments.settings.commandline import Interrupted
from experiments.stats.intervals import win_rate


@pytest.fixture
def write(tmp_path, match, rows):
    """Write games of a run as a part of the process with this slot."""

    def add(games, slot=0, folder=tmp_path / "run", most=12):
        runfolder.claim(folder, [match], "games")
        (folder / "config.yaml").write_text(f"match: {{games: {most}}}\n")
        played = Results.resume(folder, [match])
        played.slot = slot
        played.add(0, Played(rows(games, lambda game: 0)))
        played.flush()
        return folder

    return add


def show(following):
    following.look()
    return [following.state(), *(", ".join(line) for line in following.lines())]


def test_a_run_is_followed_from_before_its_folder_is_there_to_its_end(tmp_path, write, match):
    following = follow.Following([tmp_path / "run"])
    assert show(following) == [f"{tmp_path / 'run'}: no run there yet, waiting"]
    (tmp_path / "run").mkdir()
    assert "no run there yet" in show(following)[0] and not following.ended
    write(range(5))
    state, line = show(following)
    assert state.startswith("5 of 12 games, last rows at ") and state.endswith("by process 0")
    assert line == f"{match.name}, 5 of 12 games, {win_rate(2, 5)}"  # of seat 0 in turn
    write(range(8, 12), slot=3)
    state, _ = show(following)
    assert state.startswith("9 of 12 games, ") and " a minute, 0:0" in state
    assert state.endswith("lately by processes 0, 3") and not following.ended
    write(range(5, 8))
    assert show(following)[0].startswith("12 of 12 games, ") and following.ended


def test_parts_are_read_once_and_nothing_is_written(write, monkeypatch):
    folder, opened = write(range(5)), Counter()
    real = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda part: opened.update([part]) or real(part))
    before = {path.name: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}
    following = follow.Following([folder])
    for _ in range(3):
        following.look()
    assert {path.name: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())} == before
    write(range(5, 9), slot=1)
    opened.clear()
    following.look()
    following.look()
    assert opened == Counter([folder / "games-s01-00000.parquet"])


def test_a_part_that_is_not_whole_yet_is_read_later(write):
    folder = write(range(5))
    write(range(5, 9), slot=1)
    part = parts(folder)[-1]
    content = part.read_bytes()
    part.write_bytes(content[:100])
    following = follow.Following([folder])
    state, *_ = show(following)
    assert "not read yet: " in state and part.name in state and not following.ended
    part.write_bytes(content)
    assert show(following)[0].startswith("9 of 12 games, ")


def test_trials_are_followed_until_their_sweep_has_a_summary(tmp_path, write):
    for number in range(2):
        write(range(12), folder=tmp_path / f"trial-{number}")
    following = follow.Following([tmp_path])
    state, *lines = show(following)
    assert state.startswith("24 of 24 games, 2 of 2 runs ended, ") and len(lines) == 2
    assert not following.ended, "more trials may follow"
    write_json(tmp_path, {}, SUMMARY)
    assert show(following) and following.ended


def test_a_run_that_its_rule_ended_early_has_ended(write, match):
    folder = write(range(5))
    following = follow.Following([folder])
    following.look()
    assert not following.ended
    (folder / "stops.json").write_text(json.dumps({match.name: 5}))
    following.look()
    assert following.ended


@pytest.mark.parametrize("on_terminal", [False, True])
def test_it_shows_until_the_end_or_ctrl_c(write, monkeypatch, on_terminal):
    folder, looks = write(range(5)), iter([(5, 9), (9, 12)])
    screen = io.StringIO()
    console = terminal.console(file=screen, width=120, force_terminal=on_terminal)
    monkeypatch.setattr(follow, "LINE_SECONDS", 0.0)

    def sleep(_):
        write(range(*next(looks)))

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=sleep)
    monkeypatch.setattr(follow, "time", clock)  # other threads sleep as well
    follow.follow([folder], console)
    assert all(f"{n} of 12 games" in screen.getvalue() for n in (5, 9, 12))

    def interrupt(_):
        raise KeyboardInterrupt

    clock.sleep = interrupt
    with pytest.raises(Interrupted, match=r"no longer followed; .*none: no run there yet"):
        follow.follow([folder / "none"], Console(quiet=True))


def test_the_command_takes_it_as_a_flag(write, capsys):
    folder = write(range(12))
    assert report.COMMAND.run([str(folder), "--follow"]) == 0
    assert "12 of 12 games" in capsys.readouterr().out
    assert not (folder / "report.html").exists()
    typed = arguments.read(["a", "--follow"], report.Report, "runs")
    assert typed.overrides == ["runs=['a']", "follow=true"]
