"""The trials of a sweep in Optuna's storage: the next point, and each trial's outcome.

Each trial is stored with its whole point in one transaction.  The point is drawn by a sampler of
its own, seeded with the trial's number, that sees only finished trials.  A sweep killed at any time
therefore resumes exactly.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.exceptions import ExperimentalWarning, OptunaError
from optuna.pruners import NopPruner, WilcoxonPruner
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial
from scipy.stats import chi2_contingency
from sqlalchemy.exc import SQLAlchemyError

from experiments.settings.commandline import Refusal
from experiments.sweep.axes import Parameters
from experiments.sweep.space import Space

STUDY = "study.db"
"""File in the sweep's folder with Optuna's storage."""

PLAYS, SAME_AS, GAMES, WINS = "plays", "same_as", "games", "wins"
"""Attributes of a trial: its match digest, the earlier trial with the same, and its results."""

_FAULTS = (SQLAlchemyError, OptunaError, RuntimeError, KeyError, TypeError, ValueError)
"""Raised if the storage is damaged, or belongs to another program."""

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)

LOCKED_SECONDS = 5
"""Longest wait for a storage locked by another program."""

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
        draft.add_trials([trial for trial in held if trial.state in FINISHED])
        return draft.ask(space.distributions).params

    return propose


class Storage:
    """The trials in ``folder``, one after another.

    The constructor and all methods raise Refusal if the storage cannot be read or written.

    Parameters
    ----------
    folder : of the sweep
    space : source of points
    propose : returns the point of the next trial, given those before
    prune_p : p below which Wilcoxon's test prunes a trial; 0: never
    """

    def __init__(self, folder: Path, space: Space, propose: Propose, prune_p: float) -> None:
        self._path = folder / STUDY
        self._space, self._propose = space, propose
        with self._guard(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            self._study = optuna.create_study(
                storage=RDBStorage(
                    f"sqlite:///{self._path}",
                    engine_kwargs={"connect_args": {"timeout": LOCKED_SECONDS}},
                ),
                study_name="sweep",
                direction="maximize",
                load_if_exists=True,
                pruner=WilcoxonPruner(p_threshold=prune_p) if prune_p else NopPruner(),
            )

    @property
    def trials(self) -> list[FrozenTrial]:
        """All trials, in order."""
        with self._guard():
            found = self._study.get_trials(deepcopy=False)
            for trial in found:
                self._check(trial)
            return found

    @property
    def finished(self) -> list[FrozenTrial]:
        """The trials that have ended, in order."""
        return [trial for trial in self.trials if trial.state in FINISHED]

    def _check(self, trial: FrozenTrial) -> None:
        """Check that ``trial`` belongs to this sweep and has a valid outcome."""
        known, axes = trial.user_attrs, self._space.distributions
        if trial.state in FINISHED and not (
            isinstance(known.get(PLAYS), str)
            and isinstance(known.get(GAMES), int)
            and isinstance(known.get(WINS), int)
            and 0 <= known[WINS] <= known[GAMES]
            and isinstance(known.get(SAME_AS), int | None)
            and trial.distributions == axes
        ):
            raise RuntimeError(f"trial {trial.number} is not one of this sweep")

    def next(self) -> Trial:
        """Return the trial to play now: the running one, or a new one."""
        with self._guard():
            running = self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
            if running:
                trial = Trial(self._study, running[0]._trial_id)
            else:
                if not self._study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
                    held = self._study.get_trials(deepcopy=False)
                    self._study.enqueue_trial(dict(self._propose(held)))
                trial = self._study.ask()
            for axis in self._space.axes:
                axis.suggest(trial)
            return trial

    def report(self, trial: Trial, step: int, share: float) -> bool:
        """Record the wins of a block of games; return whether to prune the point.

        A block that was recorded already, after which the trial continued, is skipped.
        """
        with self._guard():
            noted = self._study.trials[trial.number].intermediate_values
            if step in noted:
                return step + 1 not in noted and trial.should_prune()
            trial.report(share, step)
            return trial.should_prune()

    def finish(self, trial: Trial, state: TrialState, games: int, wins: int, plays: str) -> None:
        """Record the outcome of a trial."""
        with self._guard():
            for key, noted in ((GAMES, games), (WINS, wins), (PLAYS, plays)):
                trial.set_user_attr(key, noted)
            value = wins / games if state is TrialState.COMPLETE else None
            self._study.tell(trial, value, state)

    def repeat(self, trial: Trial, earlier: FrozenTrial) -> None:
        """Record that a trial plays the same as an ``earlier``, finished one."""
        with self._guard():
            noted = self._study.trials[trial.number].intermediate_values
            for step, share in earlier.intermediate_values.items():
                if step not in noted:
                    trial.report(share, step)
            trial.set_user_attr(SAME_AS, earlier.number)
            attributes = earlier.user_attrs
            state, plays = earlier.state, attributes[PLAYS]
        self.finish(trial, state, attributes[GAMES], attributes[WINS], plays)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except _FAULTS as fault:
            raise Refusal(f"{self._path} {self._explain(fault)}") from None

    def _explain(self, fault: BaseException) -> str:
        """Return the storage's fault and its remedy in one line."""
        first, go_on = fault, f"continue with run.resume={self._path.parent}"
        while first.__cause__ is not None:
            first = first.__cause__
        text = str(getattr(first, "orig", None) or first).partition("\n")[0]
        if "locked" in text:
            return f"is locked by another program: end it, and {go_on}"
        if any(word in text for word in ("I/O error", "full", "readonly", "unable to open")):
            return f"cannot be written ({text}): free disk space and {go_on}"
        return (
            f"cannot be read ({text}): remove it, and {go_on}, which rebuilds it from the saved "
            "games"
        )


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
