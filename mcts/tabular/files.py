"""Files of problems: which reader, and the writer of the format of pomdp-solve.

problem = read_pomdp("hallway.POMDP", steps=100)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mcts.tabular.tables import TablesFault, Tabular

ENDINGS = (".pomdp", ".pomdpx")
"""Endings of names of files that can be read, in any case of letters."""

_END = "end"


def read_pomdp(
    path: str | Path,
    steps: int | None = None,
    discount: float | None = None,
    strict: bool = True,
) -> Tabular:
    """Return the problem in a file: POMDPX if its name ends so, else the format of pomdp-solve.

    Raises TablesFault with file, line and column for what is no problem.

    Parameters
    ----------
    steps : actions of a trial, which files do not say; needed with a discount of 1
    discount : replaces the file's, or gives it one
    strict : whether rows that do not sum to 1, and entries given twice with different numbers, are
        refused; else rows are normalised, the last entry counts, and a warning says so
    """
    from mcts.tabular import pomdp_file, pomdpx_file  # the grammar is slow to import

    path = Path(path)
    try:
        text = path.read_text("utf-8-sig", errors="replace")
    except OSError as fault:
        raise TablesFault(f"{path} cannot be read: {fault.strerror or fault}") from None
    reader = pomdpx_file if path.suffix.lower() == ".pomdpx" else pomdp_file
    return reader.read(text, path.name, steps, discount, strict)


def write_pomdp(problem: Tabular, path: str | Path) -> None:
    """Write ``problem`` in the format of pomdp-solve, for the solvers of others.

    The format has no terminal states and no illegal actions: a terminal state stays as it is, pays
    nothing and is observed as ``end``; an illegal action does what the state's first legal action
    does.  It has no number of steps, either.  Raises TablesFault if names cannot be written, or
    an illegal action cannot be replaced since its observations differ.
    """
    Path(path).write_text("\n".join(_lines(problem)) + "\n", "utf-8")


def _lines(problem: Tabular) -> Iterator[str]:
    tables = problem.tables
    n, count = len(tables.kind), tables.actions
    over = [not problem.legal_in(state) for state in range(n)]
    seen = problem.matrices(0)[1].shape[1]
    yield f"discount: {_number(problem.discount)}"
    yield "values: reward"
    yield f"states: {_names(problem.states, n)}"
    yield f"actions: {_names(problem.actions, count)}"
    yield f"observations: {_names(problem.seen, seen, _END if any(over) else None)}"
    yield f"start: {' '.join(map(_number, np.asarray(problem.start, float)))}"
    emissions: dict[tuple[int, int], list[str]] = {}
    for state in range(n):
        legal = problem.legal_in(state)
        for action in range(count):
            if not legal:
                yield f"T: {action} : {state} : {state} 1.0"
                emissions[action, state] = [f"O: {action} : {state} : {seen} 1.0"]
                continue
            acts = action if action in legal else legal[0]
            row = slice(*tables.first[state * count + acts :][:2])
            entries = zip(tables.then[row], tables.chance[row], tables.reward[row], strict=True)
            for then, chance, reward in entries:
                yield f"T: {action} : {state} : {then} {_number(chance)}"
                if reward:
                    yield f"R: {action} : {state} : {then} : * {_number(reward)}"
                if over[then]:
                    continue
                emission = list(_emission(tables, action, acts, int(then)))
                if emissions.setdefault((action, int(then)), emission) != emission:
                    raise TablesFault(
                        f"{problem.words(action)} is illegal in state {state} and cannot be "
                        "replaced: its observations differ"
                    )
    for action in range(count):  # what no transition reaches needs observations, too
        for state in range(n):
            yield from emissions.get((action, state), [f"O: {action} : {state} : 0 1.0"])


def _emission(tables: Any, action: int, acts: int, then: int) -> Iterator[str]:
    row = slice(*tables.seen_first[acts * len(tables.kind) + then :][:2])
    for seen, chance in zip(tables.seen[row], tables.seen_chance[row], strict=True):
        yield f"O: {action} : {then} : {seen} {_number(chance)}"


def _number(value: float) -> str:
    """Return a number without an exponent, and with a digit before the point."""
    return np.format_float_positional(float(value), trim="0")


def _names(names: Any, count: int, more: str | None = None) -> str:
    """Return names, with dashes for what the format cannot have, or their number."""
    words = [re.sub(r"[^A-Za-z0-9_]+", "-", str(name)).strip("-") for name in names]
    words += [more] if more else []
    plain = all(re.match(r"[A-Za-z]", word) for word in words)
    if names and plain and len(set(words)) == len(words):
        return " ".join(words)
    return str(count + (more is not None))
