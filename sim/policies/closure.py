"""The heuristic player with full logical closure instead of the factored belief.

It decides like `sim.policies.heuristic`, with the uniform distribution over the holders that the
closure leaves possible for each card.  It accuses only a proved envelope, so it is never wrong.
"""

from __future__ import annotations

from belief import matrix
from belief.beliefs.closure import even
from belief.evidence import ENVELOPE
from mcts.kernel.compile import jit
from sim.cards import CATEGORY_MASK, N_CARDS
from sim.knowledge import update_seat_closure
from sim.policies import heuristic
from sim.state import EVIDENCE, State, World

REQUIRES = EVIDENCE


@jit
def refresh(world: World, s: State, seat: int) -> None:
    """Update the closure of ``seat`` and the entropies derived from it."""
    if update_seat_closure(s, seat):
        s.marginals_of = 0
        even(s.closure[seat], world.players, s.marginals)
        for card in range(N_CARDS):
            s.bits[seat, card] = matrix.row_entropy(s.marginals, card)


@jit
def proved_envelope(s: State, seat: int) -> int:
    """Return the mask of the envelope if the closure proves all three cards, else 0."""
    proved = s.closure[seat].has[ENVELOPE]
    for category in CATEGORY_MASK:
        if not proved & category:
            return 0
    return proved


@jit
def to_accuse(world: World, s: State, seat: int) -> int:
    """Return the envelope to accuse now, 0 for none."""
    refresh(world, s, seat)
    return proved_envelope(s, seat)


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action at the start of a turn; consumes ``s.stream``."""
    refresh(world, s, seat)
    return heuristic.turn(world, s, seat)


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion of the least certain suspect and weapon, first listed."""
    refresh(world, s, seat)
    return heuristic.suggestion(world, s, seat)
