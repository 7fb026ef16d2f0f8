"""The exact posterior as a `Belief`.

Events are recorded at once and solved for at the next reading, so a contradiction that only the
posterior detects is raised there.  Updates consume no randomness; `sample` consumes its stream.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.base import Belief, Setting
from belief.events import CARD, KIND, NAMED, PLAYER, note, record
from belief.evidence import HOLDERS, N_CARDS, ContradictoryEvidence, Evidence, check
from belief.exact.solver import ExactPosterior, solve
from belief.exact.workspace import FIRST_STATES, Workspace, workspace
from mcts.kernel.compile import jit


@jit
def _observe(
    ev: Evidence, work: Workspace, events: np.ndarray, begin: int, trace: np.ndarray
) -> int:
    """Update on events from ``begin`` on, with the marginals after each; return the number done."""
    for i in range(begin, len(events)):
        row = events[i]
        note(ev, row[KIND], row[PLAYER], row[NAMED], row[CARD])
        if not solve(ev, work):
            return i
        for card in range(N_CARDS):
            for holder in range(HOLDERS):
                trace[i, card, holder] = work.marginals[card, holder]
    return len(events)


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

    def _replay(self, events: np.ndarray, trace: np.ndarray) -> None:
        reached = 0
        while True:
            self._solved = None
            reached = _observe(self.evidence, self._work, events, reached, trace)
            if reached == len(events):
                return
            # Too large for the kernel alone, or contradictory: ExactPosterior decides.
            trace[reached] = self.posterior.marginals
            reached += 1

    def marginals(self) -> np.ndarray:
        return self.posterior.marginals

    def envelope_table(self) -> np.ndarray:
        return self.posterior.envelope_table()

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        return self.posterior.sample(stream, n)
