"""Work beside a run: its record, its plot, its progress bar.  If it fails, the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from experiments.settings.commandline import Refusal, say
from experiments.texts import redact

_T = TypeVar("_T")

_LONGEST_REASON = 200


class Aside:
    """Something beside a run, which says once, in one line, that it has failed.

    ``what`` is missing then, as in "the plot is missing"; ``advice``: what can be done about it.
    Attribute ``fault``: the first reason, None as long as there is none.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        self._what, self._advice = what, advice
        self.fault: str | None = None

    def do(self, work: Callable[[], _T], refuses: bool = False) -> _T | None:
        """Return what ``work`` returns; None if it raises anything, now or earlier.

        A request to end (KeyboardInterrupt) passes, and if work ``refuses`` so does its Refusal.
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
        """Note and say that it has failed, unless that has been said."""
        if self.fault is not None:
            return
        self.fault = fault if isinstance(fault, str) else first_cause(fault)
        say("warning", f"{self._what} ({self.fault}){self._advice}")


def first_cause(fault: BaseException) -> str:
    """Return in a line the first cause; what wraps it is a library's own business."""
    while fault.__cause__ is not None:
        fault = fault.__cause__
    kind, said = type(fault).__name__, redact(str(fault)).partition("\n")[0][:_LONGEST_REASON]
    return said if " " in said else f"{kind}: {said}"
