"""The main job as a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from experiments import python
from experiments.compare.__main__ import COMMAND
from experiments.settings import applies
from experiments.settings.repeating import line, repeated_by

if TYPE_CHECKING:
    import polars as pl

    from experiments.compare.job import Compared
    from experiments.tabular import Table


class Comparison(python.Result):
    """A run of matches: `rows`, `summary`, `table`, `plot`; its repr is the command's output."""

    def __init__(self, compared: Compared, folder: Path, temporary: bool) -> None:
        super().__init__(folder, temporary)
        self._compared = compared

    @property
    def rows(self) -> pl.DataFrame:
        from experiments.runs.rows import all_rows

        return all_rows(self.folder)

    @cached_property
    def table(self) -> Table:
        from experiments.compare import outcome

        return outcome.table(self._compared.summary, self._compared.played)

    def draw(self, folder: Path) -> None:
        from experiments.compare import outcome

        outcome.draw(self._compared.summary, self._compared.played, folder)

    def show(self, console: Console) -> None:
        from experiments.compare import outcome

        outcome.show(self._compared.summary, self._compared.played, console)


def compare(overrides: Sequence[str] = (), progress: bool = True, **settings: Any) -> Comparison:
    """Play players on the same games, as ``python -m experiments.compare`` does.

    >>> compare(player="bmcts", opponent="heuristic", games=200, rules="ledford", seed=1)
    >>> compare(players=["bmcts", "flat"], games=100, folder="outputs/two")

    Parameters
    ----------
    overrides : as on the command line, for settings without a keyword
    progress : whether to show it, in a terminal or a notebook
    settings : of the command.  ``player``, ``opponent``: presets, or a dict of a ``preset`` and
        changes, as ``{"preset": "bmcts", "budget": {"simulations": 300}}``; other sections are
        dicts, or their keys are given without the section: ``games`` is ``match.games``.
        ``folder``: the run folder, continued if it holds the same run.  Without it the folder is
        temporary, is removed with the result, and nothing is recorded in MLflow

    Returns
    -------
    Comparison

    Raises
    ------
    Refused : (a ValueError) with the reason in one line
    KeyboardInterrupt : on Ctrl-C, after the games played have been saved; the message names the
        folder
    """
    from experiments.compare import job

    with python.calling(settings) as (given, temporary):
        COMMAND.register()
        typed = python.overrides_of(COMMAND.schema, given, overrides)
        composed = applies.compose("compare", typed)
        folder = Path(composed.run.folder)
        with repeated_by(line("compare", typed)):
            matches, console = job.plan(composed, typed), python.console(progress)
            made = job.compare(composed, matches, folder, console, shows=False)
        return Comparison(made, folder, temporary)
