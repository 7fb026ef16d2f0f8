"""The table on the pages: pawns that move, rooms to look into, faces of cards, names of players."""

import random

import page_content
import pytest
from page_checks import passes_in_both_themes
from page_player import click_on, number, settle, wait_for_notebook
from page_server import Canned
from table_setup import COMPUTER, person, setup

from experiments.web.tables.table import Table
from sim.cards import ROOMS, SUSPECTS, WEAPONS


@pytest.fixture(scope="module")
def watched_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    table = page_content.computers(folder)
    served = Canned(table, page_content.answers(table, folder))
    yield served
    served.close()


@pytest.fixture
def seated_server(tmp_path):
    """A seat of Ann, whose three opponents have one label."""
    served = Canned(Table(setup(person("Ann"), *(COMPUTER,) * 3, game=3), tmp_path))
    yield served
    served.close()


def places(page):
    return page.evaluate(
        "[...document.querySelectorAll('.pawn')].map((pawn) => pawn.style.transform)"
    )


def test_pawns_stay_and_move(watched_server, open_page):
    """The same elements go to other places, in a third of a second unless motion is not wanted."""
    page = open_page(f"{watched_server.url}/records/r")
    page.wait_for_selector("#entropy svg")
    page.evaluate("document.querySelectorAll('.pawn').forEach((one) => { one.dataset.kept = 1; })")
    before = places(page)
    page.get_by_role("button", name="End").click()
    after = places(page)
    assert len(before) == len(after) == 4 and before != after
    assert all(place.startswith("translate(") for place in (*before, *after))
    assert page.locator(".pawn[data-kept]").count() == 4
    duration = "getComputedStyle(document.querySelector('.pawn')).transitionDuration"
    assert page.evaluate(duration) in ("0s", "")
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(duration) == "0.35s"
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.pawn')).transitionProperty")
        == "transform"
    )


def test_rooms_in_reach_that_may_be_the_one_are_marked(tmp_path, open_page):
    guessing = {"name": "random", "label": "random", "showing": "random"}
    seated = Canned(Table(setup(person("Ann"), *(guessing,) * 3, game=3), tmp_path))
    page, chance = open_page(f"{seated.url}/seat/seat-0"), random.Random(1)
    settle(page)
    wait_for_notebook(page)
    while not page.locator(".target.near.open").count():
        before = number(page)
        click_on(page, chance)
        settle(page, before)
        wait_for_notebook(page)
    hand = set(page.locator("#hand li").all_inner_texts())
    near = page.locator(".target.near[data-room]")
    rooms = {one.get_attribute("data-room"): one for one in near.all()}
    assert rooms.keys() <= set(ROOMS) and rooms.keys() - hand
    for room, target in rooms.items():
        label = target.get_attribute("aria-label")
        assert ("may be in the envelope" in label) == (room not in hand)
        assert target.locator(".query").is_visible() == (room not in hand)
    assert not page.locator(".target:not(.near).open").count()
    marked = page.locator("button.open[data-room]").evaluate_all(
        "(all) => all.map((one) => one.dataset.room)"
    )
    assert set(marked) == rooms.keys() - hand
    passes_in_both_themes(page)
    seated.close()


def test_cards_have_faces_by_kind(seated_server, open_page):
    page = open_page(f"{seated_server.url}/seat/seat-0")
    settle(page)
    kinds = dict.fromkeys(SUSPECTS, "suspect") | dict.fromkeys(WEAPONS, "weapon")
    cards = page.locator("#hand li, #face-up li").all()
    assert len(cards) == 6
    for card in cards:
        kind = kinds.get(card.inner_text().strip(), "room")
        assert card.locator(f"svg.face.kind-{kind}").count() == 1
    page.get_by_role("button", name="Accuse …").click()
    for kind, cards in (("suspect", 6), ("weapon", 6), ("room", 9)):
        assert page.locator(f"dialog .card.kind-{kind} svg.face.kind-{kind}").count() == cards
    colours = page.locator("dialog .face.kind-suspect").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).fill)"
    )
    assert len(set(colours)) == 6


def test_players_with_one_label_have_names_of_their_own(seated_server, open_page):
    page = open_page(f"{seated_server.url}/seat/seat-0")
    settle(page)
    seats = [text.split("\n")[0] for text in page.locator("#seats .seat-name").all_inner_texts()]
    assert seats[0] == "Ann" and len(set(seats)) == 4
    assert all(name.startswith("swift (") for name in seats[1:])
    script = """async (labels) => {
        const { names } = await import("/static/parts/words.js");
        return names(labels.map((label, n) => ({ label, suspect: `S${n}` })));
    }"""
    long = "best threshold=0.4 budget.simulations=1000"
    assert page.evaluate(script, [long, long, "Ann", "best budget.simulations=500"]) == [
        "best (S0)",
        "best (S1)",
        "Ann",
        "best at 500",
    ]


def test_the_whole_of_a_tree_can_be_seen(watched_server, open_page):
    """Its last row too: nothing drawn is outside the drawing, whose part scrolls to its end."""
    page_content.halfway(watched_server)
    for width in (1280, 360):
        page = open_page(f"{watched_server.url}/watch/t", width=width)
        page.wait_for_selector("#tree svg")
        inside, lowest, bottom = page.evaluate(
            """() => {
                const picture = document.querySelector("#tree svg");
                const part = picture.closest(".scroll");
                const box = picture.getBoundingClientRect();
                const drawn = [...picture.querySelectorAll("text, circle, rect")];
                const boxes = drawn.map((one) => one.getBoundingClientRect());
                part.scrollTop = part.scrollHeight;
                const ends = drawn.map((one) => one.getBoundingClientRect().bottom);
                return [boxes.every(({ top, bottom }) => top >= box.top && bottom <= box.bottom),
                    Math.max(...ends), part.getBoundingClientRect().bottom];
            }"""
        )
        assert inside and lowest <= bottom
