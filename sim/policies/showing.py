"""Choice of the card to show when there are several: a policy beside that of the turns.

``random`` draws one uniformly, as every agent of the thesis does [Ledford 2018, s. 3.2].
``least_informative`` shows one that this asker has seen before, if there is one.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from sim.policies.common import any_card
from sim.state import State

RANDOM, LEAST_INFORMATIVE = range(2)


@jit
def card(s: State, seat: int) -> int:
    """Return the card that ``seat`` shows to the asker; consumes ``s.stream``."""
    matching = s.hand[seat] & s.cards
    if s.showing[seat] == LEAST_INFORMATIVE:
        seen = matching & s.has_shown[seat, s.seat]
        if seen:
            matching = seen
    return any_card(s.stream, matching)
