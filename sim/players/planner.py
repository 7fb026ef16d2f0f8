"""Settings of a planner, in the sections of ``conf/player/bmcts.yaml``.

Fields and ranges are those of `PlannerConfig`, `mcts.options` or a policy.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, make_dataclass
from typing import Any, ClassVar, get_type_hints

from belief.beliefs.registry import BELIEFS
from mcts import options
from mcts.limits import like, one_of
from mcts.options import MOST_NODES
from sim.models.types import mixture
from sim.planning.config import TREE, PlannerConfig
from sim.planning.planner import Planner
from sim.planning.variants import ANSWERS, MIXTURE, VARIANTS
from sim.policies import csp, hide
from sim.policies.registry import NAMES, Policy, switches_of
from sim.rules import Rules
from sim.seat import Seat

_ELSEWHERE = {"selection", "widening_base", "widening_exponent", "rollouts_per_leaf"} | {
    "nodes",
    "edges",
    *("unit", "halving"),
}
"""Search options in other sections, or set by the planner."""


@dataclass(kw_only=True)
class ModelSwitches:
    """Switches of the opponent policies; a policy ignores switches that it lacks."""

    threshold: float = like(hide.Switches, "threshold")
    inference: bool
    own_card_weight: float = like(hide.Switches, "own_card_weight")
    walk: str = like(csp.Switches, "walk")
    hiding: float = like(hide.Switches, "hiding")
    summoning: float = like(hide.Switches, "summoning")
    by_out: float = like(hide.Switches, "by_out")


Search: Any = make_dataclass(
    "Search",
    [
        (each.name, hint, like(options.Options, each.name))
        for each in fields(options.Options)
        for hint in (get_type_hints(options.Options)[each.name],)
        if each.name not in _ELSEWHERE
    ],
)
"""Options of the search."""


@dataclass(kw_only=True)
class Rollout:
    """Policies in roll-outs."""

    policy: str = one_of(*NAMES)
    best_response: bool
    threshold: float = like(hide.Switches, "threshold")
    hiding: float = like(hide.Switches, "hiding")
    summoning: float = like(hide.Switches, "summoning")
    by_out: float = like(hide.Switches, "by_out")
    opponents: str | None = one_of(None, *NAMES)


@dataclass(kw_only=True)
class Widening:
    """Progressive widening of a node's actions."""

    base: float = like(options.Options, "widening_base")
    exponent: float = like(options.Options, "widening_exponent")


@dataclass(kw_only=True)
class Actions:
    """Actions offered at a node."""

    offer: str = one_of("all", "candidates")
    candidates: int = like(PlannerConfig, "candidates")
    hiding: float | None = like(PlannerConfig, "hiding")
    summoning: float | None = like(PlannerConfig, "summoning")
    accusations: int = like(PlannerConfig, "accusations")
    least_accused: float = like(PlannerConfig, "least_accused")
    patience: float = like(PlannerConfig, "patience")
    widening: Widening


@dataclass(kw_only=True)
class Budget:
    """Limits of the search for one decision."""

    simulations: int | None = like(options.Budget, "simulations")
    seconds: float | None = like(options.Budget, "seconds")
    nodes: int | None = like(options.Options, "nodes")


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of a planner."""

    name: str = one_of(*VARIANTS)
    belief: str = like(PlannerConfig, "belief")
    answers: str = one_of(*ANSWERS)
    redraw: str = like(PlannerConfig, "redraw")
    trees: int = like(PlannerConfig, "trees")
    own_card_weight: float | None = like(PlannerConfig, "own_card_weight")
    transpositions: bool
    opponents: str = one_of(TREE, MIXTURE, *NAMES)
    mixture: str
    model: ModelSwitches
    rollout: Rollout
    actions: Actions
    search: Search
    budget: Budget

    CONFIG: ClassVar[type[PlannerConfig]] = PlannerConfig
    PLANNER: ClassVar[type[Planner]] = Planner

    def make(self, rules: Rules) -> Planner:
        """Return the planner; ValueError for settings in conflict with each other or ``rules``."""
        config = self.configure()
        if BELIEFS[config.belief].needs_shares and not rules.shares:
            raise ValueError(f"belief={config.belief}: needs rules with hands by category (shares)")
        player = self.PLANNER(config, self.title)
        player.showing = self.showing
        return player

    def configure(self) -> PlannerConfig:
        """Return the configuration of the planner; ValueError like `PlannerConfig`."""
        actions, budget, rollout = self.actions, self.budget, self.rollout
        mixed = mixture(self.mixture) if self.opponents == MIXTURE else None
        others = rollout.opponents
        known = {each.name for each in fields(self.CONFIG)}
        sections = {**vars(rollout), **vars(actions), **vars(self)}
        values = {name: value for name, value in sections.items() if name in known}
        values |= {
            "variant": self.name,
            "opponents": mixed.likeliest if mixed else choose_policy(self.opponents, self.model),
            "rollout": choose_policy(rollout.policy, rollout),
            "rollout_opponents": None if others is None else choose_policy(others, self.model),
            "mixture": mixed,
            "candidates": actions.candidates if actions.offer == "candidates" else 0,
            "options": options.Options(
                **asdict(self.search),
                widening_base=actions.widening.base,
                widening_exponent=actions.widening.exponent,
                nodes=_count_nodes(budget, self.search.keep_tree),
            ),
            "budget": options.Budget(simulations=budget.simulations, seconds=budget.seconds),
        }
        return self.CONFIG(**values)


def choose_policy(name: str, switches: Any) -> Policy | str:
    """Return policy ``name`` with its switches from ``switches``; returns `TREE` unchanged."""
    if name == TREE:
        return name
    has = [switch for switch in switches_of(name) if hasattr(switches, switch)]
    return Policy(name, **{switch: getattr(switches, switch) for switch in has})


def _count_nodes(budget: Budget, keeps: bool) -> int:
    """Return the nodes to allocate: as given, else one per simulation, else 100,000."""
    if budget.nodes is not None:
        return budget.nodes
    if budget.simulations is None:
        return 100_000
    nodes = (4 if keeps else 1) * budget.simulations + 1
    if nodes > MOST_NODES:
        raise ValueError(
            f"budget.simulations={budget.simulations} would make a tree of {nodes:,} nodes, of "
            f"at most {MOST_NODES:,}: give budget.nodes"
        )
    return nodes
