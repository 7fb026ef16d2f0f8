"""Messages that a seat receives in a game, and those that it must not.

Two ways, which know nothing of each other: what is sent names no card that the seat cannot know
(`unknowable`), and of two games whose hidden cards differ the same is sent, up to an event that the
seat may see (`told_apart`).
"""

from __future__ import annotations

import asyncio
import json

from in_process import Inside
from swapped_cards import Exchanged, choose

from experiments.web.server import messages
from experiments.web.server.guard import HEADERS
from experiments.web.tables.setup import Setup
from sim.cards import CARDS
from sim.records.events import EVENTS
from sim.records.record import knows

KEYS = {
    "prompt": {"kind", "prompt"},
    "waiting": {"kind", "seat"},
    "event": {"kind", "event"},
    "over": {"kind"},
}
"""Of messages to a seat."""

CHOICES = {
    "move": {"room"},
    "walk": {"xy"},
    "passage": set(),
    "pass": set(),
    "suggest": {"suspect", "weapon"},
    "show": {"card"},
}
"""What stands in a choice beside its number and its kind."""

OWN = ("deal", "move", "walk", "stay")
"""Events that nobody but their seat knows; also a wrong accusation that is secret."""

LEARNT = ("refute", "verdict", "end")
"""Events that all see and that depend on hidden cards, all the same who plays."""

HEADED = {name.lower() for name in HEADERS} | {"content-length", "content-type"}
HELD_BACK = {"known_to", "digest", "check"}
WRONG = ({"number": 99}, {"action": 999}, {"action": "x"})
STATUSES = {"notebook": [200], "answer": [200, 409, 422]}
TURNS = 10
"""Of the event loop, after which somebody that is asked has its message."""


class Traffic:
    """All that ``seat`` receives in a game, in order.

    Attributes
    ----------
    heard : whether everybody hears wrong accusations
    got : messages; and (what was asked for, status, headers, text) of the answers in between
    ids : of the messages that had one
    events : of the game, all of them
    """

    def __init__(self, seat: int, heard: bool) -> None:
        self.seat, self.heard = seat, heard
        self.got: list[dict | tuple] = []
        self.events: list[dict] = []
        self.ids: list[int] = []

    @property
    def messages(self) -> list[dict]:
        """The messages of the stream."""
        return [part for part in self.got if isinstance(part, dict)]

    @property
    def known(self) -> list[dict]:
        """The events that the stream should send: those of the game that the seat knows."""
        return [
            {"kind": "event", "event": {key: event[key] for key in event.keys() - HELD_BACK}}
            for event in self.events
            if knows(event, self.seat)
        ]

    @property
    def hand(self) -> list[str]:
        """The cards that were dealt to the seat."""
        dealt = (event for event in self.events if event["event"] == "deal")
        return next(event["cards"] for event in dealt if event["seat"] == self.seat)


async def play_pair(server: Inside, setup: Setup, seat: int, swap: tuple | None = None) -> Traffic:
    """Play the table ``wish`` to its end, with ``swap`` of cards as of `Exchanged`."""
    Exchanged.number, Exchanged.swap = setup.seed, swap
    entry, tokens = await server.registry.make(setup)
    driver, link = await server.registry.driver(entry), f"/seat/{tokens[seat]}"
    rules = driver.table.game.rules
    board, traffic = rules.board, Traffic(seat, rules.accusations == "heard")
    stream, taken = server.stream(f"/api{link}/stream"), 0
    secrets = {entry.id: "TABLE", tokens[seat]: "TOKEN"}  # differ, and mean nothing

    async def ask(method, path, body=None):
        status, headers, text = await server.ask(method, path, body)
        for secret, name in secrets.items():
            path, text = path.replace(secret, name), text.replace(secret, name)
        traffic.got.append((path.rpartition("/")[2], status, headers, text))

    await ask("GET", link)
    await ask("GET", f"/api{link}")
    while not driver.table.over:
        if (question := driver.prompt) is None:
            await asyncio.sleep(0)
            continue
        for _ in range(TURNS):
            await asyncio.sleep(0)
        traffic.got += stream.received[taken:]
        taken = len(stream.received)
        number, asked = question.number, messages.prompt(question)["prompt"]
        answer = {"number": number, "action": choose(question.seat, asked, board)}
        if question.seat == seat:
            assert stream.received[-1]["prompt"]["number"] == number
            await ask("GET", f"/api{link}/notebook")
            for change in (WRONG[number % len(WRONG)], {}):
                await ask("POST", f"/api{link}/answer", {**answer, **change})
        else:
            if asked["shows"]:  # somebody else's question
                await ask("POST", f"/api{link}/answer", answer)
            driver.answer(question.seat, number, answer["action"])
    again = server.stream(f"/api{link}/stream")  # what a browser gets that comes back
    for one in (stream, again):
        await one.until("over")
        one.leave()
    traffic.got += stream.received[taken:]
    traffic.events, traffic.ids = driver.table.game.events, stream.ids
    assert [part for part in again.received if part["kind"] == "event"] == [
        part for part in traffic.messages if part["kind"] == "event"
    ]
    return traffic


def unknowable(traffic: Traffic) -> list[object]:
    """Return what names a card that the seat cannot know, or says more than it is to say."""
    counted = list(range(1, len(traffic.ids) + 1))
    found: list[object] = [] if traffic.ids == counted else [traffic.ids]
    for part in traffic.got:
        if not isinstance(part, dict):
            fits = _answer_fits(traffic, *part)
        elif part.keys() != KEYS.get(part["kind"]):
            fits = False
        elif part["kind"] == "event":
            fits = _event_fits(traffic, part["event"])
        elif part["kind"] == "prompt":
            fits = _question_fits(traffic, part["prompt"])
        else:
            fits = True
        if not fits:
            found.append(part)
    return found


def _event_fits(traffic: Traffic, event: dict) -> bool:
    kind, seat = event["event"], traffic.seat
    if event.keys() != {"turn", "seat", "event", *EVENTS[kind]} - HELD_BACK:
        return False
    if kind == "accusation":
        return traffic.heard or event["seat"] in (seat, traffic.events[-1]["winner"])
    if kind == "show":
        return seat in (event["seat"], event["by"])
    return kind != "envelope" and (kind not in OWN or event["seat"] == seat)


def _question_fits(traffic: Traffic, prompt: dict) -> bool:
    if prompt.keys() != {"number", "seat", "shows", "choices"} or prompt["seat"] != traffic.seat:
        return False
    for choice in prompt["choices"]:
        if choice == {"kind": "accuse"}:
            continue
        if choice.keys() != {"action", "kind", *CHOICES[choice["kind"]]}:
            return False
        if choice["kind"] == "show" and choice["card"] not in traffic.hand:
            return False
    return True


def _answer_fits(traffic: Traffic, what: str, status: int, headers: list, text: str) -> bool:
    """Return whether an answer is what it always is, but for the notebook's marks."""
    if {name.decode() for name, _ in headers} != HEADED or status not in STATUSES.get(what, [200]):
        return False
    if "text/html" in dict(headers)[b"content-type"].decode():
        return True  # pages are compared with each other
    received = json.loads(text)
    if what == "notebook":
        rows = [(line["card"], len(line), len(line["holders"])) for line in received["cards"]]
        whole = [(card, 3, len(received["cards"][0]["holders"])) for card in CARDS]
        said = all(_is_accused(traffic, cards) for cards in received["accused"])
        return received.keys() == {"cards", "accused", "chance", "bits"} and said and rows == whole
    if what == "answer":
        return received == {} or (
            received.keys() == {"error"} and not any(card in text for card in CARDS)
        )
    keys = {"table", "rules", "seats", "board", "hints", "seat"}
    return received.keys() == keys and all(
        line.keys() == {"label", "suspect", "person"} for line in received["seats"]
    )


def _is_accused(traffic: Traffic, cards: list[str]) -> bool:
    """Return whether all heard that ``cards`` were accused wrongly."""
    return traffic.heard and any(
        (event["event"], event.get("cards")) == ("accusation", cards)
        and event["seat"] != traffic.events[-1]["winner"]
        for event in traffic.events
    )


def told_apart(one: Traffic, other: Traffic, people: bool) -> tuple[list[object], bool]:
    """Compare two games that differ in hidden cards.

    Parameters
    ----------
    people : whether people alone sit at the table, who know nothing of their cards when they answer

    Returns
    -------
    what the seat received that differs, but not by an event that it may see; and whether anything
    differs
    """
    at = first(one.got, other.got)
    if at is None:
        return [], False
    parts = [traffic.got[at] if at < len(traffic.got) else None for traffic in (one, other)]
    seen = first(one.known, other.known)
    expected = None if seen is None else [one.known[seen], other.known[seen]]
    fair = parts == expected and (not people or all(may_differ(part, one.seat) for part in parts))
    return ([] if fair else [parts]), True


def first(one: list, other: list) -> int | None:
    """Return where two lists differ first, None if nowhere."""
    for number, (here, there) in enumerate(zip(one, other, strict=False)):
        if here != there:
            return number
    return None if len(one) == len(other) else min(len(one), len(other))


def may_differ(part: object, seat: int) -> bool:
    """Return whether ``part`` is an event in which ``seat`` may learn where a card lies."""
    if not isinstance(part, dict) or part["kind"] != "event":
        return False
    event = part["event"]
    if event["event"] == "show":
        return seat in (event["seat"], event["by"])
    return event["event"] in LEARNT or (event["event"] == "accusation" and event["seat"] == seat)
