"""The text of ``--help``: purpose, choices and settings of a command, with their meanings.

The values are those that the command line composes; the meanings are the comments of the YAML files
that they come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from textwrap import fill

from omegaconf import DictConfig, OmegaConf, open_dict

from experiments.settings import config, seats

WIDTH = 100
COLUMN = 30
"""Where the meanings begin."""

SHORT = 20
"""Lines of settings that are shown without being asked for."""

FLAGS = """\
== Flags ==
--help            this text; --help all: each setting with its meaning, and as given
--cfg job         show the configuration instead of running"""

MULTIRUN = """
-m, --multirun    run every combination of values a,b,c one after another"""

_KEY = re.compile(r"( *)([\w@]+):(?: (.*?))??(?:\s*#\s*(.*))?")
_MORE = re.compile(r"\s*#\s*(.*)")


def write(
    name: str, title: str, overrides: Sequence[str], multirun: bool, whole: bool = True
) -> str:
    """Return the help of the command ``name`` with its settings as ``overrides`` make them.

    Unless it is ``whole``, more than `SHORT` lines of settings are counted by section.  Raises
    Refusal if they cannot be composed.
    """
    composed = config.compose(name, overrides, with_hydra=True)
    chosen = composed.hydra.runtime.choices
    about = composed.hydra.help
    with open_dict(composed):
        del composed["hydra"]
    groups = "\n".join(_list_groups(chosen))
    settings = _list_settings(name, composed, chosen)
    heading = "== Settings (name=value) and what they are now =="
    if not whole and settings.count("\n") >= SHORT:
        heading, settings = "== Settings (name=value): --help all ==", _count(composed)
    parts = [
        f"{title}: {about.header.strip()}",
        f"== Choices (group=option) ==\n{groups}" if groups else "",
        f"{heading}\n{settings}",
        FLAGS + (MULTIRUN if multirun else ""),
        (about.get("footer") or "").strip(),
    ]
    return "\n\n".join(filter(None, parts))


def _count(settings: DictConfig) -> str:
    """Return the sections of ``settings``, each with the number of those in it."""
    counts = []
    for key in settings:
        section = settings._get_node(key)
        inside = OmegaConf.to_yaml(section).count(": ") if isinstance(section, DictConfig) else 0
        counts.append(f"{key!s} ({inside})" if inside else str(key))
    return fill(", ".join(counts), WIDTH)


def _list_groups(chosen: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the groups of a configuration, each with its choices."""
    for group in sorted({key.partition("@")[0] for key in chosen}):
        folder = seats.folder(group)
        if not group.startswith("hydra/") and folder.is_dir():
            names = sorted(file.name[:-5] for file in folder.iterdir() if ".yaml" in file.name)
            yield fill(f"{group}: {', '.join(names)}", WIDTH, subsequent_indent="  ")


def _list_settings(name: str, settings: DictConfig, chosen: Mapping[str, str | None]) -> str:
    """Return ``settings`` as YAML, each key with its meaning."""
    meanings = _read_meanings(f"{name}.yaml")
    for group, option in chosen.items():
        folder, _, package = group.partition("@")
        if option is not None and not group.startswith("hydra/"):
            found = _read_meanings(f"{folder}/{option}.yaml", package or folder.replace("/", "."))
            meanings = {**found, **meanings}
    return "\n".join(_explain(OmegaConf.to_yaml(settings).rstrip(), meanings))


def _explain(yaml: str, meanings: Mapping[str, list[str]]) -> Iterator[str]:
    for line, path in _find_keys(yaml.splitlines()):
        first, *more = meanings.get(path, [""])
        yield f"{line:<{COLUMN}}  # {first}" if first else line
        yield from (f"{'':<{COLUMN}}  #   {words}" for words in more)


def _find_keys(lines: Sequence[str], package: str = "") -> Iterator[tuple[str, str]]:
    """Yield each line of a YAML with its dotted key, or an empty one."""
    above: list[tuple[int, str]] = []
    for line in lines:
        match = _KEY.fullmatch(line)
        if match is None:
            yield line, ""
            continue
        depth = len(match[1])
        above = [*(one for one in above if one[0] < depth), (depth, match[2])]
        yield line, ".".join(filter(None, [package, *(key for _, key in above)]))


def _read_meanings(path: str, package: str = "") -> dict[str, list[str]]:
    """Return the lines of comment on each key of the file ``path`` of `conf` and of its bases."""
    file = files("conf").joinpath(path)
    if not file.is_file():
        return {}
    source = file.read_text("utf-8")
    found: dict[str, list[str]] = {}
    for base in re.findall(r"(?m)^  - (\w+)$", source):
        if base != "_self_":
            found |= _read_meanings(f"{path.rpartition('/')[0]}/{base}.yaml", package)
    last = ""
    for line, key in _find_keys(source.splitlines(), package):
        words = _KEY.fullmatch(line) if key else _MORE.fullmatch(line)
        if key and words:
            last = key if words[4] else ""
            if last:
                found[last] = [words[4]]
        elif words and last:
            found[last].append(words[1])
        else:
            last = ""
    return found
