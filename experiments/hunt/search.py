"""What planners make of a hunt, by the simulations of a decision, beside exact strategies.

A small field (`experiments.hunt.adaptive`).  Planners approach the closed loop as their budget
grows; `flat`, the control without a tree, and `greedy`, without a search, need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omegaconf import DictConfig

from experiments import study
from experiments.hunt import adaptive
from experiments.matches.progress import COMPILING, stage

PLOT = "search.png"

ROWS = study.Rows(file="values.parquet", units="searches", schema=adaptive.SCHEMA, more=())


def job(settings: DictConfig, run: study.Run) -> None:
    """Search, write the results and print them."""
    small = settings.hunt.small
    adaptive.check(small)
    run.claim(ROWS)
    made, position = adaptive.scattered(settings.hunt, settings.seed)
    with stage(run.console, COMPILING):
        known = adaptive.ready(made, position, small)

    def measured(left: list[str], _: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for unit in left:
            yield unit, [adaptive.played(position, unit, settings.seed)]

    rows = run.measure(adaptive.units(small), measured)
    title = f"A small field, {small.objects} objects, {small.moves} moves"
    table = adaptive.table(rows, known, title)
    described = {"exact": known, "planners": adaptive.described(rows)}
    run.finish(
        described, [table], [PLOT], lambda folder: adaptive.draw(rows, known, title, folder / PLOT)
    )
