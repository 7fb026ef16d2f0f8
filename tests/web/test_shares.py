"""Shares by address: who asks for all there is has a part of it, and others find room."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from http_client import COMPUTER, Served
from in_process import _scope

from experiments.settings.config import compose
from experiments.web import shares
from experiments.web.__main__ import COMMAND
from experiments.web.server import guard, viewers
from experiments.web.shares import ADDRESS, Crowded, Shares, Turns, address_of
from experiments.web.tables import registry as tables
from experiments.web.tables.setup import Setup
from experiments.web.workers import Workers

SECURITY = Path(shares.__file__).parents[2] / "SECURITY.md"
SWIFT = {"name": "swift", "label": "swift"}


def test_an_address_is_a_network_of_ipv6_or_a_machine():
    same = {address_of((host, 1)) for host in ("2001:db8::1", "2001:db8:0:0:9::2", "2001:db8::%e")}
    assert len(same) == 1 and address_of(("2001:db8:0:1::1", 1)) not in same
    assert address_of(("::ffff:10.0.0.1", 1)) == address_of(("10.0.0.1", 5)) == "10.0.0.1"
    assert address_of(("10.0.0.2", 1)) == "10.0.0.2" and address_of(None) == ""


@pytest.mark.parametrize(("names", "order"), [("aaaab", "abaaa"), ("aaaaa", "aaaaa")])
def test_turns_go_round_among_addresses(names, order):
    async def run():
        turns, had = Turns(1), []

        async def work(name):
            ADDRESS.set(name)
            async with turns.take():
                await asyncio.sleep(0)
                had.append(name)

        waiting = [asyncio.create_task(work(name)) for name in names]
        dropped = asyncio.create_task(work("c"))
        await asyncio.sleep(0)
        dropped.cancel()
        await asyncio.gather(*waiting, dropped, return_exceptions=True)
        async with turns.take():  # all turns were given back
            return "".join(had)

    assert asyncio.run(run()) == order


def made_by(whose, most, room, tmp_path):
    """Return how the tables of addresses were taken: a letter, or - if there was no room."""

    async def run():
        registry = tables.Registry(tmp_path, most, Workers(), shares=Shares(room))
        people = {"name": "person", "label": "Ann"}
        setup = Setup({"name": "speed", "players": 3}, (people, SWIFT, SWIFT), pace=0.0)
        taken = ""
        for name in whose:
            ADDRESS.set(name)
            try:
                entry, _ = await registry.make(setup)
                while (await registry.driver(entry)).prompt is None:
                    await asyncio.sleep(0.001)
                taken += name
            except Crowded:
                taken += "-"
        under_way = len(registry.under_way)
        await registry.close()
        return taken, under_way

    return asyncio.run(run())


def test_an_address_has_a_share_of_the_tables(tmp_path):
    assert made_by("aaabbb", 8, 0.25, tmp_path / "a") == ("aa-bb-", 4)
    assert made_by("aaaaab", 5, 1.0, tmp_path / "b") == ("aaaaa-", 5), "the control"


def test_a_table_that_was_left_makes_room(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "LEFT_SECONDS", -1.0)
    assert made_by("aaaab", 8, 0.25, tmp_path / "a") == ("aaaab", 3)
    assert made_by("abcde", 2, 0.5, tmp_path / "b") == ("abcde", 2)


def test_the_page_on_security_says_what_the_shares_are():
    said = SECURITY.read_text("utf-8")
    COMMAND.register()
    kept = Shares(compose("web").share)
    at_once, made = map(kept.of, (shares.AT_ONCE, shares.TABLES))
    shown = f"share={kept._part}", f"({at_once})", f"({made})"
    assert all(each in said for each in shown)


def test_what_an_address_makes_in_a_day_is_limited(monkeypatch):
    monkeypatch.setattr(shares, "_DAY", 1e9)
    monkeypatch.setattr(shares, "TABLES", 400)
    made = Shares(0.01)
    for name in "aaaabbbb":
        ADDRESS.set(name)
        made.spend()
    with pytest.raises(Crowded, match="4 tables today"):
        made.spend()
    monkeypatch.setattr(shares, "_DAY", -1.0)
    made.spend()  # another day
    ADDRESS.set("")


def test_requests_of_an_address_at_the_same_time_are_limited_until_they_are_answered(monkeypatch):
    """Whatever is sent later, as a stream is, takes no room."""
    monkeypatch.setattr(shares, "AT_ONCE", 4)

    async def run():
        begin, end = asyncio.Event(), asyncio.Event()

        async def app(scope, receive, send):
            if scope["path"] == "/":
                await begin.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            if scope["path"] == "/":
                await end.wait()
            await send({"type": "http.response.body", "body": b""})

        guarded, statuses = guard.Guard(app, frozenset({"localhost"}), Shares(0.25)), []

        async def ask(path, client):
            async def send(message):
                statuses.extend([message["status"]] if "status" in message else [])

            scope = {**_scope("GET", path), "client": (client, 1)}
            await asyncio.create_task(guarded(scope, None, send))
            return statuses[-1]

        slow = asyncio.create_task(ask("/", "10.0.0.1"))
        await asyncio.sleep(0.01)
        assert await ask("/x", "10.0.0.1") == 429 and await ask("/x", "10.0.0.2") == 200
        begin.set()
        await asyncio.sleep(0.01)
        assert await ask("/x", "10.0.0.1") == 200, "it is answered, but not to its end"
        end.set()
        await slow

    asyncio.run(run())


def test_notebooks_of_one_address_keep_no_page_waiting(tmp_path, monkeypatch):
    """Nor does an address find a forwarded one instead of its own."""
    asked, let, found = threading.Semaphore(0), threading.Event(), set()
    address = guard.address_of
    monkeypatch.setattr(guard, "address_of", lambda client: found.add(client[0]) or address(client))

    def beliefs(*_):
        asked.release()
        assert let.wait(60)
        return {}

    monkeypatch.setattr(viewers, "_beliefs", beliefs)
    server = Served(tmp_path)
    link = f"/api{server.table(COMPUTER, COMPUTER, COMPUTER)['watch']}/beliefs"
    with ThreadPoolExecutor(12) as askers:
        waiting = [askers.submit(server.ask, "GET", link) for _ in range(12)]
        assert all(asked.acquire(timeout=60) for _ in range(2))
        headers = {"X-Forwarded-For": "192.0.2.1"}
        assert server.ask("GET", "/api/lobby", headers=headers)[0] == 200
        assert not let.is_set() and not any(one.done() for one in waiting)
        let.set()
        assert {one.result()[0] for one in waiting} == {200}
    assert found == {"127.0.0.1"}
    server.close()
