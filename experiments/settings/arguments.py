"""From what is typed to what Hydra reads: flags, bare arguments, short names and quotes.

Hydra's parser answers a mistyped flag with several lines of usage, takes no setting after a flag
and wants quotes around values that hold ``=``, ``,`` or a bracket.
"""

from __future__ import annotations

import argparse
import re
import types
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from experiments.settings import overrides
from experiments.settings.commandline import Refusal, did_you_mean

COMPLETION = "--shell-completion"
"""Hydra's flag for completion in the shell; what follows it are no settings."""

_BELIEF = "player/belief"
"""The one group of a player's whose files lie beside its section, not in it."""


@dataclass(frozen=True)
class Given:
    """What a command line says.

    Attributes
    ----------
    overrides : settings, in the order given, as Hydra reads them
    help : whether the help text is asked for
    multirun : whether several values a setting are to be run one after another
    flags : those of Hydra that are left for it, with their values
    """

    overrides: list[str]
    help: bool
    multirun: bool
    flags: list[str]


class _Flags(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see --help")


def _flags() -> _Flags:
    parser = _Flags(add_help=False, allow_abbrev=False)
    parser.add_argument("typed", nargs="*")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("-c", "--cfg", choices=["job", "hydra", "all"])
    parser.add_argument("-p", "--package")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("-m", "--multirun", action="store_true")
    parser.add_argument("-sc", "--shell-completion", action="store_true")
    return parser


def read(arguments: Sequence[str], schema: type, bare: str | None = None) -> Given:
    """Return what ``arguments`` ask of a command whose configuration is a ``schema``.

    ``bare`` is the key of arguments without a name, such as files; None if there are none.

    Raises
    ------
    Refusal
        If a flag is unknown, an argument without a name means nothing, or a setting cannot be read.
    """
    overrides.check_typed(arguments)
    known, unknown = _flags().parse_known_intermixed_args(arguments)
    for flag in unknown:
        name, _, value = flag.lstrip("-").partition("=")
        key = _like(schema, name)
        told = (
            f" (write {key}={value or '...'})" if key else did_you_mean(flag, ("--help", "--cfg"))
        )
        raise Refusal(f"{flag}: there is no such flag{told}; settings are name=value, see --help")
    values = [typed for typed in known.typed if not _is_setting(typed)]
    settings = [long_name(typed) for typed in known.typed if _is_setting(typed)]
    flags = ["--cfg", known.cfg] if known.cfg else []
    flags += ["--package", known.package] if known.package else []
    flags += ["--resolve"] if known.resolve else []
    if known.shell_completion:
        return Given(known.typed, known.help, False, [COMPLETION])
    named = [_named(values, schema, bare)] if values else []
    asked = [*named, *quoted(settings, schema)]
    given = list(map(overrides.parsed, asked))
    if known.multirun:
        overrides.check_combinations(given)
    return Given(asked, known.help, known.multirun, flags)


def _is_setting(typed: str) -> bool:
    """Tell ``name=value`` and ``~name`` from a bare argument, which may be a path with ``=``."""
    if typed.startswith("~"):
        return True
    with suppress(OSError):  # of a name that is too long for any file
        return "=" in typed and not Path(typed).exists()
    return True


def _named(values: Sequence[str], schema: type, bare: str | None) -> str:
    if bare is None:
        raise Refusal(f"cannot read {values[0]!r}: write it as name=value")
    if _kind(schema, bare)[0] is list:
        return f"{bare}=[{','.join(map(quoted_text, values))}]"
    if len(values) > 1:
        raise Refusal(f"{values[1]}: one {bare} is enough; settings are name=value, see --help")
    return f"{bare}={quoted_text(values[0])}"


def long_name(setting: str) -> str:
    """Return ``setting`` with the name that Hydra has for a group of the opponent.

    ``opponent=swift`` is ``player@opponent=swift``, ``opponent/budget=short`` is
    ``player/budget@opponent.budget=short``.
    """
    match = re.fullmatch(r"([+~]*)opponent(?:/(\w+))?(=.*)?", setting, re.DOTALL)
    if match is None:
        return setting
    sign, group, value = match[1], match[2], match[3] or ""
    if group is None:
        return f"{sign}player@opponent{value}"
    package = "opponent" if f"player/{group}" == _BELIEF else f"opponent.{group}"
    return f"{sign}player/{group}@{package}{value}"


def quoted(settings: Iterable[str], schema: type) -> list[str]:
    """Return ``settings`` with quotes where Hydra's grammar wants them around text.

    ``match.players=[bmcts,bmcts+own_card_weight=0.1]`` and ``output=a (1).html`` are text by the
    ``schema``; so is all of a value that fits the pattern ``whole`` of its field's metadata, as
    ``match.stop=sprt:0,30``.  A list may be given by its only item.
    """
    found = []
    for setting in settings:
        name, is_one, value = setting.partition("=")
        outer, item, metadata = _kind(schema, name.lstrip("+"))
        is_word = value != "null" and not re.match(r"[\[$'\"]", value)
        if outer is list and is_one and is_word and "," not in value:
            value = f"[{value}]"
        inner = re.fullmatch(r"\[([^'\"\[\]]*)\]", value)
        if outer is list and inner and item is str:
            items = filter(None, map(str.strip, inner[1].split(",")))
            value = f"[{','.join(map(quoted_text, items))}]"
        elif outer is str and is_one and not re.match(r"['\"]", value):
            whole = re.fullmatch(metadata.get("whole", "$^"), value)
            if whole or not _parses(setting):
                value = quoted_text(value)
        found.append(f"{name}{is_one}{value}")
    return found


def _parses(setting: str) -> bool:
    try:
        overrides.parsed(setting)
    except Refusal:
        return False
    return True


def quoted_text(text: str) -> str:
    """Return ``text`` as Hydra quotes it; an interpolation in it stays one."""
    inside = re.sub(r"(\\*)'", r"\1\1\\'", text)
    inside = re.sub(r"(\\+)$", r"\1\1", inside)
    return f"'{inside}'"


def _kind(schema: Any, key: str) -> tuple[Any, Any, Any]:
    """Return the type of ``key``, of its items if it is a list, and its field's metadata."""
    nothing = (None, None, {})
    *sections, last = key.split(".")
    for section in sections:
        schema = get_type_hints(schema).get(section) if is_dataclass(schema) else None
    if not is_dataclass(schema):
        return nothing
    metadata = next((field.metadata for field in fields(schema) if field.name == last), None)
    if metadata is None:
        return nothing
    kind = get_type_hints(schema)[last]
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is list:
        return list, get_args(kind)[0], metadata
    return kind, None, metadata


def _like(schema: Any, name: str, path: str = "") -> str | None:
    """Return the key of ``schema`` whose last part is ``name``."""
    if not is_dataclass(schema):
        return None
    hints = get_type_hints(schema)
    if name in hints:
        return f"{path}{name}"
    found = (_like(hint, name, f"{path}{key}.") for key, hint in hints.items())
    return next(filter(None, found), None)
