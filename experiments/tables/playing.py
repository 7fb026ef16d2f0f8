"""Playing the games of a table, and what is written down of it afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from experiments.matches import match_loop
from experiments.matches.match_loop import Outcome, Resources
from experiments.matches.progress import GamesPlayed
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance import provenance
from experiments.provenance.files import write_json
from experiments.runs import runfolder, summary
from experiments.settings import signals
from experiments.settings.commandline import Refusal
from experiments.stats import stopping


def games_played(played: Results, games: int, resources: Resources, console: Console) -> Outcome:
    """Play what is missing of so many ``games`` a match, and show how far it is."""
    with signals.deferred() as wished, GamesPlayed(console, played.matches, games) as progress:

        def watch() -> bool:
            progress.update(played.tallies)
            return not wished.is_set()

        return match_loop.play(played, games, stopping.parse("games"), resources, watch)


def summarise(folder: Path, planned: Sequence[Match], ended: Outcome, seconds: float) -> None:
    """Write the summary of the run, as `experiments.compare` does."""
    played = runfolder.load(folder)
    try:
        write_json(
            folder,
            {
                "seed": planned[0].seed,
                "stop": "games",
                **summary.figures(played, stopping.parse("games")),
                "interrupted": ended.interrupted or ended.fault is not None,
                "fault": ended.fault,
                "seconds": seconds,
                "run": {
                    "folder": str(folder),
                    "configuration": {},
                    **provenance.origin(),
                },
            },
        )
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(f"cannot write to {folder}: {fault.strerror}") from None
