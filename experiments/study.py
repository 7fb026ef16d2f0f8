"""The frame of every study; a study's own files hold only what it measures.

A study measures *units* (positions, games, set-ups) one after another; each yields rows:

* settings are in ``conf/NAME.yaml`` and are overridden on the command line (Hydra);
* a folder belongs to one process and one set of settings; the same command continues it;
* rows and the list of finished units are saved as Parquet every few seconds and on Ctrl-C;
* at the end it writes ``summary.json`` with provenance, draws plots and prints tables.

A study in one file is a `Study`: see ``examples/first_seat.py``.  Nothing slow is imported at the
top, so that ``--help`` and mistyped settings answer at once.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from experiments import run, terminal
from experiments.locks import LOCK
from experiments.provenance import provenance
from experiments.provenance.files import CONFIG as CONFIG
from experiments.provenance.files import MAX_BYTES, atomic_write, read_yaml, reading, regular
from experiments.run import MAKE_ROOM, writing_run
from experiments.settings import repeating
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal, in_folder
from experiments.settings.config import plain
from experiments.settings.limits import place, seed

if TYPE_CHECKING:
    import polars as pl

    from experiments.tabular import Table

T = TypeVar("T")

MAX_ROWS = 10_000_000
"""Maximum number of rows of a study that is resumed."""

SAVE_SECONDS = 10.0
"""Time between two saves of the rows: the most that a kill can cost."""

LINE_SECONDS = 10.0
"""Time between progress lines where there is no terminal."""

PIPED_WIDTH = 125
"""Columns of the tables where there is no terminal."""


@dataclass
class Place:
    """Folder of a run."""

    folder: str = place()


@dataclass
class Settings:
    """Settings common to all studies."""

    run: Place = field(default_factory=Place)
    seed: int = seed()


def command(
    name: str,
    schema: type[Settings],
    job: Callable[[DictConfig, Run], None],
    bare: str | None = None,
) -> Command:
    """Return the command of the study ``name``.

    ``schema``: of ``conf/NAME.yaml``; ``job``: checks what types cannot, then calls `Run.claim`,
    `Run.measure` and `Run.finish`; ``bare``: as `Command.bare`.
    """

    def lock_folder(settings: DictConfig, folder: Path) -> None:
        with Run(settings, folder) as run:
            job(settings, run)

    return Command(name, schema, lock_folder, bare=bare, lasting=True)


@dataclass(frozen=True)
class Rows:
    """Schema of the rows that a study keeps.

    Attributes
    ----------
    file : Parquet file
    units : word for the units measured, plural
    schema : column to data type
    more : settings that may change on resuming: they set the number of units
    min_units : units required before there is anything to report
    numbered : column with the unit's number, if units end in any order
    """

    file: str
    units: str
    schema: Mapping[str, pl.DataType | type[pl.DataType]]
    more: tuple[str, ...]
    min_units: int = 1
    numbered: str | None = None


@dataclass(frozen=True)
class Study:
    """A study in one file, as a value; `main` is its command.

    Attributes
    ----------
    name : of its folder; prefixes messages
    about : its purpose, for ``--help``
    settings : dataclass of its settings, each with a default
    rows : schema of the rows it keeps
    units : returns the units to measure, given the settings; numbers or names
    measure : returns the rows of a unit, given the settings; first called once with the first unit
        to compile
    tables : returns the tables to print, given rows and settings; ``summary.json`` holds their
        cells
    draw : draws the rows, given the settings, to the path of a PNG; None: no plot
    """

    name: str
    about: str
    settings: type[Settings]
    rows: Rows
    units: Callable[[DictConfig], Sequence[Any]]
    measure: Callable[[DictConfig, Any], Iterable[Mapping[str, Any]]]
    tables: Callable[[pl.DataFrame, DictConfig], Sequence[Table]]
    draw: Callable[[pl.DataFrame, DictConfig, Path], object] | None = None

    @cached_property
    def command(self) -> Command:
        """The command; its configuration needs no file."""
        folder = f"outputs/${{now:%Y-%m-%d_%H-%M-%S}}_{self.name}"
        given = {
            "defaults": [f"schema/{self.name}@_here_", "study", "_self_"],
            "run": {"folder": folder},
            "hydra": {"help": {"header": self.about, "footer": ""}},
        }
        ConfigStore.instance().store(self.name, given)
        return command(self.name, self.settings, self.job)

    def main(self) -> NoReturn:
        """Run the command line and exit with its code."""
        self.command.main()

    def job(self, settings: DictConfig, run: Run) -> None:
        """Measure, write the results and print them."""
        overrides = repeating.line(self.name, HydraConfig.get().overrides.task)
        script = getattr(sys.modules["__main__"], "__file__", None) or f"{self.name}.py"
        again = overrides.replace(f"-m experiments.{self.name}", shlex.quote(relpath(script)))
        with repeating.repeated_by(again):
            units, draw = self.units(settings), self.draw
            run.claim(self.rows)
            if set(units) - {*run.done}:
                run.compile(lambda: list(self.measure(settings, units[0])))
            rows = run.measure_each(units, partial(self.measure, settings))
            tables, picture = self.tables(rows, settings), f"{self.name}.png"
            figures = {table.title: table.as_text() for table in tables}
            drawn = [picture] if draw else []
            run.finish(
                figures, tables, drawn, lambda to: draw and draw(rows, settings, to / picture)
            )


class Run(run.Run):
    """A run of a study in ``folder``; used in a ``with`` block, which holds the lock.

    Attributes
    ----------
    console : for messages during the run
    done : the measured units, in order
    interrupted : whether Ctrl-C ended the measurement
    """

    def __init__(self, settings: DictConfig, folder: Path) -> None:
        console = terminal.console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
        super().__init__(folder, console=console)
        self.settings = settings
        self.done: list[Any] = []
        self.interrupted = False
        self._configuration = plain(settings)
        self._lock = ExitStack()
        self._counts: dict[str, int] = {}

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def claim(self, rows: Rows, besides: Mapping[str, str] | None = None) -> None:
        """Claim the folder for ``rows`` and load the rows it holds, before anything slow.

        ``besides``: further values stored with the settings, which must be the same to continue.
        Raises Refusal if the folder is another's, has other settings or cannot be written to.
        """
        self._rows = rows
        self._configuration.update(besides or {})
        self._lock.enter_context(self.lock())
        self._lock.callback((self.folder / LOCK).unlink, missing_ok=True)  # before release
        before = self.load_plan(lambda path: plain(OmegaConf.create(read_yaml(path))))
        if before is None:
            self.write_settings(self._configuration)
        else:  # `measure` writes counts that may grow, once it knows they did not shrink
            vary = {"run", *rows.more}
            there, now = (
                {key: value for key, value in settings.items() if key not in vary}
                for settings in (before, self._configuration)
            )
            self.check_same(there, now)
            self._counts = {k: before[k] for k in rows.more if isinstance(before.get(k), int)}
        self._read_rows(rows)

    def measure(
        self,
        units: Sequence[Any],
        measured: Callable[[list[Any], Callable[[float], None]], Generator[tuple[Any, Iterable]]],
    ) -> pl.DataFrame:
        """Measure the ``units`` that the folder does not hold yet, and return the rows of all.

        ``measured``: called with the remaining units and a function that reports parts of a unit;
        yields each finished unit with its rows, and is closed on Ctrl-C.  Raises Refusal if the
        folder can no longer be written to, or `measured` refuses.  Raises Interrupted on Ctrl-C
        before `Rows.min_units` units are done.
        """
        from experiments.matches.progress import bars, describe_rest

        self._refuse_fewer(units)
        self.write_settings(self._configuration)
        held = set(self.done)
        left = [unit for unit in units if unit not in held]
        bar, before = bars(self.console), len(units) - len(left)
        task = bar.add_task(self._rows.units, total=len(units), completed=before)
        new: list[tuple[Any, Iterable]] = []
        started = saved = said = time.monotonic()
        try:
            with bar, closing(measured(left, lambda part: bar.advance(task, part))) as results:
                for done, result in enumerate(results, before + 1):
                    new.append(result)
                    bar.update(task, completed=done)
                    if bar.disable and time.monotonic() - said > LINE_SECONDS:
                        said = time.monotonic()
                        rest = describe_rest(len(units) - done, done - before, said - started)
                        self.console.print(f"  {done}/{len(units)} {self._rows.units}, {rest}")
                    if time.monotonic() - saved > SAVE_SECONDS:
                        self._keep(new)
                        new, saved = [], time.monotonic()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if new:
                self._keep(new)
        least, name = self._rows.min_units, self._rows.units
        if len(self.done) < least:
            few = f"{least} {name} were" if least > 1 else f"the first of the {name} was"
            raise Interrupted(f"interrupted before {few} done")
        return self._found

    def measure_each(
        self, units: Sequence[Any], measured: Callable[[Any], Iterable[Mapping[str, Any]]]
    ) -> pl.DataFrame:
        """Return the rows of all ``units``, as `measure`; ``measured`` returns the rows of one."""
        return self.measure(units, lambda left, _: ((unit, [*measured(unit)]) for unit in left))

    def compile(self, job: Callable[[], T]) -> T:
        """Return the result of ``job``, which compiles code that is then measured or timed.

        Raises KeyboardInterrupt on Ctrl-C without waiting for the compiler.
        """
        from experiments.matches.background import Background
        from experiments.matches.progress import COMPILING, stage

        with stage(self.console, COMPILING):
            return Background(job).result()

    def _refuse_fewer(self, units: Sequence[Any]) -> None:
        """Refuse ``units`` that lack some finished ones because a count was lowered."""
        for key, count in self._counts.items():
            now = self._configuration[key]
            if now < count and not {*self.done} <= {*units}:
                raise Refusal(
                    f"{key}={now}: {self.folder} has more, {len(self.done)} {self._rows.units}; "
                    f"give {key}={count}, or choose another folder"
                )

    def _read_rows(self, rows: Rows) -> None:
        """Load the folder's rows and note which units are done; Refusal if they are malformed."""
        import polars as pl

        path = self.folder / rows.file
        self._found = pl.DataFrame(schema=rows.schema)
        if path.exists():
            with reading(path, "remove it to measure its units again"):
                self.done, self._found = read_kept(path, self._found)

    def _keep(self, new: Sequence[tuple[Any, Iterable]]) -> None:
        """Add ``new`` units and their rows to the finished ones, and save all."""
        import polars as pl

        self.done += [unit for unit, _ in new]
        rows = [row for _, its_rows in new for row in its_rows]
        if rows:
            self._found = pl.concat([self._found, pl.from_dicts(rows, self._rows.schema)])
        if self._rows.numbered:
            self._found = self._found.sort(self._rows.numbered)
        place = self.folder / self._rows.file
        with writing_run(self.folder, MAKE_ROOM), atomic_write(place) as writing:
            self._found.write_parquet(writing, metadata={"done": json.dumps(self.done)})

    def finish(
        self,
        figures: Mapping[str, Any],
        tables: Iterable[Table],
        pictures: Sequence[str],
        draw: Callable[[Path], object],
    ) -> None:
        """Write the summary and, unless interrupted, the plots; print the tables.

        ``figures``: for ``summary.json``, which adds provenance; ``tables``: to print;
        ``pictures``, ``draw``: the plot files, and a function that draws them into a folder; older
        files are removed, so that plots always fit the summary.  Raises Refusal if something cannot
        be written.  Raises Interrupted after Ctrl-C, once all is written.
        """
        from experiments.tabular import show

        where = {"configuration": self._configuration, **provenance.origin()}
        seconds = self.seconds
        state = {"interrupted": self.interrupted, "seconds": seconds, "run": where}
        with writing_run(self.folder, MAKE_ROOM):
            self.write_summary({**figures, **state})
            if self.interrupted:  # Ctrl-C does not wait for Matplotlib
                self.draw(pictures, lambda _: None)
            else:
                self.draw(pictures, draw)
        for table in tables:
            show(table, self.console)
        self.console.print(f"{seconds:.0f} s; written to {self.folder}", soft_wrap=True)
        if self.interrupted:
            raise Interrupted(
                f"interrupted after {len(self.done)} {self._rows.units}, kept in {self.folder}; "
                f"continue with {in_folder(self.folder)}"
            )


def read_kept(path: Path, like: pl.DataFrame) -> tuple[list[Any], pl.DataFrame]:
    """Return the finished units and their rows, with the columns of ``like``.

    Raises OSError, ValueError if ``path`` holds something else.
    """
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    regular(path, MAX_BYTES)
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MAX_ROWS:
                raise ValueError(f"it claims {file.metadata.num_rows:,} rows")
            done = json.loads((file.metadata.metadata or {}).get(b"done", b"null"))
            found = pl.DataFrame(pl.from_arrow(file.read()))
    except (pa.ArrowException, RecursionError, pl.exceptions.PolarsError) as fault:
        raise ValueError(str(fault)) from None
    if not isinstance(done, list) or not all(isinstance(unit, int | str) for unit in done):
        raise ValueError("it does not say which units are done")
    for name, kind in like.schema.items():
        if found.schema.get(name) != kind:
            raise ValueError(f"column {name} holds {found.schema.get(name)}, not {kind}")
    found = found.select(like.columns)
    for name in found.select(pl.col(pl.Float64)).columns:
        if not found[name].is_finite().all():
            raise ValueError(f"column {name} has a NaN or infinite value")
    return done, found
