"""A field: the same players in one round robin per rule set, rated and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments import plotting, tabular
from experiments.matches.schedule import label
from experiments.palette import say
from experiments.runs.summary import meetings
from experiments.stats.comparisons import holm
from experiments.stats.intervals import Estimate
from experiments.tables.measured import Measured, simulations_of
from experiments.tables.schema import PRESET, Entrant, Table
from experiments.tabular import Column, Field, view

OURS = "ours"
_RULES = {
    "ferrari2009": "Ferrari & Cai 2009",
    "cai2006": "Cai & Ferrari 2006",
    "ledford, exact posterior": "Ledford 2018",
}
"""Rules in words, for a picture."""
ORIGINS = {
    "bn": "Cai & Ferrari 2006",
    "csp": "Cai & Ferrari 2008",
    "neural": "Cai & Ferrari 2008",
    "hunter": "Ferrari & Cai 2009",
    "entropy": "Xu 2013",
    "heuristic": "Ledford 2018",
}
"""The paper of a player, by preset; other players are `OURS`.

The draft of 2013 gives only the idea of its player (`docs/players/entropy.md`).
"""

Difference = tuple[Estimate, float]
"""Difference in share of common games won, and Holm's p value."""


@dataclass(frozen=True)
class Standing:
    """A player in one round robin.

    Attributes
    variant : name of the round robin in the table
    origin : the paper of the player, or `OURS`
    elo : rating, with mean 0 over the players; None without a rating
    games : number of games played
    won, parity : its share of games won, and that of identical players
    wrongly : number of games with a wrong accusation of its own
    against : differences by control, None from itself; Holm's correction covers all differences
        of the table from the same control
    """

    variant: str
    player: str
    origin: str
    elo: Estimate | None
    games: int
    won: Estimate
    parity: float
    wrongly: int
    against: Mapping[str, Difference]


def standings(table: Table, run: Measured) -> dict[str, list[Standing]]:
    """Return the players of each round robin with games by variant, highest rating first."""
    variants = {
        match.name: cell.variant
        for cell, match in zip(table.cells, run.played.matches, strict=True)
    }
    entrants = map(Entrant.read, table.players)
    origins = {entrant.label: ORIGINS.get(entrant.preset, OURS) for entrant in entrants}
    rated = {(one["match"], one["player"]): one for one in run.summary.ratings}
    against = {control: _differences(control, run) for control in table.controls}
    found: dict[str, list[Standing]] = {}
    for line in run.summary.lines:
        who = line.match, line.player
        elo = rated.get(who)
        standing = Standing(
            variant=variants[line.match],
            player=line.player,
            origin=origins[line.player],
            elo=Estimate(elo["elo"], elo["low"], elo["high"]) if elo else None,
            games=line.games,
            won=line.rate,
            parity=line.parity,
            wrongly=line.accused_wrongly,
            against={control: their[who] for control, their in against.items() if who in their},
        )
        found.setdefault(standing.variant, []).append(standing)
    for players in found.values():
        players.sort(key=lambda one: -(one.elo or one.won).value)
    return found


def _differences(control: str, run: Measured) -> dict[tuple[str, str], Difference]:
    """Return the other players' differences from ``control`` by match and player."""
    pairs = [
        (match, pair)
        for match, pair in meetings(run.played)
        if control in (pair.first, pair.second)
    ]
    adjusted = holm(np.array([pair.p for _, pair in pairs]))
    found = {}
    for (match, pair), p in zip(pairs, adjusted.tolist(), strict=True):
        less, first = pair.difference, pair.first == control
        player = pair.second if first else pair.first
        found[match, player] = less if first else Estimate(-less.value, -less.high, -less.low), p
    return found


def make(title: str, table: Table, run: Measured) -> tuple[tabular.Table, list[dict[str, Any]]]:
    """Return the table under ``title``, and the rows and columns of its CSV."""
    lines = [line for players in standings(table, run).values() for line in players]
    fields = [
        Field("variant", tabular.words("rules"), "rules"),
        Field("player", tabular.words("player"), "player"),
        Field("origin", tabular.words("from"), "from"),
        Field(
            "elo",
            Column("Elo, 95 %", lambda of: f"{of.value:+.0f} ({of.low:+.0f} to {of.high:+.0f})"),
            "elo",
            "_",
        ),
        Field("games", tabular.count("games"), "games"),
        Field("won", Column("games won, 95 %"), "won", "_"),
        Field("parity", tabular.percent("parity"), "parity"),
        Field("wrongly", tabular.count("accused wrongly"), "accused_wrongly"),
    ]
    for control in table.controls:
        column = Column(f"minus {control}, same tables; p", lambda of: f"{of[0]}; {of[1]:.2g}")
        fields += [
            Field(partial(_against, control), column),
            Field(partial(_against, control, part=0), csv=f"less_{control}", bounds="_"),
            Field(partial(_against, control, part=1), csv=f"less_{control}_p_holm"),
        ]
    return view(title, lines, fields, list(_notes(table, run, lines)))


def _against(control: str, line: Standing, part: int | None = None) -> Any:
    """Return difference and p from ``control``, or one ``part`` of the two; None from itself."""
    found = line.against.get(control)
    return found if found is None or part is None else found[part]


def _notes(table: Table, run: Measured, lines: Sequence[Standing]) -> Iterator[str]:
    if any(line.elo is None for line in lines):
        yield "Ratings need a decided game of each player."
    yield (
        "Elo is of Plackett and Luce's model: a seat wins with a chance in proportion to "
        "10^(Elo / 400). The mean of the players is 0; intervals are of a bootstrap over games."
    )
    if table.controls:
        yield (
            "A difference is in games won, over those in which both sat; p is of the score test of "
            "the interval, with Holm's correction over its column."
        )
    if table.simulations is not None:
        match = run.played.matches[0]
        names = [label(entrant) for entrant in match.entrants if "search" in entrant]
        model = f"{table.model} as the model of all others"
        if table.model == PRESET:
            model = "the model of the others that the preset has"
        simulations = f"{simulations_of(match):,} simulations per decision"
        yield f"{' and '.join(names)}: {simulations}, with {model}."


def draw(fields: Mapping[str, Sequence[Standing]], path: Path) -> None:
    """Draw the players' Elo to ``path``, a panel per round robin.

    Players are in order of their mean Elo, with the paper they are from; the right of a panel has
    the shares of games won.  A round robin with an unrated player is left out; nothing is drawn if
    all are.
    """
    found = {
        variant: {line.player: line for line in lines}
        for variant, lines in fields.items()
        if all(line.elo for line in lines)
    }
    if not found:
        return
    robins = list(found.values())
    means = {who: sum(elo.value for of in robins if (elo := of[who].elo)) for who in robins[0]}
    order = sorted(means, key=lambda who: means[who])
    games = max(line.games for of in robins for line in of.values())
    title = f"Elo of {len(order)} players in round robins of up to {games:,} games each, 95 %"
    size = (plotting.WIDTH, 1.2 + 0.29 * len(order))
    shared = {"sharex": True, "sharey": True}
    with plotting.picture(path, title, size, columns=len(found), **shared) as (_, (all_,)):
        for axes, (variant, lines) in zip(all_, found.items(), strict=True):
            plotting.reference_line(axes, 0, upright=True)
            edge = axes.get_yaxis_transform()
            for place, who in enumerate(order):
                known = [one for one in (lines[who].elo,) if one]
                plotting.intervals(axes, [place], known, who, across=True, capsize=0, elinewidth=2)
                share = f"{lines[who].won.value:.0%}"
                axes.text(1.26, place, share, transform=edge, va="center", ha="right")
            axes.text(1.26, len(order) - 0.3, "wins", transform=edge, va="center", ha="right")
            parity = f"even share: {lines[order[0]].parity:.0%}"
            axes.set_title(f"{_RULES.get(variant, variant)}\n{parity}", loc="left", fontsize=8.5)
            axes.set(xlabel="Elo (mean: 0)", ylim=(-0.6, len(order) - 0.4))
            axes.grid(axis="x")
        papers = [robins[0][who].origin for who in order]
        names = [f"{say(who)} ({from_})" for who, from_ in zip(order, papers, strict=True)]
        all_[0].set_yticks(range(len(order)), names)
