"""All pages in a browser: axe-core in both themes, narrow widths, and what their controls do."""

import page_content
import pytest
from page_checks import passes_in_both_themes, violations
from page_server import Canned
from table_setup import COMPUTER, person, setup

from experiments.web.tables.table import Table
from sim.state import MOVE

PAGES = {
    "lobby": ("/", "#levels button"),
    "play": ("/seat/seat-0", ".prompt.asked button"),
    "watch": ("/watch/t", ".map td"),
    "replay": ("/records/r", "#entropy svg"),
    "run": ("/runs/m", "#chart svg"),
    "error": ("/nowhere/at/all", "main p"),
}


@pytest.fixture(scope="module")
def watched_server(tmp_path_factory):
    """A server of all pages but a seat's; the table that is watched stands still in the middle."""
    folder = tmp_path_factory.mktemp("watched")
    table = page_content.computers(folder)
    served = Canned(table, page_content.answers(table, folder))
    page_content.halfway(served)
    yield served
    served.close()


@pytest.fixture(scope="module")
def seated_server(tmp_path_factory):
    """A server of a seat's page, whose occupant is asked where to walk."""
    table = Table(setup(person("Ann"), *(COMPUTER,) * 3), tmp_path_factory.mktemp("seated"))
    served = Canned(table, {"/api/lobby": page_content.LOBBY})
    yield served
    served.close()


@pytest.fixture
def shows(watched_server, seated_server, open_page):
    """Opens a page of `PAGES` and waits until it is filled."""

    def show(name, **more):
        path, filled = PAGES[name]
        page = open_page((seated_server if name == "play" else watched_server).url + path, **more)
        page.wait_for_selector(filled)
        return page

    return show


@pytest.mark.parametrize("name", PAGES)
def test_pages_pass_axe_in_both_themes_and_fit_narrow_screens(name, shows):
    page = shows(name)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    passes_in_both_themes(page)
    for width in (1280, 800, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_accusation_passes_axe_in_both_themes(shows):
    page = shows("play")
    page.get_by_role("button", name="Accuse …").click()
    assert page.locator("dialog[open]").is_visible()
    passes_in_both_themes(page)
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")  # it goes a moment after the key
    assert not violations(page)


def test_a_certain_mark_says_why(shows):
    """By what the seat holds and was shown; while it is open axe finds nothing, at any width."""
    page = shows("play")
    hand = page.locator("#hand li").all_inner_texts()
    row = page.locator("#notebook tr", has=page.get_by_role("rowheader", name=hand[0], exact=True))
    row.get_by_role("button", name="holds it, why?").first.click()
    page.locator("#proof h3").wait_for()
    assert page.locator("#proof h3").inner_text().startswith("You hold ")
    assert page.locator("#proof li").all_inner_texts() == ["You see your own cards."]
    row.get_by_role("button", name="envelope: does not hold it, why?").click()
    page.get_by_text("is not in the envelope. Why?").wait_for()
    assert page.locator("#proof li").all_inner_texts()[0].startswith("You hold ")
    passes_in_both_themes(page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Notebook").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("#proof").get_by_role("button", name="Close").click()
    assert page.locator("#proof").is_hidden()
    assert page.evaluate("document.activeElement.closest('#notebook') !== null")


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
    """Two people: their links are shown, each whole; the wish is what was chosen."""
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
    page.get_by_label("Keep the game for a study").check()
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("#links input")
    assert watched_server.posted[-1] == (
        "/api/tables",
        {
            "rules": "cai2006",
            "players": 3,
            "seats": [
                {"kind": "person", "name": "Ann"},
                {"kind": "person", "name": "Zoe <b>"},
                {
                    "kind": "player",
                    "preset": "best",
                    "settings": ["budget.simulations=250", "threshold=0.4"],
                },
            ],
            "seed": 0,
            "pace": 1,
            "hints": False,
            "study": True,
        },
    )
    assert "Only this machine" in page.locator("#links-reach").text_content()
    links = [field.input_value() for field in page.locator("#links input").all()]
    assert links == [
        f"{watched_server.url}{path}" for path in ("/seat/one", "/seat/two", "/watch/t")
    ]
    page.reload()
    page.wait_for_selector("#your-seats a")
    assert "Zoe <b>" in page.locator("#your-seats").inner_text(), "kept, and as text"


def test_the_lobby_offers_two_planners_first_then_three_levels(watched_server, shows):
    """A table as any other is sent for; trials of a sweep are one entry."""
    watched_server.answers["/api/tables"] = {"id": "t", "seats": {}, "watch": "/watch/t"}
    page = shows("lobby")
    first = page.locator("main button").first
    assert first.inner_text() == "Watch"
    first.click()
    page.wait_for_url("**/watch/t")
    sent = watched_server.posted[-1][1]
    assert [seat["preset"] for seat in sent["seats"]] == ["best_tree", "bmcts"] * 2
    page = shows("lobby")
    assert page.locator("#levels button").all_inner_texts() == ["Easy", "Middle", "Strong"]
    page.get_by_label("Your name").fill("Zoe")
    page.get_by_role("button", name="Middle").click()
    page.wait_for_url("**/watch/t")
    seats = watched_server.posted[-1][1]["seats"]
    assert [seat.get("preset", seat.get("name")) for seat in seats] == ["Zoe", *["swift"] * 3]
    page = shows("lobby")
    assert page.locator("#under-way a").get_attribute("href") == "/runs/m"
    assert page.locator("#runs > li").count() == 2
    assert "2 trials" in page.locator("#runs > li").first.inner_text()


def test_a_run_under_way_is_followed_to_its_verdict(watched_server, shows, open_page):
    page = shows("run")
    assert "120 of 2,000 games" in page.locator("#stage").inner_text()
    assert page.locator("h1").inner_text() == "closure, swift against 3 heuristic"
    test = page.locator("#verdicts").inner_text()
    assert "undecided" in test and "41 % of the way to H1; about 175 more games" in test
    difference = page.locator("#differences").inner_text().replace("\N{MINUS SIGN}", "-")
    assert "+10.0 points, 95 %: -4.1 to +23.6; +70 Elo (-28 to +170)" in difference
    assert page.locator("#chart .level").count() == 2
    run = page_content.RUN
    (test,) = run["tests"]
    words = "swift is 30 Elo above closure, not 0 Elo: H1 accepted"
    decided = {**test, "words": words, "accepted": "H1", "left": None, "progress": 1.02}
    watched_server.answers["/api/runs/m"] = {**run, "stage": "finished", "tests": [decided]}
    page.wait_for_function("() => document.getElementById('stage').innerText.includes('Decided')")
    assert page.locator("#verdicts").inner_text() == words
    watched_server.answers["/api/runs/m"] = run


def test_a_watched_table_is_paused_stepped_and_looked_into(watched_server, shows):
    page = shows("watch")
    assert "thinks" in page.locator("#seats").inner_text()
    assert "754 simulations, 3,200 per second" in page.locator("#search").inner_text()
    assert page.locator("#search tbody tr").count() == len(page_content.ROOT)
    words = page.locator("#tree text.does").all_text_contents()
    assert words == [
        *(row["action"] for row in page_content.ROOT[:3]),
        page_content.SEARCH["tree"][-1]["action"],
    ]
    assert page.locator("#tree .knot").count() == len(page_content.SEARCH["tree"])
    assert page.locator("#tree text", has_text="Peacock shows the rope").count() == 4
    assert page.locator("#tree rect").count() == 1 and "412 · 0.51, 7 more" in read_tree(page)
    assert page.locator(".map").count() == 4
    others = page.locator("#assumes .types tr").all_inner_texts()
    assert len(others) == 3 and "swift50 41 %" in others[0] and "random <1 %" in others[0]
    about = page.locator("#assumes").inner_text()
    assert (
        "factored, reading suggestions: it differs from the exact posterior in 44 places" in about
    )
    differ = page.locator("#assumes .beliefs-differ tbody tr").all_inner_texts()
    assert differ[0].split() == [
        "the",
        "Study",
        "envelope",
        "25",
        "%",
        "13",
        "%",
    ]
    assert differ[1].split()[-4:] == ["<1", "%", "0", "%"]
    heads = page.locator("#entropy .axis").all_text_contents()
    assert heads == ["turn", "bits"]
    before = len(watched_server.posted)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    page.get_by_role("button", name="One event").click()
    page.get_by_role("button", name="One turn").click()
    page.get_by_label("Pace").select_option("5")
    page.wait_for_function("() => true")
    while len(watched_server.posted) < before + 4:
        page.wait_for_timeout(20)
    orders = [body for _, body in watched_server.posted[before:]]
    assert orders == [{"pause": True}, {"step": "event"}, {"step": "turn"}, {"pace": 5}]


def read_tree(page):
    return " | ".join(page.locator("#tree text").all_text_contents())


def test_a_record_is_stepped_through_and_players_are_asked(watched_server, shows):
    page = shows("replay")
    events = watched_server.table.game.events
    assert "dealt" in page.locator("#now").text_content()
    assert page.locator(".question-form button").first.is_disabled(), "nobody decides at the deal"
    page.get_by_role("button", name="Next decision").click()
    line = int(page.locator("#line").input_value())
    assert "action" in events[line]
    for button in page.locator(".question-form button").all():
        button.click()
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
    page.locator("#line").focus()
    page.keyboard.press("ArrowLeft")
    assert int(page.locator("#line").input_value()) == len(events) - 2


def test_a_game_is_reviewed(watched_server, shows):
    """Marks, chances, the place in the address, keys; by ADVICE something is lost each time."""
    page = shows("replay")
    assert page.locator("#chances").is_hidden(), "there is no chance but what a seat is asked for"
    page.locator("#review").get_by_role("button", name="Review").click()
    page.wait_for_function("() => /reviewed;/.test(document.querySelector('#review').textContent)")
    rows = page.locator(".review tbody tr")
    events = watched_server.table.game.events
    own = [
        at
        for at, event in enumerate(events)
        if "action" in event and event["event"] != "show" and event["seat"] == 0
    ]
    assert rows.count() == len(own)
    text = page.locator(".review").inner_text()
    assert page.locator("#marks i").count() == len(own) == text.count("20.2 ± 14.7 !")
    assert page.locator("#chances .line").count() > 1
    won = int(events[-1]["winner"] == 0)
    name = page.locator("#seats .seat-name").first.inner_text()
    label = page.locator("#chances > svg").get_attribute("aria-label")
    assert f": {name} {won}" in label, "the last point of a chance is how the game ended"
    assert watched_server.posted[-1][1]["judged"]
    rows.nth(1).get_by_role("button").click()
    assert page.url.endswith(f"#event={own[1] + 1}")
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    for key, at in (("ArrowRight", own[1] + 1), ("ArrowLeft", own[1]), ("Home", 0)):
        page.keyboard.press(key)
        assert int(page.locator("#line").input_value()) == at
    box = page.locator("#entropy > svg").bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 40)
    there = int(page.locator("#line").input_value())
    assert events[there]["turn"] > 0.7 * events[-1]["turn"]
    passes_in_both_themes(page)
    page.reload()
    page.wait_for_selector("#entropy svg")
    assert int(page.locator("#line").input_value()) == there


def test_what_the_posterior_proves_is_ticked_and_what_is_near_is_not(watched_server, shows):
    script = """async (chance) => {
        const { showNotebook } = await import("/static/parts/notebook.js");
        const holders = chance[0].map(() => "maybe");
        const cards = chance.map((_, n) => ({ card: `card ${n}`, kind: "weapon", holders }));
        const seats = [{ label: "one", suspect: "Plum" }, { label: "two", suspect: "White" }];
        const at = document.createElement("div");
        showNotebook(at, { cards, accused: [["Plum"]], chance, bits: 1 }, { seats }, null, true);
        return [...at.querySelectorAll("td, p")].slice(1).map((cell) => cell.textContent);
    }"""
    *received, note = shows("replay").evaluate(script, [[0, 1, 0], [0.9999, 0.0001, 0]])
    assert note == "Not all three in the envelope: Plum."
    assert received == ["✗no", "✓yes", "✗no", ">99 percent", "<1 percent", "✗no"]


def test_actions_have_the_numbers_and_words_of_the_game(watched_server, shows):
    from sim.words import action_to_string as words

    page = shows("replay")
    script = """async (numbers) => {
        const { inWords, accusing, suggesting } = await import("/static/parts/actions.js");
        const made = [accusing("Plum", "rope", "Lounge"), suggesting("White", "wrench")];
        return [numbers.map(inWords), made.map(inWords)];
    }"""
    numbers = [*range(MOVE, 45), *range(46, 370, 7), *range(370, 392)]
    received, made = page.evaluate(script, numbers)
    show = {f"show the {name}": f"show {name}" for name in ("Mustard", "Scarlett", "Plum", "Green")}
    show |= {f"show the {name}": f"show {name}" for name in ("White", "Peacock")}
    expected = [words(number).removesuffix(" here") for number in numbers]
    assert received == [show.get(sentence, sentence) for sentence in expected]
    assert made == ["accuse Plum with the rope in the Lounge", "suggest White with the wrench"]
