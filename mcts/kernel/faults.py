"""Explain in three lines why a kernel cannot be compiled, instead of Numba's hundred.

Numba reports a fault from the outside in.  `watch` remembers the functions that failed, innermost
first; `explain` names the line of the user's own code.
"""

from __future__ import annotations

import dis
import linecache
import re
from collections.abc import Callable
from typing import Any

from numba.core import event
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from mcts.kernel import sources
from mcts.kernel.errors import SleuthError

REMEDY = "full Numba message: NUMBA_FULL_TRACEBACKS=1; run as plain Python: NUMBA_DISABLE_JIT=1"

FAULTS = NumbaError, UnsupportedBytecodeError, AttributeError
"""Exceptions by which Numba rejects a function; the last is for an unknown name in a module."""

_NAME = re.compile(r"(?:name|has no attribute) '(\w+)'")
_PLACE = re.compile(r" at (.+) \((\d+)\)$", re.MULTILINE)
_SHOWN = re.compile(r'File "(.+)", line (\d+):')
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_EMPTY = re.compile(r"Failed in \w+ mode pipeline|There are \d+ candidate|- Of which \d+ did|$")
_REASON = re.compile(r"raised a specific error:\s+\w+: (.+)")
_LONGEST = 300


class KernelFault(SleuthError, TypeError):
    """A kernel cannot be compiled; the message says where, why, and how to see more."""


class _Failed(event.Listener):
    """Functions that failed to compile, each because of the previous one."""

    def __init__(self) -> None:
        self.chain: list[tuple[Callable, Exception, tuple]] = []

    def on_start(self, event: Any) -> None:
        """Part of Numba's interface."""

    def on_end(self, event: Any) -> None:
        """Remember a function that failed, and forget failures that its error does not mention."""
        fault = event._exc_details and event._exc_details[1]  # `is_failed` of Numba 0.68 is wrong
        if not isinstance(fault, FAULTS):
            return
        if self.chain and _find_cause(self.chain[-1][1])[0] not in _text(fault):
            self.chain.clear()
        self.chain.append((event.data["dispatcher"].py_func, fault, event.data["args"]))


_FAILED = _Failed()


def watch() -> None:
    """Remember failures from now on; called on import of `mcts.kernel.compile`."""
    event.register("numba:compile", _FAILED)


def explain(fault: Exception) -> KernelFault:
    """Return the exception to raise in place of ``fault``, raised when Python called a kernel."""
    chain = [(f, e, a) for f, e, a in _FAILED.chain if _top(f) != "numba"]
    _FAILED.chain.clear()
    if not chain:
        return KernelFault(f"{_word(fault)}\n{REMEDY}")
    inner, reason, arguments = chain[0]
    function, said, _ = next((one for one in chain if _top(one[0]) not in sources.OURS), chain[0])
    cause = _word(reason)
    if "pyobject" in cause:
        names = inner.__code__.co_varnames
        odd = [name for name, kind in zip(names, arguments, strict=False) if "pyobj" in str(kind)]
        cause = f"{', '.join(odd)} is of a type that kernels do not take"
    if function is not inner:
        cause = f"in {inner.__qualname__} ({_path(inner)}:{_find_line(inner, reason)}): {cause}"
    line = _find_line(function, said)
    text = linecache.getline(_path(function), line).strip()
    return KernelFault(
        f"{_path(function)}:{line}: {function.__qualname__} cannot be compiled: {cause[:_LONGEST]}"
        f"\n    {text}\n{REMEDY}"
    )


def _top(function: Callable) -> str:
    return (function.__module__ or "").partition(".")[0]


def _path(function: Callable) -> str:
    return str(sources.file_of(function.__module__) or function.__code__.co_filename)


def _text(fault: Exception) -> str:
    """Return the text of ``fault`` without Numba's terminal codes for bold."""
    return _CODES.sub("", str(fault))


def _find_cause(fault: Exception) -> list[str]:
    """Return the lines of ``fault`` that give the reason: one, or a heading and a call."""
    lines = [line.strip() for line in _text(fault).splitlines()]
    said = [line for line in lines if not _EMPTY.match(line)] or [type(fault).__name__]
    return said[:2] if said[0].endswith(":") else said[:1]


def _word(fault: Exception) -> str:
    """Return the reason in one line; for an impossible call also why, if given."""
    cause, *call = _find_cause(fault)
    if not call:
        return cause.removesuffix(". Raised from None")
    reasons = [reason for reason in _REASON.findall(_text(fault)) if not _EMPTY.match(reason)]
    return ": ".join([f"there is no {call[0].removeprefix('>>> ')}", *reasons[-1:]])


def _find_line(function: Callable, fault: Exception) -> int:
    """Return the line of ``function`` that ``fault`` names, else its first."""
    text, file = _text(fault), function.__code__.co_filename
    unknown = _NAME.search(text)
    for step in dis.get_instructions(function) if unknown else ():
        if step.argval == unknown[1] and step.positions and step.positions.lineno:
            return step.positions.lineno
    for pattern in (_PLACE, _SHOWN):
        for named, line in pattern.findall(text):
            if file.endswith(named.lstrip("./")) or named == file:
                return int(line)
    return function.__code__.co_firstlineno
