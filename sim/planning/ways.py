"""The numbers by which kernels know the ways of planning; nothing here needs Numba."""

from __future__ import annotations

DEAL, ANSWERS, RESTRICTED = range(3)
"""Where answers come from: a drawn deal (`sim.planning.determinized`); the propagated belief
(`sim.planning.belief_mdp`); the same less a drawn envelope."""

POLICY, ONE_TREE, TREES = range(3)
"""Who moves the opponents: a policy, the one tree (SO-ISMCTS), a tree each (MO-ISMCTS)."""

BELIEFS = ("exact", "factored", "constrained", "closure")
"""Beliefs that can be propagated in a tree, by number."""
EXACT, FACTORED, CONSTRAINED, CLOSURE = range(4)

NODES = "constrained"
"""Belief at the nodes where the planner's own cannot be propagated and gives deals alone."""

MIXTURE = "mixture"
"""In place of a policy of the opponents: each simulation draws them from a mixture."""
