"""The tables of strength: which player against which opponents, with what budget and how often.

A cell is one player against opponents of one kind, given by the settings of `experiments.compare`.
Cells of a table with the same opponents play the same games, so their differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FORMS = ("bmcts", "ld_bmcts", "bmcts_or", "so_ismcts", "mo_ismcts", "pomcp", "pimc", "flat")
FAITHFUL = ("bmcts", "ld_bmcts", "bmcts_or", "so_ismcts", "mo_ismcts", "pomcp")
PLANNERS = ("best", *FORMS, *(f"{name}_faithful" for name in FAITHFUL))


@dataclass(frozen=True)
class Opponent:
    """Players of one kind, and the planner's model of them."""

    name: str
    settings: tuple[str, ...]
    """Of the opponents themselves."""
    model: tuple[str, ...]
    """Of a planner that takes them for what they are (greedy by swift)."""


def _swift(threshold: float) -> tuple[str, ...]:
    return ("player.opponents=swift", f"player.model.threshold={threshold:g}")


OPPONENTS = {
    each.name: each
    for each in (
        Opponent("heuristic", ("player@opponent=heuristic",), ("player.opponents=heuristic",)),
        Opponent("greedy", ("player@opponent=greedy",), _swift(1)),
        Opponent("greedy35", ("player@opponent=greedy", "opponent.threshold=0.35"), _swift(0.35)),
        Opponent("swift35", ("player@opponent=swift", "opponent.threshold=0.35"), _swift(0.35)),
        Opponent("swift", ("player@opponent=swift",), _swift(1)),
    )
}


@dataclass(frozen=True)
class Cell:
    """One player against one kind of opponents."""

    table: str
    player: str
    opponent: str
    games: int
    settings: tuple[str, ...]
    """Overrides of `experiments.compare`, those of the opponents included."""
    simulations: int | None = None
    """Budget of a decision, where that is what tells the cells of the table apart."""

    @property
    def name(self) -> str:
        """Name of its folder."""
        return f"{self.player}-{self.opponent}"


def _against(player: str, opponent: str) -> tuple[str, ...]:
    """Return the settings of ``player`` that knows whom it plays against."""
    other = OPPONENTS[opponent]
    model = other.model
    if "ismcts" in player:  # the tree moves them; the policy is that of the roll-outs
        model = tuple(
            each.replace("player.opponents", "player.rollout.opponents") for each in model
        )
        model = () if "faithful" in player else model
    elif "faithful" in player and "pomcp" not in player:
        model = ()  # by the text all opponents are heuristic players
    return (f"player={player}", *model, *other.settings)


def cells(table: str, games: int | None = None) -> list[Cell]:
    """Return the cells of ``table``, one of `TABLES`; ``games`` overrides their number."""
    make, usual = TABLES[table]
    return [
        Cell(table, player, opponent, games or usual, settings, *budget)
        for player, opponent, settings, *budget in make()
    ]


_FEW = ("player.budget.simulations=200",)
_SHORT = ("player.budget.simulations=null", "player.budget.seconds=0.02")

_Found = Iterator[tuple[Any, ...]]
"""Fields of `Cell`, without table and games."""


def _main() -> _Found:
    for opponent in ("swift35", "greedy35", "greedy", "heuristic"):
        for player in ("flat", "best"):
            yield player, opponent, _against(player, opponent)


def _one_model() -> _Found:
    for opponent in ("swift35", "greedy35", "greedy", "heuristic"):
        settings = ("player=best", *_swift(0.35), *OPPONENTS[opponent].settings)
        yield "best", opponent, settings


def _planners(*budget: str) -> _Found:
    for player in PLANNERS:
        for opponent in ("heuristic", "swift35"):
            yield player, opponent, (*_against(player, opponent), *budget)


def _budget() -> _Found:
    for simulations in (50, 100, 200, 500, 1000, 2000, 5000):
        settings = _against("best", "swift35")
        yield (
            f"best{simulations}",
            "swift35",
            (*settings, f"player.budget.simulations={simulations}"),
            simulations,
        )


def _robin() -> _Found:
    players = ("best", "bmcts", "pomcp", "flat", "mo_ismcts")
    small = "budget.simulations=200"
    for player in players:
        for other in players:
            if player != other:
                model = ("player.opponents=swift", "player.model.threshold=0.35")
                theirs = ("opponent.opponents=swift", "opponent.model.threshold=0.35")
                if "ismcts" in player:
                    model = ("player.rollout.opponents=swift", model[1])
                if "ismcts" in other:
                    theirs = ("opponent.rollout.opponents=swift", theirs[1])
                seats = (f"player={player}", *model, f"player@opponent={other}", *theirs)
                yield player, other, (*seats, f"player.{small}", f"opponent.{small}")


WITHOUT = {
    "best": (),
    "no_tree": ("budget.nodes=1",),
    "same_exploration": ("search.root_exploration=null",),
    "no_doubt": ("doubt=1",),
    "no_common": ("search.common=false",),
    "waiting_rollouts": ("rollout.threshold=1",),
}
"""What makes ``best``, taken away one by one."""


def _ablation() -> _Found:
    for name, changes in WITHOUT.items():
        less = [f"player.{each}" for each in changes]
        yield name, "swift35", (*_against("best", "swift35"), *less)


PARALLEL = {
    "one": (),
    **{
        f"tree_{treatment}": ("mode=tree", "threads=2", f"in_flight={treatment}")
        for treatment in ("none", "virtual_loss", "wu_uct")
    },
    "leaf": ("mode=leaf", "threads=2"),
    "root_visits": ("mode=root", "workers=2"),
    "root_vote": ("mode=root", "workers=2", "merge=vote"),
}
"""Ways to put two cores on one decision, and one core alone."""


def _parallel(*budget: str) -> _Found:
    for name, search in PARALLEL.items():
        how = [f"player.search.{each}" for each in search]
        yield name, "swift35", (*_against("best", "swift35"), *how, *budget)


def _big(simulations: int) -> _Found:
    return _planners(f"player.budget.simulations={simulations}")


TABLES = {
    "main": (_main, 1000),
    "one_model": (_one_model, 1000),
    "planners": (lambda: _planners(*_FEW), 300),
    "planners_time": (lambda: _planners(*_SHORT), 300),
    "ablation": (_ablation, 500),
    "budget": (_budget, 300),
    "robin": (_robin, 200),
    "parallel": (lambda: _parallel(*_FEW), 400),
    "parallel_time": (lambda: _parallel(*_SHORT), 400),
    "planners_1000": (lambda: _big(1000), 1000),
    "planners_5000": (lambda: _big(5000), 1000),
}
"""Tables by name: what makes their cells, and games a cell."""
