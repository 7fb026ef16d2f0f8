"""The catalogue of tables: each is a YAML in ``conf/table``, which gives it its name."""

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
"""The command line in front of the name of a table."""

SCHEMAS = {"table": Table, "ablation": Ablation, "computed": Computed}
"""By the name of the schema with which the defaults of a table begin."""

_FOLDER = files("conf").joinpath("table")


def register() -> None:
    """Make the schemas of tables known to Hydra."""
    config.register()
    for name, schema in SCHEMAS.items():
        ConfigStore.instance().store(name, schema, group="schema")


def names() -> list[str]:
    """Return the names of all tables."""
    return sorted(file.name[:-5] for file in _FOLDER.iterdir() if file.name.endswith(".yaml"))


@cache
def load(name: str) -> Table | Computed:
    """Return the table that ``conf/table`` has under ``name``.

    Raises Refusal, which names the file, if it is missing or wrong.
    """
    register()
    try:
        return read(config.compose(f"table/{name}").get("table"), name)
    except Refusal as fault:
        raise Refusal(f"conf/table/{name}.yaml: {fault}") from None


def load_ablation(name: str) -> Ablation:
    """Return the ablation that ``conf/table`` has under ``name``; `Refusal` if it is none."""
    found = load(name)
    if not isinstance(found, Ablation):
        raise Refusal(f"{name} is no ablation: give it /schema/ablation@_here_ in its defaults")
    return found


def outline(name: str) -> Table | Computed:
    """Return `load` without the published figures, read without Hydra in a few milliseconds.

    Raises Refusal as `load`, which looks again at a file that is faulty.
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
    """Return schema and values of a table, those of the table that it changes among them."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    own = yaml.load(_FOLDER.joinpath(f"{name}.yaml").read_text("utf-8"), loader)
    base = own.pop("defaults")[0]
    own.pop("published", None)
    if not base.startswith("/schema/"):
        schema, values = _read_files(base)
        return schema, values | own
    return SCHEMAS[base.removeprefix("/schema/").removesuffix("@_here_")], own


def read(settings: DictConfig, name: str) -> Table | Computed:
    """Return the table with these ``settings``, checked.

    Raises Refusal if a key is unknown, missing or out of range, or there is no schema.
    """
    if not issubclass(OmegaConf.get_type(settings) or object, (Table, Computed)):
        raise Refusal("its defaults must begin with /schema/table@_here_")
    config.check_sections(settings)
    table: Any = OmegaConf.to_object(settings)
    if table.published:
        from experiments.tables.published import Published  # knows the rows of games: a second

        table = replace(table, published=Published.read(table.published))
    return replace(table, name=name)
