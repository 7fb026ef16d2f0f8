"""A table in the browser: play, watch, analyse.

    python -m experiments.web
    python -m experiments.web port=8001 browser=false

Serves pages on this machine until Ctrl-C.  Games under way continue with the next start.
"""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from experiments.settings import signals
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted
from experiments.web.settings import Web
from mcts.kernel.extras import extra


def job(settings: DictConfig, _: Path) -> None:
    """Serve until a signal ends it.

    Raises Refusal if the extra ``web`` is not installed, or if port or folder is unavailable.
    Raises Interrupted at the signal.
    """
    with extra("web"):
        from experiments.web.server.serve import serve
    from experiments import terminal

    web = OmegaConf.to_object(settings)
    assert isinstance(web, Web)
    console = terminal.console(soft_wrap=True)

    def ready(address: str) -> None:
        console.print(f"{address} is served until Ctrl-C; tables are kept in {web.folder}")
        if web.browser:
            # Some browsers run in the terminal until they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with signals.defer() as ended:
        under_way = serve(web, ended, ready)
    games = f"{under_way} game{'s' * (under_way != 1)} under way"
    raise Interrupted(f"ended; {games} kept in {web.folder} until the next start")


COMMAND = Command("web", Web, job, multirun=False, lasting=True)
main = COMMAND.main

if __name__ == "__main__":
    main()
