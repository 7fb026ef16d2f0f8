"""Escape text from outside (labels, file names, file contents), so it is shown verbatim.

Each reader interprets some characters: a terminal escape sequences, Markdown asterisks, a browser
tags, a spreadsheet formulas, Matplotlib underscores, a file system slashes.  This module escapes
text for each.  `experiments.terminal` switches Rich's markup off.
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
"""Longest message; a message may quote a file."""

LONGEST_LABEL = 300
"""Longest player name, in characters."""

_LONGEST_NAME = 120
"""Bytes of a name that file systems and MLflow accept, with room for prefix and suffix."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""First characters of cells that a spreadsheet may execute, and the character that prevents it."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


_USER = re.compile(r"(?<=://)[^\s/]\S{0,4000}@")
"""User and password in an address; the path of a database file has none."""

_SECRET = r"(?:passw|secret|token(?!s)|credential|api[-_]?key)[\w-]{0,40}"
_IS_SECRET = re.compile(_SECRET, re.IGNORECASE)
_OPTION = re.compile(
    rf"({_SECRET}=|--[\w-]{{0,40}}?{_SECRET}\s+)('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE
)


def redact(given: Any) -> Any:
    """Return ``given``, a text or nested settings, with ``***`` in place of each secret.

    Secrets are user and password in an address, and values of settings or options whose names say
    so.  All that a command prints, writes to its folder or records passes through here; a resumed
    run must therefore be given its secrets again.
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
    """Return ``text`` as one line, with a blank in place of each invisible character.

    Those are control characters, the first character of escape sequences, marks that change the
    writing direction, and lone surrogates, which no file or terminal can hold.
    """
    return "".join(sign if sign.isprintable() else " " for sign in text)


def lines(text: str) -> str:
    """Return ``text`` as `printable`, but keep its line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def shorten(text: str, limit: int) -> str:
    """Return ``text`` as `printable`, cut to at most ``limit`` characters."""
    return printable(text if len(text) <= limit else f"{text[: limit - 1]}…")


def message(text: str) -> str:
    """Return ``text`` as a one-line message of limited length."""
    return shorten(redact(text), LONGEST_LINE)


def forgiving(*streams: Any) -> None:
    """Have ``streams`` print a question mark for characters that their encoding lacks."""
    for stream in streams or (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # not a file, or closed
            stream.reconfigure(errors="replace")


def markdown(text: str, cell: bool = False) -> str:
    """Return ``text`` escaped for Markdown, in one line.

    In a ``cell`` of a table no line begins, so list and heading markers need no escape.
    """
    plain = re.sub(r"([\\`*{}\[\]<>|#~$&]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text).strip())
    if cell:
        return plain
    # Characters that begin a list, a rule or a heading at the start of a paragraph.
    plain = re.sub(r"^([-+=](?=[-+=\s]|$))", r"\\\1", plain)
    return re.sub(r"^(\d+)(?=[.)](\s|$))", r"\1\\", plain)


def html(value: Any) -> Any:
    """Return a text for HTML, without control characters other than line breaks."""
    return value if not isinstance(value, str) or isinstance(value, Markup) else lines(value)


def csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet program takes for a formula.

    `from_csv` restores the text.  Numbers are unchanged.
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def from_csv(cell: str) -> str:
    """Return the text that `csv_cell` escaped as ``cell``."""
    return cell.removeprefix("'")


def for_picture(text: str, limit: int = 58) -> str:
    """Return ``text`` for a plot: short, and not hidden from the legend by an underscore."""
    shown = shorten(text, limit)
    return f" {shown}" if shown.startswith("_") else shown


def metric(text: str) -> str:
    """Return ``text`` as part of a metric name that MLflow accepts."""
    return _safe_name(re.sub(r"[^\w\-. :]", "_", text))


def file_name(text: str) -> str:
    """Return ``text`` as a file or folder name; different texts give different names."""
    safe = "".join("_" if sign == "/" or not sign.isprintable() else sign for sign in text)
    named = _safe_name(safe)
    return named if named == text else f"{named}-{_digest(text)}"


def _safe_name(text: str) -> str:
    """Return a name that is no path to another folder, and not too long."""
    text = text if text.strip(". ") else "_" * max(1, len(text))
    coded = text.encode("utf-8", "replace")
    if len(coded) <= _LONGEST_NAME:
        return text
    return f"{coded[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def span(numbers: Iterable[int]) -> str:
    """Return the smallest and largest of ``numbers``, as in ``20 to 100``."""
    found = sorted(numbers)
    return " to ".join(f"{number:,}" for number in dict.fromkeys((found[0], found[-1])))
