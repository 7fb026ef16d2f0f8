"""The command: its settings, a port that is taken, an end in order."""

import os
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from http_client import COMPUTER, Client, person

from experiments.web.__main__ import COMMAND

ROOT = Path(__file__).resolve().parents[2]


def run(capsys, *typed):
    """Return exit code and what is said of it."""
    code = COMMAND.run(typed)
    received = capsys.readouterr()
    return code, received.out + received.err


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("port=65536", "port=65536: must be at most 65,535"),
        ("tables=0", "tables=0: must be at least 1"),
        ("idle=0", "idle=0.0: must be at least 0.001"),
        ("host=nowhere.invalid", "cannot listen on nowhere.invalid"),
        ("folder=/proc/nothing", "cannot write to /proc/nothing"),
        ("prot=1", "did you mean port?"),
    ],
)
def test_faults_are_told_in_one_line(capsys, tmp_path, typed, fault):
    folder = [] if typed.startswith("folder") else [f"folder={tmp_path}"]
    code, received = run(capsys, "browser=false", "port=0", *folder, typed)
    assert code == 1 and fault in received and received.count("\n") == 1


def test_a_port_that_is_taken_is_told_in_one_line(capsys, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, received = run(capsys, "browser=false", f"folder={tmp_path}", f"port={port}")
    assert code == 1 and received.count("\n") == 1
    assert received.startswith(f"sleuth-web: port {port} is taken")


def test_all_that_pages_are_made_of_is_packaged():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["experiments.web"]
    here = ROOT / "experiments" / "web"
    files = [path for path in here.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    made = [path.relative_to(here) for path in files if path.suffix != ".py"]
    packaged = {path for pattern in patterns for path in here.glob(pattern)}
    assert len(made) > 30 and all(here / path in packaged for path in made)


def test_without_the_extra_it_says_what_to_install(capsys, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "experiments.web.server.serve", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, received = run(capsys, "browser=false", f"folder={tmp_path}")
    assert code == 1 and received.count("\n") == 1
    assert "pip install 'sleuth-mcts[web]'" in received


def test_a_wish_to_end_keeps_all_games_and_says_so(tmp_path):
    started = subprocess.Popen(
        [sys.executable, "-m", "experiments.web", "browser=false", "port=0", f"folder={tmp_path}"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        client = Client(started.stdout.readline().split()[0])
        made = client.table(person("Ann"), COMPUTER, COMPUTER)
        stream = client.stream(f"/api{made['seats']['0']}/stream")
        stream.until("prompt")
        started.send_signal(signal.SIGTERM)
        _, received = started.communicate(timeout=60)
    finally:
        started.kill()
    assert started.returncode == 128 + signal.SIGTERM
    kept = f"1 game under way kept in {tmp_path} until the next start"
    assert received == f"sleuth-web: ended; {kept}\n"
