"""The sections of a report on one run: every figure of its summary, and more from its rows."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.report import plots
from experiments.report.details import knowledge, speed
from experiments.report.page import Block, Folded, Picture, Section, Text
from experiments.report.run import Run
from experiments.runs.published import Published, find_for
from experiments.runs.summary import Line
from experiments.runs.turns import Ends
from experiments.stats.comparisons import ONE_TEST
from experiments.stats.intervals import Estimate
from experiments.tabular import Table, count, mean, p_value, percent, words

_SPANS = 8
"""Rows of a table by turn."""
_PICTURED = 12
"""Matches of a run that are drawn; the tables hold all."""


def lead(run: Run) -> list[str]:
    """Return what came out, a sentence for each line of a short table."""
    lines = run.figures.lines
    if len(lines) > 4:
        return []
    return [_sentence(run.name_of(line), line) for line in lines]


def sections(run: Run, prefix: str) -> list[Section]:
    """Return the sections with figures; none before the first game has been written down.

    ``prefix``: of the ids of its pictures.
    """
    if not run.played.games:
        return []
    made = (
        ("Results", _results(run, prefix)),
        ("Who is better", _better(run, prefix)),
        ("By seat", _by_seat(run, prefix)),
        ("By turn", _by_turn(run, prefix)),
        ("What players know", knowledge(run, prefix)),
        ("Speed", speed(run)),
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
            (count("nobody won"), "draws"),
            (mean("turns"), "turns_mean"),
            (mean("suggestions"), "suggestions_mean"),
            (count("accused wrongly"), "accused_wrongly"),
        ),
        [
            "Turns and suggestions are those of all players together, a game; parity is what "
            "identical players would win."
        ],
    )
    beside = {match.name: found for match in run.matches if (found := find_for(match)) is not None}
    if beside:
        yield _tabulate_published(run, beside)
    drawn = [(run.name_of(line), line.rate, line.parity) for line in run.figures.lines]
    theirs = {run.name_of(line): beside[line.match] for line in lines if line.match in beside}
    yield Picture("Win rates", plots.rates(drawn, theirs, f"{prefix}rates"))
    for at, (match, tally) in enumerate(run.played.pairs()):
        if match.measured is None or not tally.games or at >= _PICTURED:
            continue
        won = match.wins_of(tally.winner(), 0)[tally.numbers]
        parity, name = match.seats / match.players, match.name
        drawing = plots.convergence(won, parity, run.stop, name, f"{prefix}games{at}")
        yield Picture(f"Over the games: {name}", drawing)


def _tabulate_published(run: Run, beside: dict[str, Published]) -> Table:
    rows = []
    for line in run.figures.lines:
        if line.match in beside:
            found, rate = beside[line.match], line.rate
            theirs = found.rate
            apart = rate.low > theirs.high or rate.high < theirs.low
            won = f"{found.wins:,} of {found.games:,}"
            overlap = "no" if apart else "yes"
            rows.append([run.name_of(line), rate, theirs, won, overlap, found.source])
    columns = ("", "here", "published", "won", "intervals overlap", words("source"))
    return Table("Beside published results", columns, rows)


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
                "made. None after a sequential test, whose verdict stands instead."
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
        yield Picture(title, plots.elo(ratings, f"{prefix}elo{number}"))
    for test in run.figures.tests:
        yield Text(f"Sequential test {run.about['stop']}: {test['verdict']}.")


def _by_seat(run: Run, prefix: str) -> Iterator[Block]:
    seats = max(match.players for match in run.matches)
    rows, pictures = [], []
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
            drawing = plots.seats(found, 1 / match.players, f"{prefix}seats{at}")
            pictures.append(Picture(match.name, drawing))
    columns = ("", *(f"seat {seat}" for seat in range(seats)))
    yield Table("Win rate by seat, counted from 0, 95 %; wins and games", columns, rows)
    yield from pictures


def _by_turn(run: Run, prefix: str) -> Iterator[Block]:
    pictures = []
    for at, match in enumerate(run.matches):
        players = {
            line.player: run.ends[match.name, line.player]
            for line in run.figures.lines
            if line.match == match.name
        }
        for player, ends in players.items():
            title = f"{match.name}, {player}" if len(players) > 1 else match.name
            yield _spans(run, title, ends)
        if players and at < _PICTURED:
            drawing = plots.wins_over_turns(players, run.stop, f"{prefix}turns{at}")
            pictures.append(Picture(f"Games won by turn: {match.name}", drawing))
    yield from pictures
    if run.game_lengths:
        yield _lengths(run)


def _spans(run: Run, title: str, ends: Ends) -> Table | Folded:
    rows, over, won, rate = [], 0, 0, run.stop.win_rate
    for span in ends.spans(_SPANS):
        games, wins = int(ends.games[span].sum()), int(ends.wins[span].sum())
        over, won = over + games, won + wins
        first, last = ends.turns[span][0], ends.turns[span][-1]
        turns = f"{first}" if first == last else f"{first} to {last}"
        rates = rate(wins, games), rate(won, ends.total)
        rows.append([turns, games, over / ends.total, wins, *rates])
    columns = (
        "games that ended in turn",
        count("games"),
        percent("over by then"),
        count("won"),
        "win rate in them, 95 %",
        "all games won by then, 95 %",
    )
    table = Table(title, columns, rows)
    return Folded(table) if len(run.figures.table) > 4 else table


def _lengths(run: Run) -> Table:
    return Table.of(
        "Length of games, means and median with 95 %",
        run.game_lengths,
        (
            ("", "match"),
            (count("games"), "games"),
            (count("nobody won"), "undecided"),
            (mean("turns"), "turns"),
            (mean("median"), "median_turns"),
            (count("least"), "least_turns"),
            (count("most"), "most_turns"),
            (mean("suggestions"), "suggestions"),
        ),
    )
