"""The sections of a report on one run: all figures of its summary, and more from its rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from experiments.report import pictures
from experiments.report.page import Block, Picture, Section, Text
from experiments.report.run import Run
from experiments.runs.summary import Line
from experiments.stats.comparisons import ONE_TEST
from experiments.stats.intervals import Estimate
from experiments.tabular import Table, count, mean, p_value, percent, words

_PICTURED = 12
"""Maximum number of matches drawn; the tables have all."""


def lead(run: Run) -> list[str]:
    """Return the main results, a sentence per line of a short table."""
    lines = run.figures.lines
    if len(lines) > 4:
        return []
    return [_sentence(run.name_of(line), line) for line in lines]


def sections(run: Run, prefix: str) -> list[Section]:
    """Return the sections with figures; empty before the first game is saved.

    ``prefix``: of the ids of its pictures.
    """
    if not run.played.games:
        return []
    made = (
        ("Results", _results(run, prefix)),
        ("Who is better", _better(run, prefix)),
        ("By seat", _by_seat(run, prefix)),
        ("Length of games", [_lengths(run)] if run.game_lengths else []),
        ("What players learn", [_suggestions(run)] if run.suggestion_stats else []),
        ("Speed", _speed(run)),
    )
    listed = ((title, list(blocks)) for title, blocks in made)
    return [Section(title, blocks) for title, blocks in listed if blocks]


def _sentence(name: str, line: Line) -> str:
    rate, parity = line.rate, line.parity
    side = "above" if rate.low > parity else "below" if rate.high < parity else "not apart from"
    return (
        f"{name} won {rate} of {line.games:,} games, {side} the "
        f"{100 * parity:.1f} % of identical players."
    )


def _results(run: Run, prefix: str) -> Iterator[Block]:
    lines = run.figures.table
    yield Table.of(
        "Win rates",
        lines,
        (
            ("", run.name_of),
            (count("games"), "games"),
            (count("wins"), "wins"),
            ("win rate, 95 %", "rate"),
            (percent("parity"), "parity"),
            (count("no winner"), "draws"),
            (mean("turns"), "turns_mean"),
            (mean("suggestions"), "suggestions_mean"),
            (count("accused wrongly"), "accused_wrongly"),
        ),
        [
            "Turns and suggestions are those of all players together, a game; parity is what "
            "identical players would win."
        ],
    )
    drawn = [(run.name_of(line), line.rate, line.parity) for line in run.figures.lines]
    yield Picture("Win rates", pictures.rates(drawn, f"{prefix}rates"))
    for at, (match, tally) in enumerate(run.played.pairs()):
        if match.measured is None or not tally.games or at >= _PICTURED:
            continue
        won = match.wins_of(tally.winner(), 0)[tally.numbers]
        parity, name = match.seats / match.players, match.name
        drawing = pictures.convergence(won, parity, run.stop, name, f"{prefix}games{at}")
        yield Picture(f"Over the games: {name}", drawing)


def _better(run: Run, prefix: str) -> Iterator[Block]:
    found = run.figures.comparisons
    if found:
        yield Table.of(
            "Differences in win rate on the same games",
            found,
            (
                ("second minus first", lambda pair: f"{pair['second']} minus {pair['first']}"),
                (count("games"), "games"),
                ("difference, 95 %", lambda pair: Estimate(pair["difference"], *pair["ci95"])),
                (p_value("p"), "p"),
                (p_value("p, Holm"), "p_holm"),
            ),
            [
                f"Paired by game. {ONE_TEST}; then with Holm's correction for all comparisons "
                "made. None after a sequential test, whose verdict replaces it."
            ],
        )
    rated_in = dict.fromkeys(rated["match"] for rated in run.figures.ratings)
    for number, match in enumerate(rated_in):
        ratings = [rated for rated in run.figures.ratings if rated["match"] == match]
        title = "Ratings" if len(rated_in) == 1 else f"Ratings, {match}"
        yield Table.of(
            title,
            ratings,
            (
                ("player", "player"),
                ("Elo", lambda rated: f"{rated['elo']:+.0f}"),
                ("95 %", lambda rated: f"{rated['low']:+.0f} to {rated['high']:+.0f}"),
            ),
            ["Bradley-Terry, for one winner among several seats; the players' mean is 0."],
        )
        found_elo = {
            rated["player"]: Estimate(rated["elo"], rated["low"], rated["high"])
            for rated in ratings
        }
        names = ", ".join(f"{name} {elo.value:+.0f}" for name, elo in found_elo.items())
        label = f"Ratings in Elo with intervals: {names}."
        axis, place = "Elo, mean of the players 0", f"{prefix}elo{number}"
        yield Picture(title, pictures.draw_ranking(found_elo, axis, label, place))
    for test in run.figures.tests:
        yield Text(f"Sequential test {run.about['stop']}: {test['verdict']}.")


def _by_seat(run: Run, prefix: str) -> Iterator[Block]:
    seats = max(match.players for match in run.matches)
    rows, shown = [], []
    for at, match in enumerate(run.matches):
        found: dict[str, list[Estimate | None]] = {}
        for line in run.figures.lines:
            if line.match != match.name:
                continue
            counts = [line.by_seat.get(str(seat)) for seat in range(seats)]
            rate = run.stop.win_rate
            rates = [rate(seat["wins"], seat["games"]) if seat else None for seat in counts]
            found[line.player] = rates[: match.players]
            cells = [
                seat and f"{won}\n{seat['wins']:,} of {seat['games']:,}"
                for won, seat in zip(rates, counts, strict=True)
            ]
            rows.append([run.name_of(line), *cells])
        if found and at < _PICTURED:
            drawing = pictures.seats(found, 1 / match.players, f"{prefix}seats{at}")
            shown.append(Picture(match.name, drawing))
    columns = ("", *(f"seat {seat}" for seat in range(seats)))
    yield Table("Win rate by seat, counted from 0, 95 %; wins and games", columns, rows)
    yield from shown


def _lengths(run: Run) -> Table:
    return Table.of(
        "Length of games, means and median with 95 %",
        run.game_lengths,
        (
            ("", "match"),
            (count("games"), "games"),
            (count("no winner"), "undecided"),
            (mean("turns"), "turns"),
            (mean("median"), "median_turns"),
            (count("least"), "least_turns"),
            (count("most"), "most_turns"),
            (mean("suggestions"), "suggestions"),
        ),
    )


def _suggestions(run: Run) -> Table:
    return Table.of(
        "What a suggestion brings, 95 % by game",
        run.suggestion_stats,
        (
            ("", partial(_player, run)),
            (count("games"), "games"),
            (count("suggestions"), "suggestions"),
            (mean("bits learnt", 2), "decrease"),
            (mean("mean of games", 2), "game_decrease"),
            (mean("of envelope", 2), "envelope_decrease"),
            (mean("cards known", 2), "known"),
            (mean("of them own", 2), "own"),
        ),
        [
            "Bits learnt are those that the factored belief of the thesis loses, of all cards; of "
            "the envelope, those of the exact posterior. Cards known are those of the three named "
            "that the suggester knew before."
        ],
    )


def _speed(run: Run) -> Iterator[Block]:
    """Yield the amount and speed of searching, and the duration of the run."""
    searched = [line for line in run.figures.table if line.decisions]
    if searched:
        yield Table.of(
            "Searching",
            searched,
            (
                ("", partial(_player, run)),
                (count("decisions"), "decisions"),
                (count("simulations"), "simulations"),
                (mean("simulations a second", 0), "simulations_per_second"),
                (mean("a decision"), lambda line: line.simulations / line.decisions),
                (mean("ms a decision"), "milliseconds"),
            ),
            ["A second is one of searching; several games search at the same time."],
        )
    if run.decision_stats:
        yield Table.of(
            "Decisions searched for, means with 95 % by game",
            run.decision_stats,
            (
                ("", partial(_player, run)),
                (count("games"), "games"),
                (mean("simulations"), "simulations"),
                (mean("seconds", 4), "seconds"),
                (
                    words("kinds"),
                    lambda made: ", ".join(f"{n:,} {k}" for k, n in sorted(made.kinds.items())),
                ),
            ),
        )
    if run.summary is not None:
        pace = run.pace
        session = "set-up included" if pace else "last session"
        yield Table(
            "The run",
            ("", count("games"), mean("seconds"), mean("games a second")),
            [[session, run.played.games, run.summary["seconds"], pace]],
            [] if pace else ["Of a run that is resumed only the last session's time is known."],
        )


def _player(run: Run, found: Any) -> str:
    return f"{found.match}: {found.player}" if len(run.matches) > 1 else found.player
