"""One Ray and one MLflow database for all tests of the main job; each takes seconds to make."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from experiments.compare import __main__ as compare
from experiments.episodes import __main__ as episodes
from experiments.episodes import problems
from experiments.matches import results
from experiments.matches.schedule import Match
from experiments.provenance import tracking
from experiments.provenance.files import SUMMARY
from experiments.settings import commandline, config
from experiments.settings.command import Command
from experiments.sweep import __main__ as sweep
from experiments.tables import __main__ as tables
from tests.experiments.rows import make_match, read_rows

for variable in [name for name in os.environ if name.startswith("MLFLOW_TRACKING")]:
    del os.environ[variable]  # tests must not record to a server of their user

sys.path.insert(0, str(Path(__file__).parent))
"""Where tests of this folder find the modules beside them."""


@dataclass(frozen=True)
class Outcome:
    """Remains of a command: exit code, output, and the run folder."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def summary(self) -> dict[str, Any]:
        return json.loads((self.folder / SUMMARY).read_text())

    @property
    def line(self) -> dict[str, Any]:
        """The only line of the summary's table."""
        (line,) = self.summary["table"]
        return line

    @property
    def figures(self) -> dict[str, Any]:
        """The summary without times and what names the run."""
        figures = {
            key: value for key, value in self.summary.items() if key not in ("seconds", "run")
        }
        for line in figures["table"]:
            del line["simulations_per_second"]
        return figures


@dataclass(frozen=True)
class Swept(Outcome):
    """Remains of a sweep."""

    @property
    def table(self) -> list[dict[str, str]]:
        with (self.folder / "sweep.csv").open() as file:
            return list(csv.DictReader(file))

    @property
    def figures(self) -> dict[str, Any]:
        return {key: each for key, each in self.summary.items() if key not in ("seconds", "run")}

    @property
    def rows(self) -> dict[str, Any]:
        """All rows of all trials, by folder."""
        return {
            each.name: read_rows(each).to_pylist()
            for each in sorted(self.folder.glob("*-[0-9]*"))
            if results.parts(each)
        }


@pytest.fixture(scope="session")
def _ray_ended() -> Iterator[None]:
    yield
    from experiments.matches import runner

    runner.stop()


@pytest.fixture
def ray_session(_ray_ended: None) -> None:
    """The private Ray of this worker, started again if another test has ended it."""
    from experiments.matches import runner

    runner.start(None, 2)


@pytest.fixture(scope="session")
def database_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    tracking.Store(f"sqlite:///{folder / 'mlflow.db'}", "first", folder)
    return folder / "mlflow.db"


@pytest.fixture
def database(database_template: Path, tmp_path: Path) -> str:
    shutil.copy(database_template, tmp_path / "mlflow.db")
    return f"sqlite:///{tmp_path / 'mlflow.db'}"


@pytest.fixture
def run_compare(tmp_path, monkeypatch, capsys) -> Callable[..., Outcome]:
    """Run `experiments.compare` in this process with the given command line."""
    monkeypatch.setenv("HYDRA_FULL_ERROR", "0")
    monkeypatch.setattr(config, "cores", lambda: 2)
    runs = iter(range(100))

    def run(*arguments: str) -> Outcome:
        folder = tmp_path / f"run{next(runs)}"
        given = [] if any(each.startswith("run.folder=") for each in arguments) else [folder]
        monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
        code = compare.COMMAND.run([*arguments, *(f"run.folder={each}" for each in given)])
        shown = capsys.readouterr()
        return Outcome(code, shown.out, shown.err, folder)

    return run


@pytest.fixture
def run_study(tmp_path, monkeypatch, capsys) -> Callable[..., Outcome]:
    """Run a study's command in this process with the given command line, in the folder ``out``."""

    def run(command: Command, *arguments: str) -> Outcome:
        folder = tmp_path / "out"
        elsewhere = any(setting.startswith("run.") for setting in arguments)
        monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
        code = command.run([*arguments, *(() if elsewhere else (f"run.folder={folder}",))])
        shown = capsys.readouterr()
        return Outcome(code, shown.out, shown.err, folder)

    return run


@pytest.fixture
def game(tmp_path: Path) -> Callable[..., str]:
    """Write a game, with a fault or none, and return how it is named on the command line."""
    from cups import GAME  # which stands beside this

    def write(fault: str | None = None, more: str = "") -> str:
        path = tmp_path / f"game_{fault}.py".replace(" ", "_")
        path.write_text(GAME.replace("FAULT = None", f"FAULT = {fault!r}") + more)
        return f"{path}:problem"

    return write


@pytest.fixture
def command(run_study: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Run `experiments.episodes` in this process at a small size."""

    def run(*arguments: str) -> Outcome:
        problems.player.cache_clear()
        problems.read.cache_clear()
        exact = ("problem=tiger", "problem=rocksample")
        chosen = [each for each in arguments if each.startswith(("problem=", "paper="))]
        few = [] if all(each in exact or ".POMDP" in each for each in chosen) else ["particles=60"]
        return run_study(episodes.COMMAND, "simulations=30", *few, *arguments)

    return run


@pytest.fixture
def run_tables(monkeypatch, capsys) -> Callable[..., tuple[int, Any]]:
    """Run `experiments.tables` in this process; return its exit code and what it printed."""

    def run(*arguments: str, folder: Path) -> tuple[int, Any]:
        monkeypatch.setattr(sys, "argv", ["tables", *arguments, f"folder={folder}"])
        monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
        code = 0
        try:
            tables.main()
        except SystemExit as end:
            code = end.code or 0
        return code, capsys.readouterr()

    return run


@pytest.fixture
def run_sweep(tmp_path, monkeypatch, capsys, ray_session) -> Callable[..., Swept]:
    """Run `experiments.sweep` in this process, in the folder ``name``."""
    monkeypatch.setattr(config, "cores", lambda: 2)

    def command(*arguments: str, name: str = "sweep") -> Swept:
        folder = tmp_path / name
        monkeypatch.setattr(sys, "argv", ["sweep", *arguments, f"run.folder={folder}"])
        code = commandline.attempt(sweep.NAME, sweep.run)
        shown = capsys.readouterr()
        return Swept(code, shown.out, shown.err, folder)

    return command


@pytest.fixture(scope="session")
def rows() -> Callable[..., pa.Table]:
    """Make rows up, in which the measured player sits in seat game mod 4."""
    return _rows


@pytest.fixture(scope="session")
def match() -> Match:
    """The match that `rows` are of."""
    return make_match("bmcts", seed=0)


def _rows(
    games: Iterable[int],
    winner: Callable[[int], int] = lambda game: game % 4,
    of: Match | None = None,
) -> pa.Table:
    """Return rows of the usual match, or ``of`` another one."""
    of = of or make_match("bmcts", seed=0)
    return pa.Table.from_pylist(
        [
            {
                "match": of.name,
                "game": game,
                "seat": seat,
                "player": of.labels[who],
                "focal": who == 0,
                "won": seat == winner(game),
                "out": False,
                "suggestions": 5 + seat,
                "decisions": 0 if who else 10,
                "simulations": 0 if who else 1000,
                "search_seconds": 0.0 if who else 0.5,
                "faults": 0,
                "winner": winner(game),
                "turns": 100 + game,
                "game_suggestions": 26,
            }
            for game in games
            for seat, who in enumerate(of.seating.at([game])[0].tolist())
        ],
        results.ROW,
    )
