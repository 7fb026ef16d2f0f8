"""The schemas of the configuration: which keys there are, of what type and in what range.

Hydra merges the YAML of `conf` into these dataclasses, which gives types; what types cannot say,
ranges and choices, stands in the fields' metadata for `experiments.settings.config` to check.
Values, and what they mean, stand in the YAML; every one of them must be given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.resources import files
from typing import Any, get_type_hints

from omegaconf import MISSING, OmegaConf

from experiments.settings.commandline import Refusal
from experiments.settings.limits import (
    GAMES,
    WORKERS,
    above,
    as_option,
    between,
    one_of,
    place,
    seed,
)
from mcts import options
from mcts.kernel.plugins import names
from sim.planning.released.departures import NAMES as DEPARTURES
from sim.planning.variants import VARIANTS
from sim.planning.ways import MIXTURE, RANGES
from sim.players.names import ABOUT, AGAIN, EVIDENCE, GOALS, PAPERS, STRATEGIES, UNITS, WORTH

PLANNERS = tuple(VARIANTS)
"""The players that search."""
SHOWING = ("random", "least_informative")
"""Ways to choose the card to show, as in `sim.policies.table.SHOWING`, which needs Numba."""
WALKS = ("nearest", "adjacent")
"""Ways to walk, as in `sim.policies.csp.WALKS`."""
LAYOUTS = ("one", "rest", "both", "robin")
"""Companies in which players meet, as `experiments.matches.lineups` has them."""
DETAILS = ("suggestions", "decisions")
"""Kinds of rows beside those of games, as `experiments.matches.details` has them."""


def _policies() -> tuple[str, ...]:
    """Return the names of the compiled policies: those in ``conf/player`` that are no planner's and
    no paper's, and those of other packages."""
    presets = files("conf").joinpath("player").iterdir()
    found = [
        re.search(r"(?m)^name: *(\w+)", preset.read_text())
        for preset in presets
        if _is_yaml(preset)
    ]
    ours = {name[1] for name in found if name} - {*PLANNERS, *PAPERS}
    return tuple(sorted({*ours, *names("sleuth.policies")}))


def _is_yaml(path: Any) -> bool:
    return path.name.endswith(".yaml")


POLICIES = _policies()


def _beliefs() -> tuple[str, ...]:
    """Return the names of the beliefs in ``belief/beliefs`` and in other packages."""
    modules = [path for path in files("belief.beliefs").iterdir() if path.name.endswith(".py")]
    ours = {
        name for module in modules for name in re.findall(_NAMED_CLASS, module.read_text("utf-8"))
    }
    return tuple(sorted({*ours, *names("sleuth.beliefs")}))


_NAMED_CLASS = r'(?m)^    name = "(\w+)"$'
"""Name of a belief in its class, read without importing the module, which needs Numba."""
BELIEFS = _beliefs()


@dataclass
class Seat:
    """What everybody who sits in a seat has; ``label`` is the name in results, null: `name`."""

    name: str = MISSING
    label: str | None = MISSING
    showing: str = one_of(*SHOWING)


@dataclass
class Policy(Seat):
    """A compiled policy in a seat."""

    name: str = one_of(*POLICIES)


@dataclass
class Heuristic(Policy):
    """The compiled policy that plays on the factored belief."""

    inference: bool = MISSING


@dataclass
class Greedy(Policy):
    """The compiled policy that plays on the exact belief."""

    threshold: float = above(0, 1)
    own_card_weight: float = above(0, 100)


@dataclass
class Swift(Policy):
    """Its fast equal."""

    inference: bool = MISSING
    threshold: float = above(0, 1)
    own_card_weight: float = above(0, 100)


@dataclass
class Hiding:
    """What hiding is worth, and when to accuse."""

    hiding: float = between(0, 100)
    summoning: float = between(0, 100)
    by_out: float = between(-1, 1)


@dataclass
class Hide(Hiding, Swift):
    """Swift, less what the others learn."""

    name: str = one_of(*POLICIES)


@dataclass
class Csp(Policy):
    """The compiled policy that satisfies constraints."""

    walk: str = one_of(*WALKS)


@dataclass
class Constraint(Seat):
    """The same, interpreted."""

    name: str = one_of("constraint")
    walk: str = one_of(*WALKS)


@dataclass
class Bayes(Seat):
    """The Bayesian-network player."""

    name: str = one_of("bn")
    evidence: str = one_of(*EVIDENCE)
    again: str = one_of(*AGAIN)
    threshold: float = above(0, 1)


@dataclass
class Entropy(Seat):
    """The player that weighs bits against turns, a few suggestions ahead."""

    name: str = one_of("entropy")
    horizon: int = between(1, 3)
    price: float = between(0, 1000)
    threshold: float = above(0, 1)
    same_room: bool = MISSING
    candidates: int = between(1, 1000)
    about: str = one_of(*ABOUT)


@dataclass
class Neural(Seat):
    """The player that goes where it learnt that rooms are worth it."""

    name: str = one_of("neural")
    evidence: str = one_of(*EVIDENCE)
    q: str = one_of(*WORTH)
    network: str | None = place()
    threshold: float = above(0, 1)
    distance_weight: float = between(0, 1000)
    distance_divisor: float = above(0, 1000)
    visit_weight: float = between(0, 1000)


@dataclass
class Hunter(Seat):
    """The player of the treasure hunt."""

    name: str = one_of("hunter")
    evidence: str = one_of(*EVIDENCE)
    again: str = one_of(*AGAIN)
    threshold: float = above(0, 1)
    strategy: str = one_of(*STRATEGIES)
    unit: str = one_of(*UNITS)
    goal: str = one_of(*GOALS)
    benefit_weight: float = between(0, 1000)
    test_weight: float = between(0, 1000)
    distance_weight: float = between(0, 1000)


@dataclass
class Model(Hiding):
    """Switches of the policies that stand for the opponents; those that have none ignore them."""

    threshold: float = above(0, 1)
    inference: bool = MISSING
    own_card_weight: float = above(0, 100)
    walk: str = one_of(*WALKS)


@dataclass
class Response(Seat):
    """A planner's roll-out policy, chosen against its model, without search."""

    name: str = one_of("response")
    policy: str = one_of(*POLICIES)
    opponents: str = one_of(*POLICIES)
    model: Model = field(default_factory=Model)


@dataclass
class Rollout(Hiding):
    """Who plays in roll-outs, and how far."""

    policy: str = one_of(*POLICIES)
    best_response: bool = MISSING
    threshold: float = above(0, 1)
    opponents: str | None = one_of(None, *POLICIES)
    horizon: int = between(*RANGES["horizon"])
    model_share: float = between(0, 1)
    win_model: str | None = place()
    per_leaf: int = as_option(options.Options, "rollouts_per_leaf")


@dataclass
class Widening:
    """Progressive widening of the actions on offer at a node."""

    base: float = as_option(options.Options, "widening_base")
    exponent: float = as_option(options.Options, "widening_exponent")


@dataclass
class Actions:
    """Which actions a node offers."""

    offer: str = one_of("all", "candidates")
    candidates: int = between(1, RANGES["candidates"][1])
    informative: int = between(*RANGES["informative"])
    hiding: float | None = between(0, 100)
    summoning: float | None = between(0, 100)
    accusations: int = between(*RANGES["accusations"])
    least_accused: float = between(0, 1)
    widening: Widening = field(default_factory=Widening)


def _search() -> type:
    """Return the schema of the section ``search``: the options of its names in ``bmcts.yaml``, with
    their types and limits as `mcts.options.Options` has them."""
    shipped = OmegaConf.load(files("conf").joinpath("player/bmcts.yaml")).search
    hints = get_type_hints(options.Options)
    limits = {option.name: option.metadata for option in fields(options.Options)}
    switches = [(str(key), hints[str(key)], limits[str(key)]) for key in shipped]
    return make_dataclass(
        "Search",
        [(name, kind, field(default=MISSING, metadata=given)) for name, kind, given in switches],
    )


Search = _search()
"""How the tree is searched."""


Departures = make_dataclass(
    "Departures", [(name, bool, field(default=MISSING)) for name in DEPARTURES]
)
"""What a planner does as the program of the thesis does, and not as its text says."""


@dataclass
class Budget:
    """When the search for one decision ends."""

    simulations: int | None = as_option(options.Budget, "simulations")
    seconds: float | None = as_option(options.Budget, "seconds")
    nodes: int | None = as_option(options.Options, "nodes")

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse a search without an end."""
        if node.simulations is None and node.seconds is None:
            raise Refusal(f"{path} needs simulations or seconds")


@dataclass
class Planner(Seat):
    """A player that searches."""

    name: str = one_of(*PLANNERS)
    belief: str = one_of(*BELIEFS)
    answers: str = one_of("deal", "predictive")
    redraw: str = one_of("simulation", "decision")
    trees: int = between(*RANGES["trees"])
    own_card_weight: float | None = above(0, 100)
    transpositions: bool = MISSING
    opponents: str = one_of("tree", MIXTURE, *POLICIES)
    mixture: str = MISSING
    model: Model = field(default_factory=Model)
    rollout: Rollout = field(default_factory=Rollout)
    actions: Actions = field(default_factory=Actions)
    departures: Departures = field(default_factory=Departures)
    search: Search = field(default_factory=Search)
    budget: Budget = field(default_factory=Budget)


def _rules() -> type:
    """Return the schema of rules: the switches of ``ledford.yaml`` with the types they have there.

    `sim.rules.preset` checks values and combinations.
    """
    shipped = OmegaConf.load(files("conf").joinpath("rules/ledford.yaml"))
    switches = [(str(key), type(value)) for key, value in shipped.items() if key != "defaults"]
    return make_dataclass("Rules", [(*switch, field(default=MISSING)) for switch in switches])


Rules = _rules()


@dataclass
class Match:
    """Who meets whom, in which seats, how often, and how many games at a time."""

    games: int = between(1, GAMES)
    layout: str = one_of(*LAYOUTS)
    players: list[str] | None = MISSING
    others: list[str] | None = MISSING
    stop: str = field(default=MISSING, metadata={"whole": r"sprt:[^,]*,[^,]*"})
    power: float | None = above(0, 1)
    focal_seats: list[int] | None = MISSING
    workers: int | None = between(1, WORKERS)


@dataclass
class Tracking:
    """The MLflow record."""

    enabled: bool = MISSING
    uri: str | None = MISSING
    experiment: str = MISSING


@dataclass
class Ray:
    """Where the games are played."""

    address: str | None = MISSING


@dataclass
class Run:
    """Where the results go, and what is written beside a row a game and seat."""

    folder: str = place()
    resume: str | None = place()
    details: list[str] = field(default_factory=list, metadata={"each": {"choices": DETAILS}})
    records: int = between(0, GAMES)


@dataclass
class Compare:
    """The main job.  ``player`` and ``opponent`` are each a policy or a `Planner`."""

    player: Any = MISSING
    opponent: Any = MISSING
    rules: Any = MISSING
    match: Match = field(default_factory=Match)
    tracking: Tracking = field(default_factory=Tracking)
    ray: Ray = field(default_factory=Ray)
    run: Run = field(default_factory=Run)
    seed: int = seed()
