"""In a browser: a study from its link, and the ways on from a game that is over."""

import random

import pytest
from http_client import COMPUTER, person, play
from page_checks import passes_in_both_themes, violations
from page_player import click_on, number, over, settle

QUERY = "name=pilot&rules=speed&players=3&games=1&pace=0"


def click_through(page, chance):
    """Play the game of the page to its end."""
    settle(page)
    while not over(page):
        before = number(page)
        click_on(page, chance)
        settle(page, before)


def fits(page):
    """Fail if a page is wrong to axe, or wider than a phone."""
    passes_in_both_themes(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_person_takes_part_and_comes_back(server, open_page):
    link = f"http://{server.host}/study?{QUERY}"
    page = open_page(link)
    fits(page)
    assert page.locator("#again-part").is_hidden()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(lambda url: "/study/" in url)
    own = page.url
    assert "You take part as P" in page.text_content("h1")
    fits(page)
    page.goto(link)  # who comes back by the link of all finds the way
    page.get_by_role("link", name="Continue where I was").click()
    page.wait_for_url(own)
    page.get_by_role("button", name="Practise").click()
    page.wait_for_url("**/seat/*")
    settle(page)
    page.goto(own)
    page.get_by_role("button", name="Continue playing").click()
    page.wait_for_url("**/seat/*")
    chance = random.Random(3)
    for game in ("Game 1 of 1", "That was the last game. Thank you!"):
        click_through(page, chance)
        page.get_by_role("link", name="Continue the study").click()
        page.wait_for_url(own)
        assert page.text_content("#progress-title") == game
        if game.startswith("Game"):
            page.get_by_role("button", name="Play game 1").click()
            page.wait_for_url("**/seat/*")
    fits(page)
    assert not page.locator("#next").count()


def test_somebody_else_at_the_same_computer_gets_another_number(server, open_page):
    page = open_page(f"http://{server.host}/study?{QUERY}")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(lambda url: "/study/" in url)
    first = page.text_content("h1")
    page.goto(f"http://{server.host}/study?{QUERY}")
    page.get_by_role("button", name="Begin as another person").click()
    page.wait_for_url(lambda url: "/study/" in url)
    assert page.text_content("h1") != first


def test_a_bad_link_is_refused_on_a_page(server, open_page):
    page = open_page(f"http://{server.host}/study?name=pilot&games=many")
    assert "games=many is not a number of games from 1 to 50" in page.text_content("main")
    assert not violations(page)


@pytest.fixture(scope="module")
def finish_game(server):
    """The links of a table at which Ann has played."""
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    play(server, link, server.stream(f"/api{link}/stream"))
    return made


def test_a_recorded_game_is_played_on(server, finish_game, open_page):
    page = open_page(f"http://{server.host}{finish_game['seats']['0']}")
    page.get_by_role("link", name="Replay").click()
    page.wait_for_selector("#entropy .line")
    for _ in range(3):
        page.get_by_role("button", name="Next decision").click()
    page.get_by_label("Whose seat you take").select_option("1")
    fits(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_url("**/seat/*")
    settle(page)
    assert page.locator("#dealt-again").is_visible() and "You" in page.text_content("#seats")
    assert not violations(page)
    page.go_back()
    page.wait_for_selector("#entropy .line")
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_selector("#play-on-about:not(:empty)")
    page.wait_for_function(
        "() => /no decision/.test(document.querySelector('#play-on-about').textContent)"
    )


def test_a_link_to_the_review_begins_it(server, finish_game, open_page):
    page = open_page(f"http://{server.host}{finish_game['seats']['0']}")
    page.get_by_role("link", name="Review").click()
    page.wait_for_function(
        "() => /Decision 1 of/.test(document.querySelector('#review').textContent)"
    )
    assert page.get_by_label("Whose decisions").input_value() == "0"
    page.locator("#review").get_by_role("button", name="Stop").click()


def test_who_watched_can_replay_and_watch_again(server, open_page):
    made = server.table(COMPUTER, COMPUTER, COMPUTER)
    page = open_page(f"http://{server.host}{made['watch']}")
    page.get_by_role("link", name="Replay").wait_for()
    assert not violations(page)
    before = page.url
    page.locator("#after").get_by_role("button", name="Watch again").click()
    page.wait_for_url(lambda url: "/watch/" in url and url != before)
