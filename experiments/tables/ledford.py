"""The tables of [Ledford 2018, ch. 4], what was published for them, and our matches.

Three sources stand side by side.  The *text* is the thesis: a draft whose tables have empty cells,
and where it differs the final text.  The *program* is the one released with it, its logs counted
again (repeated games once), or run again.  *Ours* are the planners by the text (``_faithful``), and
``best``, which is a BMCTS with everything set as we think best and stands for no agent of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from experiments.tables import figures as of
from experiments.tables.cells import Cell, Table
from experiments.tables.figures import Figure, Quantity

OURS, STAY, FAITHFUL, BEST = "ours", "ours, pawns stay", "ours, by the text", "ours, best"
"""Columns of ours; under the second suggested pawns stay where they are, as in the program."""

PUBLISHED_SIMULATIONS, PUBLISHED_GAMES = 10_000, 2000
"""A decision, and a cell of Table 4.2, as published."""

CAUSES = {
    "again": "The program itself, run again over 3,000 games, does not give the figure of the "
    "text.",
    "draft": "The figure of the text is not in the logs released with it, of which the program's "
    "is counted.",
    "pawns": "The program never moves a suggested pawn; by the text it is moved, and whoever is "
    "moved may suggest there at once. With pawns that stay (`rules.summons=false`, "
    "`rules.doors=any`) most of the difference goes.",
    "stays": "The program never moves a suggested pawn; by the text it is moved, and whoever is "
    "moved may suggest there at once. What that is worth among policies: `ledford_4_1`.",
    "unexplained": "Not explained: suggested pawns make no difference to it, and an independent "
    "sketch of the game found 91.3 %.",
    "board": "The program's board differs (three of four start squares, missing walls at three "
    "corner doors, a room may be left and entered again in one turn), which may shorten walks.",
    "budget": "Ours has the budget named above; published are 10,000 iterations or 3.5 s a "
    "decision.",
    "seat": "While it plans, the program's agent always takes itself for the first player: in the "
    "other seats it plans as somebody else, against opponents who are handed its real hand.",
    "root": "The program does not carry the belief along in its tree: every node starts from the "
    "root's, and siblings share the opponents' notebooks.",
    "pay": "In the program's roll-outs an accusation wins half of the time, whatever its "
    "probability; ours pays the probability under the belief.",
    "types": "The program draws moves eight to nine times as often as other actions; the text "
    "draws the kinds uniformly.",
    "certainty": "The roll-outs by the text, with the belief of App. B, are hardly ever certain in "
    "time, so that accusing at once looks better than going on (`docs/status.md`).",
    "envelope": "The program draws the envelope of LD uniformly over the possible cards and tells "
    "nobody; by the text it comes from the belief, and the players know that they do not hold it.",
    "best": "No reproduction: `best` plans on the exact posterior, offers the most informative "
    "suggestions alone, reads what others suggest and rolls out by a stronger policy.",
    "other": "Probably the company: of games that a planner ends early the opponents have the "
    "first suggestions alone, which tell most.",
    "division": "The text's figures, 0 and 0.744, come from a division of integers; the program's "
    "is counted from its logs.",
    "length": "Whoever accuses early, rightly or wrongly, changes how long games last.",
    "cap": "Our games are drawn after 3,000 turns; the longest in the program's logs has 3,261.",
}
"""What makes figures differ, in words, by key."""


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes
    ----------
    setup : who plays whom
    quantity : what is told of it
    cells : by column of ours, name of the match and of the player in it
    text, program : what was published and counted again
    causes : by column, keys of `CAUSES` for where ours differs
    notes : keys of `CAUSES` that hold in any case
    """

    setup: str
    quantity: Quantity
    cells: Mapping[str, tuple[str, str]]
    text: Figure | None = None
    program: Figure | None = None
    causes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_AS_PROGRAM = ("rules.summons=false", "rules.doors=any")
_STAY = ", pawns stay"


def _policies() -> Iterator[Cell]:
    for player in ("random", "heuristic"):
        for other in ("random", "heuristic"):
            seats = (f"player={player}", f"player@opponent={other}")
            yield Cell(player, other, seats)
            yield Cell(player, other, (*seats, *_AS_PROGRAM), apart=_STAY)


_PLANNERS = ("bmcts_faithful", "ld_bmcts_faithful", "best")


def _planners() -> Iterator[Cell]:
    for player in _PLANNERS:
        for layout in ("one", "rest"):
            seats = (f"player={player}", "player@opponent=heuristic")
            yield Cell(player, "heuristic", seats, layout)
    seats = ("player=heuristic", "player@opponent=heuristic")
    yield Cell("heuristic", "heuristic", seats, budgets=())


def _among_policies(player: str, other: str) -> dict[str, tuple[str, str]]:
    name = f"{player} against 3 {other}"
    return {OURS: (name, player), STAY: (name + _STAY, player)}


def _table_1() -> list[Row]:
    again = {"program": Figure.counted(2597, 3000)}, {"program": Figure.counted(199, 3000)}
    known = {
        ("heuristic", "random"): ({"text": Figure(0.9475), **again[0]}, ("unexplained",) * 2),
        ("random", "heuristic"): ({"text": Figure(0.0225), **again[1]}, ("pawns", "board")),
    }
    rows = []
    for player in ("random", "heuristic"):
        for other in ("random", "heuristic"):
            figures, causes = known.get((player, other), ({}, ("board",) * 2))
            rows.append(
                Row(
                    f"1 {player.title()} against 3 {other.title()}",
                    of.WON,
                    _among_policies(player, other),
                    **figures,
                    causes={OURS: causes[:1], STAY: causes[1:]},
                    notes=("again",) if figures else (),
                )
            )
    return rows


def _text() -> list[Row]:
    cells = _among_policies("heuristic", "heuristic")
    causes = {OURS: ("pawns", "board"), STAY: ("board",)}
    heuristic = (
        (of.TURNS_WON, Figure(121)),
        (of.TURNS_WON_MEDIAN, Figure(123)),
        (of.ASKED_WON, Figure(29.7)),
        (of.ENDLESS, Figure(0.0074)),
        (of.TURNS, None),
        (of.TURNS_MEDIAN, None),
    )
    return [
        *(
            Row("4 Heuristic", quantity, cells, program=known, causes=causes)
            for quantity, known in heuristic
        ),
        Row("1 human against 3 Heuristic, draft", of.WON, {}, text=Figure.counted(12, 20)),
        Row("1 human against 3 Heuristic, final text", of.WON, {}, text=Figure.counted(15, 20)),
    ]


@dataclass(frozen=True)
class _Agent:
    """A planner of the text, and those of ours that stand for it."""

    name: str
    players: Mapping[str, str]

    def cells(self, layout: str, other: bool = False) -> dict[str, tuple[str, str]]:
        """Return the matches by column, and the planner in it or the ``other``."""
        called = "{} against 3 heuristic" if layout == "one" else "3 {} against heuristic"
        return {
            column: (called.format(player), "heuristic" if other else player)
            for column, player in self.players.items()
        }

    def setup(self, layout: str) -> str:
        one = layout == "one"
        return f"{1 if one else 3} {self.name} against {3 if one else 1} Heuristic"


_BMCTS = _Agent("BMCTS", {FAITHFUL: "bmcts_faithful", BEST: "best"})
_LD = _Agent("LD-BMCTS", {FAITHFUL: "ld_bmcts_faithful"})

_PLANNING = ("certainty", "budget", "seat", "root", "pay", "types")


def _by_layout() -> Iterator[tuple[_Agent, str]]:
    for agent in (_BMCTS, _LD):
        for layout in ("rest", "one"):
            yield agent, layout


def _causes(agent: _Agent, *keys: str) -> dict[str, tuple[str, ...]]:
    own = ("envelope",) if agent is _LD and keys == _PLANNING else ()
    return {FAITHFUL: (*keys, *own), BEST: ("best",)}


def _table_2() -> list[Row]:
    text = {
        (_BMCTS.name, "rest"): 0.718,
        (_BMCTS.name, "one"): 0.204,
        (_LD.name, "one"): 0.2701,
    }
    program = {
        (_BMCTS.name, "rest"): (1356, 2000),
        (_BMCTS.name, "one"): (408, 2000),
        (_LD.name, "rest"): (1134, 1499),
        (_LD.name, "one"): (301, 1099),
    }
    rows = [
        Row(
            agent.setup(layout),
            of.WON,
            agent.cells(layout),
            Figure(text[agent.name, layout]) if (agent.name, layout) in text else None,
            Figure.counted(*program[agent.name, layout]),
            _causes(agent, *_PLANNING),
            ("draft",) if (agent.name, layout) == ("BMCTS", "rest") else (),
        )
        for agent, layout in _by_layout()
    ]
    return rows + [
        Row(agent.setup(layout), of.OUT, agent.cells(layout)) for agent, layout in _by_layout()
    ]


def _table_3() -> list[Row]:
    text = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(1.824),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(1.008),
        (of.KNOWN, "Heuristic"): Figure(0.0),
        (of.KNOWN, "BMCTS"): Figure(0.7436),
    }
    program = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(None, 1.79, 1.87),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(None, 1.00, 1.01),
        (of.BITS_OF_GAMES, "LD-BMCTS"): Figure(None, 1.14, 1.19),
        (of.BITS, "Heuristic"): Figure(1.60),
        (of.KNOWN, "Heuristic"): Figure(None, 0.31, 0.57),
        (of.KNOWN, "LD-BMCTS"): Figure(None, 1.44, 1.57),
    }
    rows = []
    alone = {FAITHFUL: ("heuristic against 3 heuristic", "heuristic")}
    for quantity in (of.BITS_OF_GAMES, of.BITS, of.KNOWN):
        known = text.get((quantity, "Heuristic")), program.get((quantity, "Heuristic"))
        rows.append(Row("4 Heuristic", quantity, alone, *known, {FAITHFUL: ("stays", "board")}))
        for other in (True, False):
            for agent, layout in _by_layout():
                who = "Heuristic" if other else agent.name
                causes = ("other", "stays") if other else _PLANNING
                rows.append(
                    Row(
                        f"{who} in {agent.setup(layout)}",
                        quantity,
                        agent.cells(layout, other),
                        text.get((quantity, who)),
                        program.get((quantity, who)),
                        _causes(agent, *causes),
                        ("division",) if quantity is of.KNOWN and (quantity, who) in text else (),
                    )
                )
    return rows


def _table_4() -> list[Row]:
    text = {
        (of.TURNS, "BMCTS"): Figure(133),
        (of.TURNS_LEAST, "BMCTS"): Figure(10),
    }
    program = {
        (of.TURNS, "BMCTS"): Figure(None, 128, 138),
        (of.TURNS, "LD-BMCTS"): Figure(None, 124, 125),
        (of.TURNS_LEAST, "BMCTS"): Figure(10),
        (of.TURNS_MOST, "BMCTS"): Figure(3261),
    }
    return [
        Row(
            agent.setup(layout),
            quantity,
            agent.cells(layout),
            text.get((quantity, agent.name)),
            program.get((quantity, agent.name)),
            _causes(agent, "length", "certainty", "stays", "board", "budget"),
            ("cap",) if quantity is of.TURNS_MOST and agent is _BMCTS else (),
        )
        for quantity in (of.TURNS, of.TURNS_MEDIAN, of.TURNS_LEAST, of.TURNS_MOST)
        for agent, layout in _by_layout()
    ]


def _policy_table(name: str, about: str) -> Table:
    return Table(name, about, _policies, 20_000, None, 0.02, run="ledford_policies", compiled=True)


def _planner_table(name: str, about: str) -> Table:
    return Table(
        name, about, _planners, 300, 300, 1.2, run="ledford_planners", details=("suggestions",)
    )


TABLES = (
    _policy_table("ledford_4_1", "games won: Random and Heuristic players [Ledford 2018]"),
    _planner_table("ledford_4_2", "games won: BMCTS and LD-BMCTS against Heuristic"),
    _planner_table("ledford_4_3", "what suggestions tell, same games as ledford_4_2"),
    _planner_table("ledford_4_4", "turns a game, same games as ledford_4_2"),
    _policy_table("ledford_text", "further figures of the text, same games as ledford_4_1"),
)
"""The tables of the thesis."""

ROWS = {
    "ledford_4_1": _table_1(),
    "ledford_4_2": _table_2(),
    "ledford_4_3": _table_3(),
    "ledford_4_4": _table_4(),
    "ledford_text": _text(),
}
"""By table, its lines."""
