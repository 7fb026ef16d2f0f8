"""Figures of the summary of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from experiments.matches.origins import run_of
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance import provenance
from experiments.runs import summary
from experiments.runs.recorded import tails
from experiments.settings.config import plain
from experiments.stats.stopping import Stop
from experiments.texts import metric

if TYPE_CHECKING:
    from experiments.matches.match_loop import Outcome


def describe(settings: DictConfig, stop: Stop, played: Results, ended: Outcome) -> dict[str, Any]:
    """Return what `summary.json` holds, but for ``seconds``, and ``held``, the games before them.

    Beside times and the section ``run`` it depends on players, rules, seed and the rule of
    stopping alone.  A run that ended early is ``interrupted``; ``fault`` says why unless it was
    Ctrl-C.
    """
    return {
        "seed": settings.seed,
        "stop": settings.match.stop,
        **summary.figures(played, stop),
        "interrupted": ended.interrupted or ended.fault is not None,
        "fault": ended.fault,
        "run": {
            "id": run_of(played.folder),
            "folder": str(played.folder),
            "configuration": plain(settings),
            **provenance.origin(),
        },
    }


def objective(described: dict[str, Any]) -> float | None:
    """Return the win rate that a sweeper maximises: of the first line of the table.

    That is the measured player; of several the first; of a round robin the first that was entered.
    """
    return described["table"][0]["win_rate"]


def metrics(described: Mapping[str, Any], matches: Sequence[Match]) -> dict[str, float]:
    """Return the final metrics of a run for its record: by player, where there are several."""
    found = {"seconds": described.get("seconds")}
    behind = [tail for of_match in tails(matches) for tail in of_match]
    for line, tail in zip(described["table"], behind, strict=True):
        found |= {
            f"{key}{tail}": value for key, value in line.items() if isinstance(value, (int, float))
        }
        if line["ci95"]:
            found[f"ci95_low{tail}"], found[f"ci95_high{tail}"] = line["ci95"]
    found |= {f"elo/{metric(rating['player'])}": rating["elo"] for rating in described["ratings"]}
    return {key: float(value) for key, value in found.items() if value is not None}
