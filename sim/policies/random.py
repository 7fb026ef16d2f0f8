"""The random player [Ledford 2018, s. 3.2].

It walks to a random room and suggests a random trio of cards it has not seen, until only three are
left, which it accuses; it draws no conclusion from passes.  Because it names only what it does not
know, what it suggests depends on its hand; those of `sim.policies.uniform` say nothing.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.cards import CATEGORY_MASK, FIRST_WEAPON
from sim.policies.common import any_card, roam, unseen_envelope
from sim.state import ASK, State, World

REQUIRES = 0

to_accuse, turn = unseen_envelope, roam


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return a suggestion of a suspect and a weapon not yet seen; consumes ``s.stream``."""
    unseen = ~s.known[seat]
    suspect = any_card(s.stream, unseen & CATEGORY_MASK[0])
    weapon = any_card(s.stream, unseen & CATEGORY_MASK[1])
    return ASK + 6 * suspect + weapon - FIRST_WEAPON
