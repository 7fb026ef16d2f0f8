"""Plug-ins: additions of installed packages, found by their entry points.

An entry point, in the metadata of a distribution, belongs to one of four groups:

* ``sleuth.policies`` -- a module like those of `sim.policies`, with the entry point's name;
* ``sleuth.beliefs`` -- a module with a belief of that name (`belief.beliefs.base`);
* ``sleuth.domains`` -- a module that registers search domains on import;
* ``sleuth.players`` -- a function ``make(spec, rules)`` that returns a `sim.player.Player`.

Nothing is imported before `Plugin.load`.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Any

from mcts.kernel.errors import SleuthError, describe

GROUPS = ("sleuth.policies", "sleuth.beliefs", "sleuth.domains", "sleuth.players")


class BrokenPlugin(SleuthError):
    """A plug-in cannot be used; one line says which and why."""


@dataclass(frozen=True)
class Plugin:
    """One entry point."""

    group: str
    name: str
    module: str
    attribute: str
    """Dotted name of the object in the module; empty for the module itself."""
    distribution: str
    """Name and version of the distribution that declares it."""

    def load(self) -> Any:
        """Import and return the object that the entry point names; `BrokenPlugin` on failure."""
        try:
            found = importlib.import_module(self.module)
            for part in filter(None, self.attribute.split(".")):
                found = getattr(found, part)
        except (Exception, SystemExit, GeneratorExit) as fault:
            reason = describe(fault, whole=True)
            raise self.broken(f"cannot be loaded from {self.module}: {reason}") from fault
        return found

    def broken(self, complaint: str) -> BrokenPlugin:
        """Return the exception that says ``complaint`` of this entry point."""
        return BrokenPlugin(
            f"{self.distribution}: {self.name!r} of {self.group} {complaint}; "
            "fix or uninstall the package"
        )


@cache
def entry_points(group: str) -> dict[str, Plugin]:
    """Return the entry points of ``group`` by name, sorted; read once per process.

    Raises BrokenPlugin if two distributions use the same name.
    """
    found: dict[str, Plugin] = {}
    for entry in sorted(metadata.entry_points(group=group)):
        distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        target = entry.pattern.match(entry.value)
        parts = (target["module"], target["attr"] or "") if target else ("", "")
        plugin = Plugin(group, entry.name, *parts, distribution)
        if target is None:
            raise plugin.broken(f"is {entry.value!r}: it must name a module, or module:attribute")
        other = found.setdefault(plugin.name, plugin)
        if other is not plugin:
            raise plugin.broken(f"is also the name of one in {other.distribution}")
    return found


def names(group: str) -> list[str]:
    """Return the names in ``group``, sorted, without checking that they can be used."""
    return sorted({entry.name for entry in metadata.entry_points(group=group)})


@contextmanager
def blame_plugin() -> Iterator[None]:
    """Name the plug-in that raised, or that is named by, an exception from the block.

    Raises BrokenPlugin in place of a plug-in's exception, `SystemExit` included.
    """
    try:
        yield
    except BrokenPlugin:
        raise
    except (Exception, SystemExit, GeneratorExit) as fault:
        plugin = _at_fault(fault)
        if plugin is None:
            raise
        raise plugin.broken(f"raised {describe(fault, whole=True)}") from fault


def _at_fault(fault: BaseException) -> Plugin | None:
    """Return the plug-in whose file raised ``fault``, or whose file its text names."""
    inner = list(traceback.extract_tb(fault.__traceback__))[::-1]
    text = "".join(traceback.format_exception_only(fault))  # also of one that cannot be printed
    for group in GROUPS:
        for plugin in entry_points(group).values():
            file = getattr(sys.modules.get(plugin.module), "__file__", None)
            if file and (any(file.endswith(frame.filename) for frame in inner) or file in text):
                return plugin
    return None


def modules(group: str) -> list[ModuleType]:
    """Import the modules that the entry points of ``group`` name; return them sorted by name.

    Raises BrokenPlugin for one that is not a module of the entry point's name, or fails to import.
    """
    plugins = entry_points(group).values()
    for plugin in plugins:
        if plugin.attribute or plugin.module.rpartition(".")[2] != plugin.name:
            raise plugin.broken(f"must name a module called {plugin.name}")
    return [plugin.load() for plugin in plugins]
