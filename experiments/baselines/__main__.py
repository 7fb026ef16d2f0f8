"""The strength baselines of compiled policies, beside what was measured elsewhere.

    python -m experiments.baselines
    python -m experiments.baselines only=[swift*] rules.blocking=false

`experiments.runs.references` has the set-ups and their references.  Nothing slow is imported at the
top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig, OmegaConf

from experiments import study
from experiments.settings.commandline import Refusal
from experiments.settings.limits import GAMES, WORKERS, between

if TYPE_CHECKING:
    from experiments.runs.references import Baseline
    from sim.rules import Rules

DOTS, CURVE = "baselines.png", "threshold.png"


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    rules: Any = MISSING
    only: list[str] | None = MISSING
    games: int = between(1, GAMES)
    greedy_games: int = between(1, GAMES)
    workers: int | None = between(1, WORKERS)


def job(settings: DictConfig, run: study.Run) -> None:
    """Play the set-ups that are asked for, write the results and print them."""
    from sim.rules import preset

    try:
        rules = preset(**OmegaConf.to_container(settings.rules, resolve=True))
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    chosen = _chosen(settings, rules)
    from belief.evidence import EvidenceFull
    from experiments.baselines import games, report
    from experiments.matches.background import Background
    from experiments.matches.progress import stage
    from experiments.runs.references import YARDSTICKS
    from experiments.settings.config import cores
    from experiments.stats.intervals import win_rate

    run.claim(games.ROWS)
    with stage(run.console, "loading the compiled policies (compiling them the first time)"):
        Background(games.warm, rules).result()

    def measured(
        left: list[str], tick: Callable[[float], None]
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        asked = [(chosen[name], _games(chosen[name], settings)) for name in left]
        workers = settings.workers or cores()
        try:
            with closing(games.played(asked, rules, settings.seed, workers, tick)) as played:
                for baseline, found in played:
                    if not run.console.is_terminal:
                        rate = win_rate(found["won"].sum(), found.height)
                        run.console.print(f"  {baseline.name}: won {rate} of {found.height}")
                    yield baseline.name, games.lines(baseline, found, rules.players)
        except EvidenceFull as fault:
            raise Refusal(str(fault)) from None

    rows = run.measure(list(chosen), measured)
    order = {baseline.name: place for place, baseline in enumerate(YARDSTICKS)}
    lines = sorted(rows.to_dicts(), key=lambda line: order[line["setup"]])
    title = report.rules_label(rules)

    def draw(folder: Path) -> None:
        from experiments.baselines import plots

        plots.dots(lines, title, 1 / rules.players, folder / DOTS)
        plots.threshold_curve(lines, title, 1 / rules.players, folder / CURVE)

    described = {"rules": asdict(rules), "seed": settings.seed, "lines": lines}
    run.finish(described, report.tables(lines, title), [DOTS, CURVE], draw)


def _games(baseline: Baseline, settings: DictConfig) -> int:
    return settings.greedy_games if baseline.slow else settings.games


def _chosen(settings: DictConfig, rules: Rules) -> dict[str, Baseline]:
    """Return the set-ups asked for, by name."""
    from experiments.runs.references import YARDSTICKS

    known = {baseline.name: baseline for baseline in YARDSTICKS}
    patterns = ["*"] if settings.only is None else settings.only
    wanted: set[str] = set()
    for pattern in patterns:
        whole = pattern if set(pattern) & set("*?") else f"*{pattern}*"
        found = {name for name in known if fnmatch(name, whole)}
        if not found:
            names = ", ".join(known)
            raise Refusal(f"only={pattern}: no set-up is called so; there are {names}")
        wanted |= found
    chosen = {name: baseline for name, baseline in known.items() if name in wanted}
    least = min((_games(baseline, settings) for baseline in chosen.values()), default=0)
    if least < rules.players:
        raise Refusal(f"{least} games are too few for the {rules.players} seats to take turns")
    return chosen


COMMAND = study.command("baselines", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
