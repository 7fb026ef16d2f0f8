"""Configuration of a planner: its model of the game, its search, and invalid combinations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from belief.beliefs import registry
from mcts.limits import above, between, check, one_of
from mcts.options import Budget, Options
from sim.models.types import Mixture
from sim.planning.variants import (
    ANSWERS,
    BELIEFS,
    DEAL,
    LIGHTLY_DETERMINIZED,
    NODES,
    POLICY,
    PREDICTIVE,
    VARIANTS,
    Variant,
)
from sim.policies.common import HIGHEST
from sim.policies.registry import FAST_NAMES, REQUIRES, Policy, number, policy, switches_of
from sim.state import EVIDENCE

TREE = "tree"
"""Instead of an opponent policy: the tree moves the opponents."""


def find_beliefs() -> list[str]:
    """Return the beliefs for planners, plug-ins included: beliefs of nodes and logical ones."""
    return [name for name, known in registry.BELIEFS.items() if name in BELIEFS or known.logical]


@dataclass(frozen=True)
class PlannerConfig:
    """A planner's model of the game and its search; ValueError for an impossible value.

    Attributes
    ----------
    variant : one of `sim.planning.variants.VARIANTS`
    belief : registered belief that deals are drawn from.  One of `sim.planning.variants.BELIEFS`
        also ranks actions and values accusations at nodes; any other must be logical, and nodes use
        ``constrained``
    answers : one of `sim.planning.variants.ANSWERS`: answers of a drawn ``deal``, or
        ``predictive``, drawn one by one from the propagated belief (``factored``)
    redraw : LD-BMCTS draws its envelope once per ``simulation`` or per ``decision``
    trees : number of PIMC trees, one per deal
    own_card_weight : relative weight that a player holds a card it names; 1 ignores suggestions;
        with a belief other than ``exact`` only nodes use it; None: the weight of the best
        response, else the weight fitted to the model (`sim.models.own_cards`)
    transpositions : node keys include only information relevant to belief and choices (not for
        ISMCTS)
    opponents, rollout, rollout_opponents : policies of the others in the tree, of the own seat in
        roll-outs, and of the others there (None: as in the tree): names, or `Policy` with switches;
        ``greedy`` is too slow.  ISMCTS moves the others by the ``tree``
    mixture : types from which simulations draw the opponents by their past decisions
        (`sim.models`), instead of ``opponents``; best response and ``own_card_weight`` then follow
        the types
    best_response : in roll-outs the own policy has the switches that win the most games against the
        model (`sim.models.best_response`), computed when the first game begins
    candidates : number of actions per kind that a node offers, by net bits; 0 offers all
    hiding, summoning : prices, in own bits, of a bit that the opponents gain and of moving the pawn
        of one, in the ranking of candidates; None: those of the roll-out policy
    accusations, least_accused : maximum number and minimum probability of accusations offered at a
        node
    patience : minimum margin of an accusation's probability over the value of continuing, because
        the planner plays better than its roll-outs; certain accusations need none
    options, budget : see `mcts.options`
    """

    variant: str = one_of(*VARIANTS, default="bmcts")
    belief: str = one_of(find_beliefs, default="exact")
    answers: str = one_of(*ANSWERS, default="deal")
    redraw: str = one_of("simulation", "decision", default="simulation")
    trees: int = between(1, 10_000, default=20)
    own_card_weight: float | None = above(0, HIGHEST, default=1.0)
    transpositions: bool = True
    opponents: Policy | str = "heuristic"
    rollout: Policy | str = "swift"
    rollout_opponents: Policy | str | None = None
    mixture: Mixture | None = None
    best_response: bool = False
    candidates: int = between(0, 1000, default=6)
    hiding: float | None = between(0, HIGHEST, default=0.0)
    summoning: float | None = between(0, HIGHEST, default=0.0)
    accusations: int = between(1, 8, default=1)
    least_accused: float = between(0, 1, default=0.0)
    patience: float = between(0, 1, default=0.0)
    options: Options = field(
        default_factory=lambda: Options(exploration=0.2, root_exploration=0.7, nodes=1001)
    )
    budget: Budget = field(default_factory=lambda: Budget(simulations=1000))

    def __post_init__(self) -> None:
        check(self)
        predictive = self.answer_source != DEAL
        if predictive and self.belief != "factored":
            raise ValueError(
                f"answers are drawn one by one from the factored belief, not from {self.belief}"
            )
        if predictive and (self.how.reward_from_deal or self.how.movers != POLICY):
            raise ValueError(
                f"{self.variant} plays with a deal: its answers cannot come one by one"
            )
        if predictive:
            self._ask_for_beliefs()
        if self.options.keep_tree and (self.how.clairvoyant or self.how.movers != POLICY):
            raise ValueError(f"{self.variant} keeps no tree: keep_tree must be false")
        if self.mixture is not None:
            self._ask_for_deals()
        if self.options.action_types and self.selection != "uct":
            raise ValueError(
                f"action_types must be false for {self.variant}, which selects by {self.selection}"
            )
        by_tree = self.how.movers != POLICY
        if self.options.pruning and by_tree:
            raise ValueError(f"pruning must be 0 for {self.variant}, whose tree moves all seats")
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
        for simulated in (self.model, self.rollout):
            name = policy(simulated).name
            number(name)
            if name not in FAST_NAMES:
                raise ValueError(f"{name} is too slow inside a simulation: model it by swift")

    def _ask_for_beliefs(self) -> None:
        """Raise ValueError if a policy needs evidence where simulations have no deal."""
        policies = [self.opponents] if self.how.resample_at_leaf else [self.opponents, self.model]
        for name in (policy(which).name for which in policies):
            if REQUIRES[number(name)] & EVIDENCE:
                raise ValueError(f"{name} needs evidence, but predictive answers provide none")

    def _ask_for_deals(self) -> None:
        """Raise ValueError if the planner cannot draw opponents from a mixture."""
        if self.how.movers != POLICY or self.how.clairvoyant or self.how.resample_at_leaf:
            raise ValueError(f"{self.variant} cannot play against a mixture of opponents")
        if self.belief != "exact" or self.answer_source != DEAL:
            raise ValueError("a mixture of opponents needs belief=exact and answers=deal")
        if self.rollout_opponents is not None:
            raise ValueError("a mixture also plays in roll-outs: rollout_opponents must be None")

    @property
    def model(self) -> Policy:
        """Policy of the others in roll-outs, and in the tree unless the tree moves them."""
        chosen = self.rollout_opponents
        if chosen is None:
            chosen = "swift" if self.opponents == TREE else self.opponents
        return policy(chosen)

    @property
    def node_belief(self) -> str:
        """Belief that ranks actions at the nodes, one of `sim.planning.variants.BELIEFS`."""
        return self.belief if self.belief in BELIEFS else NODES

    @property
    def how(self) -> Variant:
        """Parts of the planner ``variant``."""
        return VARIANTS[self.variant]

    @property
    def answer_source(self) -> int:
        """The source of answers, one of `DEAL`, `PREDICTIVE`, `LIGHTLY_DETERMINIZED`."""
        if self.answers == "deal":
            return DEAL
        return LIGHTLY_DETERMINIZED if self.how.determinize_envelope else PREDICTIVE

    @property
    def summary(self) -> str:
        """Short description."""
        budget = self.budget
        effort = [f"{budget.simulations:,} simulations"] if budget.simulations else []
        effort += [f"{budget.seconds} s"] if budget.seconds else []
        others = getattr(self.opponents, "name", self.opponents)
        against = "a mixture" if self.mixture else others
        return f"{self.variant}, {self.belief} belief, {' or '.join(effort)}, against {against}"

    @property
    def search_options(self) -> Options:
        """``options`` with the variant's selection rule, and one node for variants without tree."""
        nodes = self.options.nodes if self.how.builds_tree else 1
        return replace(self.options, selection=self.selection, nodes=nodes)

    @property
    def selection(self) -> str:
        """The selection rule, one of `mcts.options.SELECTION`."""
        return self.how.selection
