"""Users' problems whose parts raise, end, pay or say anything: refused in a line, or played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from called import capture, find_fault
from judge import Finding

from experiments.episodes import problems

SOURCE = """
import sys
from mcts.plain.problem import Problem

class Mute(Exception):
    def __str__(self):
        raise ValueError

class Odd:
    def __eq__(self, other): raise KeyError("eq")
    def __hash__(self): raise RuntimeError("hash")
    def __repr__(self): raise OSError("repr")

def cry(fault):
    raise fault

parts = dict(
    start=lambda chance: chance.below(4),
    actions=lambda state: [0, 1, 2],
    step=lambda state, action, chance: (state, float(action == state)),
    observation=lambda state: state % 2,
    terminal=lambda state: False,
    low=0, high=4, steps=4, discount=0.9,
)
usual = dict(parts)
parts.update(PARTS)
problem = Problem(**parts)
"""
VALUES = (
    """
None | 0 | -1 | 10**5000 | 1e308 | float('nan') | float('inf') | '' | 'x' * 10**5 | [] | [[]] | {}
Odd() | [Odd()] | object | (0, 1e308) | (0, 10**400) | (0, None) | (0, Odd()) | (Odd(), 0.0)
(1, 1j) | cry(GeneratorExit) | cry(Mute) | cry(SystemExit(3)) | cry(StopIteration) | sys.exit()
cry(MemoryError) | cry(RecursionError) | cry(Exception('a\\nb\\x1b[2J')) | range(10**6)
""".strip()
    .replace("\n", " | ")
    .split(" | ")
)
"""What a part may be or return."""

CALLED = ("start", "actions", "step", "observation", "terminal", "rollout", "vary", "likelihood")
PLAIN = ("low", "high", "steps", "discount", "most_actions", "players", "start", "step", "trees")
SETUP = {
    "map": (7, 8), "simulations": 8, "nodes": None, "exploration": None, "final": "visits",
    "rollout": "informed", "steps": None, "particles": 8, "seed": 1,
}  # fmt: skip


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    for case in range(number):
        random = Random(f"{seed}/{case}")
        path = folder / f"problem_{case}.py"
        path.write_text(SOURCE.replace("PARTS", change(random)))
        setup = problems.Setup(f"{path}:problem", **SETUP)
        yield find_fault(f"problem {case} of seed {seed}", capture(lambda _, s=setup: _use(s)))
        path.unlink()


def change(random: Random) -> str:
    """Return the parts that are other ones, as Python; each of them may be so now and then."""
    found = []
    for _ in range(random.choice((1, 1, 2))):
        value = random.choice(VALUES)
        if random.random() < 0.25:
            found.append(f"{random.choice(PLAIN)!r}: {value}")
            continue
        name = random.choice(CALLED)
        when = random.choice(("True", "len(counted) % 7 == 6"))
        usual = f"usual[{name!r}](*given)" if name in CALLED[:5] else "0"
        body = f"(counted.append(0), {value} if {when} else {usual})[1]"
        found.append(f"{name!r}: lambda *given, counted=[]: {body}")
    return "{" + ", ".join(found) + "}"


def _use(setup: problems.Setup) -> None:
    problems.player.cache_clear()
    play = problems.player(setup)
    for number in range(2):
        play(number)
