"""The plot and the table at the end of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import tabular
from experiments.matches.results import Results
from experiments.runs.published import find_for
from experiments.runs.summary import Line, Score, Summary
from experiments.stats.elo import elo_above, likelihood_of_superiority
from experiments.stats.intervals import Estimate, win_score
from experiments.tabular import Strong

PLOT = "win_rate.png"


def draw(summary: Summary, played: Results, folder: Path) -> Path:
    """Draw the run to `PLOT` in ``folder`` and return the path."""
    from experiments.runs.plots import (  # Matplotlib takes a second to import
        rates_plot,
        win_rate_plot,
    )

    path = folder / PLOT
    lines = summary.figures.lines
    if len(summary.figures.table) > 1:
        title, by_match = _title(summary.seed, lines)
        names = [line.match if by_match else line.player for line in lines]
        title += f", {min(line.games for line in lines)} games a player"
        return rates_plot(lines, names, title, path, _published_rates(lines, played))
    match, tally = played.matches[0], played.tallies[0]
    won = match.wins_of(tally.winner(), 0)[tally.numbers]
    (line,) = lines
    return win_rate_plot(won, line.by_seat, match.name, line.parity, find_for(match), path)


def table(summary: Summary, played: Results) -> tabular.Table:
    """Return the players' results next to parity and published results."""
    lines = summary.figures.lines
    title, by_match = _title(summary.seed, lines)
    several = len({line.match for line in lines}) > 1
    parities = {line.parity for line in lines}
    searched = any(line.simulations_per_second for line in lines)
    rows = [_row(line, by_match, len(parities) > 1, searched) for line in lines]
    if faulty := any(line.faults for line in lines):
        rows = [[*row, line.faults] for row, line in zip(rows, lines, strict=True)]
    faster = _speed_ups(lines, played)
    for row, ratio in zip(rows, faster, strict=False):
        row.append(f"{ratio:.2f}")
    for match in played.matches:
        if (found := find_for(match)) is not None:
            name = f"{match.labels[0]}, published" if several else "published"
            rows.append([name, found.games, found.wins, found.rate])
    columns = ["", "games", "wins", "win rate, 95 %"]
    columns += ["parity"] if len(parities) > 1 else []
    title += f", parity {100 * parities.pop():.0f} %" if len(parities) == 1 else ""
    columns += ["turns", "wrong", *(["sim/s"] if searched else [])]
    columns += ["faults"] if faulty else []
    columns += ["speed-up"] if faster else []
    return tabular.Table(title, columns, rows, _remarks(played))


def show(summary: Summary, played: Results, console: Console) -> None:
    """Print the table, then the comparisons of players."""
    figures, lines = summary.figures, summary.figures.lines
    tabular.show(table(summary, played), console)
    crossed = [pair for pair in figures.comparisons if "both" in pair]
    if len(crossed) == 1:
        tabular.show(_cross(crossed[0], _common_opponents(lines)), console)
    if "load" in summary.run and any(line.simulations_per_second for line in lines):
        load, cores = summary.run["load"]
        console.print(
            f"the machine was busy: {load:.1f} processes wanted its {cores} cores, so simulations "
            "per second and speed-ups are underestimates",
            soft_wrap=True,
        )
    alone = lines if len(played.matches) == 1 == len(lines) else []
    for text in (
        *(_sentence(each, _common_opponents(lines)) for each in figures.comparisons),
        *(_rate_above(each, bool(figures.tests)) for each in alone),
        *map(_rating, figures.ratings),
        *(test["verdict"] for test in figures.tests),
        f"{summary.seconds:.0f} s in all, written to {played.folder}",
        f"again: {summary.run['command']}",
    ):
        console.print(text, soft_wrap=True)


def measure_load(seconds: float, cores: int) -> dict[str, Any]:
    """Return the mean load over about the last ``seconds`` and ``cores``; empty if cores sufficed.

    One process more than ``cores`` is allowed: this one, which collects its workers' games.
    """
    over = [abs(seconds - window) for window in (60.0, 300.0, 900.0)]
    load = os.getloadavg()[over.index(min(over))]
    return {"load": [round(load, 1), cores]} if load > cores + 1 else {}


def _published_rates(lines: list[Line], played: Results) -> dict[int, Estimate]:
    """Return published win rates by line number."""
    rates = {match.name: found.rate for match in played.matches if (found := find_for(match))}
    return {at: rates[line.match] for at, line in enumerate(lines) if line.match in rates}


def _title(seed: int, lines: Sequence[Score]) -> tuple[str, bool]:
    """Return the title of the table, and whether lines are named by match, not player."""
    names = {line.match for line in lines}
    if len(names) == 1:
        return names.pop(), False
    opponents = _common_opponents(lines)
    return (f"{opponents}, seed {seed}", False) if opponents else (f"seed {seed}", True)


def _common_opponents(lines: Sequence[Score]) -> str:
    """Return the opponents common to all players, as in "against 3 heuristic"; else ""."""
    found = {line.match.removeprefix(line.player).strip() for line in lines}
    return found.pop() if len(found) == 1 else ""


def _row(line: Line, by_match: bool, parity: bool, searched: bool) -> list[Any]:
    """Return the cells of a line, with parity and speed if some line has its own."""
    speed = line.simulations_per_second
    return [
        line.match if by_match else line.player,
        line.games,
        line.wins,
        Strong(line.rate),
        *([f"{100 * line.parity:.0f} %"] if parity else []),
        f"{line.turns_mean:.1f}",
        line.accused_wrongly,
        *([f"{speed:,.0f}" if speed else None] if searched else []),
    ]


def _speed_ups(lines: list[Line], played: Results) -> list[float]:
    """Return simulations per second relative to the first line; empty if times differ."""
    budgets = [match.entrants[0].get("budget") or {} for match in played.matches]
    times = {budget.get("seconds") for budget in budgets}
    limited = any(budget.get("simulations") for budget in budgets)
    rates = [line.simulations_per_second or 0.0 for line in lines]
    if len(lines) < 2 or limited or len(times) != 1 or None in times or not all(rates):
        return []
    return [rate / rates[0] for rate in rates]


def _remarks(played: Results) -> list[str]:
    """Return the sources and caveats of the published results shown, or why there are none."""
    found = [find_for(match) for match in played.matches]
    sources = [f"published: {one.source}" for one in found if one is not None]
    lines = [*sources, *(one.remark for one in found if one is not None)]
    return [line for line in dict.fromkeys(lines) if line]


def _rating(rating: dict[str, Any]) -> str:
    return f"{rating['player']}: {_elo(Estimate(rating['elo'], rating['low'], rating['high']))}"


def _rate_above(line: Line, tested: bool) -> str:
    """Return the only player's lead in Elo, with its likelihood unless ``tested``."""
    text = f"{line.player} above the others: {_elo(elo_above(line.rate, line.parity, line.games))}"
    score = win_score(line.wins, line.games, line.parity)
    return text if tested else f"{text}, {_sure(likelihood_of_superiority(score))}"


def _elo(elo: Estimate) -> str:
    return f"{elo.value:+.0f} Elo ({elo.low:+.0f} to {elo.high:+.0f})"


def _sure(likelihood: float) -> str:
    return f"likelihood of superiority {100 * likelihood:.1f} %"


def _names(comparison: dict[str, Any], opponents: str) -> tuple[str, str]:
    first, second = (comparison[name].removesuffix(opponents) for name in ("first", "second"))
    return first.strip(), second.strip()


def _cross(comparison: dict[str, Any], opponents: str) -> tabular.Table:
    """Return the 2 x 2 table of the games that two players both played."""
    first, second = _names(comparison, opponents)
    rows = [
        [f"{first} won", comparison["both"], comparison["only_first"]],
        [f"{first} did not", comparison["only_second"], comparison["neither"]],
    ]
    title = f"the same {comparison['games']} games"
    return tabular.Table(title, ["", f"{second} won", f"{second} did not"], rows)


def _sentence(comparison: dict[str, Any], opponents: str) -> str:
    """Return the verdict on two players; difference, p and Elo come from one test."""
    value = Estimate(comparison["difference"], *comparison["ci95"])
    first, second = _names(comparison, opponents)
    parts = [f"{second} minus {first}, same {comparison['games']} games: {value}"]
    if comparison["p"] is not None:
        parts.append(f"p {comparison['p']:.2g}")
        if comparison["p_holm"] != comparison["p"]:
            parts.append(f"{comparison['p_holm']:.2g} with Holm's correction")
    if "elo" in comparison:
        parts.append(_elo(Estimate(comparison["elo"], *comparison["elo_ci95"])))
        if comparison["superiority"] is not None:
            parts.append(_sure(comparison["superiority"]))
    return ", ".join(parts)
