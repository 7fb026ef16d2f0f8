"""What every registered domain, and every search of one, must keep: contract tests to call.

`check_domain` plays a domain the way the search does, and looks for what makes a search wrong
without stopping it: a list that knows what is hidden, a simulation that remembers the one before,
chance that is not the stream's, returns out of range, writes to shared memory.  `check_search`
searches it with several threads.  Each raises AssertionError with one sentence.

The limits: what is random is sampled, so a fault that is rare enough is missed; of two domains
that break the contract by what they *observe*, none is found, for whatever a domain observes is
taken to be what the seat may see.  No compiled code can be stopped: a roll-out without end is
reported, and goes on.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba import float64, int64, typeof

from mcts.domain import Domain, domain_of
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import fold, new_stream
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tree import EDGES, NODES, Tree, check_invariants

THREADS = (1, 2, 4, 8)
"""Threads that `check_search` searches with."""

_BEYOND = 64
"""Entries behind the end of a list's arrays that a domain must leave alone."""

_AGAIN = 16
"""Repetitions by which chance is told from memory."""

History = tuple[tuple[int, int], ...]
"""(action, observation) since the root."""


def check_domain(
    p: Any, paths: int = 8, draws: int = 32, key: int = 1, seconds: float = 60.0
) -> int:
    """Check the domain of the position ``p``; it needs something to decide there.

    Simulations run along ``paths``, each a choice of one action for every history, ``draws`` times
    each with streams of their own: the hidden state differs, and histories come again.

    Parameters
    ----------
    key
        Names all randomness of the check.
    seconds
        Wall time for one simulation.

    Returns
    -------
    int
        How many lists were compared with an earlier one of the same history below the root.  0
        says that a leak there would not have been seen: take more ``draws``.

    Raises
    ------
    AssertionError
        With the first fault that is found.
    KeyError
        If no domain is registered for the type of ``p``.
    """
    domain = domain_of(p)
    _check_declarations(domain, p)
    before = _contents(p)
    used = _check_workspaces(domain, p)
    _compile(domain, p, used)
    rng = np.random.default_rng(key)
    most = int(domain.declared("max_depth", p))
    seen: dict[History, tuple[bytes, bytes]] = {}
    compared = 0
    for path in range(paths):
        choices: dict[History, int] = {}
        for draw in range(draws):
            simulation = _Simulation(
                domain,
                p,
                stream=int(fold(np.uint64(key), path * draws + draw)),
                choices=choices,
                rng=rng,
                depth=int(rng.integers(most + 1)) if draw % 2 else most,
            )
            found = _in_time(lambda each=simulation: each.run(used), seconds)
            _ask(_contents(p) == before, "the domain wrote to p, which all threads share")
            _check_repeats(simulation, found, seconds)
            for history, listed in found.lists.items():
                compared += bool(history) and history in seen
                _ask(
                    seen.setdefault(history, listed) == listed,
                    f"two simulations listed different actions or notes after {_words(history)}: "
                    "the list depends on what the searching seat cannot know",
                )
    return compared


def check_search(
    p: Any,
    options: Options | None = None,
    simulations: int = 500,
    key: int = 1,
    tolerance: float = 1e-9,
) -> None:
    """Check searches of the position ``p`` with each number of `THREADS`.

    Every search must complete its budget, leave a tree that keeps its invariants
    (`mcts.tree.check_invariants`, which takes ``tolerance``) and values within the declared range;
    with one thread it must be the same again.

    Raises
    ------
    AssertionError
        With the number of threads and what fails.
    """
    domain = domain_of(p)
    low, high = (domain.declared(name, p) for name in ("low", "high"))
    slack = 1e-9 * (high - low)
    for threads in THREADS:
        search = Search(p, replace(options or Options(), threads=threads, oversubscribe=True))
        result = search.run(Budget(simulations=simulations), key)
        context = f"{type(p).__name__}, {threads} threads: "
        try:
            check_invariants(search.tree, tolerance)
        except AssertionError as fault:
            raise AssertionError(f"{context}{fault}") from None
        for what, count in (
            ("the result counts", result.simulations),
            ("the root's actions were tried in", int(result.visits.sum())),
        ):
            _ask(count == simulations, f"{context}{what} {count} simulations, not {simulations}")
        values = result.values[result.visits > 0]
        _ask(
            bool(((values >= low - slack) & (values <= high + slack)).all()),
            f"{context}values {values} leave the declared range {low} to {high}",
        )
        if threads == 1:
            first = _tree(search.tree)
            search.run(Budget(simulations=simulations), key)
            _ask(_tree(search.tree) == first, f"{context}the same search grew another tree")


def _ask(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)


def _words(history: History) -> str:
    steps = ", ".join(f"{action} (seen: {seen})" for action, seen in history)
    return f"actions {steps}" if steps else "no action"


def _arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays in ``value``, nested tuples included, with their places."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        for name, each in zip(names, value, strict=True):
            yield from _arrays(each, f"{path}.{name}")


def _contents(value: Any) -> list[bytes]:
    return [array.tobytes() for _, array in _arrays(value)]


def _tree(tree: Tree) -> list[bytes]:
    """Return the nodes in order, and all edges, with their statistics."""
    nodes, edges = tree.order[: tree.counters[NODES]], slice(int(tree.counters[EDGES]))
    by_node = (tree.key, tree.parent, tree.incoming, tree.status, tree.visits)
    by_edge = (tree.action, tree.note, tree.edge_visits, tree.edge_total)
    return [each[nodes].tobytes() for each in by_node] + [each[edges].tobytes() for each in by_edge]


def _check_declarations(domain: Domain, p: Any) -> None:
    discount, low, high, longest, depth = (
        domain.declared(name, p) for name in ("discount", "low", "high", "max_actions", "max_depth")
    )
    _ask(0 < discount <= 1, f"discount must be above 0 and at most 1, not {discount}")
    _ask(-math.inf < low < high < math.inf, f"the range {low} to {high} is empty or not finite")
    for name, value in (("max_actions", longest), ("max_depth", depth)):
        whole = isinstance(value, (int, np.integer)) and value >= 1
        _ask(whole, f"{name} must be a whole number from 1, not {value!r}")


def _check_workspaces(domain: Domain, p: Any) -> Any:
    """Return a workspace, after comparing it with another one."""
    one, other = domain.workspace(p), domain.workspace(p)
    _ask(typeof(one) == typeof(other), "two workspaces are not of one type")
    for place, mine in _arrays(one):
        for _, theirs in _arrays(other):
            shared = np.shares_memory(mine, theirs)
            _ask(not shared, f"the workspaces of two threads share memory (s{place})")
    return one


def _compile(domain: Domain, p: Any, s: Any) -> None:
    """Compile all functions for the types that the search hands them."""
    if INTERPRETED:
        return
    position, stream = (typeof(p), typeof(s)), typeof(new_stream(0))
    domain.start.compile((*position, stream))
    domain.actions.compile((*position, int64[::1], float64[::1]))
    domain.step.compile((*position, int64, float64, stream))
    domain.observation.compile(position)
    domain.terminal.compile(position)
    domain.rollout.compile((*position, stream))


def _in_time(call: Callable[[], Any], seconds: float) -> Any:
    """Return what ``call`` returns; AssertionError if it has not within ``seconds``."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as fault:
            outcome.append((None, fault))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    _ask(bool(outcome), f"a simulation has not ended within {seconds} seconds")
    result, fault = outcome[0]
    if fault is not None:
        raise fault
    return result


@dataclass
class _Found:
    """What one simulation went through."""

    lists: dict[History, tuple[bytes, bytes]] = field(default_factory=dict)
    """The actions and the notes listed, by history."""
    taken: list[tuple[int, float]] = field(default_factory=list)
    """Actions taken, with their notes ..."""
    events: list[float] = field(default_factory=list)
    """... and, in the order of time, rewards, observations, the roll-out's return, the stream."""


@dataclass
class _Simulation:
    """One simulation, to be run again and again."""

    domain: Domain
    p: Any
    stream: int
    choices: dict[History, int]
    """By history: the place on the list of the action to take; drawn where it is missing."""
    rng: np.random.Generator
    depth: int
    """Own decisions before the roll-out."""

    def run(self, s: Any, follow: list[tuple[int, float]] | None = None) -> _Found:
        """Simulate in the workspace ``s``; with ``follow``, take these and ask for no list."""
        domain, p, found = self.domain, self.p, _Found()
        stream, history = new_stream(self.stream), ()
        discount, low, high = (domain.declared(each, p) for each in ("discount", "low", "high"))
        domain.start(p, s, stream)
        _ask(not domain.terminal(p, s), "the position searched is terminal")
        value, weight, over = 0.0, 1.0, False
        while not over and len(history) < self.depth:
            if follow is None:
                taken = self._choose(s, history, found)
                if taken is None:
                    break
            elif len(history) == len(follow):
                break
            else:
                taken = follow[len(history)]
            reward = float(domain.step(p, s, *taken, stream))
            over = bool(domain.terminal(p, s))
            seen = 0 if over else int(domain.observation(p, s)) % 2**64
            found.taken.append(taken)
            found.events += [reward, seen, over]
            history = (*history, (taken[0], seen))
            if follow is None:
                _ask(over == domain.terminal(p, s), f"terminal toggles after {_words(history)}")
            _ask(math.isfinite(reward), f"the reward is {reward} after {_words(history)}")
            value, weight = value + weight * reward, weight * discount
        if not over:
            rest = float(domain.rollout(p, s, stream))
            _ask(math.isfinite(rest), f"the roll-out returns {rest} after {_words(history)}")
            value += weight * rest
            found.events.append(rest)
        found.events.append(int(stream[0]))
        slack = 1e-9 * (high - low)
        _ask(
            low - slack <= value <= high + slack,
            f"the return {value} after {_words(history)} leaves the declared range {low} to {high}",
        )
        return found

    def _choose(self, s: Any, history: History, found: _Found) -> tuple[int, float] | None:
        """List the actions, and return the one to take with its note; None if there is none."""
        actions, notes = self._listed(s, history, np.nan)
        found.lists[history] = actions.tobytes(), notes.tobytes()
        again = tuple(each.tobytes() for each in self._listed(s, history, -1.0))
        where = f"after {_words(history)}"
        _ask(again == found.lists[history], f"listed twice {where}, actions or notes differ")
        _ask(bool(history) or len(actions) > 0, "the position searched offers no action")
        _ask(bool((actions >= 0).all()), f"an action below 0 is listed {where}: {actions}")
        once = len(np.unique(actions)) == len(actions)
        _ask(once, f"an action is listed twice {where}: {actions}")
        if not len(actions):
            return None
        place = self.choices.setdefault(history, int(self.rng.integers(len(actions))))
        place = min(place, len(actions) - 1)
        return int(actions[place]), float(notes[place])

    def _listed(self, s: Any, history: History, blank: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the list at ``s`` and its notes, written over ``blank``."""
        longest = int(self.domain.declared("max_actions", self.p))
        out = np.full(longest + _BEYOND, -2, np.int64)
        notes = np.full(longest + _BEYOND, blank)
        try:
            n = int(self.domain.actions(self.p, s, out[:longest], notes[:longest]))
        except IndexError:  # where bounds are checked: in the interpreter, or by NUMBA_BOUNDSCHECK
            n = longest + 1
        untouched = (out[longest:] == -2).all() and (
            notes[longest:].tobytes() == np.full(_BEYOND, blank).tobytes()
        )
        _ask(
            0 <= n <= longest and bool(untouched),
            f"more actions than max_actions, {longest}, are listed after {_words(history)}",
        )
        return out[:n], notes[:n]


def _check_repeats(simulation: _Simulation, found: _Found, seconds: float) -> None:
    """Check that a simulation is the same in a fresh workspace, and without its questions."""

    def again(s: Any, follow: list[tuple[int, float]] | None = None) -> _Found:
        return _in_time(lambda: simulation.run(s, follow), seconds)

    def fresh() -> Any:
        return simulation.domain.workspace(simulation.p)

    one, silent = again(fresh()), again(fresh(), found.taken)
    if one == found and silent.events == found.events:
        return
    _ask(
        all(again(fresh()) == one for _ in range(_AGAIN)),
        "with equal streams simulations in fresh workspaces differ: the domain uses chance of its "
        "own, or memory that nobody has set",
    )
    _ask(
        one != found,
        "a simulation goes another way when nobody asks for lists: actions changes the state, or "
        "does what step needs",
    )
    raise AssertionError(
        "with equal streams a simulation in a workspace used before differs from one in a fresh "
        "workspace: start does not reset all that is read"
    )
