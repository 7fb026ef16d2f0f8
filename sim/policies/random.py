"""The random player [Ledford 2018, s. 3.2].

It walks to a random room and suggests a random trio of cards it has not seen, and accuses the last
three unseen cards; it ignores passes.  Its suggestions depend on its hand, unlike those of
`sim.policies.uniform`.
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
    """Return a suggestion of an unseen suspect and weapon; consumes ``s.stream``."""
    unseen = ~s.known[seat]
    suspect = any_card(s.stream, unseen & CATEGORY_MASK[0])
    weapon = any_card(s.stream, unseen & CATEGORY_MASK[1])
    return ASK + 6 * suspect + weapon - FIRST_WEAPON
