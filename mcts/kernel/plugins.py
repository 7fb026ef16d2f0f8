"""What installed packages add to the project, found by their entry points.

A distribution names what it adds in its metadata [PyPA specification "Entry points"], so nothing
of the project is edited.  An entry point stands in one of four groups:

* ``sleuth.policies`` -- a module like those of `sim.policies`, called as the entry point is;
* ``sleuth.beliefs`` -- a module with a belief of that name (`belief.beliefs.base`);
* ``sleuth.domains`` -- a module that registers search domains when it is imported;
* ``sleuth.players`` -- a function ``make(spec, rules)`` that returns a `sim.players.player.Player`.

`entry_points` reads metadata alone, so it is cheap; nothing is imported before `Plugin.load`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Any


class BrokenPlugin(Exception):
    """A package from outside cannot be used; the message names it and says why, in one line."""


@dataclass(frozen=True)
class Plugin:
    """One entry point."""

    group: str
    name: str
    module: str
    attribute: str
    """What it names in the module, dotted; empty for the module itself."""
    distribution: str
    """Name and version of the distribution that has it."""

    def load(self) -> Any:
        """Import and return what the entry point names; `BrokenPlugin` if that fails."""
        try:
            found = importlib.import_module(self.module)
            for part in filter(None, self.attribute.split(".")):
                found = getattr(found, part)
        except Exception as fault:
            reason = " ".join(f"{type(fault).__name__}: {fault}".split())
            raise self.broken(f"cannot be loaded from {self.module}: {reason}") from fault
        return found

    def broken(self, complaint: str) -> BrokenPlugin:
        """Return the exception that says what is wrong with this entry point."""
        return BrokenPlugin(
            f"{self.distribution}: {self.name!r} of {self.group} {complaint}; "
            "mend the package or uninstall it"
        )


@cache
def entry_points(group: str) -> dict[str, Plugin]:
    """Return the entry points of ``group`` by name, sorted; read once a process.

    Raises
    ------
    BrokenPlugin
        If two distributions use the same name.
    """
    found: dict[str, Plugin] = {}
    for entry in sorted(metadata.entry_points(group=group)):
        distribution = f"{entry.dist.name} {entry.dist.version}"
        plugin = Plugin(group, entry.name, entry.module, entry.attr or "", distribution)
        other = found.setdefault(plugin.name, plugin)
        if other is not plugin:
            raise plugin.broken(f"is also the name of one in {other.distribution}")
    return found


def modules(group: str) -> list[ModuleType]:
    """Import the modules that the entry points of ``group`` name; return them sorted by name.

    Raises
    ------
    BrokenPlugin
        If one is no module of the entry point's own name, or cannot be imported.
    """
    plugins = entry_points(group).values()
    for plugin in plugins:
        if plugin.attribute or plugin.module.rpartition(".")[2] != plugin.name:
            raise plugin.broken(f"must name a module called {plugin.name}")
    return [plugin.load() for plugin in plugins]
