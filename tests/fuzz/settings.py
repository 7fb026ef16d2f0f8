"""A key more: what is typed changes what is done, or is refused.

A case is a command with some choices made, and one of its keys -- as the schemas have them, so that
one which is added tomorrow is tried -- with an unusual legal value.  Wrong is a value that is taken
and changes nothing: its key is not read while the command works; or, of keys that are handed on
whole (players, rules, problems of closed loops), what comes out is the same.
"""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import polars as pl
from forks import module_of
from hydra.core.hydra_config import HydraConfig
from judge import Finding
from omegaconf import DictConfig, OmegaConf, open_dict

from experiments.explain.recorded import consider, decisions
from experiments.matches import lineups
from experiments.settings import applies, arguments, config
from experiments.settings.commandline import Refusal
from experiments.tables import catalog
from sim.arena import play_many
from sim.players import registry
from sim.policies.registry import Policy, make_switches
from sim.records.record import read
from sim.rules import Rules, preset
from sim.seat import Settings as PolicySettings

RECORD = Path(__file__).parent.parent / "data/game.jsonl"
FEW = ["tracking=none", "rules=speed", "match.games=2", "match.workers=1", "run.records=1"]
SMALL = ["hunt.small.objects=2", "hunt.small.moves=1", "hunt.small.planners=[greedy,flat]",
         "hunt.small.simulations=[4]", "hunt.small.repeats=2"]  # fmt: skip
PLAYED = ["episodes=4", "simulations=30"]

LINES: dict[str, list[list[str]]] = {
    "compare": [
        [*FEW, "player=swift", "opponent=closure"],
        [*FEW, "player=swift", "match.others=[closure,random,uniform]"],
        [*FEW, "match.players=[swift,closure]", "match.layout=robin"],
        [*FEW, "match.players=[swift,closure]", "match.layout=both", "opponent=random"],
    ],
    "replay": [["record=RECORD"], ["record=RECORD", "quiet=true"]],
    "explain": [["record=RECORD", "event=15", "player.budget.simulations=60"]],
    "beliefs": [["rules=speed", "player=closure", "games=2", "beliefs=[closure]"]],
    "regret": [["player=swift", "positions=2", "seeds=1"], ["players=[swift]", "positions=2"]],
    "qlearning": [["states=20", "updates=1000", "repeats=1", "network.hidden=4",
                   "network.epochs=400", "network.least_fit=0", *more]
                  for more in ([], ["rates=[one]"])],
    "hunt": [["diagram", "hunt.moves=2"], ["mansion"], ["search", *SMALL[2:]],
             ["search", "hunt.case=objects", *SMALL], ["minefield", *SMALL, "hunt.objects=3"]],
    "strength": [["count=2", "searches=1", "simulations=2", "times=[1,2]", "workers=[2]"]],
    "episodes": [["problem=tiger", *PLAYED], ["problem=rocksample", "episodes=2", "simulations=99"],
                 ["problem=light_dark", "particles=40", *PLAYED],
                 ["problem=light_dark", "particles=40", "planner=qmdp", "episodes=4"],
                 ["problem=tag", "particles=40", "leaf=random", "episodes=2", "simulations=9"]],
}  # fmt: skip
"""By command, lines that make its choices and are quick to run."""

PLAYERS = (*registry.PLANNERS, "swift", "hide", "likely", "csp")
"""Planners, which search at decisions of a recorded game, and policies, which play games."""

SPECIAL = {"map": "[11,11]", "match.stop": "width:0.4", "turns": "0:2", "hunt.held": "[Kitchen]",
           "match.focal_seats": "[1]",
           "hunt.start": "[16,1]", "hunt.benefit": "[3,4,5,6]", "hunt.distance": "[3,4,5,6]",
           "rates": "[one]", "mixture": "swift:2"}  # fmt: skip
"""Values of texts and lists, by key; other texts name places or are names."""

APART = {
    "tracking.enabled": "the record is another program's",
    "ray.address": "needs a cluster",
    "match.power": "plays nothing",
    "player.label": "a name", "player.name": "which player it is",
    "player.showing": "no decision of a turn",
    "opponent.showing": "random players take no notice",
    "player.search.oversubscribe": "a permission",
    "player.search.threads": "not the same twice", "player.search.mode": "starts Ray",
    "player.budget.seconds": "not the same twice",
    "player.search.final": "as a rule the same action",
    "player.search.keep_tree": "each decision is put to it alone",
    "player.actions.patience": "for accusations by which little is won",
    "rules.movement": "for players from outside", "rules.accuse": "a permission",
    "rules.name": "a name",
}  # fmt: skip
"""Keys that are not tried, and why."""


def compose(command: str, line: list[str]) -> tuple[DictConfig, list[str]]:
    """Return the checked settings of a command line, and its overrides; raises Refusal."""
    known = import_module(module_of(command)).COMMAND
    known.register()
    if command == "tables":
        catalog.register()
    typed = [text.replace("RECORD", str(RECORD)) for text in line]
    given = arguments.read(typed, known.schema, known.bare)
    found = config.compose(command, given.overrides, with_hydra=True)
    shared = HydraConfig.instance()
    outer = shared.cfg
    try:
        shared.set_config(found)
        with open_dict(found):
            del found["hydra"]
        OmegaConf.resolve(found)
        config.check_sections(found)
        applies.check(command, found, given.overrides)
        if command == "compare":
            lineups.matches(found, given.overrides)
        elif command == "regret":
            import_module("experiments.regret.__main__")._specs(found)
    finally:
        shared.cfg = outer
    return found, given.overrides


def list_keys(node: Any, schema: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the keys of a section that can be tried, each with an unusual legal value."""
    if not is_dataclass(schema) and is_dataclass(OmegaConf.get_type(node)):
        schema = OmegaConf.get_type(node)
    if not is_dataclass(schema):
        if "name" not in node:
            return
        schema = Rules if path == "rules." else registry._find_class(node)
    parts = [schema, type(make_switches(node.name))] if schema is PolicySettings else [schema]
    hints = {name: kind for part in parts for name, kind in get_type_hints(part).items()}
    for each in (each for part in parts for each in fields(part)):
        if each.name not in node or f"{path}{each.name}" in APART:
            continue
        value, kind, key = node[each.name], hints[each.name], f"{path}{each.name}"
        if isinstance(value, DictConfig) and "data" not in each.metadata:
            yield from list_keys(value, kind if is_dataclass(kind) else None, f"{key}.")
        else:
            for other in list_values(key, value, kind, each.metadata):
                yield key, other


def list_values(key: str, value: Any, kind: Any, limits: Any) -> Iterator[str]:
    """Yield values that fit and are not ``value``, at most two."""
    special = SPECIAL.get(key) or SPECIAL.get(key.rpartition(".")[2])
    each, choices = limits.get("each", {}), limits.get("choices")
    if special is not None:
        found: list[Any] = [special]
    elif choices is not None:
        known = choices[0]() if callable(choices[0]) else choices
        found = [one for one in known if one not in (value, None)]
    elif kind is bool:
        found = [str(not value).lower()]
    elif "most" in each:
        found = [[each.get("least", 0) + 2]]
    elif "most" in limits:
        least, most = limits.get("least", limits.get("above")), limits["most"]
        whole, usual = float not in (kind, *get_args(kind)), value or least
        near = [usual + 1, usual - 1, 2] if whole else [usual / 2, usual + 0.3, usual - 0.3, 0.4]
        found = [one for one in near if least < one <= most and one != value]
    elif int in get_args(kind):
        found = [(value or 0) + 1]
    else:
        found = []
    for one in found[:2]:
        yield str(one).replace(" ", "")


# What is done.


@cache
def find_read(command: str, line: tuple[str, ...], folder: Path) -> frozenset[str]:
    """Return the keys of settings that the job of ``command`` reads one by one."""
    found: set[str] = set()
    known = import_module(module_of(command)).COMMAND
    whole = {name: getattr(DictConfig, name) for name in ("__getattr__", "__getitem__")}

    def watch(name: str) -> Any:
        def get(self: DictConfig, key: Any) -> Any:
            if isinstance(key, str) and not key.startswith("_"):
                found.add(str(self._get_full_key(key)))
            return whole[name](self, key)

        return get

    def job(settings: DictConfig, where: Path) -> Any:
        for name in whole:
            setattr(DictConfig, name, watch(name))
        try:
            return known.job(settings, where)
        finally:
            for name, before in whole.items():
                setattr(DictConfig, name, before)

    run(replace(known, job=job), line, folder)
    return frozenset(found)


def run(command: Any, line: tuple[str, ...], folder: Path) -> Path:
    """Run a command in this process; return its run folder.  Raises Refusal as it does."""
    where = folder / f"run{len(list(folder.iterdir()))}"
    typed = [text.replace("RECORD", str(RECORD)) for text in line]
    if any(each.name == "run" for each in fields(command.schema)):
        typed.append(f"run.folder={where}")
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = command.run(typed)
    if code:
        raise Refusal(said.getvalue())
    return where


@cache
def play_episodes(line: tuple[str, ...], folder: Path) -> str:
    """Return the rows of closed loops."""
    where = run(import_module("experiments.episodes.__main__").COMMAND, line, folder)
    return pl.read_parquet(where / "episodes.parquet").drop("seconds").write_csv()


_APART = 5
"""Of so many decisions one is put to planners."""


@cache
def _decisions() -> list[Any]:
    return list(decisions(read(RECORD)))


def decide(spec: dict[str, Any]) -> list[Any]:
    """Return what a planner finds in place of seats of a recorded game, or whose games a policy
    wins.
    """
    made = _decisions()
    rules, found = made[0].record.rules, []
    if "search" not in spec:
        games = play_many(rules, [registry.make_policy(spec)] * rules.players, 3, np.arange(300))
        return [games.winner.tolist(), games.turns.tolist()]
    player = registry.make(spec, rules)
    for decision in made[::_APART]:
        found.append(consider(player, decision, 3))
        if (result := player.result) is not None:
            found += [result.visits.tolist(), result.values.tolist(), result.nodes]
    return found


def play_rules(rules: dict[str, Any]) -> list[Any]:
    """Return who wins games among policies that walk, suggest and accuse in different ways."""
    found, made = [], preset(**rules)
    for policy in (Policy("swift", threshold=0.5), Policy("random"), Policy("csp")):
        games = play_many(made, [policy] * made.players, 3, np.arange(150))
        found += [games.winner.tolist(), games.turns.tolist()]
    return found


def changes(command: str, line: list[str], key: str, value: str, folder: Path) -> bool:
    """Return whether a key with an unusual value changes what is done, or is refused."""
    before, _ = compose(command, line)
    try:
        after, _ = compose(command, [*line, f"{key}={value}"])
        if key.startswith(("player.", "opponent.")):
            seat, usual = key.partition(".")[0], config.plain(before)
            return decide(config.plain(after)[seat]) != decide(usual[seat])
        if key.startswith("rules.") and "board" in after.rules:
            return play_rules(config.plain(after.rules)) != play_rules(config.plain(before.rules))
        if command == "episodes" and key in {each.name for each in fields(_setup())}:
            return play_episodes((*line, f"{key}={value}"), folder) != play_episodes(
                tuple(line), folder
            )
    except (Refusal, ValueError):
        return True
    return key in find_read(command, tuple(line), folder)


def _setup() -> type:
    return import_module("experiments.episodes.problems").Setup


def cases(commands: list[str] | None = None) -> list[tuple[str, list[str], str, str]]:
    """Return every key of every choice, each with an unusual value."""
    found = []
    for command in commands or LINES:
        for line in LINES[command]:
            settings, _ = compose(command, line)
            keys = dict(list_keys(settings, OmegaConf.get_type(settings)))
            found += [(command, line, *item) for item in keys.items()]
    return found


def of_player(name: str) -> list[tuple[str, list[str], str, str]]:
    """Return every key of a player, with an unusual value."""
    line = [*FEW, f"player={name}"]
    if name in registry.PLANNERS:
        line += ["player.budget.simulations=150", *["player.trees=2"] * (name == "pimc")]
    settings, _ = compose("compare", line)
    return [
        ("compare", line, key, value) for key, value in list_keys(settings.player, None, "player.")
    ]


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    every = [*cases(), *(case for name in PLAYERS for case in of_player(name))]
    for case in range(number):
        chance = random.Random(f"{seed}/{case}")
        command, line, key, value = chance.choice(every)
        yield examine(command, line, key, value, folder)


def examine(command: str, line: list[str], key: str, value: str, folder: Path) -> Finding | None:
    """Return what is wrong with a key of a command line."""
    if changes(command, line, key, value, folder):
        return None
    return Finding(
        f"{command} {' '.join(line)} {key}={value}", f"{key} is taken and changes nothing"
    )
