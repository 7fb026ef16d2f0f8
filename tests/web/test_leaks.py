"""No message to a seat depends on a card that it cannot know.

Each game is played twice, with two hidden cards exchanged: all that one seat receives (events,
questions, whom all wait for, notebooks, refusals, pages, headers) must be the same, up to an event
that it may see and that differs; and no message names a card that it cannot know.  People answer by
the same rule in both, so whom the exchange makes act otherwise is a player of the configuration.

Most games are played in the application without sockets (`in_process`), some over HTTP.
"""

import asyncio
import os
from dataclasses import replace

import pytest
from http_client import person
from in_process import inside
from seat_messages import first, may_differ, play_pair, told_apart, unknowable
from starlette.responses import HTMLResponse
from swapped_cards import SEED, Exchanged, choose, to_exchange

from experiments.web.server import guard, messages, streams, viewers
from experiments.web.tables import table as tables
from experiments.web.tables.driver import Driver
from experiments.web.tables.setup import Setup
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.records.stepped import Person, SteppedGame
from sim.rules import FIXED_PLAYERS, preset

GAMES = 120
OVER_HTTP = 2
NAMES = ("Ann", "Bob", "Cy", "Di", "Ed", "Fay")
RULES = ("speed", "ledford", "classic", "cai2006", "ferrari2009", "released")
COMPUTERS = (
    {"name": "swift", "threshold": 1.0, "own_card_weight": 1.0, "showing": "random"},
    {"name": "random", "showing": "random"},
    {"name": "bn", "label": "slow", "evidence": "exact", "showing": "random"},
    {"name": "closure", "showing": "least_informative"},
)


@pytest.fixture(autouse=True)
def exchanging(monkeypatch):
    monkeypatch.setattr(tables, "SteppedGame", Exchanged)
    yield
    Exchanged.swap = None


@pytest.fixture
def unkept(monkeypatch):
    """Disks that are not waited for."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


def table_of(number):
    """Return table, recorded seat, cards to exchange of the pair ``number``, and whether people
    alone sit there."""
    name = RULES[number % len(RULES)]
    around = number // len(RULES)
    people, half = bool((number + around) % 2), around // 2
    count = FIXED_PLAYERS.get(name, 3 + half % 4)
    first_seat = number % count
    seats = [{"name": "person", "label": NAMES[place]} for place in range(count)]
    if not people:
        for place in range(2, count):
            seats[place] = COMPUTERS[(half + place) % len(COMPUTERS)]
    seats = tuple(seats[first_seat:] + seats[:first_seat])
    received = {
        "rules": {"name": name, "players": count, "turn_cap": 20},
        "seats": seats,
        "seed": number,
        "pace": 0.0,
        "hints": number % 3 > 0,
    }
    recorded = NAMES[half % 2]
    seat = next(place for place in range(count) if seats[place].get("label") == recorded)
    rules = preset(**received["rules"])
    events = SteppedGame(rules, [Person(one) for one in NAMES[:count]], SEED, number).events
    # How many cards of each kind everybody has is public in these.
    cards = to_exchange(events, seat, number, alike=rules.shares is not None)
    return Setup(**received), seat, cards, people


async def compare(server, number):
    """Return what was found in the pair ``number`` by each way, and whether its games differ."""
    table_request, seat, swap, people = table_of(number)
    one, other = [await play_pair(server, table_request, seat, cards) for cards in (None, swap)]
    found, differ = told_apart(one, other, people)
    return [*unknowable(one), *unknowable(other)], found, differ


def pairs(folder, numbers):
    """Yield `compared` of each of ``numbers``."""
    with asyncio.Runner() as runner:
        entered = inside(folder)
        server = runner.run(entered.__aenter__())
        for number in numbers:
            yield runner.run(compare(server, number))
        runner.run(entered.__aexit__(None, None, None))


def test_what_a_seat_receives_names_no_card_and_depends_on_what_it_may_see(tmp_path, unkept):
    found = list(pairs(tmp_path, range(GAMES // 2)))
    assert [pair for pair in found if pair[0] or pair[1]] == []
    assert sum(differ for _, _, differ in found) > GAMES // 4  # it does come to see them elsewhere


def more(received, key):
    """Return the message ``received`` with the exchanged cards under ``key``."""
    return {**received, key: str(Exchanged.swap)}


def in_events(monkeypatch):
    event = messages.event
    monkeypatch.setattr(messages, "event", lambda received: more(event(received), "digest"))


def in_questions(monkeypatch):
    prompt = messages.prompt
    monkeypatch.setattr(messages, "prompt", lambda question: more(prompt(question), "of"))


def in_waiting(monkeypatch):
    waiting = messages.waiting
    monkeypatch.setattr(messages, "waiting", lambda whom: more(waiting(whom), "for"))


def in_searches(monkeypatch):
    """Show a search to a seat."""
    state = streams.Feed._state
    search = {"kind": "search", "root": []}
    monkeypatch.setattr(streams.Feed, "_state", lambda feed: {**state(feed), "search": search})


def in_numbers(monkeypatch):
    """Number a question by all decisions of the game."""
    asked = Table.prompt.fget

    def prompt(table):
        question = asked(table)
        return question and replace(question, number=len(table.game.actions))

    monkeypatch.setattr(Table, "prompt", property(prompt))


def in_ids(monkeypatch):
    """Number events by all of the game."""
    encode = messages.encode

    def wrong(message, number=None):
        return encode(message, None if number is None else number + message["event"]["turn"])

    monkeypatch.setattr(messages, "encode", wrong)


def in_notebooks(monkeypatch):
    """Mark a card that was exchanged in the seat's notebook."""
    notebook = viewers.notebook

    def wrong(*given):
        received = notebook(*given)
        received["cards"][0]["holders"][0] = "no" if Exchanged.swap else "maybe"
        return received

    monkeypatch.setattr(viewers, "notebook", wrong)


def in_refusals(monkeypatch):
    refused = viewers.HTTPException
    monkeypatch.setattr(
        viewers, "HTTPException", lambda at, sentence: refused(at, sentence + CARDS[0])
    )


def in_pages(monkeypatch):
    title = lambda name: HTMLResponse(f"<title>{Exchanged.swap}</title>")  # noqa: E731
    monkeypatch.setattr(viewers, "page", title)


def in_headers(monkeypatch):
    monkeypatch.setitem(guard.HEADERS, "X-Cards", "1")


def by_hidden_events(monkeypatch):
    monkeypatch.setattr(Driver, "sees", lambda driver, event, viewer: True)


def by_accusations(monkeypatch):
    """Send everybody what is accused in secret."""
    sees = Driver.sees
    monkeypatch.setattr(
        Driver,
        "sees",
        lambda driver, event, who: event["event"] == "accusation" or sees(driver, event, who),
    )


def by_what_is_proved(monkeypatch):
    """Let each notebook take in what is accused in secret."""
    heard = {"accusation": {"known_to": "all"}}

    def known_to(table, seat):
        shown = ({**one, **heard.get(one["event"], {})} for one in table.game.events[: table.shown])
        return [event for event in shown if tables.sees(event, seat)]

    monkeypatch.setattr(Table, "known_to", known_to)


def by_the_time(monkeypatch):
    """Ask nobody for the only card that they can show."""
    monkeypatch.setattr(Table, "_force", lambda table, number, event: None)


PLANTS = {
    in_events: "scan",
    in_questions: "scan",
    in_waiting: "scan",
    in_searches: "scan",
    in_numbers: "pair",
    in_ids: "scan",
    in_notebooks: "pair",
    in_refusals: "scan",
    in_pages: "pair",
    in_headers: "scan",
    by_hidden_events: "scan",
    by_accusations: "scan",
    by_what_is_proved: "scan",
    by_the_time: "pair",
}
"""Leaks, and by which way at least each is found."""

AMONG_PEOPLE = range(len(RULES), GAMES // 2, 2 * len(RULES))
"""Pairs at whose tables people alone play the shortest rules."""


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found(tmp_path, unkept, monkeypatch, plant):
    plant(monkeypatch)
    way = ("scan", "pair").index(PLANTS[plant])
    assert any(found[way] for found in pairs(tmp_path, AMONG_PEOPLE))


def receive(server, number, swap):
    """Play the game ``number`` of three people over HTTP; return all that seat 0 received."""
    Exchanged.number, Exchanged.swap = number, swap
    made = server.table(*map(person, NAMES[:3]))
    links = [made["seats"][str(seat)] for seat in range(3)]
    listening = [server.stream(f"/api{link}/stream") for link in links]
    public, got = server.stream(f"/api{made['watch']}/stream"), []

    def ask(*asked):
        status, text, headers = server.ask(*asked, plain=True)
        sent = sorted((name, value) for name, value in headers.items() if name != "date")
        got.append(repr((status, text, sent)))

    ask("GET", links[0])
    ask("GET", f"/api{links[0]}")
    while (received := public.until("waiting", "over")[-1])["kind"] == "waiting":
        whom = received["seat"]
        asked = listening[whom].until("prompt")
        question = asked[-1]["prompt"]
        if whom == 0:
            got += asked
            ask("GET", f"/api{links[0]}/notebook")
            ask("POST", f"/api{links[0]}/answer", {"number": question["number"] + 7, "action": 0})
        assert server.answer(links[whom], question, choose(whom, question, board=False)) == 200
    got += listening[0].until("over")
    for stream in (*listening, public):
        stream.close()
    for secret in (made["id"], links[0].removeprefix("/seat/")):  # differ, and mean nothing
        got = [part.replace(secret, "LINK") if isinstance(part, str) else part for part in got]
    return got


def differences(server, number):
    """Return the first parts that differ of what seat 0 received over HTTP; None if none do."""
    events = SteppedGame(preset("speed", players=3), [Person("")] * 3, SEED, number).events
    one, other = (receive(server, number, swap) for swap in (None, to_exchange(events, 0, number)))
    at = first(one, other)
    return None if at is None else (one[at], other[at])


def test_over_http_it_is_the_same(server):
    found = [differences(server, number) for number in range(OVER_HTTP)]
    assert any(found)
    assert all(may_differ(part, 0) for parts in found if parts for part in parts)


@pytest.mark.parametrize("plant", [in_questions, in_pages], ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found_over_http(server, monkeypatch, plant):
    plant(monkeypatch)
    assert not all(may_differ(part, 0) for part in differences(server, 0))
