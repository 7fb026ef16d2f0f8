"""The tables of [Ledford 2018, ch. 4], what was published for them, and our cells.

Seven columns stand side by side.  The thesis has two editions: the *draft*, whose tables have empty
cells, and the *final text*.  The program released with it left *logs*, counted again with repeated
games once, and was *run again*.  Ours are the released program played again by us, the planners by
the text (``_faithful``), and ``best``, which is a BMCTS with everything set as we think best and
stands for no agent of the text.  Which games are played is in ``conf/table``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from experiments.tables import figures as of
from experiments.tables.figures import Figure, Quantity
from experiments.tables.ledford.causes import ALIKE, PLANNERS, POLICIES, REMARKS
from experiments.tables.rows import ANY, Paper, Row
from experiments.tables.stairs.beside import LAST

RELEASED, FAITHFUL, BEST = "ours, released program", "ours, by the text", "ours, best"
"""Columns of ours."""

CURVE_RELEASED, CURVE = "ledford_released", "ledford_budget"
"""Tables of the planners by budget: as released, and by the text."""


def _published(
    draft: Figure | None = None,
    final: Figure | None = None,
    logs: Figure | None = None,
    again: Figure | None = None,
) -> dict[str, Figure]:
    """Return the figures that there are, by source."""
    found = {"draft": draft, "final": final, "again": again, "logs": logs}
    return {source: figure for source, figure in found.items() if figure is not None}


def _policies(player: str, other: str, stairs: str = POLICIES) -> dict[str, tuple[str, str]]:
    name = f"{player} against 3 {other}"
    return {RELEASED: (f"{name}, {stairs}, {LAST}", player), FAITHFUL: (name, player)}


def _climbed(
    player: str, other: str, stairs: str = POLICIES
) -> dict[str, tuple[str, str, str, int]]:
    """Return the staircase of policies, which leads from the text to the program."""
    return {FAITHFUL: (stairs, f"{player} against 3 {other}", player, -1)}


def _table_1() -> list[Row]:
    again = {("heuristic", "random"): (0.9475, 2597), ("random", "heuristic"): (0.0225, 199)}
    rows = []
    for player in ("random", "heuristic"):
        for other in ("random", "heuristic"):
            setup = f"1 {player.title()} against 3 {other.title()}"
            climbed = _climbed(player, other)
            row = Row(setup, of.WON, _policies(player, other), stairs=climbed)
            if (player, other) in again:
                final, wins = again[player, other]
                known = _published(None, Figure(final), again=Figure.counted(wins, 3000))
                row = replace(row, published=known, notes=("again",))
            rows.append(row)
    return rows


def _text() -> list[Row]:
    cells, climbed = (made("heuristic", "heuristic") for made in (_policies, _climbed))
    heuristic = (
        (of.TURNS_WON, Figure(121)),
        (of.TURNS_WON_MEDIAN, Figure(123)),
        (of.ASKED_WON, Figure(29.7)),
        (of.ENDLESS, Figure.counted(47, 6315)),
        (of.TURNS, None),
        (of.TURNS_MEDIAN, None),
    )
    rows = [
        Row("4 Heuristic", quantity, cells, _published(again=known), stairs=climbed)
        for quantity, known in heuristic
    ]
    humans = _published(Figure.counted(12, 20), Figure.counted(15, 20))
    return [*rows, Row("1 human against 3 Heuristic", of.WON, {}, humans)]


@dataclass(frozen=True)
class _Agent:
    """A planner of the text, and those of ours that stand for it.

    Attributes
    ----------
    name : in the text
    preset : its preset without what tells which
    best : whether `best` stands for it
    """

    name: str
    preset: str
    best: bool = False

    def cells(self, layout: str, other: bool = False) -> dict[str, tuple[str, str]]:
        """Return the matches by column, and the planner in it or the ``other``."""
        released, faithful = f"{self.preset}_released", f"{self.preset}_faithful"
        found = {
            RELEASED: (f"{_against(released, layout)}, {CURVE_RELEASED}", released),
            FAITHFUL: (f"{_against(faithful, layout)}, {CURVE}", faithful),
        }
        if self.best:
            found[BEST] = _against("best", layout), "best"
        return {
            column: (match, "heuristic" if other else player)
            for column, (match, player) in found.items()
        }

    def climbed(self, layout: str, other: bool = False) -> dict[str, tuple[str, str, str, int]]:
        """Return the staircase that leads to the text, and the planner in it or the ``other``."""
        released = f"{self.preset}_released"
        who = "heuristic" if other else released
        return {FAITHFUL: (PLANNERS, _against(released, layout), who, 1)}

    def setup(self, layout: str) -> str:
        one = layout == "one"
        return f"{1 if one else 3} {self.name} against {3 if one else 1} Heuristic"

    def row(self, layout: str, quantity: Quantity, other: bool = False) -> Row:
        """Return the line of a set-up, of which nothing was published."""
        return Row(
            self.setup(layout),
            quantity,
            self.cells(layout, other),
            causes={RELEASED: {"unlike": ANY}, BEST: {"best": ANY}},
            stairs=self.climbed(layout, other),
        )


def _against(player: str, layout: str) -> str:
    return f"{player} against 3 heuristic" if layout == "one" else f"3 {player} against heuristic"


_BMCTS = _Agent("BMCTS", "bmcts", best=True)
_LD = _Agent("LD-BMCTS", "ld_bmcts")


def _by_layout() -> Iterator[tuple[_Agent, str]]:
    for agent in (_BMCTS, _LD):
        for layout in ("rest", "one"):
            yield agent, layout


def _table_2() -> list[Row]:
    text = {
        (_BMCTS.name, "rest"): (0.718, 0.678, ("draft", "logs")),
        (_BMCTS.name, "one"): (0.204, 0.204, ("logs",)),
        (_LD.name, "rest"): (None, 0.761, ("copies", "logs")),
        (_LD.name, "one"): (0.2701, 0.2755, ("copies", "logs")),
    }
    logs = {
        (_BMCTS.name, "rest"): (1356, 2000),
        (_BMCTS.name, "one"): (408, 2000),
        (_LD.name, "rest"): (1134, 1499),
        (_LD.name, "one"): (301, 1099),
    }
    again = {
        (_BMCTS.name, "rest"): (1, 8),
        (_BMCTS.name, "one"): (4, 35),
        (_LD.name, "one"): (4, 43),
    }
    rows = []
    for agent, layout in _by_layout():
        draft, final, notes = text[agent.name, layout]
        games = again.get((agent.name, layout))
        known = _published(
            draft and Figure(draft),
            Figure(final),
            Figure.counted(*logs[agent.name, layout]),
            games and Figure.counted(*games),
        )
        notes = (*notes, "few") if games else notes
        rows.append(replace(agent.row(layout, of.WON), published=known, notes=notes))
    never = _published(logs=Figure(0), again=Figure(0))
    return rows + [
        replace(agent.row(layout, of.OUT), published=never) for agent, layout in _by_layout()
    ]


_POOLED = (of.BITS, of.KNOWN)
"""Quantities over all suggestions, however long the game."""


def _table_3() -> list[Row]:
    rows = []
    for quantity in (of.BITS_OF_GAMES, of.BITS, of.KNOWN):
        cells, climbed = (made("heuristic", "heuristic", ALIKE) for made in (_policies, _climbed))
        row = Row("4 Heuristic", quantity, cells, stairs=climbed)
        rows.append(_suggesting(row, "Heuristic", _AGAIN_ALIKE.get(quantity)))
        for other in (True, False):
            for agent, layout in _by_layout():
                who = "Heuristic" if other else agent.name
                row = agent.row(layout, quantity, other)
                row = replace(row, setup=f"{who} in {row.setup}")
                again = _AGAIN.get((quantity, who, agent.name, layout))
                rows.append(_suggesting(row, who, again))
    return rows


_AGAIN_ALIKE = {of.BITS_OF_GAMES: Figure(1.788), of.BITS: Figure(1.6), of.KNOWN: Figure(0.312)}
_AGAIN = {
    (of.BITS_OF_GAMES, "BMCTS", "BMCTS", "one"): Figure(1.287),
    (of.BITS_OF_GAMES, "BMCTS", "BMCTS", "rest"): Figure(0.929),
    (of.BITS_OF_GAMES, "LD-BMCTS", "LD-BMCTS", "one"): Figure(1.43),
    (of.BITS_OF_GAMES, "Heuristic", "BMCTS", "one"): Figure(1.786),
    (of.BITS_OF_GAMES, "Heuristic", "BMCTS", "rest"): Figure(1.371),
    (of.BITS_OF_GAMES, "Heuristic", "LD-BMCTS", "one"): Figure(1.936),
    (of.BITS, "BMCTS", "BMCTS", "one"): Figure(1.153),
    (of.BITS, "BMCTS", "BMCTS", "rest"): Figure(0.731),
    (of.BITS, "LD-BMCTS", "LD-BMCTS", "one"): Figure(1.06),
    (of.BITS, "Heuristic", "BMCTS", "one"): Figure(1.569),
    (of.BITS, "Heuristic", "BMCTS", "rest"): Figure(0.946),
    (of.BITS, "Heuristic", "LD-BMCTS", "one"): Figure(1.196),
    (of.KNOWN, "BMCTS", "BMCTS", "one"): Figure(1.391),
    (of.KNOWN, "BMCTS", "BMCTS", "rest"): Figure(1.634),
    (of.KNOWN, "LD-BMCTS", "LD-BMCTS", "one"): Figure(1.39),
    (of.KNOWN, "Heuristic", "BMCTS", "one"): Figure(0.34),
    (of.KNOWN, "Heuristic", "BMCTS", "rest"): Figure(0.586),
    (of.KNOWN, "Heuristic", "LD-BMCTS", "one"): Figure(0.668),
}
"""The program run again, of four heuristic players, and by who suggests in which set-up."""


def _suggesting(row: Row, who: str, again: Figure | None) -> Row:
    """Return ``row`` with what is known of the suggestions of ``who``."""
    key = row.quantity, who
    draft = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(1.824),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(1.008),
        (of.KNOWN, "Heuristic"): Figure(0.0),
        (of.KNOWN, "BMCTS"): Figure(0.7436),
    }
    final = {(of.BITS_OF_GAMES, "Heuristic"): Figure(1.8281)}
    logs = {
        (of.BITS_OF_GAMES, "Heuristic"): Figure(None, 1.79, 1.87),
        (of.BITS_OF_GAMES, "BMCTS"): Figure(None, 1.00, 1.01),
        (of.BITS_OF_GAMES, "LD-BMCTS"): Figure(None, 1.14, 1.19),
        (of.KNOWN, "Heuristic"): Figure(None, 0.445, 0.569),
        (of.KNOWN, "LD-BMCTS"): Figure(None, 1.441, 1.565),
    }
    known = _published(draft.get(key), final.get(key), logs.get(key), again)
    notes = ("division",) if row.quantity is of.KNOWN and key in draft else ()
    notes += ("endless",) if row.quantity in _POOLED else ()
    if row.setup.startswith("4 "):  # the logs are of games with planners
        known.pop("logs", None)
    elif again is not None:
        notes += ("few",)
    return replace(row, published=known, notes=notes)


def _table_4() -> list[Row]:
    draft = {(of.TURNS, _BMCTS.name): Figure(133), (of.TURNS_LEAST, _BMCTS.name): Figure(10)}
    logs = {
        (of.TURNS, _BMCTS.name): Figure(None, 128, 138),
        (of.TURNS, _LD.name): Figure(None, 124, 125),
        (of.TURNS_LEAST, _BMCTS.name): Figure(10),
        (of.TURNS_MOST, _BMCTS.name): Figure(3261),
    }
    again = {
        (_BMCTS.name, "one"): Figure(129),
        (_BMCTS.name, "rest"): Figure(212),
        (_LD.name, "one"): Figure(128),
    }
    rows = []
    for quantity in (of.TURNS, of.TURNS_MEDIAN, of.TURNS_LEAST, of.TURNS_MOST):
        for agent, layout in _by_layout():
            key = quantity, agent.name
            mean = again.get((agent.name, layout)) if quantity is of.TURNS else None
            notes = ("capped",) if quantity is of.TURNS else ()
            notes += ("few",) if mean else ()
            notes += ("cap",) if quantity is of.TURNS_MOST and agent is _BMCTS else ()
            known = _published(draft.get(key), None, logs.get(key), mean)
            rows.append(replace(agent.row(layout, quantity), published=known, notes=notes))
    return rows


ROWS = {
    "ledford_4_1": _table_1(),
    "ledford_4_2": _table_2(),
    "ledford_4_3": _table_3(),
    "ledford_4_4": _table_4(),
    "ledford_text": _text(),
}
"""By table, its lines."""

PAPER = Paper(
    sources={
        "draft": "draft text",
        "final": "final text",
        "again": "program run again",
        "logs": "logs counted again",
    },
    about=(
        "*draft text*, *final text*: the two editions of the thesis, as far as they print a figure "
        "and it is known to us; *program run again*: the program released with it, run for this "
        "page; *logs counted again*: its logs, repeated games once; two figures without a value "
        "are the least and the most of several set-ups.",
        f"*{RELEASED}*: the rules and players of the program, as far as we know them, with our "
        f"search (`{CURVE_RELEASED}`); *{FAITHFUL}*: what the text says, at the largest budget "
        f"played (`{CURVE}`); *{BEST}*: our own player. Published are 10,000 iterations or 3.5 s a "
        "decision and 2,000 games.",
        "Ours is held against the logs (the program run again, the final text, or else the draft, "
        f"where there are none). The numbers behind *{FAITHFUL}* are steps from the released "
        "program to the text that, taken in turn or last of all, move the figure to that side "
        "beyond their interval: games won on the same games, other figures by themselves.",
    ),
    causes=REMARKS,
    rows=ROWS,
)
