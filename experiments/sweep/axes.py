"""The axes of a sweep, in Hydra's notation.

``key=a,b,c``, ``key=range(1,5)``, ``key=interval(0.1,2)``, ``key=tag(log,interval(0.05,1))``,
``key=tag(int,interval(1,8))``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hydra.core.override_parser.types import Glob, IntervalSweep, Override
from hydra.errors import HydraException
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from experiments.settings.arguments import parse, quote
from experiments.settings.commandline import Refusal
from experiments.settings.limits import POINTS

Value = str | int | float
Parameters = Mapping[str, Value]
"""A point: value by axis; for choices the text as given on the command line."""

OWN = ("sweep.", "run.folder")
"""Keys of the sweep itself."""

FOR_ALL = ("sweep", "run", "tracking", "ray", "hydra", "match")
"""Sections that set how a sweep is played, not what; their keys are no axes."""

AXES_OF_MATCH = ("match.focal_seats",)
"""The exceptions."""

TAGS = {"log", "int"}

FARTHEST = 2**53
"""Bound of interval ends: floats represent all integers up to here."""

_INSIDE = 0.618
"""Interior position at which an interval is tested, giving a non-integer value."""


@dataclass(frozen=True)
class Axis:
    """A key and its values: either ``choices``, or all from ``low`` to ``high``.

    Attributes
    ----------
    key : its name in results
    element : its name in an override, with ``+`` where given
    choices : texts
    low, high : bounds, inclusive
    log, whole : whether an interval is sampled on a logarithmic scale, and as integers
    """

    key: str
    element: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False

    @property
    def distribution(self) -> BaseDistribution:
        """The Optuna distribution of this axis."""
        if self.choices:
            return CategoricalDistribution(self.choices)
        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)

    @property
    def samples(self) -> tuple[Value, ...]:
        """All choices, or values of the interval at which a fault would show."""
        if self.choices:
            return self.choices
        if self.whole:
            return int(self.low), int(self.high)
        return self.low, self.low + _INSIDE * (self.high - self.low), self.high

    def nearest(self, found: Any) -> Value:
        """Return ``found`` if it lies in the interval, else the interval's middle."""
        number = isinstance(found, int | float) and not isinstance(found, bool)
        if not number or not self.low <= found <= self.high:
            product, total = self.low * self.high, self.low + self.high
            found = math.sqrt(product) if self.log else total / 2
        return round(found) if self.whole else float(found)

    def __str__(self) -> str:
        if self.choices:
            return ",".join(self.choices)
        kind = "int" if self.whole else "float"
        return f"{kind} from {self.low:g} to {self.high:g}{', log' if self.log else ''}"


def describe_point(parameters: Parameters) -> str:
    """Return ``parameters`` as one line."""
    return ", ".join(f"{key}={short(value)}" for key, value in parameters.items())


def short(value: Value) -> str:
    """Return ``value`` as shown in tables."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def split_overrides(arguments: Sequence[str]) -> tuple[list[str], list[Override]]:
    """Return the sweep's own overrides, unparsed, and all others.

    Raises Refusal if one cannot be read, or a setting of the sweep has several values.
    """
    own: list[str] = []
    others: list[Override] = []
    for argument in arguments:
        given = parse(quote(argument))
        if not key_of(given).startswith(OWN):
            others.append(given)
        elif given.is_sweep_override():
            raise Refusal(f"{key_of(given)} is the same for all points: give it one value")
        else:
            own.append(given.input_line or argument)
    return own, others


def key_of(given: Override) -> str:
    """Return the key that ``given`` sets, or a group with its package as in ``group@package``."""
    return given.key_or_group + (f"@{given.package}" if given.package else "")


def axis_of(given: Override, key: str) -> Axis:
    """Return the axis described by ``given``, which gives several values for ``key``.

    Raises Refusal if ``key`` may not differ between points, or the values cannot be used.
    """
    if key.partition(".")[0] in FOR_ALL and key not in AXES_OF_MATCH:
        raise Refusal(f"{key} is the same for all points: give it one value")
    swept: Any = given.value()
    if isinstance(swept, Glob):
        raise Refusal(f"{given.input_line}: write the values out, as a,b,c")
    if swept.tags - (TAGS if given.is_interval_sweep() else set()):
        raise Refusal(
            f"{given.input_line}: the tags are log and int, of an interval, as in "
            f"{key}=tag(log,interval(0.1,2))"
        )
    if given.is_interval_sweep():
        return _interval(given, key, swept)
    swept.shuffle = False  # a restart would change the order
    try:
        choices = tuple(islice(given.sweep_string_iterator(), POINTS + 1))
    except (HydraException, ValueError, ArithmeticError) as fault:
        raise Refusal(f"{given.input_line}: {fault}") from None
    if not choices:
        raise Refusal(f"{given.input_line} has no values")
    if len(choices) > POINTS:
        raise Refusal(f"{given.input_line} has more than {POINTS:,} values")
    return Axis(key, given.get_key_element(), tuple(dict.fromkeys(choices)))


def _interval(given: Override, key: str, swept: IntervalSweep) -> Axis:
    log, whole = "log" in swept.tags, "int" in swept.tags
    low, high = (math.nan if end is None else float(end) for end in (swept.start, swept.end))
    if not (abs(low) <= FARTHEST and abs(high) <= FARTHEST):
        raise Refusal(f"{given.input_line}: the ends of an interval must lie within ±{FARTHEST:,}")
    if not low < high or (log and not (int(low) if whole else low) > 0):
        raise Refusal(
            f"{given.input_line}: the interval must rise{', and start above 0' if log else ''}"
        )
    return Axis(key, given.get_key_element(), (), low, high, log, whole)
