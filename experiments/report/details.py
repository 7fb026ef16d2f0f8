"""Parts of a report made from details and times: knowledge over a game, and speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from experiments.report import plots
from experiments.report.page import Block, Picture
from experiments.report.run import Run
from experiments.runs.figures import Deciding, Moment
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
                (words("kinds"), _list_kinds),
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
    """Return the player of figures, with its match where there are several."""
    return f"{found.match}: {found.player}" if len(run.matches) > 1 else found.player


def _list_kinds(made: Deciding) -> str:
    return ", ".join(f"{often:,} {kind}" for kind, often in sorted(made.kinds.items()))
