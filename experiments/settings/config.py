"""The configuration: composed by Hydra, and checked.

`check` covers what the types of schemas cannot: ranges, choices, keys that ``+run.foo=1`` adds to a
structured configuration, and all of a player, whose ``_target_`` determines its settings
(`sim.players.registry`).

The group ``opponent`` is a second name of the group ``player``: both of Hydra's sources of files,
packages and folders, have it, so that no preset is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints

import hydra
from hydra import initialize_config_module
from hydra._internal.core_plugins import file_config_source, importlib_resources_config_source
from hydra._internal.sources_registry import SourcesRegistry
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from omegaconf import DictConfig, OmegaConf, open_dict

from experiments import texts
from experiments.settings import limits
from experiments.settings.arguments import parse, quote_text
from experiments.settings.commandline import Refusal, explain
from experiments.settings.schemas import Compare, Rules
from mcts.kernel.allocation import cores as cores
from mcts.limits import did_you_mean

_NAMED = 3
"""Maximum number of players in the name of a run folder."""


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


@cache
def register() -> None:
    """Register the schemas with Hydra; call before composing anything."""
    Plugins.instance()  # which register Hydra's own sources first
    ours = {"pkg": ImportlibResourcesConfigSource, "file": FileConfigSource}
    SourcesRegistry.instance().types.update(ours)
    store = ConfigStore.instance()
    store.store("compare", Compare, group="schema")
    store.store("rules", Rules, group="schema")
    resolvers: dict[str, Callable[..., Any]] = {
        "first": lambda *values: next((value for value in values if value is not None), None),
        # part of the run folder's name, which is made before the check
        "file_name": lambda text: texts.file_name(str(text)),
        "who_plays": _name_players,
    }
    for name, resolver in resolvers.items():
        OmegaConf.register_new_resolver(name, resolver, replace=True)


def _name_players(players: Any, others: Any, layout: Any, player: Any, opponent: Any) -> str:
    """Return the name of a run folder from its players, before they are checked."""
    groups = [players or [player], others or [opponent]]
    parts = []
    for group in groups[: 1 if layout == "robin" else 2]:
        names = [str(name).partition("+")[0] for name in group]
        more = f"_and_{len(names) - _NAMED}_more" if len(names) > _NAMED else ""
        parts.append(texts.file_name("_".join(names[:_NAMED])) + more)
    return "-".join(parts)


def leaves(nested: Mapping[Any, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested settings, each with its dotted name."""
    for key, value in nested.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def plain(settings: DictConfig) -> dict[str, Any]:
    """Return ``settings`` as nested dictionaries and lists, interpolations resolved."""
    return cast(dict[str, Any], OmegaConf.to_container(settings, resolve=True))


def compose(name: str, overrides: Sequence[str] = (), *, with_hydra: bool = False) -> DictConfig:
    """Return the configuration ``name`` of `conf` with ``overrides``.

    Composing takes a tenth of a second, setting a value some milliseconds.  Choices
    (``player=bmcts``) are therefore composed once per process, and values are set in a copy.
    ``with_hydra``: keep Hydra's own section.  The running command's ``hydra.searchpath=`` holds
    here, too.  Raises Refusal in one line if it cannot be composed.
    """
    register()
    values = [override for override in overrides if _is_value(override)]
    choices = tuple(override for override in overrides if not _is_value(override))
    if HydraConfig.initialized() and not any("searchpath" in choice for choice in choices):
        given = HydraConfig.get().overrides.hydra
        choices = (*(one for one in given if "hydra.searchpath=" in one), *choices)
    try:
        files_may_change = any("searchpath" in choice for choice in choices)
        made = _compose.__wrapped__ if files_may_change else _compose
        settings = deepcopy(made(name, choices, Path.cwd()))
        for value in values:
            _set(settings, value)
    except Exception as fault:  # Hydra's parts may raise anything
        raise Refusal(explain(fault)) from None
    with open_dict(settings):
        if with_hydra:
            settings.hydra.overrides.task = list(overrides)
        else:
            del settings["hydra"]
    return settings


@contextmanager
def share(settings: DictConfig) -> Iterator[None]:
    """Make ``settings`` those of `HydraConfig` within the block, and drop their Hydra section.

    They are composed with ``with_hydra=True``.
    """
    instance = HydraConfig.instance()
    outer = instance.cfg
    try:
        instance.set_config(settings)
        with open_dict(settings):
            del settings["hydra"]
        yield
    finally:
        instance.cfg = outer


def forget() -> None:
    """Drop cached compositions, after a configuration was stored under an existing name."""
    _compose.cache_clear()


@lru_cache(200)  # more than a table needs
def _compose(name: str, choices: tuple[str, ...], _: Path) -> DictConfig:
    with ExitStack() as stack:
        if not GlobalHydra.instance().is_initialized():
            stack.enter_context(initialize_config_module("conf", version_base="1.3"))
        return hydra.compose(name, list(choices), return_hydra_config=True)


def _is_value(override: str) -> bool:
    """Return whether ``override`` sets a value, rather than choosing or adding."""
    found = re.match(r"(?!hydra\b)([\w.]+)=", override, re.ASCII)
    return found is not None and not is_group(found[1])


is_group = cache(lambda key: find(key).is_dir())
"""Returns whether a key names a group in `conf`."""


def _set(settings: DictConfig, override: str) -> None:
    """Set a value as Hydra does."""
    parsed = parse(override)
    if parsed.is_sweep_override():
        raise Refusal(
            f"{override}: several values; add -m to run one after another, write [a,b] for a list, "
            f'or "{parsed.key_or_group}={quote_text(override.partition("=")[2])}" for one text'
        )
    OmegaConf.update(settings, parsed.key_or_group, parsed.value(), merge=True)


def check(config: DictConfig) -> None:
    """Refuse what the types allow, with the first fault, in one sentence that names the key."""
    check_sections(config)
    check_seats(config)


def check_seats(config: DictConfig) -> None:
    """Refuse nonexistent seats of the measured player; as `check`."""
    match = config.match
    seats = match.focal_seats
    if seats is not None:
        if not seats or len(set(seats)) < len(seats):
            raise Refusal("match.focal_seats must list different seats, or be null for all")
        if min(seats) < 0 or max(seats) >= config.rules.players:
            raise Refusal(f"match.focal_seats must lie between 0 and {config.rules.players - 1}")


def check_sections(config: DictConfig) -> None:
    """Refuse unknown or missing keys, invalid choices and ranges in any configuration; as `check`.

    Values of players are converted to the types of their settings.
    """
    players = []
    for key, node, schema in _walk(config, ""):
        if schema is None:
            players.append((key, node))
        else:
            _check_section(key, node, schema)
    for key, node in players:
        _check_player(key, node)


def _check_player(path: str, node: DictConfig) -> None:
    from sim.players import registry  # imports Numba

    spec = plain(node)
    if not {"name", registry.TARGET} & set(spec):
        raise Refusal(f"{path}: unknown setting; see --help")
    try:
        typed = registry.convert(spec)
    except ValueError as fault:
        joint = "." if re.match(r"[\w.]+[=:]", str(fault)) else ": "
        raise Refusal(f"{path}{joint}{fault}") from None
    for key, value in typed.items():
        OmegaConf.update(node, key, value, force_add=True)


def _walk(node: DictConfig, path: str) -> Iterator[tuple[str, DictConfig, Any]]:
    """Yield each section with its dotted path and its dataclass; None for a player's."""
    schema: Any = OmegaConf.get_type(node)
    if not is_dataclass(schema):
        yield path, node, None
        return
    yield path, node, schema
    for described in fields(schema):
        if described.name in node and not OmegaConf.is_missing(node, described.name):
            below = node[described.name]
            if isinstance(below, DictConfig) and "data" not in described.metadata:
                yield from _walk(below, f"{path}.{described.name}".lstrip("."))


def _check_items(key: str, value: Any, kind: Any) -> None:
    """Refuse list items of a type other than ``kind``; OmegaConf does not check nested ones."""
    wanted = {str: "words", int: "whole numbers", float: "numbers"}
    found = [part for part in (kind, *get_args(kind)) if get_origin(part) is list]
    for part, item in ((part, item) for part in found for item in value or ()):
        if type(item) is not get_args(part)[0]:
            raise Refusal(f"{key}={value}: give a list of {wanted[get_args(part)[0]]}")


_kinds = cache(get_type_hints)
"""Returns the types of the settings in a section."""


def _check_section(path: str, node: DictConfig, schema: type) -> None:
    described, kinds = {setting.name: setting for setting in fields(schema)}, _kinds(schema)
    for name in map(str, node):
        if name not in described:
            key = f"{path}.{name}".lstrip(".")
            hint = did_you_mean(name, described)
            raise Refusal(f"{key}: unknown setting{hint}; see --help")
    for name, setting in described.items():
        key = f"{path}.{name}".lstrip(".")
        if name not in node or OmegaConf.is_missing(node, name):
            raise Refusal(f"{key} is missing: give it a value")
        if kinds[name] is Any and not isinstance(node[name], DictConfig | None):
            raise Refusal(f"{key}: its preset must be settings, name: value, like those in conf")
        _check_items(key, node[name], kinds[name])
        limits.check(key, node[name], setting.metadata)
    if hasattr(schema, "check"):
        schema.check(path, node)
