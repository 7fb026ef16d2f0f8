"""Tables IV and V of [Ferrari & Cai 2009], and our matches."""

from __future__ import annotations

from experiments.tables import figures as of
from experiments.tables.causes import Cause
from experiments.tables.figures import Figure, Quantity
from experiments.tables.networks import ABOUT, EVIDENCE, PUBLISHED, SOURCES, by_evidence
from experiments.tables.rows import Paper, Row

P = ("p1", "p2", "p3")

ROOM_TURNS = Quantity("own turns to determine the room card, mean", lambda *_: None)


def _four() -> list[Row]:
    cells = by_evidence("bn against 2 bn", "bn")
    rows = [
        Row(f"{player} of 3 BN", of.WON_BEHIND[place], cells, {PUBLISHED: Figure.counted(wins, 50)})
        for place, (player, wins) in enumerate(zip(P, (15, 18, 17), strict=True))
    ]
    rows.append(Row("p1 of 3 BN", of.WRONGLY, cells))
    return rows + [
        Row(
            f"{player} of 3 ID",
            of.WON,
            {},
            {PUBLISHED: Figure.counted(wins, 50)},
            notes=("hunter",),
        )
        for player, wins in zip(P, (16, 16, 18), strict=True)
    ]


BACK, THIRD = "back and forth", "third seat"
READINGS = {
    "": "all seats",
    "first seat": "first seat",
    THIRD: "third seat",
    "out and in": "all seats, BN out and in again",
    BACK: "all seats, CS back and forth",
}
"""How Table V is read: behind the name of a variant, and in words."""

_TURNS = ((13.3, 12.5, 13.2), (13.7, 12.5, 13.2))
"""Own turns to determine the room card, and to win, of p1, p2 and p3."""


def _causes(place: int, reading: str) -> dict[str, dict[str, int]]:
    """Return the causes of games won by the player at ``place``, by column; 0 is BN."""
    bn = 1 if place == 0 else -1
    causes = {"walk": -bn if reading == BACK else bn}
    if reading == THIRD and place:
        causes["seat"] = -1 if place == 1 else 1
    return {
        column: {"text": -bn, **causes} if column == EVIDENCE["text"] else causes
        for column in EVIDENCE.values()
    }


def _five() -> list[Row]:
    rows, room, win = [], *_TURNS
    longer = {"doors": -1, "accuses": -1}
    for reading, words in READINGS.items():
        cells = by_evidence("bn against 2 csp", "bn", reading)
        names = (f"BN, p1, {words}", "CS, p2, at that table", "CS, p3, at that table")
        for place, (name, wins) in enumerate(zip(names, (64, 22, 14), strict=True)):
            figure = {PUBLISHED: Figure.counted(wins, 100)}
            rows.append(Row(name, of.WON_BEHIND[place], cells, figure, _causes(place, reading)))
        rows.append(Row(names[0], of.WRONGLY, cells))
        if reading in ("", BACK):
            turns = {"walk": 1 if reading else -1, **longer}
            rows += [
                Row(
                    name,
                    of.OWN_TURNS[place],
                    cells,
                    {PUBLISHED: Figure(win[place])},
                    dict.fromkeys(EVIDENCE.values(), turns),
                )
                for place, name in enumerate(names)
            ]
        if not reading:
            rows += [
                Row(name, ROOM_TURNS, {}, {PUBLISHED: Figure(turns)}, notes=("room",))
                for name, turns in zip(names, room, strict=True)
            ]
    return rows


_SWITCHED = (
    "Tested, 600 games of repaired tables, seed 4245, where BN's turns are 10.8 (10.4 to 11.2)"
)

CAUSES = {
    "text": Cause(
        "By the text the tables run to false certainty (`docs/players/bn.md`): BN accuses wrongly "
        "and is out, or goes on with the true card excluded. Tested by the columns beside it."
    ),
    "walk": Cause(
        "CS walks to the nearest room, as the text of 2009 has it, or back and forth between "
        "neighbours, as that of 2008. Tested by the last lines: back and forth it wins more, and "
        "games take longer."
    ),
    "seat": Cause(
        "With BN in the third seat p2 moves first and p3 second, each with its own hand. Tested by "
        "the lines of all seats."
    ),
    "doors": Cause(
        "A room is left by any door here. "
        f"{_SWITCHED}: by the door of entry alone (`rules.doors=entry`) they are 11.9 (11.5 to "
        "12.4), those of CS 11.4 (10.6 to 12.3) instead of 10.7 (10.0 to 11.4)."
    ),
    "accuses": Cause(
        "Who knows enough accuses in the same turn. "
        f"{_SWITCHED}: at the start of a turn alone (`rules.accuse=start`) they are 11.9 (11.6 to "
        "12.3), those of CS 10.9 (10.1 to 11.7). Pawns that stay (`rules.summons=false`) make less "
        "of a difference, 11.3 (10.9 to 11.7), and pawns in the way (`rules.blocking=true`) none. "
        "Doors of entry, accusations at the start of a turn and CS back and forth together: 13.4 "
        "(12.7 to 14.1) and 12.8 (11.6 to 13.9), where BN wins 70.0 % (66.2 to 73.5)."
    ),
    "hunter": Cause("The player of the influence diagram is not among ours."),
    "room": Cause("Not measured: the rows of a game do not hold what its players believe."),
}
"""By key, in no order: a table numbers those that it has."""

ROWS = {"ferrari_4": _four(), "ferrari_5": _five()}
"""By table, its lines."""

PAPER = Paper(
    sources=SOURCES,
    about=ABOUT,
    causes=CAUSES,
    rows=ROWS,
)
