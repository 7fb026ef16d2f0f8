"""The command line that repeats a run, built from what Hydra was given.

``sys.argv`` does not suffice: it differs in a launcher's worker, a point of a multirun is not what
was typed, and an installed script is called by its path.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hydra.core.hydra_config import HydraConfig

from experiments.settings.arguments import shorten
from experiments.texts import redact

_PLACE = re.compile(r"[+~]*run\.folder=")
"""The setting of a run's folder; a repetition needs another folder."""

_PRESETS = re.compile(r"[+~]*hydra\.searchpath=")
"""The only setting of Hydra itself that can change which games are played."""

_lines: list[str] = []


def line(name: str, overrides: Iterable[str]) -> str:
    """Return the shell command line of the command ``name`` with ``overrides``.

    It has the running package if that is ``name``, else ours; settings of the run folder are left
    out, as are quotes that `arguments.read` adds.
    """
    running = getattr(getattr(sys.modules["__main__"], "__spec__", None), "name", "")
    package = str(running).removesuffix(".__main__")
    module = package if package.endswith(f".{name}") else f"experiments.{name}"
    typed = (shorten(redact(one)) for one in overrides)
    return shlex.join(["python", "-m", module, *(one for one in typed if not _PLACE.match(one))])


@contextmanager
def repeated_by(repeats: str) -> Iterator[None]:
    """Have `command_line` return ``repeats`` within the block, in all threads.

    For programs that play several runs in one process.
    """
    _lines.append(repeats)
    try:
        yield
    finally:
        _lines.pop()


def command_line() -> str | None:
    """Return the command line that repeats this process's work; None outside Hydra.

    In a multirun it repeats one run, in whatever process.
    """
    if _lines:
        return _lines[-1]
    if not HydraConfig.initialized():
        return None
    hydra = HydraConfig.get()
    presets = filter(_PRESETS.match, hydra.overrides.hydra)
    return line(str(hydra.job.config_name), [*presets, *hydra.overrides.task])
