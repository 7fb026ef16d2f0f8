"""Random calls of a search and a planner: right results, a documented refusal, nothing remembered.

Wrong is an exception that is not documented, or whose message has several lines; visits that do not
add up to the simulations; other actions than those of the position; and, after any calls, a
search that differs from a fresh one with the same key.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from judge import Finding

from benchmarks.bench_plain import plain
from mcts import search as searches
from mcts.kernel.errors import describe
from mcts.options import Budget, Options
from mcts.problems.tiger import HEARD_LEFT, HEARD_RIGHT, RANDOM, TigerParameters

DOCUMENTED = (ValueError, TypeError, RuntimeError, searches.OutOfRange)
KEYS = (0, 1, 2**64 - 1, -1, 2**64, 1.5, None, "1")
BUDGETS = (
    Budget(1), Budget(40), Budget(seconds=1e-4), Budget(simulations=30, seconds=1.0), None, 40,
)  # fmt: skip
NUMBERS = (0, 1, 2, 2, 3, 10**30, -1, None, "0", 0.5)
OPTIONS = (
    {},
    {"threads": 2, "oversubscribe": True},
    {"mode": "leaf", "threads": 2, "oversubscribe": True},
    {"edges": 7},
    {"nodes": 1},
    {"rollouts_per_leaf": 3, "common_random_numbers": True},
)


def positions(kind: int) -> list[Any]:
    """Return positions of one domain, of several sizes."""
    if kind == 0:
        lefts = product((0.5, 1.0), (1, 3, 8))
        return [TigerParameters(left, steps, rollout=RANDOM) for left, steps in lefts]
    usual = [plain(steps) for steps in (1, 3, 8)]
    wide = replace(usual[1], actions=lambda state: [0, 1, 2, 7], most_actions=104)
    few = replace(usual[1], actions=lambda state: [0, 1])
    return [problem.position() for problem in (*usual, wide, few)]


class Calls:
    """A search, and what is known of it."""

    def __init__(self, random: Random) -> None:
        self.random, self.kind = random, random.randrange(2)
        self.positions = positions(self.kind)
        self.options = Options(**{"nodes": 500, **random.choice(OPTIONS)})
        self.search = searches.Search(random.choice(self.positions), self.options)
        self.done: list[str] = []

    def make(self, name: str) -> str | None:
        """Make one call; return what is wrong."""
        self.done.append(name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return getattr(self, name)()
        except DOCUMENTED as fault:
            text = str(fault).partition("\nRaised here")[0]
            return f"several lines: {text!r}" if "\n" in text else None
        except Exception as fault:
            return f"{describe(fault)} is not documented"

    def run(self) -> str | None:
        """Search some position."""
        p = self.random.choice([None, *self.positions, *self.positions, 5, Budget(1)])
        kept = self.search._kept
        budget = self.random.choice(BUDGETS)
        result = self.search.run(budget, self.random.choice(KEYS[:3] * 2 + KEYS), p)
        descents = -(-result.simulations // self.options.playouts)
        if not kept and result.visits.sum() != descents:
            return f"{result.visits.sum()} visits of {descents} simulations"
        if p is not None and {result.best, *result.actions.tolist()} != {*legal(p)}:
            return f"the best of {result.actions} is {result.best}: legal is {legal(p)}"
        most = budget.simulations
        if result.simulations < 1 or (most and descents > -(-most // self.options.playouts)):
            return f"{result.simulations} simulations with {budget}"
        return None

    def advance(self) -> None:
        """Follow what may have happened."""
        self.search.advance(self.random.choice(NUMBERS), self.random.choice(NUMBERS))

    def follow(self) -> str | None:
        """Search some position after what has happened as likely as not."""
        self.search.advance(self.random.randrange(3), self.random.choice((HEARD_LEFT, HEARD_RIGHT)))
        return self.run()

    def forget(self) -> None:
        self.search.forget()

    def cancel(self) -> None:
        self.search.cancel()

    def run_while_running(self) -> str | None:
        """Run while it is held, as by another thread."""
        self.search._turn = None
        try:
            self.search.run(Budget(1), 1)
        except RuntimeError:
            return None
        finally:
            vars(self.search).pop("_turn", None)
        return "two runs at once"

    def end(self) -> str | None:
        """Compare a search with a fresh one."""
        if self.search.cancelled:  # it would end what follows
            self.make("run")
        p, key = self.random.choice(self.positions), self.random.choice(KEYS[:3])
        options, budget = replace(self.options, threads=1, mode="tree"), Budget(simulations=60)
        if self.options.threads > 1:
            return None  # whose order nobody controls
        self.search.cancelled = False
        self.search.forget()
        fresh = searches.Search(p, options).run(budget, key)
        found = self.search.run(budget, key, p)
        if found.visits.tolist() != fresh.visits.tolist() or found.nodes != fresh.nodes:
            return f"{found.visits} and {found.nodes} nodes, fresh {fresh.visits}, {fresh.nodes}"
        return None


def legal(p: Any) -> list[int]:
    """Return the actions of a position."""
    return [0, 1, 2] if isinstance(p, TigerParameters) else p.number.searched.problem.actions(None)


CALLS = (
    "run", "run", "run", "advance", "follow", "follow", "forget", "cancel", "run_while_running",
)  # fmt: skip


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` sequences of calls."""
    for case in range(number):
        random = Random(f"{seed}/{case}")
        calls = Calls(random)
        names = [random.choice(CALLS) for _ in range(random.randrange(1, 12))]
        wrong = next(filter(None, map(calls.make, [*names, "end"])), None)
        text = f"calls {case} of seed {seed}: {', '.join(calls.done)}"
        yield None if wrong is None else Finding(text, wrong)
