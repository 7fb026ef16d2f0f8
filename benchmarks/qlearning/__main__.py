"""Learn the values of rooms by Q-learning, check them, and fit the network [Cai & Ferrari 2008].

    python -m benchmarks.qlearning
    python -m benchmarks.qlearning outcomes=posterior rates=[falling] repeats=1

`sim.qlearning` defines the problem and its differences from the paper.  Slow modules are imported
late.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.limits import above, between, one_of

if TYPE_CHECKING:
    from benchmarks.qlearning.fit import Fit
    from sim.qlearning.rooms import RoomProblem, Sampled

WEIGHTS = "network.json"
CHECKPOINTS = 25
"""Points of a learning curve, the first at `FIRST` updates."""
FIRST = 1000

# As `sim.qlearning.rooms.OUTCOMES`, `benchmarks.qlearning.learning.RATES` and
# `sim.qlearning.network.ACTIVATIONS`, which need Numba and NumPy.
OUTCOMES = ("uniform", "posterior")
RATES = ("falling", "one")
ACTIVATIONS = ("logistic", "relu")
TRAININGS = ("adam", "traingda")


@dataclass
class Network:
    """The schema of the network and its fit."""

    hidden: int = between(1, 10_000)
    activation: str = one_of(*ACTIVATIONS)
    learning_rate: float = above(0, 1)
    epochs: int = between(1, 1_000_000)
    least_fit: float = between(0, 1)


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    states: int = between(9, 100_000)
    concentration: float = above(0, 1000)
    outcomes: str = one_of(*OUTCOMES)
    discount: float = between(0, 1)
    rates: list[str] = field(default=MISSING, metadata={"each": {"choices": RATES}})
    exponent: float = above(0, 1)
    updates: int = between(FIRST, 10**12)
    repeats: int = between(1, 1000)
    training: str = one_of(*TRAININGS)
    network: Network = field(default_factory=Network)


def job(settings: DictConfig, run: study.Run) -> None:
    """Learn, check and fit; write the results and print them."""
    if not settings.rates or len(set(settings.rates)) < len(settings.rates):
        raise Refusal("rates must list different rates, at least one")
    if settings.discount >= 1:
        raise Refusal(f"discount={settings.discount}: must be below 1, or no value is finite")
    from benchmarks.qlearning import report
    from benchmarks.qlearning.fit import UNFITTED
    from benchmarks.qlearning.learning import greedy_share
    from experiments.matches.progress import COMPILING, stage
    from experiments.provenance.files import write_text
    from experiments.run import writing_run
    from sim.qlearning.rooms import solve

    run.claim(report.ROWS)
    sampled = _problem(settings)
    rooms = sampled.problem()
    with stage(run.console, COMPILING):
        _learner(settings, rooms, settings.rates[0], 0).learn(1)
    units = [f"{rate} {number}" for rate in settings.rates for number in range(settings.repeats)]

    def measure(left: list[str], _: Any) -> Generator[tuple[str, list[dict[str, Any]]]]:
        exact = solve(rooms)[0]
        for unit in left:
            rate, number = unit.split()
            yield unit, list(_curve(settings, rooms, exact, rate, int(number)))

    rows = run.measure(units, measure)
    try:
        fit = None if run.interrupted else _fit(settings, sampled, rooms)
    except KeyboardInterrupt:
        raise Interrupted(UNFITTED.format(run.folder)) from None
    if fit is not None:
        with writing_run(run.folder):
            write_text(run.folder / WEIGHTS, fit.network.dumps())
    figures = {
        "outcomes": settings.outcomes,
        "ends": report.ends(rows),
        "values": report.values(rooms, settings.outcomes),
        "likeliest_share": greedy_share(rooms.states, solve(rooms)[0]),
        "network": None if fit is None else report.fit_figures(fit),
    }
    tables = report.tables(figures)
    run.finish(figures, tables, [report.PLOT], partial(report.draw, rows))


def _problem(settings: DictConfig) -> Sampled:
    """Return the parameters of the problem."""
    from sim.qlearning.rooms import Sampled

    return Sampled(
        states=settings.states,
        concentration=settings.concentration,
        outcomes=settings.outcomes,
        discount=settings.discount,
        seed=settings.seed,
    )


def _learner(settings: DictConfig, rooms: RoomProblem, rate: str, number: int) -> Any:
    from benchmarks.qlearning.learning import Learner
    from mcts.kernel.rng import derive_key

    return Learner(rooms, rate, settings.exponent, int(derive_key(settings.seed, number)))


def _curve(
    settings: DictConfig, rooms: RoomProblem, exact: Any, rate: str, number: int
) -> Iterator[dict[str, Any]]:
    """Learn, and yield the figures at each checkpoint."""
    import numpy as np

    from benchmarks.qlearning.exact import worth
    from benchmarks.qlearning.learning import error, greedy_share

    learner, seconds, before = _learner(settings, rooms, rate, number), 0.0, 0
    for updates in np.unique(np.geomspace(FIRST, settings.updates, CHECKPOINTS).astype(int)):
        began = time.perf_counter()
        learner.learn(int(updates) - before)
        seconds, before = seconds + time.perf_counter() - began, int(updates)
        lost = exact.max(axis=1) - worth(learner.q.argmax(axis=1), rooms)
        yield {
            "rate": rate,
            "run": number,
            "updates": before,
            "error": error(learner.q, exact),
            "best_share": greedy_share(learner.q, exact),
            "lost": float(lost.mean()),
            "seconds": seconds,
        }


def _fit(settings: DictConfig, sampled: Sampled, rooms: RoomProblem) -> Fit:
    """Return the network fitted to the first run of the first rate; Refusal if the fit is bad."""
    from benchmarks.qlearning.fit import fit_network

    learner = _learner(settings, rooms, settings.rates[0], 0)
    learner.learn(settings.updates)
    network: dict[str, Any] = dict(settings.network)
    kept = {
        **asdict(sampled),
        "rate": settings.rates[0],
        "exponent": settings.exponent,
        "updates": settings.updates,
        "network": network,
        "training": settings.training,
    }
    other = replace(sampled, seed=settings.seed + 1).problem()
    fit = fit_network(learner.q, rooms, other, kept, network, settings.seed, settings.training)
    if not fit.explained >= settings.network.least_fit:
        raise Refusal(
            f"the network fits badly: R^2 is {fit.explained:.3f}, network.least_fit="
            f"{settings.network.least_fit}; increase network.epochs or network.hidden; no weights "
            "are stored"
        )
    return fit


COMMAND = study.command("qlearning", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
