"""Chance whose outcomes are all tried in turn, to find the probabilities of a function's results.

A function that draws by `choice`, `choices`, `randrange`, `randint`, `sample`, `shuffle`, `below`,
or that compares `random` (or a multiple of it) with numbers, is called once for each course that
its draws can take.  What uses a random number in any other way cannot be followed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from mcts.kernel.errors import SleuthError
from mcts.plain.chance import Chance

MOST_OUTCOMES = 100_000
"""Maximum number of courses of one call."""


class CannotFollow(SleuthError, TypeError):
    """A draw cannot be enumerated; the message is one line."""


class EnumeratingChance(Chance):
    """Follows ``course``, the outcomes of the first draws, and then takes the first of each.

    Attributes: ``course``, extended; ``alternatives``, the number of outcomes of each draw;
    ``probability`` of the whole course.
    """

    def __init__(self, course: tuple[int, ...] = ()) -> None:
        super().__init__()
        self.course, self._given = [*course], len(course)
        self.alternatives: list[int] = []
        self.probability = 1.0

    def take(self, shares: tuple[float, ...]) -> int:
        """Return the outcome of a draw with the probabilities ``shares``, all above 0."""
        if len(self.alternatives) >= self._given:
            self.course.append(0)
        outcome = self.course[len(self.alternatives)]
        self.alternatives.append(len(shares))
        self.probability *= shares[outcome]
        return outcome

    def random(self) -> Any:
        """Return a number of which only comparisons and whole parts are known."""
        return _Unknown(self, _Range())

    def below(self, n: int) -> int:
        """Return an integer uniform on 0 .. n-1."""
        return self._randbelow(n)

    def _randbelow(self, n: int) -> int:
        if n > MOST_OUTCOMES:
            raise CannotFollow(f"a draw has {n:,} outcomes: give outcomes(state, action)")
        return self.take((1.0 / n,) * n) if n > 1 else 0

    def getrandbits(self, k: int) -> int:
        """Return ``k`` uniform bits."""
        return self._randbelow(1 << k)


class _Range:
    """The range in which a uniform number on [0, 1) is known to be."""

    def __init__(self) -> None:
        self.low, self.high = 0.0, 1.0


class _Unknown:
    """``shift + scale * u`` for a uniform ``u`` of which a range is known."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, chance: EnumeratingChance, range: _Range, scale: float = 1.0, shift: float = 0.0
    ) -> None:
        self._chance, self._range, self._scale, self._shift = chance, range, scale, shift

    def _is_below(self, bound: Any) -> bool:
        """Return whether it is below ``bound``, after drawing that if both are possible."""
        at = (float(bound) - self._shift) / self._scale
        known = self._range
        if at <= known.low or at >= known.high:
            return (at >= known.high) == (self._scale > 0)
        share = (at - known.low) / (known.high - known.low)
        if self._chance.take((share, 1.0 - share)) == 0:
            known.high = at
        else:
            known.low = at
        return (known.high == at) == (self._scale > 0)

    def __lt__(self, bound: Any) -> bool:
        return self._is_below(bound)

    def __gt__(self, bound: Any) -> bool:
        return not self._is_below(bound)

    __le__, __ge__ = __lt__, __gt__

    def __mul__(self, by: Any) -> Any:
        by = float(by)
        if by == 0.0:
            return 0.0
        return _Unknown(self._chance, self._range, self._scale * by, self._shift * by)

    def __add__(self, more: Any) -> _Unknown:
        return _Unknown(self._chance, self._range, self._scale, self._shift + float(more))

    __rmul__, __radd__ = __mul__, __add__

    def __neg__(self) -> Any:
        return self * -1.0

    def __sub__(self, less: Any) -> _Unknown:
        return self + -float(less)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, by: Any) -> Any:
        return self * (1.0 / float(by))

    def __floor__(self) -> int:
        ends = [self._shift + self._scale * end for end in (self._range.low, self._range.high)]
        whole = math.floor(min(ends))
        if max(ends) - min(ends) > MOST_OUTCOMES:
            raise CannotFollow("a draw has too many outcomes: give outcomes(state, action)")
        while whole + 1 < max(ends) and not self._is_below(whole + 1):
            whole += 1
        return whole

    def __int__(self) -> int:
        if min(self._shift, self._shift + self._scale) < 0:
            return self._refuse()
        return self.__floor__()

    def _refuse(self, *_: Any) -> Any:
        raise CannotFollow(
            "random() is used for more than a comparison or a whole part, which cannot be "
            "followed: give outcomes(state, action), the list of (probability, state, reward)"
        )

    __float__ = __index__ = __round__ = __complex__ = __bool__ = _refuse
    __str__ = __repr__ = __format__ = _refuse
    __eq__ = __ne__ = __pow__ = __rpow__ = __mod__ = __rtruediv__ = __abs__ = __floordiv__ = _refuse


def list_outcomes(call: Callable[[EnumeratingChance], Any]) -> Iterator[tuple[float, Any]]:
    """Yield the probability and the result of ``call(chance)`` for each course of its draws.

    Raises CannotFollow if a draw cannot be enumerated, or there are too many courses.
    """
    waiting: list[tuple[int, ...]] = [()]
    for _ in range(MOST_OUTCOMES):
        if not waiting:
            return
        course = waiting.pop()
        chance = EnumeratingChance(course)
        result = call(chance)
        yield chance.probability, result
        for place in range(len(course), len(chance.alternatives)):
            taken = tuple(chance.course[:place])
            waiting += [(*taken, other) for other in range(1, chance.alternatives[place])]
    if waiting:
        raise CannotFollow(f"a call has more than {MOST_OUTCOMES:,} outcomes")
