"""A report on one or several runs, put together: faults first, what was run last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from experiments.matches.schedule import Match
from experiments.report.between import between, flat, settings
from experiments.report.page import Block, Command, Folded, Page, Picture, Section
from experiments.report.plots import rates
from experiments.report.run import Run
from experiments.report.sections import lead, sections
from experiments.report.thinking import thinking
from experiments.stats.comparisons import ONE_TEST
from experiments.tabular import Table, count, mean, p_value, percent, words

_PICTURED = 40
"""Lines that are drawn beside one another; the table holds all."""
_BEGAN, _ENDED = "at the beginning", "in the last session"


def page(runs: Sequence[Run]) -> Page:
    """Return the report on ``runs``; with several, the first is what others are compared with."""
    if len(runs) == 1:
        (run,) = runs
        title = run.matches[0].name if len(run.matches) == 1 else f"{len(run.matches)} matches"
        parts = [*sections(run, "a"), *_thinking(runs), _origin(run)]
        return Page(title, run.faults, lead(run), parts)
    parts = [side_by_side(runs), *_thinking(runs)]
    for at, run in enumerate(runs):
        inner = [*sections(run, f"r{at}"), _origin(run)]
        parts += [Section(run.label, []), *(replace(section, depth=1) for section in inner)]
    faults = [f"{run.label}: {fault}" for run in runs for fault in run.faults]
    games = sum(run.played.games for run in runs)
    return Page(f"{len(runs)} runs", faults, [f"{games:,} games in all."], parts)


def _thinking(runs: Sequence[Run]) -> list[Section]:
    blocks = list(thinking([run.thinking for run in runs], "thinking"))
    return [Section("How long people thought", blocks)] if blocks else []


def side_by_side(runs: Sequence[Run]) -> Section:
    """Return the section that compares ``runs``."""
    return Section("Runs beside one another", list(_beside(runs)))


def _beside(runs: Sequence[Run]) -> Iterator[Block]:
    lines = [(run, line) for run in runs for line in run.figures.table]
    yield Table.of(
        "Win rates of all runs",
        [{"run": run.label, **vars(line), "name": run.name_of(line)} for run, line in lines],
        (
            ("run", "run"),
            (words("player"), "name"),
            (count("games"), "games"),
            ("win rate, 95 %", "rate"),
            (percent("parity"), "parity"),
            (mean("simulations a second", 0), "simulations_per_second"),
        ),
    )
    drawn = [
        (f"{run.label}: {run.name_of(line)}", line.rate, line.parity)
        for run, line in lines
        if line.games
    ]
    if drawn:
        yield Picture("Win rates of all runs", rates(drawn[:_PICTURED], {}, "all"))
    keys, values = settings(runs)
    if keys:
        yield Table(
            "Settings in which they differ",
            ("run", *map(words, keys)),
            [[run.label, *row] for run, row in zip(runs, values, strict=True)],
        )
    found = between(runs)
    if found:
        yield Table.of(
            f"Differences in win rate from {runs[0].label}",
            found,
            (
                ("second minus first", "name"),
                (
                    words("how"),
                    lambda pair: f"unpaired: {why}" if (why := pair.unpaired) else "paired",
                ),
                ("games", "counts"),
                ("difference, 95 %", "difference"),
                (p_value("p"), "p"),
                (p_value("p, Holm"), "p_holm"),
            ),
            [
                "Paired where both played the same games, else as independent samples, by "
                "Newcombe's interval; players that met other opponents or rules are not compared "
                f"by it. {ONE_TEST}. Holm's correction is for all lines of this table. Matches of "
                "another parity are left out, and round robins, which are compared within "
                "themselves."
            ],
        )


def _origin(run: Run) -> Section:
    """Return what was run, by which command, where."""
    began, ended = run.about, (run.summary or {}).get("run", {})
    blocks: list[Block] = [Command(began["command"])]
    if ended and ended["command"] != began["command"]:
        blocks.append(Command(ended["command"]))
    facts = list(_facts(run))
    for key in ("commit", "machine"):
        facts.append((key, began[key] or "unknown"))
        if ended and ended[key] != began[key]:
            facts.append((f"{key} of the last session", ended[key] or "unknown"))
    blocks.append(Table("What was run", ("", words("is")), facts))
    blocks.append(_versions(began["versions"], ended.get("versions", began["versions"])))
    blocks += [_list_settings(match) for match in run.matches]
    return Section("What was run", blocks)


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    first = run.matches[0]
    yield "folder", str(run.folder)
    for match in run.matches:
        yield "match", f"{match.name}: {_seating(match)}"
    rules = first.rules
    yield "rules", f"{rules['name']}, {rules['players']} players"
    yield "seed", str(first.seed)
    wanted = {f"{games:,}" if games is not None else "unknown" for games in run.games}
    yield "games a match", " or ".join(sorted(wanted))
    yield "rule of stopping", run.about["stop"]
    if first.details:
        yield "rows of details", ", ".join(first.details)


def _seating(match: Match) -> str:
    seats = ", ".join(str(shift) for shift in match.seating.shifts)
    if match.measured is None:
        return f"{len(match.seating.line_ups)} tables in turn, each shifted to seats {seats}"
    first, *others = match.labels
    if match.seating.line_ups[0].count(0) == 1:
        return f"{first} in seat {seats} in turn, {', '.join(others)} in all others"
    return f"{', '.join(others)} in seat {seats} in turn, {first} in all others"


def _versions(began: dict[str, str], ended: dict[str, str]) -> Folded:
    sessions = {"version": began} if began == ended else {_BEGAN: began, _ENDED: ended}
    rows = [
        [name, *(session.get(name) for session in sessions.values())] for name in {**began, **ended}
    ]
    return Folded(Table("Versions", ("", *map(words, sessions)), rows))


def _list_settings(match: Match) -> Folded:
    entrants = zip(match.labels, match.entrants, strict=True)
    described: dict[str, Any] = {"rules": match.rules, **dict(entrants)}
    rows = list(flat(described))
    return Folded(Table(f"Settings of {match.name}", ("", words("value")), rows))
