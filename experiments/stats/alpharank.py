"""Alpha-rank: which players evolution would keep, where who beats whom may go in circles.

Elo puts players on a line.  Alpha-rank [Omidshafiei et al. 2019, Scientific Reports 9:9937] lets a
population of one player be invaded by another that beats it, and asks how long each is on top in
the long run: rock, paper and scissors have a third each, a player that beats all others has all.
It is OpenSpiel's, without noise in the choice (alpha infinite), so that all that counts is who
beats whom; a bootstrap shows what the games leave open of that.
"""

from __future__ import annotations

import numpy as np

from experiments.stats.intervals import CONFIDENCE, Estimate
from mcts.kernel.extras import extra

RESAMPLES = 200
_DECIMALS = 9
"""Of the shares: further digits depend on the processor."""

_MUTATION = 1e-4
"""Chance of a step that is not an improvement, which makes the chain's end one."""


def alpha_ranks(tables: np.ndarray, winners: np.ndarray, players: int, seed: int) -> list[Estimate]:
    """Return the share of time that each player is on top, with its 95 % interval.

    The value is the median over a bootstrap of the games, the interval its percentiles.  Players
    that never met are taken to be equal.  ``tables``: (games, seats) int, the number of the player
    in each seat; ``winners``: (games,) int, the seat that won, -1 for a draw; ``seed``: of the
    bootstrap.  Raises mcts.kernel.extras.MissingExtra without OpenSpiel.
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
    """Return the stationary distribution for the lead of row over column, (players, players)."""
    with extra("ratings"):
        from open_spiel.python.egt import alpharank
    return alpharank.compute([payoff], use_inf_alpha=True, inf_alpha_eps=_MUTATION)[2]
