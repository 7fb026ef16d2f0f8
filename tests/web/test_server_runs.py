"""Runs that are followed: figures of finished games alone, and of folders that are runs alone."""

import json
import os
import secrets
import shutil
import time
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from http_client import Served
from rich.console import Console

from experiments.compare import __main__ as compare
from experiments.report.__main__ import report
from experiments.runs import live
from experiments.web.library import FRESH
from sim.cards import CARDS

GAMES, FEWER = 40, 25


@pytest.fixture(scope="module")
def seed():
    return secrets.randbelow(2**60) + 2**59


@pytest.fixture(scope="module")
def folder(tmp_path_factory, seed):
    """Return the folder of a finished run, and of one that is under way."""
    place = tmp_path_factory.mktemp("runs")
    asked = ["match.players=[swift,closure]", "match.stop=sprt:0:30", "match.workers=1"]
    asked += ["rules=speed", f"seed={seed}", "run.records=2", "run.details=[suggestions]"]
    done = f"run.folder={place / 'done'}"
    assert compare.COMMAND.run([*asked, f"match.games={GAMES}", done, "tracking=none"]) == 0
    begin(place / "done", place / "begun")
    return place


@pytest.fixture(scope="module")
def server(folder):
    served = Served(folder / "web", outputs=str(folder))
    yield served
    served.close()


def begin(done, begun):
    """Copy a run as it was before its end."""
    shutil.copytree(done, begun)
    (begun / "summary.json").unlink()
    for part in begun.glob("*.parquet"):
        rows = pq.read_table(part)
        pq.write_table(rows.filter(pa.compute.less(rows["game"], FEWER)), part, store_schema=False)


def lobby(server):
    return server.ask("GET", "/api/lobby")[1]


def ask(server, name):
    """Return how the run ``name`` under way or finished stands, and the text of the answer."""
    found = [*lobby(server)["under_way"], *lobby(server)["runs"]]
    (run,) = [one for one in found if one["name"] == name]
    status, text, _ = server.ask("GET", f"/api/runs/{run['id']}", plain=True)
    assert status == 200, text
    return json.loads(text), text


def test_a_run_is_followed_from_its_first_games_to_its_end(server, folder):
    assert [one["name"] for one in lobby(server)["under_way"]] == ["begun"]
    begun, _ = ask(server, "begun")
    done, _ = ask(server, "done")
    assert (begun["stage"], done["stage"]) == ("under way", "finished")
    for run, games in ((begun, FEWER), (done, GAMES)):
        assert [(line["games"], line["most"]) for line in run["table"]] == [(games, GAMES)] * 2
        (pair,) = run["comparisons"]
        assert sum(pair[key] for key in ("both", "only_first", "only_second", "neither")) == games
        (test,) = run["tests"]
        (line,) = run["chart"]["lines"]
        assert line["points"][-1] == [games, test["llr"]] and "undecided" in test["words"]
    summary = json.loads((folder / "done" / "summary.json").read_text())
    for line, written in zip(done["table"], summary["table"], strict=True):
        assert {key: written[key] for key in line if key != "most"} == {
            key: value for key, value in line.items() if key != "most"
        }
    long_ago = time.time() - 2 * FRESH
    for path in (folder / "begun").iterdir():
        os.utime(path, (long_ago, long_ago))
    assert lobby(server)["under_way"] == []
    shutil.rmtree(folder / "begun")
    begin(folder / "done", folder / "begun")


def test_a_run_that_is_gone_on_with_is_under_way_again(server, folder):
    os.utime(folder / "done" / "config.yaml")
    assert {one["name"] for one in lobby(server)["under_way"]} == {"begun", "done"}
    os.utime(folder / "done" / "summary.json")
    assert {one["name"] for one in lobby(server)["under_way"]} == {"begun"}


@pytest.mark.parametrize("name", ["nothing", "done", "..%2fdone", "..%2f..%2fetc%2fpasswd", "%00"])
def test_what_is_no_name_of_a_run_is_unknown(server, name):
    for route in (f"/runs/{name}", f"/api/runs/{name}", f"/runs/{name}/report"):
        assert server.ask("GET", route, plain=True)[0] == 404
    assert "unknown run" in server.ask("GET", "/runs/nothing", plain=True)[1].lower()


@pytest.mark.parametrize("file", ["config.yaml", "games-00000.parquet", "stops.json"])
def test_a_link_or_a_pipe_in_a_run_is_not_read(server, folder, tmp_path, file):
    path, kept = folder / "begun" / file, tmp_path / "kept"
    (name,) = [one["id"] for one in lobby(server)["under_way"]]
    if path.exists():
        shutil.move(path, kept)
        path.symlink_to(kept)
    else:
        os.mkfifo(path)
    assert server.ask("GET", f"/api/runs/{name}")[0] == 404
    path.unlink()
    if kept.exists():
        shutil.move(kept, path)
    assert server.ask("GET", f"/api/runs/{name}")[0] == 200  # the control


def test_a_broken_run_is_refused_in_one_sentence(server, folder):
    shutil.copytree(folder / "begun", folder / "broken")
    (folder / "broken" / "config.yaml").write_text("match: 3\n")
    (name,) = [one["id"] for one in lobby(server)["under_way"] if one["name"] == "broken"]
    status, received, _ = server.ask("GET", f"/api/runs/{name}")
    shutil.rmtree(folder / "broken")
    assert status == 422 and "match.games" in received["error"] and "\n" not in received["error"]


def hide_all_but_winners(folder, seed):
    """Change in ``folder`` whatever does not say who sat where and won."""
    plan = (folder / "matches.json").read_text()
    assert str(seed) in plan
    (folder / "matches.json").write_text(plan.replace(str(seed), "7"))
    for part in folder.glob("games-*.parquet"):
        rows = pq.read_table(part)
        for name in ("suggestions", "turns", "game_suggestions"):
            values = pa.array([3] * rows.num_rows, rows[name].type)
            rows = rows.set_column(rows.column_names.index(name), name, values)
        pq.write_table(rows, part, store_schema=False)
    shutil.rmtree(folder / "records")
    for part in folder.glob("suggestions-*.parquet"):
        part.unlink()


def leaks(server, folder, seed):
    """Return what of a run under way can be seen beside who won its games."""
    run, text = ask(server, "begun")
    found = [card for card in CARDS if card in text] + [str(seed)] * (str(seed) in text)
    shutil.rmtree(folder / "other", ignore_errors=True)
    shutil.copytree(folder / "begun", folder / "other")
    hide_all_but_winners(folder / "other", seed)
    other, _ = ask(server, "other")
    shutil.rmtree(folder / "other")
    apart = ("name", "age")
    return found + [key for key in run if key not in apart and run[key] != other[key]]


def test_a_run_shows_who_won_and_nothing_else_of_a_game(server, folder, seed, monkeypatch):
    assert leaks(server, folder, seed) == []
    score = live.score

    def with_the_seed(match, *rest):
        return replace(score(match, *rest), player=str(match.seed))

    monkeypatch.setattr(live, "score", with_the_seed)
    os.utime(folder / "begun")
    (folder / "begun" / "again").touch()  # so that it is read again
    assert leaks(server, folder, seed) == [str(seed), "table"]


def test_a_run_has_a_report_without_its_seed(server, folder, seed):
    """Nor with a link in its place; the control is the file."""

    def link():
        (run,) = [one for one in lobby(server)["runs"] if one["name"] == "done"]
        return run["id"], run["report"]

    name, none = link()
    assert none is None
    assert server.ask("GET", f"/runs/{name}/report", plain=True)[0] == 404
    report([folder / "done"], None, Console(quiet=True))
    status, page, headers = server.ask("GET", link()[1], plain=True)
    file = folder / "done" / "report.html"
    assert status == 200 and "swift" in page
    assert str(seed) not in page and str(seed) in file.read_text()
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy and "script" not in policy
    file.rename(folder / "secret.html")
    file.symlink_to(folder / "secret.html")
    assert server.ask("GET", f"/runs/{name}/report", plain=True)[0] == 404
    assert link()[1] is None
    file.unlink()
