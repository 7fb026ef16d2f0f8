"""The report of an ablation: line by line, each beside the one with which it is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from experiments import tabular
from experiments.runs import runfolder
from experiments.runs.published import Published, find
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import MARKED, holds
from experiments.stats.intervals import columns
from experiments.tables.ablation.cells import Gain, StepCell, compare_all
from experiments.tables.ablation.schema import ADDED, ALONE, APART, CUMULATIVE, Ablation
from experiments.tables.catalog import COMMAND
from experiments.tables.figure import Figure
from experiments.tables.measured import simulations_of
from experiments.tables.quantities import QUANTITIES
from experiments.tables.report import Report, above, describe_games, mark_trial
from experiments.tabular import Marked

POLICIES = ("endless", "turns_if_won", "turns_if_won_median", "suggestions_if_won")
PLANNERS = ("wrong_accusations", "endless", "turns", "turns_median")
SUGGESTIONS = ("bits_of_games", "bits", "known")
"""Quantities beside the games won: of policies, of planners, and where suggestions are recorded."""

ONLY_CSV = ("turns_median", "turns_if_won_median", "bits")
"""Quantities that are left to the CSV, to keep lines short."""

_HEADS = {
    "wrong_accusations": "accused wrongly, per game",
    "endless": "endless",
    "turns": "turns",
    "turns_median": "turns, median",
    "turns_if_won": "turns if won",
    "turns_if_won_median": "turns if won, median",
    "suggestions_if_won": "suggestions if won",
    "bits_of_games": "bits per suggestion",
    "bits": "bits per suggestion, of all",
    "known": "known cards",
}

_COLUMNS = (
    "*Accused wrongly* counts the planners, all their seats together; *endless* are games that ran "
    "into the cap on turns; *turns* are of all players, the mean over all games, endless ones "
    "among them."
)
_COLUMNS_OF_SUGGESTIONS = (
    "*Bits per suggestion* are those that the player's factored belief loses, the mean of games' "
    "means; *known cards* are those of the three that it knew before, over all suggestions."
)

_WAYS = {
    CUMULATIVE: "A line without a further word has all steps up to its own; its difference is from "
    "the line above.",
    ALONE: "*Alone*: this step and no other; the difference is from the first line.",
    ADDED: "*Added*: all steps but this one; the difference is from the line with all of them.",
    APART: "The difference is from the line above.",
}


def quantities(table: Ablation) -> tuple[str, ...]:
    """Return the keys of the quantities beside the games won."""
    keys = POLICIES if table.compiled else PLANNERS
    return (*keys, *SUGGESTIONS) if "suggestions" in table.details else keys


def make(table: Ablation, cells: Sequence[StepCell], trial: bool) -> Report:
    """Return the report of ``table`` from the games of its ``cells``."""
    keys, gained = quantities(table), compare_all(cells)
    shown = [key for key in keys if key not in ONLY_CSV]
    rows: list[list[Any]] = []
    records = []
    previous = None
    for cell, gain in zip(cells, gained, strict=True):
        if not cell.played:
            continue
        setup = _setup(table, cell)
        known = published_result(cell)
        if cell.setup != previous and known is not None:
            rate = Figure.from_wins(known.wins, known.games)
            rows.append([setup, "published", known.games, QUANTITIES["won"].text(rate)])
        previous = cell.setup
        rows.append([setup, cell.line.label, cell.played, *_texts(cell, gain, shown)])
        records.append(_record(cell, cells, gain, keys))
    heads = [
        tabular.words("set-up"),
        tabular.words("step"),
        tabular.count("games"),
        *map(tabular.Column, ("games won", "difference, points", *(_HEADS[key] for key in shown))),
    ]
    notes = list(_notes(table, cells, any(gained)))
    report = Report(tabular.Table(_title(table, cells), heads, rows, notes), records)
    return mark_trial(report) if trial else report


def _setup(table: Ablation, cell: StepCell) -> str:
    """Return the set-up, without the opponents where they are the same everywhere."""
    if len(table.opponents) > 1:
        return cell.name
    return f"{cell.match.seats} {cell.setup.player.label}"


def published_result(cell: StepCell) -> Published | None:
    """Return the published result of players of these names in these seats."""
    player, opponent = (entrant["name"] for entrant in cell.match.entrants[:2])
    return find(player, cell.match.seats, opponent)


def _title(table: Ablation, cells: Sequence[StepCell]) -> str:
    title = f"{table.name}: {table.about}"
    budget = simulations_of(cells[0].match)
    return title if table.simulations is None else f"{title}, at {budget:,} simulations"


def _texts(cell: StepCell, gain: Gain | None, shown: Sequence[str]) -> Iterator[str | None]:
    won = cell.figure("won")
    yield QUANTITIES["won"].text(won) if won else None
    yield _points(gain) if gain else None
    for key in shown:
        figure = cell.figure(key)
        yield QUANTITIES[key].text(figure) if figure else None


def _points(gain: Gain) -> str:
    found = gain.difference
    value, low, high = (f"{100 * part:+.1f}" for part in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})" + " ≠" * (holds(gain.p_holm))


def _record(
    cell: StepCell, cells: Sequence[StepCell], gain: Gain | None, keys: Sequence[str]
) -> dict[str, Any]:
    line, reference = cell.line, cell.reference(cells)
    record: dict[str, Any] = {
        "setup": cell.name,
        "player": cell.setup.player.label,
        "layout": cell.setup.layout,
        "way": line.way,
        "step": line.step,
        "about": line.about,
        "simulations": simulations_of(cell.match),
        "seed": cell.match.seed,
        "games": cell.played,
        **columns("won", cell.figure("won"), " "),
        "before": reference and reference.line.label,
        "common_games": gain and gain.games,
        **columns("difference", gain and gain.difference, " "),
        "difference p": gain and gain.p,
        "difference p holm": gain and gain.p_holm,
    }
    for key in keys:
        record |= columns(_HEADS[key], cell.figure(key), " ")
    return record


def _notes(table: Ablation, cells: Sequence[StepCell], compared: bool) -> Iterator[Marked]:
    yield Marked(
        "Intervals are of 95 %. Differences are paired by the number of the game: the same deal "
        "and dice. Lines that are the same games have no difference."
    )
    if compared:
        yield Marked(
            f"≠ marks differences with {MARKED}, of the score test of the interval with Holm's "
            "correction over all pairs of lines that are compared here."
        )
    if not table.compiled:
        yield Marked(_COLUMNS)
    if "suggestions" in table.details:
        yield Marked(_COLUMNS_OF_SUGGESTIONS)
    for way in dict.fromkeys(cell.line.way for cell in cells):
        yield Marked(_WAYS[way])
    steps = {cell.line.step: cell.line.about for cell in cells if cell.line.about}
    for step, about in steps.items():
        yield Marked(f"`{step}`: {about}.")
    left = [cell for cell in cells if cell.played < cell.games]
    if left:
        without = sum(not cell.played for cell in left)
        yield Marked(
            f"{len(cells) - len(left)} of {len(cells)} cells have all their games, {without} have "
            "none yet; the command goes on."
        )


def heading(table: Ablation, cells: Sequence[StepCell], trial: bool) -> list[str]:
    """Return command, budget, machine and versions.  Raises Refusal if nothing was played."""
    played = [cell for cell in cells if cell.played]
    if not played:
        raise Refusal(f"{table.name} has no games yet: play some first")
    budget = None if table.simulations is None else simulations_of(played[0].match)
    matches = [cell.match for cell in played]
    return above(
        _command(table, played, trial),
        describe_games((cell.played for cell in played), budget, matches),
        [runfolder.about(folder) for folder in dict.fromkeys(cell.folder for cell in played)],
    )


def _command(table: Ablation, played: Sequence[StepCell], trial: bool) -> str:
    """Return the command that plays the games that are there."""
    command = f"{COMMAND} {table.name}"
    numbers = {cell.played for cell in played}
    usual = all(cell.played == (cell.line.games or table.games) for cell in played)
    if len(numbers) == 1 and not usual:
        command += f" games={numbers.pop()}"
    budget, seed = simulations_of(played[0].match), played[0].match.seed
    if table.simulations not in (None, budget):
        command += f" simulations={budget}"
    command += f" seed={seed}" if seed != table.seed else ""
    return command + (" fast=true" if trial else "")
