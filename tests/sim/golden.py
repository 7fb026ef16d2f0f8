"""Golden games: what a few games came to, kept as data and compared whole.

They change when the rules, a policy or the streams of chance change on purpose.  Then write them
anew, from the root of the repository, and say in the commit why::

    python -m tests.sim.golden
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from sim.chance import game_key
from sim.game import advance, new_game
from sim.policies.table import seat_policies
from sim.rules import Rules, world
from sim.state import empty

FILE = Path(__file__).parents[1] / "data" / "golden_games.json"
SEED = 2018
GAMES = 6
TABLES = {
    "heuristic x 4": ["heuristic"] * 4,
    "random x 4": ["random"] * 4,
    "uniform x 3": ["uniform"] * 3,
    "heuristic x 5": ["heuristic"] * 5,
    "mixed x 6": ["heuristic", "random", "uniform"] * 2,
    "heuristic, random x 3": ["heuristic", "random", "random", "random"],
}


def played(policies: list[str], game: int) -> dict[str, Any]:
    """Play one game; return how it ended, with a digest of where pawns and knowledge stand."""
    board, state = world(Rules(players=len(policies)))[0], empty()[0]
    seat_policies(state, policies)
    new_game(board, state, np.uint64(game_key(SEED, game)))
    advance(board, state)
    end = (state.spot, state.summoned, state.known, state.goal, state.out)
    return {
        "winner": int(state.winner),
        "turns": int(state.turn),
        "suggestions": state.suggestions[: len(policies)].tolist(),
        "end": hashlib.sha256(b"".join(part.tobytes() for part in end)).hexdigest()[:16],
    }


def games() -> dict[str, list[dict[str, Any]]]:
    """Play them all, by name of the table."""
    return {
        name: [played(policies, game) for game in range(GAMES)] for name, policies in TABLES.items()
    }


if __name__ == "__main__":
    rows = (
        f" {json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, table)) + "\n ]"
        for name, table in games().items()
    )
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print(FILE)
