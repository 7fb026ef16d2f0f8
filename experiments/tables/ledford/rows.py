"""The tables of [Ledford 2018, ch. 4], what was published for them, and our matches.

Four sources stand side by side.  The thesis has two editions: the *draft*, whose tables have empty
cells, and the *final text*.  The *program* is the one released with it, its logs counted again
(repeated games once), or run again.  *Ours* are the planners by the text (``_faithful``), and
``best``, which is a BMCTS with everything set as we think best and stands for no agent of the text.
Which matches are played is in ``conf/table``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from experiments.tables import figures as of
from experiments.tables.figures import Figure, Quantity
from experiments.tables.ledford.causes import CAUSES
from experiments.tables.rows import ANY, Paper, Row

OURS, STAY, FAITHFUL, BEST = "ours", "ours, pawns stay", "ours, by the text", "ours, best"
"""Columns of ours; under the second suggested pawns stay where they are, as in the program."""


def _published(
    draft: Figure | None = None, final: Figure | None = None, program: Figure | None = None
) -> dict[str, Figure]:
    """Return the figures that there are, by source."""
    found = {"draft": draft, "final": final, "program": program}
    return {source: figure for source, figure in found.items() if figure is not None}


def _among_policies(player: str, other: str) -> dict[str, tuple[str, str]]:
    name = f"{player} against 3 {other}"
    return {OURS: (name, player), STAY: (f"{name}, pawns stay", player)}


def _table_1() -> list[Row]:
    again = {
        ("heuristic", "random"): (0.9475, 2597, {"sketch": 1}, {"sketch": 1}),
        ("random", "heuristic"): (0.0225, 199, {"pawns": 1}, {}),
    }
    rows = []
    for player in ("random", "heuristic"):
        for other in ("random", "heuristic"):
            setup = f"1 {player.title()} against 3 {other.title()}"
            row = Row(setup, of.WON, _among_policies(player, other))
            if (player, other) in again:
                final, wins, ours, stay = again[player, other]
                row = replace(
                    row,
                    published=_published(None, Figure(final), Figure.counted(wins, 3000)),
                    causes={OURS: ours, STAY: stay},
                    notes=("again",),
                )
            rows.append(row)
    return rows


def _text() -> list[Row]:
    cells = _among_policies("heuristic", "heuristic")
    heuristic = (
        (of.TURNS_WON, Figure(121), {"board": 1}),
        (of.TURNS_WON_MEDIAN, Figure(123), {"pawns": -1, "board": 1}),
        (of.ASKED_WON, Figure(29.7), {"pawns": 1}),
        (of.ENDLESS, Figure(0.0074), {"pawns": 1}),
        (of.TURNS, None, {}),
        (of.TURNS_MEDIAN, None, {}),
    )
    rows = []
    for quantity, known, causes in heuristic:
        stay = {key: side for key, side in causes.items() if key != "pawns"}
        both = {OURS: causes, STAY: stay}
        rows.append(Row("4 Heuristic", quantity, cells, _published(program=known), both))
    humans = _published(Figure.counted(12, 20), Figure.counted(15, 20))
    return [*rows, Row("1 human against 3 Heuristic", of.WON, {}, humans)]


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

_PROGRAM = ("seat", "root", "pay", "types")
"""What the program does otherwise than its text, to its own disadvantage."""


def _by_layout() -> Iterator[tuple[_Agent, str]]:
    for agent in (_BMCTS, _LD):
        for layout in ("rest", "one"):
            yield agent, layout


def _stronger(agent: _Agent, side: int) -> dict[str, int]:
    """Return the causes of a planner by the text that is stronger than the program's.

    ``side`` is that of a stronger planner: 1 where it has more of a quantity.
    """
    keys = (*_PROGRAM, "envelope") if agent is _LD else _PROGRAM
    return dict.fromkeys(keys, side)


def _both(causes: Mapping[str, int]) -> dict[str, Mapping[str, int]]:
    return {FAITHFUL: causes, BEST: {"best": ANY}}


def _table_2() -> list[Row]:
    text = {
        (_BMCTS.name, "rest"): (0.718, 0.678, ("draft", "logs")),
        (_BMCTS.name, "one"): (0.204, 0.204, ("logs",)),
        (_LD.name, "rest"): (None, 0.761, ("copies", "logs")),
        (_LD.name, "one"): (0.2701, 0.2755, ("copies", "logs")),
    }
    program = {
        (_BMCTS.name, "rest"): (1356, 2000),
        (_BMCTS.name, "one"): (408, 2000),
        (_LD.name, "rest"): (1134, 1499),
        (_LD.name, "one"): (301, 1099),
    }
    rows = []
    for agent, layout in _by_layout():
        draft, final, notes = text[agent.name, layout]
        causes = {"certainty": -1, "budget": -1, **_stronger(agent, 1)}
        rows.append(
            Row(
                agent.setup(layout),
                of.WON,
                agent.cells(layout),
                _published(
                    draft and Figure(draft),
                    Figure(final),
                    Figure.counted(*program[agent.name, layout]),
                ),
                _both(causes),
                notes,
            )
        )
    return rows + [
        Row(agent.setup(layout), of.OUT, agent.cells(layout)) for agent, layout in _by_layout()
    ]


_POOLED = (of.BITS, of.KNOWN)
"""Quantities over all suggestions, however long the game."""


def _suggestion_causes(agent: _Agent | None, quantity: Quantity) -> dict[str, int]:
    """Return the causes at suggestions of ``agent``, None for a heuristic player.

    Who suggests well takes more bits, and fewer known cards.
    """
    well = -1 if quantity is of.KNOWN else 1
    causes = {"endless": -well} if quantity in _POOLED else {}
    causes |= {"early": well, "stays": -well}
    return causes if agent is None else causes | {"budget": -well} | _stronger(agent, well)


def _table_3() -> list[Row]:
    draft = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(1.824),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(1.008),
        (of.KNOWN, "Heuristic"): Figure(0.0),
        (of.KNOWN, "BMCTS"): Figure(0.7436),
    }
    final = {(of.BITS_OF_GAMES, "Heuristic"): Figure(1.8281)}
    program = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(None, 1.79, 1.87),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(None, 1.00, 1.01),
        (of.BITS_OF_GAMES, "LD-BMCTS"): Figure(None, 1.14, 1.19),
        (of.BITS, "Heuristic"): Figure(1.60),
        (of.KNOWN, "Heuristic"): Figure(None, 0.31, 0.57),
        (of.KNOWN, "LD-BMCTS"): Figure(None, 1.44, 1.57),
    }

    def row(setup: str, who: str, quantity: Quantity, cells: Mapping[str, tuple[str, str]]) -> Row:
        key = quantity, who
        agent = {"BMCTS": _BMCTS, "LD-BMCTS": _LD}.get(who)
        causes = _suggestion_causes(agent, quantity)
        if setup.startswith("4 "):  # nobody there is a planner
            del causes["early"]
        divided = quantity is of.KNOWN and key in draft
        if divided and key not in program:
            causes |= {"division": 1}
        return Row(
            setup,
            quantity,
            cells,
            _published(draft.get(key), final.get(key), program.get(key)),
            _both(causes),
            ("division",) if divided else (),
        )

    alone = {FAITHFUL: ("heuristic against 3 heuristic", "heuristic")}
    rows = []
    for quantity in (of.BITS_OF_GAMES, of.BITS, of.KNOWN):
        rows.append(row("4 Heuristic", "Heuristic", quantity, alone))
        for other in (True, False):
            for agent, layout in _by_layout():
                who = "Heuristic" if other else agent.name
                setup = f"{who} in {agent.setup(layout)}"
                rows.append(row(setup, who, quantity, agent.cells(layout, other)))
    return rows


def _table_4() -> list[Row]:
    draft = {(of.TURNS, _BMCTS.name): Figure(133), (of.TURNS_LEAST, _BMCTS.name): Figure(10)}
    program = {
        (of.TURNS, _BMCTS.name): Figure(None, 128, 138),
        (of.TURNS, _LD.name): Figure(None, 124, 125),
        (of.TURNS_LEAST, _BMCTS.name): Figure(10),
        (of.TURNS_MOST, _BMCTS.name): Figure(3261),
    }
    return [
        Row(
            agent.setup(layout),
            quantity,
            agent.cells(layout),
            _published(
                draft.get((quantity, agent.name)), program=program.get((quantity, agent.name))
            ),
            _both({"capped": 1, "board": 1, "budget": 1, **_stronger(agent, -1)}),
            ("cap",) if quantity is of.TURNS_MOST and agent is _BMCTS else (),
        )
        for quantity in (of.TURNS, of.TURNS_MEDIAN, of.TURNS_LEAST, of.TURNS_MOST)
        for agent, layout in _by_layout()
    ]


ROWS = {
    "ledford_4_1": _table_1(),
    "ledford_4_2": _table_2(),
    "ledford_4_3": _table_3(),
    "ledford_4_4": _table_4(),
    "ledford_text": _text(),
}
"""By table, its lines."""

PAPER = Paper(
    sources={"draft": "draft text", "final": "final text", "program": "program"},
    about=(
        "*draft text*, *final text*: the two editions of the thesis, as far as they print a figure "
        "and it is known to us; *program*: the program released with it, its logs counted again "
        "(repeated games once) or run again; two figures without a value are the least and the "
        "most of several set-ups.",
        "Ours is held against the program's figure (the final text's, or else the draft's, where "
        "there is none).",
    ),
    causes=CAUSES,
    rows=ROWS,
    simulations=10_000,  # a decision, and 2,000 games a cell of Table 4.2
    games=2000,
)
