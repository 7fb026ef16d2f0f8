"""Lists of the lobby in a browser, links of a table that is made again, verdicts of a review."""

import page_content
import pytest
from page_server import Canned


@pytest.fixture
def lobby(open_page):
    """The page of the lobby, filled."""
    served = Canned(answers={"/api/lobby": page_content.LOBBY})
    page = open_page(served.url)
    page.wait_for_selector("#levels button")
    yield page
    served.close()


def test_lists_say_how_games_ended_and_are_put_in_order(lobby):
    page = lobby
    ended = page.locator("#records .ended")
    assert ended.all_text_contents() == ["best won in 43 turns, 13 min", "Nobody won in 12 turns"]
    page.get_by_label("Order").select_option("fewest turns first")
    assert ended.first.text_content() == "Nobody won in 12 turns"
    page.get_by_label("Order").select_option("by winner")
    assert ended.first.text_content().startswith("best won")
    assert "put aside" in page.locator("#tables").inner_text()
    assert page.locator("#tables .ended").count() == 0, "of older tables nothing is known"


def test_several_people_who_play_again_get_a_link_each(lobby):
    page = lobby
    page.evaluate(
        """async () => {
            const { enter } = await import("/static/parts/after.js");
            const seats = ["Ann", "Bob <b>"].map((name, at) => ({ name, link: `/seat/${at}` }));
            const parent = document.createElement("div");
            document.querySelector("main").append(parent);
            parent.id = "made";
            enter({ id: "t", seats, watch: "/watch/t" }, parent);
        }"""
    )
    links = page.locator("#made a")
    assert links.all_text_contents() == ["The seat of Ann", "The seat of Bob <b>"]
    assert [link.get_attribute("href") for link in links.all()] == ["/seat/0", "/seat/1"]
    kept = page.evaluate("JSON.parse(localStorage.getItem('sleuth.seats')).map((one) => one.link)")
    assert kept == ["/seat/0", "/seat/1"], "the browser finds them again"


@pytest.mark.parametrize(
    ("fresh", "said"),
    [
        ((), "A sweep: 2 trials, the best of them 62.5 %, which flatters it"),
        (
            ("fresh-start", "fresh-reached"),
            "A sweep: 2 trials; the best on 40 fresh games 100.0 % (97.5 to 100.0)",
        ),
    ],
)
def test_a_sweep_shows_what_its_choice_had_no_part_in(lobby, fresh, said):
    """Fresh runs are no trials, and a best of many is called so."""
    runs = [
        {
            "id": name,
            "name": f"a/{name}",
            "report": None,
            "rates": [
                {"match": "m", "player": "p", "games": 40, "rate": rate, "interval": [low, 1]}
            ],
        }
        for name, rate, low in [
            *((name, 1.0, 0.975) for name in fresh),
            ("trial-0001", 0.625, 0.4),
            ("trial-0000", 0.25, 0.2),
        ]
    ]
    summaries = lobby.evaluate(
        """async (runs) => {
            const { listRuns } = await import("/static/parts/lists.js");
            const parent = document.createElement("ul");
            listRuns(parent, runs);
            return [...parent.querySelectorAll(":scope > li > details > summary")]
                .map((one) => one.textContent);
        }""",
        runs,
    )
    assert summaries == [said]


def test_a_review_has_words_for_each_verdict(lobby):
    """And it does not count what could not be evaluated as a loss."""
    texts = lobby.evaluate(
        """async () => {
            const { Review } = await import("/static/parts/review.js");
            const verdicts = [["proved", 0, 0], ["same", 0, 0], ["as good", 0, 0],
                ["less", 0.1, 0.2], ["less", 0.3, 0.2], ["unknown", null, null],
            ].map(([kind, loss, spread]) => ({ kind, loss, spread, chance: loss }));
            const parent = document.createElement("div");
            document.querySelector("main").append(parent);
            const about = {
                decisions: verdicts.map((_, at) => at),
                names: ["Ann"],
                ask: async (at) => ({ action: 1, words: "pass", verdict: verdicts[at] }),
                describe: (at) => ({ turn: at, seat: 0, action: 0, name: "Ann", words: "walk" }),
                end: { turn: 9, winner: 0 },
            };
            await new Promise((done) => {
                about.changed = () => about.made.found.size === 6 && setTimeout(done);
                about.made = new Review(parent, about);
                about.made.begin("0");
            });
            const cells = parent.querySelectorAll("tbody td:last-child");
            const { made } = about;
            const losses = [...cells].map((one) => one.innerText);
            return [losses, made.marks, made.chances(1)[0].at(-1), parent.innerText];
        }"""
    )
    losses = ["0, proved to be right", "0", "0", "10.0 ± 20.0", "30.0 ± 20.0 !", "not evaluated"]
    assert texts[:3] == [losses, [4], [9, 1]]
    assert "6 decisions reviewed; 1 lost" in texts[3] and "1 could not be evaluated" in texts[3]
