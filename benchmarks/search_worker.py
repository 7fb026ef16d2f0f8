"""Searches the opening of a game with one preset after another, for `bench_search --against`.

    python benchmarks/search_worker.py     in the checkout that is to be measured

Reads lines ``PRESET SIMULATIONS KEY`` and answers each with a line of JSON: the simulations that
were run, the CPU seconds that they took, and a digest of the root table and the whole tree.  A
preset's first answer takes longer, for it compiles.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import OmegaConf

sys.path[0] = str(Path.cwd())  # the checkout, wherever this file is

from sim.chance import game_key  # noqa: E402
from sim.game import new_game  # noqa: E402
from sim.players.registry import make  # noqa: E402
from sim.policies.table import seat_policies  # noqa: E402
from sim.rules import Rules, world  # noqa: E402
from sim.state import empty  # noqa: E402
from sim.view import view_of  # noqa: E402

PRESETS = Path("conf/player")
RULES = Rules()


def spec_of(preset: str) -> Any:
    """Return a preset's values on top of those that it inherits."""
    own = OmegaConf.load(PRESETS / f"{preset}.yaml")
    parents = [
        name for name in own.pop("defaults") if isinstance(name, str) and name[0] not in "_/"
    ]
    return OmegaConf.merge(*map(spec_of, parents), own)


@cache
def player(preset: str, simulations: int) -> Any:
    """Return the planner of ``preset`` with so many simulations a decision."""
    spec = spec_of(preset)
    spec.budget.simulations = simulations
    return make(OmegaConf.to_container(spec), RULES)


def searched(preset: str, simulations: int, key: int) -> dict[str, Any]:
    """Search once, and return what the answer says."""
    state = empty()[0]
    seat_policies(state, [None] + ["heuristic"] * (RULES.players - 1))
    new_game(world(RULES)[0], state, np.uint64(game_key(0, 0)))
    view = view_of(state, 0)
    planner = player(preset, simulations)
    planner.begin(RULES, 0, view, key)
    began = time.process_time()
    action = planner.decide(view)
    seconds = time.process_time() - began
    tree, result = planner.search.tree, planner.result
    parts = [np.int64(action), result.actions, result.visits, result.values]
    parts += [tree.order[: result.nodes], tree.visits, tree.returns, tree.counters]
    edges = int((tree.length * (tree.status == 2))[tree.order[: result.nodes]].sum())
    parts += [tree.action[:edges], tree.edge_visits[:edges], tree.edge_total[:edges]]
    digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
    return {"simulations": planner.simulations, "seconds": seconds, "tree": digest[:16]}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        preset, simulations, key = line.split()
        print(json.dumps(searched(preset, int(simulations), int(key))), flush=True)


if __name__ == "__main__":
    main()
