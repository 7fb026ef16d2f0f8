"""The command line that repeats a run, made of what Hydra was given for it.

``sys.argv`` does not do: a launcher's worker has another one, a point of a multirun is not what was
typed, and an installed script is called by its path.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from omegaconf import OmegaConf

from experiments.settings.arguments import long_name, quoted
from experiments.settings.commandline import Refusal
from experiments.settings.overrides import parsed

_PLACE = re.compile(r"[+~]*run\.(folder|resume)=")
"""Where a run lies: that of another one must lie elsewhere."""

_PRESETS = re.compile(r"[+~]*hydra\.searchpath=")
"""The only setting of Hydra's own by which other games may be played."""

_lines: list[str] = []


def line(name: str, overrides: Iterable[str], schema: type | None = None) -> str:
    """Return the command line of the command ``name`` with ``overrides``, for a shell.

    Parameters
    ----------
    overrides : as Hydra was given them; those that say where the run lies are left out
    schema : of the command's configuration; with it, what the command line needs no quotes for has
        none
    """
    told = [given for given in overrides if not _PLACE.match(given)]
    if schema is not None:
        told = [_as_typed(given, schema) for given in told]
    return shlex.join(["python", "-m", f"experiments.{name}", *told])


@contextmanager
def repeated_by(repeats: str) -> Iterator[None]:
    """Have `command_line` return ``repeats`` within the block, in all threads.

    For a program that plays one run after another in one process.
    """
    _lines.append(repeats)
    try:
        yield
    finally:
        _lines.pop()


def command_line() -> str | None:
    """Return the command line that repeats what this process is doing; None outside of Hydra.

    In a multirun that is one of its runs, in whatever process it is.
    """
    if _lines:
        return _lines[-1]
    if not HydraConfig.initialized():
        return None
    hydra = HydraConfig.get()
    presets = filter(_PRESETS.match, hydra.overrides.hydra)
    name = hydra.job.config_name
    return line(name, [*presets, *hydra.overrides.task], _schema(name))


def multirun_line(typed: Sequence[str]) -> str:
    """Return the command line that repeats the multirun of which this run is a part.

    ``typed`` is the command line as it was given.
    """
    return line(HydraConfig.get().job.config_name, typed)


def _schema(name: str) -> type | None:
    """Return the schema of the command ``name``, None if it has none."""
    known = ConfigStore.instance().repo.get("schema", {}).get(f"{name}.yaml")
    return None if known is None else OmegaConf.get_type(known.node)


def _as_typed(given: str, schema: type) -> str:
    """Return the override ``given`` as one would type it: what becomes of that is the same."""
    short = re.sub(
        r"^([+~]*)player(?:@opponent|(/\w+)@opponent(?:\.\w+)?)(?==|$)", r"\1opponent\2", given
    )
    bare = short.replace("'", "")
    for typed in (re.sub(r"\\(.)", r"\1", bare), bare, short):
        with suppress(Refusal):
            if _same(*quoted([long_name(typed)], schema), given):
                return typed
    return given


def _same(one: str, other: str) -> bool:
    """Tell whether two overrides set one thing to one value, of one type."""
    first, second = parsed(one), parsed(other)
    return _told(first) == _told(second)


def _told(given: Override) -> tuple[Any, ...]:
    # A float is not the whole number that equals it, nor a word the number that it looks like.
    return given.type, given.key_or_group, given.package, repr(given.value())
