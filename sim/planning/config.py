"""How a planner sees the game and searches it: all that can be chosen, and what does not fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from belief.beliefs import registry
from mcts.options import Budget, Options
from sim.models.types import Mixture
from sim.planning.released.departures import Departures, refuse_misfits
from sim.planning.variants import VARIANTS, Variant
from sim.planning.ways import BELIEFS, MIXTURE, NODES, POLICY, RANGES
from sim.policies.table import FAST_NAMES, MOST, REQUIRES, Policy, number, policy, switches_of
from sim.state import EVIDENCE

TREE = "tree"
"""In place of a policy of the opponents: the tree moves them."""


@dataclass(frozen=True)
class PlannerConfig:
    """How a planner sees the game and searches it; ValueError on an impossible value.

    Attributes
    ----------
    variant : one of `sim.planning.variants.VARIANTS`
    belief : registered belief that deals are drawn from.  One of `sim.planning.ways.BELIEFS` also
        ranks actions at the nodes and says what accusations there are worth; for any other, which
        must be logical, ``constrained`` does that
    predictive_answers : answers are drawn from the propagated belief (``factored``), not from a
    deal
    redraw : LD-BMCTS draws its envelope each ``simulation`` or once a ``decision``
    trees : of PIMC, one a deal
    own_card_weight : weight that somebody who names a suspect or weapon holds it, beside that it
    does not; 1
        reads nothing into suggestions; with a belief other than ``exact`` only the nodes use it;
        None: that of the best response, else the one fitted to the model (`sim.models.own_cards`)
    transpositions : nodes are keyed by what bears on belief and choices alone (not for ISMCTS)
    opponents, rollout, rollout_opponents : policies that move the others in the tree, the own seat
        in roll-outs and the others there (None: as in the tree): names, or `Policy` with switches;
        ``greedy`` is too slow.  ISMCTS moves the others by the ``tree``
    mixture : types from which each simulation draws the opponents', by what they have done so far
        (`sim.models`), in place of ``opponents``; the best response and
        ``own_card_weight`` are then those of the types
    best_response : the own seat plays in roll-outs with those switches of its policy that win most
        games against the model (`sim.models.best_response`), found when the first game begins
    horizon : turns after which a roll-out is cut off and estimated; 0: none, or at once if there is
        a win model
    model_share : what the win model counts for at a leaf beside the roll-out; 0: it is not asked,
        1: after ``horizon`` turns nothing is played
    win_model : its file or name; None: that of the kind of opponents
    candidates : actions of a kind that a node offers, best net bits first; 0 offers all
    informative : how many of these by own information alone
    hiding, summoning : prices, in own bits, of a bit that the opponents gain and of calling one of
        them, where candidates are ranked; None: those of the policy in roll-outs
    accusations, least_accused : a node offers to accuse so many envelopes, the likeliest, and
        only those above this probability
    departures : what the planner does as the program of the thesis does, and not as its text says
        (`sim.planning.released`)
    options, budget : see `mcts.options`
    """

    variant: str = "bmcts"
    belief: str = "exact"
    predictive_answers: bool = False
    redraw: str = "simulation"
    trees: int = 20
    own_card_weight: float | None = 1.0
    transpositions: bool = True
    opponents: Policy | str = "heuristic"
    rollout: Policy | str = "swift"
    rollout_opponents: Policy | str | None = None
    mixture: Mixture | None = None
    best_response: bool = False
    horizon: int = 0
    model_share: float = 0.0
    win_model: str | None = None
    candidates: int = 6
    informative: int = 0
    hiding: float | None = 0.0
    summoning: float | None = 0.0
    accusations: int = 1
    least_accused: float = 0.0
    departures: Departures = field(default_factory=Departures)
    options: Options = field(
        default_factory=lambda: Options(exploration=0.2, root_exploration=0.7, nodes=1001)
    )
    budget: Budget = field(default_factory=lambda: Budget(simulations=1000))

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(
                f"unknown planner {self.variant!r}: choose one of {', '.join(VARIANTS)}"
            )
        self._check_belief()
        if self.predictive_answers and self.belief != "factored":
            raise ValueError(
                f"answers are drawn one by one from the factored belief, not from {self.belief}"
            )
        if self.predictive_answers and (self.how.reward_from_deal or self.how.movers != POLICY):
            raise ValueError(
                f"{self.variant} plays with a deal: its answers cannot come one by one"
            )
        if self.predictive_answers:
            self._ask_for_beliefs()
        if self.options.keep_tree and (self.how.clairvoyant or self.how.movers != POLICY):
            raise ValueError(f"{self.variant} keeps no tree: keep_tree must be false")
        if self.options.outcomes_base:
            self._ask_for_redrawing()
        if self.redraw not in ("simulation", "decision"):
            raise ValueError(f"redraw must be simulation or decision, not {self.redraw!r}")
        if self.mixture is not None:
            self._ask_for_deals()
        refuse_misfits(self.departures, self._by_the_text())
        by_tree = self.how.movers != POLICY
        if by_tree != (self.opponents == TREE):
            raise ValueError(
                f"{self.variant} moves its opponents by {'the tree' if by_tree else 'a policy'}: "
                f"opponents must {'' if by_tree else 'not '}be {TREE}"
            )
        if not by_tree:
            later, own = self.model, policy(self.opponents)
            for name in {*switches_of(later.name)} & {*switches_of(own.name)}:
                if getattr(later, name) != getattr(own, name):
                    raise ValueError(f"{name} of opponents and rollout_opponents must be the same")
        if not 0.0 <= self.model_share <= 1.0:
            raise ValueError(f"model_share must be from 0 to 1, got {self.model_share}")
        for name in ("horizon", "model_share"):
            if by_tree and getattr(self, name):
                raise ValueError(
                    f"{name} must be 0 for {self.variant}: it estimates for one seat alone"
                )
        for simulated in (self.model, self.rollout):
            name = policy(simulated).name
            number(name)
            if name not in FAST_NAMES:
                raise ValueError(f"{name} is too slow inside a simulation: model it by swift")
        for name, (least, most) in RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be {least} to {most:,}, got {getattr(self, name)}")
        if not 0.0 <= self.least_accused < 1.0:
            raise ValueError(f"least_accused must be from 0 to below 1, got {self.least_accused}")
        for name in ("hiding", "summoning"):
            price = getattr(self, name)
            if price is not None and not 0.0 <= price <= MOST:
                raise ValueError(f"{name} must be from 0 to {MOST:g}, got {price}")
        if self.own_card_weight is not None and not 0.0 < self.own_card_weight <= MOST:
            raise ValueError(
                f"own_card_weight must be above 0 and at most {MOST:g}, got {self.own_card_weight}"
            )

    def _check_belief(self) -> None:
        """Refuse beliefs that nodes cannot hold and whose deals may contradict the answers."""
        usable = [
            name for name, known in registry.BELIEFS.items() if name in BELIEFS or known.logical
        ]
        if self.belief in usable:
            return
        fault = "may contradict the answers" if self.belief in registry.BELIEFS else "unknown"
        raise ValueError(f"belief={self.belief}: {fault}; choose one of {', '.join(usable)}")

    def _ask_for_beliefs(self) -> None:
        """Refuse what needs a deal, where there is none before the roll-out or at all."""
        policies = [self.opponents] if self.how.resample_at_leaf else [self.opponents, self.model]
        for name in (policy(which).name for which in policies):
            if REQUIRES[number(name)] & EVIDENCE:
                raise ValueError(f"{name} has no evidence to go by where answers come one by one")
        for name in ("horizon", "model_share"):
            if getattr(self, name) and not self.how.resample_at_leaf:
                raise ValueError(f"{name} must be 0 where answers come one by one")

    def _by_the_text(self) -> dict[str, Any]:
        """Return what departures depart from, by its names in the configuration."""
        return {
            "name": self.variant,
            "answers": "predictive" if self.predictive_answers else "deal",
            "opponents": MIXTURE
            if self.mixture
            else getattr(self.opponents, "name", self.opponents),
            "rollout.policy": policy(self.rollout).name,
            "rollout.opponents": self.model.name,
            "rollout.best_response": self.best_response,
            "own_card_weight": self.own_card_weight,
            "actions.offer": "candidates" if self.candidates else "all",
            "redraw": self.redraw,
            "search.mode": self.options.mode,
            "search.keep_tree": self.options.keep_tree,
        }

    def _ask_for_redrawing(self) -> None:
        """Refuse planners whose simulations cannot go on from what another one saw."""
        if self.belief != "exact":
            raise ValueError(
                f"outcomes_base must be 0 with the belief {self.belief}: what is hidden at a node "
                "is drawn from the exact one"
            )
        once = self.redraw == "decision" and self.how.determinize_envelope
        if once or self.how.clairvoyant or self.how.movers != POLICY:
            raise ValueError(
                f"outcomes_base must be 0 for {self.variant}, whose deal is not drawn anew"
            )

    def _ask_for_deals(self) -> None:
        """Refuse what cannot draw the opponents' policies."""
        if self.how.movers != POLICY or self.how.clairvoyant or self.how.resample_at_leaf:
            raise ValueError(f"{self.variant} cannot play against a mixture of opponents")
        if self.belief != "exact" or self.predictive_answers:
            raise ValueError("a mixture of opponents needs belief=exact and answers=deal")
        if self.rollout_opponents is not None:
            raise ValueError("a mixture of opponents plays in roll-outs as well")

    @property
    def model(self) -> Policy:
        """What the others play in roll-outs, and in the tree unless that moves them."""
        chosen = self.rollout_opponents
        if chosen is None:
            chosen = "swift" if self.opponents == TREE else self.opponents
        return policy(chosen)

    @property
    def node_belief(self) -> str:
        """Belief that ranks actions at the nodes, one of `sim.planning.ways.BELIEFS`."""
        return self.belief if self.belief in BELIEFS else NODES

    @property
    def how(self) -> Variant:
        """What makes the planner that ``variant`` names."""
        return VARIANTS[self.variant]

    @property
    def search_options(self) -> Options:
        """``options`` as the variant searches: its rule of selection, no tree where it has none."""
        how = self.how
        nodes = self.options.nodes if how.builds_tree else 1
        selection = "weighted" if self.departures.tree_opponents else how.selection
        return replace(self.options, selection=selection, nodes=nodes)
