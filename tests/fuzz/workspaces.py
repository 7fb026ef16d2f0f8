"""Damaged workspaces of a hunt, GeoJSON and YAML: refused in a line, or cut into cells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import mutate
from called import capture, find_fault
from judge import Finding
from omegaconf import OmegaConf

from experiments.hunt import fields

PLACES = {
    "bounds": ("Polygon", [[[0, 0], [8, 0], [8, 8], [0, 8], [0, 0]]]),
    "obstacle": ("Polygon", [[[3, 3], [5, 3], [5, 5], [3, 5], [3, 3]]]),
    "target": ("Point", [2, 6]),
    "start": ("Point", [1, 1]),
    "goal": ("Point", [7, 7]),
}
FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"role": role},
            "geometry": {"type": kind, "coordinates": coordinates},
        }
        for role, (kind, coordinates) in PLACES.items()
    ],
}
TEXT = """bounds: POLYGON ((0 0, 8 0, 8 8, 0 8, 0 0))
obstacles: ["POLYGON ((3 3, 5 3, 5 5, 3 5, 3 3))", "LINESTRING (1 7, 4 7)"]
targets: [POINT (2 6), POINT (6 2)]
start: POINT (1 1)
goal: POINT (7 7)
"""
HUGE = ("1e999", "-1e308", "1e-320", "nan", "9" * 401, "1" + "0" * 5000, "")
SETTINGS = {"robot": 0.2, "sensor": 1.0, "line_of_sight": True, "cells": "polygons"}


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    for case in range(number):
        random = Random(f"{seed}/{case}")
        ending, content = damage(random)
        path = folder / f"field.{ending}"
        path.write_bytes(content)
        settings = OmegaConf.create({**SETTINGS, "workspace": str(path)})
        seen = capture(lambda _, asked=settings: fields.load_field(asked, 0))
        yield find_fault(f"workspace {case} of seed {seed}", seen)


def damage(random: Random) -> tuple[str, bytes]:
    """Return the ending of a file, and what it holds."""
    kind = random.randrange(4)
    if kind == 0:
        return "yaml", mutate.raw(random, TEXT.encode())
    if kind == 1:
        return "geojson", mutate.raw(random, json.dumps(FEATURES).encode())
    text = TEXT if kind == 2 else json.dumps(mutate.value(random, FEATURES))
    digits = [at for at, sign in enumerate(text) if sign.isdigit()]
    if digits and random.random() < 0.5:
        at = random.choice(digits)
        text = text[:at] + random.choice(HUGE) + text[at + 1 :]
    return "yaml" if kind == 2 else "geojson", text.encode("utf-8", "surrogatepass")
