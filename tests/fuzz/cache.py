"""A damaged cache of compiled code: what a start finds in it is right, and it is whole again after.

Each case damages a copy of the cache of three small kernels, starts once or twice at the same time
from it, then once more.  Wrong are: an exception, a crash, another result, a line on the error
stream, and code that the last start had to compile.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from judge import Finding, Outcome, complaint
from starts import Starter

VERSIONS = (1.0, 2.0)
"""What the kernels multiply by: in an old version, and in the one that is started."""

KERNELS = """
from typing import NamedTuple
import numpy as np
from mcts.kernel.compile import jit

class Pair(NamedTuple):
    many: int
    much: float

@jit
def total(values):
    found = 0.0
    for value in values:
        found += {factor} * value
    return found

@jit
def largest(values):
    found = 0.0
    for value in values:
        found = max(found, {factor} * value)
    return found

@jit
def paired(pair):
    return {factor} * pair.much ** pair.many

def run():
    values = np.array([0.5, 0.25, 4.0])
    results = [total(values), largest(values), paired(Pair(3, 1.5))]
    hits = [sum(kernel.stats.cache_hits.values()) for kernel in (total, largest, paired)]
    return results, hits
"""

RESULTS = [9.5, 8.0, 6.75]
"""Of the present version."""


def attack(number: int, seed: int, folder: Path, whole: bool = True) -> Iterator[Finding | None]:
    """Yield what is wrong, or None, of ``number`` damaged caches.

    ``whole=False`` starts without a look at the checksums.
    """
    with Starter(whole) as starter:
        old, present = (
            _compile_kernels(starter, folder / str(factor), factor) for factor in VERSIONS
        )
        for case in range(number):
            stream = random.Random(f"{seed} {case}")
            place = folder / f"case_{case}"
            shutil.copytree(present / "cache", place / "cache")
            damages = [
                _damage(stream, place / "cache", old / "cache")
                for _ in range(stream.choice((1, 1, 3)))
            ]
            starts = stream.choice((1, 1, 2))
            wrong = _wrong(starter, place, present / "kernels.py", starts)
            name = f"case {case} of seed {seed}: {'; '.join(damages)}; {starts} at once"
            yield Finding(name, wrong) if wrong else None
            shutil.rmtree(place, ignore_errors=True)


def _compile_kernels(starter: Starter, folder: Path, factor: float) -> Path:
    """Write the kernels with ``factor`` and compile them; return the folder."""
    (folder / "cache").mkdir(parents=True)
    (folder / "cache").chmod(0o700)
    code = folder / "kernels.py"
    code.write_text(KERNELS.format(factor=factor))
    codes = starter.start(code, folder / "cache", [folder / "made"])
    assert codes == [0], (folder / "made.err").read_text()
    return folder


def _wrong(starter: Starter, place: Path, code: Path, starts: int) -> str | None:
    """Start from the cache in ``place`` and once more; return what is wrong."""
    kept = len(RESULTS)
    for outputs in ([place / str(start) for start in range(starts)], [place / "last"]):
        for output, exit_code in zip(
            outputs, starter.start(code, place / "cache", outputs), strict=True
        ):
            out, err = (
                output.with_suffix(end).read_text(errors="replace") for end in (".out", ".err")
            )
            if trouble := complaint(Outcome(exit_code, out, err)):
                return trouble
            results, hits = json.loads(out)
            if results != RESULTS:
                return f"it finds {results}, not {RESULTS}"
            if err:
                return f"it says {err}"
    return None if sum(hits) == kept else f"the last start finds {hits} of {kept} kernels"


def _damage(stream: random.Random, cache: Path, old: Path) -> str:
    """Do something to a file or all files of ``cache``; return what."""
    files = sorted(path for path in cache.iterdir() if _usable(path))
    if not files:
        return "nothing is left"
    kind = stream.choice(list(DAMAGES))
    victim = stream.choice(files)
    DAMAGES[kind](stream, victim, old)
    return f"{kind} {victim.name.partition('-')[0]}"


def _usable(path: Path) -> bool:
    """Return whether ``path`` is a file of code that earlier damage has left usable."""
    return path.name[0] != "." and path.is_file() and os.access(path, os.R_OK | os.W_OK)


def _flip(stream: random.Random, victim: Path, old: Path) -> None:
    content = bytearray(victim.read_bytes() or b"\0")
    content[stream.randrange(len(content))] ^= 1 << stream.randrange(8)
    victim.write_bytes(content)


def _cut(stream: random.Random, victim: Path, old: Path) -> None:
    content = victim.read_bytes()
    victim.write_bytes(content[: stream.randrange(len(content) + 1)])


def _random(stream: random.Random, victim: Path, old: Path) -> None:
    victim.write_bytes(stream.randbytes(stream.randrange(1, 20_000)))


def _random_end(stream: random.Random, victim: Path, old: Path) -> None:
    """Leave what a reader looks at first."""
    content = victim.read_bytes()
    at = stream.randrange(len(content) + 1)
    victim.write_bytes(content[:at] + stream.randbytes(len(content) - at))


def _empty(stream: random.Random, victim: Path, old: Path) -> None:
    victim.write_bytes(b"")


def _longer(stream: random.Random, victim: Path, old: Path) -> None:
    victim.write_bytes(victim.read_bytes() + stream.randbytes(stream.randrange(1, 100)))


def _swap(stream: random.Random, victim: Path, old: Path) -> None:
    other = stream.choice([path for path in victim.parent.iterdir() if _usable(path)])
    mine, its = victim.read_bytes(), other.read_bytes()
    victim.write_bytes(its)
    other.write_bytes(mine)


def _old(stream: random.Random, victim: Path, old: Path) -> None:
    """Put the old version of the same kernel in its place."""
    kernel = victim.name.rpartition("-")[0]
    victim.write_bytes(next(old.glob(f"{kernel}-*")).read_bytes())


def _remove(stream: random.Random, victim: Path, old: Path) -> None:
    victim.unlink()


def _close(stream: random.Random, victim: Path, old: Path) -> None:
    """For root this is no damage."""
    victim.chmod(0)


def _link(stream: random.Random, victim: Path, old: Path) -> None:
    victim.unlink()
    victim.symlink_to(stream.choice(["nowhere", victim.name, ".", "/dev/null"]))


def _times(stream: random.Random, victim: Path, old: Path) -> None:
    """Date everything far back or ahead, as by a clock that was wrong."""
    when = stream.choice([0, 2**31, 2**33])
    for path in victim.parent.iterdir():
        os.utime(path, (when, when), follow_symlinks=False)


def _half_written(stream: random.Random, victim: Path, old: Path) -> None:
    """Leave what a writer that was killed leaves, and no more."""
    content = victim.read_bytes()
    victim.rename(f"{victim}.abcd1234.tmp")
    Path(f"{victim}.efgh5678.tmp").write_bytes(content[: stream.randrange(len(content) + 1)])


DAMAGES: dict[str, Callable[[random.Random, Path, Path], None]] = {
    "flip": _flip,
    "cut": _cut,
    "random": _random,
    "random end": _random_end,
    "empty": _empty,
    "longer": _longer,
    "swap": _swap,
    "old": _old,
    "gone": _remove,
    "closed": _close,
    "link": _link,
    "times": _times,
    "half written": _half_written,
}
"""By name; what is not about one file does something to all."""
