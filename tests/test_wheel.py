"""The package works from a wheel, in an empty folder: code, configurations and console scripts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.test_architecture import imports

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mcts", "belief", "sim", "experiments", "conf")

COMES_WITH = {"omegaconf", "llvmlite", "markupsafe", "sqlalchemy"}
"""Libraries that others which are required need."""


OPTIONAL = {
    "choix": "experiments/stats/ratings.py",
    "gymnasium": "sim/environment/",
    "pettingzoo": "sim/environment/",
    "shapely": ("sim/hunt/geometry/", "experiments/hunt/", "experiments/web/"),
    "pyspiel": ("mcts/openspiel/",),
    "starlette": "experiments/web/",
    "uvicorn": "experiments/web/",
}
"""Libraries of extras, and the file or folders that need them, and say what to install."""


def run(command, folder, **variables):
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def installation(tmp_path_factory) -> Path:
    """The folder of an installation from a wheel, without what it depends on."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", "."], source)
    assert built.returncode == 0, built.stderr
    (wheel,) = (source / "dist").glob("*.whl")
    made = run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], source)
    assert made.returncode == 0, made.stderr
    return site


def test_nothing_is_left_out(installation):
    for name in PACKAGES:
        here, there = (
            {
                path.relative_to(folder).as_posix()
                for path in (folder / name).rglob("*")
                if path.suffix in (".py", ".yaml", ".jinja", ".json")
            }
            for folder in (ROOT, installation)
        )
        assert here == there


def test_a_match_is_played_in_an_empty_folder(installation, tmp_path):
    settings = ("player=random", "opponent=random", "run.folder=run")
    settings += ("debug=quick", "match.games=4", "match.workers=1", "rules.turn_cap=8")
    command = [installation / "bin" / "sleuth-compare", *settings]
    # Interpreted: another place on the disk would have everything compiled again.
    played = run(command, tmp_path, PYTHONPATH=str(installation), NUMBA_DISABLE_JIT="1")
    assert played.returncode == 0, played.stderr
    about = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert about["table"][0]["games"] == 4
    assert about["run"]["commit"] is None


def test_every_script_has_a_command(installation):
    described = (ROOT / "pyproject.toml").read_text()
    scripts = dict(re.findall(r'(?m)^(sleuth[-\w]*) = "(.*):main"', described))
    assert {path.name for path in (installation / "bin").iterdir()} == set(scripts)
    for name, module in scripts.items():
        command = import_module(module)
        assert callable(command.main)
        assert name == (command.COMMAND.title if hasattr(command, "COMMAND") else command.NAME)


def test_all_that_is_imported_is_required():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = {re.split(r"[<>=\[]", requirement)[0] for requirement in project["dependencies"]}
    extras = " ".join(map(" ".join, project["optional-dependencies"].values()))
    called = {"hydra": "hydra-core", "lazy_loader": "lazy-loader", "yaml": "pyyaml"}
    called |= {"sklearn": "scikit-learn", "pyspiel": "open_spiel"}
    assert all(called.get(name, name) in extras for name in OPTIONAL)
    ours = {*PACKAGES, *sys.stdlib_module_names}
    for path in (path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for top in {name.partition(".")[0] for name in imports("", path.read_text())}:
            if place.startswith(OPTIONAL.get(top, place + "/")):
                continue
            if top not in ours and top not in COMES_WITH:
                assert called.get(top, top) in known, f"{path.name} imports {top}"
