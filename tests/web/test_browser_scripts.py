"""Scripts of the pages, called one by one in a browser."""

import page_content
import pytest
from page_server import Canned

from sim.state import MOVE
from sim.words import action_to_string as words


@pytest.fixture(scope="module")
def lobby_server():
    canned = Canned(answers={"/api/lobby": page_content.LOBBY})
    yield canned
    canned.close()


@pytest.fixture
def call(lobby_server, open_page):
    """Return what the body of a script returns: ``call(body, argument)``."""
    page = open_page(f"{lobby_server.url}/seat/none")  # which has the facts of the game
    return lambda body, argument=None: page.evaluate(f"async (given) => {{ {body} }}", argument)


def test_several_people_who_play_again_get_a_link_each(call):
    """And the browser finds them again."""
    texts, links, kept = call(
        """const { enter } = await import("/static/parts/after.js");
        const seats = { 0: "/seat/0", 2: "/seat/2" };
        const parent = document.createElement("div");
        enter({ id: "t", seats, watch: "/watch/t" }, ["Ann", "best", "Bob <b>"], parent);
        const links = [...parent.querySelectorAll("a")];
        const kept = JSON.parse(localStorage.getItem("sleuth.seats"));
        return [links.map((one) => one.textContent), links.map((one) => one.getAttribute("href")),
            kept.map((one) => one.link)];"""
    )
    assert texts == ["The seat of Ann", "The seat of Bob <b>"]
    assert links == kept == ["/seat/0", "/seat/2"]


def test_what_the_posterior_proves_is_ticked_and_what_is_near_is_not(call):
    *received, note = call(
        """const { showNotebook } = await import("/static/parts/notebook.js");
        const holders = given[0].map(() => "maybe");
        const cards = given.map((_, n) => ({ card: `card ${n}`, kind: "weapon", holders }));
        const seats = [{ label: "one", suspect: "Plum" }, { label: "two", suspect: "White" }];
        const at = document.createElement("div");
        const notebook = { cards, accused: [["Plum"]], chance: given, bits: 1 };
        showNotebook(at, notebook, { seats }, null, true);
        return [...at.querySelectorAll("td, p")].slice(1).map((cell) => cell.textContent);""",
        [[0, 1, 0], [0.9999, 0.0001, 0]],
    )
    assert note == "Not all three in the envelope: Plum."
    assert received == ["✗no", "✓yes", "✗no", ">99 percent", "<1 percent", "✗no"]


def test_actions_and_players_have_words(call):
    numbers = [*range(MOVE, 45), *range(46, 370, 7), *range(370, 392)]
    long = "best threshold=0.4 budget.simulations=1000"
    labels = [long, long, "Ann", "best budget.simulations=500"]
    received, made, called = call(
        """const { inWords, accusing, suggesting } = await import("/static/parts/actions.js");
        const { names, withSuspect } = await import("/static/parts/words.js");
        const made = [accusing("Plum", "rope", "Lounge"), suggesting("White", "wrench")];
        const seats = given[1].map((label, n) => ({ label, suspect: `S${n}` }));
        const called = names(seats).map((one) => withSuspect(one, "S0"));
        return [given[0].map(inWords), made.map(inWords), called];""",
        [numbers, labels],
    )
    suspects = ("Mustard", "Scarlett", "Plum", "Green", "White", "Peacock")
    show = {f"show the {name}": f"show {name}" for name in suspects}
    expected = [words(number).removesuffix(" here") for number in numbers]
    assert received == [show.get(sentence, sentence) for sentence in expected]
    assert made == ["accuse Plum with the rope in the Lounge", "suggest White with the wrench"]
    assert called == ["best (S0)", "best (S1) (S0)", "Ann (S0)", "best at 500 (S0)"]
