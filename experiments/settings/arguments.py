"""The command line: flags, settings, positional arguments and quotes.

Hydra parses settings.  This module gives one-line errors for mistyped flags, and quotes text with
characters of Hydra's grammar, as in ``match.players=[bmcts,bmcts+own_card_weight=0.1]``, so that
the user need not nest quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from experiments.settings.commandline import Parser, Refusal
from mcts.limits import did_you_mean

_ALL = "all"
"""Argument of --help: list each setting with its meaning."""

_SHOWN = 60
"""Maximum characters of a setting quoted in a message."""

QUOTES = ("'", '"')
_ITEM = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\[\]'\"]++")
_LIST = re.compile(rf"\[((?:{_ITEM.pattern}|,)*)\]")
_LISTS = re.compile(rf"{_LIST.pattern}(?:,{_LIST.pattern})*")
"""Lists of texts, some of them quoted: one, or several as alternatives."""


@dataclass(frozen=True)
class Arguments:
    """A parsed command line."""

    overrides: list[str]  # settings in order, in Hydra's grammar
    help: bool
    multirun: bool
    flags: list[str]  # flags left for Hydra, with their values
    whole: bool = False  # whether to print the full help


def read(arguments: Sequence[str], schema: type, bare: str | None = None) -> Arguments:
    """Parse ``arguments`` for a command with this ``schema``.

    ``bare``: the key of positional arguments, such as files; None if there are none; ``--name``
    sets a setting that is true or false.  Raises
    Refusal for an unknown flag, an unexpected positional argument, or an unreadable setting.
    """
    switches = {f"--{name}" for name, kind in get_type_hints(schema).items() if kind is bool}
    typed = [f"{one[2:]}=true" if one in switches else one for one in arguments]
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("typed", nargs="*")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("-c", "--cfg", choices=["job", "hydra", "all"])
    parser.add_argument("-m", "--multirun", action="store_true")
    given, unknown = parser.parse_known_intermixed_args(typed)
    if unknown:
        name, _, value = unknown[0].lstrip("-").partition("=")
        hint = did_you_mean(unknown[0], ("--help", "--cfg", "--multirun"))
        if name in get_type_hints(schema):
            hint = f" (write {name}={value or '...'})"
        raise Refusal(f"{unknown[0]}: unknown flag{hint}; settings are name=value, see --help")
    flags = ["--cfg", given.cfg] if given.cfg else []
    whole = given.help and _ALL in given.typed
    values = [typed for typed in given.typed if not _is_setting(typed)]
    if whole:
        values.remove(_ALL)
    overrides = [_name(values, schema, bare)] if values else []
    overrides += [quote(typed) for typed in given.typed if _is_setting(typed)]
    return Arguments(overrides, given.help, given.multirun, flags, whole)


def _is_setting(typed: str) -> bool:
    """Return whether ``typed`` is ``name=value`` or ``~name``, and not a path with a ``=``."""
    if typed.startswith("~"):
        return True
    with suppress(OSError):  # a name that is too long for a file
        return "=" in typed and not Path(typed).exists()
    return True


def _name(values: Sequence[str], schema: type, bare: str | None) -> str:
    """Return positional arguments as the setting ``bare``."""
    if bare is None:
        raise Refusal(f"cannot read {values[0]!r}: write it as name=value")
    if str(get_type_hints(schema)[bare]).startswith("list"):
        return f"{bare}=[{','.join(map(quote_text, values))}]"
    if len(values) > 1:
        raise Refusal(f"{values[1]}: one {bare} is enough; settings are name=value, see --help")
    return f"{bare}={quote_text(values[0])}"


def shorten(override: str) -> str:
    """Return ``override`` as a user types it: the inverse of `quote`."""
    bare = override.replace("'", "")
    return bare if quote(bare) == override else override


def quote(setting: str) -> str:
    """Return ``setting``, with its value or items quoted if Hydra cannot parse it.

    Raises Refusal if quotes do not help.
    """
    with suppress(Refusal):
        parse(setting)
        return setting
    name, _, value = setting.partition("=")
    if _LISTS.fullmatch(value):
        quoted = f"{name}={_LIST.sub(_quote_items, value)}"
    elif not name or value.startswith(tuple("[({'\"")):
        raise _unreadable(setting)
    else:
        quoted = f"{name}={quote_text(value)}"
    parse(quoted)
    return quoted


def _quote_items(items: re.Match[str]) -> str:
    """Return a list with each unquoted item quoted."""
    texts = (text.strip() for text in _ITEM.findall(items[1]))
    return (
        f"[{','.join(text if text[0] in QUOTES else quote_text(text) for text in texts if text)}]"
    )


def quote_text(text: str) -> str:
    """Return ``text`` in Hydra's quotes; interpolations in it are kept."""
    inside = re.sub(r"(\\*)'", r"\1\1\\'", text)
    inside = re.sub(r"(\\+)$", r"\1\1", inside)
    return f"'{inside}'"


def parse(setting: str) -> Override:
    """Return ``setting`` parsed by Hydra; Refusal if Hydra cannot parse it."""
    try:
        return OverridesParser.create().parse_override(setting)
    # In addition to Hydra's own: numbers too long for Python, nested brackets.
    except (HydraException, ValueError, ArithmeticError, RecursionError):
        raise _unreadable(setting) from None


def _unreadable(setting: str) -> Refusal:
    shown = setting if len(setting) <= _SHOWN else f"{setting[:_SHOWN]}..."
    remedy = "write it as name=value"
    if re.match(r"[\w./@+~]+=.*[^\w.]", setting):
        remedy += ", with quotes round each text that has a comma, bracket or quote in it"
    return Refusal(f"cannot read {shown!r}: {remedy}")
