"""History of strength: presets of earlier commits, each by its own code, against one fixed field.

    python -m benchmarks.history v0.1 v0.2 main [--players best,swift] [--games 400] [--seed 6220]

Each commit is unpacked by ``git archive`` and plays with the packages installed here, one in a seat
against three ``swift`` that accuse early, on the same deals.  By default, all tags and HEAD.
Results of earlier runs are reused.  The row of ``swift`` shows changes of the field's own players.
Elo is relative to the field, by the Plackett-Luce model.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log10
from pathlib import Path

from experiments import plotting
from experiments.stats.intervals import Estimate, win_rate

FIELD = ("opponent=swift", "opponent.threshold=0.35", "tracking.enabled=false")
OPPONENTS = 3
COLUMNS = ("commit", "date", "player", "games", "wins")


@dataclass(frozen=True)
class Row:
    """Wins of a preset of a commit."""

    commit: str
    date: str
    player: str
    games: int
    wins: int

    @property
    def elo(self) -> Estimate:
        """Its strength above that of the field, with 95 %."""
        rate = win_rate(self.wins, self.games)
        return Estimate(*map(above_field, (rate.value, rate.low, rate.high)))


def above_field(rate: float) -> float:
    """Return the Elo above `OPPONENTS` players of a kind for the win rate ``rate`` among them."""
    if rate in (0, 1):
        return inf if rate else -inf
    return 400 * log10(OPPONENTS * rate / (1 - rate))


def git(*arguments: str) -> str:
    """Return git's output; exit with its message if it fails."""
    ran = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"history: {ran.stderr.strip().splitlines()[-1]}")
    return ran.stdout.strip()


def unpack(commit: str, folder: Path) -> Path:
    """Return the folder with the files of ``commit``."""
    there = folder / "source"
    if not there.exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / "source.tar"
        git("archive", f"--output={archive}", commit)
        part = folder / "source.part"
        with tarfile.open(archive) as packed:
            packed.extractall(part, filter="data")
        archive.unlink()
        part.rename(there)
    return there


def play(commit: str, folder: Path, players: str, games: int, seed: int) -> list[tuple[str, int]]:
    """Return each player's name and wins; raises RuntimeError if the commit cannot play them."""
    source, run = (
        unpack(commit, folder),
        (folder / f"run-{players.replace(',', '_')}-{games}-{seed}").resolve(),
    )
    asked = [
        f"match.players=[{players}]",
        f"match.games={games}",
        f"seed={seed}",
        f"{'run.resume' if run.exists() else 'run.folder'}={run}",
    ]
    if not (run / "summary.json").exists():
        environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
        command = [sys.executable, "-m", "experiments.compare", *FIELD, *asked]
        ran = subprocess.run(
            command, cwd=source, env=environment, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise RuntimeError((ran.stderr.strip() or "it failed").splitlines()[-1])
    table = json.loads((run / "summary.json").read_text())["table"]
    found = [(line["player"], line["wins"]) for line in table if line["games"] == games]
    if len(found) != len(players.split(",")):
        raise RuntimeError(f"{run} is incomplete: remove it, and repeat the command")
    return found


def collect(commits: Sequence[str], folder: Path, players: str, games: int, seed: int) -> Iterator:
    """Yield the rows of ``commits``, and print the failures."""
    for name in commits:
        commit, date = git("log", "-1", "--format=%h %cs", name).split()
        try:
            won = play(commit, folder / commit, players, games, seed)
        except RuntimeError as fault:
            print(f"{name}: {fault}")
            continue
        for player, wins in won:
            row = Row(commit, date, player, games, wins)
            print(f"{name:10} {date} {player:12} {win_rate(wins, games)}, Elo {row.elo.value:+.0f}")
            yield row


def draw(rows: Sequence[Row], path: Path) -> None:
    """Plot Elo above the field by commit, one line per player."""
    commits = list(dict.fromkeys((row.commit, row.date) for row in rows))
    title = (
        f"Strength by commit, against {OPPONENTS} swift that accuse early, {rows[0].games} games"
    )
    with plotting.picture(path, title, (9, 4.5)) as (_, ((panel,),)):
        for series, player in enumerate(dict.fromkeys(row.player for row in rows)):
            mine = [row for row in rows if row.player == player]
            at = [commits.index((row.commit, row.date)) for row in mine]
            look = {"label": player, "linestyle": "-", "elinewidth": 0.6, "capsize": 2}
            plotting.intervals(panel, at, [row.elo for row in mine], series, **look)
        panel.set_xticks(range(len(commits)), [f"{commit}\n{date}" for commit, date in commits])
        panel.set(ylabel="Elo above the field")
        panel.axhline(0, color=plotting.REFERENCE, linestyle="--", linewidth=1)
        panel.legend(fontsize=8)
        panel.grid(axis="y")


def main() -> None:
    """Play missing commits, print one line each, and write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commits", nargs="*", help="tags, branches or commits, oldest first")
    parser.add_argument("--players", default="best,bmcts,swift", help="presets, with commas")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=6220)
    parser.add_argument("--folder", type=Path, default=Path("outputs/history"))
    asked = parser.parse_args()
    commits = asked.commits or [*git("tag", "--sort=creatordate").split(), "HEAD"]
    rows = list(collect(commits, asked.folder, asked.players, asked.games, asked.seed))
    if not rows:
        sys.exit("history: none of the commits could be played")
    with (asked.folder / "history.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        out.writerows([getattr(row, column) for column in COLUMNS] for row in rows)
    draw(rows, asked.folder / "history.png")
    print(f"written to {asked.folder}/history.csv and history.png")


if __name__ == "__main__":
    main()
