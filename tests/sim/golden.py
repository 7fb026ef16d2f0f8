"""Golden games: stored results of a few games, compared completely.

They change only with deliberate changes of rules, policies or random streams.  Then regenerate them
from the root of the repository, and give the reason in the commit::

    python -m tests.sim.golden
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.arena import Memory, run
from sim.chance import game_key
from sim.game import new_game
from sim.policies.registry import Policy, seat_policies
from sim.rules import Rules, preset, world
from sim.state import empty

FILE = Path(__file__).parents[1] / "data" / "golden_games.json"
SEED = 2018


@dataclass(frozen=True)
class Table:
    """Players and rules of a table, and how many games are kept."""

    rules: Rules
    policies: Sequence[Policy | str]
    games: int = 3


def _ledford(*policies: str) -> Table:
    return Table(Rules(players=len(policies)), policies, games=6)


EARLY = Policy("swift", threshold=0.7)
BOLD = [Policy("swift", threshold=0.2), "csp", Policy("hide", threshold=0.3)] * 2
"""They accuse wrongly."""
DEAF = Policy("heuristic", inference=False)
DISCREET = Policy("closure", showing="least_informative")

TABLES = {
    "heuristic x 4": _ledford(*["heuristic"] * 4),
    "random x 4": _ledford(*["random"] * 4),
    "uniform x 3": _ledford(*["uniform"] * 3),
    "heuristic x 5": _ledford(*["heuristic"] * 5),
    "mixed x 6": _ledford(*["heuristic", "random", "uniform"] * 2),
    "heuristic, random x 3": _ledford("heuristic", "random", "random", "random"),
    "closure x 4": Table(Rules(), ["closure"] * 4),
    "swift x 4": Table(Rules(), ["swift"] * 4),
    "switches": Table(Rules(), [DEAF, DISCREET, EARLY, Policy("swift", inference=False)]),
    "greedy": Table(Rules(players=3), ["greedy", "swift", Policy("greedy", threshold=0.5)], 2),
    "ferrari2009": Table(preset("ferrari2009"), ["heuristic", "swift", "closure"]),
    "cai2006": Table(preset("cai2006"), [EARLY, "random", DISCREET]),
    "classic x 3": Table(preset("classic", players=3), ["uniform", "closure", "swift"]),
    "classic x 4": Table(preset("classic"), ["swift", "heuristic", EARLY, "closure"]),
    "classic x 5": Table(preset("classic", players=5), ["closure", "swift", DEAF, "swift", EARLY]),
    "classic x 6": Table(preset("classic", players=6), ["heuristic", "swift", "random"] * 2),
    "speed x 3": Table(preset("speed", players=3), ["swift", "closure", "heuristic"]),
    "speed x 6": Table(preset("speed", players=6), ["uniform", "swift", DISCREET] * 2),
    "bold x 6": Table(preset("classic", players=6, accusations="secret"), BOLD, games=6),
    "bold speed_clue x 6": Table(preset("speed_clue", players=6, accusations="secret"), BOLD),
}


def play_out(table: Table, game: int) -> dict[str, Any]:
    """Play one game; return how it ended, with a digest of where pawns and knowledge stand."""
    board, state = world(table.rules)[0], empty()[0]
    seat_policies(state, table.policies)
    memory = Memory(table.policies)
    new_game(board, state, np.uint64(game_key(SEED, game)))
    while not run(board, state, memory.work, memory.sample):
        memory.grow()
    end = (state.spot, state.summoned, state.known, state.goal, state.out)
    return {
        "winner": int(state.winner),
        "turns": int(state.turn),
        "suggestions": state.suggestions[: table.rules.players].tolist(),
        "end": hashlib.sha256(b"".join(part.tobytes() for part in end)).hexdigest()[:16],
    }


def games(table: Table) -> list[dict[str, Any]]:
    """Play all games of a table."""
    return [play_out(table, game) for game in range(table.games)]


def write() -> None:
    """Write the file again, and say which tables are not what they were."""
    before = json.loads(FILE.read_text())
    after = {name: games(table) for name, table in TABLES.items()}
    rows = (
        f" {json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, table)) + "\n ]"
        for name, table in after.items()
    )
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            print("changed:" if name in before else "new:", name)
    print(FILE)


if __name__ == "__main__":
    write()
