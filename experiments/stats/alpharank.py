"""Alpha-rank: the long-run share of each player under evolution, also for cyclic dominance.

Elo puts players on a line.  Alpha-rank [Omidshafiei et al. 2019, Scientific Reports 9:9937] lets a
population of one player be invaded by another that beats it, and measures how long each prevails in
the long run: rock, paper and scissors get a third each, a player that beats all others gets
everything.  The implementation is OpenSpiel's, with infinite alpha (no noise in selection), so that
only who beats whom matters; a bootstrap over games gives the uncertainty.
"""

from __future__ import annotations

import numpy as np

from experiments.stats.intervals import CONFIDENCE, Estimate
from mcts.kernel.extras import extra

RESAMPLES = 200
_DECIMALS = 9
"""Digits of the shares; further digits depend on the processor."""

_MUTATION = 1e-4
"""Probability of a non-improving step, which makes the stationary distribution unique."""


def alpha_ranks(tables: np.ndarray, winners: np.ndarray, players: int, seed: int) -> list[Estimate]:
    """Return the long-run share of each player with its 95 % interval.

    The value is the median over a bootstrap of the games, the interval its percentiles.  Players
    that never met count as equal.  ``tables``: (games, seats) int, player number in each seat;
    ``winners``: (games,) int, winning seat, -1 for a draw; ``seed``: of the bootstrap.  Raises
    mcts.kernel.extras.MissingExtra without OpenSpiel.
    """
    tables, winners = np.asarray(tables), np.asarray(winners)
    seats = (tables[..., None] == np.arange(players)).sum(axis=1)
    champion = np.where(winners < 0, -1, tables[np.arange(len(tables)), winners])
    won = champion[:, None] == np.arange(players)
    met = (seats[:, :, None] == seats[:, None, :]) & (seats[:, :, None] > 0)
    lead = met * (won[:, :, None].astype(float) - won[:, None, :])
    drawn = np.random.default_rng(seed).multinomial(
        len(tables), np.full(len(tables), 1 / len(tables)), size=RESAMPLES
    )
    payoffs = (drawn @ lead.reshape(len(tables), -1)).reshape(-1, players, players) / len(tables)
    masses = np.array([_on_top(payoff) for payoff in payoffs])
    parts = [0.5, (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    shares = np.quantile(masses, parts, axis=0).T.round(_DECIMALS).tolist()
    return [Estimate(*share) for share in shares]


def _on_top(payoff: np.ndarray) -> np.ndarray:
    """Return the stationary distribution given the lead of row over column, (players, players)."""
    with extra("ratings"):
        from open_spiel.python.egt import alpharank
    return alpharank.compute([payoff], use_inf_alpha=True, inf_alpha_eps=_MUTATION)[2]
