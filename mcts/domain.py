"""Interface of searchable domains, and their registration.

A domain is a ``NamedTuple`` type of parameters ``p`` (numbers and arrays) and six compiled
functions registered for that type; seven more have defaults.  The search calls the functions of
this module; Numba replaces each, at compile time and by the type of ``p``, by the domain's own: the
kernel is specialised, nothing is looked up while it runs, and the machine code can be cached.

Perspective: one seat searches, player 0.  By default decisions, rewards and observations are that
seat's, and all other players are part of the environment, which `step` advances.  A domain that
declares several ``players`` stops at each decision of any of them, names the player by `mover`, and
pays each at the end by `payoff` (rewards of `step` are then ignored).  Its nodes are player 0's
information sets (SO-ISMCTS), or with one of ``perspectives`` per player each player's own
(MO-ISMCTS).

Rewards and returns are in the domain's own units.  ``s`` is an opaque workspace, one per thread,
made in Python by the domain's ``workspace(p)`` and changed in place; ``p`` is shared by all threads
and must not be written to.  Randomness comes from ``stream`` alone (see `mcts.kernel.rng`), which
only `start`, `step` and `rollout` may advance.
A domain of an external package is registered likewise; its functions must live in the module that
defines the parameters, or in modules that it imports, so that the code cache detects edits::

    class Walk(NamedTuple):
        length: int

    @jit
    def step(p, s, action, edge_data, stream): ...

    register(Walk, workspace=lambda p: np.zeros(2, np.int64), discount=1.0, low=0.0, high=1.0,
             max_actions=2, max_depth=lambda p: p.length)  # and the functions by their names
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts.kernel.compile import jit_generic
from mcts.kernel.dispatch import Registry

TYPES = 8
"""Types of action that a domain may have."""

_POSITIVE = np.uint64(2**63 - 1)
"""The bits of a key that fit a non-negative number."""

_DOMAINS = Registry("domain")


@_DOMAINS.stub
def start(p: Any, s: Any, stream: np.ndarray) -> None:
    """Begin one simulation: reset ``s`` to the position searched and draw the hidden part."""


@_DOMAINS.stub
def actions(p: Any, s: Any, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the legal actions at ``s``, an own decision, in the order to try them.

    Parameters
    ----------
    out : int64, shape (max_actions,): receives the actions (distinct non-negative numbers)
    edge_data : float64, shape (max_actions,): receives one number per action, which the tree keeps
        with the edge and returns to `step`: for values that are expensive and fixed by the history,
        such as the probability under the propagated belief that an accusation is right

    Returns
    -------
    int
        Number of actions written.  The list must be a function of the searching seat's information,
        because it is made once per node and serves all simulations.
    """


@_DOMAINS.stub
def step(p: Any, s: Any, action: int, edge_data: float, stream: np.ndarray) -> float:
    """Apply the own ``action``, advance to the next own decision or the end, return the reward."""


@_DOMAINS.stub
def observation(p: Any, s: Any) -> np.uint64:
    """Return the key of all that the searching seat has seen since its last action."""


@_DOMAINS.stub
def terminal(p: Any, s: Any) -> bool:
    """Return whether ``s`` is terminal: no decision and no reward will follow."""


@_DOMAINS.stub
def rollout(p: Any, s: Any, stream: np.ndarray) -> float:
    """Play from ``s`` to the end; return the discounted return from there."""


@_DOMAINS.stub
def mover(p: Any, s: Any) -> int:
    """Return the player who decides at ``s``; by default 0, the one that searches."""


@_DOMAINS.stub
def available(p: Any, s: Any, action: int) -> bool:
    """Return whether a listed ``action`` is legal in the hidden state ``s``; by default it is.

    For nodes at which the player to move knows more than the node's key: the list then holds the
    possibly legal actions, and each simulation chooses among the legal ones.  Not called at the
    root, whose list is that of the searching player.
    """


@_DOMAINS.stub
def action_type(p: Any, s: Any, action: int) -> int:
    """Return the type of a listed ``action``, from 0 to below `TYPES`; by default 0.

    A function of ``p`` and ``action`` alone; called by searches with the option ``action_types``.
    """


@_DOMAINS.stub
def outcome(p: Any, s: Any) -> int:
    """Return the kind of observation since the last decision, for inspecting the tree.

    A number of at least 0, and a function of the content of `observation`'s key, which may be finer
    than a reader wants: nodes below one action with one number are one outcome.  By default it is
    that key.
    """


@_DOMAINS.stub
def observation_of(p: Any, s: Any, player: int) -> np.uint64:
    """Return the key of what ``player`` has seen since the last decision of any player.

    At the start of a simulation, for players other than 0: of all that it knows then.  By default
    all see the same, `observation`.
    """


@_DOMAINS.stub
def payoff(p: Any, s: Any, player: int) -> float:
    """Return ``player``'s final payoff; called only with several players."""


@_DOMAINS.stub
def copy(p: Any, s: Any, into: Any) -> None:
    """Copy the state in ``s`` to another workspace; by default, an array element by element."""


@jit_generic
def _alone(p, s):
    return 0


@jit_generic
def _always(p, s, action):
    return True


@jit_generic
def _one_type(p, s, action):
    return 0


@jit_generic
def _as_observed(p, s):
    return np.int64(observation(p, s) & _POSITIVE)


@jit_generic
def _all_alike(p, s, player):
    return observation(p, s)


@jit_generic
def _nothing(p, s, player):
    return 0.0


@jit_generic
def _copy_array(p, s, into):
    for i in range(len(s)):
        into[i] = s[i]


@dataclass(frozen=True)
class Domain:
    """A registered domain: compiled functions (see the stubs above) and plain declarations.

    A declaration is a number, or a function of ``p`` that returns one.
    """

    parameters: type
    """The NamedTuple type that identifies the domain."""
    start: Callable
    actions: Callable
    step: Callable
    observation: Callable
    terminal: Callable
    rollout: Callable
    workspace: Callable[[Any], Any]
    """Makes the ``s`` of one thread from ``p``; of the same Numba type for every ``p``."""
    discount: float | Callable[[Any], float]
    """Discount per step between own decisions, in (0, 1]."""
    low: float | Callable[[Any], float]
    """Minimum return from the root, scaled to 0 ..."""
    high: float | Callable[[Any], float]
    """... and the maximum, scaled to 1.  Values outside are kept, not clipped."""
    max_actions: int | Callable[[Any], int]
    """Maximum length of the list that `actions` writes."""
    max_depth: int | Callable[[Any], int]
    """Maximum number of decisions in the tree; beyond it simulations roll out."""
    mover: Callable = _alone
    available: Callable = _always
    action_type: Callable = _one_type
    outcome: Callable = _as_observed
    observation_of: Callable = _all_alike
    payoff: Callable = _nothing
    copy: Callable = _copy_array
    players: int | Callable[[Any], int] = 1
    """Players whose decisions the tree makes."""
    perspectives: int | Callable[[Any], int] = 1
    """1: all nodes are player 0's information sets; ``players``: each has its own."""

    def declaration(self, name: str, p: Any) -> Any:
        """Return the declaration ``name`` for the parameters ``p``."""
        value = getattr(self, name)
        return value(p) if callable(value) else value


def register(parameters: type, **parts: Any) -> Domain:
    """Register the domain of ``parameters`` (keywords: the fields of `Domain`) and return it.

    A part that is not given is the function of its name in the module that calls this.  Raises
    TypeError if a part is missing or unknown, if ``parameters`` is no NamedTuple type, or if a
    function is not compiled or does not take exactly its stub's arguments, by name.
    """
    return _DOMAINS.add(Domain, parameters, parts, sys._getframe(1).f_globals)


def domain_of(p: Any) -> Domain:
    """Return the domain of the parameters ``p``; KeyError if their type is not registered."""
    return _DOMAINS.find(p)
