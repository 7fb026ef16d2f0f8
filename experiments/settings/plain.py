"""Settings as plain Python values."""

from __future__ import annotations

from typing import Any, cast

from omegaconf import DictConfig, OmegaConf


def plain(settings: DictConfig) -> dict[str, Any]:
    """Return ``settings`` as nested dictionaries and lists, interpolations resolved."""
    return cast(dict[str, Any], OmegaConf.to_container(settings, resolve=True))
