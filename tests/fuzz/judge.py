"""Judgement of what a user sees of a command: always a result, or one line and exit code 1.

A fuzzer is a module beside this one with

    def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]

that makes ``number`` cases from ``seed``, writes below ``folder`` only, and yields for each case
None, or what is wrong.  The same seed makes the same cases.  ``run.py`` runs them at length; the
tests run a few, and show that a planted fault is found.
"""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console

from experiments import terminal
from experiments.settings.commandline import Refusal
from experiments.texts import message

EXITS = {0, 1, 129, 130, 143}
"""Done, refused, and ended by SIGHUP, Ctrl-C and SIGTERM."""

TRACES = ("Traceback (most recent call last)", "Exception ignored in", "Fatal Python error")


@dataclass(frozen=True)
class Outcome:
    """End of a command: its exit code (None: it did not end in time), and what it printed."""

    code: int | None
    out: str
    err: str


@dataclass(frozen=True)
class Finding:
    """A case that went wrong: enough to repeat it, and what was seen."""

    case: str
    complaint: str


def complaint(seen: Outcome) -> str | None:
    """Return what is wrong with ``seen``, or None.

    Wrong is: no end in time, a traceback, an exit code outside `EXITS`, and a refusal (exit code 1)
    that does not say why in exactly one line on the error stream.
    """
    if seen.code is None:
        return "it does not end"
    for trace in TRACES:
        if trace in seen.out + seen.err:
            return f"a traceback: {_last(seen.out + seen.err)}"
    if seen.code not in EXITS:
        return f"exit code {seen.code}: {_last(seen.err)}"
    lines = [line for line in seen.err.splitlines() if line.strip()]
    if seen.code == 1 and len(lines) != 1:
        return f"a refusal in {len(lines)} lines: {_last(seen.err)}"
    return None


def _last(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")[:200]


def capture(what: Callable[[Console], None]) -> Outcome:
    """Do ``what`` in this process; return what it printed and how it ended: 1 after a refusal."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        try:
            what(terminal.console(file=out, width=120))
        except BaseException as fault:
            code = 1
            refused = isinstance(fault, Refusal)
            err.write(message(str(fault)) + "\n" if refused else traceback.format_exc())
    return Outcome(code, out.getvalue(), err.getvalue())


def find_fault(case: str, seen: Outcome) -> Finding | None:
    """Return what is wrong with ``seen``; characters that a terminal obeys are."""
    wrong = complaint(seen)
    if wrong is None and not all(
        sign.isprintable() or sign == "\n" for sign in seen.out + seen.err
    ):
        wrong = "it prints characters that a terminal obeys"
    if wrong is None and seen.code == 0 and seen.err:
        wrong = f"it warns: {seen.err[:200]}"
    return None if wrong is None else Finding(case, wrong)
