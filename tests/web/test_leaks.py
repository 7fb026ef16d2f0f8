"""Nothing that a seat receives tells of a card that it cannot know.

Each game is played twice, by people who answer by the same rule, with two hidden cards exchanged:
all that seat 0 receives (events, questions, whom all wait for, notebooks, refusals, pages) must be
the same, up to an event that it may see and that differs.
"""

import re

import numpy as np
import pytest
from served import Served, person

from experiments.web.server import messages
from experiments.web.tables import table as tables
from experiments.web.tables.driver import Driver
from sim.cards import CARDS, CATEGORY_MASK
from sim.records.events import opening
from sim.records.record import header, line
from sim.records.stepped import Person, SteppedGame
from sim.rules import preset

PAIRS = 6
NAMES = ("Ann", "Bob", "Cy")
RULES = preset("speed", players=3)
PATIENT = 3
"""Questions after which somebody accuses, so that games end."""


class Exchanged(SteppedGame):
    """The game ``number``, in which two cards may lie where the other one was dealt."""

    number = 0
    swap = None
    """(holder, card, holder, card), holders are seats or -1 for the envelope; None: as dealt."""

    def __init__(self, rules, seats, seed, game):
        super().__init__(rules, seats, 5, self.number)
        if self.swap is None:
            return
        bits = (1 << self.swap[1]) | (1 << self.swap[3])
        for holder in (self.swap[0], self.swap[2]):
            if holder < 0:
                self._state.envelope ^= bits
            else:
                self._state.hand[holder] ^= bits
        self.events, self._lines = [], [line(header(rules, seats, self.seed, self.game))]
        self._note(opening(self._board, self._state))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("web"), tables=2 * PAIRS + 20, streams=4 * PAIRS)
    yield served
    served.close()


@pytest.fixture(autouse=True)
def exchanging(monkeypatch):
    monkeypatch.setattr(tables, "SteppedGame", Exchanged)
    yield
    Exchanged.swap = None


def kind_of(card):
    """Return the category of a card."""
    return next(kind for kind, mask in enumerate(CATEGORY_MASK) if int(mask) >> card & 1)


def to_exchange(events, number):
    """Return two cards to exchange that seat 0 does not hold, of a game with these ``events``."""
    where = {}
    for event in events:
        if event["event"] == "deal":
            where |= {CARDS.index(card): event["seat"] for card in event["cards"]}
        elif event["event"] == "envelope":
            where |= {CARDS.index(card): -1 for card in event["cards"]}
    fit = [
        (where[one], one, where[other], other)
        for one in where
        for other in where
        if where[one] < where[other]
        and 0 not in (where[one], where[other])
        and (where[one] >= 0 or kind_of(one) == kind_of(other))
    ]
    return fit[np.random.default_rng(number).integers(len(fit))]


def chosen(seat, prompt):
    """Return what ``seat`` answers, by what it is asked alone."""
    if prompt["shows"]:
        return min(choice["action"] for choice in prompt["choices"])
    stream = np.random.default_rng([seat, prompt["number"]])
    kinds = {choice["kind"] for choice in prompt["choices"]}
    if "accuse" in kinds and prompt["number"] >= PATIENT:
        return 46 + int(stream.integers(324))
    fit = [choice["action"] for choice in prompt["choices"] if choice["kind"] != "accuse"]
    return int(stream.choice(fit))


def received(server, number, swap):
    """Play the game ``number``; return all that seat 0 received, and the events of the deal."""
    Exchanged.number, Exchanged.swap = number, swap
    made = server.table(*map(person, NAMES))
    links = [made["seats"][str(seat)] for seat in range(len(NAMES))]
    streams = [server.stream(f"/api{link}/stream") for link in links]
    public, got = server.stream(f"/api{made['watch']}/stream"), []
    ask = lambda *asked: got.append(server.ask(*asked, plain=True)[:2])  # noqa: E731
    ask("GET", links[0])
    ask("GET", f"/api{links[0]}")
    while (told := public.until("waiting", "over")[-1])["kind"] == "waiting":
        seat = told["seat"]
        asked = streams[seat].until("prompt")
        if seat == 0:
            got += asked
            ask("GET", f"/api{links[0]}/notebook")
            stale = {"number": asked[-1]["prompt"]["number"] + 7, "action": 0}
            ask("POST", f"/api{links[0]}/answer", stale)
        assert (
            server.answer(links[seat], asked[-1]["prompt"], chosen(seat, asked[-1]["prompt"]))
            == 200
        )
    got += streams[0].until("over")
    for stream in (*streams, public):
        stream.close()
    for secret in (made["id"], links[0].removeprefix("/seat/")):  # differ, and tell of nothing
        got = [
            re.sub(re.escape(secret), "LINK", repr(part)) if not isinstance(part, dict) else part
            for part in got
        ]
    return got


def may_see(part):
    """Tell whether ``part`` is an event by which seat 0 may learn where a card lies."""
    if not isinstance(part, dict) or part["kind"] != "event":
        return False
    event = part["event"]
    if event["event"] == "show":
        return 0 in (event["seat"], event["by"])
    return event["event"] in ("refute", "verdict", "end") or (
        event["event"] == "accusation" and event["seat"] == 0
    )


def first_difference(one, other):
    """Return the first parts that differ, None if nothing does."""
    pairs = zip(one, other, strict=False)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def leaks(server, numbers):
    """Return of each game what seat 0 received that it may not have, and how many differ at all."""
    found, differ = [], 0
    for number in numbers:
        events = SteppedGame(RULES, [Person(name) for name in NAMES], 5, number).events
        one, other = (
            received(server, number, swap) for swap in (None, to_exchange(events, number))
        )
        difference = first_difference(one, other)
        differ += difference is not None
        if difference and not all(map(may_see, difference)):
            found.append((number, *difference))
    return found, differ


def test_what_a_seat_receives_depends_on_what_it_may_see_alone(server):
    found, differ = leaks(server, range(PAIRS))
    assert found == []
    assert differ > PAIRS // 2  # it does come to see that cards lie elsewhere


@pytest.mark.parametrize("plant", ["hands in events", "cards in questions", "hidden events"])
def test_a_planted_leak_is_found(server, monkeypatch, plant):
    if plant == "hidden events":
        monkeypatch.setattr(Driver, "sees", lambda self, event, viewer: True)
    elif plant == "cards in questions":
        prompt = messages.prompt
        monkeypatch.setattr(
            messages,
            "prompt",
            lambda asked, number: {**prompt(asked, number), "of": Exchanged.swap},
        )
    else:
        event = messages.event
        monkeypatch.setattr(
            messages, "event", lambda told: {**event(told), "digest": str(Exchanged.swap)}
        )
    assert leaks(server, range(1))[0]
