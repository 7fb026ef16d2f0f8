"""The tables: which players meet which opponents, with what budget and how often.

A cell is one match, given by the settings of `experiments.compare`.  All cells of a table are one
run; those with the same opponents play the same games, so their differences are paired.  The
tables of [Ledford 2018] are in `experiments.tables.ledford`, those of strength here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from experiments.matches import lineups
from experiments.matches.schedule import Match
from experiments.settings import config

VARIANTS = ("bmcts", "ld_bmcts", "bmcts_or", "so_ismcts", "mo_ismcts", "pomcp", "pimc")
FAITHFUL = ("bmcts", "ld_bmcts", "bmcts_or", "so_ismcts", "mo_ismcts", "pomcp")
PLANNERS = ("flat", "best", *VARIANTS, *(f"{name}_faithful" for name in FAITHFUL))
"""The first is what the others are compared with."""


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
    """One player against one kind of opponents, in one seat or in all but one.

    Attributes
    ----------
    player, opponent : what they are called
    settings : overrides of `experiments.compare`, those of the opponents included
    layout : ``one`` or ``rest``, as ``match.layout``
    apart : behind the name of the match, where players and form do not tell it from another
    simulations : budget of a decision, where that is what tells the cells of a table apart
    budgets : the seats whose budget is the table's: ``player``, ``opponent``
    """

    player: str
    opponent: str
    settings: tuple[str, ...]
    layout: str = "one"
    apart: str = ""
    simulations: int | None = None
    budgets: tuple[str, ...] = ("player",)


@dataclass(frozen=True)
class Table:
    """Cells that are one run, and how often and with what budget they are played.

    Attributes
    ----------
    name : of the command line
    about : what it shows, in a few words
    make : returns the cells
    games : a cell, unless told otherwise
    simulations : a decision, unless told otherwise; None where the cells or the clock fix it
    hours : that it takes on two cores as it stands, from one to four games a cell
    run : folder of the run, which several tables may share; empty: `name`
    details : rows that are written beside those of games
    compiled : whether all players are policies, of which thousands of games take seconds
    """

    name: str
    about: str
    make: Callable[[], Iterator[Cell]]
    games: int
    simulations: int | None
    hours: float
    run: str = ""
    details: tuple[str, ...] = ()
    compiled: bool = False

    @property
    def cells(self) -> list[Cell]:
        """The cells, in the order of their lines."""
        return list(self.make())


FAST = ("rules.turn_cap=40",)
"""What else makes the games of planners short for a trial."""

FAST_SIMULATIONS, FAST_GAMES, FAST_COMPILED_GAMES = 20, 4, 400
"""Budget of a decision, games of planners and games of policies in a trial."""


def matches(table: Table, simulations: int | None, seed: int, fast: bool = False) -> list[Match]:
    """Return the match of each cell of ``table``, in order.

    Parameters
    ----------
    simulations : a decision, in place of the usual number; None for that
    fast : whether this is a trial

    Raises
    ------
    Refusal
        If the settings cannot be met.
    """
    budget = simulations or (FAST_SIMULATIONS if fast else table.simulations)
    general = [f"seed={seed}", f"run.details=[{','.join(table.details)}]"]
    if fast and not table.compiled:
        general += FAST
    return [_match(each, general, budget if table.simulations else None) for each in table.cells]


def _match(cell: Cell, general: Sequence[str], budget: int | None) -> Match:
    named = (f"player.label={cell.player}", f"opponent.label={cell.opponent}")
    overrides = [*cell.settings, *named, f"match.layout={cell.layout}", *general]
    if budget is not None:
        overrides += [f"{each}.budget.simulations={budget}" for each in cell.budgets]
    settings = config.composed("compare", overrides)
    config.check(settings)
    (match,) = lineups.matches(settings, overrides)
    return replace(match, name=match.name + cell.apart)


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


_SHORT = ("player.budget.simulations=null", "player.budget.seconds=0.02")


def _main() -> Iterator[Cell]:
    for opponent in ("swift35", "greedy35", "greedy", "heuristic"):
        for player in ("flat", "best"):
            yield Cell(player, opponent, _against(player, opponent))


def _one_model() -> Iterator[Cell]:
    for opponent in ("swift35", "greedy35", "greedy", "heuristic"):
        settings = ("player=best", *_swift(0.35), *OPPONENTS[opponent].settings)
        yield Cell("best", opponent, settings)


def _planners(*budget: str) -> Iterator[Cell]:
    for player in PLANNERS:
        for opponent in ("heuristic", "swift35"):
            yield Cell(player, opponent, (*_against(player, opponent), *budget))


def _budget() -> Iterator[Cell]:
    for simulations in (50, 100, 200, 500, 1000, 2000, 5000):
        settings = (*_against("best", "swift35"), f"player.budget.simulations={simulations}")
        yield Cell(f"best{simulations}", "swift35", settings, simulations=simulations)


def _robin() -> Iterator[Cell]:
    players = ("flat", "best", "bmcts", "pomcp", "mo_ismcts")
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
                yield Cell(player, other, seats, budgets=("player", "opponent"))


WITHOUT = {
    "best": (),
    "no_tree": ("budget.nodes=1",),
    "same_exploration": ("search.root_exploration=null",),
    "no_reading": ("own_card_weight=1",),
    "no_common": ("search.common_random_numbers=false",),
    "waiting_rollouts": ("rollout.threshold=1",),
}
"""What makes ``best``, taken away one by one."""


def _ablation() -> Iterator[Cell]:
    for name, changes in WITHOUT.items():
        less = [f"player.{each}" for each in changes]
        yield Cell(name, "swift35", (*_against("best", "swift35"), *less))


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


def _parallel(*budget: str) -> Iterator[Cell]:
    for name, search in PARALLEL.items():
        how = [f"player.search.{each}" for each in search]
        yield Cell(name, "swift35", (*_against("best", "swift35"), *how, *budget))


STRENGTH = (
    Table("main", "best and flat against four kinds of opponents", _main, 1000, 1000, 0.8),
    Table("one_model", "best with one model of all opponents", _one_model, 1000, 1000, 0.4),
    Table("planners", "all planners at 200 simulations", _planners, 300, 200, 0.5),
    Table("planners_time", "all planners at 20 ms", lambda: _planners(*_SHORT), 300, None, 0.4),
    Table("ablation", "best less one of its parts at a time", _ablation, 500, 1000, 0.3),
    Table("budget", "best by simulations a decision", _budget, 300, None, 0.2),
    Table("robin", "five planners, one against three of another", _robin, 200, 200, 0.6),
    Table("parallel", "two cores on one decision, 200 simulations", _parallel, 400, 200, 0.3),
    Table("parallel_time", "the same, 20 ms", lambda: _parallel(*_SHORT), 400, None, 0.3),
    Table("planners_1000", "all planners at 1,000 simulations", _planners, 1000, 1000, 9),
    Table("planners_5000", "all planners at 5,000 simulations", _planners, 1000, 5000, 45),
)
"""The tables of strength."""
