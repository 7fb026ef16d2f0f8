"""Every command takes its settings in the same way, and answers help and faults at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import import_module

import pytest
import yaml
from omegaconf import MISSING, OmegaConf

from experiments import __main__ as listing
from experiments.compare import __main__ as compare
from experiments.explain import __main__ as explain
from experiments.explain.__main__ import Explain
from experiments.settings import arguments, config
from experiments.settings.command import Command
from experiments.settings.commandline import Refusal
from experiments.settings.schemas import Compare
from experiments.sweep import __main__ as sweep

COMMANDS = ("compare", "explain", "report")
"""Those made with `experiments.settings.command`."""

PROBE = """
import contextlib, importlib, io, json, sys
command = importlib.import_module(f"experiments.{sys.argv[1]}.__main__").COMMAND
ended = []
for typed in sys.argv[2:]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command.run(typed.split())
    ended.append([code, out.getvalue(), err.getvalue()])
heavy = {"numba", "ray", "mlflow", "matplotlib", "scipy", "polars", "pandas", "pyarrow"}
print(json.dumps([ended, sorted(heavy & set(sys.modules)), len(sys.modules)]))
"""

FAULTS = {
    "--gmaes=5": "--gmaes=5: unknown flag",
    "--games 5": "--games: unknown flag",
    "-x": "-x: unknown flag",
    "--cfg jbo": "argument -c/--cfg: invalid choice",
    "nosuch=1": "nosuch: unknown setting",
    "nosuch/group=1": "nosuch/group: unknown group",
    "a=(": "cannot read 'a=('",
}


def probe(name: str, *lines: str) -> tuple[list[tuple[int, str, str]], list[str], int]:
    """Run a command with each of ``lines``, one after another in a process of their own.

    Return of each the exit code, output and errors; what slow libraries were imported; and how many
    modules, for clocks waver on a busy machine.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROBE, name, *lines], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read_settings(shown: str) -> tuple[dict, set[str]]:
    """Return the settings that a help shows, and the dotted keys that have a meaning."""
    text = shown.split("with current values ==\n")[1].split("\n\n")[0]
    above: list[tuple[int, str]] = []
    explained = set()
    for line in text.splitlines():
        if found := re.match(r"( *)(\w+):", line):
            depth = len(found[1])
            above = [*(one for one in above if one[0] < depth), (depth, found[2])]
        if "  # " in line:
            explained.add(".".join(key for _, key in above))
    return yaml.safe_load(text), explained


def check_settings(shown: str, composed: dict) -> None:
    """Refuse a help that lacks one of the keys ``composed``, or its meaning, or is too wide."""
    listed, explained = read_settings(shown)
    keys = {key for key, _ in config.leaves(composed)}
    assert {key for key, _ in config.leaves(listed)} == keys
    plain = {key for key in keys if key.rpartition(".")[2] not in ("name", "_target_")}
    assert not [key for key in plain if not {key, key.rpartition(".")[0]} & explained]
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("name", sorted({*listing.commands()} - {"sweep"}))
def test_all_of_the_help_has_each_key_with_its_meaning_in_80_columns(capsys, name):
    command = import_module(f"experiments.{name}.__main__").COMMAND
    assert command.run(["--help", "all"]) == 0
    shown = capsys.readouterr().out
    composed = OmegaConf.to_container(config.compose(name))
    check_settings(shown, composed)
    with pytest.raises(AssertionError):
        check_settings(shown, {**composed, "left_out": 1})


def test_the_help_of_a_sweep_has_the_settings_of_its_points_as_well(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sweep", "--help", "all", "player=swift", "seed=1,2"])
    sweep.run()
    composed = config.compose("compare", ["player=swift"]), config.compose("sweep")
    whole = OmegaConf.merge(*map(OmegaConf.to_container, composed))
    check_settings(capsys.readouterr().out, OmegaConf.to_container(whole))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_and_faults_come_at_once(name):
    (short, whole, *faults), heavy, modules = probe(name, "--help", "--help all", *FAULTS)
    assert not heavy and modules < 520  # 445; NumPy alone has a hundred
    for code, out, err in (short, whole):
        assert (code, err) == (0, "")
        for words in (f"sleuth-{name}: ", f"python -m experiments.{name} ", "== Settings"):
            assert words in out
        assert "--cfg job" in out and "schema" not in out
    assert len(short[1].splitlines()) <= 60
    if "  # " not in short[1]:
        assert "--help all" in short[1] and len(short[1]) < len(whole[1])
    for said, (code, out, err) in zip(FAULTS.values(), faults, strict=True):
        assert (code, out) == (1, "")
        assert err.startswith(f"sleuth-{name}: {said}"), err
        assert err.count("\n") == 1, err


@dataclass
class Inner:
    title: str = MISSING
    marks: list[int] = field(default_factory=list)


@dataclass
class Outer:
    files: list[str] = MISSING
    output: str | None = MISSING
    count: int = MISSING
    inner: Inner = field(default_factory=Inner)


def read(*typed: str, schema: type = Outer, bare: str | None = "files") -> list[str]:
    return arguments.read(typed, schema, bare).overrides


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("match.players=[a,b+x.y=1]", "match.players=['a','b+x.y=1']"),
        ("match.players=['a','b=1']", "match.players=['a','b=1']"),
        ("match.players=[a+b=1,c],[d]", "match.players=['a+b=1','c'],['d']"),
        ("run.folder=a (1)=b", "run.folder='a (1)=b'"),
    ],
)
def test_the_command_line_needs_no_quotes(given, asked):
    assert read(given, schema=Compare, bare=None) == [asked]


def test_arguments_without_a_name_are_those_of_one_key(tmp_path, monkeypatch):
    assert read("a b", "it's", "count=2") == [r"files=['a b','it\'s']", "count=2"]
    assert read("a,b", bare="output") == ["output='a,b'"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x=1").touch()
    assert read("x=1", "x=2") == ["files=['x=1']", "x=2"]
    with pytest.raises(Refusal, match="b: one output is enough"):
        read("a", "b", bare="output")
    with pytest.raises(Refusal, match="cannot read 'a': write it as name=value"):
        read("a", bare=None)


def test_flags_may_stand_anywhere():
    given = arguments.read(
        ["count=1", "-m", "a", "--cfg", "job", "count=2", "--help"], Outer, "files"
    )
    assert given.overrides == ["files=['a']", "count=1", "count=2"]
    assert given.multirun and given.help and given.flags == ["--cfg", "job"]


def test_a_job_is_told_what_was_typed_and_a_refusal_leaves_no_folder(tmp_path, monkeypatch, capsys):
    seen = []

    def job(settings, folder):
        assert folder == tmp_path / "run" and folder.is_dir()
        seen.append((sys.argv[1:], settings.record))
        raise Refusal("no")

    command = Command("explain", Explain, job, bare="record")
    typed = ["it's", "event=3", f"run.folder={tmp_path / 'run'}"]
    monkeypatch.setattr(sys, "argv", ["explain", *typed])
    assert command.run() == 1
    assert seen == [(typed, "it's")]
    assert sys.argv == ["explain", *typed]
    assert capsys.readouterr().err == "sleuth-explain: no\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda settings: settings.tree.nose, "tree.nose: unknown setting (did you mean"),
        (lambda settings: OmegaConf.create({"a": "???"}).a, "a: Missing mandatory value"),
        (lambda settings: OmegaConf.create({"a": "${oc.env:N_O}"}).a, "a: KeyError raised while"),
    ],
    ids=["key", "missing", "environment"],
)
def test_what_a_user_caused_is_told_in_a_line_inside_the_job_too(tmp_path, capsys, fault, said):
    command = Command("explain", Explain, lambda settings, folder: fault(settings))
    assert command.run(["record=x", "event=3", f"run.folder={tmp_path / 'run'}"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"sleuth-explain: {said}") and shown.count("\n") == 1, shown


def test_what_the_user_did_not_cause_is_a_traceback(tmp_path):
    """The control: bugs are not hidden."""

    def job(settings, folder):
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        Command("explain", Explain, job).run(
            ["record=x", "event=3", f"run.folder={tmp_path / 'run'}"]
        )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("player.label=${nope:1}", "Unsupported interpolation type nope"),
        ("seed=9223372036854775808", "seed=9223372036854775808: must be at most 9,223,372,036,8"),
        ("tree.picture=../x.png", "tree.picture=../x.png: give a name, not a path"),
    ],
)
def test_a_value_that_cannot_be_is_told_before_anything_is_read(
    tmp_path, monkeypatch, capsys, typed, said
):
    monkeypatch.chdir(tmp_path)
    given = [f"run.folder={tmp_path / 'run'}"] if "run.folder" not in typed else []
    assert explain.COMMAND.run(["x", "event=3", typed, *given]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"sleuth-explain: {said}") and shown.count("\n") == 1, shown
    assert not list(tmp_path.iterdir())


def test_a_name_of_a_player_is_no_way_out_of_the_folder_of_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert compare.COMMAND.run(["player.name=../../../x", "opponent.name=/y"]) == 1
    assert "choose one of" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["outputs"]
