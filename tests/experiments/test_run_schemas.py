"""Files of run folders are read without trust in who made them, and written where they belong."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from experiments.matches import part_files, results
from experiments.matches.results import Played, Results
from experiments.provenance import files
from experiments.report import __main__ as report
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from sim.records import record

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.fixture
def run(tmp_path, match, rows):
    """The folder of a run of 8 games."""
    folder = tmp_path / "run"
    runfolder.claim(folder, [match], "games")
    kept = Results(folder, [match])
    kept.add(0, Played(rows(range(8))))
    kept.flush()
    return folder


def refusal(what, *given) -> str:
    with pytest.raises(Refusal) as fault:
        what(*given)
    return str(fault.value)


CHANGES = {
    "matches": ([], "matches: List should have at least 1 item"),
    "matches.0.seed": (2**63, "matches.0.seed: Input should be less than"),
    "matches.0.name": ("\ud800", "matches.0.name: "),
    "matches.0.entrants.0.search": (None, "matches.0.entrants.0.search"),
    "matches.0.seating.line_ups": ([[0, 1, 1, 2]], "seating.line_ups: there are 2 entrants"),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_plan_is_refused_by_its_field(run, field):
    path = run / runfolder.MATCHES_FILE
    plan = inner = json.loads(path.read_text())
    *outer, last = (int(part) if part.isdigit() else part for part in field.split("."))
    for part in outer:
        inner = inner[part]
    inner[last], shown = CHANGES[field]
    path.write_text(json.dumps(plan))
    said = refusal(runfolder.load, run)
    assert str(path) in said and shown in said


def change_value(table, column, at, value):
    values = table[column].to_pylist()
    values[at] = value
    at, field = table.schema.get_field_index(column), table.schema.field(column)
    return table.set_column(at, field, pa.array(values, field.type))


PARTS = {
    "column winner is missing": lambda table: table.drop_columns(["winner"]),
    "column turns has -5": lambda table: change_value(table, "turns", 1, -5),
    "column player: in game 0": lambda table: change_value(table, "player", 0, "x"),
    "duplicate or missing seat": lambda table: pa.concat_tables([table, table.slice(0, 4)]),
    "differs between the seats": lambda table: change_value(table, "turns", 0, 1),
    "contradicts the column winner": lambda table: change_value(table, "won", 0, False),
}


@pytest.mark.parametrize("shown", PARTS)
def test_a_part_is_refused_by_its_column(run, shown):
    (part,) = results.parts(run)
    pq.write_table(PARTS[shown](pq.read_table(part)), part, store_schema=False)
    said = refusal(runfolder.load, run)
    assert str(part) in said and shown in said


def test_a_game_in_two_parts_is_refused(run):
    (part,) = results.parts(run)
    part.with_name("games-00001.parquet").write_bytes(part.read_bytes())
    assert "is also in an earlier part" in refusal(runfolder.load, run)


def test_a_part_that_claims_too_much_is_not_read(run, monkeypatch):
    monkeypatch.setattr(part_files, "MAX_ROWS", 31)
    assert "claims 32 rows; the limit is 31" in refusal(runfolder.load, run)
    monkeypatch.setattr(part_files, "MAX_ROWS", 32)
    monkeypatch.setattr(part_files, "MAX_BYTES", 100)
    assert "the limit is 100" in refusal(runfolder.load, run)


@pytest.mark.parametrize("kind", ["folder", "pipe", "large", "loop", "deep", "latin"])
def test_what_is_no_plan_is_refused_without_being_read(run, kind, monkeypatch):
    path = run / runfolder.MATCHES_FILE
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)  # which nobody writes to: who opens it waits for ever
    elif kind == "large":
        path.touch()
        os.truncate(path, 10**10)  # takes no room
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        path.write_bytes(b"[" * 10_000 + b"]" * 10_000 if kind == "deep" else b'{"a": "\xe9"}')
    said = refusal(report.report, [run], None, Console(quiet=True))
    assert str(run) in said and "\n" not in said


def test_a_configuration_with_references_is_refused(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(BOMB)
    with pytest.raises(ValueError, match="it has references"):
        files.read_yaml(path)
    path.write_text(BOMB.partition("\n")[0])
    assert files.read_yaml(path) == {"a": ["x", "x"]}  # a name alone does no harm
    path.write_text("!!python/object/apply:os.system ['touch x']")
    with pytest.raises(ValueError, match="it is not YAML"):
        files.read_yaml(path)


def test_a_large_record_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "game.jsonl"
    path.touch()
    os.truncate(path, record.MAX_BYTES + 1)
    monkeypatch.setattr(record, "MAX_BYTES", 1000)
    with pytest.raises(record.RecordError, match="it is no game"):
        record.read(path)


def test_nothing_is_written_through_what_lies_in_a_folder(tmp_path):
    """Links with the names that are written to, and with those that were used in between."""
    other, folder = tmp_path / "other", tmp_path / "run"
    folder.mkdir()
    other.write_text("mine")
    for name in ("report.html", ".report.html.writing"):
        (folder / name).symlink_to(other)
    files.write_text(folder / "report.html", "page")
    assert other.read_text() == "mine"
    assert (folder / "report.html").read_text() == "page"
    assert not (folder / "report.html").is_symlink()
    assert (folder / "report.html").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name", ["config.yaml", "mlflow_run.txt", "records", ".lock"])
def test_a_run_with_links_in_its_folder_is_not_gone_on_with(run, match, tmp_path, name):
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(tmp_path / "elsewhere")
    assert "is a link" in refusal(runfolder.examine, run, [match], "games")
    assert not (tmp_path / "elsewhere").exists()


def test_a_run_of_an_older_version_goes_on_where_new_settings_are_as_usual(run, match):
    path = run / "matches.json"
    plan = json.loads(path.read_text())
    del plan["matches"][0]["beliefs"]
    path.write_text(json.dumps(plan))
    assert runfolder.examine(run, [match], "games")
    assert runfolder.read_matches(run) == [match]
    for other in (
        replace(match, beliefs=True),
        replace(match, rules={**match.rules, "summons": False}),
    ):
        said = refusal(runfolder.examine, run, [other], "games")
        assert "was played with other settings" in said


def test_a_part_that_was_being_written_is_no_part_and_is_removed(run, match, monkeypatch):
    """As a kill in the middle of a write leaves it."""
    kept = Results.resume(run, [match])
    before = sorted(run.iterdir())

    def die(table, file, **_):
        file.write(b"PAR1 half of it")
        file.flush()
        os.link(file.name, f"{run}/.games-00001.parquet.killed.writing")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", die)
    kept._unwritten["games"] = [pq.read_table(results.parts(run)[0])]
    with pytest.raises(OSError, match="No space"):
        kept.flush()
    left = set(run.iterdir()) - set(before)
    assert [path.name for path in left] == [".games-00001.parquet.killed.writing"]
    assert Results.resume(run, [match]).games == 8
    os.utime(*left, (0, 0))
    files.clear(run)
    assert sorted(run.iterdir()) == before
