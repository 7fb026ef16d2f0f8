"""What a command does at its edges: one line for a fault, 130 for Ctrl-C, no traceback.

Hydra prints a fault in the configuration in several lines, and one of the job with a traceback.
Its switch for developers, ``HYDRA_FULL_ERROR``, hands the exception on instead: `run` sets it and
says the same in one line.  Where the user has set it, all is shown as Hydra shows it.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import NoReturn

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from mcts.kernel.plugins import BrokenPlugin

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


class Refusal(Exception):
    """A request that cannot be met; the message says why and what to do, in one line."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after what was played has been saved; the message says where it is."""


class Parser(argparse.ArgumentParser):
    """For commands without Hydra: says what is wrong in one line, by a `Refusal`."""

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see --help")


def enter(name: str, command: Callable[[], None]) -> None:
    """Run ``command`` for the script ``name``; exit with 1 after a refusal, 130 after Ctrl-C."""
    try:
        command()
    except (Refusal, BrokenPlugin) as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt as stop:
        print(f"{name}: {str(stop) or 'interrupted'}", file=sys.stderr)
        sys.exit(INTERRUPTED)


def quoted(arguments: Iterable[str]) -> list[str]:
    """Return the command line's ``arguments`` with quotes where Hydra's grammar wants them.

    ``match.players=[bmcts,bmcts+own_card_weight=0.1]`` and ``match.stop=sprt:0,30`` hold ``=`` and
    ``,``.
    """
    found = []
    for each in arguments:
        name, _, value = each.partition("=")
        if name == "match.players" and re.fullmatch(r"\[[^'\"\[\]]*\]", value):
            listed = [item.strip() for item in value[1:-1].split(",") if item.strip()]
            each = f"{name}={[str(item) for item in listed]}".replace(", ", ",")
        elif name == "match.stop" and re.fullmatch(r"sprt:[^'\",]*,[^'\",]*", value):
            each = f"{name}='{value}'"
        found.append(each)
    return found


@contextmanager
def ctrl_c() -> Iterator[Event]:
    """Turn the first Ctrl-C into an event, so that it never hits a file half written.

    A second one is the ordinary `KeyboardInterrupt`.
    """
    pressed = Event()

    def press(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def did_you_mean(given: str, known: Iterable[object]) -> str:
    """Return ``" (did you mean ...?)"`` if something known looks like ``given``, or nothing."""
    close = difflib.get_close_matches(str(given), [str(each) for each in known], n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def run(job: Callable[[DictConfig, Path], None], config_name: str, name: str) -> int:
    """Compose the configuration from the command line and run ``job`` on it.

    Parameters
    ----------
    job : called with the configuration and the run folder, once for each run of a sweep; raises
        `Refusal` for a fault to be told in one line, after which a sweep goes on
    config_name : YAML in `conf`
    name : of the command, put before messages

    Returns
    -------
    int
        The exit code: 0, 1 on a fault, `INTERRUPTED` on Ctrl-C.
    """
    wants_traceback = os.environ.get("HYDRA_FULL_ERROR", "0") not in ("", "0")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    sys.argv[1:] = quoted(sys.argv[1:])
    code = 0
    composed = False

    def guarded(config: DictConfig) -> None:
        nonlocal code, composed
        composed = True
        folder = Path(HydraConfig.get().runtime.output_dir)
        try:
            job(config, folder)
        except (Refusal, BrokenPlugin) as fault:
            code = _say(name, str(fault), 1)
            with suppress(OSError):
                folder.rmdir()  # if nothing was written to it

    try:
        hydra.main(version_base="1.3", config_path="pkg://conf", config_name=config_name)(guarded)()
    except KeyboardInterrupt as stop:
        return _say(name, str(stop) or "interrupted before the first game", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone, as in `--help | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as fault:
        # Whatever a job raises beside `Refusal` is a bug of ours, and its traceback is wanted.
        if composed or wants_traceback:
            raise
        return _say(name, explain(fault), 1)
    return code


def _say(name: str, message: str, code: int) -> int:
    print(f"{name}: {message}", file=sys.stderr, flush=True)
    return code


def explain(fault: Exception) -> str:
    """Return what Hydra found wrong before the job began, in one line."""
    if isinstance(fault, OverrideParseException):
        return f"cannot read {fault.override!r}: write it as name=value"
    if isinstance(fault, MissingConfigException):
        return _unknown_option(fault)
    if isinstance(fault, OSError):
        return f"cannot write to the run folder: {fault.filename}: {fault.strerror}; set run.folder"
    cause = fault if isinstance(fault, OmegaConfBaseException) else fault.__cause__
    if isinstance(cause, (ConfigAttributeError, ConfigKeyError)):
        known = list(cause.parent_node) if isinstance(cause.parent_node, DictConfig) else []
        hint = did_you_mean(str(cause.key), known)
        return f"{cause.full_key or cause.key}: there is no such setting{hint}; see --help"
    if isinstance(cause, OmegaConfBaseException):
        return f"{cause.full_key or cause.key}: {_first_line(cause)}"
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
