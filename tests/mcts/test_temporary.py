"""Temporary folders are private, and gone with the process that made them, however it ended."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mcts.kernel import temporary

MAKES = """
import os, sys
from mcts.kernel import temporary
print(temporary.folder("test-", sys.argv[1]), flush=True)
sys.stdin.read()
{end}
"""


def _maker(parent, end):
    return subprocess.Popen(
        [sys.executable, "-c", MAKES.format(end=end), str(parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(autouse=True)
def nothing_made(monkeypatch):
    monkeypatch.setattr(temporary, "_made", {})


@pytest.mark.parametrize("end", ["", "temporary.discard(); os._exit(1)"])
def test_a_folder_goes_with_its_maker(tmp_path, end):
    with _maker(tmp_path, end) as maker:
        made = maker.stdout.readline().strip()
        assert os.stat(made).st_mode & 0o777 == 0o700
        maker.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_folder(tmp_path, monkeypatch):
    (tmp_path / "sleuth-file").touch()
    (tmp_path / "sleuth-link").symlink_to(tmp_path)
    for name in ("another", "sleuth-test-hers"):
        (tmp_path / name).mkdir()
    with _maker(tmp_path, "os._exit(1)") as lives, _maker(tmp_path, "os._exit(1)") as dies:
        kept, left = (maker.stdout.readline().strip() for maker in (lives, dies))
        dies.kill()
        dies.wait()
        first = temporary.folder("test-", tmp_path)
        assert os.path.exists(left), "it might be of one that has not locked it yet"
        monkeypatch.setattr(temporary, "_SETTLED_SECONDS", -1.0)
        second = temporary.folder("test-", tmp_path)
        there = {path.name for path in tmp_path.iterdir()}
        names = {os.path.basename(path) for path in (kept, first, second)}
        assert there == names | {"sleuth-file", "sleuth-link", "another", "sleuth-test-hers"}
    for made in (first, second):
        temporary.remove(made)
        assert not made.exists()
