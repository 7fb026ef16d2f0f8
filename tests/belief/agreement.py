"""Agreement of cheap figures with exact ones: ``python tests/belief/agreement.py [histories]``.

In positions of random games, all 36 suggestions of a random room are rated by the closed form on
exact marginals, by that on other marginals, by 50 and 1,000 sampled deals, and by the true expected
reduction of the envelope's entropy.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parent)]


from belief.beliefs.registry import make_belief
from belief.contract.history import events_of, random_history, setting_of
from belief.exact.solver import solve, workspace
from belief.information import (
    closed_form,
    draw_sample,
    estimate,
    expected_reduction,
    sample_workspace,
)
from mcts.kernel.rng import new_stream

SUGGESTIONS = [(suspect, weapon) for suspect in range(6) for weapon in range(6, 12)]
WORTH_ASKING = 0.05


def by_marginals(matrix, seat, room):
    """Return the closed form of all suggestions in ``room``."""
    return np.array([closed_form(matrix, seat, *pair, room) for pair in SUGGESTIONS])


def by_sample(sample, work, stream, history, room):
    """Return the estimates of all suggestions in ``room`` from deals drawn afresh."""
    draw_sample(sample, work, stream, history.seat, history.players)
    return np.array([estimate(sample, *pair, room) for pair in SUGGESTIONS])


def agreement(histories, seed=1, players=(3, 4, 5, 6), deals=(50, 1000)):
    """Return (rank correlation, bits lost, bits lost as a share of the best) by way of rating.

    Bits lost by choosing the suggestion that is rated best instead of the truly best.  Means over
    positions where the best is worth ``WORTH_ASKING`` bits.
    """
    rng = np.random.default_rng(seed)
    work, stream = workspace(), new_stream(seed)
    samples = {n: sample_workspace(n) for n in deals}
    figures = {}
    for i in range(histories):
        seats = players[i % len(players)]
        face_up = 2 if seats == 4 else 0
        history = random_history(rng, seats, int(rng.integers(0, 30)), face_up=face_up)
        room = int(rng.integers(12, 21))
        ev = history.record()
        truth = np.array([expected_reduction(ev, *pair, room, work) for pair in SUGGESTIONS])
        best = truth.max()
        if best < WORTH_ASKING:
            continue
        rated = {}
        for name in ("exact", "constrained", "closure", "factored"):
            belief = make_belief(name, setting_of(history), stream)
            belief.observe(events_of(history))
            rated[f"closed form, {name}"] = by_marginals(belief.marginals(), history.seat, room)
        if solve(ev, work):
            for n, sample in samples.items():
                rated[f"{n} deals"] = by_sample(sample, work, stream, history, room)
        rated["at random"] = rng.random(len(SUGGESTIONS))
        for name, rating in rated.items():
            lost = best - truth[np.argmax(rating)]
            # A rating that is the same everywhere ranks nothing.
            rank = spearmanr(rating, truth).statistic if np.ptp(rating) > 0 else 0.0
            figures.setdefault(name, []).append((rank, lost, lost / best))
    return {name: tuple(map(float, np.mean(rows, axis=0))) for name, rows in figures.items()}


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{'rated by':28s} {'rank corr.':>10s} {'bits lost':>10s} {'of best':>10s}")
    for way, (rank, lost, share) in agreement(number).items():
        print(f"{way:28s} {rank:10.3f} {lost:10.4f} {share:10.1%}")
