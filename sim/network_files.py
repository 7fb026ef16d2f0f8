"""Files of networks with one hidden layer: JSON of numbers and settings, with a digest of each.

So a file that was edited by hand is not taken for one that was fitted.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Made = TypeVar("Made")

NUMBERS = ("hidden_weights", "hidden_bias", "output_weights", "output_bias")
"""Arrays of shapes (inputs, hidden), (hidden,), (hidden,) and ()."""

MOST_BYTES = 10_000_000
"""Size of a file that is read."""


MOST_WEIGHT = 1e30
"""Greatest weight: sums of their products are finite."""


def digest(data: Mapping[str, Any]) -> str:
    """Return a digest of JSON data: 16 hexadecimal digits."""
    text = json.dumps(dict(data), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def dump_network(network: object, settings: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """Return the text of a file: the `NUMBERS` of ``network``, its settings, and ``more``."""
    numbers = {name: np.asarray(getattr(network, name)).tolist() for name in NUMBERS}
    data = {
        "settings": dict(settings),
        "settings_digest": digest(settings),
        **more,
        **numbers,
        "numbers_digest": digest(numbers),
    }
    return json.dumps(data, allow_nan=False) + "\n"


def parse_network(text: str, more: str) -> tuple[dict[str, np.ndarray], dict[str, Any], Any]:
    """Return the arrays of a file's text by `NUMBERS`, its settings, and the value of key ``more``.

    ValueError if it is damaged or something else, in one sentence.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    keys = {"settings", "settings_digest", more, *NUMBERS, "numbers_digest"}
    if not isinstance(data, dict) or set(data) != keys or not isinstance(data["settings"], dict):
        raise ValueError(f"it is not a mapping of settings and of {', '.join(sorted(keys))}")
    settings, numbers = data["settings"], {name: data[name] for name in NUMBERS}
    for part, found in (("settings", settings), ("numbers", numbers)):
        if data[f"{part}_digest"] != digest(found):
            raise ValueError(f"its {part} are not those that it was written with")
    try:
        arrays = {name: np.array(value, float) for name, value in numbers.items()}
    except (OverflowError, TypeError, ValueError):
        raise ValueError("its weights are not numbers") from None
    return arrays, settings, data[more]


def check_shapes(arrays: Mapping[str, np.ndarray], inputs: int) -> None:
    """Raise ValueError unless ``arrays`` are finite and of a network of so many ``inputs``."""
    hidden = arrays["hidden_bias"].size
    shapes = [arrays[name].shape for name in NUMBERS]
    if shapes != [(inputs, hidden), (hidden,), (hidden,), ()] or not hidden:
        raise ValueError(f"its weights are not those of {inputs} inputs and a hidden layer")
    if not all((np.abs(array) <= MOST_WEIGHT).all() for array in arrays.values()):
        raise ValueError(f"its weights are not all finite, or beyond {MOST_WEIGHT:g}")


def read_network(file: Traversable, parse: Callable[[str], Made], kind: str, remedy: str) -> Made:
    """Return what ``parse`` makes of the text of ``file``.

    ValueError if it makes nothing of it, in one sentence that ends with the ``remedy``.
    """
    try:
        if isinstance(file, Path):
            found = file.stat()
            if not stat.S_ISREG(found.st_mode):
                raise ValueError("it is a folder, a pipe or a device")
            if found.st_size > MOST_BYTES:
                raise ValueError("it is too long")
        return parse(file.read_text("utf-8"))
    except OSError as fault:
        reason = fault.strerror
    except ValueError as fault:
        reason = "it is not text" if isinstance(fault, UnicodeDecodeError) else str(fault)
    raise ValueError(f"{file} is no {kind}: {reason}; {remedy}")
