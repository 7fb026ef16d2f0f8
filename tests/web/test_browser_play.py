"""The page of a seat in a browser: a game by keyboard, reloads, lost connections, faults."""

import random

import pytest
from page_player import click_on, number, over, settle, wait_for_notebook
from page_server import Canned
from table_setup import COMPUTER, person, setup

from experiments.web.tables.table import Table


@pytest.fixture
def serve(tmp_path):
    """Serves tables: ``serve(rules="ledford", **more)`` with Ann in the first seat."""
    served = []

    def make(*others, name="Ann", **switches):
        others = others or (COMPUTER,) * 3
        served.append(Canned(Table(setup(person(name), *others, **switches), tmp_path)))
        return served[-1]

    yield make
    for server in served:
        server.close()


def press_to(page, wanted):
    """Press Tab until what has the focus matches the selector ``wanted``."""
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {wanted} by keyboard")


def test_a_whole_game_is_played_by_keyboard_and_won(serve, open_page):
    """Rooms by arrow keys on the board, cards by arrow keys in their group, an accusation."""
    served = serve(turn_cap=60)
    page, turns, asked = open_page(f"{served.url}/seat/seat-0"), 0, []
    keys = page.keyboard
    settle(page)
    assert page.locator("#ends").is_visible()

    def be_late(route):
        asked.append(route.request.url)
        found = {"record": None, "again": True, "study": None}
        late = {"error": "busy"}
        route.fulfill(status=200 if len(asked) > 1 else 503, json=found if asked[1:] else late)

    page.route("**/after", be_late)
    while not over(page):
        before = number(page)
        body = page.locator(".prompt-body")
        if page.locator("form").count():
            for name in ("suspect", "weapon"):
                press_to(page, f"input[name={name}]")
                keys.press("ArrowRight")
            press_to(page, "form button")
            keys.press("Enter")
        elif body.get_by_role("button", name="Show").count():
            press_to(page, ".prompt-body button")
            keys.press("Enter")
        elif turns < 2:
            press_to(page, ".target")
            first = page.evaluate("document.activeElement.getAttribute('aria-label')")
            keys.press("ArrowDown")
            assert page.evaluate("document.activeElement.getAttribute('aria-label')") != first
            keys.press("Enter")
            turns += 1
        else:
            accuse_by_keyboard(page, served.table.game.events)
        settle(page, before)
    assert page.locator("#prompt-title").text_content() == "You have won."
    assert page.locator("#ends").is_hidden(), "there are no turns left to end"
    page.get_by_role("button", name="Play again").wait_for()
    assert len(asked) == 2, "without a reload, though the server was busy at first"


def accuse_by_keyboard(page, events):
    """Accuse rightly: the test may look into the envelope."""
    keys = page.keyboard
    cards = next(event["cards"] for event in events if event["event"] == "envelope")
    press_to(page, ".prompt-body button.danger")
    keys.press("Enter")
    for name, card in zip(("accused", "accused-weapon", "accused-room"), cards, strict=True):
        press_to(page, f"input[name={name}]")
        keys.press("Space")
        while not page.locator(f"input[name={name}][value='{card}']").is_checked():
            keys.press("ArrowRight")
    press_to(page, "dialog .main")
    keys.press("Enter")
    assert "Are you sure?" in page.locator("dialog").text_content()
    assert not served_accusations(events), "one press is not enough"
    press_to(page, "dialog .main.danger")
    keys.press("Enter")


def served_accusations(events):
    return [event for event in events if event["event"] == "accusation" and event["seat"] == 0]


def look(page):
    """Return what the page says, part by part."""
    parts = ("seats", "prompt", "hand", "log", "notebook")
    return {name: page.locator(f"#{name}").inner_text() for name in parts}


def pawns(page):
    return page.evaluate("[...document.querySelectorAll('.pawn')].map((p) => p.style.transform)")


def test_a_page_that_is_loaded_again_is_in_the_same_place(serve, open_page):
    served, chance = serve(turn_cap=60), random.Random(1)
    page = open_page(f"{served.url}/seat/seat-0")
    first = None
    for _ in range(4):
        settle(page)
        before = number(page)
        first = first or pawns(page)
        click_on(page, chance)
        settle(page, before)
    wait_for_notebook(page)
    received, placed = look(page), pawns(page)
    page.reload()
    settle(page)
    wait_for_notebook(page)
    assert look(page) == received and pawns(page) == placed
    assert placed != first, "the control: there was something to remember"


def test_a_seat_is_kept_in_all_that_may_happen_to_its_page(serve, open_page):
    """A phone, own marks, an answer given elsewhere, a connection that is lost; names are text."""
    name = "<img src=x onerror=a()>"
    served = serve(name=name, turn_cap=60)
    page = open_page(f"{served.url}/seat/seat-0", width=360)
    settle(page)
    assert name in page.locator("#seats").inner_text()
    assert not page.locator("#seats img").count()
    parts = {"Board": "#board", "Notebook": "#notebook", "Events": "#log"}
    for chosen in parts:
        page.locator("#tabs").get_by_role("button", name=chosen).click()
        assert [one for one in parts if page.locator(parts[one]).is_visible()] == [chosen]
        assert page.locator("#prompt").is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert all(page.locator(selector).is_visible() for selector in parts.values())
    mark, proved = page.locator(".mark").first, page.locator("#notebook td.yes").count()
    for sign in ("+", "\u2212", "·", "+"):
        mark.click()
        assert mark.text_content() == sign
    assert "I think so" in mark.get_attribute("aria-label")
    page.reload()
    page.wait_for_selector(".mark")
    assert page.locator(".mark").all_text_contents().count("+") == 1
    assert page.locator("#notebook td.yes").count() == proved > 0, "what is proved has no mark"
    prompt = served.table.prompt
    served.table.answer(0, prompt.number, prompt.choices[0])  # elsewhere; this page does not know
    page.locator(".prompt-body button:not(.danger)").first.click()
    page.wait_for_selector("#fault:not(:empty)")
    assert "has been answered already" in page.locator("#fault").text_content()
    served.go_on()
    lose_connection(served, page)


def lose_connection(served, page):
    """Cut the streams off: the page says so, and has all events once they are there again."""
    assert not page.locator("#connection").text_content()
    with served.changed:
        served.cut = True
        served.changed.notify_all()
    page.wait_for_selector("#connection:not(:empty)")
    assert "Connection lost" in page.locator("#connection").text_content()
    received = page.locator("#log li").count()
    with served.changed:
        served.cut = False
    page.wait_for_selector("#connection:empty", state="attached")
    settle(page)
    before = number(page)
    click_on(page, random.Random(2))
    settle(page, before)
    known = len(served.table.known_to(0))
    page.wait_for_function(
        "(known) => document.querySelectorAll('#log li').length === known", arg=known
    )
    assert known > received


@pytest.mark.nightly
def test_turns_end_by_themselves_if_that_is_wished(serve, open_page):
    served, chance = serve(accuse="any", turn_cap=60), random.Random(4)
    page = open_page(f"{served.url}/seat/seat-0")
    ended, titles = "Do you accuse, or end your turn?", {False: [], True: []}
    for wished in (False, True):
        before, title = number(page), page.locator("#prompt-title").text_content()
        page.locator("#ends").set_checked(wished)
        if wished and title == ended:  # the page ends this turn at once
            settle(page, before)
        while len(titles[wished]) < 12 and not over(page):
            settle(page)
            before = number(page)
            titles[wished].append(page.locator("#prompt-title").text_content())
            click_on(page, chance)
            settle(page, before)
    assert ended in titles[False] and ended not in titles[True] and len(titles[True]) > 3
