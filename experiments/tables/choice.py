"""The cells of a table that ``only=`` asks for."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.settings.commandline import Refusal
from mcts.limits import did_you_mean


def choose(choices: Sequence[tuple[str, ...]], only: Sequence[str] | None) -> list[int]:
    """Return the numbers of the cells that are asked for; ``only``: None for all.

    ``choices``: of each cell its names, kind by kind (`Cell.choices`).  Of the names of one kind
    one must fit, and so for each kind; a name that two kinds have is the first one's.  Raises
    Refusal if a name is unknown, or no cell has all of them.
    """
    kinds = [dict.fromkeys(filter(None, names)) for names in zip(*choices, strict=True)]
    known = list(dict.fromkeys(name for kind in kinds for name in kind))
    wanted: dict[int, set[str]] = {}
    for name in only or ():
        kind = next((number for number, kind in enumerate(kinds) if name in kind), None)
        if kind is None:
            raise Refusal(
                f"only={name}: this table has {', '.join(known) or 'a single cell'}"
                f"{did_you_mean(name, known)}"
            )
        wanted.setdefault(kind, set()).add(name)
    chosen = [
        number
        for number, names in enumerate(choices)
        if all(names[kind] in asked for kind, asked in wanted.items())
    ]
    if not chosen:
        raise Refusal(f"only=[{','.join(only or ())}]: no cell has all of these: name fewer")
    return chosen
