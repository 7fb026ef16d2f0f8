"""Accuracy and calibration of beliefs with intervals, from rows of `experiments.beliefs.accuracy`.

A belief is *calibrated* if what it calls 30 % is so in 30 % of cases.  Two looks at that:

* the entropy of its envelope is what it expects its log loss, -log2 P(true envelope), to be; their
  difference, the ``bias``, is 0 in the mean for a calibrated belief, and below 0 for one that is
  too sure of itself;
* marginals P(card is in the envelope), sorted into bins, beside how often it was so.

Log loss also says how much a belief knows: of two calibrated ones the better has less.

Intervals are of 95 % and by game, moments of one game being dependent.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from belief.evidence import N_CARDS
from experiments.stats.intervals import Mean, clustered_means, win_rate

FLOOR = 2.0**-20
"""A truth with less counts as this much, so that one ruled-out truth does not make a mean of bits
infinite: it costs 20."""

CERTAIN = 1e-9
"""Marginals so close to 0 or 1 are no prediction but a claim: they are counted apart."""

FEWEST = 20
"""Games that a bin or a moment needs for an interval."""

REFERENCE = "exact"


def summarise(rows: pl.DataFrame, bins: int, seed: int) -> dict[str, Any]:
    """Return the figures of every belief in ``rows`` (`accuracy.ROWS`), in its order.

    ``log_loss``, ``entropy``, ``bias`` and ``excess`` -- log loss above that of the exact belief,
    where that was measured at the same moment -- are means over all moments, and again by number of
    suggestions.  ``zeros`` is the share of moments that gave the true envelope nothing, ``floored``
    of those that gave it less than `FLOOR`.  ``raised`` counts games by what ended the belief in
    them; moments after that are in no other figure.  ``contradictory`` counts games at whose last
    moment the belief had contradicted itself.  A mean without enough games is None.  ``bins``: of
    marginals, equally wide; ``seed``: of the bootstrap.
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
    """Return log loss, entropy and bias of one belief, (games, moments), NaN where not measured."""
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
    """Return the means over all moments, and those of each moment with its number of games."""
    counted = np.isfinite(squares["bias"])
    overall: dict[str, Any] = {}
    by_moment: list[dict[str, Any]] = [{"games": int(n)} for n in counted.sum(axis=0)]
    for key, square in squares.items():
        there = np.isfinite(square)
        values = np.where(there, square, 0.0)
        # The first mean is that of all moments, the others one moment each.
        totals = np.vstack([values.sum(axis=1), values.T])
        counts = np.vstack([there.sum(axis=1), there.T])
        first, *rest = _where_enough(totals, counts, seed)
        overall[key] = first and asdict(first)
        for means, mean in zip(by_moment, rest, strict=True):
            means[key] = mean and asdict(mean)
    return overall, by_moment


def _where_enough(totals: np.ndarray, counts: np.ndarray, seed: int) -> list[Mean | None]:
    """Return the means of `clustered_means`, None for those of fewer than `FEWEST` games."""
    enough = (counts > 0).sum(axis=1) >= FEWEST
    means = iter(clustered_means(totals[enough], counts[enough], seed) if enough.any() else ())
    return [next(means) if there else None for there in enough]


def _reliability(good: pl.DataFrame, bins: int, seed: int) -> dict[str, Any]:
    """Return the bins of marginals, and the claims of certainty, of the cards that were unseen."""
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
        row: dict[str, Any] = {
            "from": i / bins,
            "to": (i + 1) / bins,
            "cards": cards,
            "games": taken,
        }
        row["predicted"] = float(sums[i].sum() / cards) if cards else None
        row["observed"] = None
        if mean is not None:
            if mean.value in (0.0, 1.0):
                # No draw of games differs: count each game as one case.
                rate = win_rate(int(mean.value) * taken, taken)
                mean = Mean(mean.value, rate.low, rate.high, 0.0)
            row["observed"] = asdict(mean)
        rows.append(row)
    return {
        "bins": rows,
        "certain": [
            {"said": value, "cards": int(claim.sum()), "wrong": int((hit[claim] != value).sum())}
            for value, claim in ((0, never), (1, always))
        ],
    }
