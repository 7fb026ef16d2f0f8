"""Table I of [Cai & Ferrari 2006] and Tables II to IV of [Cai & Ferrari 2008], and our matches.

With people at the table a line is reference only; below it stands the nearest company without
people, of which nothing was published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.tables import figures as of
from experiments.tables.causes import Cause
from experiments.tables.figures import Figure
from experiments.tables.networks import ABOUT, EVIDENCE, PUBLISHED, SOURCES, by_evidence
from experiments.tables.rows import Paper, Row

_Reading = tuple[str, str, tuple[str, ...]]
ALL = "all seats", "", tuple(EVIDENCE)
FIRST = "first seat", "first seat", tuple(EVIDENCE)
FIRST_BY_TABLES = "first seat", "first seat", ("text", "repaired")
NEAREST = "all seats, CSP to the nearest room", "nearest room", ("text", "repaired")
"""Readings of the papers: in words, behind the name of a variant, with what evidence it is played.
Their own player has the first seat."""


def _people(setup: str, wins: int, games: int) -> Row:
    return Row(setup, of.WON, {}, {PUBLISHED: Figure.counted(wins, games)}, notes=("people",))


def _one() -> list[Row]:
    rows = [
        _people(f"{who} at the table of BN, tester {tester} and random", wins, games)
        for tester, games, bn, human in ((1, 14, 5, 9), (2, 12, 8, 4))
        for who, wins in (("BN", bn), (f"tester {tester}", human))
    ]
    for words, reading, evidence in (ALL, FIRST):
        cells = by_evidence("bn against 2 random", "bn", reading, evidence)
        rows += [
            Row(f"BN against 2 random, {words}", quantity, cells)
            for quantity in (of.WON, of.WRONGLY, of.OWN_TURNS[0])
        ]
    return rows


def _two() -> list[Row]:
    people = (("BN", 9), ("human", 11), ("CSP", 5))
    rows = [_people(f"{who} at the table of BN, human and CSP", wins, 25) for who, wins in people]
    for words, reading, evidence in (ALL, FIRST, NEAREST):
        match, setup = "bn against csp and random", f"BN with CSP and random, {words}"
        own = by_evidence(match, "bn", reading, evidence)
        csp = by_evidence(match, "csp", reading, evidence)
        rows += [
            Row(setup, of.WON, own),
            Row("CSP at that table", of.WON, csp),
            Row(setup, of.WRONGLY, own),
        ]
    return rows


@dataclass(frozen=True)
class _Player:
    """A player of the neural tables, by its label; ``control`` is the label of its own."""

    label: str
    words: str
    control: str | None = None


_NEURAL = _Player("neural", "NN", "control")
_WITH_CONTROL = (_NEURAL, _Player("control", "control of NN, Q = 0"))
_FOUR = (
    *_WITH_CONTROL,
    _Player("neural24", "NN, distances / 24", "control24"),
    _Player("control24", "control of NN, Q = 0, distances / 24"),
)


def _neural(
    opponent: str, wins: int, players: Sequence[_Player], readings: Sequence[_Reading]
) -> list[Row]:
    """Return the lines of the neural player with ``opponent`` and random.

    It won ``wins`` of 20 published games, the opponent the rest.
    """
    called, games, rows = opponent.upper(), 20, []
    for words, reading, evidence in readings:
        for player in players:
            match = f"{player.label} against {opponent} and random"
            setup = f"{player.words}, with {called} and random, {words}"
            own = by_evidence(match, player.label, reading, evidence)
            if player is _NEURAL:
                winners = {
                    player.label: (setup, wins),
                    opponent: (f"{called} at that table", games - wins),
                    "random": ("random at that table", 0),
                }
                rows += [
                    Row(
                        told,
                        of.WON,
                        by_evidence(match, who, reading, evidence),
                        {PUBLISHED: Figure.counted(won, games)},
                    )
                    for who, (told, won) in winners.items()
                ]
            else:
                rows.append(Row(setup, of.WON, own))
            rows.append(Row(setup, of.WRONGLY, own))
            if player.control:
                control = match.replace(player.label, player.control, 1)
                pairs = {
                    column: (name, name.replace(match, control))
                    for column, (name, _) in own.items()
                }
                rows.append(Row(setup, of.GAINED, pairs))
    return rows


CAUSES = {
    "people": Cause(
        "People sat at the table: reference only, no figure of ours stands beside it until people "
        "play here."
    ),
}
"""By key, in no order: a table numbers those that it has."""

ROWS = {
    "cai_1": _one(),
    "cai_2": _two(),
    "cai_3": _neural("csp", 15, _WITH_CONTROL, (ALL, FIRST_BY_TABLES, NEAREST)),
    "cai_4": _neural("bn", 12, _FOUR, (ALL, FIRST_BY_TABLES)),
}
"""By table, its lines."""

PAPER = Paper(sources=SOURCES, about=ABOUT, causes=CAUSES, rows=ROWS)
