"""The points of a sweep, spanned by a command line with several values per key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf
from optuna.distributions import BaseDistribution

from experiments.matches import lineups
from experiments.matches.schedule import Match
from experiments.settings import applies, config
from experiments.settings.commandline import Refusal
from experiments.sweep.axes import Axis, Parameters, Value, axis_of, describe_point, key_of


@dataclass(frozen=True)
class Point:
    """A playable point: its configuration, its match, and the overrides that compose it."""

    parameters: Parameters
    settings: DictConfig
    match: Match
    overrides: tuple[str, ...]


class Space:
    """Varied and fixed settings.

    ``overrides``: of the command line, without the sweep's own.  Raises Refusal if no setting is
    varied, or one that may not be.
    """

    def __init__(self, overrides: Sequence[Override]) -> None:
        seen: set[str] = set()
        self.fixed: list[str] = []
        for override in overrides:
            key = key_of(override)
            if key in seen:
                raise Refusal(f"{key} is given twice: leave one out")
            seen.add(key)
            if not override.is_sweep_override():
                self.fixed.append(str(override.input_line))
        varied = [one for one in overrides if one.is_sweep_override()]
        self.axes: list[Axis] = [axis_of(one, key_of(one)) for one in varied]
        if not self.axes:
            config.compose("compare", self.fixed)  # reports an unknown name first
            raise Refusal(
                "no setting has several values: write one as player.threshold=0.3,0.4,0.5 or "
                "player.threshold=interval(0.2,1)"
            )
        self._points: dict[tuple[Value, ...], Point] = {}

    @cached_property
    def distributions(self) -> dict[str, BaseDistribution]:
        """The Optuna distributions, by axis."""
        return {axis.key: axis.distribution for axis in self.axes}

    @property
    def finite(self) -> bool:
        """Whether all axes are choices."""
        return all(axis.choices for axis in self.axes)

    @property
    def size(self) -> int:
        """The number of `combinations`."""
        return prod(len(axis.samples) for axis in self.axes)

    @property
    def combinations(self) -> list[Parameters]:
        """All combinations of the axes' samples; for a finite space all points, in order."""
        keys = [axis.key for axis in self.axes]
        return [
            dict(zip(keys, values, strict=True))
            for values in product(*(axis.samples for axis in self.axes))
        ]

    @property
    def crosses(self) -> list[Parameters]:
        """The samples of each axis with the first sample of all others."""
        first = {axis.key: axis.samples[0] for axis in self.axes}
        return [{**first, axis.key: value} for axis in self.axes for value in axis.samples]

    def point(self, parameters: Parameters) -> Point:
        """Return the point ``parameters``, after checking that it can be played.

        Raises Refusal, with the values, if it cannot.
        """
        values = tuple(parameters[axis.key] for axis in self.axes)
        try:
            if values not in self._points:
                self._points[values] = self._point(parameters)
            return self._points[values]
        except Refusal as fault:
            raise Refusal(f"{fault} (at {describe_point(parameters)})") from None

    def check(self, points: Sequence[Parameters]) -> Point:
        """Return the first of ``points``, after checking that each can be played.

        Raises Refusal as `point`, and if no point uses a setting.
        """
        made = [self.point(parameters) for parameters in points]
        unused = [applies.find_unused("compare", one.settings, one.overrides) for one in made]
        for key, fault in unused[0].items():
            if all(key in faults for faults in unused):
                raise fault
        return made[0]

    def _point(self, parameters: Parameters) -> Point:
        from experiments.matches import play

        chosen = (f"{axis.element}={parameters[axis.key]}" for axis in self.axes)
        overrides = (*self.fixed, *chosen)
        settings = config.compose("compare", overrides)
        config.check(settings)
        if settings.match.players is not None:
            raise Refusal("match.players does not apply to a sweep: vary player=a,b,c")
        if settings.match.stop != "games":
            raise Refusal(
                f"match.stop={settings.match.stop}: the points of a sweep play match.games each; "
                "sweep.method=racing spends fewer on bad ones"
            )
        found = lineups.matches(settings)
        if len(found) != 1 or found[0].measured is None:
            raise Refusal("a point is one match: set match.layout=one or rest")
        if settings.ray.address is None:
            lineups.check_cores(found, settings.match.workers, config.cores())
        try:
            play.check(found[0])
        except ValueError as fault:
            raise Refusal(str(fault)) from None
        return Point(parameters, settings, found[0], overrides)

    @property
    def start(self) -> Parameters:
        """The point of the fixed settings, for axes that are intervals.

        A value outside its interval is replaced by the interval's middle.
        """
        settings = config.compose("compare", self.fixed)
        return {axis.key: axis.nearest(OmegaConf.select(settings, axis.key)) for axis in self.axes}

    @property
    def plain(self) -> dict[str, str]:
        """The axes in words, by key."""
        return {axis.key: str(axis) for axis in self.axes}
