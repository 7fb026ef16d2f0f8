"""Ray on this machine: nobody else reaches it, and what keeps it from starting is one line."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from listening import addresses, family, reachable

from experiments.matches import runner
from experiments.settings.commandline import Refusal
from mcts.distributed import cluster, local_ray
from mcts.distributed.local_ray import MODE, TOKEN, TOKEN_PATH, ray
from mcts.kernel import temporary
from mcts.options import Budget, Options
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.root import RootSearch

JOINING = """
import os, sys
from mcts.distributed import cluster
cluster._join(sys.argv[1])
task = cluster.ray.remote(num_cpus=0)(lambda: os.getpid())
print("the task ran in", cluster.ray.get(task.remote()))
"""


@pytest.fixture
def address(ray_session: None) -> str:
    return ray.get_runtime_context().gcs_address


@pytest.fixture
def no_authentication(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of authentication, and no token in the home folder."""
    for name in (MODE, TOKEN, TOKEN_PATH, "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(local_ray, "_reread", lambda: None)  # other tests use the Ray that runs
    monkeypatch.setattr(ray, "is_initialized", lambda: False)


@pytest.fixture
def folders(no_authentication: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """The private folders made, of a Ray that cannot be shut down by what fails to start."""
    made = []
    make = local_ray.private_folder
    monkeypatch.setattr(local_ray, "private_folder", lambda: made.append(make()) or made[-1])
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.setattr(local_ray, "stop", lambda: None)
    return made


def _stranger(address: str, home: Path, **more: str) -> subprocess.CompletedProcess:
    """Join from another process, which knows nothing but the address and ``more``."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    return subprocess.run(
        [sys.executable, "-c", JOINING, address],
        env=known | cluster._FEW_TRIES | {"HOME": str(home)} | more,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_nothing_listens_but_on_loopback(ray_session):
    play = ray.remote(num_cpus=0)(lambda: os.getpid())  # a worker as those of games
    tiger = TigerParameters(left=0.7, steps=60, rollout=RANDOM)
    with RootSearch(tiger, Options(nodes=200), 2) as search:
        search.run(Budget(simulations=10), 1)
        workers = {ray.get(play.remote()), *(place.process for place in search.places)}
        ours = family(os.getpid())
        assert workers <= set(ours) and len(workers) == 3
        assert all(addresses(worker) for worker in workers), "they listen nowhere"
        assert reachable(os.getpid()) == []


@pytest.mark.nightly
def test_a_stranger_may_not_run_anything(address, tmp_path):
    refused = _stranger(address, tmp_path)
    assert refused.returncode and not refused.stdout
    assert "InvalidAuthToken" in refused.stderr


@pytest.mark.nightly
def test_the_same_with_the_token_may(address, tmp_path):
    token = {MODE: os.environ[MODE], TOKEN: os.environ[TOKEN]}
    assert "the task ran in" in _stranger(address, tmp_path, **token).stdout


def test_the_token_is_on_no_command_line_and_in_no_file(ray_session):
    token = os.environ[TOKEN].encode()
    assert len(token) == 64
    for process in family(os.getpid()):
        assert token not in Path(f"/proc/{process}/cmdline").read_bytes()
    folder = _folder()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files and not [path for path in files if token in path.read_bytes()]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def _folder() -> Path:
    """Return the private folder of the Ray that runs."""
    session = Path(ray._private.worker._global_node.get_session_dir_path())
    return session.parents[1]


def test_each_start_draws_a_token(no_authentication):
    tokens = []
    for _ in range(2):
        with local_ray.authentication():
            assert os.environ[MODE] == "token"
            tokens.append(os.environ[TOKEN])
        assert not {MODE, TOKEN} & set(os.environ)
    assert len(set(tokens)) == 2
    assert not (Path.home() / ".ray").exists()


@pytest.mark.parametrize(
    "hers", [{MODE: "disabled"}, {MODE: "token", TOKEN: "hers"}, {TOKEN: "hers"}, {TOKEN_PATH: "t"}]
)
def test_what_the_user_has_set_is_kept(no_authentication, monkeypatch, tmp_path, hers):
    (tmp_path / "t").write_text("hers")
    monkeypatch.chdir(tmp_path)
    for name, value in hers.items():
        monkeypatch.setenv(name, value)
    with local_ray.authentication():
        now = {name: os.environ[name] for name in (MODE, TOKEN, TOKEN_PATH) if name in os.environ}
    assert now == {MODE: "token"} | hers


@pytest.mark.parametrize(("token", "said"), [(None, "No such file"), (" \n", "no token")])
def test_a_token_file_of_no_use_is_refused(folders, monkeypatch, tmp_path, token, said):
    path = tmp_path / "token"
    if token is not None:
        path.write_text(token)
    monkeypatch.setenv(TOKEN_PATH, str(path))
    with pytest.raises(Refusal, match=f"^RAY_AUTH_TOKEN_PATH={path}: .*{said}"):
        runner.start(None, 2)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ValueError("no\nroom"), "Ray did not start: no room"),
        (RuntimeError("Timed out"), "Ray did not start: Timed out Is the machine overloaded?"),
    ],
)
def test_a_start_that_fails_is_one_line_and_leaves_nothing(folders, monkeypatch, fault, said):
    def fail(*_, **__):
        raise fault

    monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(Refusal) as refusal:
        runner.start(None, 2)
    assert str(refusal.value) == said
    assert len(folders) == 1 and not folders[0].exists()
    assert TOKEN not in os.environ


def test_a_command_line_that_is_no_text_is_refused_at_once(folders, monkeypatch):
    monkeypatch.setattr(sys, "orig_argv", ["python", "player.label=Zo\udcc3\udcab"])
    with pytest.raises(Refusal, match="characters outside the locale's encoding: set LC_ALL"):
        runner.start(None, 2)
    assert not folders


def test_without_a_loopback_interface_nothing_is_started(folders, monkeypatch):
    monkeypatch.setattr(local_ray, "LOOPBACK", "203.0.113.7")  # for documents: nobody has it
    with pytest.raises(Refusal, match=r"^203.0.113.7 cannot be reached \(.+\).*ip link set lo up"):
        runner.start(None, 2)
    assert not folders


@pytest.mark.parametrize("unusable", ["long", "missing"])
def test_a_temporary_folder_of_no_use_is_not_used(monkeypatch, tmp_path, unusable):
    parent = tmp_path / (unusable * 20)
    if unusable == "long":
        parent.mkdir()
    monkeypatch.setenv("RAY_TMPDIR", str(parent))
    folder = local_ray.private_folder()
    temporary.remove(folder)
    assert folder.parent == Path("/tmp")


def test_without_room_for_temporary_files_nothing_is_started(folders, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", "/dev")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    with pytest.raises(Refusal, match=r"temporary folder \(/dev: No space left.*set TMPDIR"):
        runner.start(None, 2)
    assert not folders
