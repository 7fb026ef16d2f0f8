"""Quality of every belief in games among players of one kind: accuracy, calibration, speed.

    python -m experiments.beliefs player=heuristic games=1000

Slow modules are imported late, so that ``--help`` and a mistyped option need not wait for Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.settings.limits import between, one_of
from mcts.limits import did_you_mean

if TYPE_CHECKING:
    from experiments.beliefs.accuracy import Game
    from sim.policies.registry import Policy
    from sim.rules import Rules

ASSUMED = ("uniform", "least_informative")
"""Names of the showing rules of `belief.evidence` by number, which is also the order of the showing
policies that they describe (`sim.policies.registry.SHOWING`)."""


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    player: Any = MISSING
    rules: Any = MISSING
    assume: str | None = one_of(None, *ASSUMED)
    beliefs: list[str] | None = MISSING
    games: int = between(1, 10_000_000)
    bins: int = between(1, 1000)


def job(settings: DictConfig, run: study.Run) -> None:
    """Measure, write and print the results."""
    rules, player, policy = _players(settings)
    names = _beliefs(settings, rules)
    from belief.evidence import EvidenceFull
    from experiments.beliefs import accuracy, asked, calibration, report
    from experiments.matches.progress import stage
    from sim.players.registry import make
    from sim.policies.registry import SHOWING

    seed, longest = settings.seed, max(accuracy.MOMENTS)
    truly = SHOWING.index(player["showing"])  # also the index in `ASSUMED`
    showing = truly if settings.assume is None else ASSUMED.index(settings.assume)
    about = rules, showing, names, seed

    def play(numbers: Iterable[int]) -> Iterator[Game]:
        if policy:
            return accuracy.play(rules, [policy] * rules.players, seed, numbers, longest)
        return asked.play(rules, lambda: make(player, rules), seed, numbers, longest)

    def measure(left: list[int], _: Callable[[float], None]) -> Generator[tuple[int, list[Any]]]:
        try:
            for game in play(left):
                yield game.number, accuracy.measure(game, *about)
        except EvidenceFull as fault:
            raise Refusal(str(fault)) from None

    run.claim(accuracy.ROWS)
    with stage(run.console, "compiling, or loading what is compiled"):
        for game in play([0]):
            accuracy.measure(game, *about)
    rows = run.measure(range(settings.games), measure)
    if rows.is_empty():
        raise Refusal("no game lasted two suggestions: measure more games")
    with stage(run.console, "bootstrap"):
        figures = calibration.summarise(rows, settings.bins, seed)

    wrong = "" if truly == showing else f" (assumed: {ASSUMED[showing]})"
    title = (
        f"{rules.players} {player['name']} players, {rules.name}, showing {player['showing']}"
        f"{wrong}; {len(run.done)} games"
    )
    described = {
        "title": title,
        "games": len(run.done),
        "beliefs": figures,
        "rules": asdict(rules),
        "policy": asdict(policy) if policy else player,
        "assumed_showing": ASSUMED[showing],
    }
    pictures = [report.ACCURACY, report.CALIBRATION]
    shown = [report.table(figures, title)]
    run.finish(described, shown, pictures, partial(report.draw, figures, title))


def _players(settings: DictConfig) -> tuple[Rules, dict[str, Any], Policy | None]:
    """Return the rules, the player of all seats, and its policy if compiled; raises Refusal."""
    from experiments.matches.schedule import is_policy
    from sim.players.registry import make, make_policy
    from sim.rules import preset

    if "budget" in settings.player:
        raise Refusal(f"player={settings.player.name} searches: choose a player that does not")
    try:
        rules, player = preset(**plain(settings.rules)), plain(settings.player)
        make(player, rules)
        return rules, player, make_policy(player) if is_policy(player) else None
    except ValueError as fault:
        raise Refusal(str(fault)) from None


def _beliefs(settings: DictConfig, rules: Rules) -> tuple[str, ...]:
    """Return the beliefs to measure; raises Refusal if one is unknown, or needs shares."""
    from belief.beliefs.registry import BELIEFS
    from experiments.beliefs.calibration import REFERENCE

    names = settings.beliefs
    if names is None:
        fitting = [name for name in BELIEFS if rules.shares or not BELIEFS[name].needs_shares]
        names = sorted(fitting, key=lambda name: name != REFERENCE)
    for name in names:
        if name not in BELIEFS:
            hint = did_you_mean(name, BELIEFS)
            raise Refusal(f"beliefs: {name!r} is unknown{hint}; choose one of {', '.join(BELIEFS)}")
        if BELIEFS[name].needs_shares and not rules.shares:
            raise Refusal(
                f"beliefs: {name} needs hands by category, which rules={rules.name} does not deal: "
                "give rules=ferrari2009 or rules=cai2006"
            )
    return tuple(dict.fromkeys(names))


COMMAND = study.command("beliefs", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
