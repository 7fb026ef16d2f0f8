"""Text from outside -- labels, names of files, what a file says -- is shown, never obeyed.

Each reader has characters that do something: a terminal escape sequences, Markdown stars, a browser
tags, a spreadsheet formulas, Matplotlib underscores, a file system slashes.  Here stands, once, how
a text is given to each so that it is seen as it is.  Rich's markup is switched off in
`experiments.terminal`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from markupsafe import Markup

LONGEST_LINE = 2000
"""Characters of a message, which may quote what a file holds."""

LONGEST_LABEL = 300
"""Characters of a player's name."""

_LONGEST_NAME = 120
"""Bytes of a name that a file system or MLflow takes, with room for what stands around it."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""With which a cell begins that a spreadsheet program may run, and the sign that stops it."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


_USER = re.compile(r"(?<=://)[^\s/]\S{0,4000}@")
"""User and password in an address; there is none before the path of a database in a file."""

_SECRET = r"(?:passw|secret|token(?!s)|credential|api[-_]?key)[\w-]{0,40}"
_IS_SECRET = re.compile(_SECRET, re.IGNORECASE)
_OPTION = re.compile(
    rf"({_SECRET}=|--[\w-]{{0,40}}?{_SECRET}\s+)('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE
)


def redact(given: Any) -> Any:
    """Return ``given``, a text or nested settings, with ``***`` in place of each secret.

    Those are user and password in an address, and the value of a setting or an option whose name
    says that it is one.  All that a command prints, writes to its folder or records goes through
    this; so what a run needs of its secrets is given again when it goes on.
    """
    if isinstance(given, dict):
        return {
            key: "***" if isinstance(value, str) and _IS_SECRET.search(str(key)) else value
            for key, value in ((key, redact(value)) for key, value in given.items())
        }
    if isinstance(given, (list, tuple)):
        return [redact(value) for value in given]
    if not isinstance(given, str):
        return given
    return _OPTION.sub(r"\1***", _USER.sub("***@", given))


def printable(text: str) -> str:
    """Return ``text`` in one line, a blank in place of each sign that is not to be seen.

    Those are control characters, escape sequences' first sign, marks that turn the direction of
    writing, and halves of surrogate pairs, which no file or terminal can hold.
    """
    return "".join(sign if sign.isprintable() else " " for sign in text)


def lines(text: str) -> str:
    """Return ``text`` as `printable`, but with its ends of lines."""
    return "\n".join(map(printable, text.split("\n")))


def shorten(text: str, most: int) -> str:
    """Return ``text`` as `printable`, and at most so many characters of it."""
    return printable(text if len(text) <= most else f"{text[: most - 1]}…")


def message(text: str) -> str:
    """Return ``text`` as a message of one line, not endless."""
    return shorten(redact(text), LONGEST_LINE)


def forgiving(*streams: Any) -> None:
    """Let ``streams`` show a question mark for what their encoding has not."""
    for stream in streams or (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # not a file, or closed
            stream.reconfigure(errors="replace")


def markdown(text: str, cell: bool = False) -> str:
    """Return ``text`` so that Markdown shows it as it is, in one line; in a ``cell`` of a table
    no line begins.
    """
    plain = re.sub(r"([\\`*{}\[\]<>|#~$&]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text).strip())
    if cell:
        return plain
    # What begins a list, a rule or a heading at the start of a paragraph.
    return re.sub(r"^([-+=](?=[-+=\s]|$)|\d+(?=[.)](\s|$)))", _harmless, plain)


def _harmless(start: re.Match[str]) -> str:
    return f"{start[1]}\\" if start[1].isdigit() else f"\\{start[1]}"


def html(value: Any) -> Any:
    """Return a text as HTML is to show it: without control characters but ends of lines."""
    return value if not isinstance(value, str) or isinstance(value, Markup) else lines(value)


def csv_cell(value: Any) -> Any:
    """Return a cell such that no spreadsheet program takes a text for a formula.

    `from_csv` gives the text back.  Numbers stay what they are.
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def from_csv(cell: str) -> str:
    """Return the text of which `csv_cell` made ``cell``."""
    return cell.removeprefix("'")


def for_picture(text: str, most: int = 58) -> str:
    """Return ``text`` for a picture: short, and not hidden from the legend by an underscore."""
    shown = shorten(text, most)
    return f" {shown}" if shown.startswith("_") else shown


def metric(text: str) -> str:
    """Return ``text`` as a part of the name that MLflow lets a metric have."""
    return _safe_name(re.sub(r"[^\w\-. :]", "_", text))


def file_name(text: str) -> str:
    """Return ``text`` as the name of a file or folder, for another text another one."""
    safe = "".join("_" if sign == "/" or not sign.isprintable() else sign for sign in text)
    named = _safe_name(safe)
    return named if named == text else f"{named}-{_digest(text)}"


def _safe_name(text: str) -> str:
    """Return a name that is no way to another folder, and not too long."""
    text = text if text.strip(". ") else "_" * max(1, len(text))
    coded = text.encode("utf-8", "replace")
    if len(coded) <= _LONGEST_NAME:
        return text
    return f"{coded[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def span(numbers: Iterable[int]) -> str:
    """Return the least and the greatest of ``numbers``, as in ``20 to 100``."""
    found = sorted(numbers)
    return " to ".join(f"{number:,}" for number in dict.fromkeys((found[0], found[-1])))
