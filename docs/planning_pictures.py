"""Draw the pictures of docs/planning.md: ``python docs/planning_pictures.py``.

The trees are made from the examples of the page as they stand.  The moving picture, of a decision
in a recorded game of Cluedo, needs Playwright and a Chromium, as the browser tests do.
"""

from __future__ import annotations

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from omegaconf import OmegaConf
from PIL import Image
from playwright.sync_api import sync_playwright

from experiments.explain.recorded import decisions, pick_turn
from experiments.explain.simulations import step_by_step
from experiments.settings.config import compose
from mcts import Budget, Options, Search, draw, export
from mcts.plain.values import number
from sim.players.registry import make
from sim.records.record import read

HERE = Path(__file__).resolve().parent
SIMULATIONS, OUTCOMES, STEPS = 5000, 16, 40
SLOW = 5
"""So many simulations are shown phase by phase, of the others what they leave."""
WIDE, HIGH = 690, 860
"""Pixels of the moving picture."""
PACE, FAST = 800, 250
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
        self._search = Search(problem.position(), Options(exploration=0.7, nodes=20_000))
        self._problem, self._seen = problem, {number(key): words for key, words in seen.items()}

    def grow(self, simulations: int) -> Any:
        self._search.run(Budget(simulations=simulations), key=1)
        return self._search.tree

    def graph(self, most: int | None) -> Any:
        words = lambda found: say(self._problem.action(found))  # noqa: E731
        return export(self._search.tree, most, words, seen=lambda _, kind: self._seen.get(kind, ""))


def make_page() -> str:
    """Return the page of the first simulations of a decision in a recorded game."""
    decision = pick_turn(list(decisions(read(HERE.parent / "tests/data/game.jsonl"))), 5, None)
    settings = compose("compare", ["player=bmcts"]).player
    player = make(OmegaConf.to_container(settings, resolve=True), decision.record.rules)
    page = step_by_step(player, decision, 0, STEPS)
    assert page is not None
    return re.sub(r" with the (?=\w)| in the (?=[A-Z])", ", ", page)  # to fit the width


def film(page: str) -> None:
    """Write the simulations of ``page`` as a moving picture."""
    frames, times = [], []
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport={"width": WIDE, "height": HIGH})
        shown.set_content(page)
        hidden = "button, h1, main > p:nth-of-type(1), small, #at {display: none}"
        shown.add_style_tag(content=f"{hidden} #tree svg {{zoom: 0.9}}")
        for phase in range(4 * STEPS):
            if phase < 4 * SLOW or phase % 4 == 3:
                frames.append(Image.open(io.BytesIO(shown.screenshot())).convert("RGB"))
                times.append(PACE if phase < 4 * SLOW else FAST)
            shown.keyboard.press("ArrowRight")
        browser.close()
    every = Image.new("RGB", (WIDE, 3 * HIGH))
    for i, frame in enumerate((frames[0], frames[3], frames[-1])):
        every.paste(frame, (0, HIGH * i))
    colours = every.quantize(48)
    small = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    small[0].save(
        HERE / "images/simulations.gif",
        save_all=True,
        append_images=small[1:],
        duration=[*times[:-1], 5 * PACE],
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
        figure.savefig(HERE / f"images/planning_{name}.png", dpi=220)
    film(make_page())


if __name__ == "__main__":
    main()
