"""The catalogue of tables: each YAML in ``conf/table`` defines the table of its name."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from experiments.settings import config, limits
from experiments.settings.commandline import Refusal
from experiments.tables.schema import Computed, Table
from experiments.tables.steps import Ablation

COMMAND = "python -m experiments.tables"
"""The command line before the name of a table."""

SCHEMAS = {"table": Table, "ablation": Ablation, "computed": Computed}
"""Table classes by the name of the schema that begins a table's defaults."""

_FOLDER = files("conf").joinpath("table")


def register() -> None:
    """Register the schemas of tables with Hydra."""
    config.register()
    for name, schema in SCHEMAS.items():
        ConfigStore.instance().store(name, schema, group="schema")


def names() -> list[str]:
    """Return the names of all tables."""
    return sorted(file.name[:-5] for file in _FOLDER.iterdir() if file.name.endswith(".yaml"))


@cache
def load(name: str) -> Table | Computed:
    """Return the table ``name`` of ``conf/table``.

    Raises Refusal, which names the file, if the file is missing or invalid.
    """
    register()
    try:
        return read(config.compose(f"table/{name}").get("table"), name)
    except Refusal as fault:
        raise Refusal(f"conf/table/{name}.yaml: {fault}") from None


def load_ablation(name: str) -> Ablation:
    """Return the ablation ``name`` of ``conf/table``; raises Refusal if it is another table."""
    found = load(name)
    if not isinstance(found, Ablation):
        raise Refusal(f"{name} is not an ablation: add /schema/ablation@_here_ to its defaults")
    return found


def outline(name: str) -> Table | Computed:
    """Return `load` without the published figures, in a few milliseconds, without Hydra.

    Raises Refusal as `load`, which reads an invalid file again.
    """
    try:
        schema, values = _read_files(name)
        table = schema(**values, name=name)
        for field in fields(schema):
            limits.check(field.name, getattr(table, field.name), field.metadata)
    except (OSError, yaml.YAMLError, AttributeError, LookupError, TypeError, Refusal):
        return load(name)
    return table


def _read_files(name: str) -> tuple[Any, dict[str, Any]]:
    """Return schema and values of a table, including those of the table that it changes."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    own = yaml.load(_FOLDER.joinpath(f"{name}.yaml").read_text("utf-8"), loader)
    base = own.pop("defaults")[0]
    own.pop("published", None)
    if not base.startswith("/schema/"):
        schema, values = _read_files(base)
        return schema, values | own
    return SCHEMAS[base.removeprefix("/schema/").removesuffix("@_here_")], own


def read(settings: DictConfig, name: str) -> Table | Computed:
    """Return the table with these ``settings``, validated.

    Raises Refusal if a key is unknown, missing or out of range, or the schema is missing.
    """
    if not issubclass(OmegaConf.get_type(settings) or object, (Table, Computed)):
        raise Refusal("its defaults must begin with /schema/table@_here_")
    config.check_sections(settings)
    table: Any = OmegaConf.to_object(settings)
    if table.published:
        from experiments.tables.published import Published  # imports Polars: a second

        table = replace(table, published=Published.read(table.published))
    return replace(table, name=name)
