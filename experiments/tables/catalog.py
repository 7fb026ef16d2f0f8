"""The catalogue of tables: each is a YAML in ``conf/table``, which gives it its name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.tables.ablation.schema import Ablation
from experiments.tables.published import Published
from experiments.tables.schema import Computed, Table

COMMAND = "python -m experiments.tables"
"""The command line in front of the name of a table."""


def register() -> None:
    """Make the schemas of tables known to Hydra."""
    config.register()
    for name, schema in (("table", Table), ("ablation", Ablation), ("computed", Computed)):
        ConfigStore.instance().store(name, schema, group="schema")


def names() -> list[str]:
    """Return the names of all tables."""
    found = files("conf").joinpath("table").iterdir()
    return sorted(file.name[:-5] for file in found if file.name.endswith(".yaml"))


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


def read(settings: DictConfig, name: str) -> Table | Computed:
    """Return the table with these ``settings``, checked.

    Raises Refusal if a key is unknown, missing or out of range, or there is no schema.
    """
    if not issubclass(OmegaConf.get_type(settings) or object, (Table, Computed)):
        raise Refusal("its defaults must begin with /schema/table@_here_")
    config.check_sections(settings)
    table: Any = OmegaConf.to_object(settings)
    published = table.published and Published.read(table.published)
    return replace(table, name=name, published=published)
