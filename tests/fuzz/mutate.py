"""Ways to damage what a file holds: its bytes, or values in what they say."""

from __future__ import annotations

import copy
from functools import reduce
from random import Random
from typing import Any

NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, float("nan"),
    float("-inf"), "", "x", "\x1b]0;owned\x07\x1b[2J", "\ud800", "\u202egpj.exe",
    "[/red]:smile:", "=1+1", "$x$", "a\nb", "../../x", "x" * 5000, [], [[]], [0], {}, {"x": 1},
    reduce(lambda inner, _: [inner], range(40), 1),
)  # fmt: skip
"""Values that a reader may not expect."""


def raw(random: Random, content: bytes) -> bytes:
    """Return ``content`` with a few bytes changed, lost, added, or its lines in disorder."""
    damaged = bytearray(content)
    at = random.randrange(len(damaged)) if damaged else 0
    length = random.choice((1, 1, 4, 64, len(damaged) // 2))
    kind = random.randrange(8)
    if kind == 0 and damaged:
        damaged[at] ^= 1 << random.randrange(8)
    elif kind == 1:
        del damaged[at : at + length]
    elif kind == 2:
        damaged[at:at] = random.randbytes(length)
    elif kind == 3:
        damaged[at : at + length] = random.randbytes(length)
    elif kind == 4:
        del damaged[at:]
    elif kind == 5:
        damaged += damaged[at : at + length]
    elif kind == 6:
        damaged[at:at] = b"\0" * length
    else:
        lines = bytes(damaged).split(b"\n")
        random.shuffle(lines)
        damaged = bytearray(b"\n".join(lines))
    return bytes(damaged)


def value(random: Random, held: Any) -> Any:
    """Return ``held``, plain data, with something in it another, gone, added or twice."""
    changed = copy.deepcopy(held)
    inner = list(_containers(changed))
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if not inner:
            return random.choice(NASTY)
        _change(random, random.choice(inner))
    return changed


def _containers(held: Any) -> Any:
    if isinstance(held, dict | list):
        if held:
            yield held
        for below in held.values() if isinstance(held, dict) else held:
            yield from _containers(below)


def _change(random: Random, inside: Any) -> None:
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    if not keys:
        return
    key, kind = random.choice(keys), random.randrange(8)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, dict):
        inside[random.choice(("x", "label", "search", "budget", ""))] = random.choice(NASTY)
    elif kind == 1:
        inside.append(random.choice(NASTY))
    elif kind == 2:
        other = random.choice(keys)
        inside[key], inside[other] = inside[other], inside[key]
    elif kind == 3 and isinstance(inside[key], int | float):
        inside[key] += random.choice((-1, 1, 0.5))
    else:
        inside[key] = copy.deepcopy(random.choice(NASTY))
