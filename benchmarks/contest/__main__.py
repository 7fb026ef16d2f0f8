"""The Speed Clue contest: our players against its entries, on its own server.

    python -m benchmarks.contest classes=contest.jar limit=10 players=[best] games=60
    python -m benchmarks.contest player=best port=5000 identifier=ours

The first runs a tournament with the contest's programs as built by the user.  The second enters a
running server, until that is done.  Slow modules are imported late.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.settings.limits import DATA, GAMES, above, between, place

if TYPE_CHECKING:
    from benchmarks.contest.client import Client
    from benchmarks.contest.entrants import Entrant


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    player: Any = MISSING
    players: list[str] | None = MISSING
    classes: str | None = place()
    folder: str | None = place()
    entries: dict[str, str] = field(default=MISSING, metadata=DATA)
    numbers: list[int] = field(default=MISSING, metadata={"each": {"least": 3, "most": 6}})
    games: int = between(1, GAMES)
    focus: str | None = MISSING
    limit: int = between(1, 3600)
    page: str | None = place()
    port: int | None = between(1, 65535)
    host: str = MISSING
    identifier: str = MISSING
    patience: float = above(0, 86400)


def job(settings: DictConfig, run: study.Run) -> None:
    """Enter a server, or play the tournament, write the results and print them."""
    if settings.port is not None:
        _enter(settings, run)
        return
    ours = {} if settings.players == [] else _ours(settings)
    places = _places(settings)
    from benchmarks.contest import entrants, game, report, schedule

    names = [*ours, *settings.entries]
    if twice := set(ours) & {*settings.entries}:
        raise Refusal(f"two entries are called {min(twice)}: omit one, or give +label=")
    plan = schedule.Schedule(
        names, tuple(settings.numbers), settings.games, settings.focus, settings.seed
    )
    run.claim(report.ROWS)
    run.compile(partial(_warm, list(ours.values()), settings.numbers))
    entered: dict[str, Entrant] = {
        name: entrants.Ours(client, settings.limit) for name, client in ours.items()
    }
    for name, command in settings.entries.items():
        entered[name] = entrants.Outside(name, command, places, run.folder, settings.limit)

    def rows(unit: int) -> Iterator[dict[str, Any]]:
        seated = plan.seats(unit)
        result = game.play(places["classes"], [entered[name] for name in seated])
        return report.rows_of(unit, seated, [entered[name] for name in seated], result)

    try:
        found = run.measure_each(range(plan.units), rows)
    finally:
        for entrant in entered.values():
            entrant.close()
    table = report.table(found, settings.limit, settings.seed)
    if settings.page is not None:
        report.write(table, Path(settings.page))
    run.finish({"entries": report.describe(found)}, [table], [], lambda _: None)


def _ours(settings: DictConfig) -> dict[str, Client]:
    """Return a client for each of our players, by its name in results."""
    from hydra.core.hydra_config import HydraConfig

    from benchmarks.contest.client import Client
    from experiments.matches.lineups import read_players
    from sim.players import registry
    from sim.rules import preset

    task = HydraConfig.get().overrides.task
    own = [given for given in task if given.lstrip("+~").startswith(("player.", "player/"))]
    if settings.players is None:
        specs = {settings.player.label or settings.player.name: plain(settings.player)}
    else:
        specs = read_players(settings.players, own, "players")
    for spec in specs.values():
        try:
            registry.make(spec, preset("speed_clue"))
        except ValueError as fault:
            raise Refusal(str(fault)) from None
    return {
        name: Client(partial(registry.make, spec), settings.seed) for name, spec in specs.items()
    }


def _places(settings: DictConfig) -> dict[str, str]:
    """Return the values of ``{classes}`` and ``{folder}`` in commands; Refusal without them."""
    if settings.classes is None:
        raise Refusal(
            "classes: give the folder or the jar of the contest's built programs, or the port of "
            "a running server (docs/contest.md)"
        )
    if shutil.which("java") is None:
        raise Refusal("the contest's programs need Java: install it, and try java -version")
    places = {}
    for key in ("classes", "folder"):
        if settings[key] is None:
            continue
        if not (path := Path(settings[key]).resolve()).exists():
            raise Refusal(f"{key}={settings[key]}: not found")
        places[key] = str(path)
    for name, command in settings.entries.items():
        if "{folder}" in command and "folder" not in places:
            raise Refusal(
                f"entries.{name} has {{folder}}: give folder=PATH, or omit the entry by "
                f"'~entries.{name}'"
            )
    return places


def _warm(clients: list[Client], numbers: list[int]) -> None:
    for client in clients:
        for number in numbers:
            client.warm(number)


def _enter(settings: DictConfig, run: study.Run) -> None:
    """Play at the running server, until it is done."""
    from benchmarks.contest.client import enter
    from benchmarks.contest.messages import BadServer
    from sim.player import IllegalAction

    with suppress(OSError):
        run.folder.rmdir()  # a visit leaves no files
    if len(clients := _ours(settings)) != 1:
        raise Refusal("players: exactly one player enters a server: name one")
    (client,) = clients.values()
    try:
        enter(client, settings.host, settings.port, settings.identifier, settings.patience)
    except (BadServer, IllegalAction) as fault:
        raise Refusal(f"{fault} (after {client.games} games begun)") from None
    run.console.print(f"{client.games} games, the slowest answer after {client.slowest:.2f} s")


COMMAND = study.command("contest", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
