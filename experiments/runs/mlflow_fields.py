"""Fields of a run's MLflow record: parameters, tags, and curves over the games.

Players of different kinds have different settings.  To make them comparable, the parameters
``played.*`` exist for every player, and are numbers for all where they are for one: a policy
searches 0 simulations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.matches.results import Results
from experiments.matches.row_provenance import player_digest, run_of
from experiments.matches.schedule import Match, is_policy, label
from experiments.provenance.tracking import Tracker
from experiments.stats.stopping import Stop
from experiments.texts import metric

if TYPE_CHECKING:
    from experiments.runs.summary import Summary

STEPS = np.unique(np.concatenate([np.arange(5, 50, 5), (50 * 1.1 ** np.arange(250)).astype(int)]))
"""Games at which curves have points; the same for all runs, so that runs can be compared."""

Point = tuple[int, dict[str, float]]
"""A number of games, and the metrics after them."""


def parameters(settings: Mapping[str, Any], matches: Sequence[Match]) -> dict[str, Any]:
    """Return the parameters of a run: ``played``, and its configuration.

    Several players get a section each, which the configuration lacks.  ``settings``: the
    configuration, nested.
    """
    entered = {label(player): player for match in matches for player in _measured_players(match)}
    found = {"played": _describe_players(matches), **settings}
    if len(entered) > 1:
        del found["player"]
        found["players"] = {metric(name): dict(player) for name, player in entered.items()}
    if any(match.measured is None or len(match.entrants) != 2 for match in matches):
        del found["opponent"]  # no such player sits there
    return found


def metrics(summary: Summary, matches: Sequence[Match]) -> dict[str, float]:
    """Return the final metrics of a run for its record; by player if there are several."""
    found, figures = {"seconds": summary.seconds}, summary.figures
    behind = [tail for of_match in tails(matches) for tail in of_match]
    for line, tail in zip(figures.table, behind, strict=True):
        known = line.to_json().items()
        found |= {f"{key}{tail}": value for key, value in known if isinstance(value, (int, float))}
        if line.rate:
            found |= {f"ci95_low{tail}": line.rate.low, f"ci95_high{tail}": line.rate.high}
    found |= {f"elo/{metric(rating['player'])}": rating["elo"] for rating in figures.ratings}
    return {key: float(value) for key, value in found.items() if value is not None}


def tags(matches: Sequence[Match], folder: Path) -> dict[str, str]:
    """Return the tags for finding a run: its planner, player, opponents, and rows."""
    played = _describe_players(matches)
    found = {key: str(played[key]) for key in ("planner", "player", "kind", "opponents", "rules")}
    return {**found, "run": run_of(folder) or "", "player_digest": str(played["digest"])}


def _measured_players(match: Match) -> Sequence[dict[str, Any]]:
    return match.entrants if match.measured is None else match.entrants[:1]


def _describe_players(matches: Sequence[Match]) -> dict[str, Any]:
    """Return the description of all players; differing values are joined in one line."""
    described = [_describe(match, one) for match in matches for one in _measured_players(match)]
    found = {key: list(dict.fromkeys(one[key] for one in described)) for key in described[0]}
    return {
        key: values[0] if len(values) == 1 else ", ".join(map(str, values))
        for key, values in found.items()
    }


def _describe(match: Match, player: Mapping[str, Any]) -> dict[str, Any]:
    search, budget = player.get("search"), player.get("budget") or {}
    kind = "planner" if search else "policy" if is_policy(player) else "player"
    workers = search["workers"] if search and search["mode"] == "root" else 1
    several = f"{match.seats} " if match.seats > 1 else ""
    opponents = match.name.removeprefix(f"{several}{match.labels[0]} against ")
    return {
        "player": label(player),
        "planner": player["name"],
        "kind": kind,
        "belief": player.get("belief") or player.get("evidence") or "none",
        "simulations": budget.get("simulations") or 0,
        "seconds": budget.get("seconds") or 0.0,
        "threads": search["threads"] * workers if search else 1,
        "digest": player_digest(player),
        "opponents": "each other" if match.measured is None else opponents,
        "rules": match.rules["name"],
        "seats": match.players,
    }


def tails(matches: Sequence[Match]) -> list[list[str]]:
    """Return by match the suffix of each measured player's metric names.

    Empty for a single player; else its name, or the match where a player has several.
    """
    names = [[label(player) for player in _measured_players(match)] for match in matches]
    flat = [name for of_match in names for name in of_match]
    if len(flat) == 1:
        return [[""]]
    if len(set(flat)) < len(flat):
        names = [[match.name] for match in matches]
    return [[f"/{metric(name)}" for name in of_match] for of_match in names]


class Curves:
    """Win rates of a run over its games, point by point, whenever they are read.

    ``played``: the run; ``stop``: the stopping rule, which determines the intervals.
    """

    def __init__(self, played: Results, stop: Stop) -> None:
        self._played, self._stop = played, stop
        self.tails = tails(played.matches)
        self._seen = {tail: 0 for of_match in self.tails for tail in of_match}

    def follow(self, tracker: Tracker) -> None:
        """Send the new points of the win rates to ``tracker``."""
        for games, metrics in self.win_rates():
            tracker.record(games, **metrics)

    def finish(
        self, tracker: Tracker, status: str, metrics: Mapping[str, float], files: list[Path]
    ) -> None:
        """End a record with the rest of the curves, the final ``metrics`` and ``files``."""
        self.follow(tracker)
        games = max(tally.games for tally in self._played.tallies)
        tracker.finish(status, dict(metrics), games, files)

    def win_rates(self) -> Iterator[Point]:
        """Yield the points of the win rates since the last call."""
        for (match, tally), tails in zip(self._played.pairs(), self.tails, strict=True):
            whole = tally.prefix
            for entrant, tail in enumerate(tails):
                steps = STEPS[(self._seen[tail] < STEPS) & (whole >= STEPS)]
                if not len(steps):
                    continue
                self._seen[tail] = int(steps[-1])
                games = np.cumsum(match.sat(whole, entrant) > 0)[steps - 1].tolist()
                wins = np.cumsum(match.wins_of(tally.winner(whole), entrant))[steps - 1].tolist()
                for step, sat, won in zip(steps.tolist(), games, wins, strict=True):
                    if sat:
                        rate = self._stop.win_rate(won, sat)
                        found = {"win_rate": rate.value, "ci95_low": rate.low}
                        found["ci95_high"] = rate.high
                        yield step, {f"{name}{tail}": value for name, value in found.items()}
