"""The information set that a node belongs to, and its key as the simulation goes on.

Every perspective has a running key, a hash of what it has seen and done on the way; a node is
looked up by it when that perspective decides.  With one perspective these are the nodes of POMCP
[Silver & Veness 2010], or of SO-ISMCTS; with one a player, the trees of MO-ISMCTS [Cowling, Powley
& Whitehouse 2012], all in one table.

Nothing here consumes randomness.
"""

from __future__ import annotations

from mcts.domain import observation_of
from mcts.kernel.compile import jit, jit_inlined
from mcts.kernel.rng import fold
from mcts.tree import NOWHERE, child_key


@jit
def begin_keys(tree, root, scratch, settings):
    """Set every perspective's key to that of the ``root``."""
    for view in range(settings.perspectives):
        scratch.node[view] = scratch.edge[view] = NOWHERE
        scratch.key[view] = tree.key[root]


@jit_inlined
def add_knowledge(p, s, scratch, settings):
    """Extend the keys of the players other than 0 by all that they know at the root."""
    for view in range(1, settings.perspectives):
        scratch.key[view] = child_key(scratch.key[view], view, observation_of(p, s, view))


@jit
def perspective(player, settings):
    """Return whose information sets the decisions of ``player`` belong to."""
    return player if settings.perspectives > 1 else 0


@jit_inlined
def observe(p, s, scratch, settings, player, action):
    """Extend all keys by what was seen of the ``action`` of ``player``."""
    for view in range(settings.perspectives):
        what = observation_of(p, s, view)
        if view == player:
            scratch.key[view] = child_key(scratch.key[view], action, what)
        else:
            scratch.key[view] = fold(scratch.key[view], what)
