"""A report on one or several runs: warnings, comparison of runs, and their origin.

Every match is compared with a match of the first run of the same parity: on common games if there
are any, otherwise as two independent samples, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import ndtr

from experiments.matches.results import Tally
from experiments.matches.schedule import SAME, Match
from experiments.report.page import Block, Command, Folded, Page, Picture, Section
from experiments.report.pictures import rates
from experiments.report.run import Run
from experiments.report.sections import lead, sections
from experiments.settings.config import leaves
from experiments.stats.comparisons import ONE_TEST, holm, mcnemar
from experiments.stats.intervals import Estimate, Z, win_rate
from experiments.stats.stopping import Sprt, Stop
from experiments.tabular import Table, count, mean, p_value, percent, words

_PICTURED = 40
"""Maximum number of lines drawn; the table has all."""
_BEGAN, _ENDED = "at the beginning", "in the last session"


_HALVINGS, _MOST_ERRORS = 50, 40.0
"""Range of the search for standard errors; beyond it a p value is 0."""


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
    games : of each, equal if paired
    unpaired : reason for independent samples; None if paired
    p : for equal win rates, by the test that the interval inverts; None after a sequential test,
        which used every game
    p_holm : with Holm's correction over all comparisons of the report
    """

    first: tuple[str, str]
    second: tuple[str, str]
    games: tuple[int, int]
    difference: Estimate
    unpaired: str | None
    p: float | None
    p_holm: float | None = None

    @property
    def name(self) -> str:
        """The comparison as text: second minus first."""
        return f"{': '.join(self.second)} minus {': '.join(self.first)}"

    @property
    def counts(self) -> str:
        """The numbers of games as text."""
        first, second = (f"{games:,}" for games in self.games)
        return f"{second} and {first}" if self.unpaired else first


def between(runs: Sequence[Run]) -> list[Between]:
    """Compare the matches of all other runs with those of the first."""
    found = list(_compare(runs[0], runs[1:]))
    tested = [pair.p for pair in found if pair.p is not None]
    adjusted = iter(holm(np.array(tested)) if tested else ())
    return [
        pair if pair.p is None else replace(pair, p_holm=float(next(adjusted))) for pair in found
    ]


def _compare(first: Run, others: Sequence[Run]) -> Iterator[Between]:
    controls = list(_measured_matches(first))
    for other in others:
        for match, tally in _measured_matches(other):
            # The first with the same games, otherwise the first with the same parity.
            like = [candidate for candidate in controls if _parity(candidate[0]) == _parity(match)]
            if not like:
                continue
            control, its = next(
                (candidate for candidate in like if not unlike(candidate[0], match)), like[0]
            )
            rule = next(
                (run.stop for run in (first, other) if isinstance(run.stop, Sprt)), first.stop
            )
            names = (first.label, control.name), (other.label, match.name)
            yield _difference(names, (control, its), (match, tally), rule)


def _measured_matches(run: Run) -> Iterator[tuple[Match, Tally]]:
    for match, tally in run.played.pairs():
        if match.measured is not None and tally.games:
            yield match, tally


def _parity(match: Match) -> float:
    return match.seats / match.players


def unlike(one: Match, other: Match) -> str | None:
    """Return a setting in which games of two matches differ, or None if game *k* is equal."""
    for key in SAME:
        values = [
            # Opponents are compared by settings, not by name.
            [{**entrant, "label": None} for entrant in match.entrants[1:]]
            if key == "opponents"
            else getattr(match, key)
            for match in (one, other)
        ]
        if values[0] != values[1]:
            return key
    return None


def _difference(
    names: tuple[tuple[str, str], tuple[str, str]],
    first: tuple[Match, Tally],
    second: tuple[Match, Tally],
    rule: Stop,
) -> Between:
    both = np.intersect1d(first[1].numbers, second[1].numbers)
    key = unlike(first[0], second[0])
    reason = f"other {key}" if key else None if len(both) else "no game in common"
    if reason is None:
        one, other = (match.wins_of(tally.winner(), 0)[both] for match, tally in (first, second))
        p, games = mcnemar(one, other), (len(both), len(both))
        found = rule.difference(one, other)
    else:
        wins = [int(match.wins_of(tally.winner(), 0).sum()) for match, tally in (first, second)]
        games = (first[1].games, second[1].games)
        found = compare_unpaired(
            *(rule.win_rate(*counts) for counts in zip(wins, games, strict=True))
        )
        p = unpaired_p(wins, games)
    return Between(*names, games, found, reason, None if isinstance(rule, Sprt) else p)


def compare_unpaired(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent rates, second minus first, from their intervals.

    Newcombe's hybrid score interval, if theirs are Wilson's [Newcombe 1998, Statistics in Medicine
    17, method 10].
    """
    value = second.value - first.value
    below = sqrt((second.value - second.low) ** 2 + (first.high - first.value) ** 2)
    above = sqrt((second.high - second.value) ** 2 + (first.value - first.low) ** 2)
    return Estimate(value, value - below, value + above)


def unpaired_p(wins: Sequence[int], games: Sequence[int]) -> float:
    """Return the p value for equality of two independent rates, by the test of `compare_unpaired`.

    It is one minus the confidence at which that interval reaches 0, and so is below 0.05 exactly if
    the 95 % interval excludes 0.
    """
    least, most = 0.0, _MOST_ERRORS
    middle = Z  # first, so that rounding keeps interval and p value consistent
    for _ in range(_HALVINGS):
        rates = (win_rate(*counts, middle) for counts in zip(wins, games, strict=True))
        found = compare_unpaired(*rates)
        least, most = (least, middle) if found.low <= 0 <= found.high else (middle, most)
        middle = (least + most) / 2
    return 2 * float(ndtr(-least))


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
