"""Parts of a report made from details and times: knowledge over a game, and speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.report import plots
from experiments.report.page import Block, Picture
from experiments.report.run import Run
from experiments.runs.figures import Moment
from experiments.runs.turns import LEAST, bits, well_sampled
from experiments.tabular import Column, Table, count, mean, words

_MOMENTS = 8
"""Rows of a table by turn."""

_TWO_DIGITS = mean("", 2).write


def knowledge(run: Run, prefix: str) -> Iterator[Block]:
    """Yield tables and pictures of what suggesters learn and planners know; none without rows."""
    if run.suggestion_stats:
        yield _suggestions(run)
    curves = {(asked.match, asked.player): asked.by_turn for asked in run.suggestion_stats}
    for at, (when, found) in enumerate(
        (("after a suggestion", curves), ("before a decision", run.envelopes))
    ):
        for number_, match in enumerate(run.matches):
            players = {
                player: shown
                for (name, player), moments in found.items()
                if name == match.name and (shown := well_sampled(moments))
            }
            if players:
                title = f"Entropy of the envelope {when}, bits: {match.name}"
                yield _by_turn(title, players)
                drawing = plots.entropy(players, when, f"{prefix}bits{at}-{number_}")
                yield Picture(title, drawing)


def _suggestions(run: Run) -> Table:
    bits_learnt = ("bits learnt", "mean of games", "of envelope", "cards known", "of them own")
    return Table(
        "What a suggestion brings, 95 % by game",
        ("", count("games"), count("suggestions"), *(mean(title, 2) for title in bits_learnt)),
        [
            [
                _player(run, asked.match, asked.player),
                asked.games,
                asked.suggestions,
                asked.decrease,
                asked.game_decrease,
                asked.envelope_decrease,
                asked.known,
                asked.own,
            ]
            for asked in run.suggestion_stats
        ],
        [
            "Bits learnt are those that the factored belief of the thesis loses, of all cards; of "
            "the envelope, those of the exact posterior. Cards known are those of the three named "
            "that the suggester knew before."
        ],
    )


def _by_turn(title: str, players: Mapping[str, Sequence[Moment]]) -> Table:
    there = sorted({moment.turn for found in players.values() for moment in found})
    chosen = [there[at] for at in np.unique(np.linspace(0, len(there) - 1, _MOMENTS).astype(int))]
    at = {player: {moment.turn: moment for moment in found} for player, found in players.items()}
    return Table(
        title,
        ("turn", *(Column(player, _bits) for player in players)),
        [[str(turn), *(at[player].get(turn) for player in players)] for turn in chosen],
        [
            "Means with 95 % over the games that were still going on and in which the player had "
            f"this turn; their number is in brackets, {LEAST} at least. Games that last are not "
            "the average ones."
        ],
    )


def _bits(moment: Moment) -> str:
    return f"{_TWO_DIGITS(bits(moment))} [{moment.games:,}]"


def speed(run: Run) -> Iterator[Block]:
    """Yield what was searched, how fast, and how long the run took."""
    searched = [line for line in run.figures["table"] if line["decisions"]]
    if searched:
        yield Table(
            "Searching",
            (
                "",
                count("decisions"),
                count("simulations"),
                mean("simulations a second", 0),
                mean("a decision"),
                mean("ms a decision"),
            ),
            [
                [
                    _player(run, line["match"], line["player"]),
                    line["decisions"],
                    line["simulations"],
                    line["simulations_per_second"],
                    line["simulations"] / line["decisions"],
                    _milliseconds(line),
                ]
                for line in searched
            ],
            ["A second is one of searching; several games search at the same time."],
        )
    if run.decision_stats:
        columns = ("", count("games"), mean("simulations"), mean("seconds", 4), words("kinds"))
        yield Table(
            "Decisions searched for, means with 95 % by game",
            columns,
            [
                [
                    _player(run, made.match, made.player),
                    made.games,
                    made.simulations,
                    made.seconds,
                    ", ".join(f"{often:,} {kind}" for kind, often in sorted(made.kinds.items())),
                ]
                for made in run.decision_stats
            ],
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


def _player(run: Run, match: str, player: str) -> str:
    return f"{match}: {player}" if len(run.matches) > 1 else player


def _milliseconds(line: dict[str, Any]) -> float | None:
    """Return the mean time of a decision, from what a second of searching brought."""
    rate = line["simulations_per_second"]
    return 1000 * line["simulations"] / rate / line["decisions"] if rate else None
