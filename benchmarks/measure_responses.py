"""Measure the table of best responses, ``sim/models/points.json``.

python -m benchmarks.measure_responses SEED GAMES > sim/models/points.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace

from sim.models.company import wins
from sim.models.own_cards import fit_weight
from sim.models.responses import LEAST_READ, RESPONSES, label
from sim.models.types import TYPES
from sim.policies.table import Policy
from sim.rules import Rules


def _measure(rules: Rules, seed: int, games: int) -> dict:
    """Return the table, played on ``seed``."""
    reads = {
        name: fit_weight(rules, policy, seed, games // 10).value for name, policy in TYPES.items()
    }
    found: dict[str, dict[str, float]] = {}
    for response in RESPONSES:
        found[label(response)] = dict(_shares(rules, response, reads, seed, games))
        print(label(response), found[label(response)], file=sys.stderr, flush=True)
    return {"seed": seed, "games": games, "reads": reads, "points": found}


def _shares(
    rules: Rules, response: Policy, reads: dict[str, float], seed: int, games: int
) -> Iterator[tuple[str, float]]:
    """Yield the share of games that ``response`` wins against each type, seats in rotation."""
    for name, model in TYPES.items():
        own = replace(response, own_card_weight=max(reads[name], LEAST_READ))
        yield name, round(int(wins(rules, own, model, seed, range(games)).sum()) / games, 4)


if __name__ == "__main__":
    print(json.dumps(_measure(Rules(), int(sys.argv[1]), int(sys.argv[2])), indent=1))
