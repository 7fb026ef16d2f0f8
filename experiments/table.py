"""The tables of the papers and of playing strength, from Python.

>>> from experiments import table
>>> table("ledford_4_1", games=300)

The module is callable; see `table` below.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from experiments import python
from experiments.callable import make_callable
from experiments.settings import applies, config
from experiments.settings.repeating import line, repeated_by

if TYPE_CHECKING:
    import polars as pl

    from experiments.tables.page import Page
    from experiments.tabular import Table

make_callable(__name__, "experiments.table:table")


class Tabled(python.Result):
    """A table as far as it has been played: `rows`, `table`, `plot`."""

    def __init__(self, page: Page, folder: Path) -> None:
        super().__init__(folder)
        self._page = page

    @property
    def rows(self) -> pl.DataFrame:
        """One row per game and seat of all cells; several runs are concatenated."""
        import polars as pl

        from experiments.matches.row_provenance import MATCHES_FILE
        from experiments.runs.rows import all_rows

        runs = sorted(path.parent for path in self.folder.rglob(MATCHES_FILE))
        return pl.concat([all_rows(run) for run in runs], how="diagonal")

    @cached_property
    def table(self) -> Table:
        return self._page.report.shown

    def draw(self, folder: Path) -> None:
        self._page.draw(folder)


def table(
    name: str, overrides: Sequence[str] = (), progress: bool = True, **settings: Any
) -> Tabled:
    """Play the missing games of the table ``name``, as ``python -m experiments.tables`` does.

    >>> table("ledford_4_1", games=300)
    >>> table("planners", only=["best", "flat"], games=4)

    ``settings``: of the command.  Runs lie in ``folder``, as the command's do, so a call continues
    where another stopped.  Errors, ``overrides`` and ``progress`` are those of
    `experiments.compare.python.compare`.
    """
    from experiments.tables import catalog, page
    from experiments.tables.__main__ import COMMAND

    with python.refusing():
        catalog.register()
        COMMAND.register()
        typed = python.overrides_of(COMMAND.schema, {"table": name, **settings}, overrides)
        composed = config.compose("tables", typed, with_hydra=True)
        with config.share(composed):
            OmegaConf.resolve(composed)
            config.check_sections(composed)
            applies.check("tables", composed, typed)
            with repeated_by(line("tables", typed)), python.silent(not progress):
                COMMAND.job(composed, Path())
        asked = {key: composed[key] for key in page.ASKED}
        found = catalog.read(composed.table, name)
        made = page.read(found, Path(composed.folder), asked)
        return Tabled(made, Path(composed.folder) / found.folder)
