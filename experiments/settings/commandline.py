"""One-line errors and exit codes of commands, and failures that end none."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException
from yaml import YAMLError

from experiments.settings import output, signals
from experiments.texts import forgiving, message, redact
from mcts.kernel import temporary
from mcts.kernel.errors import SleuthError
from mcts.kernel.plugins import blame_plugin
from mcts.limits import did_you_mean

_T = TypeVar("_T")

_LONGEST_REASON = 200
"""Characters of the cause of a failure."""

GROUPS_OF_A_PLAYER = tuple(
    f"{seat}/{group}" for seat in ("player", "opponent") for group in ("belief", "search", "budget")
)
"""Groups below ``conf/player``, by seat."""


class Refusal(SleuthError):
    """A request that cannot be carried out; its one-line message gives reason and remedy."""


FAULTS = (SleuthError, HydraException, OmegaConfBaseException, MemoryError)
"""Exceptions that a user can cause, or that the project raises on purpose: `explain` turns each
into one line.  Any other is a bug and shows its traceback."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or another request to end, raised after saving; the message names the folder."""


class Parser(argparse.ArgumentParser):
    """A parser that reports errors as a one-line `Refusal`."""

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see --help")


def say(title: str, text: str) -> None:
    """Print ``text`` as one line after the name of the command."""
    with suppress(OSError, ValueError):  # a lost terminal, a closed stream
        print(f"{title}: {message(text)}", file=sys.stderr, flush=True)


def in_folder(folder: object) -> str:
    """Return the setting that continues the run in ``folder``, as a shell reads it."""
    return shlex.quote(f"run.folder={folder}")


class Aside:
    """Auxiliary work of a run (record, plot, progress bar), whose failure does not end the run.

    It reports its first failure in one line.

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


def attempt(title: str, work: Callable[[], int | None], lasting: bool = True) -> int:
    """Run ``work`` for the command ``title``, and print one line if it ends early.

    ``lasting``: whether it continues if its terminal or reader is lost.  Returns the exit code:
    that of ``work`` (0 for None), 1 after a refusal, the signal's after a request to end
    (`experiments.settings.signals`).
    """
    forgiving()
    with signals.handle() as heard, output.keep(lasting):
        try:
            with blame_plugin():
                return work() or 0
        except FAULTS as fault:
            say(title, explain(fault))
            return 1
        except KeyboardInterrupt as stop:
            say(title, str(stop) or "interrupted before any work was done")
            return heard.code


def leave(code: int) -> NoReturn:
    """Exit with ``code``; immediately if it is a signal's."""
    if code > 128:
        # All is saved.  An orderly exit would wait seconds for Ray and for the compiler thread;
        # Ray's processes end with this one.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        temporary.discard()
        os._exit(code)
    sys.exit(code)


def explain(fault: Exception) -> str:
    """Return a one-line description of ``fault``, which may be one of Hydra's."""
    if isinstance(fault, SleuthError):
        return str(fault)
    if isinstance(fault, MemoryError):
        return (
            f"not enough memory ({_first_line(fault)}): lower the workers, or the nodes or "
            "simulations of a search: each simulation adds a node"
        )
    if isinstance(fault, OverrideParseException):
        return f"cannot read {fault.override!r}: write it as name=value"
    if isinstance(fault, MissingConfigException) and fault.missing_cfg_file and fault.options:
        group, _, given = str(fault.missing_cfg_file).rpartition("/")
        return unknown(group, given, fault.options)
    if isinstance(fault, OSError):
        return (
            f"cannot write to the run folder: {fault.filename}: {fault.strerror}; "
            "choose another folder"
        )
    if isinstance(fault, YAMLError):
        return explain_yaml(fault)
    cause: BaseException | None = fault
    if not isinstance(fault, OmegaConfBaseException):
        cause = fault.__cause__ or fault.__context__
    if isinstance(cause, (ConfigAttributeError, ConfigKeyError)):
        return _explain_key(cause)
    if isinstance(cause, OmegaConfBaseException):
        key = cause.full_key or cause.key
        return f"{key}: {_explain_type(_first_line(cause))}" if key else _first_line(cause)
    line = _first_line(fault)
    if "Ambiguous value" in line or "requires --multirun" in line:
        line += "; add -m to run one value after another, or write [a,b] for a list"
    return line


def explain_yaml(fault: Exception) -> str:
    """Return a one-line description of a YAML fault, with its position."""
    mark = getattr(fault, "problem_mark", None)
    if mark is None:
        return " ".join(str(fault).split())
    file = "" if mark.name.startswith("<") else f"{mark.name}, "
    reason = getattr(fault, "problem", None) or "it cannot be read"
    return f"{file}line {mark.line + 1}: {' '.join(reason.split())}"


def _explain_key(fault: OmegaConfBaseException) -> str:
    known = list(fault.parent_node) if isinstance(fault.parent_node, DictConfig) else []
    kind, hint = "setting", did_you_mean(str(fault.key), known)
    if known and (deeper := _find_deeper(fault.parent_node._get_root(), fault)):
        hint = f" (did you mean {deeper}?)"
    if not hint and known and "." in str(fault.full_key):
        hint = f" (choose one of {', '.join(map(str, known))})"
    if fault.full_key == "run.resume":
        hint = " (run.folder=FOLDER continues the run in it)"
    if "/" in str(fault.key):
        kind, hint = "group", did_you_mean(str(fault.key), GROUPS_OF_A_PLAYER)
    return f"{fault.full_key or fault.key}: unknown {kind}{hint}; see --help"


def _find_deeper(root: Any, fault: OmegaConfBaseException) -> str | None:
    """Return the key elsewhere, of the same player first, whose last name is the unknown one."""
    section, dot, _ = str(fault.full_key).partition(".")
    sections = [section] if dot and section in ("player", "opponent") else list(map(str, root))
    for name in sections:
        paths = [(name, root._get_node(name))]
        for path, node in paths:
            if path.endswith(f".{fault.key}"):
                return path
            if isinstance(node, DictConfig) and not node._is_none() and not node._is_missing():
                paths += [(f"{path}.{key!s}", node._get_node(key)) for key in node]
    return None


def _explain_type(line: str) -> str:
    """Return OmegaConf's ``line`` on a value of a wrong type in plainer words."""
    if "is not a ListConfig" in line:
        return "give a list, as in [a,b]"
    found = re.match(r"Value '(.*)' of type '\w+' could not be converted to (\w+)", line)
    names = {"Float": "a number", "Integer": "a whole number"}
    if found and found[2] in names:
        return f"{found[1]!r} is not {names[found[2]]}"
    return line


def unknown(key: str, given: object, known: Iterable[object]) -> str:
    """Return the message that ``key`` cannot be ``given``, listing the ``known`` values."""
    names = [str(name) for name in known]
    return (
        f"{key}={given}: unknown{did_you_mean(str(given), names)}; choose one of {', '.join(names)}"
    )


def _first_line(fault: BaseException) -> str:
    return str(fault).partition("\n")[0].strip() or type(fault).__name__
