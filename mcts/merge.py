"""Merge the root tables of several searches of one position.

The searches are independent: trees of a root-parallel search [Chaslot, Winands & van den Herik
2008], or one tree per sampled deal.  Their lists of actions and their order may differ.

* ``visits`` adds visits; a value is the mean over all simulations; the option ``final`` chooses,
  as in one search.
* ``value`` gives each tree the same weight: a value is the mean of the trees' values, and the
  best is chosen.
* ``vote`` plays the action that most trees chose individually [Soejima et al. 2010: better than
  adding visits where trees differ].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts.options import MERGES
from mcts.search import SearchResult
from mcts.selection import final_choice


def merge(results: Sequence[SearchResult], rule: str, final: str = "visits") -> SearchResult:
    """Merge searches of one position, all from the same seat's perspective.

    Raises ValueError without results or for an unknown rule.

    Parameters
    ----------
    results : at least one; their order sets the order of actions and, by rounding, the last bits
        of values
    rule : one of `mcts.options.MERGES`; ties of ``value`` and ``vote`` are broken by total visits,
        then by order of listing
    final : the option of that name, used by the rule ``visits``

    Returns
    -------
    SearchResult
        Actions are those of the first result in its order, then those that others add; edge data
        come from the first result to list the action.  Counts and times are added; errors are
        those of the merged values, for independent searches.
    """
    if rule not in MERGES:
        raise ValueError(f"merge must be {' or '.join(MERGES)}, not {rule!r}")
    if not results:
        raise ValueError("no searches to merge")
    data = _first_of(results, "edge_data")
    kinds = None if results[0].types is None else [*_first_of(results, "types").values()]
    types = None if kinds is None else np.array(kinds, np.int64)
    actions = np.array(list(data), np.int64)
    visits, values, errors = _align(results, {action: i for i, action in enumerate(data)})
    added = visits.sum(axis=0)
    # A tree weighs its visits, or the same as any other in which the action was tried.
    weights = np.sign(visits) if rule == "value" else visits
    merged = _weighted_mean(values, weights)
    if rule == "vote":
        votes = sum(actions == result.best for result in results)
        chosen = np.lexsort((-np.arange(len(actions)), added, votes))[-1]
    else:
        chosen = final_choice(added, merged, "mean" if rule == "value" else final, types)
    return SearchResult(
        actions=actions,
        edge_data=np.array(list(data.values()), np.float64),
        visits=added,
        values=merged,
        errors=_error(errors, weights),
        best=int(actions[chosen]),
        simulations=sum(result.simulations for result in results),
        seconds=sum(result.seconds for result in results),
        nodes=sum(result.nodes for result in results),
        full=any(result.full for result in results),
        phases={
            name: sum(result.phases.get(name, 0.0) for result in results)
            for name in results[0].phases
        },
        lost=sum(result.lost for result in results),
        types=types,
        lower=_greatest_lower(results, actions),
    )


def _greatest_lower(results: Sequence[SearchResult], actions: np.ndarray) -> np.ndarray | None:
    """Return the greatest of the lower bounds of each action, if all searches have them."""
    if any(result.lower is None for result in results):
        return None
    found = [dict(zip(result.actions, result.lower, strict=True)) for result in results]
    return np.array([max(each.get(action, -np.inf) for each in found) for action in actions])


def _first_of(results: Sequence[SearchResult], name: str) -> dict[int, float]:
    """Return the first datum ``name`` of each action, in the order of the merged table."""
    data: dict[int, float] = {}
    for result in results:
        for action, datum in zip(
            result.actions.tolist(), getattr(result, name).tolist(), strict=True
        ):
            data.setdefault(action, datum)
    return data


def _align(
    results: Sequence[SearchResult], column: dict[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return visits, values and standard errors, (results, actions); 0 and nan where missing."""
    visits = np.zeros((len(results), len(column)), np.int64)
    values, errors = np.full((2, *visits.shape), np.nan)
    for row, result in enumerate(results):
        columns = [column[action] for action in result.actions.tolist()]
        visits[row, columns] = result.visits
        values[row, columns] = result.values
        errors[row, columns] = result.errors
    return visits, values, errors


def _weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the mean over rows; nan if all weights are 0, whatever the values."""
    return _divide(np.where(weights > 0, values * weights, 0.0).sum(axis=0), weights)


def _error(errors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the standard error of the weighted mean over rows; nan if any is unknown."""
    variance = np.where(weights > 0, (errors * weights) ** 2, 0.0).sum(axis=0)
    return _divide(np.sqrt(variance), weights)


def _divide(sums: np.ndarray, weights: np.ndarray) -> np.ndarray:
    weight = weights.sum(axis=0)
    return np.divide(sums, weight, out=np.full(len(sums), np.nan), where=weight > 0)
