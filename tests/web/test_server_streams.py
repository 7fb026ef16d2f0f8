"""Streams: a viewer comes back to the same place, and nobody waits for anybody's search."""

import asyncio
import errno
import json
import math
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from http_client import COMPUTER, events, person, play
from table_setup import setup

from experiments.web import workers
from experiments.web.server import messages, streams
from experiments.web.server.streams import Feed, Stream
from experiments.web.tables import driver as driver_module
from experiments.web.tables.driver import ALL, Driver
from experiments.web.tables.search_view import SearchSamples
from experiments.web.tables.table import Moves, Table
from experiments.web.workers import Workers
from mcts.inspect import root_table
from sim.player import Player
from sim.words import action_to_string as words

SWIFT = {"name": "swift", "threshold": 1.0, "own_card_weight": 1.0, "showing": "random"}


@pytest.fixture(scope="module")
def finished_game(server):
    """The link to watch a game of computers that is over, and all that its viewers receive."""
    watch = server.table(COMPUTER, COMPUTER, COMPUTER)["watch"]
    return watch, server.stream(f"/api{watch}/stream").until("over")


def test_a_viewer_goes_on_after_the_last_event(server, finished_game):
    watch, received = finished_game
    for after in (0, 1, len(events(received)) // 2, len(events(received))):
        rest = server.stream(f"/api{watch}/stream", last=after)
        assert events(rest.until("over")) == events(received)[after:]
        assert rest.last in (after, len(events(received)))
        rest.close()


@pytest.mark.parametrize("last", ["-1", "x", "1e3", "99999", "9" * 30])
def test_a_number_that_no_event_has_begins_anew(server, finished_game, last):
    watch, received = finished_game
    assert events(server.stream(f"/api{watch}/stream", last=last).until("over")) == events(received)


def test_whoever_is_asked_is_asked_again_after_a_reload(server):
    made = server.table(person("Ann"), person("Bob"), COMPUTER)
    links = [made["seats"]["0"], made["seats"]["1"]]
    first = server.stream(f"/api{links[0]}/stream")
    received = play(server, links[0], first, until=0)
    again = server.stream(f"/api{links[0]}/stream").until("prompt")
    assert again == received
    rest = server.stream(f"/api{links[0]}/stream", last=first.last).until("prompt")
    assert rest == received[-1:]
    # The control: a seat that is not asked learns whom all wait for, and nothing else.
    other = server.stream(f"/api{links[1]}/stream").until("waiting")
    assert other[-1] == {"kind": "waiting", "seat": 0}
    assert not any(message["kind"] == "prompt" for message in other)


def test_the_ids_of_a_seat_count_what_it_knows_alone(server):
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    stream = server.stream(f"/api{made['seats']['0']}/stream")
    received = play(server, made["seats"]["0"], stream, until=4)
    assert stream.last == len(events(received))
    watched = server.stream(f"/api{made['watch']}/stream")
    assert stream.last > len(events(watched.until("waiting"))) == watched.last


def test_a_table_of_computers_is_paused_stepped_and_hurried(server):
    made = server.table(COMPUTER, COMPUTER, COMPUTER, pace=60.0)
    control = f"/api{made['watch']}/control"
    stream = server.stream(f"/api{made['watch']}/stream")

    def order(**given):
        status, received, _ = server.ask("POST", control, given)
        assert status == 200
        return received

    assert order(pause=True) == {"paused": True, "pace": 60.0}
    first = next(stream)
    for _ in range(8):
        order(step="event")
        before, first = first, next(stream)
        assert first != before
    turn = first["event"]["turn"]
    for _ in range(3):
        order(step="turn")
    while turn < first["event"]["turn"] + 2:
        turn = next(stream)["event"]["turn"]
    order(pace=0.0)
    order(pause=False)
    assert stream.until("over")[-1] == {"kind": "over"}
    for wrong in ({}, {"pause": 1}, {"step": "game"}, {"pace": 61.0}, {"pause": True, "pace": 1.0}):
        assert server.ask("POST", control, wrong)[0] == 422


class Thinker(Player):
    """Decides when it is let, like a search that takes long."""

    def __init__(self):
        super().__init__("thinker")
        self.begun, self.let = threading.Event(), threading.Event()

    def decide(self, view):
        self.begun.set()
        assert self.let.wait(60)
        raise ValueError("a fault of a player")


def test_a_slow_search_blocks_no_other_table(tmp_path, capsys):
    """One thinks in the only thread of the pool; a game of fast players is over meanwhile."""

    async def both():
        pool = Workers(1)
        thinker, tables = Thinker(), []
        for name in ("slow", "fast"):
            (tmp_path / name).mkdir()
            tables.append(Table(setup(SWIFT, SWIFT, SWIFT, SWIFT), tmp_path / name))
        game = tables[0].game
        game.seats, game.decide = (thinker, *game.seats[1:]), lambda: thinker.decide(None)
        slow, fast = (Driver(table, pool) for table in tables)
        for driver in (slow, fast):
            driver.pace = 0.0
        thinking = asyncio.create_task(slow.run())
        await asyncio.to_thread(thinker.begun.wait, 60)
        await asyncio.wait_for(fast.run(), 60)
        assert fast.table.over and not slow.table.over and slow.awaited == 0
        thinker.let.set()
        await asyncio.wait_for(thinking, 60)
        return slow

    slow = asyncio.run(both())
    assert slow.halted and "a fault of a player" in capsys.readouterr().err
    received = list(Feed(slow, ALL, 0).news())
    assert messages.encode(messages.HALTED) in received
    assert not any(b"fault of a player" in part for part in received)


def test_searches_yield_to_those_who_watch():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    with ThreadPoolExecutor(1, "player", workers.yield_to_others) as pool:
        theirs = pool.submit(niceness).result()
    # Elsewhere than on Linux threads have no priority of their own.
    assert theirs == (max(before, workers._NICENESS) if sys.platform == "linux" else before)
    assert niceness() == before  # the control: the event loop's thread is as it was


def test_a_disk_that_is_full_holds_a_game_up_and_no_longer(tmp_path, monkeypatch, capsys):
    """Nothing is shown of a move that is not on disk; a player decides once."""
    table, refused, decided = Table(setup(SWIFT, SWIFT, SWIFT, SWIFT), tmp_path), [3], []
    append, decide = Moves.append, table.game.decide

    def writing(moves, move, lasting):
        if len(decided) == 5 and refused[0]:
            refused[0] -= 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(moves, move, lasting)

    def deciding():
        decided.append(len(table.game.actions))
        return decide()

    monkeypatch.setattr(Moves, "append", writing)
    monkeypatch.setattr(driver_module, "RETRY_SECONDS", 0.0)
    table.game.decide = deciding

    async def run():
        driver, received = Driver(table, Workers()), []
        driver.pace = 0.0
        viewer = Feed(driver, ALL, 0)
        driver._notify = lambda: received.extend(viewer.news())
        await asyncio.wait_for(driver.run(), 60)
        return received

    received = asyncio.run(run())
    assert table.over and decided == list(range(len(decided)))
    faults = [json.loads(part[6:])["error"] for part in received if b'"trouble"' in part]
    sentence = "the game cannot be saved: No space left on device"
    assert faults == [sentence, None]
    assert capsys.readouterr().err == f"{sentence}; it continues once it can\n"


def test_nobody_is_told_that_a_player_chooses_a_card(tmp_path):
    """All wait for a slow player at its turns alone: a card that it has no choice about comes at
    once, and a viewer who learns of a choice knows more than it may."""
    slow = {"name": "bn", "label": "slow", "evidence": "exact", "showing": "random"}
    table = Table(setup(slow, slow, slow, slow), tmp_path)
    received, choose = [], []
    decide = table.game.decide

    def decide_and_note():
        choose.append(table.game.shows)
        return decide()

    table.game.decide = decide_and_note

    async def run():
        driver = Driver(table, Workers())
        driver.pace = 0.0
        driver._notify = lambda: received.append((driver.awaited is not None, table.game.shows))
        await asyncio.wait_for(driver.run(), 60)

    asyncio.run(run())
    assert True in choose and (True, False) in received
    assert (True, True) not in received


SCOPE = {"type": "http"}


async def _asleep(_=None):
    await asyncio.sleep(60)


def test_who_reads_too_slowly_is_dropped_and_silence_is_broken(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "SLOW_SECONDS", 0.05)
    monkeypatch.setattr(streams, "BEAT_SECONDS", 0.02)

    async def run():
        driver = Driver(Table(setup(), tmp_path), Workers())
        ended, sent = [], []
        stuck = Stream(Feed(driver, 0, 0), lambda: ended.append("stuck"))
        await asyncio.wait_for(stuck(SCOPE, _asleep, _asleep), 30)

        async def send(message):
            sent.append(message)

        quiet = Stream(Feed(driver, 0, 0), lambda: ended.append("quiet"))
        going = asyncio.create_task(quiet(SCOPE, _asleep, send))
        while not any(b": still here" in message.get("body", b"") for message in sent):
            await asyncio.sleep(0.01)
        quiet.leave()
        await asyncio.wait_for(going, 30)

        async def break_off(message):
            assert driver.listeners  # the control
            if message["type"] == "http.response.body":
                raise ConnectionResetError

        gone = Stream(Feed(driver, 0, 0), lambda: ended.append("gone"))
        await asyncio.wait_for(gone(SCOPE, _asleep, break_off), 30)
        return ended, driver

    ended, driver = asyncio.run(run())
    assert ended == ["stuck", "quiet", "gone"] and not driver.listeners


def test_who_catches_up_with_a_long_game_keeps_nobody_waiting(tmp_path):
    """It receives the events in parts, and between them others come to their turn."""

    async def run():
        driver, sent, others = Driver(Table(setup(), tmp_path), Workers()), [], []

        feed = Feed(driver, 0, 0)
        feed.news = lambda: iter([b"x" * 1000] * 200)

        async def send(message):
            sent.append(len(message.get("body", b"")))
            asyncio.get_running_loop().call_soon(others.append, len(sent))
            if sum(sent) >= 200_000:
                stream.leave()

        stream = Stream(feed, lambda: None)
        await asyncio.wait_for(stream(SCOPE, _asleep, send), 30)
        return sent, others

    sent, others = asyncio.run(run())
    assert sum(sent) > 200_000 and max(sent) < 2 * streams.MOST_AT_ONCE
    assert len(others) >= 200_000 // (2 * streams.MOST_AT_ONCE)


@pytest.mark.parametrize("people", [0, 1])
def test_searches_are_seen_where_nobody_sits_and_nowhere_else(tmp_path, monkeypatch, people):
    looked = []

    class View:
        def __init__(self, seat, player, names):
            looked.append(seat)

        def sample(self, over):
            return {"kind": "search", "over": over}

    monkeypatch.setattr(driver_module, "SearchSamples", View)
    slow = {"name": "bn", "label": "slow", "evidence": "exact", "showing": "random"}
    ann = {"name": "person", "label": "Ann"}
    table = Table(setup(slow, slow, slow, ann if people else slow), tmp_path)

    async def run():
        driver = Driver(table, Workers())
        driver.pace = 0.0
        running = asyncio.create_task(driver.run())
        while not (driver.prompt or running.done()):
            await asyncio.sleep(0.001)
        running.cancel()
        return list(Feed(driver, ALL, 0).news())

    received = asyncio.run(run())
    assert bool(looked) == (not people) and table.shown > 4
    assert (b'data: {"kind":"search","over":true}\n\n' in received) == (not people)


def test_a_search_is_looked_at_from_outside(tmp_path):
    """The search of a planner at 20 simulations, looked at as it stands at its end."""
    from omegaconf import OmegaConf

    from experiments.settings.config import compose

    spec = compose("compare", ["player=bmcts", "player.budget.simulations=20"]).player
    planner = OmegaConf.to_container(spec, resolve=True)
    table = Table(setup(planner, SWIFT, SWIFT, SWIFT), tmp_path)
    names = table.game.rules.suspects
    progress = SearchSamples(0, table.game.seats[0], names)
    assert progress.sample() is None
    table.game.decide()
    look = progress.sample()
    assert (look["kind"], look["seat"], look["simulations"]) == ("search", 0, 20)
    assert look["root"] and look["line"] and json.dumps(look, allow_nan=False)
    for over in (False, True):  # the control: nothing new
        assert SearchSamples(0, table.game.seats[0], names).sample(over) is None
    result, steps = table.game.seats[0].result, look["line"]
    shown = [(row["visits"], row["value"], row["error"]) for row in look["root"]]
    exact = {row.words: (row.visits, row.value, row.error) for row in root_table(result, words)}
    for row, figures in zip(look["root"], shown, strict=True):
        wanted = [None if math.isnan(one) else one for one in exact[row["action"]]]
        assert figures == pytest.approx(wanted)
    assert sum(visits for visits, *_ in shown) == 20 and shown[0][0] == max(exact.values())[0]
    assert (steps[0]["action"], steps[0]["visits"]) == (look["root"][0]["action"], shown[0][0])
    assert look["per_second"] is None and not look["over"]
    over = progress.sample(over=True)
    assert over["over"] and over["per_second"] > 0, "that of the whole search"
