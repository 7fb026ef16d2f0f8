"""Outcomes of the roll-outs of the literal planners, and their number per second.

    python -m benchmarks.bench_text [--positions 10] [--rollouts 1000] [--presets NAME ...]

Positions are turns of games among four ``heuristic`` players, with the planner in one seat as an
observer: the opening, and rounds 6, 12 and 18.  Of the roll-outs from there: the winners, and how
many reach a state in which the own seat can never be certain of an envelope
(`belief.matrix.never_certain`), at which they end; if played on, they last until the final turn
unless another player wins.  Also turns per roll-out, and simulations per CPU second of a search.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from belief.matrix import never_certain
from benchmarks.search_worker import spec_of
from mcts.kernel.compile import jit
from mcts.kernel.rng import fold, new_stream
from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.planning import cluedo
from sim.planning.planner import Planner
from sim.players.registry import planner_config
from sim.policies.registry import choose, seat_policies
from sim.rules import Rules, world
from sim.state import OVER, TURN, empty
from sim.view import as_seen, view_of

RULES = Rules()
ROUNDS = (1, 6, 12, 18)
SEED = 6103
PRESETS = ("bmcts_faithful", "ld_bmcts_faithful")


def positions(planner: Planner, round_: int) -> Iterator[np.recarray]:
    """Seat ``planner`` at its turn of ``round_`` in one game after another; yield its view."""
    board, game = world(RULES)[0], -1
    while True:
        game += 1
        seat, state = game % RULES.players, empty()[0]
        seat_policies(state, ["heuristic"] * RULES.players)
        state.recording = 1
        new_game(board, state, np.uint64(game_key(SEED, game)))
        planner.begin(RULES, seat, view_of(state, seat), game)
        while state.phase != OVER:
            if state.turn > RULES.players * (round_ - 1) and (state.phase, state.seat) == (
                TURN,
                seat,
            ):
                yield view_of(state, seat)
                break
            open_decision(state)
            apply(board, state, choose(board, state, decider(state)))
            for event in state.event[: state.events].tolist():
                planner.see(as_seen(tuple(event), seat))
            state.events = 0


@jit
def roll_out(p, s, stream: np.ndarray, key: np.uint64, counted: np.ndarray) -> None:
    """Add roll-outs from the root to ``counted``: won, lost, never certain, turns."""
    for i in range(counted[4]):
        stream[0] = fold(key, i)
        cluedo.start(p, s, stream)
        state = s.state[0]
        began = state.turn
        cluedo.rollout(p, s, stream)
        if state.phase != OVER and never_certain(state.belief[p.seat]):
            counted[2] += 1
        elif state.winner == p.seat:
            counted[0] += 1
        elif state.winner >= 0:
            counted[1] += 1
        counted[3] += state.turn - began


def main() -> None:
    """Print one line for each preset and round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=10)
    parser.add_argument("--rollouts", type=int, default=1000)
    parser.add_argument("--presets", nargs="+", default=PRESETS)
    asked = parser.parse_args()
    print(f"{'preset':20}{'round':>6}{'own win':>9}{'other':>8}{'never':>8}{'last turn':>11}"
          f"{'turns':>7}{'roll-outs /s':>14}{'simulations /s':>16}")  # fmt: skip
    for preset in asked.presets:
        spec = spec_of(preset)
        spec.budget.simulations = asked.rollouts
        planner = Planner(planner_config(spec))
        for round_ in ROUNDS:
            found, counted = positions(planner, round_), np.zeros(5, np.int64)
            counted[4] = asked.rollouts
            rolling = searching = simulations = 0.0
            for number in range(-1, asked.positions):  # the first compiles
                if number == 0:
                    counted[:4] = rolling = searching = simulations = 0
                view, before = next(found), planner.simulations
                began = time.process_time()
                planner.decide(view)
                if planner.simulations > before:  # else nothing was searched
                    searching += time.process_time() - began
                    simulations += planner.simulations - before
                p, stream = planner.position(view), new_stream(1)
                s, began = cluedo.workspace(p), time.process_time()
                roll_out(p, s, stream, np.uint64(number + 1), counted)
                rolling += time.process_time() - began
            n = asked.positions * asked.rollouts
            won, lost, never, turns = counted[:4] / n
            print(f"{preset:20}{round_:6}{won:9.1%}{lost:8.1%}{never:8.1%}"
                  f"{1 - won - lost - never:11.1%}{turns:7.0f}{n / rolling:14,.0f}"
                  f"{simulations / max(searching, 1e-9):16,.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
