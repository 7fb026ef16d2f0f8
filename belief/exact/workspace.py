"""The memory of one exact posterior: its plan, and the states of all layers with their links.

`belief.exact.layers` fills the plan and defines the states; `belief.exact.forward_backward` fills
the states.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.closure import KNOWN
from belief.evidence import (
    CATEGORY_START,
    HOLDERS,
    MAX_CLAUSES,
    MAX_EXCLUDED,
    MAX_SHOWN,
    N_CARDS,
    N_CATEGORIES,
)

UNSOLVED, SOLVED, CONTRADICTORY, FULL, TOO_WIDE = 0, 1, 2, 3, 4
"""`PLAN.status`.  FULL: the workspace is too small for this posterior; TOO_WIDE: a key is (more
than 34 flags at once or more than 7 places in a hand), or the evidence had overflowed."""

DIGIT_BITS = 4
TOP_OF_DIGITS = 0x8888888
LARGEST = max(CATEGORY_START[i + 1] - CATEGORY_START[i] for i in range(N_CATEGORIES))

PLAN = np.dtype(
    [
        ("status", np.int64),
        ("total", np.float64),  # weight of all deals, up to the constant
        ("log_constant", np.float64),  # log of the factor that all deals share
        ("epoch", np.int64),  # entries of `Workspace.slot` below it are stale
        ("layers", np.int64),  # T, number of open cards
        ("root", np.int64),  # key of the first state
        ("block", np.int64, (N_CATEGORIES + 1,)),  # layer at which a category begins
        ("open", np.int64),  # mask of the open cards
        ("card", np.int64, (N_CARDS,)),  # card of layer t
        ("score", np.int64, (N_CARDS,)),  # sort key of cards
        ("candidates", np.int64, (N_CARDS,)),
        ("holder", np.int64, (N_CARDS, HOLDERS)),  # j-th candidate of layer t
        ("opened", np.int64, (N_CARDS,)),
        ("bias", np.int64, (N_CARDS,)),
        ("keep", np.int64, (N_CARDS, HOLDERS)),
        ("forbidden", np.int64, (N_CARDS, HOLDERS)),
        ("raised", np.int64, (N_CARDS, HOLDERS)),
        # Flags of candidate j live after layer t that a full hand can no longer lower (clauses) or
        # no longer needs (bonds); none if hands are refilled with each category.
        ("unmet", np.int64, (N_CARDS, HOLDERS)),
        ("idle", np.int64, (N_CARDS, HOLDERS)),
        ("weight", np.float64, (N_CARDS, HOLDERS)),
        ("pair", np.int64, (N_CARDS, HOLDERS)),  # first bond of candidate j at layer t, or -1
        ("pair_next", np.int64, (MAX_SHOWN,)),
        ("pair_flag", np.int64, (MAX_SHOWN,)),
        ("pair_factor", np.float64, (MAX_SHOWN,)),
        ("state_from", np.int64, (N_CARDS + 2,)),  # states of layer t: state_from[t] .. [t + 1] - 1
        ("child_from", np.int64, (N_CARDS + 1,)),  # of candidate j: child_from[t] + j * states
        ("settled", np.int64, (N_CARDS,)),  # holder of a known card, -1 face up
        ("envelope", np.int64, (N_CATEGORIES,)),  # known envelope card of a category, or -1
        ("layer_of", np.int64, (N_CARDS,)),  # inverse of `card`, for open cards
        ("used", np.int64, (N_CARDS,)),  # flags in use at layer t
        ("chance", np.float64, (N_CATEGORIES, LARGEST)),  # scratch of `belief.exact.envelope`
        ("trio", np.int64, (N_CATEGORIES,)),  # likewise
        ("joint", np.float64, (HOLDERS, HOLDERS, HOLDERS)),  # scratch of `belief.exact.answers`
        ("known", KNOWN),
        ("clauses", np.int64),
        # holder << 21 | open cards; of the envelope: an excluded triple
        ("clause", np.int64, (MAX_CLAUSES + MAX_EXCLUDED,)),
    ]
)

_RECORDS = np.dtype((np.record, PLAN))
"""Fields by attribute, in an array that is no `recarray`: Numba resolves the type of a `recarray`
in 2 us at every call from Python."""

FIRST_STATES = 1 << 12
"""Initial states of the workspace: 0.3 MB.  Games of four players need hundreds, of six players
thousands of them."""


class Workspace(NamedTuple):
    """Preallocated memory of one exact posterior at a time; one per thread.

    State 0 is the null state, of weight 0: refused children point to it.
    """

    plan: np.ndarray  # PLAN, (1,)
    marginals: np.ndarray  # float64 (21, 7)
    key: np.ndarray  # int64 (states,)
    forward: np.ndarray  # float64 (states,): weight of the ways from the root
    backward: np.ndarray  # float64 (states,): weight of the ways to the end
    value: np.ndarray  # float64 (states,): scratch of passes with some cards fixed
    child: np.ndarray  # int32 (4 * states,)
    slot: np.ndarray  # int64 (2 * states, a power of two): open addressing, epoch + state


def compact(work: Workspace) -> Workspace:
    """Return a copy of a solved posterior that can only draw deals: far smaller."""
    plan = work.plan[0]
    states = int(plan.state_from[plan.layers + 1])
    nothing = np.zeros(1)
    return Workspace(
        plan=work.plan.copy(),
        marginals=work.marginals.copy(),
        key=work.key[:states].copy(),
        forward=nothing,
        backward=work.backward[:states].copy(),
        value=nothing,
        child=work.child[: int(plan.child_from[plan.layers])].copy(),
        slot=np.zeros(1, np.int64),
    )


def workspace(states: int = 1 << 16) -> Workspace:
    """Return the memory for at most ``states`` states over all layers (60 bytes each).

    All but the slots is written before it is read, so only they are cleared.
    """
    states = max(states, 8)  # the smallest hash table of a layer has 16 slots
    return Workspace(
        plan=np.zeros(1, _RECORDS),
        marginals=np.zeros((N_CARDS, HOLDERS)),
        key=np.empty(states, np.int64),
        forward=np.empty(states),
        backward=np.empty(states),
        value=np.empty(states),
        child=np.empty(4 * states, np.int32),
        slot=np.zeros(1 << (2 * states - 1).bit_length(), np.int64),
    )
