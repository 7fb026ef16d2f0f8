"""Every declared choice of a plan has its documented effect."""

from dataclasses import fields, replace

import numpy as np
import pytest
from positions import SMALL, decide, find, positions

from belief.exact.solver import ExactPosterior
from mcts.options import Budget, Options
from mcts.tree import EXPANDED
from sim.game import apply
from sim.models.types import Mixture
from sim.planning.config import PlannerConfig
from sim.policies.registry import Policy
from sim.rules import world
from sim.state import ACCUSE, ASK, SUGGEST, TURN, empty
from sim.view import view_of

pytestmark = pytest.mark.usefixtures("few_games_for_a_best_response")


def tunable_position():
    """Return a turn with several accusations on offer and a room near enough for a deeper tree."""
    for one in positions(40, (5, 6, 7, 8), others="uniform"):
        if one.state.phase == TURN:
            likely = ExactPosterior(one.evidence()).likely_envelopes(3)
            if len(likely) == 3 and likely[1][1] > 0.02 and likely[0][1] < 0.3:
                tree = decide(one).search.tree
                if np.count_nonzero(tree.status == EXPANDED) > 3:
                    return one
    raise AssertionError("no such position")


@pytest.fixture(scope="module")
def one():
    """Return the one position at which all searches here are made."""
    return tunable_position()


PREDICTIVE = replace(SMALL, belief="factored", answers="predictive")

PLAN_CHANGES = {
    "variant": ("flat", SMALL),
    "belief": ("constrained", SMALL),
    "answers": ("predictive", replace(SMALL, belief="factored")),
    "redraw": ("decision", replace(SMALL, variant="ld_bmcts")),
    "trees": (5, replace(SMALL, variant="pimc")),
    "own_card_weight": (0.3, SMALL),
    "transpositions": (False, SMALL),
    "opponents": ("uniform", SMALL),
    "mixture": (Mixture(("heuristic", "swift35"), (1.0, 1.0)), SMALL),
    "rollout": ("uniform", SMALL),
    "rollout_opponents": ("uniform", SMALL),
    "best_response": (True, replace(SMALL, rollout=Policy("swift", threshold=0.2))),
    "candidates": (3, SMALL),
    "hiding": (1.0, SMALL),
    "summoning": (0.5, SMALL),
    "accusations": (1, SMALL),
    "least_accused": (0.3, SMALL),
    "options": (Options(nodes=400, widening_base=2.0, exploration=0.1), SMALL),
    "budget": (Budget(simulations=251), SMALL),
}
"""A value that changes the tree, and the plan on which it does."""

MORE_PLAN_CHANGES = [
    ("redraw", "decision", replace(PREDICTIVE, variant="ld_bmcts")),
    ("rollout_opponents", "uniform", PREDICTIVE),
    ("own_card_weight", 0.3, replace(SMALL, variant="so_ismcts", opponents="tree")),
]
"""Where answers come one by one, and where the tree moves the others."""


@pytest.mark.parametrize(
    ("name", "value", "base"),
    [*((name, *change) for name, change in PLAN_CHANGES.items()), *MORE_PLAN_CHANGES],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_every_field_of_a_plan_changes_the_search(one, name, value, base):
    assert find(decide(one, replace(base, **{name: value})))[1:] != find(decide(one, base))[1:]


def test_every_field_of_a_plan_is_looked_at():
    elsewhere = {"patience"}  # of tests of their own
    assert set(PLAN_CHANGES) | elsewhere == {field.name for field in fields(PlannerConfig)}


def kept_on(start, keep):
    """Let a planner decide at a turn and again in the room that it has walked to, if it has.

    Returns how often the root was visited in the second search, or None.
    """
    board, made = world(start.rules)[0], empty()
    made[0] = start.state
    state = made[0]
    options = replace(SMALL.options, nodes=2_000, keep_tree=keep)
    planner = decide(start, replace(SMALL, options=options))
    apply(board, state, planner.result.best)
    if state.phase != SUGGEST:
        return None
    action = planner.decide(view_of(state, start.seat))
    assert ASK <= action < ACCUSE
    return int(planner.result.visits.sum())


def test_a_kept_tree_is_begun_with():
    visits = []
    for start in positions(40, (5, 6, 7), others="uniform"):
        if start.state.phase != TURN or len(visits) == 3:
            continue
        kept = kept_on(start, True)
        if kept is not None:
            assert kept_on(start, False) == 250
            visits.append(kept)
    assert len(visits) == 3 and min(visits) > 250
