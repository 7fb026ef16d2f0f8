"""The example of the treasure hunt [Ferrari & Cai 2009]: which buried objects to look at.

    python -m experiments.hunt
    python -m experiments.hunt hunt.workspace=field.yaml

Slow modules are imported late.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from omegaconf import DictConfig

from experiments import study
from experiments.hunt.schemas import Minefield


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    hunt: Minefield = field(default_factory=Minefield)


def job(settings: DictConfig, run: study.Run) -> None:
    """Run the example, write the results and print them."""
    from experiments.hunt import minefield

    minefield.job(settings, run)


COMMAND = study.command("hunt", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
