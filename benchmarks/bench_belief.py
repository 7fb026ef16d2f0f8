"""Time the beliefs over random games: ``python -m benchmarks.bench_belief [players ...]``.

The games are truthful answers to random questions, seen by a random seat.  They end when the
envelope is certain, or after 40 questions: "start" is before the first one; "early", "halfway" and
"late" are thirds of the game.  Every figure is the best of a few repetitions, in microseconds of
wall time; ratios are to a control, 1,000 random numbers, timed between the others.

"heard" is the cost of a solution after several public wrong accusations, as a ratio to the same
positions without them.  In the second half of a game each of the others accuses by its belief, and
is wrong.
"""

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "belief")]

from histories import CATEGORIES, mask, random_history  # noqa: E402

from belief import evidence, information, matrix  # noqa: E402
from belief.contract.history import History, random_trio  # noqa: E402
from belief.exact import solver  # noqa: E402
from belief.exact.answers import ANSWERS, predict_named  # noqa: E402
from mcts.kernel.compile import jit  # noqa: E402
from mcts.kernel.rng import new_stream, uniform  # noqa: E402

QUESTIONS = 40
FACE_UP = {3: 0, 4: 2, 5: 0, 6: 0}
STARTS = tuple(zip(evidence.CATEGORY_MASK, evidence.CATEGORY_START, strict=False))
STAGES = ("start", "early", "halfway", "late")


@jit
def control(stream, n):
    """Draw 1,000 random numbers ``n`` times; return the sum to prevent optimisation."""
    total = 0.0
    for _ in range(1000 * n):
        total += uniform(stream)
    return total


@jit
def solves(ev, work, n):
    """Solve ``n`` times."""
    for _ in range(n):
        solver.solve(ev, work)


@jit
def samples(work, stream, holder, n):
    """Draw ``n`` deals."""
    for _ in range(n):
        solver.sample(work, stream, holder)


@jit
def probabilities(work, n):
    """Compute the probability of one envelope ``n`` times."""
    for _ in range(n):
        solver.envelope_probability(work, 1, 8, 15)


@jit
def likely(work, floor, cards, probability, n):
    """Find the likeliest envelopes ``n`` times."""
    for _ in range(n):
        solver.likely_envelopes(work, len(probability), floor, cards, probability)


@jit
def tables(work, table, n):
    """Fill the envelope table ``n`` times."""
    for _ in range(n):
        solver.envelope_table(work, table)


@jit
def predictions(ev, work, answers, n):
    """Compute the distribution of the answer to one suggestion ``n`` times."""
    for _ in range(n):
        predict_named(ev, work, 1 << 1 | 1 << 8 | 1 << 15, 0, answers)


@jit
def suggestions(marginals, n):
    """Rate ``n`` suggestions; return the sum to prevent optimisation."""
    total = 0.0
    for i in range(n):
        total += information.closed_form(marginals, 0, i % 6, 6 + i // 6 % 6, 12 + i % 9)
    return total


@jit
def factored_updates(b, cards, n):
    """Make ``n`` soft updates of three cards of the factored belief, restarting after 20."""
    for i in range(n):
        if i % 20 == 0:
            matrix.start(b, 4, 0, 0b11, 0b1100)
        matrix.note_refutation(b, 1 + i % 3, cards[i % len(cards)], 15)


@jit
def notes(ev, start, cards, n):
    """Note ``n`` passes and ``n`` answers, restarting after 20."""
    for i in range(n):
        if i % 20 == 0:
            ev[0] = start[0]
        evidence.note_pass(ev[0], 1 + i % 3, cards[i // 20 % len(cards)])
        evidence.note_refutation(ev[0], 1 + (i + 1) % 3, cards[i % len(cards)])


def best(function, *arguments, n=20, repeats=3):
    """Return the minimum time per item of ``n`` in microseconds, after a warm-up call."""
    function(*arguments, 1)
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        function(*arguments, n)
        times.append((time.perf_counter() - begun) / n)
    return 1e6 * min(times)


def game_states(players, games, seed=1):
    """Return (question number, evidence) along random games."""
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(games):
        history = random_history(rng, players, 0, face_up=FACE_UP[players])
        for question in range(QUESTIONS):
            states.append((question, history.record()))
            trio = tuple(int(rng.choice(category)) for category in CATEGORIES)
            history.ask(question % players, trio, rng)
    return states


def sort_by_stage(players, games, work):
    """Return by stage the evidence along random games, up to the first with a certain envelope."""
    positions = {stage: [] for stage in STAGES}
    states = game_states(players, games)
    for first in range(0, len(states), QUESTIONS):
        game = [ev for _, ev in states[first : first + QUESTIONS]]
        known = [
            solver.ExactPosterior(ev, work).likely_envelopes(1)[0][1] > 1 - 1e-9 for ev in game
        ]
        end = known.index(True) if True in known else QUESTIONS
        positions["start"].append(game[0])
        for question in range(1, end):
            positions[STAGES[1 + 3 * (question - 1) // (end - 1)]].append(game[question])
    return positions


def exact_figures(players, games):
    """Print the times of the exact posterior and of its readings, by stage."""
    work = solver.workspace(1 << 20)
    cards, probability, answers = np.zeros((3, 3), np.int64), np.zeros(3), np.zeros((ANSWERS, 8))
    stream, holder, table = new_stream(1), np.zeros(21, np.int64), np.zeros((6, 6, 9))
    for stage, positions in sort_by_stage(players, games, work).items():
        figures, controls = [], []
        for ev in positions:
            controls.append(best(control, stream, n=5))
            figures.append(
                (
                    best(solves, ev, work, n=5),
                    best(samples, work, stream, holder, n=200),
                    best(predictions, ev, work, answers, n=5),
                    best(tables, work, table, n=5),
                    best(likely, work, 0.1, cards, probability, n=5),
                    best(probabilities, work, n=5),
                )
            )
        middle, high = np.percentile(figures, [50, 90], axis=0)
        unit = np.median(controls)
        times = " ".join(f"{m:8.2f} {h:8.2f}" for m, h in zip(middle, high, strict=True))
        ratios = f"{middle[0] / unit:8.2f} {high[0] / unit:8.2f} {middle[1] / unit:8.3f}"
        print(f"{players:7d} {stage:8s} {len(positions):5d} {times} {ratios} {unit:8.2f}")


def seen_by_all(players, rng):
    """Return by question the observations of every seat in a random game, and its envelope."""
    first = random_history(rng, players, 0, face_up=FACE_UP[players])
    seats = [History(players, seat, first.deal) for seat in range(players)]
    seen = []
    for question in range(QUESTIONS):
        seen.append([history.record() for history in seats])
        trio, seed = random_trio(rng), int(rng.integers(1 << 30))
        for history in seats:
            history.ask(question % players, trio, np.random.default_rng(seed))
    return seen, mask(np.flatnonzero(first.deal == 0))


def draw_accusation(ev, truth, rng):
    """Return a wrong envelope (mask) drawn from the belief of ``ev``; 0 if there is none."""
    table = solver.ExactPosterior(ev).envelope_table()
    table[tuple(evidence.lowest(truth & cards) - start for cards, start in STARTS)] = 0.0
    if not table.any():
        return 0
    place = rng.choice(table.size, p=table.ravel() / table.sum())
    return mask(np.unravel_index(place, table.shape) + np.array(evidence.CATEGORY_START[:3]))


def heard_figures(players, games, work, most=5):
    """Print the cost of excluded triples: the ratio of sums, and the mean of ratios."""
    rng = np.random.default_rng(3)
    times = {triples: [] for triples in range(1, most + 1)}
    for _ in range(games):
        seen, truth = seen_by_all(players, rng)
        sure = [
            solver.ExactPosterior(views[0]).likely_envelopes(1)[0][1] > 1 - 1e-9 for views in seen
        ]
        end = sure.index(True) if True in sure else QUESTIONS
        for question in range(end // 2, end, 2):
            records = evidence.new_evidence(1)
            records[0] = seen[question][0]
            before = best(solves, seen[question][0], work, n=5)
            for i in range(2 * most):
                views = seen[int(rng.integers(end // 2, question + 1))]
                triple = draw_accusation(views[1 + i % (players - 1)], truth, rng)
                heard = records[0].excluded
                if triple and heard < most:
                    evidence.note_not_envelope(records[0], triple)
                if records[0].excluded > heard:
                    after = best(solves, records[0], work, n=5)
                    times[heard + 1].append((before, after))
    for triples, pairs in times.items():
        before, after = np.transpose(pairs)
        print(
            f"{players} players, {triples} heard: {len(pairs)} positions, ratio of the times "
            f"{after.sum() / before.sum():.2f}, mean of ratios {np.mean(after / before):.2f}"
        )


def header():
    """Print the column heads of `exact_figures`."""
    names = ("solve", "sample", "predict", "table", "likely(3)", "one envelope")
    print(
        f"{'':22s} " + " ".join(f"{name:>17s}" for name in names) + f" {'ratios to control':>26s}"
    )
    print(
        f"players {'stage':8s} {'n':>5s} "
        + " ".join([f"{'median':>8s} {'90 %':>8s}"] * len(names))
        + f" {'solve':>8s} {'90 %':>8s} {'sample':>8s} {'control':>8s}"
    )


def small_figures():
    """Print the times of the cheap functions, in nanoseconds."""
    rng = np.random.default_rng(1)
    trios = np.array([mask(rng.choice(c) for c in CATEGORIES) for _ in range(97)])
    records = evidence.new_evidence(2)
    evidence.reset(records[1], 4, 0, np.array([4, 4, 4, 4]), mask((0, 7, 13, 14)), mask((3, 20)))
    b = np.zeros((21, 7))
    update = 1e3 * best(factored_updates, b, trios, n=100_000)
    print(f"factored update (three cards): {update:.0f} ns")
    print(f"closed_form: {1e3 * best(suggestions, b, n=100_000):.0f} ns")
    note = 1e3 * best(notes, records[:1], records[1:], trios, n=100_000)
    print(f"evidence, a pass and an answer: {note:.0f} ns")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]] or [3, 4, 5, 6]
    header()
    for number in numbers:
        exact_figures(number, 40 if number < 5 else 12)
    for number in numbers:
        heard_figures(number, 30 if number < 5 else 12, solver.workspace(1 << 20))
    small_figures()
