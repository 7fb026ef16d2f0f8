"""File finished games with people like those of other runs: rows, records, a summary.

People at the same kind of table (rules, players, their order around it) play one match, in its own
run folder.  Games are numbered so that the seating is that of the match, so ``report``
reads the run like any other; numbers of abandoned tables are missing.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.schedule import Match, Seating
from experiments.provenance.files import refuse_symlinks
from experiments.run import LOCK
from experiments.settings.limits import GAMES
from experiments.texts import file_name
from experiments.web.tables.setup import PERSON, SERIES, Setup
from mcts.options import SEEDS
from sim.records.stepped import SteppedGame

STUDY, OTHERS = "study", "games"
"""Folders of the runs of studies, and of all others."""

BEGUN = "begun.txt"
"""File of a run with the numbers of all games begun, one per line."""


@dataclass(frozen=True)
class LineUp:
    """A kind of table: the common settings of one match's games."""

    rules: Mapping[str, Any]
    entrants: tuple[dict[str, Any], ...]  # settings of the players, people first
    order: tuple[int, ...]  # entrants by place; the place of seat 0 differs between games
    shift: int  # rotation of `order` at this table, in seats
    seed: int | None  # of the request
    study: bool
    series: str = ""  # name of the study

    @classmethod
    def of(cls, setup: Setup) -> LineUp | None:
        """Return the line-up of a table; None without people, or if its game does not count."""
        if not setup.people or not setup.counted:
            return None
        # A person who sees the probabilities counts as another player.
        hints = {"hints": setup.hints}
        seats = [{**seat, **(hints if seat["name"] == PERSON else {})} for seat in setup.seats]
        texts = [json.dumps(seat, sort_keys=True) for seat in seats]
        listed = sorted(set(texts), key=lambda text: _rank(json.loads(text)))
        numbers = tuple(listed.index(text) for text in texts)
        turned = [numbers[by:] + numbers[:by] for by in range(len(numbers))]
        order = min(turned)
        return cls(
            rules=setup.rules,
            entrants=tuple(json.loads(text) for text in listed),
            order=order,
            shift=turned.index(order),
            seed=setup.seed,
            study=setup.study,
            series=setup.series,
        )

    @property
    def name(self) -> str:
        """The name of the match."""
        people = [seat["label"] for seat in self.entrants if seat["name"] == PERSON]
        others = [
            f"{self.order.count(number)} {seat['label']}"
            for number, seat in enumerate(self.entrants)
            if seat["name"] != PERSON
        ]
        return " against ".join(part for part in (" and ".join(people), ", ".join(others)) if part)

    @property
    def folder(self) -> Path:
        """Folder of the run, below that of the server."""
        unsaid = {"shift"} if self.series else {"shift", "series"}
        about = {key: value for key, value in asdict(self).items() if key not in unsaid}
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:10]
        place = Path(STUDY, self.series) if self.study else Path(OTHERS)
        return Path(place, f"{file_name(self.name)[:60]}-{digest}")

    def number(self, taken: Collection[int]) -> int:
        """Return the first game number with these seats that is not ``taken``."""
        game = self.shift
        while game in taken:
            game += len(self.order)
        return game

    def match(self, seed: int) -> Match:
        """Return the match with ``seed``."""
        people = sum(seat["name"] == PERSON for seat in self.entrants)
        return Match(
            name=self.name,
            rules=dict(self.rules),
            entrants=self.entrants,
            seating=Seating((self.order,), tuple(range(len(self.order)))),
            measured=0 if people == 1 else None,
            seed=seed,
            records=GAMES,
        )


def _rank(seat: Mapping[str, Any]) -> tuple[bool, str]:
    return seat["name"] != PERSON, seat["label"]


def check_place(run: str | None) -> None:
    """Refuse a run's folder that `LineUp.folder` cannot return: ValueError."""
    place = rf"({STUDY}|{STUDY}/{SERIES}|{OTHERS})/[^/]*-[0-9a-f]{{10}}"
    if run is not None and not re.fullmatch(place, run):
        raise ValueError(f"{run!r:.80} is not the folder of a run")


def open_run(folder: Path, line_up: LineUp) -> int:
    """Return the seed of the run of ``line_up`` below ``folder``, creating the run if missing.

    Raises Refusal if writing fails.
    """
    from experiments.runs import runfolder  # Arrow and SciPy take a second

    run = folder / line_up.folder
    if (run / MATCHES_FILE).exists():
        refuse_symlinks(run)
        return int(runfolder.read_matches(run)[0].seed)
    seed = secrets.randbelow(SEEDS) if line_up.seed is None else line_up.seed
    runfolder.claim(run, [line_up.match(seed)], "games", resume=True)
    return seed


def take_number(folder: Path, line_up: LineUp, taken: Collection[int]) -> int:
    """Return the number of the next game of ``line_up``, which was never used.

    Numbers in the run's rows, numbers of games begun, whatever became of their tables, and
    ``taken`` are used: a number determines the deal, and a known deal is not dealt again.  Raises
    Refusal, OSError if the rows cannot be read, or the number cannot be saved.
    """
    from experiments.matches.results import Results
    from experiments.runs import runfolder

    run = folder / line_up.folder
    (tally,) = Results.resume(run, runfolder.read_matches(run)).tallies
    begun = run / BEGUN
    given = begun.read_text("utf-8").split() if begun.exists() else []
    number = line_up.number(
        {*taken, *tally.numbers.tolist(), *(int(word) for word in given if word.isdigit())}
    )
    with begun.open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")
    return number


def add_game(folder: Path, setup: Setup, game: SteppedGame) -> None:
    """Add the finished ``game`` of a run to its ``folder``; repeated calls add it once.

    Raises OSError, Refusal if writing fails.
    """
    import pyarrow as pa

    from experiments.matches.results import HELD, ROW, Played, Results
    from experiments.provenance.files import CONFIG, SUMMARY, write_json, write_text
    from experiments.provenance.provenance import origin
    from experiments.runs import runfolder, summary

    began = time.monotonic()
    with FileLock(folder / LOCK):
        (match,) = runfolder.read_matches(folder)
        played = Results.resume(folder, [match])
        rows = pa.Table.from_pylist(_rows(match, setup, game), ROW).cast(HELD)
        played.add(0, Played(rows, {setup.game: game.record()}))
        played.flush()
        # The number of games is open: all of them, so far.
        write_text(folder / CONFIG, f"match:\n  games: {played.games}\n")
        ended = {"interrupted": False, "fault": None, "run": origin()}
        seconds = max(time.monotonic() - began, 1e-3)
        write_json(
            folder, {**summary.figures(played).to_json(), **ended, "seconds": seconds}, SUMMARY
        )


def _rows(match: Match, setup: Setup, game: SteppedGame) -> list[dict[str, Any]]:
    """Return a row per seat, as in `experiments.matches.results.ROW`."""
    end = game.view(0)[0]
    entrants = match.seating.at([setup.game])[0].tolist()
    return [
        {
            "match": match.name,
            "game": setup.game,
            "seat": seat,
            "player": match.labels[entrants[seat]],
            "focal": entrants[seat] == match.measured,
            "won": seat == int(end.winner),
            "out": bool(end.out[seat]),
            "suggestions": int(end.suggestions[seat]),
            "decisions": player.decisions,
            "simulations": player.simulations,
            "search_seconds": player.search_seconds,
            "faults": 0,
            "winner": int(end.winner),
            "turns": int(end.turn),
            "game_suggestions": int(end.asked),
        }
        for seat, player in enumerate(game.seats)
    ]
