"""Plays, rolls out or searches on request, for `bench_search --against`.

        python benchmarks/search_worker.py     in the checkout to be measured

Reads lines ``TASK NUMBER KEY`` and answers each with a line of JSON: the number of games, roll-outs
or simulations, the CPU seconds, and a digest of all results.  The first answer to a task takes
longer, because it compiles.  Tasks are

* a preset of a planner: it searches the opening with NUMBER simulations;
* ``games:POLICY``: NUMBER games of four of a kind; a policy may have a threshold, ``swift(0.35)``;
* ``rollouts:OWN:ROUND``: NUMBER roll-outs, deal and opponents' knowledge included, of ``best``,
  which knows that the others are swift(0.35), with OWN in its own seat, from round ROUND on;
* ``search:OWN:ROUND``: one search of it there with NUMBER simulations.
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

from mcts.kernel.compile import jit  # noqa: E402
from mcts.kernel.rng import fold, new_stream  # noqa: E402
from mcts.tree import NODES  # noqa: E402
from sim import Policy, choose, seat_policies  # noqa: E402
from sim.arena import play_many  # noqa: E402
from sim.chance import game_key  # noqa: E402
from sim.game import apply, decider, new_game, open_decision  # noqa: E402
from sim.planning import cluedo  # noqa: E402
from sim.players.registry import make  # noqa: E402
from sim.rules import Rules, world  # noqa: E402
from sim.state import OVER, TURN, empty  # noqa: E402
from sim.view import as_seen, view_of  # noqa: E402

PRESETS = Path("conf/player")
RULES = Rules()
EARLY = 0.35
"""Accusation threshold of the modelled opponents."""


def policy_of(text: str) -> Policy:
    """Return the policy that ``text`` names, with its threshold in brackets if it has one."""
    name, _, threshold = text.rstrip(")").partition("(")
    return Policy(name, threshold=float(threshold or 1.0))


def spec_of(preset: str) -> Any:
    """Return a preset's values merged into those that it inherits."""
    own = OmegaConf.load(PRESETS / f"{preset}.yaml")
    parents = [
        name for name in own.pop("defaults", []) if isinstance(name, str) and name[0] not in "_/"
    ]
    return OmegaConf.merge(*map(spec_of, parents), own)


@cache
def player(preset: str, simulations: int, own: str = "") -> Any:
    """Return the planner of ``preset``; it knows its opponents if its ``own`` policy is named."""
    spec = spec_of(preset)
    spec.budget.simulations = simulations
    if own:
        spec.opponents, spec.rollout.policy = "swift", own
        spec.model.threshold = spec.rollout.threshold = EARLY
    return make(OmegaConf.to_container(spec), RULES)


def position(round_: int) -> tuple[np.recarray, list[tuple[int, int, int, int]]]:
    """Return seat 0's view at its turn of a round, and its observations, among swift players.

    The game is the first that lasts so long with all players still in.
    """
    board, state = world(RULES)[0], empty()[0]
    for game in range(1000):
        seat_policies(state, [Policy("swift", threshold=EARLY)] * RULES.players)
        new_game(board, state, np.uint64(game_key(1, game)))
        state.recording, seen = 1, []
        while state.phase != OVER and not state.out.any():
            if state.turn > RULES.players * (round_ - 1) and state.phase == TURN:
                return view_of(state, 0), seen
            open_decision(state)
            apply(board, state, choose(board, state, decider(state)))
            seen += [as_seen(tuple(map(int, row)), 0) for row in state.event[: state.events]]
            state.events = 0
    raise SystemExit(f"no game lasts until round {round_}")


@cache
def inform(own: str, round_: int, simulations: int) -> tuple[Any, np.recarray]:
    """Return `best` with ``own``, informed up to its turn in a round, and its view."""
    planner, (view, seen) = player("best", simulations, own), position(round_)
    planner.begin(RULES, 0, view, 1)
    for event in seen:
        planner.see(event)
    return planner, view


@jit
def rolled_out(p, s, stream: np.ndarray, key: np.uint64, n: int, won: np.ndarray) -> None:
    """Begin ``n`` simulations and roll each out; write their returns into ``won``."""
    for i in range(n):
        stream[0] = fold(key, i)
        cluedo.start(p, s, stream)
        won[i] = cluedo.rollout(p, s, stream) + s.state[0].turn


def digest(*parts: np.ndarray) -> str:
    """Return a short digest of ``parts``."""
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def play_games(name: str, games: int, key: int) -> dict[str, Any]:
    """Play games of four of a kind."""
    seats, numbers = [policy_of(name)] * RULES.players, np.arange(games)
    began = time.process_time()
    came = play_many(RULES, seats, key, numbers)
    seconds = time.process_time() - began
    tree = digest(came.winner, came.turns, came.suggestions, came.out)
    return {"simulations": games, "seconds": seconds, "tree": tree}


def rollouts(own: str, round_: int, n: int, key: int) -> dict[str, Any]:
    """Roll out from a position."""
    planner, view = inform(own, round_, n)
    p = planner.position(view)
    s, stream, won = cluedo.workspace(p), new_stream(1), np.empty(n)
    began = time.process_time()
    rolled_out(p, s, stream, np.uint64(key), n, won)
    seconds = time.process_time() - began
    return {"simulations": n, "seconds": seconds, "tree": digest(won)}


def search(planner: Any, view: np.recarray) -> dict[str, Any]:
    """Search once."""
    before = planner.simulations
    began = time.process_time()
    action = planner.decide(view)
    seconds = time.process_time() - began
    tree, result = planner.search.tree, planner.result
    parts = [np.int64(action), result.actions, result.visits, result.values]
    nodes = tree.order[: tree.counters[NODES]]  # of the last tree, if there are several
    parts += [nodes, tree.visits, tree.returns, tree.counters]
    edges = int((tree.length * (tree.status == 2))[nodes].sum())
    parts += [tree.action[:edges], tree.edge_visits[:edges], tree.edge_total[:edges]]
    return {"simulations": planner.simulations - before, "seconds": seconds, "tree": digest(*parts)}


def opening(preset: str, simulations: int, key: int) -> dict[str, Any]:
    """Let the planner of a preset search the opening of a game."""
    state = empty()[0]
    seat_policies(state, [None] + ["heuristic"] * (RULES.players - 1))
    new_game(world(RULES)[0], state, np.uint64(game_key(0, 0)))
    view = view_of(state, 0)
    planner = player(preset, simulations)
    planner.begin(RULES, 0, view, key)
    return search(planner, view)


def answer(task: str, n: int, key: int) -> dict[str, Any]:
    """Perform ``task``, and return its answer."""
    kind, *parts = task.split(":")
    if kind == "games":
        return play_games(parts[0], n, key)
    if kind == "rollouts":
        return rollouts(parts[0], int(parts[1]), n, key)
    if kind == "search":
        return search(*inform(parts[0], int(parts[1]), n))
    return opening(task, n, key)


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        task, n, key = line.split()
        print(json.dumps(answer(task, int(n), int(key))), flush=True)


if __name__ == "__main__":
    main()
