"""The planners' seat: it keeps what it has seen, and searches before each decision.

It is handed views and events by the referee; the belief, the search and the choice are its own.
A decision with one legal action, or one on offer, is not searched.

    planner = Planner(Plan("bmcts", opponents="swift"))
    planner.begin(rules, seat, view, key)
    action = planner.decide(view)
    planner.result, planner.search.tree
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from belief import evidence, exact
from belief.contract import Belief
from belief.evidence import CARDS, EvidenceFull
from belief.plan import compact
from belief.table import make
from mcts.domain import observation
from mcts.kernel.rng import named, new_stream
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.search import Search, SearchResult
from mcts.searcher import Searcher, searcher
from sim.domains import believing
from sim.domains.cluedo import Cluedo, Workspace, offer, workspace
from sim.domains.others import POLICY
from sim.forms import FORMS, Form
from sim.game import legal
from sim.heard import heard, setting_of
from sim.player import Player
from sim.policies.table import (
    FAST_NAMES,
    TRACKS,
    Policy,
    number,
    policy,
    seat_policy,
    switches_of,
)
from sim.rules import Rules, world
from sim.state import ACCUSE, EVENTS, EXTERNAL, FACTS, MATRIX, MAX_PLAYERS, N_ACTIONS, REVEAL
from sim.stopping import best_response
from sim.view import Log, relive

TREE = "tree"
"""In place of a policy of the opponents: the tree moves them."""

_AMPLE = 100
"""Turns in which a seat that plays alone is sure to find everything out."""

_DEALS = 1000
"""Deals drawn at once from a belief that cannot draw them inside a simulation."""


@dataclass(frozen=True)
class Plan:
    """How a planner sees the game and searches it; ValueError on an impossible value.

    Attributes
    ----------
    form : one of `sim.forms.FORMS`
    belief : what deals are drawn from, what ranks actions at the nodes and what accusations there
        are worth; ``particles`` draws deals alone, and the nodes use ``constrained``
    one_by_one : answers are drawn from the propagated belief (``factored``), not from a deal
    redraw : LD-BMCTS draws its envelope each ``simulation`` or once a ``decision``
    trees : of PIMC, one a deal
    doubt : weight that somebody who names a suspect or weapon holds it, beside that it does not; 1
        reads nothing into suggestions; with a belief other than ``exact`` only the nodes use it
    merges : nodes are keyed by what bears on belief and choices alone (not for ISMCTS)
    opponents, rollout, rollout_opponents : policies that move the others in the tree, the own seat
        in roll-outs and the others there (None: as in the tree): names, or `Policy` with switches;
        ``greedy`` is too slow.  ISMCTS moves the others by the ``tree``
    responds : the own seat accuses in roll-outs from the probability on that wins most games
        against the model (`sim.stopping`), found when the first game begins
    horizon : turns after which a roll-out is cut off and estimated; 0: none
    candidates : actions of a kind that a node offers, best information first; 0 offers all
    accusations, least_accused : a node offers to accuse so many envelopes, the likeliest, and
        only those above this probability
    options, budget : see `mcts.options`
    """

    form: str = "bmcts"
    belief: str = "exact"
    one_by_one: bool = False
    redraw: str = "simulation"
    trees: int = 20
    doubt: float = 1.0
    merges: bool = True
    opponents: Policy | str = "heuristic"
    rollout: Policy | str = "swift"
    rollout_opponents: Policy | str | None = None
    responds: bool = False
    horizon: int = 0
    candidates: int = 6
    accusations: int = 1
    least_accused: float = 0.0
    options: Options = field(
        default_factory=lambda: Options(exploration=0.2, root_exploration=0.7, nodes=1001)
    )
    budget: Budget = field(default_factory=lambda: Budget(simulations=1000))

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"unknown planner {self.form!r}: choose one of {', '.join(FORMS)}")
        known = (*believing.BELIEFS, "particles")
        if self.belief not in known:
            raise ValueError(f"unknown belief {self.belief!r}: choose one of {', '.join(known)}")
        if self.one_by_one and self.belief != "factored":
            raise ValueError(
                f"answers are drawn one by one from the factored belief, not from {self.belief}"
            )
        if self.one_by_one and (self.how.pays_deal or self.how.movers != POLICY):
            raise ValueError(f"{self.form} plays with a deal: its answers cannot come one by one")
        if self.one_by_one:
            self._ask_for_beliefs()
        if self.options.keep_tree and (self.how.open_cards or self.how.movers != POLICY):
            raise ValueError(f"{self.form} keeps no tree: keep_tree must be false")
        if self.redraw not in ("simulation", "decision"):
            raise ValueError(f"redraw must be simulation or decision, not {self.redraw!r}")
        by_tree = self.how.movers != POLICY
        if by_tree != (self.opponents == TREE):
            raise ValueError(
                f"{self.form} moves its opponents by {'the tree' if by_tree else 'a policy'}: "
                f"opponents must {'' if by_tree else 'not '}be {TREE}"
            )
        for each in (self.model, self.rollout):
            name = policy(each).name
            number(name)
            if name not in FAST_NAMES:
                raise ValueError(f"{name} is too slow inside a simulation: model it by swift")
        for name, least in (("trees", 1), ("horizon", 0), ("candidates", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}")
        if not 1 <= self.accusations <= 8:
            raise ValueError(f"accusations must be 1 to 8, got {self.accusations}")
        if not 0.0 <= self.least_accused < 1.0:
            raise ValueError(f"least_accused must be from 0 to below 1, got {self.least_accused}")
        if not 0.0 < self.doubt <= 1.0:
            raise ValueError(f"doubt must be above 0 and at most 1, got {self.doubt}")

    def _ask_for_beliefs(self) -> None:
        """Refuse what needs a deal, where there is none before the roll-out or at all."""
        policies = [self.opponents] if self.how.redeals else [self.opponents, self.model]
        for name in (policy(each).name for each in policies):
            if TRACKS[number(name)] & FACTS:
                raise ValueError(f"{name} has no evidence to go by where answers come one by one")
        if self.horizon and not self.how.redeals:
            raise ValueError("horizon must be 0 where answers come one by one")

    @property
    def model(self) -> Policy:
        """What the others play in roll-outs, and in the tree unless that moves them."""
        chosen = self.rollout_opponents
        if chosen is None:
            chosen = "swift" if self.opponents == TREE else self.opponents
        return policy(chosen)

    @property
    def how(self) -> Form:
        """The form that ``form`` names."""
        return FORMS[self.form]

    @property
    def search_options(self) -> Options:
        """``options`` as this form searches: its rule of selection, no tree where it has none."""
        how = self.how
        nodes = self.options.nodes if how.grows else 1
        return replace(self.options, selection=how.selection, nodes=nodes)


class Planner(Player):
    """Any of the planners, in one seat.

    Attributes
    ----------
    plan : how it searches
    search : the searcher with the tree of the last search, once there was one
    result : the last search
    """

    def __init__(self, plan: Plan | None = None, name: str | None = None) -> None:
        self.plan = plan or Plan()
        super().__init__(name or self.plan.form)
        self.result: SearchResult | None = None
        self.search: Searcher | None = None
        self._posterior = exact.workspace()
        self._spare: Workspace | None = None
        self._choices = np.empty(N_ACTIONS, np.int64)
        self._notes = np.empty(N_ACTIONS)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game; searches draw from streams below ``key``."""
        self.decisions = self.simulations = 0
        self.search_seconds = 0.0
        if rules != getattr(self, "_rules", rules):  # other players need other workspaces
            self.search = self._spare = None
        self._rules, self._world, self._seat, self._key = rules, world(rules), seat, key
        self._own = replace(policy(self.plan.rollout), showing=self.showing)
        if "doubt" in switches_of(self._own.name):
            self._own = replace(self._own, doubt=self.plan.doubt)
        if self.plan.responds:
            self._own = best_response(rules, self._own, self.plan.model)
        self._log = Log()
        self._last: tuple[int, int] | None = None
        self._belief: Belief | None = None
        self._taken_in = 0
        if self.plan.belief != "exact":
            hand, face_up = int(view[0].hand[seat]), int(view[0].face_up)
            stream = new_stream(named(key, 1))
            setting = setting_of(rules, seat, hand, face_up)
            self._belief = make(self.plan.belief, setting, stream)

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Add a suggestion to the log."""
        self._log.append(event)

    def position(self, view: np.recarray) -> Cluedo:
        """Return the position to search, from what this seat has seen alone.

        Raises
        ------
        belief.evidence.ContradictoryEvidence
            If no deal explains what was seen.
        belief.evidence.EvidenceFull
            If the posterior does not fit into memory.
        belief.particles.ParticleDeprivation
            If no particle is left.
        """
        plan, seat = self.plan, self._seat
        root = self._root(view)
        if plan.belief == "exact":
            self._solve(root[0].evidence[seat])
        particles = plan.belief == "particles"
        return Cluedo(
            world=self._world,
            root=root,
            posterior=self._posterior,
            states=len(self._posterior.key),
            deals=self._deals(new_stream(named(self._key, self.decisions, 2))),
            events=self._log.events,
            seat=seat,
            answers=plan.how.answers(plan.one_by_one),
            belief=believing.BELIEFS.index("constrained" if particles else plan.belief),
            movers=plan.how.movers,
            pays_deal=int(plan.how.pays_deal),
            redeals=int(plan.how.redeals),
            merges=int(plan.merges and plan.how.movers == POLICY),
            open_cards=int(plan.how.open_cards),
            policies=self._policies(),
            horizon=plan.horizon,
            candidates=plan.candidates,
            accusations=plan.accusations,
            least_accused=float(plan.least_accused),
        )

    def decide(self, view: np.recarray) -> int:
        """Return the action that a search from ``view`` prefers."""
        if legal(self._world[0], view[0], self._choices) == 1:
            return self._remember(int(self._choices[0]), len(self._log.events))
        began = time.perf_counter()
        position = self.position(view)
        self._follow(position)
        only = self._only_offer(position)
        if only is not None:
            return self._remember(only, len(self._log.events))
        self.result = self._run(position)
        self.decisions += 1
        self.simulations += self.result.simulations
        self.search_seconds += time.perf_counter() - began
        return self._remember(self.result.best, len(self._log.events))

    def _root(self, view: np.recarray) -> np.recarray:
        """Return the state to search from: ``view``, models in the seats, own knowledge relived."""
        root, plan, seat = view.copy(), self.plan, self._seat
        for other in range(self._rules.players):
            seat_policy(root[0], other, plan.model)
            if plan.how.movers != POLICY:
                root[0].policy[other] = root[0].showing[other] = EXTERNAL
                root[0].tracks[other] = MATRIX | FACTS
            else:
                in_tree = number(policy(plan.opponents).name)
                root[0].policy[other] = in_tree
                root[0].tracks[other] |= TRACKS[in_tree]
        seat_policy(root[0], seat, self._own)
        root[0].policy[seat] = EXTERNAL
        root[0].tracks[seat] |= MATRIX | FACTS
        root[0].doubt[seat] = plan.doubt
        root[0].recording = 1
        relive(self._world[0], root[0], seat, self._log.events)
        return root

    def _policies(self) -> np.ndarray:
        """Return what each seat plays in roll-outs, and what is kept for it there."""
        plan = self.plan
        played = np.full((2, MAX_PLAYERS), number(plan.model.name))
        played[0, self._seat] = number(policy(plan.rollout).name)
        played[1] = np.array(TRACKS)[played[0]]
        return played

    def _solve(self, facts: np.record) -> None:
        """Solve the exact posterior of what this seat has seen."""
        self._facts = facts
        self._exact = exact.ExactPosterior(facts, self._posterior)
        if self._exact.parts > 1:
            raise EvidenceFull("the posterior is too wide to be searched in one piece")
        if self._exact.work is not self._posterior:  # it grew, and the threads' workspaces with it
            self._posterior, self.search = self._exact.work, None

    def _deals(self, stream: np.ndarray) -> np.ndarray:
        """Return the deals that simulations draw from, int64 (n, 21); none: the exact posterior."""
        plan = self.plan
        once = plan.redraw == "decision" and plan.how.restricts
        if self._belief is None:
            return self._one_envelope(stream) if once else np.zeros((0, CARDS), np.int64)
        log = self._log.events[self._taken_in :]
        events = heard(log.tolist(), self._seat, self._rules.players)[0]
        self._belief.observe(events)
        self._taken_in += len(log)
        deals = self._belief.sample(stream, _DEALS)
        if once:
            same = (deals == 0) == (deals[0] == 0)
            deals = deals[same.all(axis=1)]
        return np.ascontiguousarray(deals)

    def _one_envelope(self, stream: np.ndarray) -> np.ndarray:
        """Draw an envelope from the exact posterior, and deals that have it."""
        drawn = self._exact.sample(stream, 1)[0]
        cards = sum(1 << int(card) for card in np.flatnonzero(drawn == 0))
        facts = evidence.new_evidence()
        facts[0] = self._facts
        for player in range(self._rules.players):
            evidence.passed(facts[0], player, cards)
        return exact.ExactPosterior(facts[0]).sample(stream, _DEALS)

    def _only_offer(self, position: Cluedo) -> int | None:
        """Return the action that needs no search, if there is one.

        It is the only one on offer; or, when nobody else plays any more and nothing can be lost by
        waiting for certainty, the candidate that tells most.
        """
        root, work = position.root[0], position.posterior
        if self.plan.belief != "exact":
            believing.believe(position, root, work)
        n = offer(position, root, work, self._choices, self._notes)
        alone = root.out[: self._rules.players].sum() == self._rules.players - 1
        patient = self._rules.turn_cap - root.turn >= _AMPLE
        if alone and patient and self.plan.candidates:
            waiting = (a for a in self._choices[:n].tolist() if not ACCUSE <= a < REVEAL)
            return next(waiting, int(self._choices[0]))
        return int(self._choices[0]) if n == 1 else None

    def _run(self, position: Cluedo) -> SearchResult:
        """Search ``position`` for the whole budget."""
        plan = self.plan
        key = int(named(self._key, self.decisions))
        if self.search is None:
            self.search = searcher(position, plan.search_options)
        if plan.options.mode == "root":
            position = position._replace(posterior=compact(position.posterior))
        if not plan.how.open_cards:
            return self.search.run(plan.budget, key, position)
        deals = position.deals
        if self._belief is None:
            deals = self._exact.sample(new_stream(key), plan.trees)
        share = plan.budget.shared(plan.trees)
        results = [
            self.search.run(share, key + i, position._replace(deals=deals[i : i + 1].copy()))
            for i in range(plan.trees)
        ]
        return merge(results, plan.options.merge, plan.options.final)

    def _remember(self, action: int, events: int) -> int:
        """Note ``action`` and how many suggestions had been made before it; return it."""
        self._last = (action, events)
        return action

    def _follow(self, position: Cluedo) -> None:
        """Let the search keep what it found below the last action and what was seen since."""
        if not (self.plan.options.keep_tree and isinstance(self.search, Search) and self._last):
            return
        action, before = self._last
        since = self._log.events[before:][:EVENTS]
        if self._spare is None:
            self._spare = workspace(position)
        s = self._spare
        s.state[0] = position.root[0]
        s.state[0].events = len(since)
        for i, event in enumerate(since):
            s.state[0].event[i] = tuple(event)
        self.search.advance(action, int(observation(position, s)))
