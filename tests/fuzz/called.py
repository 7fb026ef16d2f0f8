"""Do what a command does in this process, and return what a user would see."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable

from judge import Finding, Outcome, complaint
from rich.console import Console

from experiments import terminal
from experiments.settings.commandline import Refusal
from experiments.texts import message


def capture(what: Callable[[Console], None]) -> Outcome:
    """Return what ``what`` printed and how it ended: 1 after a refusal, with its line."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        try:
            what(terminal.console(file=out, width=120))
        except Refusal as fault:
            code = 1
            err.write(message(str(fault)) + "\n")
        except BaseException:
            code = 1
            err.write(traceback.format_exc())
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
    if wrong is not None and seen.err.count("\n") > 1:
        wrong += f" ({' < '.join(line.strip() for line in seen.err.splitlines()[-3:-1])})"
    return None if wrong is None else Finding(case, wrong)
