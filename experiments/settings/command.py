"""Commands: a name, a configuration, a schema and a job.

A command ``NAME`` consists of

* ``conf/NAME.yaml``, whose defaults begin with ``schema/NAME@_here_`` and ``command``; it gives
  every setting a value and, after ``#``, a meaning; ``hydra.help.header`` and ``footer`` describe
  the command (with examples) and its output;
* a dataclass, the schema of that configuration: types, and ranges in the fields' metadata
  (`mcts.limits`);
* ``experiments/NAME/__main__.py``::

    COMMAND = Command("regret", Regret, job)
    main = COMMAND.main

    if __name__ == "__main__":
        main()

``job(settings, folder)`` gets the checked configuration and its run folder: ``run.folder``
if the configuration has it (the folder then exists), else the working directory.
The job raises `Refusal` for invalid requests, and `Interrupted` after saving on a request to end.
It returns the objective of an optimising sweeper (``-m hydra/sweeper=...``) or None; for such a
sweeper a refused run has failed.

The user can give ``name=value`` for every setting and ``group=choice`` for every group in the
defaults, ``--help``, ``--cfg job`` and ``-m``; files without ``name=`` if the command has a
`Command.bare` key.  Every fault prints one line with its remedy and exits with code 1.  Import slow
modules (Numba, Ray, SciPy, Matplotlib, polars) inside the job, so that help does not wait for them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict

from experiments.settings import applies, arguments, commandline, config, helptext, output, signals
from experiments.settings.commandline import FAULTS, Interrupted, Refusal, explain, leave
from experiments.texts import redact
from mcts.kernel.plugins import blame_plugin

_SILENT = "hydra/job_logging=none"

_OF_HYDRA = re.compile(r"[+~]*hydra\b")
"""Pattern of Hydra's own settings, which control how it runs."""


@dataclass(frozen=True)
class Command:
    """A command of the project.

    Attributes
    ----------
    name : of ``conf/NAME.yaml``; messages begin with ``sleuth-NAME``
    schema : dataclass of the configuration, stored as ``schema/NAME``
    job : called with the configuration and the run folder, once per run of a multirun
    bare : key of positional arguments; a list key takes several
    multirun : whether ``-m`` is allowed
    lasting : whether it runs long, and continues without its terminal or reader
    """

    name: str
    schema: type
    job: Callable[[DictConfig, Path], float | None]
    bare: str | None = None
    multirun: bool = True
    lasting: bool = False

    @property
    def title(self) -> str:
        """The name at the start of messages."""
        return f"sleuth-{self.name}"

    def main(self) -> NoReturn:
        """Run the command line and exit with its code."""
        with signals.handle():
            leave(self.run())

    def register(self) -> None:
        """Register the schemas with Hydra; call before composing anything."""
        config.register()
        ConfigStore.instance().store(self.name, self.schema, group="schema")

    def run(self, typed: Sequence[str] | None = None) -> int:
        """Run ``typed``, or else the command line; return the exit code."""
        typed = sys.argv[1:] if typed is None else typed
        return commandline.attempt(self.title, partial(self._run, typed), lasting=False)

    def _run(self, typed: Sequence[str]) -> int:
        self.register()
        given = arguments.read(typed, self.schema, self.bare)
        if given.multirun and not self.multirun:
            raise Refusal("-m, --multirun: it runs once; give every setting one value")
        # Hydra prints a fault in several lines; with full errors it raises it instead.
        wanted = os.environ.get("HYDRA_FULL_ERROR", "0")
        os.environ["HYDRA_FULL_ERROR"] = "1"
        before, run = sys.argv, _Job(self, typed)
        try:
            if given.help:
                taken = {self.name: given.overrides}
                print(helptext.write(self.title, taken, self.multirun, given.whole))
                sys.stdout.flush()
            elif given.flags or given.multirun or any(map(_OF_HYDRA.match, given.overrides)):
                self._run_hydra(given, run)
            else:  # Hydra's own command line would compose twice
                settings = config.compose(self.name, given.overrides, with_hydra=True)
                folder = Path(settings.hydra.run.dir)
                folder.mkdir(parents=True, exist_ok=True)
                with open_dict(settings):
                    settings.hydra.runtime.output_dir = str(folder.resolve())
                with config.share(settings):
                    run(settings)
        except BrokenPipeError:  # the reader of our output has closed, as in `... | head`
            output.drop(sys.stdout)
            return 1
        except KeyboardInterrupt as stop:
            if given.multirun and not run.begun and not str(stop):  # its runs are a launcher's
                where = "interrupted; results so far are kept in the folders of its runs"
                raise Interrupted(where) from None
            raise
        except Exception as fault:
            if (run.begun and not run.code) or wanted not in ("", "0"):
                raise
            if str(fault) not in run.said:  # Hydra and its plug-ins may raise anything
                raise Refusal(explain(fault)) from None
        finally:
            sys.argv = before
            os.environ["HYDRA_FULL_ERROR"] = wanted
        return run.code

    def _run_hydra(self, given: arguments.Arguments, run: _Job) -> None:
        """Have Hydra handle the command line, with its own flags and settings."""
        sys.argv = [sys.argv[0], *given.flags, *(["-m"] if given.multirun else [])]
        sys.argv += given.overrides
        named = any(setting.startswith("hydra/job_logging") for setting in given.overrides)
        if not named:
            sys.argv.append(_SILENT)
        hydra.main(version_base="1.3", config_path="pkg://conf", config_name=self.name)(run)()


class _Job:
    """A command's job as called by Hydra: settings are checked first, refusals reported."""

    def __init__(self, command: Command, typed: Sequence[str]) -> None:
        self.command = command
        self.typed = typed
        self.code = 0
        self.begun = False
        self.said: set[str] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle for a launcher's process, where `__main__` is another module."""
        job, main = self.command.job, sys.modules["__main__"].__spec__
        if job.__module__ == "__main__" and main is not None:
            job = getattr(import_module(main.name), job.__name__)
        return _Job, (replace(self.command, job=job), self.typed)

    def __call__(self, settings: DictConfig) -> float | None:
        self.begun = True
        sys.argv[1:] = self.typed  # as in the record of a multirun, without our additions
        folder = Path(HydraConfig.get().runtime.output_dir)
        if HydraConfig.get().mode is RunMode.MULTIRUN:
            written = Path(HydraConfig.get().sweep.dir) / "multirun.yaml"
            if written.exists():
                held = OmegaConf.to_container(OmegaConf.load(written))
                if held != (shown := redact(held)):
                    OmegaConf.save(OmegaConf.create(shown), written)
        try:
            OmegaConf.resolve(settings)
            config.check_sections(settings)
            applies.check(self.command.name, settings, HydraConfig.get().overrides.task)
            with blame_plugin(), output.keep(self.command.lasting):
                return self.command.job(settings, folder)
        except FAULTS as fault:
            reason = explain(fault)
            self.code = 1
            commandline.say(self.command.title, reason)
            self.said.add(reason)
            if folder != Path.cwd():
                with suppress(OSError):
                    folder.rmdir()  # succeeds only if it is empty
            hydra = HydraConfig.get()
            parts = (hydra.sweeper._target_, hydra.launcher._target_)
            own = all(name.startswith("hydra._internal.") for name in parts)
            if hydra.mode is RunMode.MULTIRUN and not own:
                raise Refusal(reason) from None  # for the sweeper or launcher, a plug-in
            return None
