"""The pictures of docs/web.md, of pages with games in them.

    python tests/web/pictures.py

writes them to docs/images.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import page_content  # noqa: E402
from conftest import start_browser  # noqa: E402
from http_client import COMPUTER, Served, person  # noqa: E402
from page_player import click_on, number, settle  # noqa: E402
from page_server import Canned  # noqa: E402
from PIL import Image  # noqa: E402

from experiments.web.settings import Search  # noqa: E402
from experiments.web.tables.requests import compose_player  # noqa: E402

COLOURS, WIDE = 192, 760
TURN = 25
"""In which a player is watched as it searches."""

NODES = 14
"""Of its tree, in the smaller picture."""

QUESTIONS = 5
"""That are answered, at least, before the picture of a seat is taken."""


def take(running, folder: Path) -> list[Path]:
    """Write the pictures to ``folder`` and return them; ``running`` is a browser."""
    with tempfile.TemporaryDirectory() as kept:
        one, other, third = (Path(kept, name) for name in ("one", "other", "third"))
        for made in (one, other, third):
            made.mkdir()
        watched, _ = page_content.serve_watched(one)
        best = compose_player("best_tree", ["budget.simulations=1000"], Search(1000, 60.0))
        table, look, events = page_content.play_and_sample(third, best, TURN)
        searching = Canned(page_content.make_answers(table, third, events))
        seated = Served(other)
        try:
            searching.streams = page_content.make_stream(table, look, events)
            watch = _watch(
                running, searching, folder / "web_watch.png", True, "#tree", "#maps > :first-child"
            )
            few = {**look, "tree": look["tree"][:NODES]}
            searching.streams = page_content.make_stream(table, few, events)
            return [
                watch,
                _watch(running, searching, folder / "web_table.png", False, "#beliefs", "#tree"),
                _seat(running, seated, folder / "web_play.png", WIDE, 990, False, QUESTIONS),
                _seat(running, seated, folder / "web_phone.png", 360, 1500, True, 0),
                _replay(running, watched, folder / "web_replay.png"),
                _lobby(running, watched, folder / "web_lobby.png"),
            ]
        finally:
            watched.close()
            searching.close()
            seated.close()


def _seat(running, served, path, width, height, dark, questions):
    """Answer so many questions, and go on to where a suggestion is asked for."""
    made = served.table(person("Ann"), *[COMPUTER] * 3, rules="ledford", seed=5)
    page = _page(running, f"http://{served.host}{made['seats']['0']}", width, height, dark)
    chance = random.Random(3)
    settle(page)
    while questions > 0 or not page.locator(".prompt form").count():
        before = number(page)
        click_on(page, chance)
        settle(page, before)
        questions -= 1
    page.get_by_label("Show probabilities").evaluate("(box) => box.click()")  # on a phone unseen
    page.wait_for_selector("td.heat", state="attached")
    return _shot(page, path)


def _watch(running, served, path, dark, hidden, last):
    """Show a table that is watched down to the end of the part ``last``, without what is hidden."""
    page = _page(running, f"{served.url}/watch/t", WIDE, 900, dark)
    page.wait_for_selector(".map td")
    page.wait_for_selector("#tree svg")
    for part in page.locator(f"#assumes, .log-part, {hidden}").all():
        part.evaluate("(part) => { part.style.display = 'none'; }")
    below = page.locator(last).bounding_box()
    page.set_viewport_size({"width": WIDE, "height": round(below["y"] + below["height"]) + 10})
    return _shot(page, path)


def _replay(running, served, path):
    page = _page(running, f"{served.url}/records/r", WIDE, 1500, False)
    page.wait_for_selector("#entropy .line")
    page.get_by_role("button", name="Next decision").click()
    for button in page.locator(".question-form button").all():
        button.click()
    page.wait_for_function("() => document.querySelectorAll('.would').length === 2")
    return _shot(page, path)


def _lobby(running, served, path):
    page = _page(running, served.url, WIDE, 620, False)
    page.wait_for_selector("#levels button")
    return _shot(page, path)


def _page(running, url, width, height, dark):
    page = running.new_page(
        viewport={"width": width, "height": height},
        device_scale_factor=2 if width == WIDE else 1,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page.goto(url)
    return page


def _shot(page, path):
    """Write what is seen with few colours, which makes it small."""
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=path)
    page.close()
    with Image.open(path) as whole:
        few = whole.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    return path


if __name__ == "__main__":
    with start_browser() as at_hand:
        for made in take(at_hand, HERE.parents[1] / "docs" / "images"):
            print(made.name, made.stat().st_size)
