"""One page on one or several runs: what was run, the results, and their uncertainty.

    python -m experiments.report RUN... [output=PATH] [--follow]

Writes report.html, which is self-contained, and report.md to the folder of the first run. A run may
be under way or interrupted; the report then begins by saying so.  A comparison of several runs is
also printed: paired if they played the same games.  With ``--follow`` it writes nothing and shows
the progress of runs that other processes or hosts play.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import MISSING, DictConfig

from experiments.provenance.files import write_text, writing
from experiments.settings.command import Command
from experiments.settings.commandline import Refusal
from experiments.settings.limits import place

if TYPE_CHECKING:
    from rich.console import Console

HTML, MARKDOWN = "report.html", "report.md"


@dataclass
class Report:
    """The schema of the configuration."""

    runs: list[str] = MISSING
    output: str | None = place()
    follow: bool = False


def job(settings: DictConfig, _: Path) -> None:
    """Write the report and print its path; raises `Refusal` as `report`."""
    from experiments import terminal

    if not settings.runs:
        raise Refusal("runs is empty: name the folder of a run")
    console = terminal.console()
    if settings.follow:
        from experiments.report.follow import follow

        return follow(list(map(Path, settings.runs)), console)
    output = None if settings.output is None else Path(settings.output)
    for path in report(list(map(Path, settings.runs)), output, console):
        console.print(f"written to {path}", soft_wrap=True)


def report(folders: Sequence[Path], output: Path | None, console: Console) -> tuple[Path, Path]:
    """Write the report on the runs in ``folders``; return the paths of page and Markdown.

    Raises Refusal if a folder is not a run or given twice, if a file of it cannot be read, or if
    the report cannot be written.
    """
    resolved = [os.path.realpath(folder) for folder in folders]
    for folder, real in zip(folders, resolved, strict=True):
        if resolved.count(real) > 1:
            raise Refusal(f"{folder} is given twice: give each run once")
    # Arrow, SciPy and Matplotlib take seconds to import, too long for --help.
    from experiments import tabular
    from experiments.report.overview import page
    from experiments.report.page import html, markdown
    from experiments.report.run import load
    from experiments.runs import runfolder

    named = zip(folders, runfolder.labels(folders), strict=True)
    runs = []
    for folder, label in named:
        with console.status(f"reading the rows of {label}"):
            runs.append(load(folder, label))
    for run in runs:
        for fault in run.faults:
            console.print(f"{run.label}: {fault}", soft_wrap=True)
    with console.status("drawing the figures"):
        document = page(runs)
    if len(runs) > 1:
        comparison, *_ = document.sections
        for block in comparison.blocks:
            if isinstance(block, tabular.Table):
                tabular.show(block, console)
    output = folders[0] if output is None else output
    paths = output / HTML, output / MARKDOWN
    if output.suffix in (".html", ".md") and not output.is_dir():
        paths = output.with_suffix(".html"), output.with_suffix(".md")
    for path, text in zip(paths, (html(document), markdown(document)), strict=True):
        with writing(path, "choose another path by output=PATH"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
    return paths


COMMAND = Command("report", Report, job, bare="runs", multirun=False)
main = COMMAND.main

if __name__ == "__main__":
    main()
