"""A hunt with noisy, adaptive outcomes as a search domain (`mcts.domain`).

A decision is a whole trip to a test (`trips`), or `STOP`, which ends the hunt: staying to the end
costs nothing.  Between two tests nothing new is learnt, so deciding the path between them at once
does not change the value of the hunt.  The observation is the outcome.  The state carries the exact
posterior over y, and the reward of a test is w_B times its reduction of entropy, less its costs
(`sim.hunt.strategies.hunt`).  It depends on the belief, not on a hidden state alone [rho-POMDP:
Araya-Lopez et al. 2010], so the history must determine the belief: nodes are keyed by decisions and
outcomes.

Draws differ as in `sim.planning.variants`:

* outcomes come from one hypothesis y drawn from the prior at the start [POMCP: Silver & Veness
  2010], or one by one from the belief in the state (``propagated``) [BMCTS: Ledford 2018, 3.4];
* a test pays by the belief, or ``from_truth``: w_B times the log-likelihood ratio of the drawn
  hypothesis after and before it, the logarithmic score, whose mean is the reduction of entropy;
* ``resampled``: y is drawn again for the roll-out, from the belief at the leaf [Ledford 2018,
  2.5.2];
* ``known``: the y of all simulations, which a determinized search assumes drawn.

Limits: everything but y is known, and observations matter only through the belief over y.

"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from mcts.threads import private
from sim.hunt.strategies.hunt import NO_TARGET, Hunt

STOP = 0
"""The action that ends the hunt; `STOP` + 1 + i is the i-th of the decisions."""
NOTHING = 0
"""Observation without a test; `NOTHING` + 1 + z is the outcome z."""

_CELL, _TO_GO, _SEEN, _TRUTH, _ENTROPY, _LEFT, _BELIEF = 0, 1, 2, 3, 4, 5, 6
_UNKNOWN = -1


class Decisions(NamedTuple):
    """Paths as arrays; those from cell c are ``first[c]`` to ``first[c + 1]``.

    Only *efficient* paths to a cell: no path of as few steps is shorter.
    """

    first: np.ndarray
    """int64 (cells + 1,)."""
    cell: np.ndarray
    """int64 (ways,): last cell."""
    steps: np.ndarray
    """int64 (ways,): number of moves."""
    length: np.ndarray
    """float64 (ways,)."""


def trips(hunt: Hunt) -> Decisions:
    """Return the efficient paths of up to ``hunt.moves`` steps to each test, by min-plus products.

    A test in the sensor's own cell takes one step as well, that of staying.
    """
    goals = np.flatnonzero(hunt.target != NO_TARGET)
    rows: list[list[tuple[int, int, float]]] = [[] for _ in hunt.target]
    shortest = hunt.length[:, goals]
    before = np.full_like(shortest, np.inf)
    for steps in range(1, hunt.moves + 1):
        for cell, goal in zip(*np.nonzero(shortest < before - 1e-12), strict=True):
            rows[cell].append((int(goals[goal]), steps, float(shortest[cell, goal])))
        before, shortest = shortest, np.empty_like(shortest)
        for goal, column in enumerate(before.T):
            shortest[:, goal] = (hunt.length + column).min(axis=1)
        if (shortest >= before - 1e-12).all():
            break
    ways = [way for row in rows for way in row]
    ends, taken, length = zip(*ways, strict=True) if ways else ((), (), ())
    return Decisions(
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array(ends, np.int64),
        np.array(taken, np.int64),
        np.array(length, np.float64),
    )


class AdaptiveHunt(NamedTuple):
    """A position of the problem, made by `adaptive` and `after`, and how to simulate it."""

    hunt: Hunt
    decisions: Decisions
    """The trips available to the search and the roll-out policy."""
    noise: np.ndarray
    """float64 (targets, hypotheses): entropy of each measurement's outcome given y, in nats."""
    propagated: bool = False
    """Whether outcomes come from the belief instead of one y drawn from it."""
    from_truth: bool = False
    """Whether a test pays by the y drawn; not if ``propagated``."""
    resampled: bool = False
    """Whether y is drawn again at the leaf."""
    known: int = _UNKNOWN
    """The y that every simulation assumes, or -1."""


def adaptive(hunt: Hunt) -> AdaptiveHunt:
    """Return ``hunt`` as a position to search, decided trip by trip.

    ValueError if a weight or a cost is below 0, or no step is left.
    """
    if min(hunt.benefit, hunt.test, hunt.distance, hunt.cost.min(initial=0.0)) < 0:
        raise ValueError("weights and costs of a hunt must be at least 0 to search it")
    if hunt.moves < 1:
        raise ValueError(f"a hunt needs at least one step to go, not {hunt.moves}")
    # the same types for every hunt, so that nothing is compiled twice
    hunt = Hunt(
        *(np.array(part, order="C") for part in hunt[:6]),
        *map(float, (hunt.benefit, hunt.test, hunt.distance)),
        *map(int, (hunt.cell, hunt.moves)),
    )
    logs = np.log(hunt.likelihood, out=np.zeros_like(hunt.likelihood), where=hunt.likelihood > 0)
    noise = -(hunt.likelihood * logs).sum(axis=2)
    return AdaptiveHunt(hunt, trips(hunt), noise)


def workspace(p: AdaptiveHunt) -> np.ndarray:
    """Return a workspace, float64 (6 + hypotheses + targets,): cell, steps to go, observation,
    the y drawn or -1, the entropy of the belief, targets left; the belief; whether each is left."""
    return private(_BELIEF + len(p.hunt.prior) + len(p.hunt.open))


@jit
def _entropy(p, s):
    """Return the entropy of the belief in ``s``, in nats."""
    total = 0.0
    for y in range(_BELIEF, _BELIEF + len(p.hunt.prior)):
        if s[y] > 0.0:
            total -= s[y] * math.log(s[y])
    return total


@jit
def _draw_truth(p, s, stream):
    """Draw y from the belief in ``s``; one draw."""
    rest = uniform(stream)
    for y in range(len(p.hunt.prior)):
        if s[_BELIEF + y] > 0.0:
            s[_TRUTH] = y  # the last possible one, if rounding leaves a remainder
            rest -= s[_BELIEF + y]
            if rest < 0.0:
                break


@jit
def start(p, s, stream):
    """Begin with the prior; one draw for y, none if it is known or the belief is propagated."""
    hunt = p.hunt
    s[_CELL], s[_TO_GO], s[_SEEN], s[_LEFT] = hunt.cell, hunt.moves, NOTHING, 0
    for y in range(len(hunt.prior)):
        s[_BELIEF + y] = hunt.prior[y]
    for target in range(len(hunt.open)):
        s[_BELIEF + len(hunt.prior) + target] = hunt.open[target]
        s[_LEFT] += hunt.open[target]
    s[_ENTROPY] = _entropy(p, s)
    s[_TRUTH] = p.known
    if p.known == _UNKNOWN and not p.propagated:
        _draw_truth(p, s, stream)


@jit
def _is_open(p, s, target):
    """Return whether ``target`` has not been measured."""
    return s[_BELIEF + len(p.hunt.prior) + target] != 0.0


@jit
def _possible(p, s, way):
    """Return whether ``way`` still has its steps and target."""
    ways = p.decisions
    return s[_TO_GO] >= ways.steps[way] and _is_open(p, s, p.hunt.target[ways.cell[way]])


@jit
def actions(p, s, out, edge_data):
    """List the possible decisions in the cell, and `STOP` as the last."""
    n = 0
    ways, cell = p.decisions, int(s[_CELL])
    for way in range(ways.first[cell], ways.first[cell + 1]):
        if _possible(p, s, way):
            out[n] = STOP + 1 + way
            edge_data[n] = 0.0
            n += 1
    out[n] = STOP
    edge_data[n] = 0.0
    return n + 1


@jit
def _chance(p, s, target, outcome):
    """Return the probability of ``outcome``: by y if one was drawn, else by the belief."""
    likelihood, truth = p.hunt.likelihood, int(s[_TRUTH])
    if truth != _UNKNOWN:
        return likelihood[target, truth, outcome]
    total = 0.0
    for y in range(len(p.hunt.prior)):
        total += s[_BELIEF + y] * likelihood[target, y, outcome]
    return total


@jit
def _measure(p, s, target, stream):
    """Measure ``target``; one draw.  Return the payment, without its cost."""
    hunt = p.hunt
    rest, outcome = uniform(stream), 0
    for z in range(hunt.likelihood.shape[2]):
        chance = _chance(p, s, target, z)
        if chance > 0.0:
            outcome = z
            rest -= chance
            if rest < 0.0:
                break
    s[_SEEN] = NOTHING + 1 + outcome
    s[_BELIEF + len(hunt.prior) + target] = 0.0
    s[_LEFT] -= 1
    total = 0.0
    for y in range(len(hunt.prior)):
        s[_BELIEF + y] *= hunt.likelihood[target, y, outcome]
        total += s[_BELIEF + y]
    for y in range(len(hunt.prior)):
        s[_BELIEF + y] /= total
    before = s[_ENTROPY]
    s[_ENTROPY] = _entropy(p, s)
    if p.from_truth and s[_TRUTH] != _UNKNOWN:
        return hunt.benefit * math.log(hunt.likelihood[target, int(s[_TRUTH]), outcome] / total)
    return hunt.benefit * (before - s[_ENTROPY])


@jit
def _follow(p, s, way, stream):
    """Follow ``way``, and measure the target at its end; one draw.  Return the reward."""
    ways = p.decisions
    cell = ways.cell[way]
    s[_CELL] = cell
    s[_TO_GO] -= ways.steps[way]
    cost = p.hunt.distance * ways.length[way]
    target = p.hunt.target[cell]
    cost += p.hunt.test * p.hunt.cost[target]
    return _measure(p, s, target, stream) - cost


@jit
def step(p, s, action, edge_data, stream):
    """Follow a trip, with one draw, or stop."""
    if action == STOP:
        s[_TO_GO] = 0
        s[_SEEN] = NOTHING
        return 0.0
    return _follow(p, s, action - STOP - 1, stream)


@jit
def observation(p, s):
    """Return the outcome of the test, or `NOTHING`."""
    return np.uint64(s[_SEEN])


@jit
def terminal(p, s):
    """Return whether no steps are left, nothing to measure, or nothing to learn."""
    return s[_TO_GO] <= 0 or s[_LEFT] <= 0 or s[_ENTROPY] <= 0.0


@jit
def _information(p, s, target):
    """Return the expected reduction of entropy by measuring ``target``, in nats."""
    hunt = p.hunt
    total = 0.0
    for y in range(len(hunt.prior)):
        total -= s[_BELIEF + y] * p.noise[target, y]
    for outcome in range(hunt.likelihood.shape[2]):
        chance = 0.0
        for y in range(len(hunt.prior)):
            chance += s[_BELIEF + y] * hunt.likelihood[target, y, outcome]
        if chance > 0.0:
            total -= chance * math.log(chance)
    return total


@jit
def greediest(p, s):
    """Return the trip of the greatest net gain per step, or -1 if none has any; no draw."""
    hunt, ways, cell = p.hunt, p.decisions, int(s[_CELL])
    best, best_rate = -1, 0.0
    for way in range(ways.first[cell], ways.first[cell + 1]):
        if _possible(p, s, way):
            target = hunt.target[ways.cell[way]]
            gain = hunt.benefit * _information(p, s, target) - hunt.test * hunt.cost[target]
            rate = (gain - hunt.distance * ways.length[way]) / ways.steps[way]
            if rate > best_rate:
                best, best_rate = way, rate
    return best


@jit
def rollout(p, s, stream):
    """Take the greediest trip while one gains at all; one draw per test."""
    if p.resampled and s[_TRUTH] != _UNKNOWN:
        _draw_truth(p, s, stream)
    total = 0.0
    while not terminal(p, s):
        way = greediest(p, s)
        if way < 0:
            s[_TO_GO] = 0
        else:
            total += _follow(p, s, way, stream)
    return total


def _costs(p: AdaptiveHunt) -> float:
    """Return an upper bound on the cost of any path through the hunt."""
    hunt, most = p.hunt, p.hunt.moves
    arcs = hunt.length[np.isfinite(hunt.length)].max(initial=0.0)
    tests = np.sort(hunt.cost[hunt.open])[::-1][:most]
    return hunt.distance * most * float(arcs) + hunt.test * float(tests.sum())


def _low(p: AdaptiveHunt) -> float:
    """Return the minimum return: all costs, and a final belief uniform or without the truth."""
    hunt = p.hunt
    possible = hunt.prior[hunt.prior > 0]
    if not p.from_truth:
        return hunt.benefit * (entropy_of(possible) - math.log(len(possible))) - _costs(p)
    seen = hunt.likelihood[hunt.open][:, hunt.prior > 0]
    ratio = np.where(seen > 0, seen / np.maximum(seen.max(axis=1, keepdims=True), 1e-300), 1.0)
    worst = np.sort(np.log(ratio.min(axis=(1, 2), initial=1.0)))[: hunt.moves]
    return hunt.benefit * float(worst.sum()) - _costs(p)


def _high(p: AdaptiveHunt) -> float:
    """Return the maximum return: y is found, for nothing."""
    possible = p.hunt.prior[p.hunt.prior > 0]
    surprise = -math.log(possible.min())
    return p.hunt.benefit * (surprise if p.from_truth else entropy_of(possible))


def entropy_of(chances: np.ndarray) -> float:
    """Return the entropy of positive probabilities, in nats."""
    return float(-(chances @ np.log(chances)))


def _longest(p: AdaptiveHunt) -> int:
    """Return the length of the longest list of actions."""
    return 1 + int(np.diff(p.decisions.first).max())


register(
    AdaptiveHunt,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    workspace=workspace,
    discount=1.0,
    low=_low,
    high=_high,
    max_actions=_longest,
    max_depth=lambda p: max(p.hunt.moves, 1),
)
