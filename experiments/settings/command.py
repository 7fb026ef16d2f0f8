"""One way to make a command: a name, a configuration, a schema and a job.

A command ``NAME`` consists of

* ``conf/NAME.yaml``, whose defaults begin with ``schema/NAME@_here_`` and ``command`` and which
  gives every setting a value and, behind ``#``, a meaning; ``hydra.help.header`` and ``footer`` say
  what the command does (with examples) and what it leaves;
  (``optional local: NAME`` behind ``_self_`` lets `config.LOCAL` set values of this machine);
* a dataclass, the schema of that configuration: types, and limits in the fields' metadata
  (`experiments.settings.schemas`);
* ``experiments/NAME/__main__.py``::

    COMMAND = Command("regret", Regret, job)
    main = COMMAND.main

    if __name__ == "__main__":
        main()

where ``job(settings, folder)`` gets the checked configuration and its run folder.  That is
``run.resume`` or ``run.folder`` if the configuration has them (it exists by then), else the working
directory.  The job says what cannot be met by raising `Refusal`, and that it was told to end by
`Interrupted`.  What it returns, a number or None, is what a sweeper that optimises (``-m
hydra/sweeper=...``) is told of the run; to that a refusal is a run that failed.

The user gets ``name=value`` for every setting and ``group=choice`` for every group in the defaults,
``--help`` (groups, settings, what they mean), ``--cfg job`` and ``-m``; files without ``name=`` if
the command has a `Command.bare` key; and for every fault a line that says what to do, with exit
code 1.  Import what is slow (Numba, Ray, SciPy, Matplotlib, polars) inside the job: help and
refusals do not wait for it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments.settings import arguments, composing, config, helptext, output, signals
from experiments.settings.commandline import TOLD, Incomplete, Interrupted, Refusal, explain, leave
from experiments.texts import forgiving, message
from mcts.kernel.plugins import blamed

_SILENT = "hydra/job_logging=none"


@dataclass(frozen=True)
class Command:
    """A command of the project.

    Attributes
    ----------
    name : of ``conf/NAME.yaml`` and, behind ``sleuth-``, before messages
    schema : dataclass of the configuration, stored as ``schema/NAME``
    job : called with the configuration and the run folder, once for each run of a multirun; raises
        `Refusal` for a fault to be told in one line, after which a multirun goes on
    bare : key of arguments without ``name=``; a key of a list takes several
    multirun : whether ``-m`` makes sense
    lasting : whether it works long, and goes on if its terminal or reader is gone
    """

    name: str
    schema: type
    job: Callable[[DictConfig, Path], float | None]
    bare: str | None = None
    multirun: bool = True
    lasting: bool = False

    @property
    def title(self) -> str:
        """The name put before messages."""
        return f"sleuth-{self.name}"

    def main(self) -> NoReturn:
        """Run the command line and exit with its code."""
        with signals.heard():
            leave(self.run())

    def register(self) -> None:
        """Make the schemas known to Hydra; to be called before anything is composed."""
        config.register()
        config.register_local()
        ConfigStore.instance().store(self.name, self.schema, group="schema")

    def run(self, typed: Sequence[str] | None = None) -> int:
        """Do what ``typed``, or else the command line, asks for.

        Returns
        -------
        int
            The exit code: 0, 1 on a fault, that of the signal after a wish to end.
        """
        forgiving()
        typed = sys.argv[1:] if typed is None else typed
        with signals.heard() as heard, output.kept(lasting=False):
            try:
                return self._run(typed)
            except KeyboardInterrupt as stop:
                return self._say(str(stop) or "interrupted before anything was done", heard.code)

    def _run(self, typed: Sequence[str]) -> int:
        try:
            self.register()
            given = arguments.read(typed, self.schema, self.bare)
            if given.multirun and not self.multirun:
                raise Refusal("-m, --multirun: it runs once; give every setting one value")
            if given.help:
                return _print(helptext.text(self.name, self.title, given.overrides, self.multirun))
        except TOLD as fault:
            return self._say(explain(fault), 1)
        return self._composed(given, typed)

    def _composed(self, given: arguments.Given, typed: Sequence[str]) -> int:
        """Compose and run by Hydra."""
        wanted = os.environ.get("HYDRA_FULL_ERROR", "0")
        # Hydra prints a fault in several lines; for developers it hands the exception on instead.
        os.environ["HYDRA_FULL_ERROR"] = "1"
        before = sys.argv
        run = _Guarded(self, typed)
        try:
            if given.flags or given.multirun or any(map(_of_hydra, given.overrides)):
                self._by_command_line(given, run)
            else:
                self._once(given, run)
        except BrokenPipeError:  # the reader of our output has gone, as in `... | head`
            return _nobody_reads()
        except KeyboardInterrupt as stop:
            if given.multirun and not run.begun and not str(stop):  # its runs are a launcher's
                told = "interrupted; what its runs had done is kept in their folders"
                raise Interrupted(told) from None
            raise
        except Exception as fault:
            # Whatever a job raises beside `Refusal` is a bug of ours, and its traceback is wanted;
            # what a sweeper makes of refusals is not.
            if (run.begun and not run.code) or wanted not in ("", "0"):
                raise
            return run.code if run.told(fault) else self._say(explain(fault), 1)
        finally:
            sys.argv = before
            os.environ["HYDRA_FULL_ERROR"] = wanted
        return run.code

    def _once(self, given: arguments.Given, run: _Guarded) -> None:
        """Run once.

        `hydra.main` would compose twice, the first time only to look whether ``hydra.mode`` is set.
        """
        sys.argv = sys.argv[:1]
        with composing.opened() as opened:
            opened.run(self.name, run, [*given.overrides, _SILENT])

    def _by_command_line(self, given: arguments.Given, run: _Guarded) -> None:
        """Have Hydra read the command line itself, with its flags and settings of its own."""
        sys.argv = [sys.argv[0], *given.flags, *(["-m"] if given.multirun else [])]
        sys.argv += given.overrides
        named = any(setting.startswith("hydra/job_logging") for setting in given.overrides)
        if not named and arguments.COMPLETION not in given.flags:
            sys.argv.append(_SILENT)
        hydra.main(version_base="1.3", config_path="pkg://conf", config_name=self.name)(run)()

    def _say(self, told: str, code: int) -> int:
        with suppress(OSError):  # a terminal that is gone
            print(f"{self.title}: {message(told)}", file=sys.stderr, flush=True)
        return code


class _Guarded:
    """The job of a command, as Hydra calls it: checked before, and its refusals told."""

    def __init__(self, command: Command, typed: Sequence[str]) -> None:
        self.command = command
        self.typed = typed
        self.code = 0
        self.begun = False
        self._refusals: set[str] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        """Be sent to a launcher's process, where `__main__` is another module."""
        job, main = self.command.job, sys.modules["__main__"].__spec__
        if job.__module__ == "__main__" and main is not None:
            job = getattr(import_module(main.name), job.__name__)
        return _Guarded, (replace(self.command, job=job), self.typed)

    def told(self, fault: Exception) -> bool:
        """Tell whether ``fault`` is a refusal that has been told in this process."""
        return isinstance(fault, Refusal) and str(fault) in self._refusals

    def __call__(self, settings: DictConfig) -> float | None:
        self.begun = True
        sys.argv[1:] = self.typed  # as the record of a multirun has it, without what we added
        folder = Path(HydraConfig.get().runtime.output_dir)
        try:
            OmegaConf.resolve(settings)
            config.check_sections(settings)
            with blamed(), output.kept(self.command.lasting):
                return self.command.job(settings, folder)
        except Incomplete as fault:
            self.code = self.command._say(str(fault), 1)
            return fault.value
        except TOLD as fault:
            told = explain(fault)
            self.code = self.command._say(told, 1)
            self._refusals.add(told)
            if folder != Path.cwd():
                with suppress(OSError):
                    folder.rmdir()  # if nothing was written to it
            if _by_plugins(HydraConfig.get()):
                raise Refusal(told) from None  # so that they know
            return None


def _by_plugins(hydra: DictConfig) -> bool:
    """Tell whether this is a run of a multirun with another sweeper or launcher than Hydra's own.

    A sweeper that optimises must know of a run that failed, and so must a process that has others
    run.  Hydra's own would say only once more what has been told.
    """
    parts = (hydra.sweeper._target_, hydra.launcher._target_)
    own = all(name.startswith("hydra._internal.") for name in parts)
    return hydra.mode is RunMode.MULTIRUN and not own


def _of_hydra(override: str) -> bool:
    """Tell whether an override is of Hydra's own settings, which say how it runs."""
    return re.match(r"[+~]*hydra\b", override) is not None


def _print(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        return _nobody_reads()
    return 0


def _nobody_reads() -> int:
    output.drop(sys.stdout)
    return 1
