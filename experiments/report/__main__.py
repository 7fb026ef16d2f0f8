"""One page about one or several runs: what was run, what came out, how sure that is.

    python -m experiments.report RUN...

Writes report.html, which needs no other file and no network, and report.md to the folder of the
first run. A run may still be under way, or have been interrupted; the report begins by saying so.
"""

from __future__ import annotations

import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from experiments.provenance.files import write_text
from experiments.settings.commandline import Parser, Refusal, enter

NAME = "sleuth-report"
HTML, MARKDOWN = "report.html", "report.md"

_MORE = """\
examples:
  python -m experiments.report outputs/bmcts              one run
  python -m experiments.report outputs/a outputs/b        b compared with a, on the same games if so
  python -m experiments.report outputs/sweep/*            all runs of a sweep
  python -m experiments.report outputs/a --output a.html  a.html and a.md

Win rates come with 95 % intervals that agree with the rule of stopping. Runs are compared pair by
pair of games where seed, rules, seats and opponents are the same, else as independent samples.
Entropies and times of decisions are there if the run wrote run.details=[suggestions,decisions].
"""


def main() -> None:
    """Run the command and exit with its code."""
    enter(NAME, _run)


def _run() -> None:
    parser = Parser(
        prog=NAME,
        description=__doc__.partition("\n")[0],
        epilog=_MORE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="folder of a run")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help="a folder, or a file ending in .html or .md, which gets its sibling of the other kind "
        "(default: the folder of the first run)",
    )
    arguments = parser.parse_args()
    console = Console(highlight=False, markup=False)
    for path in report(arguments.runs, arguments.output, console):
        console.print(f"written to {path}", soft_wrap=True)


def report(folders: Sequence[Path], output: Path | None, console: Console) -> tuple[Path, Path]:
    """Write the report on the runs in ``folders``; return where the page and the Markdown are.

    Raises
    ------
    Refusal
        If a folder is no run or given twice, a file of it cannot be read, or the report cannot be
        written.
    """
    resolved = [folder.resolve() for folder in folders]
    twice = next((folder for folder in folders if resolved.count(folder.resolve()) > 1), None)
    if twice is not None:
        raise Refusal(f"{twice} is given twice: name each run once")
    # Arrow, SciPy and Matplotlib take seconds to import, for which --help does not wait.
    from experiments.report.overview import page
    from experiments.report.page import html, markdown
    from experiments.report.run import load

    runs = [load(*labelled) for labelled in zip(folders, labels(folders), strict=True)]
    for run in runs:
        for fault in run.faults:
            console.print(f"{run.label}: {fault}", soft_wrap=True)
    told = page(runs)
    paths = _paths(folders[0] if output is None else output)
    for path, text in zip(paths, (html(told), markdown(told)), strict=True):
        _write(path, text)
    return paths


def labels(folders: Sequence[Path]) -> list[str]:
    """Return a name for each of ``folders``: as many of their last parts as tell them apart."""
    parts = [folder.resolve().parts for folder in folders]
    for last in range(1, max(map(len, parts)) + 1):
        named = ["/".join(path_parts[-last:]) for path_parts in parts]
        if len(set(named)) == len(named):
            return named
    raise ValueError("a folder is given twice")


def _paths(output: Path) -> tuple[Path, Path]:
    if output.suffix in (".html", ".md") and not output.is_dir():
        return output.with_suffix(".html"), output.with_suffix(".md")
    return output / HTML, output / MARKDOWN


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except OSError as fault:
        raise Refusal(
            f"cannot write {path}: {fault.strerror}; choose another place by --output"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
