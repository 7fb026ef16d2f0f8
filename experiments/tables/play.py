"""Playing the games of a table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from experiments.matches import match_loop, play
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


def check_match(match: Match, name: str) -> None:
    """Raise `Refusal`, with the ``name`` of the match in front, if it cannot be played."""
    try:
        play.check(match)
    except ValueError as fault:
        raise Refusal(f"{name}: {fault}") from None


def play_games(
    played: Results, planned: Sequence[Match], games: int, resources: Resources, console: Console
) -> Outcome:
    """Play the missing ones of so many ``games`` per match, and write the summary of the run.

    Parameters
    ----------
    played : the matches to play, with the games that are there
    planned : all matches of the run
    """
    started = time.monotonic()
    with signals.defer() as wished, GamesPlayed(console, played.matches, games) as progress:

        def watch() -> bool:
            progress.update(played.tallies)
            return not wished.is_set()

        ended = match_loop.play(played, games, stopping.parse("games"), resources, watch)
    _summarise(played.folder, planned, ended, time.monotonic() - started)
    return ended


def _summarise(folder: Path, planned: Sequence[Match], ended: Outcome, seconds: float) -> None:
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
                "run": {"folder": str(folder), "configuration": {}, **provenance.origin()},
            },
        )
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(f"cannot write to {folder}: {fault.strerror}") from None
