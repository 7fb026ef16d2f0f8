"""Hydra over `conf`, which composes what is chosen once in a process.

Composing takes more than a tenth of a second, setting a value in a copy some milliseconds.  A
sweep, a table, several players, or several commands in one process, make the same choices
(``player=bmcts``) again and again and differ in values (``player.budget.simulations=7``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from hydra import initialize_config_module
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.hydra import Hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

_VALUE = re.compile(r"(?!hydra\b)([\w.]+)=", re.ASCII)

_composed: dict[tuple[Any, ...], DictConfig] = {}
"""What was composed of choices alone, never handed out itself."""

_MOST = 200
"""Compositions kept: more than a table has."""


@contextmanager
def opened() -> Iterator[Hydra]:
    """Give Hydra over the package ``conf``, for `hydra.compose` too; or the one that is open."""
    if GlobalHydra.instance().is_initialized():
        yield GlobalHydra.instance().hydra
        return
    with initialize_config_module("conf", version_base="1.3"):
        app = GlobalHydra.instance().hydra
        app.config_loader = _Loader(app.config_loader.get_search_path())
        yield app


def forget() -> None:
    """Compose all anew: after another configuration was stored under a name."""
    _composed.clear()


def parsed(overrides: list[str]) -> list[Override]:
    """Return ``overrides`` as Hydra reads them; it raises what it finds wrong."""
    return OverridesParser.create().parse_overrides(overrides)


class _Loader(ConfigLoaderImpl):
    """Hydra's own, but for choices that it has composed before."""

    def load_configuration(
        self,
        config_name: str | None,
        overrides: list[str],
        run_mode: RunMode,
        from_shell: bool = True,
        validate_sweep_overrides: bool = True,
    ) -> DictConfig:
        how = (run_mode, from_shell, validate_sweep_overrides)
        values = [override for override in overrides if _is_value(override)]
        chosen = [override for override in overrides if not _is_value(override)]
        try:
            settings = self._chosen(config_name, chosen, how)
            _set(settings, values)
        except (HydraException, OmegaConfBaseException):  # it tells best what is wrong
            return super().load_configuration(config_name, overrides, *how)
        task = settings.hydra.overrides.task
        settings.hydra.overrides.task = [given for given in overrides if given in [*task, *values]]
        return settings

    def _chosen(self, name: str | None, chosen: list[str], how: tuple[Any, ...]) -> DictConfig:
        """Return a copy of the configuration in which no value is set."""
        key = (name, *chosen, how, Path.cwd())
        if any("searchpath" in choice for choice in chosen):  # of files that may change
            return super().load_configuration(name, chosen, *how)
        if key not in _composed:
            if len(_composed) == _MOST:
                _composed.clear()
            _composed[key] = super().load_configuration(name, chosen, *how)
        return deepcopy(_composed[key])


def _is_value(override: str) -> bool:
    """Tell whether it is ``key=value`` of a setting, and chooses or adds nothing."""
    found = _VALUE.match(override)
    return found is not None and not _is_group(found[1])


@cache
def _is_group(key: str) -> bool:
    return files("conf").joinpath(key).is_dir()


def _set(settings: DictConfig, values: list[str]) -> None:
    """Set ``values`` as Hydra does."""
    for value in parsed(values):
        if value.is_sweep_override():
            raise HydraException(f"{value.input_line} is several values")
        OmegaConf.update(settings, value.key_or_group, value.value(), merge=True)
