"""Calibration of the belief over opponents, in games of known line-ups.

    python -m benchmarks.bench_opponents SEED GAMES FILE.png

An observer plays a compiled policy against each type and against random line-ups, and reports
before each of its turns the probability of each type in each seat.  It prints the log loss of the
true type by round, next to that of the prior and of a control with permuted labels, and draws how
often a type with a given probability is true.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.observer import Observer
from experiments.palette import REFERENCE, look
from experiments.plotting import picture, shares
from sim.models.opponent_belief import OpponentBelief
from sim.models.types import PRESETS, TYPES, Mixture
from sim.player import Player, PolicyPlayer
from sim.policies.registry import Policy
from sim.referee import play
from sim.rules import Rules

_PLAYS = (Policy("swift", threshold=0.5), Policy("hide", threshold=0.35))
_MIXED = 6
"""Random line-ups per dozen of one kind."""
_EDGES = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])


class Judged(NamedTuple):
    """A belief about one seat before one own turn.

    Attributes
    round : number of the own turn
    chances : (types,)
    true : number of the true type in that seat
    """

    round: int
    chances: np.ndarray
    true: int


def judge(seed: int, games: int, mixed: Mixture) -> list[Judged]:
    """Return the beliefs in ``games`` games against each line-up."""
    rules, rows = Rules(), []
    random = np.random.default_rng(seed)
    for game in range(games):
        companies = [[name] * (rules.players - 1) for name in mixed.types]
        companies += [list(random.choice(mixed.types, rules.players - 1)) for _ in range(_MIXED)]
        for number, company in enumerate(companies):
            observer, seat = Observer(_PLAYS[game % 2], mixed), game % rules.players
            seats: list[Player] = [PolicyPlayer(TYPES[name]) for name in company]
            seats.insert(seat, observer)
            play(rules, seats, seed, 100 * game + number)
            rows += _of_game(rules, observer, seat, company, mixed)
    return rows


def _of_game(
    rules: Rules, observer: Observer, seat: int, company: list[str], mixed: Mixture
) -> list[Judged]:
    """Return what was believed of each opponent after each round of the game just played."""
    belief, rows = OpponentBelief(rules, seat, mixed, 0), []
    for number, note in enumerate(observer.notes):
        belief.take_in(note.seats, note.hits, note.tries)
        for other, name in zip(belief.opponents, company, strict=True):
            rows.append(Judged(number, belief.of_seat(other), mixed.types.index(name)))
    return rows


def losses(rows: list[Judged], shift: int = 0) -> np.ndarray:
    """Return the log loss of the true type by round, in bits; ``shift`` permutes the labels."""
    last = max(row.round for row in rows)
    found: list[list[float]] = [[] for _ in range(last + 1)]
    for row in rows:
        chance = row.chances[(row.true + shift) % len(row.chances)]
        found[row.round].append(-np.log2(max(chance, 1e-9)))
    return np.array([np.mean(bits) for bits in found])


def reliability(rows: list[Judged]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return by probability class: mean probability, frequency of the truth, and count."""
    given = np.concatenate([row.chances for row in rows])
    is_so = np.concatenate([np.arange(len(row.chances)) == row.true for row in rows])
    place = np.clip(np.digitize(given, _EDGES) - 1, 0, len(_EDGES) - 2)
    n = np.bincount(place, minlength=len(_EDGES) - 1)
    some = n > 0
    means = [np.bincount(place, values, len(n))[some] / n[some] for values in (given, is_so)]
    return means[0], means[1], n[some]


def main(seed: int, games: int, file: Path) -> None:
    """Print the losses and draw the reliability."""
    mixed = PRESETS["usual"]
    rows = judge(seed, games, mixed)
    weights = np.array(mixed.weights)
    prior = -np.log2(weights / weights.sum()).mean()  # line-ups draw from all types alike
    print(f"seed {seed}, {games * (len(mixed.types) + _MIXED)} games; prior {prior:.2f} bits")
    true, exchanged = losses(rows), losses(rows, 1)
    for at in (0, 1, 2, 4, 7, 10):
        if at < len(true):
            print(f"after round {at + 1}: {true[at]:.2f}, labels permuted {exchanged[at]:.2f}")
    given, is_so, n = reliability(rows)
    for row in zip(given, is_so, n, strict=True):
        print("given {:.3f}, true {:.3f}, {} cases".format(*row))
    title = f"How often an opponent is of a type, by the chance given to it: {n.sum():,} cases"
    with picture(file, title, (6.9, 3.6)) as (_, ((axes,),)):
        axes.plot([0, 1], [0, 1], color=REFERENCE, ls="--", lw=1)
        axes.annotate("as it should be", (0.3, 0.3), (8, -8), textcoords="offset points", va="top")
        axes.plot(given, is_so, **look(0))
        axes.set(xlabel="chance given", ylabel="share that is of the type")
        for axis in (axes.xaxis, axes.yaxis):
            shares(axis)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
