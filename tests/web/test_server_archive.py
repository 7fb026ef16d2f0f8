"""Games after a restart, and finished games as runs that all commands read."""

import asyncio
import json
import os
import shutil
import time
from dataclasses import replace

import pytest
from http_client import COMPUTER, Served, events, person, play

from experiments.matches import results
from experiments.report.run import load
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.web.tables.archive import LineUp
from experiments.web.tables.registry import Registry
from experiments.web.tables.setup import Setup
from experiments.web.workers import Workers
from sim.records.record import read
from sim.records.replay import replay
from sim.state import OVER
from tests.experiments.rows import read_rows

SWIFT = {"name": "swift", "label": "swift", "threshold": 1.0, "showing": "random"}


def test_links_lead_to_the_same_place_after_a_restart(tmp_path):
    server = Served(tmp_path)
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    stream = server.stream(f"/api{link}/stream")
    received = play(server, link, stream, until=5)
    stale = received[-1]["prompt"]
    assert server.close() == 1
    server = Served(tmp_path)
    assert server.ask("GET", f"/api{link}")[1]["seat"] == 0
    again = server.stream(f"/api{link}/stream")
    assert again.until("prompt")[-1]["prompt"] == stale
    rest = server.stream(f"/api{link}/stream", last=stream.last)
    assert rest.until("prompt") == received[-1:]
    assert server.answer(link, stale) == 200
    received += play(server, link, rest)
    whole = events(server.stream(f"/api{link}/stream").until("over"))
    assert whole == events(received)
    assert server.answer(link, stale) == 409
    assert server.close() == 0
    # A game that is over is still there.
    server = Served(tmp_path)
    assert events(server.stream(f"/api{link}/stream").until("over")) == whole
    assert server.close() == 0


@pytest.fixture(scope="module")
def played_folder(tmp_path_factory):
    """The folder of a server at which Ann has played from each of two seats, and Bob once."""
    folder = tmp_path_factory.mktemp("web")
    server = Served(folder)
    tables = [
        (person("Ann"), COMPUTER, COMPUTER),
        (COMPUTER, person("Ann"), COMPUTER),
        (person("Ann"), COMPUTER, COMPUTER),
    ]
    for seats in tables:
        made = server.table(*seats, study=True)
        (link,) = made["seats"].values()
        play(server, link, server.stream(f"/api{link}/stream"))
    made = server.table(person("Ann"), person("Bob"), COMPUTER)
    threads = [server.stream(f"/api{link}/stream") for link in made["seats"].values()]
    links = list(made["seats"].values())
    over = [False, False]
    while not all(over):
        for seat in (0, 1):
            for message in threads[seat]:
                if message["kind"] == "prompt":
                    assert server.answer(links[seat], message["prompt"]) == 200
                    break
                if message["kind"] == "waiting" and message["seat"] != 2:
                    break
                if message["kind"] == "over":
                    over[seat] = True
                    break
    server.close()
    return folder


def test_games_with_people_are_a_run_like_all_others(played_folder):
    (run,) = (played_folder / "study").iterdir()
    found = load(run, "study")
    assert found.faults == []
    (match,) = found.matches
    assert match.entrants[0] == {"name": "person", "label": "Ann", "hints": True}
    # Ann sat in seats 0, 1 and 0, so the games of her match in which she does.
    assert found.played.tallies[0].numbers.tolist() == [0, 1, 3]
    (row,) = found.figures.table
    assert (row.player, row.games) == ("Ann", 3) and row.rate.high > row.rate.value
    rows = read_rows(run)
    assert rows.num_rows == 9
    for game in (0, 1, 3):
        record = run / results.RECORDS / f"game-{game:06d}.jsonl"
        assert replay(read(record))[0].phase == OVER
        labels = [seat["label"] for seat in json.loads(record.read_text().splitlines()[0])["seats"]]
        assert labels.index("Ann") == match.seating.at([game])[0].tolist().index(0)
    assert "Ann" in (run / "summary.json").read_text()


def play_study_game(folder):
    """Play a game of Ann's on a server of its own; return the table's folder and her cards."""
    server = Served(folder)
    made = server.table(person("Ann"), COMPUTER, COMPUTER, study=True, seed=None)
    (link,) = made["seats"].values()
    hand = server.ask("GET", f"/api{link}/notebook")[1]
    play(server, link, server.stream(f"/api{link}/stream"))
    server.close()
    return folder / "tables" / made["id"], hand


def games_of(folder):
    """Return the numbers of the games in the rows of the only study below ``folder``."""
    (run,) = folder.glob("study/*")
    return sorted({row["game"] for row in read_rows(run).to_pylist()})


def test_no_deal_is_dealt_again_and_no_game_is_lost(tmp_path):
    """After the folder of a table was removed, damaged or restored."""
    table, first = play_study_game(tmp_path)
    shutil.move(table, tmp_path / "kept")
    other, second = play_study_game(tmp_path)
    assert len(games_of(tmp_path)) == 2 and second != first
    (other / "table.json").write_text("{")
    _, third = play_study_game(tmp_path)
    assert len(games_of(tmp_path)) == 3 and third not in (first, second)
    shutil.move(tmp_path / "kept", table)
    _, fourth = play_study_game(tmp_path)
    assert len(games_of(tmp_path)) == 4 and fourth not in (first, second, third)


def test_a_game_that_was_begun_is_not_dealt_again(tmp_path):
    """Its table was removed before the end, and its player has seen the cards."""
    server = Served(tmp_path)
    made = server.table(person("Ann"), COMPUTER, COMPUTER, study=True, seed=None)
    (link,) = made["seats"].values()
    seen = server.ask("GET", f"/api{link}/notebook")[1]
    server.close()
    shutil.rmtree(tmp_path / "tables" / made["id"])
    assert play_study_game(tmp_path)[1] != seen
    (begun,) = tmp_path.glob("study/*/begun.txt")
    assert begun.read_text().split() == ["0", "3"]


def test_several_people_are_all_told_of(played_folder):
    (run,) = (played_folder / "games").iterdir()
    found = load(run, "games")
    assert [row.player for row in found.figures.table] == ["Ann", "Bob", "swift"]
    assert runfolder.read_matches(run)[0].name == "Ann and Bob against 1 swift"


def test_a_game_that_was_not_kept_is_kept_at_the_next_start(played_folder):
    (run,) = (played_folder / "games").iterdir()
    before = read_rows(run)
    for marker in played_folder.glob("tables/*/over"):
        marker.unlink()  # as if the server had been killed just before
    for part in run.glob("games-*.parquet"):
        part.unlink()
    server = Served(played_folder)
    while len(list(played_folder.glob("tables/*/over"))) < 4:
        time.sleep(0.01)
    server.close()
    assert read_rows(run) == before
    for kept in (played_folder / "study").iterdir():
        assert read_rows(kept).num_rows == 9  # not twice


def test_nothing_about_a_person_is_kept_but_the_pseudonym(played_folder):
    for path in played_folder.glob("tables/*/table.json"):
        setup = json.loads(json.loads(path.read_text())["setup"])
        people = [seat for seat in setup["seats"] if seat["name"] == "person"]
        assert people and all(set(seat) == {"name", "label"} for seat in people)


def test_who_sees_probabilities_is_another_player():
    rules, ann = {"name": "speed", "players": 3}, {"name": "person", "label": "Ann"}
    setup = Setup(rules, (ann, SWIFT, SWIFT))
    changes = ({}, {"hints": False}, {"study": True})
    folders = {LineUp.of(replace(setup, **change)).folder for change in changes}
    assert len(folders) == 3
    assert LineUp.of(replace(setup, seats=(SWIFT,) * 3)) is None


def test_a_table_that_was_left_is_put_aside_until_somebody_opens_it(tmp_path):
    """It takes none of the room for tables under way; the control is one that was just made."""
    server = Served(tmp_path, tables=1)
    old = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = old["seats"]["0"]
    before = server.stream(f"/api{link}/stream").until("prompt")
    assert server.close() == 1
    (moves,) = tmp_path.glob("tables/*/moves.jsonl")
    long_ago = time.time() - 2 * 86_400
    os.utime(moves, (long_ago, long_ago))
    server = Served(tmp_path, tables=1)
    received = {
        table["id"]: table["aside"] for table in server.ask("GET", "/api/lobby")[1]["tables"]
    }
    assert received == {old["id"]: True}
    new = server.table(person("Bob"), COMPUTER, COMPUTER)
    status, received, _ = server.ask("GET", f"/api{link}/stream")
    assert status == 429 and "1 tables are under way" in received["error"]
    assert server.close() == 1
    server = Served(tmp_path, tables=2)
    stream = server.stream(f"/api{link}/stream")
    assert stream.until("prompt") == before
    assert server.answer(link, before[-1]["prompt"]) == 200
    received = {
        table["id"]: table["aside"] for table in server.ask("GET", "/api/lobby")[1]["tables"]
    }
    assert received == {old["id"]: False, new["id"]: False}
    assert server.close() == 2


def test_a_table_is_put_aside_while_the_server_runs_and_comes_back(tmp_path, monkeypatch):
    async def run():
        registry = Registry(tmp_path, 5, Workers(), idle_seconds=0.05)
        entry, _ = await registry.make(
            Setup(
                rules={"name": "speed", "players": 3},
                seats=({"name": "person", "label": "Ann"}, SWIFT, SWIFT),
                seed=3,
                pace=0.0,
            )
        )
        driver = await registry.driver(entry)
        while driver.prompt is None:
            await asyncio.sleep(0.01)
        listener = asyncio.Event()
        driver.listeners.add(listener)
        await asyncio.sleep(0.1)
        registry.put_aside()
        assert not entry.aside  # somebody looks at it
        driver.listeners.discard(listener)
        registry.put_aside()
        assert entry.aside and entry.driver is None and not registry.under_way
        again = await registry.driver(entry)
        while again.prompt is None:
            await asyncio.sleep(0.01)
        assert again is not driver and again.prompt == driver.prompt
        monkeypatch.setattr(registry, "_idle_seconds", 60.0)
        registry.put_aside()
        assert not entry.aside  # it was asked for just now
        await registry.close()

    asyncio.run(run())


def test_pause_and_pace_are_there_after_a_restart(tmp_path):
    server = Served(tmp_path)
    three = [COMPUTER] * 3
    watches = [server.table(*three, pace=60.0)["watch"] for _ in range(2)]
    server.ask("POST", f"/api{watches[0]}/control", {"pause": True})
    server.ask("POST", f"/api{watches[0]}/control", {"pace": 5.0})
    server.close()
    server = Served(tmp_path)
    for watch, expected in zip(watches, ((True, 5.0), (False, 60.0)), strict=True):
        received = server.ask("GET", f"/api{watch}")[1]
        assert (received["paused"], received["pace"]) == expected
    server.close()


def test_a_folder_has_one_server(tmp_path):
    server = Served(tmp_path)
    with pytest.raises(Refusal, match="another server uses the tables"):
        Registry(tmp_path, 1, Workers())
    server.close()


def test_what_cannot_be_read_is_left_alone(tmp_path, capsys):
    server = Served(tmp_path)
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    server.close()
    bad = tmp_path / "tables" / "bad"
    bad.mkdir()
    (bad / "table.json").write_text("{")
    (tmp_path / "tables" / made["id"] / "moves.jsonl").write_text('{"seat": 0, "action": 9999}\n')
    server = Served(tmp_path)
    assert server.ask("GET", f"/api{made['seats']['0']}/stream")[0] == 409
    received = capsys.readouterr().err
    assert "bad/table.json cannot be read and is skipped" in received
    assert f"table {made['id']} cannot continue" in received
    assert server.ask("GET", "/api/lobby")[0] == 200
    server.close()
    assert (bad / "table.json").read_text() == "{"
