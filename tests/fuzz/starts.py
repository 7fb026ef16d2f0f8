"""Starts of a process that finds compiled code on disk, a fork each: most of a start is imports.

A program: reads requests as lines of JSON, makes all starts of one at once, and answers with their
exit codes (None: no end in time) when all have ended.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from numba.core.registry import cpu_target

from mcts.kernel import compile, store  # noqa: F401  what the starts need not import again

SECONDS = 60
"""In which a start must end."""


class Starter:
    """A process of this program.

    Attributes
    ----------
    whole : whether checksums are looked at; the control does without
    """

    def __init__(self, whole: bool = True) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, *(() if whole else ("unchecked",))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Starter:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()

    def start(self, code: Path, cache: Path, outputs: list[Path]) -> list[int | None]:
        """Call ``run()`` of the module at ``code`` in a process for each of ``outputs``.

        They keep machine code in ``cache``; their outputs go to files that end in .out and .err.
        """
        asked = {"code": str(code), "cache": str(cache), "outputs": list(map(str, outputs))}
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


def serve() -> None:
    """Answer requests until there are no more."""
    cpu_target.target_context.refresh()
    if "unchecked" in sys.argv:
        store._is_whole = lambda name, found: True
    for line in sys.stdin:
        asked = json.loads(line)
        processes = [_fork(asked, output) for output in asked["outputs"]]
        codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
        print(json.dumps([None if code == -signal.SIGALRM else code for code in codes]), flush=True)


def _fork(asked: dict[str, Any], output: str) -> int:
    process = os.fork()
    if process:
        return process
    signal.alarm(SECONDS)
    for descriptor, ending in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(output + ending, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.environ[store.VARIABLE] = asked["cache"]
    code = Path(asked["code"])
    sys.path.insert(0, str(code.parent))
    status = 1
    try:
        print(json.dumps(importlib.import_module(code.stem).run()))
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
