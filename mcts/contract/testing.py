"""Contract tests of registered domains and of searches.

`check_domain` plays a domain as the search does, and looks for faults that corrupt a search
silently; `check_search` searches it with several threads.  Each raises AssertionError with one
sentence.

Limits: simulations are a sample, so a rare fault is missed.  An observation that reveals too much
is not detected.  Compiled code cannot be stopped: an endless roll-out is reported, and continues.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numba import float64, int64, typeof

from mcts.contract.traced_simulation import History, Trace, TracedSimulation, ask, describe
from mcts.domain import Domain, domain_of
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import fold, new_stream
from mcts.memory import arrays
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tree import EDGES, EXPANDED, EXPANDING, NODES, NOWHERE, ROOT, SIMULATIONS, Tree

THREADS = (1, 2, 4, 8)
"""Numbers of threads for `check_search`."""

_AGAIN = 16
"""Repetitions that separate chance from memory."""


def check_domain(
    p: Any, paths: int = 8, draws: int = 32, key: int = 1, seconds: float = 60.0
) -> int:
    """Check the domain of the position ``p``, which must have something to decide.

    Simulations run along ``paths``, each a choice of one action for every history (at the root of
    one after another), ``draws`` times each with separate streams: the hidden state differs, and
    histories recur.  Raises AssertionError with the first fault found.  Raises KeyError if no
    domain is registered for the type of ``p``.  ``key``: names all randomness of the check;
    ``seconds``: wall time for one simulation.  Warns (UserWarning) of a problem in plain Python
    whose observations are numbers that hardly ever recur.  Returns how many lists were compared
    with an earlier one of the same history below the root.  With 0, leaks there go undetected:
    increase ``draws``.
    """
    domain = domain_of(p)
    _check_declarations(domain, p)
    before = _contents(p)
    used, rollout_state = _check_workspaces(domain, p)
    _compile(domain, p, used)
    rng = np.random.default_rng(key)
    most = int(domain.declaration("max_depth", p))
    seen: dict[tuple[int, History], tuple[bytes, bytes]] = {}
    compared = 0
    times: Counter[int] = Counter()
    if hasattr(p, "watch"):
        p.watch()
    for path in range(paths):
        choices: dict[tuple[int, History], int] = {(0, ()): path}
        for draw in range(draws):
            stream = int(fold(np.uint64(key), path * draws + draw))
            depth = int(rng.integers(most + 1)) if draw % 2 else most
            traced = TracedSimulation(domain, p, stream, choices, rng, depth)
            found = _in_time(partial(traced.run, used, rollout_state), seconds)
            ask(
                _contents(p) == before,
                "the domain wrote to p, which all threads share; step must return a new state and "
                "leave its argument unchanged",
            )
            _check_repeats(traced, found, seconds)
            times.update(found.seen)
            for (view, history), listed in found.lists.items():
                compared += bool(history) and (view, history) in seen
                ask(
                    seen.setdefault((view, history), listed) == listed,
                    "two simulations listed different actions or edge data after "
                    f"{describe(history, p=p)}: the list depends on hidden information",
                )
    if hasattr(p, "doubt") and (doubt := p.doubt(times)):
        warnings.warn(doubt, stacklevel=2)
    return compared


def check_search(
    p: Any,
    options: Options | None = None,
    simulations: int = 500,
    key: int = 1,
    tolerance: float = 1e-9,
) -> None:
    """Check searches of the position ``p`` with each number of `THREADS`.

    Every search must complete its budget and find values within the declared range; with one thread
    it must grow the same tree again.  For a domain of one player the tree must keep its invariants
    (`check_invariants`, which takes ``tolerance``).  Raises AssertionError with the number of
    threads and the failure.  ``simulations``, ``key``: budget and randomness of each search.
    """
    domain = domain_of(p)
    low, high = (domain.declaration(name, p) for name in ("low", "high"))
    slack = 1e-9 * (high - low)
    alone = domain.declaration("players", p) == 1
    for threads in THREADS:
        search = Search(p, replace(options or Options(), threads=threads, oversubscribe=True))
        descents = -(-simulations // search.options.playouts)
        result = search.run(Budget(simulations=simulations), key)
        context = f"{type(p).__name__}, {threads} threads: "
        if alone:
            try:
                check_invariants(search.tree, tolerance)
            except AssertionError as fault:
                raise AssertionError(f"{context}{fault}") from None
        for what, count, right in (
            ("play-outs", result.simulations, descents * search.options.playouts),
            ("visits of the root's actions", int(result.visits.sum()), descents),
        ):
            ask(count == right, f"{context}the result has {count} {what}, not {right}")
        values = result.values[result.visits > 0]
        ask(
            bool(((values >= low - slack) & (values <= high + slack)).all()),
            f"{context}values {values} leave the declared range {low} to {high}",
        )
        if threads == 1:
            first = _tree(search.tree)
            search.run(Budget(simulations=simulations), key)
            ask(_tree(search.tree) == first, f"{context}the same search grew another tree")


def check_invariants(tree: Tree, tolerance: float = 1e-9) -> None:
    """Raise AssertionError with all violations unless ``tree`` is a valid result of a search.

    For searches that began with an empty tree and in which no move was hidden from player 0, since
    otherwise several edges may enter a node.  ``tolerance`` bounds the difference, per simulation,
    between the sum of the root edges' returns and that of all simulations' returns; 0 if the sums
    are exact.
    """
    wrong: list[str] = []

    def note(holds: bool, complaint: str) -> None:
        if not holds:
            wrong.append(complaint)

    simulations = int(tree.counters[SIMULATIONS])
    n, edges = int(tree.counters[NODES]), int(tree.counters[EDGES])
    nodes = tree.order[: min(n, len(tree.order))]
    block = tree.length[nodes] * (tree.status[nodes] == EXPANDED)

    note(n == len(nodes) == np.count_nonzero(tree.key), f"{n} nodes, another count in the table")
    note(len(np.unique(nodes)) == len(nodes), "a slot was given to two nodes")
    note(len(np.unique(tree.key[nodes])) == len(nodes), "a node is in the table twice")
    note(not (tree.status[nodes] == EXPANDING).any(), "a node is still being listed")
    note(tree.visits[ROOT] == simulations, f"{tree.visits[ROOT]} root visits, {simulations} played")
    note(edges == block.sum(), f"{edges} edges allocated, {block.sum()} in blocks")

    by_edge = np.zeros(len(tree.action) + 1, np.int64)
    owner = np.full(len(tree.action), NOWHERE)
    for node, length in zip(nodes, block, strict=True):
        span = slice(tree.first[node], tree.first[node] + length)
        if length:
            note((owner[span] == NOWHERE).all(), f"node {node} shares edges with another")
            owner[span] = node
            passed = tree.edge_visits[span].sum()
            note(passed <= tree.visits[node], f"node {node}: more visits below than above")
            note(
                node != ROOT or passed == simulations, "root edges' visits are not all simulations"
            )
    if tree.status[ROOT] == EXPANDED:
        span = slice(tree.first[ROOT], tree.first[ROOT] + tree.length[ROOT])
        gap = math.fsum(tree.edge_total[span]) - tree.returns[0]
        note(abs(gap) <= tolerance * simulations, f"root returns differ from all returns by {gap}")
    note(not tree.edge_in_flight[:edges].any(), "an edge is still in flight")

    children = nodes[tree.parent[nodes] != NOWHERE]
    incoming = tree.incoming[children]
    note((owner[incoming] == tree.parent[children]).all(), "a node's edge is not its parent's")
    np.add.at(by_edge, incoming, tree.visits[children])
    over = by_edge[:edges] > tree.edge_visits[:edges]
    note(not over.any(), f"{over.sum()} edges: fewer visits than the nodes they lead to")
    if wrong:
        raise AssertionError("; ".join(wrong))


def _contents(p: Any) -> list[bytes]:
    """Return the data of ``p``, with its ``contents`` if it is a reference."""
    behind = p.contents() if hasattr(p, "contents") else []
    return [*behind, *(array.tobytes() for _, array in arrays(p))]


def _tree(tree: Tree) -> list[bytes]:
    """Return the nodes in order, and all edges, with their statistics."""
    nodes, edges = tree.order[: tree.counters[NODES]], slice(int(tree.counters[EDGES]))
    by_node = (tree.key, tree.parent, tree.incoming, tree.status, tree.visits)
    by_edge = (tree.action, tree.edge_data, tree.edge_visits, tree.edge_total)
    return [*(a[nodes].tobytes() for a in by_node), *(a[edges].tobytes() for a in by_edge)]


def _check_declarations(domain: Domain, p: Any) -> None:
    discount, low, high, longest, depth = (
        domain.declaration(name, p)
        for name in ("discount", "low", "high", "max_actions", "max_depth")
    )
    ask(0 < discount <= 1, f"discount must be above 0 and at most 1, not {discount}")
    ask(-math.inf < low < high < math.inf, f"the range {low} to {high} is empty or not finite")
    players, views = (domain.declaration(name, p) for name in ("players", "perspectives"))
    ask(views in (1, players), f"perspectives must be 1 or as many as players, not {views}")
    for name, value in (("max_actions", longest), ("max_depth", depth), ("players", players)):
        whole = isinstance(value, (int, np.integer)) and value >= 1
        ask(whole, f"{name} must be a whole number from 1, not {value!r}")


def _check_workspaces(domain: Domain, p: Any) -> tuple[Any, Any]:
    """Return two workspaces, after comparing them."""
    one, other = domain.workspace(p), domain.workspace(p)
    ask(typeof(one) == typeof(other), "two workspaces are not of one type")
    for place, mine in arrays(one):
        for _, theirs in arrays(other):
            shared = np.shares_memory(mine, theirs)
            ask(not shared, f"the workspaces of two threads share memory (s{place})")
    return one, other


def _compile(domain: Domain, p: Any, s: Any) -> None:
    """Compile all functions for the types that the search passes."""
    if INTERPRETED:
        return
    position, stream = (typeof(p), typeof(s)), typeof(new_stream(0))
    more: dict[str, tuple] = dict.fromkeys(("observation", "terminal", "mover", "outcome"), ())
    more |= dict.fromkeys(("start", "rollout"), (stream,))
    more |= dict.fromkeys(("available", "action_type"), (int64,))
    more |= {"actions": (int64[::1], float64[::1]), "step": (int64, float64, stream)}
    more |= {"copy": (position[1],)}
    if domain.declaration("players", p) > 1:
        more |= dict.fromkeys(("observation_of", "payoff"), (int64,))
    for name, types in more.items():
        getattr(domain, name).compile((*position, *types))


def _in_time(call: Callable[[], Any], seconds: float) -> Any:
    """Return the result of ``call``; AssertionError if it takes more than ``seconds``."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as fault:
            outcome.append((None, fault))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    ask(bool(outcome), f"a simulation has not ended within {seconds} seconds")
    result, fault = outcome[0]
    if fault is not None:
        raise fault
    return result


def _check_repeats(traced: TracedSimulation, found: Trace, seconds: float) -> None:
    """Check that a simulation is the same in fresh workspaces, and without listing actions."""

    def again(follow: list[tuple[int, float]] | None = None) -> Trace:
        fresh = (traced.domain.workspace(traced.p) for _ in range(2))
        return _in_time(lambda: traced.run(*fresh, follow), seconds)

    one, silent = again(), again(found.taken)
    if one != found or silent.events != found.events:
        ask(
            all(again() == one for _ in range(_AGAIN)),
            "with equal streams simulations in fresh workspaces differ: the domain uses its own "
            "random numbers, or uninitialised memory",
        )
        ask(
            one == found,
            "with equal streams a simulation in a used workspace differs from one in a fresh "
            "workspace: start does not reset all that is read",
        )
        raise AssertionError(
            "a simulation differs when no lists are requested: actions changes the state, or does "
            "work that step needs",
        )
    ask(
        found.copied == found.rolled,
        "a roll-out from a copy of the state differs from one from the state itself: copy omits "
        "something, or shares memory",
    )
