"""A report on one or several runs: warnings, comparison of runs, and their origin.

Every match is compared with a match of the first run on the games that both played, if there are
any.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.matches.results import Tally
from experiments.matches.schedule import SAME, Match
from experiments.report.page import Block, Command, Folded, Page, Picture, Section
from experiments.report.pictures import rates
from experiments.report.run import Run
from experiments.report.sections import lead, sections
from experiments.settings.config import leaves
from experiments.stats.comparisons import ONE_TEST, holm, mcnemar
from experiments.stats.intervals import Estimate
from experiments.stats.stopping import Sprt
from experiments.tabular import Table, count, mean, p_value, percent, words

_PICTURED = 40
"""Maximum number of lines drawn; the table has all."""
_BEGAN, _ENDED = "at the beginning", "in the last session"


def page(runs: Sequence[Run]) -> Page:
    """Return the report on ``runs``; if there are several, the first is the control."""
    if len(runs) == 1:
        (run,) = runs
        title = run.matches[0].name if len(run.matches) == 1 else f"{len(run.matches)} matches"
        parts = [*sections(run, "a"), _origin(run)]
        return Page(title, run.faults, lead(run), parts)
    parts = [side_by_side(runs)]
    for at, run in enumerate(runs):
        inner = [*sections(run, f"r{at}"), _origin(run)]
        parts += [Section(run.label, []), *(replace(section, depth=1) for section in inner)]
    faults = [f"{run.label}: {fault}" for run in runs for fault in run.faults]
    games = sum(run.played.games for run in runs)
    return Page(f"{len(runs)} runs", faults, [f"{games:,} games in all."], parts)


def side_by_side(runs: Sequence[Run]) -> Section:
    """Return the section that compares ``runs``."""
    return Section("Comparison of runs", list(_beside(runs)))


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
        yield Picture("Win rates of all runs", rates(drawn[:_PICTURED], "all"))
    keys, values = _settings(runs)
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
                (count("games"), "games"),
                ("difference, 95 %", "difference"),
                (p_value("p"), "p"),
                (p_value("p, Holm"), "p_holm"),
            ),
            [
                f"Of matches that played the same games. {ONE_TEST}. Holm's correction is for all "
                "lines of this table. Round robins are compared within themselves."
            ],
        )


def _origin(run: Run) -> Section:
    """Return the section on matches, command and machine of a run."""
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
    rows = list(_flat(described))
    return Folded(Table(f"Settings of {match.name}", ("", words("value")), rows))


@dataclass(frozen=True)
class Between:
    """Two matches of different runs; the difference is the second's win rate minus the first's.

    Attributes
    ----------
    first, second : run and match
    games : played by both
    p : for equal win rates, by the test that the interval inverts; None after a sequential test,
        which used every game
    p_holm : with Holm's correction over all comparisons of the report
    """

    first: tuple[str, str]
    second: tuple[str, str]
    games: int
    difference: Estimate
    p: float | None
    p_holm: float | None = None

    @property
    def name(self) -> str:
        """The comparison as text: second minus first."""
        return f"{': '.join(self.second)} minus {': '.join(self.first)}"


def between(runs: Sequence[Run]) -> list[Between]:
    """Compare the matches of all other runs with those of the first."""
    found = list(_compare(runs[0], runs[1:]))
    tested = [pair.p for pair in found if pair.p is not None]
    adjusted = iter(holm(np.array(tested)) if tested else ())
    return [
        pair if pair.p is None else replace(pair, p_holm=float(next(adjusted))) for pair in found
    ]


def _compare(first: Run, others: Sequence[Run]) -> Iterator[Between]:
    for other in others:
        for match, tally in _measured_matches(other):
            for control, its in _measured_matches(first):
                both = np.intersect1d(its.numbers, tally.numbers)
                # Whether game k of both is the same.
                alike = all(_same(control, key) == _same(match, key) for key in SAME)
                if len(both) and alike:
                    pairs = (control, its), (match, tally)
                    won = [one.wins_of(counted.winner(), 0)[both] for one, counted in pairs]
                    rules = (run.stop for run in (first, other) if isinstance(run.stop, Sprt))
                    rule = next(rules, first.stop)
                    p = None if isinstance(rule, Sprt) else mcnemar(*won)
                    names = (first.label, control.name), (other.label, match.name)
                    yield Between(*names, len(both), rule.difference(*won), p)
                    break


def _measured_matches(run: Run) -> Iterator[tuple[Match, Tally]]:
    for match, tally in run.played.pairs():
        if match.measured is not None and tally.games:
            yield match, tally


def _same(match: Match, key: str) -> Any:
    """Return what must be equal for equal games; opponents by settings, not by name."""
    if key == "opponents":
        return [{**entrant, "label": None} for entrant in match.entrants[1:]]
    return getattr(match, key)


def _settings(runs: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Return the settings that differ between ``runs``, and their values as text by run.

    Players are compared if all runs have them; a missing setting is empty.
    """
    labels = [{label for match in run.matches for label in match.labels} for run in runs]
    plans = [dict(_flat(_plan(run, set.intersection(*labels)))) for run in runs]
    keys = list(dict.fromkeys(key for plan in plans for key in plan))
    differing = [key for key in keys if len({plan.get(key) for plan in plans}) > 1]
    return differing, [[plan.get(key, "") for key in differing] for plan in plans]


def _plan(run: Run, players: Set[str]) -> dict[str, Any]:
    """Return the plan of ``run``, with only the settings of ``players``."""
    first = run.matches[0]
    entrants = {
        label: {**entrant, "label": label}
        for match in run.matches
        for label, entrant in zip(match.labels, match.entrants, strict=True)
        if label in players
    }
    return {
        "matches": "; ".join(match.name for match in run.matches),
        "seed": first.seed,
        "stop": run.about["stop"],
        "rules": first.rules,
        "shifts of seats": list(first.seating.shifts),
        **entrants,
    }


def _flat(nested: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, value in leaves(nested):
        yield path, value if isinstance(value, str) else json.dumps(value)
