"""Content kept on disk comes back whole or not at all, from a folder that is this user's alone."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mcts.kernel import store, temporary, waiting
from mcts.kernel.store import Store, UnsafeCache, prepare

NAME = f"sim.game.play-{'a' * 32}"
OTHER = f"sim.game.play-{'b' * 32}"
CONTENT = b"machine code"


@pytest.fixture
def kept_store(tmp_path):
    """A store that keeps `CONTENT` as `NAME`."""
    kept_store = Store(tmp_path)
    kept_store.write(NAME, CONTENT)
    assert kept_store.read(NAME) == CONTENT
    return kept_store


@pytest.fixture(autouse=True)
def say_again():
    """Lines said once per process can be said in each test."""
    waiting.say.cache_clear()


def test_every_flipped_bit_is_noticed(kept_store):
    path = kept_store.path(NAME)
    whole = path.read_bytes()
    for at in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[at // 8] ^= 1 << at % 8
        path.write_bytes(flipped)
        assert kept_store.read(NAME) is None, f"bit {at}"
    path.write_bytes(whole)
    assert kept_store.read(NAME) == CONTENT


HOLD = """
import sys
from pathlib import Path
from mcts.kernel.store import Store
kept = Store(Path(sys.argv[1]))
print(kept.claim(sys.argv[2]), flush=True)
sys.stdin.readline()
kept.write(sys.argv[2], b"made elsewhere")
kept.disclaim(sys.argv[2])
print("done", flush=True)
sys.stdin.readline()
"""


def test_what_another_process_makes_is_waited_for(tmp_path, monkeypatch):
    """Controls: another name is not waited for, nor for ever."""
    ours, pipe = Store(tmp_path), subprocess.PIPE
    command = [sys.executable, "-c", HOLD, tmp_path, NAME]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as other:
        assert other.stdout.readline() == "False\n", "nobody was before it"
        assert not ours.claim(OTHER)
        monkeypatch.setattr(store, "_PATIENCE", 0.1)
        assert ours.claim(NAME) and ours.read(NAME) is None
        monkeypatch.setattr(store, "_PATIENCE", 60.0)
        waits = []

        def wait(_seconds):  # the other goes on only once we are seen to wait
            if not waits:
                waits.append(other.stdin.write("\n"))

        monkeypatch.setattr(store.time, "sleep", wait)
        assert ours.claim(NAME) and ours.read(NAME) == b"made elsewhere"
        other.stdin.write("\n")


def test_a_claim_ends_with_its_process(tmp_path):
    command = [sys.executable, "-c", HOLD, tmp_path, NAME]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        other.kill()
    assert not Store(tmp_path).claim(NAME)


def test_a_whole_file_under_another_name_is_noticed(kept_store):
    os.rename(kept_store.path(NAME), kept_store.path(OTHER))
    assert kept_store.read(NAME) is None and kept_store.read(OTHER) is None


def remove(path):
    path.unlink()


def folder_gone(path):
    path.unlink()
    path.parent.rmdir()


@pytest.mark.parametrize("damage", [remove, folder_gone])
def test_what_is_no_file_is_a_miss_and_replaced(tmp_path, damage, capfd):
    kept_store = Store(tmp_path / "cache")
    kept_store.write(NAME, CONTENT)  # makes the folder too
    damage(kept_store.path(NAME))
    assert kept_store.read(NAME) is None
    kept_store.write(NAME, CONTENT)
    assert kept_store.read(NAME) == CONTENT
    assert kept_store.path(NAME).lstat().st_mode & 0o777 == 0o600
    assert kept_store.folder.stat().st_mode & 0o777 == 0o700
    assert capfd.readouterr().err == ""


def test_a_full_disk_is_reported_once_and_leaves_what_was_there(kept_store, monkeypatch, capfd):
    def full(ending, prefix, place):
        path = Path(place, f"{prefix}full{ending}")
        path.symlink_to("/dev/full")
        return os.open(path, os.O_WRONLY), str(path)

    monkeypatch.setattr(tempfile, "mkstemp", full)
    for name in (NAME, OTHER):
        kept_store.write(name, b"x" * 100_000)
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and "No space left on device" in said
    assert "SLEUTH_CACHE_DIR" in said
    assert os.listdir(kept_store.folder) == [kept_store.path(NAME).name]
    assert kept_store.read(NAME) == CONTENT


KILLED = """
import os, signal, sys
from pathlib import Path
from mcts.kernel.store import Store
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Store(Path(sys.argv[1])).write(sys.argv[2], b"new")
"""


def test_what_a_killed_writer_left_is_removed_in_time(kept_store):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(kept_store.folder), NAME])
    assert killed.returncode == -9
    (left,) = kept_store.folder.glob("*.tmp")
    assert kept_store.read(NAME) == CONTENT
    Store(kept_store.folder).write(OTHER, b"other")
    assert left.exists()  # it might be another's that is still being written
    os.utime(left, (0, time.time() - 2 * 3600))
    Store(kept_store.folder).write(OTHER, b"other")
    assert not left.exists() and kept_store.read(NAME) == CONTENT


def test_only_our_own_unused_files_are_removed(kept_store):
    thesis = kept_store.folder / "thesis.tex"
    photographs = kept_store.folder / "photographs"
    used, unused = (kept_store.path(name) for name in (NAME, OTHER))
    kept_store.write(OTHER, b"other")
    thesis.touch()
    photographs.mkdir()
    for path in (thesis, photographs, used, unused):
        os.utime(path, (0, 0))
    assert kept_store.read(NAME) == CONTENT  # marks it as used
    Store(kept_store.folder).write(f"new-{'c' * 32}", b"new")
    assert thesis.exists() and photographs.exists() and used.exists()
    assert not unused.exists()


def test_a_new_folder_is_private(tmp_path):
    made = tmp_path / "deep" / "cache"
    before = os.umask(0)
    try:
        prepare(made)
    finally:
        os.umask(before)
    assert made.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "mode",
    [
        0o777,
        0o702,
    ],
)
@pytest.mark.parametrize("by_link", [False, True])
def test_a_folder_that_others_can_write_is_refused(tmp_path, mode, by_link):
    target, linked = tmp_path / "cache", tmp_path / "link"
    target.mkdir()
    linked.symlink_to(target)
    prepare(linked if by_link else target)
    target.chmod(mode)
    with pytest.raises(UnsafeCache, match=r"others can write: .* set SLEUTH_CACHE_DIR"):
        prepare(linked if by_link else target)
    assert target.stat().st_mode & 0o7777 == mode


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UnsafeCache, match=r"belongs to another user: set SLEUTH_CACHE_DIR"):
        prepare(tmp_path)


def reopen(monkeypatch, named):
    """Return the store of a process that finds ``named`` in its environment."""
    monkeypatch.setenv(store.VARIABLE, named)
    return store.open_store.__wrapped__()


@pytest.mark.parametrize("named", ["file", "file/below", "dangling", "x" * 300, "/proc/none"])
def test_instead_of_an_unusable_folder_there_is_a_temporary_one(
    tmp_path, monkeypatch, capfd, named
):
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "at all")
    monkeypatch.setattr(temporary, "_made", {})
    kept_store = reopen(monkeypatch, str(tmp_path / named))
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and "SLEUTH_CACHE_DIR" in said and "Traceback" not in said
    assert kept_store.folder.stat().st_mode & 0o777 == 0o700
    kept_store.write(NAME, CONTENT)
    # A process that this one starts uses it as well, and has nothing to say.
    another = reopen(monkeypatch, os.environ[store.VARIABLE])
    assert another.read(NAME) == CONTENT
    assert capfd.readouterr().err == ""
    with monkeypatch.context() as copy:
        copy.setattr(os, "getpid", lambda: -1)
        temporary.discard()  # in a copy of the process
    assert kept_store.folder.exists()
    temporary.discard()
    assert not kept_store.folder.exists()


def test_a_command_refuses_an_unsafe_folder_in_one_line(tmp_path):
    tmp_path.chmod(0o777)
    asked = ["match.games=1", f"run.folder={tmp_path}/run", "player=random"]
    done = subprocess.run(
        [sys.executable, "-m", "experiments.compare", *asked],
        env={**os.environ, store.VARIABLE: str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"sleuth-compare: machine code is run from {tmp_path}, to which")
    assert done.stderr.count("\n") == 1
