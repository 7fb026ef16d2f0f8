"""A closed loop of a compiled problem: plan, act, observe, and replan from the exact belief.

Works for any domain of one player whose parameters have ``steps``, the actions to go, and a
function ``after(p, action, seen)``: the position, with its belief, once ``seen`` was observed after
``action``, with one step less to go.  Tiger and RockSample have one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcts.domain import domain_of
from mcts.kernel.rng import derive_key, new_stream


def play(
    p: Any,
    after: Callable[[Any, int, int], Any],
    choose: Callable[[Any, int], int],
    key: int,
    horizon: int | None = None,
) -> float:
    """Play one episode from ``p``, at most ``p.steps`` actions; return its discounted return.

    Parameters
    ----------
    choose : ``choose(position, key)`` returns an action; the position has the exact belief and the
        steps to go, and the key differs between decisions
    key : names all randomness: what is hidden, what is observed, the keys of decisions
    horizon : steps to go of every position, regardless of how many are left: a receding horizon,
        for problems without an end
    """
    domain = domain_of(p)
    discount = float(domain.declaration("discount", p))
    world, stream = domain.workspace(p), new_stream(derive_key(key, 0))
    domain.start(p, world, stream)
    total, weight, decision = 0.0, 1.0, 0
    while not domain.terminal(p, world):
        decision += 1
        position = p if horizon is None else p._replace(steps=horizon)
        action = choose(position, int(derive_key(key, decision)))
        total += weight * domain.step(p, world, action, 0.0, stream)
        weight *= discount
        if not domain.terminal(p, world):
            p = after(p, action, int(domain.observation(p, world)))
    return float(total)
