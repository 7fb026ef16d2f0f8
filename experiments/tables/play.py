"""Playing the games of a table."""

from __future__ import annotations

import time
from dataclasses import replace

from rich.console import Console

from experiments.matches import match_loop, play
from experiments.matches.match_loop import Outcome, Resources
from experiments.matches.progress import GamesPlayed
from experiments.matches.results import Results
from experiments.matches.schedule import Match
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


def play_games(played: Results, games: int, resources: Resources, console: Console) -> Outcome:
    """Play the missing ones of so many ``games`` per match, and write the summary of the run.

    ``played`` has the matches to play, of all those of the run, and the games that are there.
    """
    started = time.monotonic()
    with signals.defer() as wished, GamesPlayed(console, played.matches, games) as progress:

        def watch() -> bool:
            progress.update(played.tallies)
            return not wished.is_set()

        ended = match_loop.play(played, games, stopping.parse("games"), resources, watch)
    made = summary.describe(runfolder.load(played.folder), "games", ended, {})
    try:
        write_json(played.folder, replace(made, seconds=time.monotonic() - started).to_json())
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(
                f"cannot write to {played.folder}: {fault.strerror}; make room, and the same "
                "command goes on"
            ) from None
    return ended
