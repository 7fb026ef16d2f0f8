"""The trials of a sweep in Optuna's storage: which point comes next, and what became of each.

Every trial is put into the storage with its whole point, in one transaction, and drawn by a sampler
of its own that is seeded with the trial's number and sees the finished trials alone.  So a sweep
that was killed anywhere goes on as if nothing had happened.
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
"""Attributes of a trial: what it plays, the trial that had played it before, and its results."""

_FAULTS = (SQLAlchemyError, OptunaError, RuntimeError, KeyError, TypeError, ValueError)
"""Raised where the storage is damaged, or is another program's."""

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)

LOCKED_SECONDS = 5
"""Longest wait for a storage that another program has locked."""

_NAME = "sweep"

optuna.logging.set_verbosity(optuna.logging.ERROR)

Propose = Callable[[list[FrozenTrial]], Parameters]
"""From all trials so far to the point of the next."""

Sampler = Callable[[int], BaseSampler]
SAMPLERS: dict[str, Sampler] = {
    "random": lambda seed: RandomSampler(seed),
    "racing": lambda seed: TPESampler(seed=seed),
}
"""By method, what draws a point with a seed; TPE is [Bergstra et al. 2011, NeurIPS]."""


def draw_points(space: Space, method: str, seed: int) -> Propose:
    """Return what draws points by the sampler of ``method``."""

    def propose(held: list[FrozenTrial]) -> Parameters:
        drawn = int(np.random.SeedSequence([seed, len(held)]).generate_state(1)[0])
        draft = optuna.create_study(sampler=SAMPLERS[method](drawn), direction="maximize")
        draft.add_trials([trial for trial in held if trial.state in FINISHED])
        return draft.ask(space.distributions).params

    return propose


class Storage:
    """The trials in ``folder``, one after another.

    Raises Refusal from here and all methods, if the storage cannot be read or written.

    Parameters
    ----------
    folder : of the sweep
    space : from which points come
    propose : the point of the next trial, from those before
    prune_p : p below which Wilcoxon's test ends a trial; 0: never
    """

    def __init__(
        self,
        folder: Path,
        space: Space,
        propose: Propose,
        prune_p: float,
    ) -> None:
        self._path = folder / STUDY
        self._space, self._propose = space, propose
        with self._guard(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            self._study = optuna.create_study(
                storage=RDBStorage(
                    f"sqlite:///{self._path}",
                    engine_kwargs={"connect_args": {"timeout": LOCKED_SECONDS}},
                ),
                study_name=_NAME,
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
        """Make sure that ``trial`` is one of this sweep, and says what became of it."""
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
        """Return the trial that is to be played now: the one under way, or a new one."""
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
        """Note the wins of a block of games; return whether to give the point up.

        A block that had been noted, and after which the trial went on, is passed over.
        """
        with self._guard():
            noted = self._study.trials[trial.number].intermediate_values
            if step in noted:
                return step + 1 not in noted and trial.should_prune()
            trial.report(share, step)
            return trial.should_prune()

    def finish(self, trial: Trial, state: TrialState, games: int, wins: int, plays: str) -> None:
        """Note what became of a trial."""
        with self._guard():
            for key, noted in ((GAMES, games), (WINS, wins), (PLAYS, plays)):
                trial.set_user_attr(key, noted)
            value = wins / games if state is TrialState.COMPLETE else None
            self._study.tell(trial, value, state)

    def repeat(self, trial: Trial, earlier: FrozenTrial) -> None:
        """Note that a trial is the same as an ``earlier`` one, which has finished."""
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
            raise Refusal(f"{self._path} {_reason(fault, self._path.parent)}") from None


def _reason(fault: BaseException, folder: Path) -> str:
    """Return what is wrong with the storage and what to do, in a line."""
    first: Any = fault
    while first.__cause__ is not None:
        first = first.__cause__
    text = str(getattr(first, "orig", None) or first).partition("\n")[0]
    if "locked" in text:
        return f"is locked by another program: end that, and go on with run.resume={folder}"
    unwritable = ("I/O error", "full", "readonly", "unable to open")
    if any(word in text for word in unwritable):
        return f"cannot be written ({text}): make room, and go on with run.resume={folder}"
    return (
        f"cannot be read ({text}): remove it, and go on with run.resume={folder}, which makes it "
        "again from the games that are kept"
    )


def importance(
    space: Space, results: list[tuple[Parameters, int, int]], seed: int
) -> dict[str, float]:
    """Return by axis its share of the variance of the win rates, the largest first.

    fANOVA [Hutter, Hoos and Leyton-Brown 2014, ICML] where scikit-learn is installed, else
    PED-ANOVA [Watanabe et al. 2023, IJCAI].  Nothing if the rates differ no more than chance has
    them differ: then the variance is noise, and a share of it says nothing.  ``results``: points
    with their games and wins, each point once; ``seed``: of fANOVA's forest.
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
    return optuna.importance.get_param_importances(draft, evaluator=_evaluator(seed))


LEVEL = 0.05
"""Chance that points which are all equal are taken to differ."""


def _evaluator(seed: int) -> optuna.importance.BaseImportanceEvaluator:
    try:
        return optuna.importance.FanovaImportanceEvaluator(seed=seed)
    except ImportError:
        return optuna.importance.PedAnovaImportanceEvaluator()
