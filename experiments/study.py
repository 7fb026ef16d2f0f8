"""The frame of every study, so that a study's own files hold its question alone.

A study measures *units* one after another -- positions, games, set-ups -- and each gives rows:

* its settings are ``conf/NAME.yaml``, changed on the command line as everywhere (Hydra);
* its folder belongs to one process and one choice of settings; ``run.resume`` continues it;
* rows are kept as Parquet, every minute and on Ctrl-C, and with them which units are done; where
  units run a user's code (`Rows.numbered`) each is written to a journal at once;
* figures go to ``summary.json`` with where they come from, then pictures, then a table.

A study of one file is a `Study`, a value: ``examples/first_seat.py`` is one.  Nothing slow is
imported at the top: ``--help`` and a mistyped setting should not wait.
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
from io import FileIO
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from experiments import run, terminal
from experiments.provenance import provenance
from experiments.provenance.files import CONFIG as CONFIG
from experiments.provenance.files import atomic_write, read_yaml, reading
from experiments.run import LOCK, MAKE_ROOM, writing_run
from experiments.runs.study_rows import Rows as Rows  # as studies call it
from experiments.runs.study_rows import read_journal, read_kept
from experiments.settings import repeating
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.config import plain
from experiments.settings.limits import place, seed

if TYPE_CHECKING:
    import polars as pl

    from experiments.tabular import Table

T = TypeVar("T")

SAVE_SECONDS = 60.0
"""Time between two writings of the rows: what a kill may cost."""

LINE_SECONDS = 10.0
"""Time between lines that say how far a study is, where there is no terminal."""

MOST_NOTED = 16 * 2**20
"""Bytes of a journal after which the rows are written before their time."""

PIPED_WIDTH = 125
"""Columns of the tables where there is no terminal to fit."""


@dataclass
class Place:
    """Folder and resumption of a run."""

    folder: str = place()
    resume: str | None = place()


@dataclass
class Settings:
    """Settings that every study has."""

    run: Place = field(default_factory=Place)
    seed: int = seed()


def command(
    name: str,
    schema: type[Settings],
    job: Callable[[DictConfig, Run], None],
    bare: str | None = None,
) -> Command:
    """Return the command of the study ``name``.

    ``schema``: of ``conf/NAME.yaml``; ``job``: checks what types cannot say, then `Run.claim`,
    `Run.measure` and `Run.finish`; ``bare``: as `Command.bare`.
    """

    def lock_folder(settings: DictConfig, folder: Path) -> None:
        with Run(settings, folder) as run:
            job(settings, run)

    return Command(name, schema, lock_folder, bare=bare, lasting=True)


@dataclass(frozen=True)
class Study:
    """A study of one file, as a value; `main` is its command.

    Attributes
    ----------
    name : of its folder, and before messages
    about : what it measures, for ``--help``
    settings : dataclass of its settings, each with a default
    rows : what it keeps
    units : what is to be measured, by the settings; numbers or names
    measure : the rows of a unit, by the settings; called once before, with the first, to compile
    tables : what is printed, by the rows and the settings;
        ``summary.json`` has their cells
    draw : draws the rows, by the settings, to the path of a PNG; None: there is no picture
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
        """The command, whose configuration needs no file."""
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
            self._job(settings, run)

    def _job(self, settings: DictConfig, run: Run) -> None:
        units = self.units(settings)
        run.claim(self.rows)
        if set(units) - {*run.done}:
            run.compile(lambda: list(self.measure(settings, units[0])))
        rows = run.measure_each(units, partial(self.measure, settings))
        tables = self.tables(rows, settings)
        figures = {table.title: table.as_text() for table in tables}
        pictures, draw = [f"{self.name}.png"] if self.draw else [], self.draw
        run.finish(
            figures, tables, pictures, lambda to: draw and draw(rows, settings, to / pictures[0])
        )


class Run(run.Run):
    """One run of a study in ``folder``: to be used in a ``with`` block, which has the lock.

    Attributes
    ----------
    console : for messages meanwhile
    done : the units that are measured, in order
    interrupted : whether Ctrl-C ended the measurement
    """

    def __init__(self, settings: DictConfig, folder: Path) -> None:
        console = terminal.console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
        super().__init__(folder, settings.run.resume is not None, console=console)
        self.settings = settings
        self.done: list[Any] = []
        self.interrupted = False
        self._configuration = plain(settings)
        self._lock = ExitStack()
        self._counts: dict[str, int] = {}
        self._journal: FileIO | None = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def claim(self, rows: Rows, besides: Mapping[str, str] | None = None) -> None:
        """Take the folder for ``rows``, and take up those that it holds, before anything slow.

        ``besides``: what else is noted with the settings, and must be the same to continue.  Raises
        Refusal if it is another's, has other settings or cannot be written to.
        """
        self._rows, self._noted = rows, 0
        self._configuration.update(besides or {})
        self.refuse_foreign(rows.file)
        self._lock.enter_context(self.lock())
        self._lock.callback((self.folder / LOCK).unlink, missing_ok=True)  # before it is released
        before = self.load_plan(lambda path: plain(OmegaConf.create(read_yaml(path))))
        if before is None:
            self.write_settings(self._configuration)
        else:  # what may be more is written by `measure`, once it is known not to be less
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

        ``measured``: called with what is left and a function to report parts of a unit to; yields
        each unit that is done with its rows, and is closed on Ctrl-C.  Raises Refusal if the folder
        cannot be written to any more, or `measured` refuses.  Raises Interrupted on Ctrl-C before
        `Rows.least` units were done.
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
                    if self._rows.numbered:
                        self._note(*result)
                    bar.update(task, completed=done)
                    if bar.disable and time.monotonic() - said > LINE_SECONDS:
                        said = time.monotonic()
                        rest = describe_rest(len(units) - done, done - before, said - started)
                        self.console.print(f"  {done}/{len(units)} {self._rows.units}, {rest}")
                    if time.monotonic() - saved > SAVE_SECONDS or self._noted > MOST_NOTED:
                        self._keep(new)
                        new, saved = [], time.monotonic()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if new:
                self._keep(new)
        least, name = self._rows.least, self._rows.units
        if len(self.done) < least:
            few = f"{least} {name} were" if least > 1 else f"the first of the {name} was"
            raise Interrupted(f"interrupted before {few} done")
        return self._found

    def measure_each(
        self, units: Sequence[Any], measured: Callable[[Any], Iterable[Mapping[str, Any]]]
    ) -> pl.DataFrame:
        """Return the rows of all ``units``, as `measure`; ``measured`` returns those of one."""
        return self.measure(units, lambda left, _: ((unit, [*measured(unit)]) for unit in left))

    def compile(self, job: Callable[[], T]) -> T:
        """Return the result of ``job``, which compiles what is measured or timed afterwards.

        Raises KeyboardInterrupt on Ctrl-C, which does not wait for a compiler.
        """
        from experiments.matches.background import Background
        from experiments.matches.progress import COMPILING, stage

        with stage(self.console, COMPILING):
            return Background(job).result()

    def _refuse_fewer(self, units: Sequence[Any]) -> None:
        """Refuse ``units`` among which are not all that are done, because a count is lower."""
        for key, count in self._counts.items():
            now = self._configuration[key]
            if now < count and not {*self.done} <= {*units}:
                raise Refusal(
                    f"{key}={now}: {self.folder} has more, {len(self.done)} {self._rows.units}; "
                    f"give {key}={count}, or choose another folder"
                )

    def _read_rows(self, rows: Rows) -> None:
        """Take up the rows that the folder holds, and note which units are done.

        Raises Refusal if they are not what a study writes.
        """
        import polars as pl

        path, journal = self.folder / rows.file, self.folder / rows.journal
        self._found = pl.DataFrame(schema=rows.schema)
        if path.exists():
            with reading(path, "remove it, and what it holds is measured again"):
                self.done, self._found = read_kept(path, self._found)
        if journal.exists():
            with reading(journal, "remove it, and what it holds is measured again"):
                new = read_journal(journal, rows, set(self.done))
            self._keep(new)

    def _note(self, unit: Any, its_rows: Iterable) -> None:
        """Add a unit that is done to the journal."""
        line = json.dumps([unit, [*its_rows]]).encode() + b"\n"
        with writing_run(self.folder, MAKE_ROOM):
            if self._journal is None:
                self._journal = FileIO(self.folder / self._rows.journal, "x")
            self._noted += self._journal.write(line)

    def _keep(self, new: Sequence[tuple[Any, Iterable]]) -> None:
        """Add ``new`` units with their rows to those that are done, and write all down."""
        import polars as pl

        self.done += [unit for unit, _ in new]
        rows = [row for _, its_rows in new for row in its_rows]
        if rows:
            self._found = pl.concat([self._found, pl.from_dicts(rows, self._rows.schema)])
        if self._rows.numbered:
            self._found = self._found.sort(self._rows.numbered)
        with writing_run(self.folder, MAKE_ROOM):
            with atomic_write(self.folder / self._rows.file) as writing:
                self._found.write_parquet(writing, metadata={"done": json.dumps(self.done)})
            if self._journal is not None:
                self._journal.close()
            (self.folder / self._rows.journal).unlink(missing_ok=True)
            self._journal, self._noted = None, 0

    def finish(
        self,
        figures: Mapping[str, Any],
        tables: Iterable[Table],
        pictures: Sequence[str],
        draw: Callable[[Path], object],
    ) -> None:
        """Write the summary and, unless interrupted, the pictures; print the tables.

        ``figures``: for ``summary.json``, with where they come from; ``tables``: to be printed;
        ``pictures``, ``draw``: their files, and what draws them into a folder; older ones are
        removed, so that each picture fits the figures.  Raises Refusal if something cannot be
        written.  Raises Interrupted after Ctrl-C, when all is written.
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
                f"run.resume={self.folder} goes on"
            )
