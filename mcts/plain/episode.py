"""A closed loop of a problem in plain Python, with a particle belief.

    from mcts import play_episode
    choose = lambda position, key: search.run(Budget(simulations=500), key, position).best
    play_episode(problem, choose, key=1)

A trial ends after the problem's ``steps``, and each position holds the remaining ones, so that a
search plans for its evaluation; unless a fixed ``horizon`` is given.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from mcts.kernel.rng import derive_key
from mcts.plain.chance import Chance
from mcts.plain.domain import PlainPosition
from mcts.plain.particle_filter import ATTEMPTS, Deprived, ParticleFilter
from mcts.plain.problem import Problem
from mcts.plain.values import number

_WORLD, _BELIEF, _DECISIONS = 0, 1, 2

_OVER = object()
"""Observed only when the episode is over."""


class Episode(NamedTuple):
    """Result of one episode."""

    returned: float
    """Discounted."""
    actions: list[Any]
    """Actions in order."""
    deprived: bool = False
    """Whether it ended early because no particle explained an observation."""


def play_episode(
    problem: Problem,
    choose: Callable[[PlainPosition, int], int],
    key: int,
    particles: int = 1_000,
    horizon: int | None = None,
) -> Episode:
    """Play one episode from the problem's start, to its end or for its ``steps``.

    Raises mcts.plain.particle_filter.Deprived if all particles of the start are terminal.  Raises
    ValueError if the problem has several players, there are no particles, a search has changed the
    states of the belief, or a chosen action is illegal.

    Parameters
    ----------
    choose : ``choose(position, key)`` returns the number of an action, as a search reports it; the
        position has the particles and the steps to go, and the key differs between decisions
    key : names all randomness: what is hidden, what is observed, particles, the keys of decisions
    particles : their number.  That an episode begins, or continues, is also observed
    horizon : steps to go of every position, regardless of how many are left: a receding horizon,
        for problems without an end.  The search must be made for as many
    """
    if particles < 1:
        raise ValueError(f"a belief needs at least one particle, not {particles}")
    if problem.players > 1:
        raise ValueError("a closed loop needs one player: other players belong in step")
    chance = Chance(int(derive_key(key, _WORLD)))
    drawing = Chance(int(derive_key(key, _BELIEF)))
    state = problem.draw(problem.start, chance)
    done: list[Any] = []
    if problem.over(state):
        return Episode(0.0, done)

    def simulate(state: Any, action: Any, chance: Chance) -> tuple[Any, Any]:
        state, _ = problem.step_checked(state, action, chance)
        return state, _OVER if problem.over(state) else problem.observation(state)

    def likelihood(state: Any, action: Any, observation: Any) -> float:
        if problem.likelihood is None or problem.over(state):
            return 0.0
        return problem.likelihood(state, action, observation)

    belief = ParticleFilter(
        _draw_start(problem, particles, drawing),
        simulate,
        None if problem.likelihood is None else likelihood,
        problem.vary,
        same=lambda seen, observation: seen is not _OVER and number(seen) == number(observation),
    )
    total, weight = 0.0, 1.0
    while len(done) < problem.steps and not problem.over(state):
        decision = int(derive_key(key, _DECISIONS, len(done)))
        left = problem.steps - len(done)
        position = problem.position(belief.states, left if horizon is None else horizon)
        before = None if done else position.contents()  # checked once: it is slow
        found = choose(position, decision)
        if before is not None and position.contents() != before:
            raise ValueError("the search changed a state: step must return a new one")
        action = _legal(problem, state, found)
        state, reward = problem.step_checked(state, action, chance)
        total += weight * reward
        weight *= problem.discount
        done.append(action)
        if len(done) < problem.steps and not problem.over(state):
            try:
                belief.update(action, problem.observation(state), drawing)
            except Deprived:
                return Episode(total, done, deprived=True)
    return Episode(total, done)


def _legal(problem: Problem, state: Any, found: int) -> Any:
    """Return the action of the number ``found``, which was chosen without knowing ``state``."""
    action = problem.action(found)
    if number(action) not in map(number, problem.list_actions(state)):
        raise ValueError(
            f"{action!r} was chosen but is illegal: actions must not depend on hidden information"
        )
    return action


def _draw_start(problem: Problem, particles: int, chance: Chance) -> list[Any]:
    """Return ``particles`` non-terminal initial states, or fewer."""
    drawn = (problem.draw(problem.start, chance) for _ in range(ATTEMPTS * particles))
    found = list(islice((state for state in drawn if not problem.over(state)), particles))
    if not found:
        raise Deprived(f"all of {ATTEMPTS * particles:,} initial states are terminal")
    return found
