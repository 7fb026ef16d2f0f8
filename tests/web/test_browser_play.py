"""The real server in a browser: from the lobby to the end of a game, a seat, and a restart."""

import errno
import json
import os
import random
import re

import pytest
from http_client import COMPUTER, Served, person
from page_checks import fits_and_passes, passes_in_both_themes
from page_player import accuse, click_on, number, over, settle, wait_for_notebook

from experiments.web.tables.setup import Setup
from experiments.web.tables.table import Moves
from sim.cards import ROOMS, SUSPECTS, WEAPONS
from sim.records.stepped import SteppedGame
from sim.rules import PRESETS


def sit(server, open_page, others=COMPUTER, name="Ann", **more):
    """Open the page of a person's seat at a new table."""
    made = server.table(person(name), *[others] * 3, **{"rules": "ledford", "seed": 5, **more})
    page = open_page(f"http://{server.host}{made['seats']['0']}")
    page.made = made
    return page


def press_to(page, wanted):
    """Press Tab until what has the focus matches the selector ``wanted``."""
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {wanted} by keyboard")


def test_a_whole_game_is_played_by_keyboard_and_won(server, folder, open_page):
    """Rooms by arrow keys on the board, cards by arrow keys in their group, an accusation."""
    page, turns, asked = sit(server, open_page), 0, []
    keys = page.keyboard
    settle(page)
    assert page.locator("#ends").is_visible()

    def be_late(route):
        asked.append(route.request.url)
        if asked[1:]:
            route.continue_()
        else:
            route.fulfill(status=503, json={"error": "busy"})

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
            accuse_by_keyboard(page, envelope(folder, page.made["id"]))
        settle(page, before)
    assert page.locator("#prompt-title").text_content() == "You have won."
    assert page.locator("#ends").is_hidden(), "there are no turns left to end"
    page.get_by_role("button", name="Play again").wait_for()
    assert len(asked) == 2, "without a reload, though the server was busy at first"


def accuse_by_keyboard(page, cards):
    """Accuse rightly: the test may look into the envelope."""
    keys, log = page.keyboard, page.locator("#log")
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
    assert "accuse" not in log.inner_text(), "one press is not enough"
    press_to(page, "dialog .main.danger")
    keys.press("Enter")


def look(page):
    """Return what the page says, part by part."""
    parts = ("seats", "prompt", "hand", "log", "notebook")
    return {name: page.locator(f"#{name}").inner_text() for name in parts}


def pawns(page):
    return page.evaluate("[...document.querySelectorAll('.pawn')].map((p) => p.style.transform)")


def test_a_page_that_is_loaded_again_is_in_the_same_place(server, open_page):
    page, chance, first = sit(server, open_page), random.Random(1), None
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


def test_a_seat_on_a_phone_with_marks_of_its_own_and_a_stale_answer(server, open_page):
    """Names are text; what is marked is there after a reload."""
    name = "<img src=x on=a()>"
    page = sit(server, open_page, name=name)
    page.set_viewport_size({"width": 360, "height": 900})
    settle(page)
    assert name in page.locator("#seats").inner_text()
    assert not page.locator("#seats img").count()
    assert page.locator("#board").bounding_box()["y"] < 300, "it is seen without scrolling"
    parts = {"Board": "#board", "Notebook": "#notebook", "Events": "#log"}
    for chosen in parts:
        page.locator("#tabs").get_by_role("button", name=chosen).click()
        assert [one for one in parts if page.locator(parts[one]).is_visible()] == [chosen]
        assert page.locator("#prompt").is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert all(page.locator(selector).is_visible() for selector in parts.values())
    page.wait_for_selector(".mark")
    mark, proved = page.locator(".mark").first, page.locator("#notebook td.yes").count()
    for sign in ("+", "\u2212", "·", "+"):
        mark.click()
        assert mark.text_content() == sign
    assert "I think so" in mark.get_attribute("aria-label")
    page.reload()
    page.wait_for_selector(".mark")
    assert page.locator(".mark").all_text_contents().count("+") == 1
    assert page.locator("#notebook td.yes").count() == proved > 0, "what is proved has no mark"

    def answer_elsewhere(route):
        seat = page.made["seats"]["0"]
        assert server.ask("POST", f"/api{seat}/answer", route.request.post_data_json)[0] == 200
        route.continue_()

    page.route("**/answer", answer_elsewhere)
    page.locator(".prompt-body button:not(.danger)").first.click()
    page.wait_for_selector("#fault:not(:empty)")
    assert "has been answered already" in page.locator("#fault").text_content()


@pytest.mark.nightly
def test_turns_end_by_themselves_if_that_is_wished(server, open_page):
    page, chance = sit(server, open_page, rules="classic"), random.Random(4)
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


def test_a_seat_has_cards_with_faces_and_names_and_an_accusation(server, open_page):
    """Three players have one label, and so names of their own."""
    page = sit(server, open_page)
    settle(page)
    fits_and_passes(page)
    seats = [text.split("\n")[0] for text in page.locator("#seats .seat-name").all_inner_texts()]
    assert seats[0] == "Ann" and len(set(seats)) == 4
    assert all(name.startswith("swift (") for name in seats[1:])
    kinds = dict.fromkeys(SUSPECTS, "suspect") | dict.fromkeys(WEAPONS, "weapon")
    cards = page.locator("#hand li, #face-up li").all()
    assert len(cards) == 6
    for card in cards:
        kind = kinds.get(card.text_content().strip(), "room")
        assert card.locator(f"svg.face.kind-{kind}").count() == 1
    page.get_by_role("button", name="Accuse …").click()
    for kind, count in (("suspect", 6), ("weapon", 6), ("room", 9)):
        assert page.locator(f"dialog .card.kind-{kind} svg.face.kind-{kind}").count() == count
    passes_in_both_themes(page)
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")  # it goes a moment after the key


@pytest.mark.nightly
def test_rooms_in_reach_that_may_be_the_one_are_marked(server, open_page):
    page, chance = sit(server, open_page, {"kind": "player", "preset": "random"}), random.Random(1)
    settle(page)
    wait_for_notebook(page)
    while not page.locator(".target.near.open").count():
        before = number(page)
        click_on(page, chance)
        settle(page, before)
        wait_for_notebook(page)
    cards = server.ask("GET", f"/api{page.made['seats']['0']}/notebook")[1]["cards"]
    shut = {line["card"] for line in cards if line["holders"][0] == "no"}
    near = page.locator(".target.near[data-room]")
    rooms = {one.get_attribute("data-room"): one for one in near.all()}
    assert rooms.keys() <= set(ROOMS) and rooms.keys() - shut
    for room, target in rooms.items():
        label = target.get_attribute("aria-label")
        assert ("may be in the envelope" in label) == (room not in shut)
        assert target.locator(".query").is_visible() == (room not in shut)
    assert not page.locator(".target:not(.near).open").count()
    passes_in_both_themes(page)


QUESTIONS = 3
"""That are answered before who plays accuses, if that may be then."""


def play_on(page, chance, answers=None, accused=None):
    """Click until the game is over, or so many times; return how often.

    After some questions ``accused`` is accused, if it is given and as soon as the rules allow it.
    """
    asked = 0
    settle(page)
    while not over(page) and asked != answers:
        before = number(page)
        if accused and asked >= QUESTIONS and accuse(page, accused):
            accused = None
        else:
            click_on(page, chance)
        settle(page, before)
        asked += 1
    return asked


def envelope(folder, table):
    """Return the cards in the envelope of a table, which the server shows no viewer."""
    received = json.loads((folder / "tables" / table / "table.json").read_text())
    setup = Setup.from_json(received["setup"])
    game = SteppedGame(setup.build_rules(), setup.build_players(), setup.seed, setup.game)
    return next(event["cards"] for event in game.events if event["event"] == "envelope")


@pytest.mark.parametrize("rules", [pytest.param("released", marks=pytest.mark.nightly), "speed"])
def test_a_whole_game_is_played_by_clicking(rules, server, folder, open_page):
    """Without walls, and without a board; in one game the accusation is wrong,
    and the seat goes on to show cards."""
    wrongly = rules == "speed"
    seats = (person("Ann"), *(COMPUTER,) * (PRESETS[rules].players - 1))
    made = server.table(*seats, rules=rules)
    page = open_page(f"http://{server.host}{made['seats']['0']}")
    suspect, weapon, room = envelope(folder, made["id"])
    accused = (suspect, "rope" if weapon != "rope" else "knife", room) if wrongly else None
    asked = play_on(page, random.Random(rules), accused=accused or (suspect, weapon, room))
    received = page.locator("#log").inner_text()
    last = page.locator("#log li").last.text_content()
    title = page.locator("#prompt-title").text_content()
    if asked <= QUESTIONS:  # somebody was faster
        assert re.search("wins! It was|Nobody wins", last)
    elif wrongly:
        assert "You accuse wrongly" in received and not title.startswith("You have won")
    else:
        assert title == "You have won." and last.startswith("You win! It was")
    assert f"It was {suspect} with the {weapon} in the {room}." in last
    assert not page.locator("#ends").is_visible()
    seen = page.get_by_role("link", name="See all cards")
    assert seen.get_attribute("href") == made["watch"]
    if wrongly:  # from there on to another game of the same seats
        page.get_by_role("button", name="Play again").click()
        page.wait_for_url(lambda url: "/seat/" in url and made["seats"]["0"] not in url)
        settle(page)
        assert "Ann" in page.locator("#seats").inner_text()


def test_a_newcomer_comes_from_the_lobby_to_a_game(server, open_page):
    """Nothing is chosen but the opponents, which need not search here; a refusal is shown."""
    page = open_page(f"http://{server.host}/")
    page.locator("summary", has_text="More players").click()
    page.wait_for_selector(".seat-row")
    for seat in (1, 2, 3):
        page.get_by_label(f"Who sits in seat {seat}").select_option("swift")
    page.locator("summary", has_text="Pace, seed").click()
    page.get_by_label("Pace").select_option("0")
    page.get_by_label("Name of the person in seat 0").fill("")
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("#fault:not(:empty)")
    assert "a name has 1 to 24 printable characters" in page.locator("#fault").text_content()
    page.get_by_label("Name of the person in seat 0").fill("Ann")
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/seat/*")
    settle(page)
    assert "Ann" in page.locator("#seats").inner_text()
    assert page.locator("#hand li").count() == 4
    link = page.url
    page.goto(f"http://{server.host}/")
    page.wait_for_selector("#your-seats a")
    page.locator("#your-seats a").first.click()
    page.wait_for_url(link)


@pytest.mark.nightly
def test_a_full_disk_is_told_until_there_is_room(server, open_page, monkeypatch):
    append, full = Moves.append, [True]

    def writing(moves, move, lasting):
        if full[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(moves, move, lasting)

    monkeypatch.setattr(Moves, "append", writing)
    made = server.table(*(COMPUTER,) * 4, rules="ledford", pace=0.0)
    page = open_page(f"http://{server.host}{made['watch']}")
    status = "document.getElementById('status').textContent"
    page.wait_for_function(f"() => {status}.includes('cannot be saved: No space left')")
    log = page.locator("#log li")
    shown, last = log.count(), log.last.inner_text()
    full[0] = False
    page.wait_for_function(f"() => /wins|over/.test({status})")
    assert re.search(r"rolls \d", last) and shown < log.count()  # nothing that was decided


@pytest.mark.nightly
def test_a_page_goes_on_when_the_server_was_ended_and_started_again(tmp_path, open_page):
    first = Served(tmp_path)
    made = first.table(person("Ann"), COMPUTER, COMPUTER, COMPUTER, rules="ledford")
    page, chance = open_page(f"http://{first.host}{made['seats']['0']}"), random.Random(4)
    play_on(page, chance, answers=3)
    asked, received = number(page), page.locator("#log").inner_text()
    first.close()
    page.wait_for_selector("#connection:not(:empty)")
    port = int(first.host.rpartition(":")[2])
    second = Served(tmp_path, port=port)
    page.wait_for_selector("#connection:empty", state="attached")
    assert (number(page), page.locator("#log").inner_text()) == (asked, received)
    play_on(page, chance, answers=3)
    assert page.locator("#log").inner_text().startswith(received)
    second.close()
