"""Regret of players in late positions whose values are exact, by budget of simulations.

    python -m experiments.regret players=[bmcts,swift] simulations=[50,200,1000] positions=60

A position (`sim.endgame`) is put to every player with every budget and seed: it decides a whole
turn, which is to accuse, or a room and then a suggestion there.  Its regret is the value of the
best turn less that of the one chosen, both followed by best play.  Nothing slow is imported at the
top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.settings.limits import as_option, between
from mcts.options import Budget

if TYPE_CHECKING:
    from sim.endgame.positions import Endgame
    from sim.player import Player

SEATS = range(3, 7)
"""Numbers of players at the table."""

MOST = 100_000
"""Positions, and turns at one of them."""


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


@dataclass(frozen=True)
class Contestant:
    """A player that decides.

    ``spec`` is as `sim.players.registry.make` takes it; no ``simulations`` if it makes none, or as
    many as its own budget allows.
    """

    label: str
    spec: Mapping[str, Any]
    simulations: int | None


def job(settings: DictConfig, run: study.Run) -> None:
    """Measure, write the results and print them."""
    seats = settings.rules.players
    if seats not in SEATS:
        raise Refusal(f"rules.players={seats}: a table has {SEATS[0]} to {SEATS[-1]}")
    specs = _specs(settings)
    entered = list(contestants(specs, _budgets(settings, specs)))
    players = _players(entered, seats)
    from experiments.matches.progress import stage
    from experiments.regret import report

    run.claim(report.ROWS)
    with stage(run.console, "finding positions"):
        positions = _positions(settings, settings.positions)
    run.compile(lambda: [turn(positions[0], player, 0) for player in players])

    rows = run.measure_each(
        range(settings.positions),
        lambda number: _rows(number, positions[number], entered, players, settings),
    )
    described = {
        "seats": seats,
        "positions": len(run.done),
        "seeds": settings.seeds,
        "seed": settings.seed,
        "players": specs,
        "references": report.references([positions[number] for number in run.done]),
        "figures": report.figures(rows, settings.seed),
    }
    run.finish(described, [report.table(described)], [report.PLOT], partial(report.draw, described))


def _specs(settings: DictConfig) -> dict[str, dict[str, Any]]:
    """Return the players asked for, by their names in results."""
    from experiments.matches import lineups
    from experiments.matches.schedule import label

    if settings.players is None:
        player = plain(settings.player)
        return {label(player): player}
    return lineups.read_players(
        settings.players, [*_overrides_of("player."), *_overrides_of("player/")], "players"
    )


def _overrides_of(start: str) -> list[str]:
    """Return what the command line says of the keys that begin like this."""
    overrides = HydraConfig.get().overrides.task
    return [override for override in overrides if override.lstrip("+~").startswith(start)]


def _budgets(settings: DictConfig, specs: Mapping[str, Any]) -> Sequence[int] | None:
    """Return the budgets of simulations; None for those that the players of ``specs`` have."""
    own = [*_overrides_of("player.budget."), *_overrides_of("player/budget")]
    if own and _overrides_of("simulations="):
        raise Refusal(f"{own[0]}: simulations has the budgets; leave one of the two out")
    if _overrides_of("simulations=") and not any("budget" in spec for spec in specs.values()):
        raise Refusal("simulations would be ignored: no player searches; leave it out")
    if own or settings.simulations is None:
        return None
    if not settings.simulations:
        raise Refusal("simulations=[]: give one or more numbers from 1 on")
    return sorted(set(settings.simulations))


def contestants(
    specs: Mapping[str, Mapping[str, Any]], simulations: Sequence[int] | None
) -> Iterator[Contestant]:
    """Yield the players of ``specs`` (by label), those that search once for each budget."""
    for label, spec in specs.items():
        if "budget" not in spec:
            yield Contestant(label, spec, None)
        elif simulations is None:
            yield Contestant(label, spec, spec["budget"]["simulations"])
        else:
            for budget in simulations:
                allowed = {**spec["budget"], "simulations": budget, "seconds": None}
                yield Contestant(label, {**spec, "budget": allowed}, budget)


def _positions(settings: DictConfig, count: int) -> list[Endgame]:
    from sim.endgame.random_positions import endgames

    return list(islice(endgames(settings.seed, settings.rules.players), count))


def _players(entered: Sequence[Contestant], seats: int) -> list[Player]:
    """Return the players; Refusal if one cannot be made."""
    from sim import rules
    from sim.players import registry

    table = rules.preset("speed", players=seats)
    try:
        return [registry.make(contestant.spec, table) for contestant in entered]
    except ValueError as fault:
        raise Refusal(str(fault)) from None


def _rows(
    number: int,
    position: Endgame,
    entered: Sequence[Contestant],
    players: Sequence[Player],
    settings: DictConfig,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each turn at one position; all contestants search with the same keys."""
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
    """Return the decisions of ``player`` in one turn, one or two, and what each loses.

    ``key`` names its chance.
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


COMMAND = study.command("regret", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
