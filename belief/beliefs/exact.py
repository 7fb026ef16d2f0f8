"""The exact posterior as a `Belief`.

Events are recorded at once and solved for at the next reading, so a contradiction that only the
posterior detects is raised there.  Updates consume no randomness; `sample` consumes its stream.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.base import Belief, Setting
from belief.events import record
from belief.evidence import ContradictoryEvidence, check
from belief.exact.solver import ExactPosterior
from belief.exact.workspace import FIRST_STATES, workspace


class ExactBelief(Belief):
    """The exact posterior, with consistent joint table, deals and marginals."""

    name = "exact"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        records = setting.records()
        self.evidence, self._records = records[0], records.view(np.ndarray)
        self._work = workspace(FIRST_STATES)
        self._solved: ExactPosterior | None = None

    @property
    def posterior(self) -> ExactPosterior:
        """Return the posterior of the events so far, solved if necessary."""
        if self._solved is None:
            try:
                self._solved = ExactPosterior(self.evidence, self._work)
            except ContradictoryEvidence as fault:
                raise self._name(fault) from None
            self._work = self._solved.work
        return self._solved

    def _observe(self, events: np.ndarray) -> None:
        self._solved = None
        if record(self._records, events):
            check(self.evidence)

    def marginals(self) -> np.ndarray:
        return self.posterior.marginals

    def envelope_table(self) -> np.ndarray:
        return self.posterior.envelope_table()

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        return self.posterior.sample(stream, n)
