"""The text of ``--help``: purpose, choices and settings of a command, with their meanings.

Values are those that the command line composes; meanings are the comments in the YAML files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from omegaconf import DictConfig, OmegaConf

from experiments.settings import config

WIDTH = 80
COLUMN = 28
"""Column where the meanings begin."""

_ROOM = 30
"""Minimum columns for a meaning to begin on its key's line."""

SHORT = 20
"""Maximum lines of settings shown without ``--help all``."""

FLAGS = """\
== Flags ==
--help            this text; --help all: each setting with its meaning
--cfg job         show the configuration instead of running"""

MULTIRUN = """
-m, --multirun    run every combination of values a,b,c one after another"""

_KEY = re.compile(r"( *)([\w@]+):(?: (.*?))??(?:\s*#\s*(.*))?")
_MORE = re.compile(r"\s*#\s*(.*)")


def write(
    title: str, taken: Mapping[str, Sequence[str]], multirun: bool, whole: bool = True
) -> str:
    """Return the help of the command ``title``.

    ``taken``: by name the configurations whose settings it takes, each with its overrides; the last
    is its own.  Unless ``whole``, more than `SHORT` lines of settings are replaced by counts per
    section.  Raises Refusal if they cannot be composed.
    """
    settings, chosen, meanings = OmegaConf.create({}), dict[str, str | None](), dict[str, str]()
    for name, overrides in taken.items():
        composed = config.compose(name, overrides, with_hydra=True)
        about = composed.hydra.help
        chosen |= composed.hydra.runtime.choices
        shown: Any = OmegaConf.to_container(composed)
        settings.merge_with({key: shown[key] for key in shown if key != "hydra"})
        meanings |= _read_meanings(f"{name}.yaml")
    listed = list(_list_settings(settings, {**_of_choices(chosen), **meanings}))
    heading = "== Settings (name=value) with current values =="
    if not whole and len(listed) > SHORT:
        heading = "== Settings (name=value): --help all =="
        sizes = {
            key: sum(1 for _ in config.leaves({key: settings._get_node(key)})) for key in settings
        }
        named = (f"{key!s} ({size})" if size > 1 else str(key) for key, size in sizes.items())
        listed = wrap(", ".join(named), WIDTH)
    groups = list(_list_groups(chosen))
    parts = [
        fill(f"{title}: {about.header}"),
        "\n".join(["== Choices (group=option) ==", *groups]) if groups else "",
        "\n".join([heading, *listed]),
        FLAGS + (MULTIRUN if multirun else ""),
        fill(about.get("footer") or ""),
    ]
    return "\n\n".join(filter(None, parts))


def fill(text: str) -> str:
    """Wrap ``text`` at `WIDTH`; indented lines, which are commands, are kept."""
    lines = list[str]()
    parts = groupby(text.strip().splitlines(), lambda line: line[:1] not in ("", " "))
    for is_prose, part in parts:
        lines += wrap(" ".join(part), WIDTH, break_on_hyphens=False) if is_prose else part
    return "\n".join(lines)


def _list_groups(chosen: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the groups of a configuration with their choices; equal ones share a line."""
    named: dict[str, list[str]] = {}
    for group in sorted({key.partition("@")[0] for key in chosen}):
        folder = config.find(group)
        if not group.startswith("hydra/") and folder.is_dir():
            names = sorted(file.name[:-5] for file in folder.iterdir() if ".yaml" in file.name)
            named.setdefault(", ".join(names), []).append(group)
    for choices, groups in named.items():
        yield from wrap(f"{', '.join(groups)}: {choices}", WIDTH, subsequent_indent="  ")


def _list_settings(settings: DictConfig, meanings: Mapping[str, str]) -> Iterator[str]:
    """Yield ``settings`` as YAML, each key with its meaning, wrapped at `WIDTH`."""
    room = " " * COLUMN
    for line, path in _find_keys(OmegaConf.to_yaml(settings).splitlines()):
        words, head = meanings.get(path, ""), f"{line:<{COLUMN}}  # "
        if not words or len(head) > WIDTH - _ROOM:
            yield from wrap(line, WIDTH, subsequent_indent="      ", break_on_hyphens=False)
            head = f"{room}  # "
        yield from wrap(words, WIDTH, initial_indent=head, subsequent_indent=f"{room}  #   ")


def _find_keys(lines: Sequence[str], package: str = "") -> Iterator[tuple[str, str]]:
    """Yield each line of a YAML file with its dotted key, or an empty one."""
    above: list[tuple[int, str]] = []
    for line in lines:
        match = _KEY.fullmatch(line)
        if match is None:
            yield line, ""
            continue
        depth = len(match[1])
        above = [*(one for one in above if one[0] < depth), (depth, match[2])]
        yield line, ".".join(filter(None, [package, *(key for _, key in above)]))


def _of_choices(chosen: Mapping[str, str | None]) -> dict[str, str]:
    """Return the comments on the keys in the chosen files of all groups."""
    found: dict[str, str] = {}
    for group, option in chosen.items():
        folder, _, package = group.partition("@")
        if option is not None and not group.startswith("hydra/"):
            above = package or folder.replace("/", ".")
            found = {**_read_meanings(f"{folder}/{option}.yaml", above), **found}
    return found


def _read_meanings(path: str, package: str = "") -> dict[str, str]:
    """Return the comment on each key in the file ``path`` of `conf` and in its bases."""
    file = config.find(path)
    if not file.is_file():
        return {}
    source = file.read_text("utf-8")
    found: dict[str, str] = {}
    for base in re.findall(r"(?m)^  - (\w+)$", source):
        if base != "_self_":
            folder, slash, _ = path.rpartition("/")
            found |= _read_meanings(f"{folder}{slash}{base}.yaml", package)
    last = ""
    for line, key in _find_keys(source.splitlines(), package):
        words = _KEY.fullmatch(line) if key else _MORE.fullmatch(line)
        if key and words:
            last = key if words[4] else ""
            if last:
                found[last] = words[4]
        elif words and last:
            found[last] += f" {words[1]}"
        else:
            last = ""
    return found
