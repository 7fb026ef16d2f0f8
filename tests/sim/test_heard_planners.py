"""Planners among bold players with heard accusations: whole games, beliefs, and kept trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heard import BOLD, CLASSIC, cards_of

from belief.exact.solver import ExactPosterior
from mcts.kernel.compile import INTERPRETED
from mcts.options import Budget, Options
from sim.endgame.deals import holders, likelihoods, list_deals
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.planning.variants import POLICY, VARIANTS
from sim.player import PolicyPlayer
from sim.policies.registry import Policy
from sim.referee import play
from sim.rules import preset
from sim.state import ACCUSED
from sim.view import Log

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

THREE = replace(CLASSIC, players=3)
FEW = 200
"""Deals that are counted one by one."""
SMALL = PlannerConfig(
    opponents=BOLD,
    rollout=BOLD,
    accusations=3,
    least_accused=0.3,
    options=Options(nodes=200, widening_base=2.0),
    budget=Budget(simulations=50),
)
PREDICTIVE = {"answers": "predictive", "opponents": "heuristic", "rollout": "heuristic"}
BY_TREE = {"opponents": "tree", "rollout_opponents": BOLD}


class Watched(Planner):
    """Asks at each decision that nothing heard is believed, drawn or offered."""

    late = warned = 0

    def position(self, view):
        p, s, log = super().position(view), view[0], self.belief.log.events.tolist()
        heard = {cards for _, cards, answerer, _ in log if answerer == ACCUSED}
        assert heard == {*s.heard.tolist()} - {0}
        self.warned += bool(heard)
        if self.belief.samples:
            envelopes = (p.deals == 0) @ (1 << np.arange(21))
            assert not heard & {*envelopes.tolist()}
        hand, face_up = int(s.hand[self._seat]), int(s.face_up)
        deals = list_deals(self._rules.hand_sizes, self._seat, hand, face_up, log, FEW)
        if heard and deals:
            weights = np.array(likelihoods(deals, self._seat, log))
            counted = [weights @ (holders(deals) == h) / weights.sum() for h in range(7)]
            exact = ExactPosterior(p.root[0].evidence[self._seat]).marginals
            np.testing.assert_allclose(exact, np.transpose(counted), atol=1e-10)
            self.late += 1
        return p

    def decide(self, view):
        action = super().decide(view)
        offered = [action] if self.result is None else self.result.actions.tolist()
        assert not {cards_of(one) for one in offered} & {*view[0].heard.tolist()} - {0}
        return action


def watch(config, games):
    """Play games of a planner with one who accuses at once and a bold one; return the planner."""
    watched, hasty = Watched(config), Policy("swift", threshold=1e-6)
    for game in games:
        play(THREE, [PolicyPlayer(hasty), watched, PolicyPlayer(BOLD)], 7, game)
    return watched


BELIEFS = ("exact", "constrained", "factored", "closure", "particles")
PLANS = [{"variant": "bmcts", "belief": belief} for belief in BELIEFS]
PLANS += [
    {"variant": name, "belief": belief, **(BY_TREE if how.movers != POLICY else {})}
    for belief, (name, how) in zip(BELIEFS * 2, VARIANTS.items(), strict=False)
    if name != "bmcts"
]
PLANS += [
    {"variant": name, "belief": "factored", **PREDICTIVE}
    for name in ("bmcts", "ld_bmcts", "bmcts_or", "flat")
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: "-".join([*map(str, plan.values())][:3]))
def test_planners_believe_draw_and_offer_nothing_that_was_heard(plan):
    watched = watch(replace(SMALL, **plan), range(2 if plan != PLANS[0] else 12))
    assert watched.warned >= 2 and (watched.late > 5 or plan != PLANS[0])


class Keeps(Planner):
    """Counts trees that are kept over an accusation; one that is ``deaf`` leaves it out."""

    deaf, kept = False, 0

    def _follow(self, position, choices):
        log, said = self.belief.log, self.belief.log.events.tolist()
        since = [event[2] for event in said[self._last[1] :]] if self._last else []
        if self.deaf:
            self.belief.log = Log()
            for event in said:
                self.belief.log.append((*event[:2], max(event[2], -1), event[3]))
        super()._follow(position, choices)
        self.belief.log = log
        self.kept += ACCUSED in since and self.search is not None and self.search._kept


@pytest.mark.parametrize(("deaf", "kept"), [(False, 2), (True, 0)])
def test_a_tree_goes_on_over_an_accusation(deaf, kept):
    """The accusation names the node, in the tree as by the log; the control hears a suggestion."""
    options = replace(SMALL.options, keep_tree=True, nodes=4_000)
    keeps = Keeps(replace(SMALL, options=options, budget=Budget(simulations=1_500)))
    keeps.deaf = deaf
    for game in (2, 15):
        seats = [PolicyPlayer(BOLD), keeps, PolicyPlayer(BOLD)]
        play(preset("speed_clue", players=3), seats, 7, game)
    assert keeps.kept == kept
