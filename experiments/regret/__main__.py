"""Regret of players in late positions with exact values, by budget of simulations.

    python -m experiments.regret players=[bmcts,swift] simulations=[50,200,1000] positions=60

Every player with every budget and seed plays one turn in each position (`sim.endgame`): an
accusation, or a room and then a suggestion there.  Its regret is the value of the best turn minus
that of the chosen one, both followed by best play.  Slow modules are imported late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.provenance.files import SUMMARY, read_json
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.settings.limits import as_option, between
from mcts.options import Budget

if TYPE_CHECKING:
    import polars as pl

    from experiments.tabular import Table as Shown
    from sim.endgame.positions import Endgame
    from sim.player import Player

SEATS = range(3, 7)
"""Numbers of players at the table."""

MOST = 100_000
"""Maximum number of positions, and of turns in one of them."""

FILE, PLOT = "regret.parquet", "regret.png"

_BEST = 1e-9
"""A turn with a smaller loss counts as best."""
_APART = 1.05
"""Horizontal offset between the intervals of two players, as a factor."""


@dataclass
class Table:
    """Players of a table, under the rules of ``speed``."""

    players: int = MISSING


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    player: Any = MISSING
    players: list[str] | None = MISSING
    simulations: list[int] | None = field(
        default=MISSING, metadata={"each": as_option(Budget, "simulations").metadata}
    )
    positions: int = between(2, MOST)
    seeds: int = between(1, MOST)
    rules: Table = field(default_factory=Table)


class Contestant(NamedTuple):
    """A player to measure: ``spec`` for `sim.players.registry.make`, ``simulations`` or None."""

    label: str
    spec: Mapping[str, Any]
    simulations: int | None


def rows() -> study.Rows:
    """Return the schema of the rows, one per turn."""
    import polars as pl

    schema = {
        "player": pl.String,
        "simulations": pl.Int64,  # null for a compiled policy
        "position": pl.Int64,
        "seed": pl.Int64,
        "first": pl.Int64,  # action (`sim.state`): a move or an accusation ...
        "second": pl.Int64,  # ... and the suggestion after a move
        "first_regret": pl.Float64,  # of the first decision, with the best suggestion after it
        "regret": pl.Float64,  # of the turn, as a probability of winning
        "best": pl.Float64,  # value of the position
        "search_seconds": pl.Float64,  # of the turn
    }
    return study.Rows(FILE, "positions", schema, more=("positions",), min_units=2)


def job(settings: DictConfig, run: study.Run) -> None:
    """Measure, write the results and print them."""
    seats = settings.rules.players
    if seats not in SEATS:
        raise Refusal(f"rules.players={seats}: a table has {SEATS[0]} to {SEATS[-1]}")
    specs = _specs(settings)
    entered = list(contestants(specs, _budgets(settings, specs)))
    from experiments.matches.progress import stage
    from sim import rules
    from sim.players import registry

    try:
        table = rules.preset("speed", players=seats)
        players = [registry.make(contestant.spec, table) for contestant in entered]
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    run.claim(rows())
    with stage(run.console, "finding positions"):
        positions = find_positions(settings.seed, seats, settings.positions)
    run.compile(lambda: [turn(positions[0], player, 0) for player in players])

    found = run.measure_each(
        range(settings.positions),
        lambda number: _measure(number, positions[number], entered, players, settings),
    )
    described = {
        "seats": seats,
        "positions": len(run.done),
        "seeds": settings.seeds,
        "seed": settings.seed,
        "players": specs,
        "references": references([positions[number] for number in run.done]),
        "figures": figures(found, settings.seed),
    }
    run.finish(described, [tabulate(described)], [PLOT], partial(draw, described))


@lru_cache(8)
def find_positions(seed: int, seats: int, count: int) -> list[Endgame]:
    """Return the first positions of ``seed`` at a table of ``seats``."""
    from sim.endgame.random_positions import endgames

    return list(islice(endgames(seed, seats), count))


def _specs(settings: DictConfig) -> dict[str, dict[str, Any]]:
    """Return the requested players by their names in results."""
    from experiments.matches import lineups
    from experiments.matches.schedule import label

    if settings.players is None:
        player = plain(settings.player)
        return {label(player): player}
    own = [*_overrides_of("player."), *_overrides_of("player/")]
    return lineups.read_players(settings.players, own, "players")


def _overrides_of(start: str) -> list[str]:
    overrides = HydraConfig.get().overrides.task
    return [override for override in overrides if override.lstrip("+~").startswith(start)]


def _budgets(settings: DictConfig, specs: Mapping[str, Any]) -> Sequence[int] | None:
    """Return the budgets of simulations; None for the players' own."""
    own = [*_overrides_of("player.budget."), *_overrides_of("player/budget")]
    if own and _overrides_of("simulations="):
        raise Refusal(f"{own[0]}: conflicts with simulations; leave one of them out")
    if _overrides_of("simulations=") and not any("budget" in spec for spec in specs.values()):
        raise Refusal("simulations would be ignored: no player searches; leave it out")
    if own or settings.simulations is None:
        return None
    if not settings.simulations:
        raise Refusal("simulations=[]: give one or more numbers above 0")
    return sorted(set(settings.simulations))


def contestants(
    specs: Mapping[str, Mapping[str, Any]], simulations: Sequence[int] | None
) -> Iterator[Contestant]:
    """Yield the players of ``specs`` (by label), planners once per budget."""
    for label, spec in specs.items():
        if "budget" not in spec:
            yield Contestant(label, spec, None)
            continue
        for budget in (None,) if simulations is None else simulations:
            changed = {} if budget is None else {"simulations": budget, "seconds": None}
            allowed = {**spec["budget"], **changed}
            yield Contestant(label, {**spec, "budget": allowed}, allowed["simulations"])


def _measure(
    number: int,
    position: Endgame,
    entered: Sequence[Contestant],
    players: Sequence[Player],
    settings: DictConfig,
) -> Iterator[dict[str, Any]]:
    """Yield a row per turn in one position; all contestants search with the same keys."""
    import numpy as np

    from mcts.kernel.rng import fold
    from sim.chance import search_key

    named = np.uint64(search_key(settings.seed, number, position.seat))
    for contestant, player in zip(entered, players, strict=True):
        for seed in range(settings.seeds):
            made, lost = turn(position, player, int(fold(named, seed)))
            yield {
                "player": contestant.label,
                "simulations": contestant.simulations,
                "position": number,
                "seed": seed,
                "first": made[0],
                "second": made[1] if len(made) > 1 else None,
                "first_regret": lost[0],
                "regret": sum(lost),
                "best": position.best,
                "search_seconds": player.search_seconds,
            }


def turn(position: Endgame, player: Player, key: int) -> tuple[list[int], list[float]]:
    """Return the one or two decisions of ``player`` in one turn, and the loss of each.

    ``key`` determines its random numbers.
    """
    from sim.state import PASSAGE

    position.sit(player, key)
    made = [position.choice(player, key)]
    lost = [position.regret(made[0])]
    if made[0] < PASSAGE:
        then = position.after(made[0])
        made.append(then.choice(player, key))
        lost.append(then.regret(made[1]))
    return made, lost


def figures(found: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    """Return a line per player and budget: mean regret and the numbers behind it.

    The intervals are over positions (`experiments.stats.intervals.clustered_means` with ``seed``).
    """
    import polars as pl

    from experiments.stats.intervals import clustered_means
    from sim.state import ACCUSE

    key = ["player", "simulations"]
    lines = found.group_by(key, maintain_order=True).agg(
        turns=pl.len(),
        first_regret=pl.mean("first_regret"),
        best_share=(pl.col("regret") < _BEST).mean(),
        accused_share=(pl.col("first") >= ACCUSE).mean(),
        search_seconds=pl.mean("search_seconds"),
    )
    totals, counts = (
        found.pivot("position", index=key, values="regret", aggregate_function=how)
        .drop(key)
        .fill_null(0)
        .to_numpy()
        for how in ("sum", "len")
    )
    means = clustered_means(totals, counts, seed)
    return [
        {**line, "regret": mean.value, "low": mean.low, "high": mean.high}
        for line, mean in zip(lines.to_dicts(), means, strict=True)
    ]


def references(positions: Sequence[Endgame]) -> dict[str, float]:
    """Return the mean value of the positions, and the loss of simple turns in them."""
    import numpy as np

    from sim.state import ACCUSE

    best = np.array([position.best for position in positions])
    accusing = [position.values[position.actions >= ACCUSE].max() for position in positions]
    anything = [position.suggestions.mean() for position in positions]
    return {
        "best": float(best.mean()),
        "any_suggestion": float((best - anything).mean()),
        "accusing_at_once": float((best - accusing).mean()),
    }


def _title(described: dict[str, Any]) -> str:
    return (
        f"{described['positions']} late positions of {described['seats']} players, "
        f"{described['seeds']} seed{'s' if described['seeds'] > 1 else ''}"
    )


def tabulate(described: dict[str, Any]) -> Shown:
    """Return the figures as a table."""
    from experiments import tabular
    from experiments.stats.intervals import Estimate

    known = {key: f"{100 * value:.1f}" for key, value in described["references"].items()}
    note = (
        f"in points of winning; best play wins {known['best']} %, any suggestion loses "
        f"{known['any_suggestion']}, accusing at once {known['accusing_at_once']}"
    )

    def points(line: dict[str, Any]) -> Estimate:
        return Estimate(*(100 * line[key] for key in ("regret", "low", "high")))

    def milliseconds(line: dict[str, Any]) -> float | None:
        return None if line["simulations"] is None else 1000 * line["search_seconds"]

    best, accused = (
        tabular.Column(title, lambda value: f"{100 * value:.0f} %")
        for title in ("best turn", "accused")
    )
    columns = (
        (tabular.Column("player"), "player"),
        (tabular.count("simulations"), "simulations"),
        (tabular.mean("regret, 95 %"), points),
        (tabular.mean("by the room"), lambda line: 100 * line["first_regret"]),
        (best, "best_share"),
        (accused, "accused_share"),
        (tabular.mean("ms"), milliseconds),
    )
    title = f"Regret, {_title(described)}"
    return tabular.Table.of(title, described["figures"], columns, [note])


def show(folder: Path) -> tuple[Shown, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    described = _read(folder)
    return tabulate(described), described["figures"]


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(_read(kept), folder)


def _read(folder: Path) -> dict[str, Any]:
    import polars as pl

    described = read_json(folder / SUMMARY)
    return {
        **described,
        "figures": figures(pl.read_parquet((folder / FILE).read_bytes()), described["seed"]),
    }


def draw(described: dict[str, Any], folder: Path) -> None:
    """Draw a curve for each planner and a line for each policy."""
    from matplotlib.ticker import FuncFormatter

    from experiments.palette import look, say
    from experiments.plotting import WIDTH, band, intervals, label_ends, picture
    from experiments.stats.intervals import Estimate

    curves = {
        player: list(lines)
        for player, lines in groupby(described["figures"], lambda line: line["player"])
    }
    budgets = [line["simulations"] for line in described["figures"] if line["simulations"]] or [1]
    title = f"Regret by simulations a decision: {_title(described)}; mean and 95 %"
    with picture(folder / PLOT, title, (WIDTH, 4.6)) as (_, ((axes,),)):
        for number, (player, lines) in enumerate(curves.items()):
            found = [Estimate(line["regret"], line["low"], line["high"]) for line in lines]
            shown: dict[str, Any] = {"label": say(player), "linewidth": 1.2}
            if lines[0]["simulations"] is None:
                across = [min(budgets), max(budgets)]
                band(axes, across, 2 * found, player, **shown, linestyle="--", marker="")
                continue
            offset = _APART ** (number - len(curves) / 2)
            at = [offset * line["simulations"] for line in lines]
            stroke = ":" if "markerfacecolor" in look(player) else "-"
            shown |= {"elinewidth": 0.7, "capsize": 0}
            intervals(axes, at, found, player, linestyle=stroke, **shown)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set(xlabel="simulations a decision", ylabel="lost chance of winning, points")
        axes.set_yscale("symlog", linthresh=0.01)
        axes.set_ylim(bottom=0)
        axes.set_yticks([0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
        axes.grid()
        label_ends(axes)


COMMAND = study.command("regret", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
