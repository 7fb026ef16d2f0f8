"""A process knows what code another runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcts.distributed import code

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
