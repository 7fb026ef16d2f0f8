"""The real server in a real browser: from the lobby to the end of a game, and over a restart."""

import errno
import json
import os
import random
import re

import pytest
from http_client import COMPUTER, Served, person, play
from page_player import accuse, click_on, number, over, settle

from experiments.web.tables.setup import Setup
from experiments.web.tables.table import Moves
from sim.records.stepped import SteppedGame
from sim.rules import PRESETS

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
    seen = page.get_by_role("link", name="See all cards")
    assert seen.get_attribute("href") == made["watch"]
    if wrongly:  # from there on to its review, and to another game of the same seats
        page.get_by_role("link", name="Review").click()
        page.wait_for_function(
            "() => /Decision 1 of/.test(document.querySelector('#review').textContent)"
        )
        assert page.get_by_label("Whose decisions").input_value() == "0"
        page.locator("#review").get_by_role("button", name="Stop").click()
        page.go_back()
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


@pytest.mark.nightly
def test_a_game_of_computers_is_watched_to_its_end(server, open_page):
    """It stands still, shows one event, and resumes at another pace."""
    made = server.table(*(COMPUTER,) * 4, rules="ledford", pace=60.0)
    page = open_page(f"http://{server.host}{made['watch']}")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    page.wait_for_selector("#log li")
    received = page.locator("#log li").count()
    page.get_by_role("button", name="One event").click()
    page.wait_for_function(
        "(before) => document.querySelectorAll('#log li').length === before + 1", arg=received
    )
    page.get_by_label("Pace").select_option("0")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_function("() => /wins|over/.test(document.getElementById('status').textContent)")
    page.wait_for_selector(".map td.yes")
    assert page.locator(".map").count() == 4 and page.locator("#entropy .line").count() == 8


@pytest.mark.nightly
def test_a_game_is_replayed_and_two_players_are_asked(server, open_page):
    """From the lobby: the game of somebody, with its course, what was known, and two answers."""
    made = server.table(person("Ida"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    play(server, link, server.stream(f"/api{link}/stream"))
    page = open_page(f"http://{server.host}/")
    record = page.locator("#records li", has_text="Ida").locator("a").first
    while not record.count():  # it is filed after the end is shown
        page.reload()
        page.wait_for_selector("#records li")
    record.click()
    page.wait_for_selector("#entropy .line")
    page.get_by_role("button", name="Next decision").click()
    page.locator("summary").click()
    page.wait_for_selector(".map td")
    page.get_by_label("Player 1", exact=True).and_(page.locator("select")).select_option(
        "heuristic"
    )
    for button in page.locator(".question-form button").all():
        button.click()
    page.wait_for_function("() => document.querySelectorAll('.would').length === 2")
    assert all(text for text in page.locator(".would").all_inner_texts())
