"""The contest's programs, compiled from a clone of its repository into the run folder.

The time that an entry may take is a constant of its sources: it is replaced in a copy.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from experiments.settings.commandline import Refusal

SERVER = "com.sadakatsu.clue.testserver.TestServer"
"""The contest's server for one game, which says how it ended."""

_LIMIT = re.compile(r"(int TIMEOUT = )\d+;")
_DONE = "built"


def build(folder: Path, sources: Sequence[str], limit: int, into: Path) -> Path:
    """Return the folder of the classes, compiled with ``limit`` seconds an answer.

    ``sources``: folders of Java below ``folder``.  Refusal if there is no compiler, no source, or
    a source does not compile.
    """
    classes, copies = into.resolve() / "classes", into / "sources"
    if (classes / _DONE).exists():
        return classes
    compiler = shutil.which("javac")
    if compiler is None or shutil.which("java") is None:
        raise Refusal("the contest's programs need Java: install a JDK, 17 or later")
    files = []
    for below in sources:
        found = sorted((folder / below).rglob("*.java"))
        if not found:
            raise Refusal(f"folder={folder}: no Java in {below}: give a clone of the repository")
        for path in found:
            copy = copies / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text("utf-8", errors="replace")
            copy.write_text(_LIMIT.sub(rf"\g<1>{1000 * limit};", text), "utf-8")
            files.append(str(copy))
    classes.mkdir(exist_ok=True)
    flags = ["-nowarn", "-encoding", "UTF-8", "-d", str(classes)]
    made = subprocess.run([compiler, *flags, *files], capture_output=True, text=True, check=False)
    if made.returncode:
        fault = made.stderr.partition("\n")[0]
        raise Refusal(f"the contest's programs do not compile: {fault}; give a fresh clone")
    (classes / _DONE).touch()
    return classes
