"""Accuracy and calibration of beliefs with intervals, from rows of `experiments.beliefs.accuracy`.

A belief is *calibrated* if events that it gives 30 % occur in 30 % of cases.  Two measures:

* the entropy of its envelope is its expectation of its log loss, -log2 P(true envelope); their
  difference, the ``bias``, has mean 0 for a calibrated belief and is below 0 for an overconfident
  one;
* marginals P(card is in the envelope) in bins, compared with frequencies.

Log loss also measures knowledge: of two calibrated beliefs the better has less.

Intervals are of 95 % and by game, because moments of one game are dependent.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from belief.evidence import N_CARDS
from experiments.stats.intervals import Mean, clustered_means, win_rate

FLOOR = 2.0**-20
"""Smaller probabilities of the truth count as this one (20 bits), so that one excluded truth does
not make a mean infinite."""

CERTAIN = 1e-9
"""Marginals this close to 0 or 1 are claims, not predictions, and are counted separately."""

FEWEST = 20
"""Fewest games of a bin or a moment with an interval."""

REFERENCE = "exact"


def summarise(rows: pl.DataFrame, bins: int, seed: int) -> dict[str, Any]:
    """Return the figures of every belief in ``rows`` (`accuracy.ROWS`), in its order.

    ``log_loss``, ``entropy``, ``bias`` and ``excess`` -- log loss minus that of the exact belief at
    the same moment, if measured -- are means over all moments, and by number of suggestions.
    ``zeros`` is the share of moments that gave the true envelope probability 0, ``floored`` that of
    moments that gave it less than `FLOOR`.  ``raised`` counts games by the exception that ended the
    belief; later moments are in no other figure.  ``contradictory`` counts games in which the
    belief had contradicted itself by the last moment.  A mean without enough games is None.
    ``bins``: number of equally wide bins of marginals; ``seed``: of the bootstrap.
    """
    split = rows.partition_by("belief", maintain_order=True, as_dict=True)
    parts = {name: part for (name,), part in split.items()}
    games, moments = (rows[key].unique().sort().to_numpy() for key in ("game", "suggestions"))
    squares = {name: _squares(part, games, moments) for name, part in parts.items()}
    reference = squares[REFERENCE]["log_loss"] if REFERENCE in squares else None
    found = {}
    for name, part in parts.items():
        square = squares[name]
        if reference is not None and name != REFERENCE:
            square["excess"] = square["log_loss"] - reference
        good = part.filter(pl.col("raised").is_null())
        failed = part.drop_nulls("raised").group_by("raised", maintain_order=True)
        overall, by_moment = _means(square, seed)
        found[name] = {
            "games": part["game"].n_unique(),
            "moments": good.height,
            "raised": dict(failed.agg(pl.n_unique("game")).iter_rows()),
            **overall,
            "contradictory": good.filter(pl.col("contradictions") > 0)["game"].n_unique(),
            "zeros": (good["probability"] == 0.0).mean(),
            "floored": (good["probability"] < FLOOR).mean(),
            "microseconds": part["microseconds"].median(),
            "by_suggestions": [
                {"suggestions": int(moment), **means}
                for moment, means in zip(moments, by_moment, strict=True)
            ],
            **_reliability(good, bins, seed),
        }
    return found


def _squares(part: pl.DataFrame, games: np.ndarray, moments: np.ndarray) -> dict[str, np.ndarray]:
    """Return log loss, entropy and bias of one belief, (games, moments), NaN if not measured."""
    place = np.searchsorted(games, part["game"]), np.searchsorted(moments, part["suggestions"])
    squares = {}
    for key in ("probability", "entropy"):
        squares[key] = np.full((len(games), len(moments)), np.nan)
        squares[key][place] = part[key].to_numpy()
    loss = -np.log2(np.clip(squares.pop("probability"), FLOOR, 1.0))
    return {"log_loss": loss, **squares, "bias": squares["entropy"] - loss}


def _means(
    squares: dict[str, np.ndarray], seed: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the means over all moments, and those per moment with its number of games."""
    counted = np.isfinite(squares["bias"])
    overall: dict[str, Any] = {}
    by_moment: list[dict[str, Any]] = [{"games": int(n)} for n in counted.sum(axis=0)]
    for key, square in squares.items():
        there = np.isfinite(square)
        values = np.where(there, square, 0.0)
        # The first mean is over all moments, the others over one moment each.
        totals = np.vstack([values.sum(axis=1), values.T])
        counts = np.vstack([there.sum(axis=1), there.T])
        first, *rest = _where_enough(totals, counts, seed)
        overall[key] = first and asdict(first)
        for means, mean in zip(by_moment, rest, strict=True):
            means[key] = mean and asdict(mean)
    return overall, by_moment


def _where_enough(totals: np.ndarray, counts: np.ndarray, seed: int) -> list[Mean | None]:
    enough = (counts > 0).sum(axis=1) >= FEWEST
    means = iter(clustered_means(totals[enough], counts[enough], seed) if enough.any() else ())
    return [next(means) if there else None for there in enough]


def _reliability(good: pl.DataFrame, bins: int, seed: int) -> dict[str, Any]:
    """Return the bins of marginals, and the claims of certainty, of unseen cards."""
    card = np.arange(N_CARDS)
    unseen = (good["unseen"].to_numpy()[:, None] >> card & 1).astype(bool)
    hit = (good["truth"].to_numpy()[:, None] >> card & 1)[unseen].astype(bool)
    said = good["envelope"].to_numpy()[unseen]
    games, cluster = np.unique(good["game"].to_numpy(), return_inverse=True)
    game = np.broadcast_to(cluster[:, None], unseen.shape)[unseen]
    never, always = said <= CERTAIN, said >= 1.0 - CERTAIN
    open_ = ~(never | always)
    place = np.minimum((said[open_] * bins).astype(np.int64), bins - 1)

    def by_game(values: np.ndarray) -> np.ndarray:
        flat = place * len(games) + game[open_]
        return np.bincount(flat, values, bins * len(games)).reshape(bins, len(games))

    counts, hits = by_game(np.ones(len(place))), by_game(hit[open_])
    sums = by_game(said[open_])
    rows = []
    for i, mean in enumerate(_where_enough(hits, counts, seed)):
        cards, taken = int(counts[i].sum()), int((counts[i] > 0).sum())
        if mean is not None and mean.value in (0.0, 1.0):
            # All draws of games are equal: count each game as one case.
            rate = win_rate(int(mean.value) * taken, taken)
            mean = Mean(mean.value, rate.low, rate.high, 0.0)
        rows.append(
            {
                "from": i / bins,
                "to": (i + 1) / bins,
                "cards": cards,
                "games": taken,
                "predicted": float(sums[i].sum() / cards) if cards else None,
                "observed": mean and asdict(mean),
            }
        )
    return {
        "bins": rows,
        "certain": [
            {"said": value, "cards": int(claim.sum()), "wrong": int((hit[claim] != value).sum())}
            for value, claim in ((0, never), (1, always))
        ],
    }
