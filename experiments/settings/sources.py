"""The group ``opponent``: a second name of the group ``player``, for the other seats.

Hydra reads configuration files through sources.  This module gives both kinds, packages and
folders, a second name for the players' folder, so that presets are not duplicated, and presets of a
package in ``hydra.searchpath`` can also be opponents.
"""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from hydra._internal.core_plugins import file_config_source, importlib_resources_config_source
from hydra._internal.sources_registry import SourcesRegistry
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource

_PLAYER, _OPPONENT = "player", "opponent"


def _file(path: str) -> str:
    return re.sub(rf"^{_OPPONENT}(?=/|$)", _PLAYER, path)


def find(path: str) -> Traversable:
    """Return the file or folder of `conf` that Hydra knows as ``path``; it may not exist."""
    return files("conf").joinpath(_file(path))


class _Twice(ConfigSource):
    """A source with a second name for its players."""

    def load_config(self, config_path: str) -> ConfigResult:
        found = super().load_config(_file(config_path))  # type: ignore[safe-super]
        package = found.header["package"]
        if package and config_path != _file(config_path):
            found.header["package"] = re.sub(rf"^{_PLAYER}\b", _OPPONENT, package)
        return found

    def is_group(self, config_path: str) -> bool:
        return super().is_group(_file(config_path))  # type: ignore[safe-super]

    def is_config(self, config_path: str) -> bool:
        return super().is_config(_file(config_path))  # type: ignore[safe-super]

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        found = super().list(_file(config_path), results_filter)  # type: ignore[safe-super]
        return [*found, *[_OPPONENT] * (not config_path and _PLAYER in found)]


# A launcher's process gets these classes before it registers Hydra's own; it skips those if they
# have the same names, and otherwise fails.


class ImportlibResourcesConfigSource(
    _Twice, importlib_resources_config_source.ImportlibResourcesConfigSource
):
    """Files of a package."""


class FileConfigSource(_Twice, file_config_source.FileConfigSource):
    """Files of a folder."""


def register() -> None:
    """Have Hydra read all files through these sources."""
    Plugins.instance()  # which register Hydra's own first
    ours = {"pkg": ImportlibResourcesConfigSource, "file": FileConfigSource}
    SourcesRegistry.instance().types.update(ours)
