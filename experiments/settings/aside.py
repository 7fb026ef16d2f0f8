"""Auxiliary work of a run (record, plot, progress bar), whose failure does not end the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from experiments.settings.commandline import Refusal, say
from experiments.texts import redact

_T = TypeVar("_T")

_LONGEST_REASON = 200


class Aside:
    """Auxiliary work that reports its first failure in one line.

    ``what``: the message, as in "the plot is missing"; ``advice``: the remedy.  Attribute
    ``fault``: the first reason, None without a failure.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        self._what, self._advice = what, advice
        self.fault: str | None = None

    def do(self, work: Callable[[], _T], refuses: bool = False) -> _T | None:
        """Return ``work()``; None if it raises anything, or an earlier call did.

        KeyboardInterrupt passes through, and if ``refuses`` so does a Refusal.
        """
        if self.fault is None:
            try:
                return work()
            except (Exception, SystemExit) as fault:
                if refuses and isinstance(fault, Refusal):
                    raise
                self.fail(fault)
        return None

    def fail(self, fault: BaseException | str) -> None:
        """Record and print the failure, unless one was printed before."""
        if self.fault is not None:
            return
        self.fault = fault if isinstance(fault, str) else first_cause(fault)
        say("warning", f"{self._what} ({self.fault}){self._advice}")


def first_cause(fault: BaseException) -> str:
    """Return the first cause of ``fault`` in one line, without exceptions that wrap it."""
    while fault.__cause__ is not None:
        fault = fault.__cause__
    kind, said = type(fault).__name__, redact(str(fault)).partition("\n")[0][:_LONGEST_REASON]
    return said if " " in said else f"{kind}: {said}"
