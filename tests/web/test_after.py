"""After a game and after a restart: links that lead on, records, tables that were left."""

import asyncio
import json
import os
import time

import pytest
from http_client import COMPUTER, Served, events, person, play
from table_setup import setup

from experiments.settings.commandline import Refusal
from experiments.web.tables.registry import OVER, Registry
from experiments.web.workers import Workers


def finish(server, *seats, **changes):
    """Play a table of one person to its end; return its links and the seat's."""
    made = server.table(*seats, **changes)
    (link,) = made["seats"].values()
    play(server, link, server.stream(f"/api{link}/stream"))
    return made, link


@pytest.fixture
def serving(tmp_path):
    server = Served(tmp_path)
    yield server
    server.close()


def dealt(server, link):
    """Return the cards that a seat was dealt."""
    return next(server.stream(f"/api{link}/stream"))["event"]["cards"]


def test_a_finished_game_leads_to_its_own_record_and_to_another_deal(serving):
    first, link = finish(serving)
    finish(serving)
    about = serving.ask("GET", f"/api{link}/after")[1]
    record = serving.ask("GET", f"/api{about['record']}")[1]
    seen = events(serving.stream(f"/api{link}/stream").until("over"))
    assert about["again"]
    assert record["events"][0]["cards"] == seen[0]["cards"], "its own, and not the newest"
    status, again, _ = serving.ask("POST", f"/api{link}/again", {})
    assert status == 201 and [*again["seats"]] == ["0"]
    assert dealt(serving, again["seats"]["0"]) != dealt(serving, link), "a new deal"
    assert serving.ask("GET", f"/api{first['watch']}/after")[1]["again"] is False
    assert serving.ask("POST", f"/api{first['watch']}/again", {})[0] == 409
    for asked in (("GET", "after"), ("POST", "again", {})):  # this one is under way
        method, what, *body = asked
        assert serving.ask(method, f"/api{again['seats']['0']}/{what}", *body)[0] == 409


def test_a_watched_game_is_recorded_and_listed_with_its_end(serving, tmp_path):
    made = serving.table(COMPUTER, COMPUTER, COMPUTER)
    end = events(serving.stream(f"/api{made['watch']}/stream").until("over"))[-1]
    about = serving.ask("GET", f"/api{made['watch']}/after")[1]
    record = serving.ask("GET", f"/api{about['record']}")[1]
    assert record["header"]["seed"] is None, "a table's seed is no viewer's"
    assert record["events"][-1]["turns"] == end["turns"]
    lobby = serving.ask("GET", "/api/lobby")[1]
    winner = None if end["winner"] is None else "swift"
    for listed in (lobby["tables"][0], lobby["records"][0]):
        assert (listed["winner"], listed["turns"]) == (winner, end["turns"])
        assert listed["seconds"] >= 0
    again = serving.ask("POST", f"/api{made['watch']}/again", {})
    assert again[0] == 201 and again[1]["seats"] == {}
    # A table of an earlier version says nothing of its end.
    serving.close()
    (tmp_path / "tables" / made["id"] / OVER).write_text("")
    other = Served(tmp_path)
    tables = {one["id"]: one for one in other.ask("GET", "/api/lobby")[1]["tables"]}
    assert tables[made["id"]]["over"] and "turns" not in tables[made["id"]]
    other.close()


def test_links_lead_to_the_same_place_after_a_restart(tmp_path):
    server = Served(tmp_path)
    link = server.table(person("Ann"), COMPUTER, COMPUTER)["seats"]["0"]
    stream = server.stream(f"/api{link}/stream")
    received = play(server, link, stream, until=5)
    stale = received[-1]["prompt"]
    assert server.close() == 1
    server = Served(tmp_path)
    assert server.ask("GET", f"/api{link}")[1]["seat"] == 0
    assert server.stream(f"/api{link}/stream").until("prompt")[-1]["prompt"] == stale
    rest = server.stream(f"/api{link}/stream", last=stream.last)
    assert rest.until("prompt") == received[-1:]
    assert server.answer(link, stale) == 200
    received += play(server, link, rest)
    whole = events(server.stream(f"/api{link}/stream").until("over"))
    assert whole == events(received)
    assert server.answer(link, stale) == 409
    assert server.close() == 0
    (marker,) = tmp_path.glob(f"tables/*/{OVER}")
    (record,) = tmp_path.glob("games/records/*.jsonl")
    for path in (marker, record):
        path.unlink()  # as if the server had been killed just before
    server = Served(tmp_path)
    assert events(server.stream(f"/api{link}/stream").until("over")) == whole
    server.ask("GET", f"/api{link}/after")
    assert marker.exists() and record.exists(), "what was not filed is filed now"
    assert server.close() == 0


def test_nothing_about_a_person_is_kept_but_the_pseudonym(tmp_path):
    server = Served(tmp_path)
    finish(server)
    server.close()
    (path,) = tmp_path.glob("tables/*/table.json")
    seats = json.loads(json.loads(path.read_text())["setup"])["seats"]
    assert seats[0] == {"name": "person", "label": "Ann"}


def test_a_table_that_was_left_is_put_aside_until_somebody_opens_it(tmp_path):
    """It takes none of the room for tables under way; the control is one that was just made."""
    server = Served(tmp_path, tables=1)
    old = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = old["seats"]["0"]
    before = server.stream(f"/api{link}/stream").until("prompt")
    assert server.close() == 1
    (moves,) = tmp_path.glob("tables/*/moves.jsonl")
    os.utime(moves, (time.time() - 2 * 86_400,) * 2)

    def aside():
        return {one["id"]: one["aside"] for one in server.ask("GET", "/api/lobby")[1]["tables"]}

    server = Served(tmp_path, tables=1)
    assert aside() == {old["id"]: True}
    new = server.table(person("Bob"), COMPUTER, COMPUTER)
    status, received, _ = server.ask("GET", f"/api{link}/stream")
    assert status == 429 and "1 tables are under way" in received["error"]
    assert server.close() == 1
    server = Served(tmp_path, tables=2)
    assert server.stream(f"/api{link}/stream").until("prompt") == before
    assert server.answer(link, before[-1]["prompt"]) == 200
    assert aside() == {old["id"]: False, new["id"]: False}
    assert server.close() == 2


def test_a_table_is_put_aside_while_the_server_runs_and_comes_back(tmp_path, monkeypatch):
    async def wait_for_prompt(registry, entry):
        driver = await registry.driver(entry)
        while driver.prompt is None:
            await asyncio.sleep(0.01)
        return driver

    async def run():
        registry = Registry(tmp_path, 5, Workers(), idle_seconds=0.05)
        entry, _ = await registry.make(setup())
        entry.opened = 0.0
        driver, listener = await wait_for_prompt(registry, entry), asyncio.Event()
        driver.listeners.add(listener)
        await asyncio.sleep(0.1)
        registry.put_aside()
        assert not entry.aside  # somebody looks at it
        driver.listeners.discard(listener)
        registry.put_aside()
        assert entry.aside and entry.driver is None and not registry.under_way
        again = await wait_for_prompt(registry, entry)
        assert again is not driver and again.prompt == driver.prompt
        monkeypatch.setattr(registry, "_idle_seconds", 60.0)
        registry.put_aside()
        assert not entry.aside  # it was asked for just now
        await registry.close()

    asyncio.run(run())


def test_pause_and_pace_are_there_after_a_restart(tmp_path):
    server = Served(tmp_path)
    watches = [server.table(*[COMPUTER] * 3, pace=60.0)["watch"] for _ in range(2)]
    server.ask("POST", f"/api{watches[0]}/control", {"pause": True})
    server.ask("POST", f"/api{watches[0]}/control", {"pace": 5.0})
    server.close()
    server = Served(tmp_path)
    for watch, expected in zip(watches, ((True, 5.0), (False, 60.0)), strict=True):
        received = server.ask("GET", f"/api{watch}")[1]
        assert (received["paused"], received["pace"]) == expected
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
