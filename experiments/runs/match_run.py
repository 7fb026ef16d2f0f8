"""A run of matches: write the plan, play the games, write the summary.

`experiments.compare` plays one, a sweep one per trial; `runfolder` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from experiments.matches import match_loop
from experiments.matches.match_loop import Outcome, Resources
from experiments.matches.progress import GamesPlayed
from experiments.matches.results import Results
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.schedule import Match
from experiments.run import Run
from experiments.runs import runfolder
from experiments.runs.summary import Summary, describe
from experiments.settings.commandline import Aside
from experiments.settings.config import plain
from experiments.stats import stopping
from experiments.stats.stopping import Stop


class MatchRun(Run):
    """A run of ``matches`` that ends by the rule ``stop``, as written in the configuration.

    ``folder``, ``console``: as for `experiments.run.Run`.

    Attributes
    ----------
    played : the games in the folder and those played since; read on first access
    """

    def __init__(
        self,
        folder: Path,
        matches: Sequence[Match],
        stop: str = "games",
        console: Console | None = None,
    ) -> None:
        super().__init__(folder, MATCHES_FILE, (runfolder.PARTS,), console)
        self.matches, self.stop = list(matches), stop

    @cached_property
    def rule(self) -> Stop:
        """The stopping rule."""
        return stopping.parse(self.stop)

    @cached_property
    def played(self) -> Results:
        return Results.resume(self.folder, self.matches)

    def play(
        self,
        games: int,
        resources: Resources | None,
        watch: Callable[[bool], None] = lambda due: None,
        total: int | None = None,
        waits: bool = True,
    ) -> Outcome:
        """Play the missing games, up to ``games`` of each match, and show progress.

        Ends early by the rule, or on request within `defer`.  ``resources``: None if no game was
        missing; ``watch``: called often, with whether progress was shown; ``total``: games shown as
        the aim, if more are to follow; ``waits``: whether to wait for games that others play.
        """
        if resources is None:
            return match_loop.end(self.played, games, self.rule)
        shown = Aside("the progress display has stopped")
        with GamesPlayed(self.console, self.matches, total or games, self.rule) as progress:

            def look() -> bool:
                watch(shown.do(lambda: progress.update(self.played.tallies)) is not False)
                return self.going()

            return match_loop.play(self.played, games, self.rule, resources, look, waits)

    def summarise(self, ended: Outcome, settings: DictConfig, before: int | None = None) -> Summary:
        """Return the summary; ``before``: games played earlier."""
        if ended.interrupted:  # other processes may go on
            self.played.refresh()
        made = describe(self.played, self.stop, ended, plain(settings))
        return replace(made, held=before, seconds=self.seconds)
