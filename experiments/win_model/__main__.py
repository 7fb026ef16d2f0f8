"""Fit the chance of winning at a leaf of the search to games, check it and store the model.

    python -m experiments.win_model player.threshold=0.4 opponent.threshold=0.35
    python -m experiments.win_model player=best opponent.threshold=0.35 games=300 start=swift

`sim.planning.leaf` has the inputs of the model and its use in the search.  Nothing slow is imported
at the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from omegaconf import MISSING, DictConfig, OmegaConf

from experiments import study
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.limits import above, between, place

if TYPE_CHECKING:
    from experiments.tabular import Table
    from experiments.win_model.fit import Fit
    from sim.planning.leaf.win_model import WinModel
    from sim.planning.planner import Planner
    from sim.policies.table import Policy
    from sim.rules import Rules

MODEL, PLOT = "win_model.json", "calibration.png"


@dataclass
class Network:
    """The schema of the network and its fit."""

    hidden: int = between(1, 1000)
    decay: float = between(0, 1000)
    learning_rate: float = above(0, 1)
    epochs: int = between(1, 10_000)


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    player: Any = MISSING
    opponent: Any = MISSING
    rules: Any = MISSING
    games: int = between(2, 10_000_000)
    share: float = above(0, 1)
    most: int = between(1, 1000)
    start: str | None = place()
    network: Network = field(default_factory=Network)
    held_out: int = between(2, 1000)
    rolled: float = between(0, 1)
    bins: int = between(1, 100)


def job(settings: DictConfig, run: study.Run) -> None:
    """Play, fit and store the model; write the results and print them."""
    rules, player, opponent, start = _setup(settings)
    from experiments.matches.progress import COMPILING, stage
    from experiments.provenance.files import write_text
    from experiments.runs.runfolder import unwritable
    from experiments.win_model.games import PORTION, ROWS, portion, positions_of

    run.claim(ROWS)
    about = player, opponent, rules, settings.seed
    shares, held_out = (settings.share, settings.rolled), settings.held_out
    units = range(ceil(settings.games / PORTION))
    if not run.done:
        with stage(run.console, COMPILING):
            list(portion(*about, range(1), shares, held_out))

    def measure(number: int) -> Iterable[dict[str, Any]]:
        games = range(PORTION * number, min(PORTION * (number + 1), settings.games))
        return portion(*about, games, shares, held_out)

    rows = run.measure_each(units, measure)
    fit = None
    if not run.interrupted:
        try:
            fit = _fit(settings, positions_of(rows), rules, start)
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted before the fit was done; run.resume={run.folder} goes on"
            ) from None
        try:
            write_text(run.folder / MODEL, fit.model.dumps())
        except OSError as fault:
            raise unwritable(run.folder, fault) from None
    figures = {
        "games": rows["game"].n_unique(),
        "positions": rows.height,
        "won": rows["won"].mean(),
        "log_loss": fit and {name: asdict(found) for name, found in fit.losses.items()},
        "log_loss_of_rolled": fit and {name: asdict(found) for name, found in fit.rolled.items()},
        "calibration": fit and [{**row, "observed": asdict(row["observed"])} for row in fit.bins],
    }
    run.finish(figures, _tables(fit), [PLOT], lambda folder: _draw(fit, folder))


def _setup(
    settings: DictConfig,
) -> tuple[Rules, Policy | Planner, Policy, WinModel | None]:
    """Return who plays, by which rules, and the model to start from; Refusal if that cannot be."""
    from sim.planning.leaf.win_model import load
    from sim.planning.planner import Planner
    from sim.players.registry import make, make_policy
    from sim.policies.table import NAMES, Policy
    from sim.rules import preset

    given = {name: _plain(settings[name]) for name in ("player", "opponent", "rules")}
    if given["opponent"]["name"] not in NAMES:
        raise Refusal(f"opponent={given['opponent']['name']}: choose a compiled policy")
    neither = f"player={given['player']['name']}: choose a compiled policy or a planner"
    searches = "budget" in given["player"]
    if not searches and given["player"]["name"] not in NAMES:
        raise Refusal(neither)
    try:
        rules = preset(**given["rules"])
        player = make(given["player"], rules) if searches else make_policy(given["player"])
        opponent = make_policy(given["opponent"])
        start = None if settings.start is None else load(settings.start)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    if not isinstance(player, Policy | Planner):
        raise Refusal(neither)
    if start is not None and start.settings["players"] != rules.players:
        raise Refusal(f"start={settings.start}: a model of {start.settings['players']} players")
    return rules, player, opponent, start


def _plain(node: DictConfig) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(node, resolve=True))


def _fit(settings: DictConfig, data: Any, rules: Rules, start: WinModel | None) -> Fit:
    from experiments.win_model.fit import fit_model, thin_out

    data = thin_out(data, settings.most, settings.seed)
    out = data.game % settings.held_out == 0
    if not 0 < data.won[~out].mean() < 1 or not 0 < data.won[out].mean() < 1:
        raise Refusal(
            f"games={settings.games}: there is nothing to learn from; of the games that are fitted "
            "to and of those held out some must be won and some lost"
        )
    whole = _plain(settings)
    kept = {key: value for key, value in whole.items() if key not in ("run", "bins")}
    kept["players"] = rules.players
    if start is not None:
        kept["started_from"] = dict(start.settings)
    return fit_model(
        data,
        rules.players,
        whole["network"],
        settings.held_out,
        start,
        kept,
        settings.bins,
        settings.seed,
    )


def _tables(fit: Fit | None) -> Iterator[Table]:
    from experiments.tabular import Table, mean, words

    if fit is None:
        return
    for title, losses in (
        ("Log loss on games held out, nats", fit.losses),
        ("The same where roll-outs were played", fit.rolled),
    ):
        if losses:
            rows = [[name, found] for name, found in losses.items()]
            yield Table(title, [words("estimate by"), mean("log loss, 95 %", 4)], rows)


def _draw(fit: Fit | None, folder: Path) -> None:
    """Draw how often positions were won against the chance that the model gave them."""
    if fit is None:
        return
    from experiments.plotting import REFERENCE, intervals, picture, shares

    with picture(folder / PLOT, "Win model on games held out", (5, 4.8)) as (_, ((axes,),)):
        axes.plot([0, 1], [0, 1], color=REFERENCE, linestyle="--", linewidth=1)
        at = [row["predicted"] for row in fit.bins]
        intervals(axes, at, [row["observed"] for row in fit.bins], linestyle="-")
        axes.set(xlabel="chance by the model, mean of the bin", ylabel="share won, 95 %")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis):
            shares(axis)
        axes.grid()


COMMAND = study.command("win_model", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
