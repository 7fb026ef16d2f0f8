"""A process knows what code another runs, and finds the private parts of Ray."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcts.distributed import code, local_ray

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("mcts", "belief", "sim", "experiments")


def digest_in(folder: Path) -> str:
    command = "from mcts.distributed import code; print(code.digest())"
    asked = [sys.executable, "-c", command]
    ran = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_copy_has_the_same_digest_until_a_source_changes(tmp_path):
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("*.pyc"))
    assert digest_in(tmp_path) == code.digest()
    with (tmp_path / "sim" / "rules.py").open("a") as file:
        file.write("\n# one line more\n")
    assert digest_in(tmp_path) != code.digest()


def test_other_code_is_refused_by_the_name_of_its_host():
    code.check(code.digest())
    with pytest.raises(code.OtherCode, match="runs other code") as said:
        code.check("0" * 64)
    assert "\n" not in str(said.value)


def test_this_version_has_all_parts(capsys):
    local_ray._warn.cache_clear()
    assert local_ray.find_private("ray._private.ray_constants").ENABLE_RAY_CLUSTER is not None
    assert local_ray.find_private("ray._private.node", "Node").start_monitor
    assert local_ray.find_private("ray._private.services", "find_gcs_addresses").cache_clear
    for name in ("AuthenticationTokenLoader", "Config"):
        assert not isinstance(local_ray.find_private("ray._raylet", name), local_ray.Absent)
    assert local_ray.find_private("ray._private.worker")._worker_logs_enabled in (True, False)
    assert callable(local_ray.find_private("ray._private.utils", "read_ray_address"))
    assert capsys.readouterr().err == ""


def test_missing_parts_are_reported_once_and_do_nothing(capsys):
    local_ray._warn.cache_clear()
    missing = (
        local_ray.find_private("ray._private.ray_constants", "no_name"),
        local_ray.find_private("ray._no_module"),
    )
    for part in missing:
        assert isinstance(part, local_ray.Absent)
        assert not part.instance().has_token(ignore_auth_mode=True)
        assert list(part()) == [] and "127.0.0.1:1" not in part
        part.ENABLE_RAY_CLUSTER = False
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and "is untested" in line
