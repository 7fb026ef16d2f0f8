"""A sweep as a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from experiments import python
from experiments.settings.repeating import line, repeated_by
from experiments.settings.schemas import Compare
from experiments.sweep import schema

if TYPE_CHECKING:
    import polars as pl

    from experiments.sweep.job import Job
    from experiments.sweep.outcomes import Played
    from experiments.tabular import Table

SECTION = ("method", "trials", "block", "prune_p", "perturb", "step", "fresh")
"""Keys of the sweep itself that may omit ``sweep.``."""


class Swept(python.Result):
    """A sweep: `rows` of all trials, `summary`, `table` of the points, `plot`.

    Its repr is the command's output.  Attribute ``played``: its trials
    (`experiments.sweep.outcomes.Played`).
    """

    def __init__(self, job: Job, played: Played, temporary: bool) -> None:
        super().__init__(job.folder, temporary)
        self._job, self.played = job, played

    @property
    def rows(self) -> pl.DataFrame:
        """One row per game and seat of all trials, with the trial number first (``trial``)."""
        import polars as pl

        from experiments.runs.rows import all_rows
        from experiments.sweep.trials import trial_folder

        lines = [line for line in self.played.lines if line.same_as is None and line.games]
        frames = [
            all_rows(trial_folder(self.folder, line.trial)).select(
                pl.lit(line.trial).alias("trial"), pl.all()
            )
            for line in lines
        ]
        return pl.concat(frames, how="diagonal")

    @cached_property
    def table(self) -> Table:
        from experiments.sweep import report

        return report.table(self.played, self._job.axes)

    def draw(self, folder: Path) -> None:
        from experiments.sweep.job import PLOT

        self._job.draw(self.played, folder / PLOT)

    def show(self, console: Console) -> None:
        from experiments.sweep import report

        report.show(self.summary, self.played, console)


def sweep(overrides: Sequence[str] = (), progress: bool = True, **settings: Any) -> Swept:
    """Play many settings of a player on the same games, as ``python -m experiments.sweep`` does.

    >>> sweep(player={"preset": "swift", "threshold": [0.3, 0.4, 0.5]}, opponent="swift")
    >>> sweep(player="bmcts", method="racing", trials=40, folder="outputs/race",
    ...       overrides=["player.search.exploration=interval(0.1,2)"])

    ``settings``: as for `experiments.compare.python.compare`; a list of values, or text such as
    ``interval(0.1,2)``, is an axis; ``method``, ``trials`` and the like belong to the sweep.
    Errors, ``overrides`` and ``progress`` as there.
    """
    from experiments.sweep.job import make_job

    with python.calling(settings) as (given, temporary):
        schema.register()
        given = {f"sweep.{key}" if key in SECTION else key: each for key, each in given.items()}
        typed = python.overrides_of(Compare, given, overrides, axes=True)
        with repeated_by(line("sweep", typed)):
            job = make_job(typed)
            played = job.run(python.console(progress), shows=False)
        return Swept(job, played, temporary)
