"""The library: records that it finds, and files that it does not open."""

import json
import os

import pytest
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.library import Library, is_regular
from experiments.web.tables.table import Table


@pytest.fixture
def library(tmp_path):
    """Return the library of a folder with a record and things that are none."""
    run = tmp_path / "outputs" / "run"
    (run / "records").mkdir(parents=True)
    table = Table(setup(COMPUTER, COMPUTER, COMPUTER, COMPUTER, turn_cap=20), tmp_path)
    play_to_prompt(table)
    (run / "records" / "game-1.jsonl").write_text(table.game.record())
    (run / "records" / "broken.jsonl").write_text("{}\n")
    (run / "records" / "empty.jsonl").write_text("")
    copies = run.parent / "mlartifacts" / "records"
    copies.mkdir(parents=True)
    (copies / "game-1.jsonl").write_text(table.game.record())
    (tmp_path / "secret.jsonl").write_text(table.game.record())
    (run / "records" / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (run.parent / "beside.jsonl").write_text(table.game.record())
    return Library(tmp_path / "outputs")


def test_records_are_found_by_what_they_are(library):
    (record,) = library.records()
    assert record.about["seats"] == ["swift"] * 4 and record.about["rules"] == "ledford"
    end = json.loads(record.path.read_text().splitlines()[-1])
    assert record.about["turns"] == end["turns"] == 20 and record.about["winner"] is None
    assert record.about["name"] == "run/records/game-1.jsonl"
    assert library.record(record.name).name == "game-1.jsonl"


@pytest.mark.parametrize("name", ["", "..", "run", "run/records/game-1.jsonl", "/etc/passwd"])
def test_nothing_is_opened_by_a_path(library, name):
    with pytest.raises(KeyError):
        library.record(name)


def test_what_is_no_file_is_neither_listed_nor_waited_for(library, tmp_path):
    records = tmp_path / "outputs" / "run" / "records"
    before = [thing.path for thing in library.records()]
    os.mkfifo(records / "pipe.jsonl")
    (records / "folder.jsonl").mkdir()
    assert [thing.path for thing in library.records()] == before
    assert not is_regular(records / "pipe.jsonl") and not is_regular(records / "link.jsonl")
    assert is_regular(before[0])  # the control


def test_a_file_that_goes_meanwhile_is_left_out(library, monkeypatch, tmp_path):
    gone = tmp_path / "outputs" / "run" / "records" / "gone.jsonl"
    files = library._files
    monkeypatch.setattr(library, "_files", lambda: [*files(), (1, gone)])
    assert len(library.records()) == 1


def test_a_file_that_has_changed_is_read_again(library):
    (record,) = library.records()
    first, rest = record.path.read_text().split("\n", 1)
    header = json.loads(first)
    record.path.write_text(json.dumps({**header, "game": 77}) + "\n" + rest)
    os.utime(record.path, (1, 1))
    assert library.records()[0].about["game"] == 77 != record.about["game"]
