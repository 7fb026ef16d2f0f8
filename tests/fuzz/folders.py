"""Damaged run folders: refused in a line and left as they are, or reported and gone on with.

A folder is what a run leaves: plan, configuration, rows of games and of decisions in two parts,
summary and stops.  One thing or several in it are damaged; then it is reported, compared with
itself, and gone on with.  A reader must not write to it; a run that goes on must keep every row.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import mutate
import pyarrow as pa
import pyarrow.parquet as pq
from judge import Finding, capture, find_fault
from rich.console import Console

from experiments.matches import match_loop, part_files, results
from experiments.matches.details import DECISION
from experiments.matches.results import ROW, Played, Results
from experiments.matches.schedule import Match, Seating
from experiments.provenance.files import write_json
from experiments.report import __main__ as report
from experiments.runs import runfolder, summary
from experiments.settings.commandline import Refusal
from experiments.stats.stopping import parse

MATCH = Match(
    name="bmcts against 3 heuristic",
    rules={"name": "ledford", "players": 4},
    entrants=({"name": "bmcts", "label": "ours"}, {"name": "heuristic"}),
    seating=Seating.one(4, range(4)),
    measured=0,
    seed=5,
    details=("decisions",),
)
GAMES = 12
"""Games that the folder holds; as many more are played by who goes on with it."""

PAGES = 40
"""One folder in so many that can be read is reported whole, which takes a second of drawing."""


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    whole = make_folder(folder / "whole")
    (folder / "case").mkdir(parents=True)
    for case in range(number):
        random, at = Random(f"{seed}/{case}"), folder / "case" / "run"
        shutil.copytree(whole, at)
        said = "; ".join(damage(random, at) for _ in range(random.choice((1, 1, 1, 2))))
        named = f"folder {case} of seed {seed} ({said})"
        yield next(_wrong(named, whole, at, case % PAGES == 1), None)
        shutil.rmtree(at)
        shutil.rmtree(folder / "case" / "page", ignore_errors=True)


def make_folder(folder: Path) -> Path:
    """Return the folder of a run of `GAMES` games."""
    runfolder.claim(folder, [MATCH], "games")
    kept = Results(folder, [MATCH])
    for games in (range(GAMES // 2), range(GAMES // 2, GAMES)):
        kept.add(0, make_rows(games))
        kept.flush()
    (folder / "config.yaml").write_text(f"seed: 5\nmatch:\n  games: {2 * GAMES}\n")
    figures = summary.figures(kept, parse("games")).to_json()
    found = {"stop": "games", **figures, "seconds": 8.0, "held": 0}
    found |= {"interrupted": False, "fault": None, "seed": 5, "run": runfolder.about(folder)}
    write_json(folder, found)
    write_json(folder, {MATCH.name: 2 * GAMES}, results.STOPS)
    return folder


def make_rows(games: Any) -> Played:
    """Return rows of ``games``, made up."""
    labels = MATCH.labels
    rows, decisions = [], []
    for game in games:
        for seat, who in enumerate(MATCH.seating.at([game])[0].tolist()):
            place = {"match": MATCH.name, "game": game, "seat": seat, "player": labels[who]}
            counts = {"suggestions": 5, "decisions": 3 - 3 * who, "simulations": 30 - 30 * who}
            of_game = {"winner": game % 3, "turns": 20 + game, "game_suggestions": 20}
            said = {"faults": 0, "focal": who == 0, "won": seat == game % 3, "out": False}
            rows.append({**place, **counts, **of_game, **said, "search_seconds": 0.5 - 0.5 * who})
            if who == 0:
                made_up = {"kind": "move", "simulations": 10, "seconds": 0.1, "envelope": 4.0}
                decisions += [{**place, **made_up, "turn": turn} for turn in (1, 5)]
    details = {"decisions": pa.Table.from_pylist(decisions, DECISION)}
    return Played(pa.Table.from_pylist(rows, ROW), details=details)


def damage(random: Random, folder: Path) -> str:
    """Damage something in ``folder``; return what and how, in words."""
    path = random.choice(sorted(folder.iterdir()))
    if path.is_fifo():  # by the damage before; a reader waits for a writer
        return f"{path.name}: nothing"
    kinds: list[Callable[[Random, Path], None]] = [_bytes, _other]
    if path.is_file() and not path.is_symlink():
        kinds += {".json": [_json], ".parquet": [_rows]}.get(path.suffix, []) * 4
    kind = random.choice(kinds)
    try:
        kind(random, path)
    except (ValueError, OSError, KeyError, pa.ArrowException, UnicodeError):
        return f"{path.name}: nothing"  # was damaged before so that this is not possible any more
    return f"{path.name}: {kind.__name__[1:]}"


def _bytes(random: Random, path: Path) -> None:
    path.write_bytes(mutate.raw(random, path.read_bytes()))


def _json(random: Random, path: Path) -> None:
    path.write_text(json.dumps(mutate.value(random, json.loads(path.read_text()))))


def _rows(random: Random, path: Path) -> None:
    """Change values, columns or rows of a part, and write it as Parquet."""
    table = pq.read_table(path)
    name = random.choice(table.column_names)
    at, kind = table.column_names.index(name), random.randrange(7)
    values = table[name].to_pylist()
    if kind == 0:
        table = table.drop_columns([name])
    elif kind == 1:
        other = random.choice([pa.string(), pa.float32(), pa.int32(), pa.list_(pa.int64())])
        table = table.set_column(at, name, pa.nulls(len(values), other))
    elif kind == 2:
        table = pa.concat_tables([table, table.slice(random.randrange(len(values)), 3)])
    elif kind == 3:
        table = table.take(random.sample(range(len(values)), random.randrange(len(values))))
    elif kind == 4:
        table = table.append_column(random.choice(["x", name]), table[name])
    else:
        odd = [None, -1, -(2**60), 2**40, 2**62, float("nan"), float("inf"), 1e300, True, "\x1b[2J"]
        fit = [value for value in odd if _fits(value, table.schema.field(name).type)]
        for _ in range(random.choice((1, 3))):
            values[random.randrange(len(values))] = random.choice(fit)
        table = table.set_column(at, name, pa.array(values, table.schema.field(name).type))
    pq.write_table(table, path)


def _fits(value: Any, kind: pa.DataType) -> bool:
    try:
        pa.array([value], kind)
    except (pa.ArrowException, TypeError, ValueError):
        return False
    return True


def _other(random: Random, path: Path) -> None:
    """Put something else in place of a file, or beside it."""
    kind, content = random.randrange(9), path.read_bytes()
    if kind < 2:
        shutil.copy(path, path.with_name(path.name.replace("00000", ("00007", "x")[kind])))
        return
    if kind == 2:
        path.with_name(f".{path.name}.abcd.writing").write_bytes(b"half")
        return
    path.unlink()
    if kind == 3:
        path.mkdir()
    elif kind == 4:
        os.mkfifo(path)
    elif kind == 5:
        path.symlink_to("nowhere")
    elif kind == 6:
        path.symlink_to(path.name)
    elif kind == 7:
        path.write_bytes(content * 3)


def _wrong(named: str, whole: Path, at: Path, page: bool) -> Iterator[Finding]:
    """Yield what is wrong in what is done with the folder ``at``."""
    before = picture(at)
    if page:
        look: Callable[[Console], Any] = partial(report.report, [at], at.parent / "page")
    else:
        look = partial(_read, at)
    found = find_fault(f"{named}, report", capture(look))
    if found is None and picture(at) != before:
        found = Finding(f"{named}, report", "it changes the folder that it reads")
    if found is not None:
        yield found
    rows = _all_rows(at)
    seen = capture(partial(gone_on, at))
    found = find_fault(f"{named}, resume", seen)
    if found is None and seen.code and picture(at) != before:
        found = Finding(f"{named}, resume", "it refuses the folder and changes it")
    if found is None and not seen.code:
        found = _find_loss(f"{named}, resume", rows, at)
    if found is not None:
        yield found


def _read(folder: Path, console: Console) -> None:
    from experiments.report.run import load

    for fault in load(folder, "a").faults:
        console.print(fault)


def gone_on(folder: Path, console: Console) -> None:
    """Do what `experiments.compare` does to go on with a run; the games are made up."""
    plan = (folder, [MATCH], "games")
    runfolder.examine(*plan)
    kept = Results.resume(folder, [MATCH])
    runfolder.claim(*plan)
    kept.add(0, make_rows(kept.tallies[0].missing(0, 2 * GAMES).tolist()))
    # All has been played, so that it looks, locks, writes and ends.
    nothing = match_loop.Resources((1,), (1.0,), None, 1, alone=True)
    ended = match_loop.play(kept, 2 * GAMES, parse("games"), nothing, lambda: True)
    if ended.fault is not None:
        raise Refusal(ended.fault)
    console.print(f"{kept.games} games")


def _find_loss(named: str, rows: list[dict[str, Any]] | None, folder: Path) -> Finding | None:
    """Return what is wrong with a folder that was gone on with."""
    now = _all_rows(folder)
    if now is None:
        return Finding(named, "its rows cannot be read any more")
    if rows is not None and not all(row in now for row in rows):
        return Finding(named, "rows that were there are gone")
    if sorted({row["game"] for row in now}) != list(range(2 * GAMES)) or len(now) != 8 * GAMES:
        return Finding(named, "games are missing, or there twice")
    return None


def _all_rows(folder: Path) -> list[dict[str, Any]] | None:
    """Return the rows of games in ``folder``, all that are there; None if they cannot be read."""
    found: list[dict[str, Any]] = []

    def take(_: Console) -> None:
        for part in part_files.parts(folder):
            found.extend(part_files.read(part, ROW).to_pylist())

    return None if capture(take).code else found


def picture(folder: Path) -> dict[str, str]:
    """Return what each thing in ``folder`` is, by name."""
    return {path.name: _what(path) for path in sorted(folder.iterdir())}


def _what(path: Path) -> str:
    if path.is_symlink():
        return f"link {os.readlink(path)}"
    if not path.is_file():
        return f"no file {path.lstat().st_mode}"
    return hashlib.sha256(path.read_bytes()).hexdigest()
