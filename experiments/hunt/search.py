"""Values of planners in a hunt by their simulations per decision, beside exact strategies.

The fork or the field of `sim.hunt.strategies.examples`, or a small field of objects
(`experiments.hunt.adaptive`).  Planners approach the closed loop as their budget grows; `flat`, the
control without a tree, and `greedy`, without a search, need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omegaconf import DictConfig

from experiments import study
from experiments.hunt import adaptive
from experiments.matches.progress import COMPILING, stage
from sim.hunt.strategies import examples
from sim.hunt.strategies.domain import AdaptiveHunt
from sim.hunt.strategies.domain import adaptive as searchable
from sim.hunt.strategies.hunt import Hunt

PLOT = "search.png"

ROWS = study.Rows(file="values.parquet", units="searches", schema=adaptive.SCHEMA, more=())


def job(settings: DictConfig, run: study.Run) -> None:
    """Search, write the results and print them."""
    small = settings.hunt.small
    adaptive.check(small)
    run.claim(ROWS)
    made, position, title = _case(settings.hunt, settings.seed)
    with stage(run.console, COMPILING):
        known = adaptive.ready(made, position, small)

    def measure(left: list[str], _: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for unit in left:
            yield unit, [adaptive.play_unit(position, unit, settings.seed)]

    rows = run.measure(adaptive.units(small), measure)
    table = adaptive.table(rows, known, title)
    described = {"exact": known, "planners": adaptive.describe(rows)}
    run.finish(
        described, [table], [PLOT], lambda folder: adaptive.draw(rows, known, title, folder / PLOT)
    )


def _case(asked: DictConfig, seed: int) -> tuple[Hunt, AdaptiveHunt, str]:
    """Return the chosen hunt, for recursion and for search, and its title."""
    small = asked.small
    if asked.case == "objects":
        title = f"A small field, {small.objects} objects, {small.moves} moves"
        return *adaptive.draw_small_field(asked, seed), title
    made = examples.fork() if asked.case == "fork" else examples.field()
    title = f"The {asked.case}, {len(made.length)} cells, {made.moves} moves"
    return made, searchable(made), title
