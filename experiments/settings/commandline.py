"""What is told at the edge of a command: a fault, or where an end on request left it, in a line."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from experiments.settings import output, signals
from experiments.texts import forgiving, message
from mcts.kernel import temporary
from mcts.kernel.plugins import BrokenPlugin, blamed
from mcts.kernel.store import UnsafeCache

GROUPS_OF_A_PLAYER = tuple(
    f"{seat}/{group}" for seat in ("player", "opponent") for group in ("belief", "search", "budget")
)
"""Groups in the folder ``conf/player``, for whom they are."""


class Refusal(Exception):
    """A request that cannot be met; the message says why and what to do, in one line."""


class Incomplete(Refusal):
    """What was asked for is done, but not something beside it, such as its record.

    Parameters
    ----------
    told : in one line, what is missing
    value : of the job, as if it had returned it
    """

    def __init__(self, told: str, value: float | None) -> None:
        super().__init__(told, value)
        self.told, self.value = told, value

    def __str__(self) -> str:
        return self.told


TOLD = (
    Refusal,
    BrokenPlugin,
    UnsafeCache,
    HydraException,
    OmegaConfBaseException,
    MemoryError,
)
"""What a user can cause, and is told in the line that `explain` makes of it.  Whatever else a job
raises is a bug of ours, and its traceback is wanted."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or another wish to end (`experiments.settings.signals`), when all is saved.

    The message says where it is.
    """


class Parser(argparse.ArgumentParser):
    """For commands without Hydra: says what is wrong in one line, by a `Refusal`."""

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see --help")


def enter(name: str, command: Callable[[], None]) -> None:
    """Run ``command`` for the script ``name``; exit with 1 after a refusal, or as `signals` say."""
    with signals.heard() as heard, output.kept():
        forgiving()
        try:
            with blamed():
                command()
        except TOLD as fault:
            print(f"{name}: {message(explain(fault))}", file=sys.stderr)
            sys.exit(1)
        except KeyboardInterrupt as stop:
            print(f"{name}: {message(str(stop) or 'interrupted')}", file=sys.stderr)
            sys.exit(heard.code)


def leave(code: int) -> NoReturn:
    """Exit with ``code``; at once if that is a signal's."""
    if code > 128:
        # All is saved.  An orderly end would wait seconds for Ray and for a compiler in its
        # thread; Ray's processes end with this one.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        temporary.discard()
        os._exit(code)
    sys.exit(code)


def did_you_mean(given: str, known: Iterable[object]) -> str:
    """Return ``" (did you mean ...?)"`` if something known looks like ``given``, or nothing."""
    close = difflib.get_close_matches(str(given), [str(name) for name in known], n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def explain(fault: Exception) -> str:
    """Return what a user is told of ``fault``, or of what Hydra found wrong, in one line."""
    if isinstance(fault, (Refusal, BrokenPlugin, UnsafeCache)):
        return str(fault)
    if isinstance(fault, MemoryError):
        return (
            f"not enough memory ({_first_line(fault)}): lower the nodes or the simulations of a "
            "search, of which a tree has a node each, or the workers"
        )
    if isinstance(fault, OverrideParseException):
        return f"cannot read {fault.override!r}: write it as name=value"
    if isinstance(fault, MissingConfigException):
        return _unknown_option(fault)
    if isinstance(fault, OSError):
        return f"cannot write to the run folder: {fault.filename}: {fault.strerror}; set run.folder"
    cause = fault
    if not isinstance(fault, OmegaConfBaseException):
        cause = fault.__cause__ or fault.__context__
    if isinstance(cause, (ConfigAttributeError, ConfigKeyError)):
        known = list(cause.parent_node) if isinstance(cause.parent_node, DictConfig) else []
        hint = did_you_mean(str(cause.key), known)
        kind = "setting"
        if "/" in str(cause.key):
            kind, hint = "group", did_you_mean(str(cause.key), GROUPS_OF_A_PLAYER)
        return f"{cause.full_key or cause.key}: there is no such {kind}{hint}; see --help"
    if isinstance(cause, OmegaConfBaseException):
        key = cause.full_key or cause.key
        return f"{key}: {_first_line(cause)}" if key else _first_line(cause)
    message = _first_line(fault)
    if "Ambiguous value" in message or "requires --multirun" in message:
        message += "; add -m to run one value after another, or write [a,b] for a list"
    return message


def _unknown_option(fault: MissingConfigException) -> str:
    if not fault.missing_cfg_file or not fault.options:
        return _first_line(fault)
    group, _, given = str(fault.missing_cfg_file).rpartition("/")
    return (
        f"{group}={given}: there is no such {group}{did_you_mean(given, fault.options)}"
        f"; choose one of {', '.join(fault.options)}"
    )


def _first_line(fault: BaseException) -> str:
    return str(fault).partition("\n")[0].strip() or type(fault).__name__
