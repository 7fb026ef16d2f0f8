"""Draw the pictures of docs/planning.md: ``python docs/planning_pictures.py``.

They are made from the examples of the page as they stand.  The moving picture needs Playwright and
a Chromium, as the browser tests do.
"""

from __future__ import annotations

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import sync_playwright

from experiments.explain.simulations import simulations_page
from mcts import Budget, Options, Search, draw, export
from mcts.plain.numbers import number
from mcts.stepwise import follow

HERE = Path(__file__).resolve().parent
SIMULATIONS, OUTCOMES, STEPS = 400, 16, 24
PACE = 450
"""Milliseconds a frame."""


def read_page() -> dict[str, Any]:
    """Return the names that the examples of the page define."""
    text = (HERE / "planning.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page", "print": lambda *_: None}
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(code, names)
    return names


def say(action: tuple[str, tuple[str, ...]]) -> str:
    return f"{action[0]} {', '.join(action[1])}"


class Grown:
    """A search of one of the page's problems, with what puts its tree into words."""

    def __init__(self, problem: Any, seen: dict[Any, str]) -> None:
        self._search = Search(problem.position(), Options(exploration=0.7, nodes=5000))
        self._problem, self._seen = problem, {number(key): words for key, words in seen.items()}

    def grow(self, simulations: int) -> Any:
        self._search.run(Budget(simulations=simulations), key=1)
        return self._search.tree

    def graph(self, most: int | None) -> Any:
        words = lambda found: say(self._problem.action(found))  # noqa: E731
        return export(self._search.tree, most, words, seen=lambda _, kind: self._seen.get(kind, ""))


def film(page: str) -> None:
    """Write the page's simulations as a moving picture."""
    frames = []
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport={"width": 900, "height": 700})
        shown.set_content(page)
        shown.add_style_tag(content="button, h1, main > p:nth-of-type(1), small {display: none}")
        for _ in range(4 * STEPS):
            frames.append(Image.open(io.BytesIO(shown.screenshot())).convert("RGB"))
            shown.keyboard.press("ArrowRight")
        browser.close()
    colours = frames[-1].quantize(32)
    small = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    small[0].save(
        HERE / "images/planning_simulations.gif",
        save_all=True,
        append_images=small[1:],
        duration=[PACE] * (len(small) - 1) + [6 * PACE],
        loop=0,
        optimize=True,
    )


def main() -> None:
    page = read_page()
    game, envelope = page["game"], page["TRIPLES"][2]
    cards = {card: f"shown {card}" for triple in page["TRIPLES"] for card in triple}
    cards |= {"nothing": "nothing shown", "begin": "", "over": ""}
    known = replace(
        game,
        start=[(envelope, page["belief"], "begin")],
        rollout=lambda state, chance: ("accuse", state[0]),
    )
    searches = {"pimc": known, "pomcp": game, "bmcts": page["in_belief"]}
    for name, problem in searches.items():
        grown, figure = Grown(problem, cards), Figure()
        grown.grow(SIMULATIONS)
        draw(grown.graph(OUTCOMES), figure)
        figure.savefig(HERE / f"images/planning_{name}.png", dpi=110)
    grown = Grown(page["in_belief"], cards)
    steps = follow(grown.grow, STEPS)
    about = "The small game of the page, searched in belief space."
    film(simulations_page(grown.graph(None), steps, "One simulation at a time", about))


if __name__ == "__main__":
    main()
