"""The MLflow record of a run or sweep, opened while the first games are played.

Importing MLflow and checking its database takes seconds, and no game waits for it: the record is
begun in the background during play.  A failure costs the record, not the run
(`experiments.provenance.tracking`).

Players of different kinds have different settings.  To make them comparable, the parameters
``played.*`` exist for every player, and are numbers for all where they are for one: a policy
searches 0 simulations.
"""

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import DictConfig

from experiments.matches.background import Background
from experiments.matches.results import Results
from experiments.matches.row_provenance import player_digest, run_of
from experiments.matches.schedule import Match, is_policy, label
from experiments.provenance import provenance, tracking
from experiments.provenance.tracking import Tracker
from experiments.runs.summary import Summary
from experiments.settings.commandline import Aside, in_folder
from experiments.settings.config import plain
from experiments.stats.stopping import Stop
from experiments.texts import metric

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


PATIENCE_SECONDS = 1.0
"""Longest wait of an interrupted run for a record that is being opened."""

Begin = Callable[[tracking.Store, float], Tracker]
"""Begins a record in a store, given the start time of its job."""


class MlflowRun:
    """The record of the job in ``folder``; records nothing if tracking is off.

    ``settings``: the section ``tracking``; ``home``: folder of the default database; ``begin``:
    begins the record.  Raises Refusal if the address names no server or database, or a file that
    several hosts would write.
    """

    def __init__(self, settings: DictConfig, folder: Path, home: Path, begin: Begin) -> None:
        self._settings, self._home, self._begin = settings, home, begin
        self._uri = tracking.choose_uri(settings.uri, home)
        self._opening: Background | None = None
        self._began = time.time()
        advice = f"; all results are kept; complete it with {in_folder(folder)}"
        self._aside = Aside(tracking.MISSING, advice)
        if settings.enabled:
            tracking.check_uri(self._uri)
            tracking.check_writers(self._uri)

    @property
    def viewing(self) -> str:
        """The command that shows the records in a file; empty for a server, or without a record."""
        local = self._settings.enabled and self._uri.startswith("sqlite:")
        return f"curves: mlflow ui --backend-store-uri {shlex.quote(self._uri)}" if local else ""

    def begin(self) -> None:
        """Begin to open the record unless that is done; to be called often."""
        if self._opening is None and self._settings.enabled:
            self._opening = Background(self._open)

    def _open(self) -> Tracker:
        artifacts = self._home / "mlartifacts"
        store = tracking.Store(self._uri, self._settings.experiment, artifacts, self._aside)
        return self._begin(store, self._began)

    def wait(self) -> None:
        """Open the record and wait for it; Refusal if the store cannot be opened."""
        self.begin()
        if self._opening is not None:
            self._aside.do(self._opening.result, refuses=True)

    def use(self, note: Callable[[Any], None]) -> None:
        """Call ``note`` with the record's `Tracker`, if it is open."""
        opening = self._opening
        if opening is not None and opening.done.is_set():
            self._aside.do(lambda: note(opening.result()))

    def finish(self, status: str, end: Callable[[Any], None]) -> None:
        """End the record with ``end``; ``status`` is FINISHED, FAILED or KILLED.

        Waits until the record is open; after Ctrl-C for at most `PATIENCE_SECONDS`.  A record that
        was not open by then may be lost: the resumed run begins it.
        """
        if status != "KILLED":
            self.begin()
        if self._opening is not None:
            self._opening.done.wait(PATIENCE_SECONDS if status == "KILLED" else None)
        self.use(end)


class MatchRecord(MlflowRun):
    """The record of a run of matches.

    ``settings``: checked configuration of `experiments.compare`; ``played``: the games, shown as
    curves; ``stop``: the stopping rule; ``multirun``: folder of the multirun that the run belongs
    to: runs of one have the same tag ``multirun``.
    """

    def __init__(
        self, settings: DictConfig, played: Results, stop: Stop, multirun: Path | None = None
    ) -> None:
        self._curves, matches = Curves(played, stop), played.matches
        folder = played.folder.resolve()
        home = (multirun.resolve() if multirun else folder).parent

        def begin(store: tracking.Store, began: float) -> Tracker:
            tracker, name = Tracker(store, began), folder.relative_to(home).as_posix()
            found = {**tags(matches, folder), **provenance.tags(folder)}
            found |= {"multirun": multirun.name} if multirun else {}
            tracker.begin(name, parameters(plain(settings), matches), found, folder)
            return tracker

        super().__init__(settings.tracking, played.folder, home, begin)

    def follow(self) -> None:
        """Record the win rates so far, if the record is open; to be called often."""
        self.use(self._curves.follow)

    def end(self, status: str, metrics: dict[str, float], files: list[Path]) -> None:
        """End the record with the rest of the curves, the final ``metrics`` and ``files``."""
        self.finish(
            status, partial(self._curves.finish, status=status, metrics=metrics, files=files)
        )


class SweepRecord(MlflowRun):
    """The record of the sweep in ``folder``, with a child record for each trial.

    ``settings``: the section ``tracking``; ``parameters``: of the sweep, nested.
    """

    def __init__(self, settings: DictConfig, folder: Path, parameters: Mapping[str, Any]) -> None:
        place = folder.resolve()

        def begin(store: tracking.Store, began: float) -> Tracker:
            tracker = Tracker(store, began)
            tracker.begin(place.name, dict(parameters), provenance.tags(place), place)
            return tracker

        self._trial: Tracker | None = None
        super().__init__(settings, folder, place.parent, begin)

    def begin_trial(self, folder: Path, settings: DictConfig, match: Match) -> None:
        """Begin or resume the record of the trial in ``folder``, unless that is done.

        ``match``: that it plays.
        """
        if self._trial is not None:
            return

        def begin(parent: Tracker) -> None:
            trial = Tracker(parent.store)
            known = {**tags([match], folder), **provenance.tags(folder)}
            name = folder.resolve().relative_to(self._home).as_posix()
            found = parameters(plain(settings), [match])
            begun = Background(trial.begin, name, found, known, folder, parent.run, stays=False)
            begun.result()
            self._trial = trial

        self.use(begin)

    def end_trial(
        self, status: str, metrics: Mapping[str, float] | None = None, played: Results | None = None
    ) -> None:
        """End the record of the last trial; ``played``: its games, if any."""
        trial, self._trial = self._trial, None
        if trial is None:
            return
        if played is None:
            self._aside.do(lambda: trial.finish(status, {}, 0, []))
        else:
            curves = Curves(played, Stop())
            self._aside.do(lambda: curves.finish(trial, status, metrics or {}, []))

    def note(self, step: int, **metrics: float) -> None:
        """Record metrics of the sweep after trial ``step``."""
        self.use(lambda tracker: tracker.record(step, **metrics))
