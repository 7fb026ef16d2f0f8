"""Damaged run folders do no harm; and the fuzzer finds what would."""

import shutil

import folders
import pytest

from experiments.matches import part_files, run_schemas
from experiments.matches.results import Results, Tally
from experiments.runs import runfolder

CASES = 40


def test_damaged_folders_are_refused_in_a_line_or_used(tmp_path):
    assert [found for found in folders.attack(CASES, 1, tmp_path) if found] == []


def complains(tmp_path, words, most=300):
    """Return whether one of the cases is found with a complaint that has ``words`` in it."""
    attack = folders.attack(most, 1, tmp_path)
    return any(words in found.complaint for found in attack if found)


def test_a_plan_that_is_not_looked_at_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(run_schemas, "check", lambda kind, value: value)
    assert complains(tmp_path, "traceback")


def test_rows_that_are_not_looked_at_are_found(monkeypatch, tmp_path):
    def twice(_, folder):
        part = folder / "games-00000.parquet"
        shutil.copy(part, part.with_name("games-00007.parquet"))
        return "twice"

    monkeypatch.setattr(folders, "damage", twice)
    assert not complains(tmp_path / "a", "", 1)
    monkeypatch.setattr(part_files, "check_rows", lambda *_: None)
    monkeypatch.setattr(Tally, "take", lambda tally, _, *games: tally.add(*games))
    assert complains(tmp_path / "b", "games are missing, or there twice", 1)


def test_lost_rows_are_found(monkeypatch, tmp_path):
    resumed = Results.resume

    def careless(folder, matches, alone=False):
        found = resumed(folder, matches, alone)
        for part in [] if alone else part_files.parts(folder)[:1]:
            part.unlink()
        return found

    monkeypatch.setattr(Results, "resume", staticmethod(careless))
    assert complains(tmp_path, "rows that were there are gone")


def test_a_refusal_that_writes_is_found(monkeypatch, tmp_path):
    examine = runfolder.examine

    def careless(folder, *plan):
        if folder.exists():
            (folder / "probe").write_text("x")
        return examine(folder, *plan)

    monkeypatch.setattr(runfolder, "examine", careless)
    assert complains(tmp_path, "it refuses the folder and changes it")


@pytest.mark.parametrize("whole", [True, False])
def test_the_folder_itself_is_used(tmp_path, whole):
    made = folders.make_folder(tmp_path / "whole")
    assert list(folders._wrong("", made, made, whole)) == []
