"""Run command lines, each in a fork of one process that has imported what they need.

A fork costs milliseconds where a new process costs seconds, and nothing that a command leaves
behind in its process reaches the next.  This module is the process: it reads requests, a line of
JSON each, and answers each with a line.  `Forks` starts it.

A command plays without Ray: what would start it is refused.  What it opens for writing outside its
folder is reported (Python's audit events), and it may take so much memory and time and no more.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import Outcome

ROOT = Path(__file__).resolve().parents[2]

SECONDS = 900.0
"""Given to a command that waits; on a busy machine others take their part of them ..."""

PROCESSOR_SECONDS = 150
"""... and to one that works: cold code takes some 90 to compile."""

MEMORY = 12 * 2**30
"""Address space, of which compiled code and libraries reserve some gigabytes."""

HEAVY = (
    "experiments.matches.play",
    "experiments.explain.recorded",
    "experiments.compare.outcome",
    "experiments.report.overview",
    "experiments.sweep.job",
    "experiments.sweep.plot",
)
"""What most commands import that do not refuse at once."""

NO_RAY = ("experiments.matches.runner", "mcts.root")

_ANYWHERE = ("/dev", "/proc")  # nothing can be made there
_WRITES = {"os.mkdir": 0, "os.remove": 0, "os.rmdir": 0, "os.symlink": 1, "os.rename": 1}
"""Audit events, and which of their arguments is the place."""


@dataclass(frozen=True)
class Seen:
    """Result of a command line: the outcome, and where it wrote outside its folder."""

    outcome: Outcome
    strays: list[str]


class Forks:
    """The process, to be used by `running`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def see(
        self, command: str, typed: Sequence[str], folder: Path, environment: dict[str, str]
    ) -> Seen:
        """Run ``typed`` of ``command`` in ``folder``."""
        given = list(map(os.fsencode, typed))
        request = [command, [text.hex() for text in given], str(folder), environment]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that forks has ended")
        code, strays = json.loads(answer)
        out, err = ((folder.parent / name).read_bytes() for name in ("out", "err"))
        texts = (text.decode(errors="replace") for text in (out, err))
        return Seen(Outcome(code, *texts), strays)


@contextmanager
def running(
    folder: Path, heavy: bool, seconds: float = SECONDS, planted: Path | None = None
) -> Iterator[Forks]:
    """Start the process.

    Parameters
    ----------
    folder : where it has its temporary files
    heavy : it imports all that is slow, which pays for many cases
    seconds : that a command may take
    planted : folder with modules to be run as commands, by their dotted names
    """
    temporary = folder.resolve() / "tmp"
    temporary.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, filter(None, [ROOT, planted]))),
        "TMPDIR": str(temporary),
        "MPLCONFIGDIR": str(temporary / "matplotlib"),
        "COLUMNS": "100",
    }
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, str(int(heavy)), str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield Forks(process)
    finally:
        process.stdin.close()
        process.wait()


TOOLS = ("contest", "evidence", "qlearning", "strength")
"""Commands that are no part of an installed package."""


def module_of(command: str) -> str:
    """Return the name of the module that is run as ``command``."""
    if "." in command:
        return command
    return f"{'benchmarks' if command in TOOLS else 'experiments'}.{command}.__main__"


def _serve(heavy: bool, seconds: float) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in NO_RAY:
        sys.modules[name] = _Without(name)
    if heavy:
        for name in HEAVY:
            importlib.import_module(name)
    for line in sys.stdin:
        command, typed, folder, environment = json.loads(line)
        given = [os.fsdecode(bytes.fromhex(text)) for text in typed]
        request = importlib.import_module(module_of(command)), given, Path(folder), environment
        answers.write(json.dumps(_fork(request, seconds)) + "\n")
        answers.flush()


class _Without(types.ModuleType):
    """In place of a module that would start Ray."""

    def __getattr__(self, name: str) -> Any:
        from experiments.settings.commandline import Refusal

        if name.startswith("__"):
            raise AttributeError(name)
        raise Refusal("there is no Ray here")


Request = tuple[types.ModuleType, list[str], Path, dict[str, str]]
"""Module, arguments, folder and environment of a command."""


def _fork(request: Request, seconds: float) -> tuple[int | None, list[str]]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        code = 99
        try:
            code = _case(request, writing)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    ended = _wait(child, seconds)
    with open(reading, errors="replace") as strays:
        return ended, sorted(set(strays.read().splitlines()))


def _wait(child: int, seconds: float) -> int | None:
    """Return the exit code of ``child``, or None if its time was over."""
    handle = os.pidfd_open(child)
    ready, _, _ = select.select([handle], [], [], seconds)
    os.close(handle)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return None if not ready or code == -signal.SIGXCPU else code


def _case(request: Request, strays: int) -> int:
    """Do in the child what a new process would; return the exit code."""
    module, typed, folder, environment = request
    for name, descriptor in (("out", 1), ("err", 2)):
        opened = os.open(folder.parent / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.environ.update(environment)
    os.environ.pop("HYDRA_FULL_ERROR", None) if "HYDRA_FULL_ERROR" not in environment else None
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
    _watch([str(folder), os.environ["TMPDIR"], _cache(), *_ANYWHERE], strays)
    sys.argv = [f"sleuth-{module.__name__.split('.')[1]}", *typed]
    try:
        module.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _cache() -> str:
    """Return the folder of machine code, which `mcts.kernel` takes a second to find."""
    below = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.realpath(os.environ.get("SLEUTH_CACHE_DIR") or f"{below}/sleuth-mcts")


def _watch(allowed: list[str], strays: int) -> None:
    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            changes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not changes or isinstance(path, int):
                return
        elif event in _WRITES:
            path = arguments[_WRITES[event]]
        else:
            return
        named = os.path.abspath(os.fsdecode(path))
        # A link is written through when it is opened, and is itself made, renamed and removed.
        parent, last = os.path.split(named)
        place = os.path.realpath(named)
        if event != "open":
            place = os.path.join(os.path.realpath(parent), last)
        if not any(f"{place}/".startswith(f"{prefix}/") for prefix in allowed):
            os.write(strays, os.fsencode(f"{event} {named}\n"))

    sys.dont_write_bytecode = True  # or the first to import a module writes beside it
    sys.addaudithook(hear)


if __name__ == "__main__":
    _serve(sys.argv[1] == "1", float(sys.argv[2]))
