"""Table I of [Cai & Ferrari 2006] and Tables II to IV of [Cai & Ferrari 2008], and our matches.

With people at the table a line is reference only; below it stands the nearest company without
people, of which nothing was published.
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.tables import figures as of
from experiments.tables.figures import Figure
from experiments.tables.networks import ABOUT, EVIDENCE, PUBLISHED, SOURCES, by_evidence
from experiments.tables.rows import Cause, Paper, Row

_Reading = tuple[str, str, tuple[str, ...]]
_Cells = dict[str, tuple[str, str]]
ALL = "all seats", "", tuple(EVIDENCE)
FIRST = "first seat", "first seat", tuple(EVIDENCE)
FIRST_BY_TEXT = "first seat", "first seat", ("text",)
FIRST_BY_TABLES = "first seat", "first seat", ("text", "repaired")
NEAREST = "all seats, CSP to the nearest room", "nearest room", ("text", "repaired")
NEAREST_REPAIRED = NEAREST[0], NEAREST[1], ("repaired",)
DIVIDED = "all seats, distances / 24", "distances / 24", ("repaired",)
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


def _causes(opponent: str, who: str, reading: str) -> dict[str, dict[str, int]]:
    """Return the causes of games won by ``who`` at the table of the neural player, by column."""
    side = -1 if who == "neural" else 1
    causes = {}
    if opponent == "bn" and who != "random":
        causes = {"seat": side, "weights": side}
    if reading == DIVIDED[1]:
        causes.pop("weights", None)
    if reading == FIRST[1]:
        causes.pop("seat", None)
    misled = opponent == "csp" or who == "random"  # of two who believe the same tables, both are
    return {
        column: {"text": side, **causes} if misled and kind == "text" else causes
        for kind, column in EVIDENCE.items()
    }


def _neural(opponent: str, wins: int, readings: Sequence[_Reading]) -> list[Row]:
    """Return the lines of the neural player with ``opponent`` and random, and of its control.

    It won ``wins`` of 20 published games, the opponent the rest.
    """
    called, games = opponent.upper(), 20
    company = f"{opponent} and random"
    rows = []
    for words, reading, evidence in readings:

        def cells(match: str, player: str, how: tuple = (reading, evidence)) -> _Cells:
            return by_evidence(f"{match} against {company}", player, *how)

        setup = f"with {called} and random, {words}"
        winners = (
            (f"NN, {setup}", "neural", wins),
            (f"{called} at that table", opponent, games - wins),
            ("random at that table", "random", 0),
        )
        rows += [
            Row(
                told,
                of.WON,
                cells("neural", who),
                {PUBLISHED: Figure.counted(won, games)},
                _causes(opponent, who, reading),
            )
            for told, who, won in winners
        ]
        own, control = cells("neural", "neural"), cells("control", "control")
        pairs = {column: (match, control[column][0]) for column, (match, _) in own.items()}
        rows += [
            Row(f"NN, {setup}", of.WRONGLY, own),
            Row(f"control of NN, Q = 0, {setup}", of.WON, control),
            Row(f"control of NN, Q = 0, {setup}", of.WRONGLY, control),
            Row(f"NN, {setup}", of.GAINED, pairs),
        ]
    return rows


CAUSES = {
    "text": Cause(
        "By the text the tables run to false certainty (`docs/players/bn.md`): who believes them "
        "accuses wrongly and is out, or goes on with the true card excluded. Tested by the columns "
        "beside it."
    ),
    "seat": Cause(
        "The player of the paper has the first seat and the hand 2-2-2. Tested by the lines of the "
        "first seat, where it wins more."
    ),
    "weights": Cause(
        "By the printed weights two steps outweigh all that Q can say (`docs/players/neural.md`). "
        "Tested by the lines with distances / 24, where it wins more, as its control does."
    ),
    "people": Cause(
        "People sat at the table: reference only, no figure of ours stands beside it until people "
        "play here."
    ),
}
"""By key, in no order: a table numbers those that it has."""

ROWS = {
    "cai_1": _one(),
    "cai_2": _two(),
    "cai_3": _neural("csp", 15, (ALL, FIRST_BY_TEXT, NEAREST_REPAIRED)),
    "cai_4": _neural("bn", 12, (ALL, FIRST_BY_TABLES, DIVIDED)),
}
"""By table, its lines."""

PAPER = Paper(sources=SOURCES, about=ABOUT, causes=CAUSES, rows=ROWS)
