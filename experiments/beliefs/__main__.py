"""Quality of every belief in games among players of one kind: accuracy, calibration, speed.

    python -m experiments.beliefs player=heuristic games=1000

Nothing slow is imported at the top: ``--help`` and a mistyped option should not wait for Numba.
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
"""Names of the showing rules of `belief.evidence`, in the order of their numbers, which is also
that of the showing policies that they describe (`sim.policies.registry.SHOWING`)."""


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
    """Measure, write and print."""
    setup = _setup(settings)
    from belief.evidence import EvidenceFull
    from experiments.beliefs import accuracy, calibration, report
    from experiments.matches.progress import stage

    longest = max(accuracy.MOMENTS)
    about = setup.rules, setup.showing, setup.beliefs, settings.seed
    run.claim(accuracy.ROWS)
    with stage(run.console, "compiling, or loading what is compiled"):
        for game in setup.play(settings.seed, [0], longest):
            accuracy.measure(game, *about)

    def measure(left: list[int], _: Callable[[float], None]) -> Generator[tuple[int, list[Any]]]:
        try:
            for game in setup.play(settings.seed, left, longest):
                yield game.number, accuracy.measure(game, *about)
        except EvidenceFull as fault:
            raise Refusal(str(fault)) from None

    rows = run.measure(range(settings.games), measure)
    if rows.is_empty():
        raise Refusal("no game lasted two suggestions: measure more games")
    with stage(run.console, "bootstrap"):
        figures = calibration.summarise(rows, settings.bins, settings.seed)
    title = f"{setup.title}; {len(run.done)} games"

    described = {"title": title, "games": len(run.done), "beliefs": figures, **setup.described}
    pictures = [report.ACCURACY, report.CALIBRATION]
    shown = [report.table(figures, title)]
    run.finish(described, shown, pictures, partial(report.draw, figures, title))


@dataclass(frozen=True)
class _Setup:
    """A measurement to make.

    ``policy`` is None where ``player``, the configuration's, is no compiled policy; ``showing`` is
    the place in `ASSUMED` of what the beliefs assume.
    """

    rules: Rules
    player: dict[str, Any]
    policy: Policy | None
    beliefs: tuple[str, ...]
    showing: int

    @property
    def title(self) -> str:
        """Players and assumptions, in a few words."""
        shown, rules = self.player["showing"], self.rules
        assumed = ASSUMED[self.showing]
        wrong = "" if _rule_of(shown) == self.showing else f" (assumed: {assumed})"
        return (
            f"{rules.players} {self.player['name']} players, {rules.name}, showing {shown}{wrong}"
        )

    @property
    def described(self) -> dict[str, Any]:
        """The part of the summary that says what was played, after all defaults."""
        policy = asdict(self.policy) if self.policy else self.player
        played = {"rules": asdict(self.rules), "policy": policy}
        return {**played, "assumed_showing": ASSUMED[self.showing]}

    def play(self, seed: int, numbers: Iterable[int], longest: int) -> Iterator[Game]:
        """Play games, as `accuracy.play`."""
        from experiments.beliefs import accuracy, asked
        from sim.players.registry import make

        if self.policy:
            seats = [self.policy] * self.rules.players
            return accuracy.play(self.rules, seats, seed, numbers, longest)
        return asked.play(self.rules, lambda: make(self.player, self.rules), seed, numbers, longest)


def _rule_of(showing: str) -> int:
    """Return the place in `ASSUMED` of what describes a showing policy."""
    from sim.policies.registry import SHOWING

    return SHOWING.index(showing)


def _setup(settings: DictConfig) -> _Setup:
    """Return what to measure; Refusal if it is unknown."""
    from belief.beliefs.registry import BELIEFS
    from experiments.beliefs.calibration import REFERENCE
    from experiments.matches.schedule import is_policy
    from sim.players.registry import make, make_policy
    from sim.rules import preset

    if "budget" in settings.player:
        raise Refusal(f"player={settings.player.name} searches: choose a player that does not")
    try:
        rules = preset(**plain(settings.rules))
        player = plain(settings.player)
        policy = make_policy(player) if is_policy(player) else None
        make(player, rules)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
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
    assumed = settings.assume
    showing = _rule_of(player["showing"]) if assumed is None else ASSUMED.index(assumed)
    return _Setup(rules, player, policy, tuple(dict.fromkeys(names)), showing)


COMMAND = study.command("beliefs", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
