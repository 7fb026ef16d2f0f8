"""How a table of steps is told: line by line, each beside the one that it is held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from experiments import tabular
from experiments.runs import runfolder
from experiments.runs.published import Published, find
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate
from experiments.tables import figures as of
from experiments.tables.cells import COMMAND
from experiments.tables.figures import Figure, Quantity, simulations_of
from experiments.tables.report import Report, tried
from experiments.tables.stairs.form import ADDED, ALONE, APART, CUMULATIVE, Steps
from experiments.tables.stairs.parts import Part, before, gained
from experiments.texts import markdown, printable

POLICIES = (of.ENDLESS, of.TURNS_WON, of.TURNS_WON_MEDIAN, of.ASKED_WON)
PLANNERS = (of.OUT, of.ENDLESS, of.TURNS, of.TURNS_MEDIAN)
SUGGESTIONS = (of.BITS_OF_GAMES, of.BITS, of.KNOWN)
"""What is told beside the games won: of policies, of planners, and where suggestions are written
down."""

IN_THE_CSV = (of.TURNS_MEDIAN, of.TURNS_WON_MEDIAN, of.BITS)
"""What is left to the CSV, so that a line is not too long."""

_HEADS = {
    of.OUT: "accused wrongly, a game",
    of.ENDLESS: "endless",
    of.TURNS: "turns",
    of.TURNS_MEDIAN: "turns, median",
    of.TURNS_WON: "turns if won",
    of.TURNS_WON_MEDIAN: "turns if won, median",
    of.ASKED_WON: "suggestions if won",
    of.BITS_OF_GAMES: "bits a suggestion",
    of.BITS: "bits a suggestion, of all",
    of.KNOWN: "known cards",
}

_COLUMNS = (
    "*Accused wrongly* are the planners, all their seats together; *endless* are games that ran "
    "into the cap on turns; *turns* are of all players, the mean over all games, endless ones "
    "among them."
)
_COLUMNS_OF_SUGGESTIONS = (
    "*Bits a suggestion* are those that the factored belief of the player loses, the mean of "
    "games' means; *known cards* are those of the three that it knew before, over all suggestions."
)

_WAYS = {
    CUMULATIVE: "A line without a further word has all steps up to its own; its difference is from "
    "the line above.",
    ALONE: "*Alone*: this step and no other; the difference is from the first line.",
    ADDED: "*Added*: all steps but this one; the difference is from the line with all of them.",
    APART: "The difference is from the line above.",
}


def quantities(table: Steps) -> tuple[Quantity, ...]:
    """Return what is told of the games of ``table``."""
    told = POLICIES if table.compiled else PLANNERS
    return (*told, *SUGGESTIONS) if "suggestions" in table.details else told


def make(table: Steps, parts: Sequence[Part], trial: bool) -> Report:
    """Return the report of ``table`` from what was played of its ``parts``."""
    told = quantities(table)
    rows: list[list[Any]] = []
    records = []
    shown = [quantity for quantity in told if quantity not in IN_THE_CSV]
    for column in _columns(parts).values():
        known, setup = published_of(column[0]), _setup(table, column[0])
        if known is not None:
            rate = Figure.counted(known.wins, known.games)
            rows.append([setup, "published", known.games, of.WON.told(rate)])
        for part in column:
            rows.append([setup, part.line.called, *_told(part, parts, shown)])
            records.append(_record(part, parts, told))
    columns = [
        tabular.words("set-up"),
        tabular.words("step"),
        tabular.count("games"),
        "games won",
        "difference, points",
        *(_HEADS[quantity] for quantity in shown),
    ]
    report = Report(
        tabular.Table(_title(table, parts), columns, rows, list(_notes(table, parts))), records
    )
    return tried(report) if trial else report


def _columns(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """Return the cells with games, by column."""
    found: dict[str, list[Part]] = {}
    for part in parts:
        if part.played:
            found.setdefault(part.setup, []).append(part)
    return found


def _setup(table: Steps, part: Part) -> str:
    """Return who plays whom, or who alone where the opponents are the same in all columns."""
    if len(table.opponents) > 1:
        return part.setup
    return f"{part.match.seats} {part.column.player.label}"


def published_of(part: Part) -> Published | None:
    """Return what was published for players of these names in these seats."""
    player, opponent = (entrant["name"] for entrant in part.match.entrants[:2])
    return find(player, part.match.seats, opponent)


def _title(table: Steps, parts: Sequence[Part]) -> str:
    title = f"{table.name}: {table.about}"
    budget = simulations_of(parts[0].match)
    return title if table.simulations is None else f"{title}, at {budget:,} simulations"


def _measure(part: Part, quantity: Quantity) -> Figure | None:
    if part.measured is None:
        return None
    return quantity.measure(part.measured, part.match.name, part.match.labels[0])


def won(part: Part) -> Figure | None:
    """Return the games won of a cell; None if nothing was played."""
    return _measure(part, of.WON)


def wrongly(part: Part) -> Figure | None:
    """Return the wrong accusations a game of a cell; None if nothing was played."""
    return _measure(part, of.OUT)


def _difference(part: Part, parts: Sequence[Part]) -> tuple[Estimate, int] | None:
    control = before(part, parts)
    return control and gained(part, control)


def _told(part: Part, parts: Sequence[Part], told: Sequence[Quantity]) -> Iterator[Any]:
    yield part.played
    rate = won(part)
    yield rate and of.WON.told(rate)
    found = _difference(part, parts)
    yield found and _points(found[0])
    for quantity in told:
        figure = _measure(part, quantity)
        yield figure and quantity.told(figure)


def _points(difference: Estimate) -> str:
    value, low, high = (
        f"{100 * part:+.1f}" for part in (difference.value, difference.low, difference.high)
    )
    return f"{value} ({low} to {high})"


def _record(part: Part, parts: Sequence[Part], told: Sequence[Quantity]) -> dict[str, Any]:
    line, control = part.line, before(part, parts)
    found = _difference(part, parts)
    record: dict[str, Any] = {
        "setup": part.setup,
        "player": part.column.player.label,
        "layout": part.column.layout,
        "way": line.way,
        "step": line.step,
        "about": line.about,
        "simulations": simulations_of(part.match),
        "seed": part.match.seed,
        "games": part.played,
        **_parts("won", won(part)),
        "before": control and control.line.called,
        "common_games": found and found[1],
        **_parts("difference", found and found[0]),
    }
    for quantity in told:
        record |= _parts(_HEADS[quantity], _measure(part, quantity))
    return record


def _parts(name: str, figure: Figure | Estimate | None) -> dict[str, float | None]:
    ends = {"": "value", " low": "low", " high": "high"}
    return {name + end: figure and getattr(figure, key) for end, key in ends.items()}


def _notes(table: Steps, parts: Sequence[Part]) -> Iterator[tabular.Marked]:
    yield tabular.Marked(
        "Intervals are of 95 %. Differences are paired by the number of the game: the same deal "
        "and dice. No difference stands where both lines are the same games."
    )
    if not table.compiled:
        yield tabular.Marked(_COLUMNS)
    if "suggestions" in table.details:
        yield tabular.Marked(_COLUMNS_OF_SUGGESTIONS)
    for way in dict.fromkeys(part.line.way for part in parts):
        yield tabular.Marked(_WAYS[way])
    told = {part.line.step: part.line.about for part in parts if part.line.about}
    for step, about in told.items():
        yield tabular.Marked(f"`{step}`: {about}.")
    left = [part for part in parts if part.played < part.games]
    if left:
        without = sum(not part.played for part in left)
        yield tabular.Marked(
            f"{len(parts) - len(left)} of {len(parts)} cells have all their games, {without} have "
            "none yet; the command goes on."
        )


def heading(table: Steps, parts: Sequence[Part], trial: bool) -> list[str]:
    """Return command, budget, machine and versions.

    Raises
    ------
    Refusal
        If nothing was played.
    """
    played = [part for part in parts if part.played]
    if not played:
        raise Refusal(f"{table.name} has no games yet: play some first")
    about = [runfolder.about(folder) for folder in {part.folder: None for part in played}]
    versions = ", ".join(f"{name} {number}" for name, number in about[0]["versions"].items())
    commits = ", ".join(dict.fromkeys(f"{one['commit']}" for one in about))
    machines = "; ".join(dict.fromkeys(one["machine"] for one in about))
    rules = dict.fromkeys(f"`{part.match.rules['name']}`" for part in played)
    return [
        f"```\n{printable(_command(table, played, trial))}\n```",
        "",
        f"{_games(played)} games a cell{_budget(table, played)}, seed {played[0].match.seed}, "
        f"rules {', '.join(rules)}.",
        markdown(f"Commit {commits}; {machines}; {versions}."),
    ]


def _games(played: Sequence[Part]) -> str:
    numbers = sorted({part.played for part in played})
    return " to ".join(f"{number:,}" for number in dict.fromkeys((numbers[0], numbers[-1])))


def _budget(table: Steps, played: Sequence[Part]) -> str:
    if table.simulations is None:
        return ""
    return f", {simulations_of(played[0].match):,} simulations a decision"


def _command(table: Steps, played: Sequence[Part], trial: bool) -> str:
    """Return the command that plays the games that are there."""
    told = f"{COMMAND} {table.name}"
    numbers = {part.played for part in played}
    usual = all(part.played == (part.line.games or table.games) for part in played)
    if len(numbers) == 1 and not usual:
        told += f" games={numbers.pop()}"
    budget = simulations_of(played[0].match)
    if table.simulations not in (None, budget):
        told += f" simulations={budget}"
    seed = played[0].match.seed
    return told + (f" seed={seed}" if seed != table.seed else "") + (" fast=true" if trial else "")
