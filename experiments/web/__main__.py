"""A table in the browser: play, watch, replay, study.

    python -m experiments.web
    python -m experiments.web port=8001 browser=false

Serves pages on this machine until Ctrl-C.  Games under way are kept and go on with the next start.
"""

from __future__ import annotations

import threading
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path

from omegaconf import MISSING, DictConfig

from experiments.settings import signals
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted
from experiments.settings.limits import between, place
from mcts.kernel.extras import extra


@dataclass
class Search:
    """What one decision at a table may take."""

    simulations: int = between(1, 10_000_000)
    seconds: float = between(0.001, 3600)


@dataclass
class Web:
    """The schema of the configuration."""

    host: str = place()
    port: int = between(0, 65535)
    folder: str = place()
    outputs: str = place()
    browser: bool = MISSING
    tables: int = between(1, 10_000)
    idle: float = between(0.001, 36_500)
    searches: int = between(1, 1000)
    streams: int = between(1, 10_000)
    rate: float = between(1, 100_000)
    search: Search = field(default_factory=Search)


def job(settings: DictConfig, _: Path) -> None:
    """Serve until a wish to end.

    Raises
    ------
    Refusal
        If the extra ``web`` is not installed, or port or folder cannot be had.
    Interrupted
        At the wish to end.
    """
    with extra("web"):
        from experiments.web.server.serving import Serving, serve
    from experiments import terminal
    from experiments.web.tables.wish import Limits

    console = terminal.console(soft_wrap=True)

    def ready(address: str) -> None:
        console.print(f"{address} is served until Ctrl-C; tables are kept in {settings.folder}")
        if settings.browser:
            # Some browsers run in the terminal until they are left.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    how = Serving(
        host=settings.host,
        port=settings.port,
        folder=Path(settings.folder),
        outputs=Path(settings.outputs),
        tables=settings.tables,
        idle=settings.idle,
        searches=settings.searches,
        streams=settings.streams,
        rate=settings.rate,
        limits=Limits(settings.search.simulations, settings.search.seconds),
    )
    with signals.deferred() as wished:
        under_way = serve(how, wished, ready)
    games = f"{under_way} game{'s' * (under_way != 1)} under way"
    raise Interrupted(f"ended; {games} kept in {settings.folder}, and going on with the next start")


COMMAND = Command("web", Web, job, multirun=False, lasting=True)
main = COMMAND.main

if __name__ == "__main__":
    main()
