"""All pages in a browser: axe-core in both themes, narrow widths, and what their controls do."""

import page_content
import pytest
from page_checks import fits_and_passes, passes_in_both_themes, violations

PAGES = {
    "lobby": ("/", "#levels button"),
    "watch": ("/watch/t", ".map td"),
    "replay": ("/records/r", "#entropy svg"),
    "error": ("/nowhere/at/all", "main p"),
}


@pytest.fixture(scope="module")
def watched_server(tmp_path_factory):
    """A server of all pages but a seat's; the table that is watched stands still in the middle."""
    served, table = page_content.serve_watched(tmp_path_factory.mktemp("watched"))
    served.table = table
    yield served
    served.close()


@pytest.fixture
def shows(watched_server, open_page):
    """Opens a page of `PAGES` and waits until it is filled."""

    def show(name):
        path, filled = PAGES[name]
        page = open_page(watched_server.url + path)
        page.wait_for_selector(filled)
        return page

    return show


@pytest.mark.parametrize("name", ["replay", "error"])
def test_pages_pass_axe_in_both_themes_and_fit_narrow_screens(name, shows):
    """The others do with what is on them, below."""
    fits_and_passes(shows(name))


@pytest.mark.nightly
def test_axe_finds_what_is_wrong(shows):
    page = shows("lobby")
    page.evaluate(
        """() => {
            const seed = document.getElementById("seed");
            seed.removeAttribute("placeholder");
            seed.parentElement.replaceWith(seed);
            const faint = document.createElement("p");
            faint.textContent = "faint";
            faint.style.setProperty("color", "#dddddd");
            document.querySelector("main").append(faint);
            document.querySelectorAll("details").forEach((one) => { one.open = true; });
        }"""
    )
    assert {"label", "color-contrast"} <= {rule for rule, *_ in violations(page)}
    assert {rule for rule, *_ in violations(page, "color-contrast")} == {"color-contrast"}


def test_a_table_is_made_in_the_lobby(watched_server, shows):
    """Two people: their links are shown, each whole; the request is what was chosen."""
    watched_server.answers["/api/tables"] = {
        "id": "t",
        "seats": {"0": "/seat/one", "1": "/seat/two"},
        "watch": "/watch/t",
    }
    page = shows("lobby")
    page.locator("summary", has_text="More players").click()
    page.get_by_label("Rules").select_option("cai2006")
    assert "Three players" in page.locator("#rules-about").text_content()
    page.get_by_label("Who sits in seat 1").select_option("")
    page.get_by_label("Name of the person in seat 1").fill("Zoe <b>")
    page.get_by_label("Simulations per decision, seat 2").fill("250")
    page.get_by_label("More settings, seat 2").fill("threshold=0.4")
    page.locator("summary", has_text="Pace, seed").click()
    page.get_by_label("Seed").fill("0")
    page.get_by_label("People may see the exact").uncheck()
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("#links input")
    settings = ["budget.simulations=250", "threshold=0.4"]
    seats = [
        {"kind": "person", "name": "Ann"},
        {"kind": "person", "name": "Zoe <b>"},
        {"kind": "player", "preset": "best", "settings": settings},
    ]
    others = {"rules": "cai2006", "players": 3, "seed": 0, "pace": 1, "hints": False}
    assert watched_server.posted[-1] == ("/api/tables", {**others, "seats": seats})
    assert "Only this machine" in page.locator("#links-reach").text_content()
    links = [field.input_value() for field in page.locator("#links input").all()]
    paths = ("/seat/one", "/seat/two", "/watch/t")
    assert links == [f"{watched_server.url}{path}" for path in paths]
    page.reload()
    page.wait_for_selector("#your-seats a")
    assert "Zoe <b>" in page.locator("#your-seats").inner_text(), "kept, and as text"


def test_the_lobby_offers_two_planners_three_levels_and_lists(watched_server, shows):
    """Lists say how games ended, in an order."""
    watched_server.answers["/api/tables"] = {"id": "t", "seats": {}, "watch": "/watch/t"}
    page = shows("lobby")
    fits_and_passes(page)
    ended = page.locator("#records .ended")
    assert ended.all_text_contents() == ["best won in 43 turns, 13 min", "Nobody won in 12 turns"]
    page.get_by_label("Order").select_option("fewest turns first")
    assert ended.first.text_content() == "Nobody won in 12 turns"
    assert "put aside" in page.locator("#tables").inner_text()
    assert page.locator("#tables .ended").count() == 0, "of older tables nothing is known"
    assert page.locator("#levels button").all_inner_texts() == ["Easy", "Middle", "Strong"]
    first = page.locator("main button").first
    assert first.inner_text() == "Watch"
    first.click()
    page.wait_for_url("**/watch/t")
    sent = watched_server.posted[-1][1]
    assert [seat["preset"] for seat in sent["seats"]] == ["best_tree", "bmcts"] * 2
    page.go_back()
    page.get_by_label("Your name").fill("Zoe")
    page.get_by_role("button", name="Middle").click()
    page.wait_for_url("**/watch/t")
    seats = watched_server.posted[-1][1]["seats"]
    assert [seat.get("preset", seat.get("name")) for seat in seats] == ["Zoe", *["swift"] * 3]


def test_a_watched_table_is_paused_stepped_and_looked_into(watched_server, shows):
    page = shows("watch")
    page.wait_for_selector("#tree svg")
    assert is_tree_whole(page)
    assert "thinks" in page.locator("#seats").inner_text()
    assert "754 simulations, 3,200 per second" in page.locator("#search").inner_text()
    assert page.locator("#search tbody tr").count() == len(page_content.ROOT)
    shown = page.locator("#tree text.does").all_text_contents()
    last = page_content.SEARCH["tree"][-1]["action"]
    assert shown == [*(row["action"] for row in page_content.ROOT[:3]), last]
    assert page.locator("#tree .knot").count() == len(page_content.SEARCH["tree"])
    assert page.locator("#tree text", has_text="Peacock shows the rope").count() == 4
    drawn = " | ".join(page.locator("#tree text").all_text_contents())
    assert page.locator("#tree rect").count() == 1 and "412 · 0.51, 7 more" in drawn
    assert page.locator(".map").count() == 4 and page.locator("#entropy .line").count() == 8
    others = page.locator("#assumes .types tr").all_inner_texts()
    assert len(others) == 3 and "swift50 41 %" in others[0] and "random <1 %" in others[0]
    about = page.locator("#assumes").inner_text()
    assert "reading suggestions: it differs from the exact posterior in 44 places" in about
    differ = page.locator("#assumes .beliefs-differ tbody tr").all_inner_texts()
    assert "".join(differ[0].split()) == "theStudyenvelope25%13%"
    assert differ[1].split()[-4:] == ["<1", "%", "0", "%"]
    before = len(watched_server.posted)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    page.get_by_role("button", name="One event").click()
    page.get_by_role("button", name="One turn").click()
    page.get_by_label("Pace").select_option("5")
    while len(watched_server.posted) < before + 4:
        page.wait_for_timeout(20)
    orders = [body for _, body in watched_server.posted[before:]]
    assert orders == [{"pause": True}, {"step": "event"}, {"step": "turn"}, {"pace": 5}]
    fits_and_passes(page)
    assert is_tree_whole(page), "also where it is narrow"
    assert page.locator("#beliefs").bounding_box()["height"] < 900, "it scrolls by itself"


def is_tree_whole(page):
    """Return whether nothing is drawn outside the tree's drawing, which scrolls to its end."""
    return page.evaluate(
        """() => {
            const picture = document.querySelector("#tree svg");
            const part = picture.closest(".scroll");
            const box = picture.getBoundingClientRect();
            const drawn = [...picture.querySelectorAll("text, circle, rect")];
            const boxes = drawn.map((one) => one.getBoundingClientRect());
            const inside = boxes.every(({ top, bottom }) => top >= box.top && bottom <= box.bottom);
            part.scrollTop = part.scrollHeight;
            const ends = drawn.map((one) => one.getBoundingClientRect().bottom);
            return inside && Math.max(...ends) <= part.getBoundingClientRect().bottom;
        }"""
    )


def list_places(page):
    return page.evaluate("[...document.querySelectorAll('.pawn')].map((p) => p.style.transform)")


def test_a_record_is_stepped_through_and_players_are_asked(watched_server, shows):
    page = shows("replay")
    events = watched_server.table.game.events
    assert "dealt" in page.locator("#now").text_content()
    assert page.locator(".question-form button").first.is_disabled(), "nobody decides at the deal"
    before = list_places(page)
    page.get_by_role("button", name="Next decision").click()
    line = int(page.locator("#line").input_value())
    assert "action" in events[line]
    for number in (1, 2):
        page.get_by_role("button", name=f"Ask player {number}").click()
    page.wait_for_function("() => document.querySelectorAll('.would').length === 2")
    assert page.locator(".would").first.inner_text().startswith("walk to the Hall")
    assert page.locator(".answer .types").count() == 2
    page.get_by_text("Its tree").first.click()
    page.locator(".answer .knot[data-node='1']").first.click()
    assert "3.20 bits left" in page.locator(".at-node").first.text_content()
    assert "Green 75 %" in page.locator(".at-node").first.text_content()
    passes_in_both_themes(page)
    asked = [body for path, body in watched_server.posted if path.endswith("/explain")][-2:]
    assert [(one["line"], one["preset"]) for one in asked] == [
        (line + 2, "best"),
        (line + 2, "swift"),
    ]
    page.get_by_role("button", name="End").click()
    assert "wins" in page.locator("#now").text_content()
    after = list_places(page)
    assert len(before) == len(after) == 4 and before != after
    duration = "getComputedStyle(document.querySelector('.pawn')).transitionDuration"
    assert page.evaluate(duration) in ("0s", "")
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(duration) == "0.35s"
    page.locator("#line").focus()
    page.keyboard.press("ArrowLeft")
    assert int(page.locator("#line").input_value()) == len(events) - 2


def test_a_click_on_a_chart_goes_there_and_the_address_keeps_the_place(watched_server, shows):
    page = shows("replay")
    events = watched_server.table.game.events
    box = page.locator("#entropy > svg").bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 40)
    there = int(page.locator("#line").input_value())
    assert events[there]["turn"] > 0.7 * events[-1]["turn"]
    passes_in_both_themes(page)
    page.reload()
    page.wait_for_selector("#entropy svg")
    assert int(page.locator("#line").input_value()) == there
