"""The points of a sweep: drawn by Optuna, given up by its pruner; the importance of the axes.

Each point is drawn by a sampler of its own, seeded with the trial's number, that sees the trials
before.  A sweep killed at any time therefore resumes exactly, from its games alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.pruners import NopPruner, WilcoxonPruner
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.trial import FrozenTrial, create_trial
from scipy.stats import chi2_contingency

from experiments.sweep.axes import Parameters
from experiments.sweep.space import Space

LEVEL = 0.05
"""Significance level of the test that the points differ."""

optuna.logging.set_verbosity(optuna.logging.ERROR)

Propose = Callable[[list[FrozenTrial]], Parameters]
"""Maps all trials so far to the point of the next."""

Sampler = Callable[[int], BaseSampler]
SAMPLERS: dict[str, Sampler] = {
    "random": lambda seed: RandomSampler(seed),
    "racing": lambda seed: TPESampler(seed=seed),
}
"""Sampler by method, given a seed; TPE is [Bergstra et al. 2011, NeurIPS]."""


def draw_points(space: Space, method: str, seed: int) -> Propose:
    """Return a function that draws points with the sampler of ``method``."""

    def propose(held: list[FrozenTrial]) -> Parameters:
        drawn = int(np.random.SeedSequence([seed, len(held)]).generate_state(1)[0])
        draft = optuna.create_study(sampler=SAMPLERS[method](drawn), direction="maximize")
        draft.add_trials(held)
        return draft.ask(space.distributions).params

    return propose


def make_study(prune_p: float) -> optuna.Study:
    """Return the trials of a sweep, none yet.

    ``prune_p``: p below which Wilcoxon's test prunes a trial; 0: never.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        pruner = WilcoxonPruner(p_threshold=prune_p) if prune_p else NopPruner()
    return optuna.create_study(direction="maximize", pruner=pruner)


def importance(
    space: Space, results: list[tuple[Parameters, int, int]], seed: int
) -> dict[str, float]:
    """Return each axis' share of the variance of the win rates, largest first.

    fANOVA [Hutter, Hoos and Leyton-Brown 2014, ICML] where scikit-learn is installed, else
    PED-ANOVA [Watanabe et al. 2023, IJCAI].  Empty if the rates differ no more than by chance,
    because shares of noise are meaningless.  ``results``: points with their games and wins, each
    point once; ``seed``: of fANOVA's forest.
    """
    counts = np.array([(wins, games - wins) for _, games, wins in results]).reshape(-1, 2)
    if len(results) < 2 or not counts.any(axis=0).all():
        return {}
    if chi2_contingency(counts).pvalue > LEVEL:
        return {}
    if len(space.axes) == 1:
        return {space.axes[0].key: 1.0}
    draft = optuna.create_study(direction="maximize")
    draft.add_trials(
        create_trial(params=dict(point), distributions=space.distributions, value=wins / games)
        for point, games, wins in results
    )
    try:
        evaluator: Any = optuna.importance.FanovaImportanceEvaluator(seed=seed)
    except ImportError:
        evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    return optuna.importance.get_param_importances(draft, evaluator=evaluator)
