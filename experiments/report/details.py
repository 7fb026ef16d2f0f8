"""What a report tells from details and times: what players know over a game, and how fast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from experiments.report import plots
from experiments.report.page import Block, Picture, Table
from experiments.report.run import Run
from experiments.report.text import NONE, number, spread
from experiments.runs.figures import Moment
from experiments.runs.turns import LEAST, bits, telling

_MOMENTS = 8
"""Rows of a table by turn."""


def knowledge(run: Run, prefix: str) -> Iterator[Block]:
    """Yield tables and pictures of what suggesters learn and planners know; none without rows."""
    if run.suggestion_stats:
        yield _suggestions(run)
    curves = {(each.match, each.player): each.by_turn for each in run.suggestion_stats}
    for at, (when, found) in enumerate(
        (("after a suggestion", curves), ("before a decision", run.envelopes))
    ):
        for number_, match in enumerate(run.matches):
            players = {
                player: shown
                for (name, player), moments in found.items()
                if name == match.name and (shown := telling(moments))
            }
            if players:
                title = f"Entropy of the envelope {when}, bits: {match.name}"
                yield _by_turn(title, players)
                drawing = plots.entropy(players, when, f"{prefix}bits{at}-{number_}")
                yield Picture(title, drawing)


def _suggestions(run: Run) -> Table:
    columns = ("", "games", "suggestions", "bits learnt", "mean of games", "of envelope")
    return Table(
        "What a suggestion brings, 95 % by game",
        (*columns, "cards known", "of them own"),
        [
            [
                _player(run, each.match, each.player),
                f"{each.games:,}",
                f"{each.suggestions:,}",
                spread(each.decrease, 2),
                spread(each.game_decrease, 2),
                spread(each.envelope_decrease, 2),
                spread(each.known, 2),
                spread(each.own, 2),
            ]
            for each in run.suggestion_stats
        ],
        note="Bits learnt are those that the factored belief of the thesis loses, of all cards; of "
        "the envelope, those of the exact posterior. Cards known are those of the three named that "
        "the suggester knew before.",
    )


def _by_turn(title: str, players: dict[str, Sequence[Moment]]) -> Table:
    there = sorted({each.turn for found in players.values() for each in found})
    chosen = [there[at] for at in np.unique(np.linspace(0, len(there) - 1, _MOMENTS).astype(int))]
    at = {player: {each.turn: each for each in found} for player, found in players.items()}
    return Table(
        title,
        ("turn", *players),
        [[str(turn), *(_bits(at[player].get(turn)) for player in players)] for turn in chosen],
        note="Means with 95 % over the games that were still going on and in which the player had "
        f"this turn; their number is in brackets, {LEAST} at least. Games that last are not the "
        "average ones.",
    )


def _bits(moment: Moment | None) -> str:
    return NONE if moment is None else f"{spread(bits(moment), 2)} [{moment.games:,}]"


def speed(run: Run) -> Iterator[Block]:
    """Yield what was searched, how fast, and how long the run took."""
    searched = [line for line in run.figures["table"] if line["decisions"]]
    if searched:
        columns = (
            "",
            "decisions",
            "simulations",
            "simulations a second",
            "a decision",
            "ms a decision",
        )
        yield Table(
            "Searching",
            columns,
            [
                [
                    _player(run, line["match"], line["player"]),
                    f"{line['decisions']:,}",
                    f"{line['simulations']:,}",
                    _whole(line["simulations_per_second"]),
                    number(line["simulations"] / line["decisions"]),
                    number(_milliseconds(line)),
                ]
                for line in searched
            ],
            note="A second is one of searching; several games search at the same time.",
        )
    if run.decision_stats:
        yield Table(
            "Decisions searched for, means with 95 % by game",
            ("", "games", "simulations", "seconds", "kinds"),
            [
                [
                    _player(run, each.match, each.player),
                    f"{each.games:,}",
                    spread(each.simulations),
                    spread(each.seconds, 4),
                    ", ".join(f"{count:,} {kind}" for kind, count in sorted(each.kinds.items())),
                ]
                for each in run.decision_stats
            ],
            words=("kinds",),
        )
    if run.summary is not None:
        pace = run.pace
        games, seconds = f"{run.played.games:,}", number(run.summary["seconds"])
        yield Table(
            "The run",
            ("", "games", "seconds", "games a second"),
            [["set-up included" if pace else "last session", games, seconds, number(pace)]],
            note="" if pace else "Of a run that is resumed only the last session's time is known.",
        )


def _player(run: Run, match: str, player: str) -> str:
    return f"{match}: {player}" if len(run.matches) > 1 else player


def _whole(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def _milliseconds(line: dict[str, Any]) -> float | None:
    """Return the mean time of a decision, from what a second of searching brought."""
    rate = line["simulations_per_second"]
    return 1000 * line["simulations"] / rate / line["decisions"] if rate else None
