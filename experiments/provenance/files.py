"""Files that are whole or not there, and files that are read without trust in who wrote them.

A file is written under another name, then renamed.  That name cannot be guessed and is another,
so that nothing which lies about in a folder, a link least of all, is written through.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from experiments.settings.commandline import Refusal, explain_yaml
from experiments.texts import redact, shorten

CONFIG = "config.yaml"
"""The file in a run folder that holds its settings, written when it is begun or gone on with."""

SUMMARY = "summary.json"
"""The file in a run folder that holds its figures and where they come from."""

MOST_BYTES = 64 * 2**20
"""Of a JSON or YAML file that is read."""

WRITING = ".writing"
"""End of the name of a file that is half written."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield the name under which ``path`` is to be written; it has its own at the end of the block.

    If the block raises, what it wrote is removed, and an older file is as it was.  Raises OSError
    if it cannot be renamed.  Raises Refusal if a folder has the name.
    """
    if path.is_dir():
        raise Refusal(f"{path} is a folder: move it away, for a file of that name is written")
    handle, name = tempfile.mkstemp(WRITING, f".{path.name[:100]}.", path.parent)
    writing = Path(name)
    try:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)  # for all who may read the folder, as usual
        os.close(handle)
        yield writing
        writing.replace(path)
    except BaseException:
        with suppress(OSError):
            writing.unlink()
        raise


def clear(folder: Path) -> None:
    """Remove what a process that was killed left half written; for who has the folder's lock."""
    for half in folder.rglob(f".*{WRITING}"):
        with suppress(OSError):  # is left, as nobody reads it
            half.unlink()


def refuse_symlinks(folder: Path) -> None:
    """Make sure that what a run writes to ``folder`` stays there.

    Raises Refusal if a link stands where a file might be written: the folder may come from somebody
    else.
    """
    for path in folder.iterdir():
        if path.is_symlink():
            raise Refusal(f"{path} is a link: put the file itself there to go on with it")


def write_text(path: Path, text: str) -> Path:
    """Write ``text`` to ``path`` in UTF-8, whole or not at all, and return the path.

    Raises OSError if it cannot be written.
    """
    with atomic_write(path) as writing:
        writing.write_text(text, "utf-8", "backslashreplace")
    return path


def write_json(folder: Path, data: dict[str, Any], name: str = SUMMARY) -> Path:
    """Write ``data`` to ``folder`` as JSON, whole or not at all, and return its path.

    Raises OSError if it cannot be written.
    """
    return write_text(folder / name, json.dumps(redact(data), indent=2) + "\n")


def write_settings(folder: Path, settings: Mapping[str, Any]) -> Path:
    """Write plain ``settings`` to `CONFIG` in ``folder``, and return its path; OSError if not."""
    with atomic_write(folder / CONFIG) as writing:
        OmegaConf.save(OmegaConf.create(redact(dict(settings))), writing)
    return folder / CONFIG


@contextmanager
def writing(what: object, advice: str) -> Iterator[None]:
    """Refuse with ``advice`` what the block, which writes ``what``, cannot write (OSError)."""
    try:
        yield
    except OSError as fault:
        reason = fault.strerror or fault
        raise Refusal(f"cannot write to {what}: {reason}; {advice}") from None


@contextmanager
def reading(path: Path, advice: str) -> Iterator[None]:
    """Refuse with ``advice`` what the block cannot read or finds to be wrong with ``path``.

    The block raises OSError, or ValueError with what is wrong.
    """
    try:
        yield
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault).partition("\n")[0]
        raise Refusal(f"{path} cannot be read ({shorten(reason, 300)}): {advice}") from None


def regular(path: Path, most: int) -> None:
    """Make sure that ``path`` is a file of at most so many bytes, not a pipe or a device.

    Raises OSError, ValueError if it is not.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is no file")
    if found.st_size > most:
        raise ValueError(f"it has {found.st_size:,} bytes, {most:,} are the limit")


def read_json(path: Path) -> Any:
    """Return what the JSON file ``path`` holds.

    Raises OSError, ValueError if it cannot be read, is too large or too deep, or gives a key twice.
    """
    regular(path, MOST_BYTES)
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
    """Reads plain data, in which no mapping gives a key twice."""

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
    """Return what the YAML file ``path`` holds, plain data alone.

    References (``&a``, ``*a``) are refused: a few lines of them stand for more than fits in memory.
    Raises OSError, ValueError if it cannot be read, is too large or too deep, has references, or
    gives a key twice.
    """
    regular(path, MOST_BYTES)
    try:
        text = path.read_text("utf-8")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ValueError("it has references")
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, RecursionError) as fault:
        raise ValueError(f"it is not YAML: {explain_yaml(fault)}") from None
