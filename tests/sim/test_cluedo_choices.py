"""Every declared choice of a plan, an option or a key has its documented effect."""

from dataclasses import fields, replace

import numpy as np
import pytest
from omegaconf import OmegaConf
from positions import SMALL, decide, find, positions, unsure_positions
from presets import spec_of

from belief.exact.solver import ExactPosterior
from mcts.kernel.compile import specialise
from mcts.options import MERGES, Budget, Options
from mcts.selection import select
from mcts.tree import EXPANDED, ROOT
from sim.game import apply
from sim.models.types import Mixture
from sim.planning.config import PlannerConfig
from sim.players.registry import make
from sim.policies.registry import Policy
from sim.rules import Rules, world
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


@pytest.fixture(scope="module")
def asking():
    """Return a position in a room, where there is nothing to do but ask."""
    return next(one for one in unsure_positions(12) if one.state.phase == SUGGEST)


# Plans and options.

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

MORE_PLAN_CHANGES = {
    "redraw, answers one by one": ("redraw", "decision", replace(PREDICTIVE, variant="ld_bmcts")),
    "others in roll-outs, answers one by one": ("rollout_opponents", "uniform", PREDICTIVE),
    "own-card weight, drawn by the tree": (
        "own_card_weight", 0.3, replace(SMALL, variant="so_ismcts", opponents="tree"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAN_CHANGES)
def test_every_field_of_a_plan_changes_the_search(one, name):
    value, base = PLAN_CHANGES[name]
    assert find(decide(one, replace(base, **{name: value})))[1:] != find(decide(one, base))[1:]


@pytest.mark.parametrize("name", MORE_PLAN_CHANGES)
def test_fields_change_the_search_of_other_forms_as_well(one, name):
    field, value, base = MORE_PLAN_CHANGES[name]
    changed = replace(base, **{field: value})
    assert find(decide(one, changed))[1:] != find(decide(one, base))[1:]


OPTION_CHANGES = {
    "exploration": 0.2,
    "root_exploration": 0.1,
    "widening_base": 1.0,
    "widening_exponent": 0.25,
    "action_types": True,
    "common_random_numbers": True,
    "rollouts_per_leaf": 2,
    "nodes": 20,
    "edges": 14,
}
"""Those that change the tree of one thread; `OTHER_OPTIONS` change something else."""

OTHER_OPTIONS = {
    "selection",  # the variant's
    "in_flight", "virtual_loss", "final", "threads", "oversubscribe", "keep_tree", "mode",
    "workers", "merge",  # below
}  # fmt: skip


def test_every_option_is_looked_at():
    elsewhere = {"patience"}  # of tests of their own
    assert set(PLAN_CHANGES) | elsewhere == {field.name for field in fields(PlannerConfig)}
    assert set(OPTION_CHANGES) | OTHER_OPTIONS == {field.name for field in fields(Options)}


@pytest.mark.parametrize("name", OPTION_CHANGES)
def test_every_option_changes_the_search(one, name):
    changed = replace(SMALL, options=replace(SMALL.options, **{name: OPTION_CHANGES[name]}))
    assert find(decide(one, changed))[1:] != find(decide(one))[1:]


# The configuration.

SEARCHED = {"budget.simulations": 200, "actions.accusations": 2, "actions.least_accused": 0.02}


def spec(preset="bmcts", **changes):
    """Return the values of ``preset`` for a quick search, with ``changes`` by dotted key."""
    config = OmegaConf.create(spec_of(preset))
    for key, value in {**SEARCHED, **changes}.items():
        OmegaConf.update(config, key, value)
    return OmegaConf.to_container(config)


def plan(one, preset="bmcts", **changes):
    """Return the planner of these values after its decision."""
    planner = one.take(make(spec(preset, **changes), Rules()))
    planner.decide(one.view)
    return planner


def root(planner):
    """Return the root table of the last search: actions, visits, values, and the choice."""
    result = planner.result
    values = np.round(result.values, 12).tolist()
    return result.best, result.actions.tolist(), result.visits.tolist(), repr(values)


_select = specialise(getattr(select, "py_func", select), "sim.planning.cluedo")


def test_visits_in_flight_change_the_selection(one):
    """With visits of the best edge planted under way, at the root of a tree that was searched."""
    planner = plan(one)
    tree, position = planner.search.tree, planner.position(one.view)
    state = planner.search._workers[0][0]

    def select_edge(**changes):
        options = make(spec(**changes), Rules()).config.search_options
        return _select(position, state, tree, ROOT, options.kernel_params(1.0, 0.0, 1.0))

    best = select_edge()
    tree.edge_in_flight[best] = 60
    chosen = {name: select_edge(**{"search.in_flight": name}) for name in ("none", "virtual_loss")}
    assert chosen["none"] == best != chosen["virtual_loss"]
    assert select_edge(**{"search.virtual_loss": 1e-9}) == best
    # Visits under way lower the bound in both, but under WU-UCT not the mean.
    tree.edge_in_flight[best] = 0
    greedy = {"search.root_exploration": 1e-3}
    best = select_edge(**greedy)
    tree.edge_in_flight[best] = 3
    assert select_edge(**greedy, **{"search.virtual_loss": 50}) != best
    both = {"search.virtual_loss": 50, "search.in_flight": "wu_uct"}
    assert select_edge(**greedy, **both) == best
    tree.edge_in_flight[best] = 0


def roots(one, keys, **changes):
    """Return the root tables of searches with different keys."""
    planner, tables = one.take(make(spec(**changes), Rules())), []
    for key in range(keys):
        planner._key, planner.decisions = key, 0
        planner.decide(one.view)
        tables.append(root(planner))
    return tables


def test_the_final_choice_is_made_of_the_same_table(asking):
    few = {"search.root_exploration": 1.0, "budget.simulations": 30}
    visits, mean = (roots(asking, 40, **few, **{"search.final": f}) for f in ("visits", "mean"))
    assert [table[1:] for table in visits] == [table[1:] for table in mean]
    assert [table[0] for table in visits] != [table[0] for table in mean]


def test_several_trees_are_merged_as_asked(asking):
    pimc = {"name": "pimc", "trees": 5, "budget.simulations": 60}
    found = {merge: roots(asking, 12, **pimc, **{"search.merge": merge}) for merge in MERGES}
    visits, value, vote = (found[merge] for merge in MERGES)
    best, actions, counts, values = zip(*visits, strict=True)
    assert [table[1:3] for table in value] == list(zip(actions, counts, strict=True))
    assert all(table[3] != mean for table, mean in zip(value, values, strict=True))
    assert [table[1:] for table in vote] == [table[1:] for table in visits]
    chosen = [best, *(tuple(table[0] for table in other) for other in (value, vote))]
    assert len(set(chosen)) == 3


def kept_on(start, **changes):
    """Let a planner decide at a turn and again in the room that it has walked to, if it has.

    Returns how often the root was visited in the second search, or None.
    """
    board, made = world(start.rules)[0], empty()
    made[0] = start.state
    state = made[0]
    planner = plan(start, **changes)
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
        kept = kept_on(start, **{"search.keep_tree": True})
        if kept is not None:
            assert kept_on(start) == 200
            visits.append(kept)
    assert len(visits) == 3 and min(visits) > 200
