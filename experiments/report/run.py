"""A run folder for a report: figures from its rows, and the end of the run.

All is read from a snapshot of the folder, so that a run may continue meanwhile; the folder is not
changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from experiments.matches import part_files, results
from experiments.matches.details import KINDS
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.run_schemas import check
from experiments.matches.schedule import Match
from experiments.provenance.files import CONFIG, SUMMARY, read_json, read_yaml, reading
from experiments.runs import runfolder, summary
from experiments.runs.figures import (
    Deciding,
    Lasting,
    Suggesting,
    decision_stats,
    game_lengths,
    suggestion_stats,
)
from experiments.runs.rows import by_part
from experiments.runs.summary import Figures, Line
from experiments.settings.commandline import Refusal, in_folder
from experiments.stats import stopping
from experiments.stats.stopping import Stop


@dataclass(frozen=True)
class Run:
    """The contents of the folder of a run.

    Attributes
    ----------
    folder, label : the folder, and its name in a report on several runs
    played : matches, and the winners of their games
    stop : the rule that ends them
    figures : as returned by `experiments.runs.summary.figures`
    about : command, versions, commit and machine at its start
    summary : written by the run at its end; None before that, and after it was killed
    games : number of games to play by match, None if unknown
    game_lengths, suggestion_stats, decision_stats : figures of games and of details; empty if not
        recorded
    written : time of the last rows
    """

    folder: Path
    label: str
    played: results.Results
    stop: Stop
    figures: Figures
    about: dict[str, Any]
    summary: dict[str, Any] | None
    games: list[int | None]
    game_lengths: list[Lasting]
    suggestion_stats: list[Suggesting]
    decision_stats: list[Deciding]
    written: datetime | None

    @property
    def matches(self) -> list[Match]:
        """The matches of the run."""
        return self.played.matches

    def name_of(self, line: Line) -> str:
        """Return the label of a line of the table: its match, if there are several."""
        return line.match if len(self.matches) > 1 else line.player

    @property
    def faults(self) -> list[str]:
        """Warnings to show before any figure, a sentence each."""
        known = [most for most in self.games if most is not None]
        of = f"of {sum(known):,} " if len(known) == len(self.games) else ""
        held = f"{self.played.games:,} {of}games are written down"
        on = f"{in_folder(self.folder)} continues"
        if self.summary is None:
            when = f"; last rows written {self.written:%Y-%m-%d %H:%M} UTC" if self.written else ""
            return [f"unfinished: {held}; {on}, if the run is not under way{when}"]
        counted = sum(line.games for line in self.figures.table)
        summed = sum(line["games"] for line in self.summary["table"])
        if counted != summed:
            other = f"its summary counts {summed:,} games of the players, its rows {counted:,}"
            return [f"unfinished: {held}; {other}: it continued since, or lost files"]
        if self.summary["fault"]:
            return [f"stopped by a fault: {self.summary['fault']}; {held}; {on}"]
        if self.summary["interrupted"] or not self._whole:
            return [f"interrupted: {held}; {on}"]
        return []

    @property
    def pace(self) -> float | None:
        """Games per second of wall time, including set-up; None if unknown.

        For a resumed run only the last session counts.
        """
        if self.summary is None or "held" not in self.summary:
            return None
        return (self.played.games - self.summary["held"]) / self.summary["seconds"]

    @property
    def _whole(self) -> bool:
        return all(
            most is not None and tally.games >= most
            for tally, most in zip(self.played.tallies, self.games, strict=True)
        )


def load(folder: Path, label: str) -> Run:
    """Return the run in ``folder``, which may still be under way.

    Raises Refusal if it is not a run folder, or a file of it cannot be read.
    """
    with tempfile.TemporaryDirectory() as temporary:
        still = _take_picture(folder, Path(temporary))
        try:
            return _read(still, folder, label)
        except Refusal as fault:
            raise Refusal(str(fault).replace(str(still), str(folder))) from None


def _read(still: Path, folder: Path, label: str) -> Run:
    played = runfolder.load(still)
    about = runfolder.about(still)
    stop = stopping.parse(about["stop"])
    dates = [part.stat().st_mtime for part in part_files.parts(folder)[-1:]]
    kinds = {kind for kind in (part_files.GAMES, *KINDS) if _has(still, kind)}
    return Run(
        folder=folder,
        label=label,
        played=played,
        stop=stop,
        figures=summary.figures(played, stop),
        about=about,
        summary=read_if_there(still, SUMMARY, read_json, "summary"),
        games=games_wanted(still, played.matches),
        game_lengths=game_lengths(still) if "games" in kinds else [],
        suggestion_stats=suggestion_stats(still) if "suggestions" in kinds else [],
        decision_stats=decision_stats(still) if "decisions" in kinds else [],
        written=datetime.fromtimestamp(dates[0], UTC) if dates else None,
    )


def _take_picture(folder: Path, place: Path) -> Path:
    """Return a snapshot of ``folder`` in ``place``.

    Small parts are joined there, opened once each; large ones are linked, like other files.
    """
    if not folder.is_dir():
        raise Refusal(f"{folder}: not found; give the folder of a run")
    if not (folder / MATCHES_FILE).exists() and any(folder.glob(f"*/{MATCHES_FILE}")):
        raise Refusal(f"{folder} contains runs but is not a run: give {folder}/*")
    still = Path(tempfile.mkdtemp(dir=place))
    for name in (MATCHES_FILE, SUMMARY, results.STOPS, CONFIG):
        if (folder / name).exists():
            (still / name).symlink_to((folder / name).absolute())
    known = {match.name: match for match in runfolder.read_matches(folder)}
    for group in part_files.together(part_files.parts(folder), list(KINDS)):
        alone = part_files.size_of(group[0], list(KINDS)) > part_files.TOGETHER_BYTES
        for kind, schema in {part_files.GAMES: results.ROW, **KINDS}.items():
            there = part_files.belonging(group, kind)
            if there and alone:
                (still / there[0].name).symlink_to(there[0].absolute())
            elif there:
                rows = part_files.read_checked(there, schema, known, kind)
                pq.write_table(rows, still / part_files.with_kind(group[0], kind).name)
    return still


def _has(folder: Path, kind: str) -> bool:
    there = part_files.parts(folder, kind)
    return bool(there) and by_part(folder, kind, lambda part: part.select("game")).height > 0


def games_wanted(folder: Path, matches: list[Match]) -> list[int | None]:
    """Return the number of games per match, by its rule or the configuration."""
    settings = read_if_there(folder, CONFIG, read_yaml, "configuration")
    most = settings["match"]["games"] if settings else None
    early = results.stops(folder)
    return [early.get(match.name, most) for match in matches]


def read_if_there(folder: Path, name: str, parse: Callable[[Path], Any], kind: str) -> Any:
    """Return the content of the file ``name`` of a ``kind``, None if it is missing."""
    path = folder / name
    if not path.exists():
        return None
    with reading(path, "remove it to report without it"):
        return check(kind, parse(path))
