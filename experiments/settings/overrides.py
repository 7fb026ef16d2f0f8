"""Settings as typed, read one by one by Hydra's parser, and counted before anybody lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, isfinite, prod
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override, RangeSweep
from hydra.errors import HydraException

from experiments.settings.commandline import Refusal
from experiments.settings.limits import POINTS

LONGEST = 10_000
"""Signs of a setting.  Hydra's parser takes a minute for a hundred times as many."""

MOST = 1000
"""Settings of a command."""

_SHOWN = 60


def check_typed(arguments: Sequence[str]) -> None:
    """Refuse what no parser should be given.

    Raises
    ------
    Refusal
        If there are too many ``arguments``, or one is too long or no text in UTF-8.
    """
    if len(arguments) > MOST:
        raise Refusal(f"{len(arguments)} settings are too many: give at most {MOST}")
    for argument in arguments:
        if len(argument) > LONGEST:
            raise Refusal(
                f"{short(argument)!r} has {len(argument)} signs: a setting has at most {LONGEST}"
            )
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise Refusal(f"{short(argument)!r} is no text in UTF-8: write it anew") from None


def short(text: str) -> str:
    """Return the beginning of ``text``, enough to find it by."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def parsed(setting: str) -> Override:
    """Return what Hydra makes of ``setting``.

    Raises
    ------
    Refusal
        If it makes nothing of it.
    """
    try:
        return OverridesParser.create().parse_override(setting)
    # Beside Hydra's own, of numbers too long for Python and of brackets in brackets.
    except (HydraException, ValueError, ArithmeticError, RecursionError):
        raise Refusal(f"cannot read {short(setting)!r}: write it as name=value") from None


def check_combinations(given: Iterable[Override]) -> None:
    """Refuse more combinations of values than anybody waits for; as `values` for each."""
    if prod(max(1, values(one)) for one in given) > POINTS:
        raise Refusal(f"the settings with several values have more than {POINTS:,} combinations")


def values(given: Override) -> int:
    """Return how many values ``given`` has: 1 if it is no choice and no range.

    Raises
    ------
    Refusal
        If they are too many, or a range has no end.
    """
    swept: Any = given.value()
    found = 1
    if isinstance(swept, RangeSweep):
        bounds = [0 if bound is None else bound for bound in (swept.start, swept.stop, swept.step)]
        if not all(map(isfinite, bounds)):
            raise Refusal(f"{given.input_line}: a range goes from one number to another")
        first, end, step = map(Fraction, bounds)
        if not step:
            raise Refusal(f"{given.input_line}: the step of a range must not be 0")
        found = max(0, ceil((end - first) / step))
    elif isinstance(swept, ChoiceSweep):
        found = len(swept.list)
    if found > POINTS:
        raise Refusal(f"{given.input_line} has {found:,} values: give at most {POINTS:,}")
    return found
