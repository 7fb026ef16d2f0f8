"""Examples of the treasure hunt, each one command [Ferrari & Cai 2009].

    python -m experiments.hunt minefield
    python -m experiments.hunt minefield hunt.workspace=field.yaml

An example is a module of this package with a function ``job``, and settings in ``conf/hunt``.  Slow
modules are imported late.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.hunt import schemas

schemas.register()


@dataclass
class Settings(study.Settings):
    """The schema of the configuration; ``hunt`` is one of `schemas.SCHEMAS`."""

    hunt: Any = MISSING


def job(settings: DictConfig, run: study.Run) -> None:
    """Run the example, write the results and print them."""
    import_module(f"experiments.hunt.{settings.hunt.name}").job(settings, run)


COMMAND = study.command("hunt", Settings, job, bare="hunt")
main = COMMAND.main

if __name__ == "__main__":
    main()
