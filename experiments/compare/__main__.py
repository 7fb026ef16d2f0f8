"""The main job: play players against others over many games.

    python -m experiments.compare player=bmcts opponent=heuristic match.games=200
    python -m experiments.compare match.players=[bmcts,flat,pomcp] match.layout=robin

Nothing slow is imported at the top, so that ``--help`` and mistyped settings do not wait for Numba.
"""

from __future__ import annotations

from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from experiments import terminal
from experiments.settings.command import Command
from experiments.settings.schemas import Compare


def job(settings: DictConfig, folder: Path) -> float | None:
    """Play what ``settings`` ask for; return the objective for an optimising sweeper.

    Raises Refusal, Interrupted as `experiments.compare.job.compare`.
    """
    from experiments.compare import job as jobs

    hydra, console = HydraConfig.get(), terminal.console()
    matches = jobs.plan(settings, hydra.overrides.task)
    multirun = Path(hydra.sweep.dir) if hydra.mode is RunMode.MULTIRUN else None
    return jobs.compare(settings, matches, folder, console, multirun).objective


COMMAND = Command("compare", Compare, job, lasting=True)
main = COMMAND.main

if __name__ == "__main__":
    main()
