"""The page of an ablation: each line next to its parent; curves and staircases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from experiments import plotting
from experiments.palette import REFERENCE, look, say, tell_apart
from experiments.runs import runfolder
from experiments.runs.published import Published, find
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import MARKED, Comparison, holds
from experiments.tables.catalog import COMMAND
from experiments.tables.cells import PlannedCell, compare_all
from experiments.tables.figure import Figure
from experiments.tables.measured import simulations_of
from experiments.tables.quantities import QUANTITIES
from experiments.tables.report import Report, above, describe_games
from experiments.tables.schema import ADDED, ALONE, APART, CUMULATIVE, WAYS
from experiments.tables.steps import Ablation, Step
from experiments.tabular import Column, Field, Marked, count, view, words

POLICIES = ("endless", "turns_if_won", "turns_if_won_median", "suggestions_if_won")
PLANNERS = ("wrong_accusations", "endless", "turns", "turns_median")
SUGGESTIONS = ("bits_of_games", "bits", "known")
"""Quantities next to the games won: of policies, of planners, and of recorded suggestions."""

ONLY_CSV = ("turns_median", "turns_if_won_median", "bits")
"""Quantities that only the CSV has, to keep lines short."""

LONGEST = 60  # lines of a page; of more, single steps are only in the CSV and in the picture

_STRIP = 0.15
"""Opacity of a published interval."""

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


class _Played(NamedTuple):
    cell: PlannedCell
    parent: PlannedCell | None
    gain: Comparison | None


def make(table: Ablation, cells: Sequence[PlannedCell]) -> Report:
    """Return the report of ``table`` from its ``cells``."""
    compared = zip(cells, compare_all(cells), strict=True)
    lines = [_Played(cell, cell.parent(cells), gain) for cell, gain in compared if cell.played]
    title, budget = f"{table.name}: {table.about}", simulations_of(cells[0].match)
    title += "" if table.simulations is None else f", at {budget:,} simulations"
    notes = list(_notes(table, cells, any(line.gain for line in lines)))
    long = len(lines) > LONGEST and CUMULATIVE in table.ways
    notes += [Marked("Lines *alone* and *added* are in the CSV and in the picture only.")] * long
    shown, records = view(title, lines, _fields(table), notes)
    rows: list[Sequence[Any]] = []
    previous = None
    for line, row in zip(lines, shown.rows, strict=True):
        if long and line.cell.line.way != CUMULATIVE:
            continue
        known = published_result(line.cell)
        if line.cell.cell.setup != previous and known is not None:
            rate = Figure.from_wins(known.wins, known.games)
            rows.append([row[0], "published", known.games, rate])
        previous = line.cell.cell.setup
        rows.append(row)
    return Report(replace(shown, rows=rows), records)


def _fields(table: Ablation) -> list[Field]:
    keys: tuple[str, ...] = POLICIES if table.compiled else PLANNERS
    keys += SUGGESTIONS if "suggestions" in table.details else ()

    def setup(line: _Played) -> str:  # without the opponents if all set-ups share them
        cell = line.cell
        several = len(table.opponents) > 1
        return cell.name if several else f"{cell.match.seats} {cell.cell.player.label}"

    def quantity(key: str, head: str, csv: str) -> Field:
        column = None if key in ONLY_CSV else Column(head, QUANTITIES[key].text)
        return Field(lambda line: line.cell.figure(key), column, csv, " ")

    return [
        Field(setup, words("set-up")),
        Field(lambda line: line.cell.name, csv="setup"),
        Field(lambda line: line.cell.cell.player.label, csv="player"),
        Field(lambda line: line.cell.cell.layout, csv="layout"),
        Field(lambda line: line.cell.line.way, csv="way"),
        Field(lambda line: line.cell.line.step, csv="step"),
        Field(lambda line: line.cell.line.label, words("step")),
        Field(lambda line: line.cell.line.about, csv="about"),
        Field(lambda line: simulations_of(line.cell.match), csv="simulations"),
        Field(lambda line: line.cell.match.seed, csv="seed"),
        Field(lambda line: line.cell.played, count("games"), "games"),
        quantity("won", "games won", "won"),
        Field(lambda line: line.parent and line.parent.line.label, csv="before"),
        Field(lambda line: line.gain and line.gain.games, csv="common_games"),
        Field("gain", Column("difference, points", _points)),
        Field(lambda line: line.gain and line.gain.difference, csv="difference", bounds=" "),
        Field(lambda line: line.gain and line.gain.p, csv="difference p"),
        Field(lambda line: line.gain and line.gain.p_holm, csv="difference p holm"),
        *(quantity(key, _HEADS[key], _HEADS[key]) for key in keys),
    ]


def published_result(cell: PlannedCell) -> Published | None:
    """Return the published result of these players in these seats."""
    player, opponent = (entrant["name"] for entrant in cell.match.entrants[:2])
    return find(player, cell.match.seats, opponent)


def _points(gain: Comparison) -> str:
    found = gain.difference
    value, low, high = (f"{100 * part:+.1f}" for part in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})" + " ≠" * (holds(gain.p_holm))


def _notes(table: Ablation, cells: Sequence[PlannedCell], compared: bool) -> Iterator[Marked]:
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
            "none yet; the command resumes."
        )


def heading(table: Ablation, cells: Sequence[PlannedCell]) -> list[str]:
    """Return command, budget, machine and versions.  Raises Refusal without games."""
    played = [cell for cell in cells if cell.played]
    if not played:
        raise Refusal(f"{table.name} has no games: play some first")
    budget = None if table.simulations is None else simulations_of(played[0].match)
    matches = [cell.match for cell in played]
    return above(
        _command(table, played),
        describe_games((cell.played for cell in played), budget, matches),
        [runfolder.about(folder) for folder in dict.fromkeys(cell.folder for cell in played)],
    )


def _command(table: Ablation, played: Sequence[PlannedCell]) -> str:
    """Return the command that plays the existing games."""
    command = f"{COMMAND} {table.name}"
    numbers = {cell.played for cell in played}
    usual = all(cell.played == (cell.line.games or table.games) for cell in played)
    if len(numbers) == 1 and not usual:
        command += f" games={numbers.pop()}"
    budget, seed = simulations_of(played[0].match), played[0].match.seed
    if table.simulations not in (None, budget):
        command += f" simulations={budget}"
    return command + (f" seed={seed}" if seed != table.seed else "")


def draw(table: Ablation, cells: Sequence[PlannedCell], path: Path) -> None:
    """Draw the games of ``cells`` to ``path``: curves if lines are apart, else staircases.

    Draws nothing without games, and no curve for cells without a budget of simulations.
    """
    curves = APART in table.ways
    setups: dict[str, list[PlannedCell]] = {}
    for cell in cells:
        if cell.played and not (curves and simulations_of(cell.match) is None):
            setups.setdefault(cell.name, []).append(cell)
    if not setups:
        return
    if curves:
        _draw_curves(table, list(setups.values()), path)
    else:
        _draw_staircases(table, list(setups.values()), path)


def _draw_curves(table: Ablation, setups: Sequence[Sequence[PlannedCell]], path: Path) -> None:
    known = any(published_result(cells[0]) is not None for cells in setups)
    title = f"{_title(table, setups)}, 95 %{'; strips: published' if known else ''}"
    rows = 1 if len(setups) == 1 else 2
    size = (plotting.WIDTH, 0.6 + 2.7 * rows)
    with plotting.picture(path, title, size, rows, 3 - rows) as (_, grid):
        rates, wrong = grid.flat
        budgets = sorted({_budget(cell) for cells in setups for cell in cells})
        names = [cells[0].name for cells in setups]
        kinds = tell_apart([name.partition(" against ")[0] for name in names])
        for series, name, cells in zip(kinds, names, setups, strict=True):
            at, shown = [_budget(cell) for cell in cells], {**look(series), "label": say(name)}
            estimates = [won.estimate for cell in cells if (won := cell.figure("won"))]
            plotting.band(rates, at, estimates, **shown)
            _shade(rates, cells[0], shown["color"])
            accused = [out.value for cell in cells if (out := cell.figure("wrong_accusations"))]
            wrong.plot(at, accused, **shown, markersize=4)
        for parity in sorted({_parity(cells[0]) for cells in setups}):
            plotting.reference_line(rates, parity)
            rates.annotate("parity", (budgets[0], parity), (0, 3), textcoords="offset points")
        rates.set(ylabel="games won", ylim=(0, 1))
        plotting.shares(rates.yaxis)
        wrong.set(ylabel="wrong accusations a game")
        wrong.set_ylim(bottom=0)
        for axes in (rates, wrong):
            axes.set_xscale("log")
            ticks = budgets[:: 1 if rows > 1 or len(budgets) < 6 else 2]
            axes.set_xticks(ticks, [f"{budget:,}" for budget in ticks])
            axes.minorticks_off()
            if axes is wrong or rows == 1:
                axes.set(xlabel="simulations a decision")
            if rows > 1:
                plotting.label_ends(axes, 23)


def _title(table: Ablation, setups: Sequence[Sequence[PlannedCell]]) -> str:
    """Return what is drawn, with the games of its marks."""
    found = (cell.figure("won") for cells in setups for cell in cells)
    counts = sorted({won.games for won in found if won and won.games})
    games = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    return f"{table.about[:1].upper()}{table.about[1:]}: {games} games a mark"


def _budget(cell: PlannedCell) -> int:
    return simulations_of(cell.match) or 0


def _draw_staircases(table: Ablation, setups: Sequence[Sequence[PlannedCell]], path: Path) -> None:
    rows = -(-len(setups) // 2)
    there = {cell.line.step for cells in setups for cell in cells}
    order = [table.base, *(Step.read(entry).name for entry in table.steps)]
    steps = [name for name in order if name in there]
    size = (plotting.WIDTH, 1.4 + 1.9 * rows)
    title = f"{_title(table, setups)}, 95 %"
    with plotting.picture(path, title, size, rows, 2, sharex=True) as (figure, all_):
        for axes, cells in zip(all_.flat, setups, strict=False):
            _shade(axes, cells[0], REFERENCE, "published")
            plotting.reference_line(axes, _parity(cells[0]), "parity")
            for way in dict.fromkeys(cell.line.way for cell in cells):
                series = WAYS.index(way)  # the same in each panel
                shown = [cell for cell in cells if cell.line.way == way]
                shift = 0.0 if way == CUMULATIVE else 0.15 if way == ALONE else -0.15
                at = [steps.index(cell.line.step) + shift for cell in shown]
                looks: dict[str, Any] = {"capsize": 0}
                if way == CUMULATIVE:
                    looks |= {"linestyle": "-", "drawstyle": "steps-mid"}
                estimates = [won.estimate for cell in shown if (won := cell.figure("won"))]
                plotting.intervals(axes, at, estimates, series, label=way, **looks)
            axes.set_title(cells[0].name)
            axes.set_xticks(range(len(steps)), steps, rotation=40, ha="right")
            axes.set(ylabel="games won")
            axes.set_ylim(bottom=0)
            plotting.shares(axes.yaxis, 0)
        for axes in all_.flat[len(setups) :]:
            axes.remove()
        for axes in all_.flat[max(0, len(setups) - 2) : len(setups)]:
            axes.tick_params(labelbottom=True)
        fullest = max(all_.flat, key=lambda axes: len(axes.get_legend_handles_labels()[1]))
        plotting.legend_below(figure, fullest, columns=5)


def _shade(axes: Axes, cell: PlannedCell, colour: str, label: str | None = None) -> None:
    known = published_result(cell)
    if known is not None:
        low, high = known.rate.low, known.rate.high
        axes.axhspan(low, high, color=colour, alpha=_STRIP, linewidth=0, label=label)


def _parity(cell: PlannedCell) -> float:
    return cell.match.seats / cell.match.players
