"""The schema of the configuration: which keys there are, of what type and in what range.

Hydra merges the YAML of `conf` into these dataclasses, which gives types; `check` adds what types
cannot say: ranges, choices, and keys that ``+player.foo=1`` smuggles past a structured
configuration.  Values, and what they mean, stand in the YAML; every one of them must be given.

The schemas live in a group ``schema`` of their own, so that ``player=`` offers players alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.resources import files
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from experiments.commandline import Refusal, did_you_mean
from mcts.kernel.plugins import named

# Repeated from where they are defined, because ``--help`` must not import what imports Numba; a
# test compares them.
PLANNERS = (
    "bmcts",
    "ld_bmcts",
    "bmcts_or",
    "so_ismcts",
    "mo_ismcts",
    "pomcp",
    "pimc",
    "flat",
)
"""The players that search, as in `sim.players.PLANNERS`."""
SHOWING = ("random", "least_informative")
"""Ways to choose the card to show, as in `sim.policies.table.SHOWING`."""
IN_FLIGHT = ("none", "virtual_loss", "wu_uct")
"""Treatments of visits in flight, as in `mcts.selection.IN_FLIGHT`."""
FINAL = ("visits", "mean")
"""Ways to choose the move in the end, as in `mcts.options.FINAL`."""
MODES = ("tree", "leaf", "root")
"""Ways to search in parallel, as in `mcts.options.MODES`."""
MERGES = ("visits", "value", "vote")
"""Ways to merge the roots of several trees, as in `mcts.options.MERGES`."""
BELIEFS = ("exact", "factored", "constrained", "particles", "closure")
"""The beliefs that planners may hold, of those in `belief.table.BELIEFS`."""


def _policies() -> tuple[str, ...]:
    """Return the names of the compiled policies: those in ``conf/player`` that are no planner's,
    and those of other packages."""
    presets = files("conf").joinpath("player").iterdir()
    found = [
        re.search(r"(?m)^name: *(\w+)", each.read_text()) for each in presets if _is_yaml(each)
    ]
    ours = {name[1] for name in found if name} - set(PLANNERS)
    return tuple(sorted({*ours, *named("sleuth.policies")}))


def _is_yaml(path: Any) -> bool:
    return path.name.endswith(".yaml")


POLICIES = _policies()


def _one_of(*choices: str) -> Any:
    return field(default=MISSING, metadata={"choices": choices})


def _at_least(least: float) -> Any:
    return field(default=MISSING, metadata={"least": least})


def _between(above: float, most: float) -> Any:
    return field(default=MISSING, metadata={"above": above, "most": most})


@dataclass
class Seat:
    """What everybody who sits in a seat has; ``label`` is the name in results, null: `name`."""

    name: str = MISSING
    label: str | None = MISSING
    showing: str = _one_of(*SHOWING)


@dataclass
class Policy(Seat):
    """A compiled policy in a seat."""

    name: str = _one_of(*POLICIES)


@dataclass
class Heuristic(Policy):
    """The compiled policy that plays on the factored belief."""

    inference: bool = MISSING


@dataclass
class Greedy(Policy):
    """The compiled policy that plays on the exact belief."""

    threshold: float = _between(0, 1)
    doubt: float = _between(0, 1)


@dataclass
class Swift(Policy):
    """Its fast equal."""

    inference: bool = MISSING
    threshold: float = _between(0, 1)
    doubt: float = _between(0, 1)


@dataclass
class Model:
    """Switches of the policies that stand for the opponents; those that have none ignore them."""

    threshold: float = _between(0, 1)
    inference: bool = MISSING


@dataclass
class Rollout:
    """Who plays in roll-outs, and how far."""

    policy: str = _one_of(*POLICIES)
    threshold: float | None = _between(0, 1)
    opponents: str | None = _one_of(None, *POLICIES)
    horizon: int = _at_least(0)
    per_leaf: int = _at_least(1)


@dataclass
class Widening:
    """Progressive widening of the actions on offer at a node."""

    base: float = _at_least(0)
    exponent: float = _at_least(0)


@dataclass
class Actions:
    """Which actions a node offers."""

    offer: str = _one_of("all", "candidates")
    candidates: int = _at_least(1)
    accusations: int = _at_least(1)
    least_accused: float = _at_least(0)
    widening: Widening = field(default_factory=Widening)


@dataclass
class Search:
    """How the tree is searched."""

    mode: str = _one_of(*MODES)
    threads: int = _at_least(1)
    workers: int = _at_least(1)
    merge: str = _one_of(*MERGES)
    in_flight: str = _one_of(*IN_FLIGHT)
    virtual_loss: float = _at_least(0)
    exploration: float = _at_least(0)
    root_exploration: float | None = _at_least(0)
    common: bool = MISSING
    final: str = _one_of(*FINAL)
    keep_tree: bool = MISSING
    oversubscribe: bool = MISSING


@dataclass
class Budget:
    """When the search for one decision ends."""

    simulations: int | None = _at_least(1)
    seconds: float | None = _at_least(0)
    nodes: int | None = _at_least(1)


@dataclass
class Planner(Seat):
    """A player that searches."""

    name: str = _one_of(*PLANNERS)
    belief: str = _one_of(*BELIEFS)
    answers: str = _one_of("deal", "one_by_one")
    redraw: str = _one_of("simulation", "decision")
    trees: int = _at_least(1)
    doubt: float = _between(0, 1)
    merges: bool = MISSING
    opponents: str = _one_of("tree", *POLICIES)
    model: Model = field(default_factory=Model)
    rollout: Rollout = field(default_factory=Rollout)
    actions: Actions = field(default_factory=Actions)
    search: Search = field(default_factory=Search)
    budget: Budget = field(default_factory=Budget)


def _rules() -> type:
    """Return the schema of rules: the switches of ``ledford.yaml`` with the types they have there.

    `sim.rules.preset` checks values and combinations.
    """
    shipped = OmegaConf.load(files("conf").joinpath("rules/ledford.yaml"))
    switches = [(str(key), type(value)) for key, value in shipped.items() if key != "defaults"]
    return make_dataclass("Rules", [(*each, field(default=MISSING)) for each in switches])


Rules = _rules()


@dataclass
class Match:
    """How many games, in which seats, how many at a time."""

    games: int = _at_least(1)
    focal_seats: list[int] | None = MISSING
    workers: int | None = _at_least(1)


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
    """Where the results go, and how many games are written down."""

    folder: str = MISSING
    records: int = _at_least(0)


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
    seed: int = _at_least(0)


def register() -> None:
    """Make the schemas known to Hydra; to be called before anything is composed."""
    store = ConfigStore.instance()
    store.store("compare", Compare, group="schema")
    store.store("rules", Rules, group="schema")
    for name, schema in (
        ("policy", Policy),
        ("heuristic", Heuristic),
        ("greedy", Greedy),
        ("swift", Swift),
        ("planner", Planner),
    ):
        store.store(name, schema, group="schema/player")
    OmegaConf.register_new_resolver("choices", _choices, replace=True)


def _choices() -> str:
    """Return the groups and their options for ``--help``; Hydra's list would show the schemas."""
    folders = sorted(
        (each for each in files("conf").iterdir() if each.is_dir()), key=lambda each: each.name
    )
    named = {
        folder.name: sorted(each.name[:-5] for each in folder.iterdir() if ".yaml" in each.name)
        for folder in folders
    }
    return "\n".join(f"{group}: {', '.join(names)}" for group, names in named.items() if names)


def check(config: DictConfig) -> None:
    """Refuse what the types let through: unknown or missing keys, choices, ranges.

    Raises
    ------
    Refusal
        With the first fault found, in one sentence that names the key.
    """
    check_sections(config)
    match = config.match
    seats = match.focal_seats
    if seats is not None:
        if not seats or len(set(seats)) < len(seats):
            raise Refusal("match.focal_seats must list different seats, or be null for all")
        if min(seats) < 0 or max(seats) >= config.rules.players:
            raise Refusal(f"match.focal_seats must lie between 0 and {config.rules.players - 1}")
    for key in ("player", "opponent"):
        budget = config[key].get("budget")
        if budget is not None and budget.simulations is None and budget.seconds is None:
            raise Refusal(f"{key}.budget needs simulations or seconds")
    if config.ray.address is None:
        check_cores(config, cores())


def check_sections(config: DictConfig) -> None:
    """Refuse unknown or missing keys, choices and ranges in any configuration; as `check`."""
    for key, node, schema in _sections(config, ""):
        _check_section(key, node, schema)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(config: DictConfig) -> int:
    """Return how many threads one game keeps busy, in whatever processes."""
    return max(
        (each.threads * (each.workers if each.mode == "root" else 1) for each in _searches(config)),
        default=1,
    )


def rooted(config: DictConfig) -> bool:
    """Tell whether a player searches in Ray actors, which reserve their own cores."""
    return any(each.mode == "root" for each in _searches(config))


def _searches(config: DictConfig) -> list[DictConfig]:
    """Return how those of both players search that do."""
    found = (config[key].get("search") for key in ("player", "opponent"))
    return [search for search in found if search is not None]


def workers(config: DictConfig, available: int) -> int:
    """Return how many games are to be played at the same time on ``available`` cores."""
    chosen = config.match.workers
    return max(1, available // threads(config)) if chosen is None else chosen


def check_cores(config: DictConfig, available: int) -> None:
    """Refuse more workers and threads than cores, unless the player says that it is meant."""
    if any(search.oversubscribe for search in _searches(config)):
        return
    wanted = workers(config, available) * threads(config)
    if wanted > available:
        raise Refusal(
            f"match.workers x search.threads is {wanted}, but there are {available} cores: "
            "lower one of them"
            + (" or set player.search.oversubscribe=true" if "search" in config.player else "")
        )


def _sections(node: DictConfig, path: str) -> Iterator[tuple[str, DictConfig, type]]:
    """Yield each section with its dotted path and the dataclass that describes it."""
    schema = OmegaConf.get_type(node)
    if not hasattr(schema, "__dataclass_fields__"):
        if node.get("name") in named("sleuth.players"):  # knows its settings itself
            return
        raise Refusal(f"{path}: there is no such setting")
    yield path, node, schema
    for described in fields(schema):
        if described.name in node and not OmegaConf.is_missing(node, described.name):
            below = node[described.name]
            if isinstance(below, DictConfig):
                yield from _sections(below, f"{path}.{described.name}".lstrip("."))


def _check_section(path: str, node: DictConfig, schema: type) -> None:
    described = {each.name: each for each in fields(schema)}
    for name in node:
        if name not in described:
            key = f"{path}.{name}".lstrip(".")
            raise Refusal(f"{key}: there is no such setting{did_you_mean(str(name), described)}")
    for name, each in described.items():
        key = f"{path}.{name}".lstrip(".")
        if name not in node or OmegaConf.is_missing(node, name):
            raise Refusal(f"{key} is missing: give it a value")
        _check_value(key, node[name], each.metadata)


def _check_value(key: str, value: Any, limits: Any) -> None:
    choices = limits.get("choices")
    if choices is not None and value not in choices:
        raise Refusal(
            f"{key}={value}: choose one of {', '.join(choices)}{did_you_mean(value, choices)}"
        )
    least = limits.get("least")
    # Not `value < least`, which lets NaN through.
    if least is not None and value is not None and not value >= least:
        raise Refusal(f"{key}={value}: must be at least {least}")
    above = limits.get("above")
    if above is not None and value is not None and not above < value <= limits["most"]:
        raise Refusal(f"{key}={value}: must be above {above} and at most {limits['most']}")
