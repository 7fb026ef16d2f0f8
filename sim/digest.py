"""Digests of what is stored as JSON: what was edited by hand is not taken for what was fitted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

MOST_BYTES = 10_000_000
"""Of a file of weights that is worth reading."""


def digest(data: Mapping[str, Any]) -> str:
    """Return a digest of what JSON can hold: 16 hexadecimal digits."""
    text = json.dumps(dict(data), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
