"""Upper bounds on the value of ways: marginal gains, and an orienteering relaxation.

Let R be the targets that some way within the limit can see, S those measured on a way of length L,
I the information, p_S a sum over S.  I is monotone; the first step needs it submodular as well.

**Gains.**  For any A within R, with d_t = I(R) - I(R - t) and g_t = I(A + t) - I(A),

    I(S) <= I(A + S) - (sum of d_t over A less S)             (a)
         <= I(A) + (sum of g_t over S less A) - (sum of d_t over A less S)   (b)

[Nemhauser, Wolsey & Fisher 1978, prop. 2.1].  (a): taking the elements of A less S away from A + S
one after another loses at least d_t each, as the set they leave is within R.  (b): what S adds to A
is at most the sum of what its elements add alone.  So

    w_B I(S) - w_J J_S <= w_B (I(A) - d_A) + p_S,
    p_t = w_B d_t - w_J J_t in A, and w_B g_t - w_J J_t elsewhere.

If I is not submodular, p = 0 and I(R) stands for the constant: I is monotone.

**Orienteering.**  It remains to bound p_S - w_D L.  Two things are necessary for a way:

* L >= detour_t = d(start, t) + d(t, goal) for each t in S, by the triangle inequality.
* L >= sum of need_t over S.  Order start, S, goal as they are met: the way is at least as long as
  the sum of distances of neighbours.  With a goal, each t has two different neighbours among start,
  goal and the other targets; each distance is shared by two, so half the two smallest distances of
  each t add up to L at most.  Without a goal each t has one that comes before: its smallest
  distance to the start or another target.  (Of a target that several cells show, the nearest cell.)

With L = l fixed, p_S is at most the fractional knapsack of the targets of detour <= l, weights need
and capacity l [Dantzig 1957].  Less w_D l it is concave in l between two detours, so its maximum is
found exactly in each such interval.  The largest of all is the bound; over several A the smallest.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import mask
from sim.hunt.paths.distances import Stops
from sim.hunt.paths.objective import Objective, pack


def upper_bound(stops: Stops, worth: Objective, bases: Iterable[Iterable[int]] = ()) -> float:
    """Return a value that no way is worth more than.

    ``bases``: sets A of targets to start from, beside the empty set and all that can be seen; the
    bound is best near what a good way measures.
    """
    reach = np.flatnonzero(stops.detour <= stops.limit)
    straight = worth.weights.distance * stops.straight
    if not len(reach):
        return -straight
    whole = worth.information(reach.tolist())
    if not worth.benefit.submodular:
        return whole - straight
    need = stops.need[reach]
    scale = worth.weights.benefit
    everything = mask(reach.tolist(), worth.targets)[None]
    least = whole - scale * worth.benefit.values(_flip(everything, reach, worth.targets))
    least = np.maximum(least, 0.0)
    upper = np.inf
    for base in ((), reach.tolist(), *bases):
        inside = np.isin(reach, list(base))
        chosen = mask(reach[inside].tolist(), worth.targets)[None]
        now = scale * float(worth.benefit.values(chosen)[0])
        more = scale * worth.benefit.values(_flip(chosen, reach, worth.targets)) - now
        prize = np.where(inside, least, more) - worth.test[reach]
        rest = solve_relaxation(prize, need, stops.detour[reach], worth.weights.distance, stops)
        upper = min(upper, now - least[inside].sum() + rest)
    return float(upper)


def solve_relaxation(
    prize: np.ndarray, need: np.ndarray, detour: np.ndarray, distance: float, stops: Stops
) -> float:
    """Return the largest sum of prizes less ``distance`` times length, relaxed as above.

    ``prize``, ``need``, ``detour``: float64 (targets,).
    """
    useful = prize > 0
    prize, need, detour = prize[useful], need[useful], detour[useful]
    with np.errstate(divide="ignore"):
        ratio = np.where(need > 0, prize / np.where(need > 0, need, 1.0), np.inf)
    order = np.argsort(-ratio, kind="stable")
    steps = np.unique(np.maximum(np.append(detour, stops.straight), stops.straight))
    return _best_length(prize[order], need[order], detour[order], distance, steps, stops.limit)


@jit
def _best_length(
    prize: np.ndarray,
    need: np.ndarray,
    detour: np.ndarray,
    distance: float,
    steps: np.ndarray,
    limit: float,
) -> float:
    """Return the maximum over lengths; targets are ordered by prize for what they need."""
    best = -np.inf
    for step in range(len(steps)):
        low = steps[step]
        high = limit if step + 1 == len(steps) else min(limit, steps[step + 1])
        if low > limit:
            break
        gained, used = 0.0, 0.0
        for target in range(len(prize)):
            if detour[target] > low:
                continue
            # Below `low` length is paid for already; from there on a target must be worth its own.
            worth_going = prize[target] >= distance * need[target]
            room = (high if worth_going else low) - used
            if room <= 0.0:
                break
            part = min(1.0, room / need[target]) if need[target] > 0.0 else 1.0
            gained += part * prize[target]
            used += part * need[target]
        best = max(best, gained - distance * max(low, used))
    return best


def _flip(held: np.ndarray, reach: np.ndarray, targets: int) -> np.ndarray:
    """Return one mask (1, words) with each of the targets ``reach`` taken out, or put in."""
    return held ^ pack(np.eye(targets, dtype=bool)[reach])
