"""Atomic writes, and reads that validate untrusted files.

A file is written under a temporary name, then renamed.  That name cannot be guessed, so that
nothing already in the folder, in particular no symlink, is written through.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from experiments.settings.commandline import Refusal, explain_yaml
from experiments.texts import redact, shorten

CONFIG = "config.yaml"
"""File in a run folder with its settings, written when the run begins or resumes."""

SUMMARY = "summary.json"
"""File in a run folder with its results and their provenance."""

MAX_BYTES = 64 * 2**20
"""Size limit in bytes of a JSON or YAML file."""

_ABANDONED = 3600.0
"""Age of a file that its writer never renamed, in seconds."""

WRITING = ".writing"
"""Suffix of a file being written."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path for ``path``; rename it at the end of the block.

    If the block raises, the temporary file is removed, and an older file is unchanged.  Raises
    OSError if it cannot be renamed, Refusal if ``path`` is a folder.
    """
    if path.is_dir():
        raise Refusal(f"{path} is a folder: move it away; a file of that name is to be written")
    handle, name = tempfile.mkstemp(WRITING, f".{path.name[:100]}.", path.parent)
    writing = Path(name)
    try:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)  # the usual permissions, which temporary files lack
        os.close(handle)
        yield writing
        writing.replace(path)
    except BaseException:
        with suppress(OSError):
            writing.unlink()
        raise


def clear(folder: Path) -> None:
    """Remove files left incomplete by killed processes, an hour old: others may be written now."""
    for half in folder.rglob(f".*{WRITING}"):
        with suppress(OSError):  # harmless, since it is never read
            if time.time() - half.stat().st_mtime > _ABANDONED:
                half.unlink()


def refuse_symlinks(folder: Path) -> None:
    """Check that what a run writes to ``folder`` stays there.

    Raises Refusal if a file to be written is a symlink: the folder may come from elsewhere.
    """
    for path in folder.iterdir():
        if path.is_symlink():
            raise Refusal(f"{path} is a link: replace it by the file itself to continue")


def write_text(path: Path, text: str) -> Path:
    """Write ``text`` to ``path`` in UTF-8 atomically, and return the path.

    Raises OSError if it cannot be written.
    """
    with atomic_write(path) as writing:
        writing.write_text(text, "utf-8", "backslashreplace")
    return path


def write_json(folder: Path, data: dict[str, Any], name: str = SUMMARY) -> Path:
    """Write ``data`` to ``folder`` as JSON atomically, and return its path.

    Raises OSError if it cannot be written.
    """
    return write_text(folder / name, json.dumps(redact(data), indent=2) + "\n")


def write_settings(folder: Path, settings: Mapping[str, Any]) -> Path:
    """Write plain ``settings`` to `CONFIG` in ``folder`` and return its path; may raise OSError."""
    with atomic_write(folder / CONFIG) as writing:
        OmegaConf.save(OmegaConf.create(redact(dict(settings))), writing)
    return folder / CONFIG


@contextmanager
def writing(what: object, advice: str) -> Iterator[None]:
    """Turn an OSError of the block, which writes ``what``, into a Refusal with ``advice``."""
    try:
        yield
    except OSError as fault:
        reason = fault.strerror or fault
        raise Refusal(f"cannot write to {what}: {reason}; {advice}") from None


@contextmanager
def reading(path: Path, advice: str) -> Iterator[None]:
    """Turn read errors and faults of ``path`` into a Refusal with ``advice``.

    The block raises OSError, or ValueError with the fault.
    """
    try:
        yield
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault).partition("\n")[0]
        raise Refusal(f"{path} cannot be read ({shorten(reason, 300)}): {advice}") from None


def regular(path: Path, max_bytes: int) -> None:
    """Check that ``path`` is a regular file of at most ``max_bytes`` bytes.

    Raises OSError, ValueError if it is not.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is not a regular file")
    if found.st_size > max_bytes:
        raise ValueError(f"it has {found.st_size:,} bytes; the limit is {max_bytes:,}")


def read_json(path: Path) -> Any:
    """Return the content of the JSON file ``path``.

    Raises OSError, ValueError if it cannot be read, is too large or too deep, or repeats a key.
    """
    regular(path, MAX_BYTES)
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=_make_mapping)
    except (RecursionError, ValueError) as fault:
        raise ValueError(f"it is not JSON: {fault}") from None


def _make_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"found duplicate key {next(key for key in keys if keys.count(key) > 1)}")
    return made


class _Loader(yaml.SafeLoader):
    """Loads plain data and rejects repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        known: set[Any] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in known:
                    twice = f"found duplicate key {key.value}"
                    raise yaml.MarkedYAMLError(problem=twice, problem_mark=key.start_mark)
                known.add((key.tag, key.value))
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """Return the content of the YAML file ``path``, which must be plain data.

    References (``&a``, ``*a``) are refused: a few lines of them can expand beyond memory.  Raises
    OSError, ValueError if it cannot be read, is too large or too deep, has references, or repeats a
    key.
    """
    regular(path, MAX_BYTES)
    try:
        text = path.read_text("utf-8")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ValueError("it has references (&, *), which are not allowed")
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, RecursionError) as fault:
        raise ValueError(f"it is not YAML: {explain_yaml(fault)}") from None
