"""Reach of a planner's tree: simulations that decide in it in the next own turns.

    python -m benchmarks.bench_tree [--positions 20] [--simulations 1000] [KEY=VALUE ...]

Settings are dotted keys below ``player``, such as ``search.exploration=0.5``.  Positions are turns
and suggestions of rounds 2 to 4 of games among four ``swift`` players that accuse from 0.35, which
is also the planner's model of the others.  Of each simulation that a search made: did it follow an
edge of the tree in the second own turn, and in the third (`mcts.inspect.count_decisions`)?  Else
the roll-out policy decided there.  Beside it CPU time a simulation.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from omegaconf import OmegaConf

from benchmarks.search_worker import spec_of
from mcts.inspect import count_decisions
from sim.chance import game_key, open_stream
from sim.game import advance, apply, decider, new_game
from sim.planning.information_sets import begins_turn
from sim.planning.planner import Planner
from sim.players.registry import planner_config
from sim.policies.registry import Policy, choose, number, seat_policies
from sim.rules import Rules, world
from sim.state import ACCUSE, EXTERNAL, OVER, REVEAL, SUGGEST, TURN, empty
from sim.view import as_seen, view_of

_SEED = 5111
_EARLY = Policy("swift", threshold=0.35)


def seats(planner: Planner, rules: Rules) -> Iterator[tuple[np.recarray, int]]:
    """Seat ``planner`` at one decision a game after another; yield the view and the phase."""
    board, game = world(rules)[0], 0
    while True:
        game += 1
        seat, wanted, phase = game % rules.players, 1 + game % 3, (TURN, SUGGEST)[game % 2]
        state = empty()[0]
        seat_policies(state, [_EARLY] * rules.players)
        state.policy[seat] = EXTERNAL
        state.recording = 1
        new_game(board, state, np.uint64(game_key(_SEED, game)))
        planner.begin(rules, seat, view_of(state, seat), game)
        while True:
            advance(board, state)
            for event in state.event[: state.events].tolist():
                planner.see(as_seen(tuple(event), seat))
            state.events = 0
            if state.phase == OVER:
                break
            if decider(state) != seat:
                continue
            round_now = (state.turn - 1) // rules.players
            if round_now > wanted:
                break
            if round_now == wanted and state.phase == phase:
                yield view_of(state, seat), phase
                break
            open_stream(state, 4, state.turn)
            state.policy[seat] = number("swift")
            action = choose(board, state, seat)
            state.policy[seat] = EXTERNAL
            if ACCUSE <= action < REVEAL:
                break
            apply(board, state, action)


def measure(planner: Planner, positions: int) -> dict[int, np.ndarray]:
    """Search at so many positions; return rows of both shares and microseconds, by phase."""
    rows: dict[int, list[list[float]]] = {TURN: [], SUGGEST: []}
    for view, phase in seats(planner, Rules()):
        planner.result = None
        began = time.process_time()
        planner.decide(view)
        spent = time.process_time() - began
        if planner.result is None:  # one action on offer
            continue
        shares = count_decisions(planner.search.tree, begins_turn)[1:]
        rows[phase].append([*shares, 1e6 * spent / planner.result.simulations])
        if sum(map(len, rows.values())) == positions:
            return {name: np.array(found) for name, found in rows.items()}
    raise AssertionError("there is always another game")


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--preset", default="best")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE")
    asked = parser.parse_args()
    given = ["opponents=swift", "model.threshold=0.35", f"budget.simulations={asked.simulations}"]
    changes = OmegaConf.from_dotlist([*given, *asked.settings])
    spec = OmegaConf.merge(spec_of(asked.preset), changes)
    planner = Planner(planner_config(OmegaConf.to_container(spec)))
    print(" ".join(asked.settings) or "as it is")
    for phase, found in measure(planner, asked.positions).items():
        turns = ("2nd turn", "3rd turn")
        shares = ", ".join(
            f"{name} {share:.1%} ({least:.0%} to {most:.0%})"
            for name, share, least, most in zip(
                turns, found.mean(axis=0), found.min(axis=0), found.max(axis=0), strict=False
            )
        )
        name = "turns" if phase == TURN else "suggestions"
        print(f"  {len(found):3} {name:12}{shares}; {np.median(found[:, 2]):.0f} us a simulation")


if __name__ == "__main__":
    main()
