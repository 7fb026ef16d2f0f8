"""Compare the predictions of searches with the outcomes.

    python -m experiments.calibration RUN... [output=FOLDER]

Reads runs that wrote ``run.details=[decisions]`` and writes calibration.csv and calibration.png.

A search predicts the winning chance of its action: the mean of its simulations.  Decisions of one
game are dependent, so intervals are by game: a mean over decisions is the ratio of two sums over
games (`experiments.runs.figures.ratio`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import MISSING, DictConfig

from experiments.provenance.files import writing
from experiments.settings.command import Command
from experiments.settings.commandline import Refusal
from experiments.settings.limits import place

if TYPE_CHECKING:
    import polars as pl

    from experiments.stats.intervals import Estimate
    from experiments.tabular import Table
    from experiments.views import Field

FIGURES, PICTURE = "calibration.csv", "calibration.png"
ACCUSATION = "accusation"

FEWEST = 10
"""Fewest games for an interval over several decisions per game."""

_BINS = 10
_TITLE = "Predictions of searches and what came of them, 95 % by game"


@dataclass
class Calibration:
    """The schema of the configuration."""

    runs: list[str] = MISSING
    output: str | None = place()


@dataclass(frozen=True)
class Group:
    """Decisions of one player with a common property.

    Attributes
    ----------
    name : the common property
    decisions, games : their numbers
    predicted, won : mean winning chance by the search, and share won
    bias : predicted minus won; None, like ``won``, with too few games
    """

    name: str
    decisions: int
    games: int
    predicted: float
    won: Estimate | None
    bias: Estimate | None


Groups = Mapping[str, Sequence[Group]]
"""The groups of one player's decisions: ``all`` without accusations, by ``kind``, by ``round``
without accusations, by ``prediction`` in tenths, and by that of each ``accusation``."""


def job(settings: DictConfig, _: Path) -> None:
    """Print the tables, and write figures and picture; raises `Refusal`."""
    if not settings.runs:
        raise Refusal("runs is empty: name the folder of a run")
    import polars as pl

    from experiments import tabular, terminal
    from experiments.runs import runfolder
    from experiments.views import record

    console = terminal.console()
    folders = list(map(Path, settings.runs))
    players: dict[str, Groups] = {}
    rows: list[dict[str, object]] = []
    for folder, label in zip(folders, runfolder.labels(folders), strict=True):
        runfolder.load(folder)
        found = load(folder)
        matches = Counter(match for match, _ in found)
        for (match, player), made in found.items():
            about = [label] * (len(folders) > 1) + [match] + [player] * (matches[match] > 1)
            players[": ".join(about)] = groups = group(made)
            which = {"run": label, "match": match, "player": player}
            rows += (
                {**which, "by": by, **record(one, _fields())}
                for by, there in groups.items()
                for one in there
            )
    if not players:
        raise Refusal(f"{folders[0]}: no player of the run searched; choose a planner as player")
    for table in _tables(players):
        tabular.show(table, console)
    output = folders[0] if settings.output is None else Path(settings.output)
    with writing(output, "choose another by output=FOLDER"):
        output.mkdir(parents=True, exist_ok=True)
        pl.from_dicts(rows, infer_schema_length=None).write_csv(output / FIGURES)
        draw(players, output / PICTURE)
    console.print(f"written to {output / FIGURES} and {output / PICTURE}", soft_wrap=True)


def load(folder: Path) -> dict[tuple[str, str], pl.DataFrame]:
    """Return the decisions of the run in ``folder`` by match and player.

    Columns are ``game``, ``kind``, ``round``, ``value`` and ``won`` among others.
    Raises Refusal if there are no decisions, or a part cannot be read.
    """
    import polars as pl

    from experiments.matches.part_files import GAMES
    from experiments.runs.rows import apart, by_part

    columns = ["match", "player", "game", "seat", "turn", "kind", "value"]
    seat = ["match", "game", "seat"]
    made = by_part(
        folder, "decisions", lambda part: part.filter(pl.col("value").is_not_null()).select(columns)
    )
    ends = by_part(folder, GAMES, lambda part: part.select(*seat, "won"))
    players = ends.group_by("match").agg(pl.col("seat").max() + 1).rename({"seat": "players"})
    there = made.join(ends, on=seat).join(players, on="match")
    rounds = ((pl.col("turn") - 1) // pl.col("players") + 1).alias("round")
    return apart(there.with_columns(rounds).sort("game"), ["match", "player"])


def group(made: pl.DataFrame) -> Groups:
    """Return the groups of one player's decisions; an accusation is won if it is right."""
    import polars as pl

    from experiments.runs.rows import apart

    tenth = (pl.col("value") * _BINS).floor().clip(0, _BINS - 1).cast(pl.Int64)
    made = made.with_columns((tenth / _BINS).alias("tenth"))
    accuses = pl.col("kind") == ACCUSATION
    without_accusations = made.filter(~accuses)

    def by(column: str, part: pl.DataFrame) -> list[Group]:
        return [_group(_name(value), rows) for (value,), rows in apart(part, [column]).items()]

    return {
        "all": [_group("all but accusations", without_accusations)],
        "kind": by("kind", made),
        "round": by("round", without_accusations),
        "prediction": by("tenth", made),
        "accusation": by("tenth", made.filter(accuses)),
    }


def _name(value: object) -> str:
    return f"{value:.1f} to {value + 1 / _BINS:.1f}" if isinstance(value, float) else str(value)


def _group(name: str, part: pl.DataFrame) -> Group:
    import polars as pl

    from experiments.runs.figures import ratio

    won = pl.col("won").cast(pl.Float64)
    games = part.group_by("game").agg(
        pl.len().alias("decisions"), won.sum(), (pl.col("value") - won).sum().alias("bias")
    )
    counts, enough = games["decisions"], games.height >= FEWEST
    return Group(
        name=name,
        decisions=part.height,
        games=games.height,
        predicted=float(part["value"].to_numpy().mean()) if part.height else float("nan"),
        won=_share(games["won"], counts),
        bias=ratio(games["bias"], counts) if enough else None,
    )


def _share(wins: pl.Series, decisions: pl.Series) -> Estimate | None:
    """Return the share of decisions in games won; Wilson's interval for one decision per game."""
    from experiments.runs.figures import ratio
    from experiments.stats.intervals import Estimate, win_rate

    if len(wins) and (decisions == 1).all():
        return win_rate(int(wins.sum()), len(wins))
    found = ratio(wins, decisions) if len(wins) >= FEWEST else None
    return found and Estimate(found.value, max(0.0, found.low), min(1.0, found.high))


def _fields(first: str = "") -> list[Field]:
    """Return the fields of a group; ``first``: the heading of the common property."""
    from experiments.tabular import Column, count, percent
    from experiments.views import Field

    return [
        Field("name", first, "group"),
        Field("decisions", count("decisions"), "decisions"),
        Field("games", count("games"), "games"),
        Field("predicted", percent("predicted"), "predicted"),
        Field("won", Column("came of it, 95 %"), "won", "_"),
        Field("bias", Column("predicted minus that"), "bias", "_"),
    ]


def _tables(players: Mapping[str, Groups]) -> Iterator[Table]:
    """Yield each player's decisions by kind of action, and accusations by probability."""
    from experiments.views import show

    for name, groups in players.items():
        kinds = [*groups["all"], *groups["kind"]]
        for first, found in (("chance to win", kinds), ("accused with", groups["accusation"])):
            if there := [one for one in found if one.decisions]:
                yield show(name, there, _fields(first))[0]


def draw(players: Mapping[str, Groups], path: Path) -> None:
    """Draw predictions and outcomes of ``players`` by name: bins, accusations, and rounds."""
    from experiments import plotting

    titles = ("all decisions", "accusations", "by round, accusations left out")
    with plotting.picture(path, _TITLE, (13, 4.6), columns=3) as (figure, (panels,)):
        for axes, title in zip(panels, titles, strict=True):
            axes.set_title(title)
            axes.grid()
        for axes in panels[:2]:
            axes.plot([0, 1], [0, 1], color=plotting.REFERENCE, linestyle="--", linewidth=1)
            axes.set(xlabel="predicted chance to win", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
            plotting.shares(axes.xaxis)
            plotting.shares(axes.yaxis)
        panels[0].set_ylabel("games won")
        panels[1].set_ylabel("accusations that were right")
        panels[2].set(xlabel="round", ylabel="predicted minus won")
        plotting.reference_line(panels[2], 0)
        plotting.shares(panels[2].yaxis)
        for number, (name, groups) in enumerate(players.items()):
            for axes, by in zip(panels, ("prediction", "accusation"), strict=False):
                bins = [(one.predicted, one.won) for one in groups[by] if one.games >= FEWEST]
                there = {at: won for at, won in bins if won is not None}
                found = [*there.values()]
                plotting.intervals(axes, [*there], found, number, linestyle="-", label=name)
            rounds = {int(one.name): one.bias for one in groups["round"] if one.bias is not None}
            plotting.band(panels[2], [*rounds], [*rounds.values()], number)
        plotting.legend_below(figure, panels[0], 3)


COMMAND = Command("calibration", Calibration, job, bare="runs", multirun=False)
main = COMMAND.main

if __name__ == "__main__":
    main()
