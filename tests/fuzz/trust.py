"""Hostile wishes for players and tables: of browsers, labels, studies and folders of tables.

Wrong is: a program that is started, a file opened that is no part of the project, a hostile preset
or setting that is taken, and an exception that is no refusal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import mutate
from judge import Finding
from pydantic import ValidationError

from experiments.web.server import lobby
from experiments.web.settings import Search
from experiments.web.tables import allowed, requests, study
from experiments.web.tables.setup import Setup
from sim.records.stepped import SteppedGame

LIMITS = Search(1000, 1.0)
CANARY = "sleuth-canary"
"""Stands in hostile values, and nowhere in what may be made of them."""

STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty")
HOSTILE = (
    *("command=touch", f"command={CANARY}", f"network=/tmp/{CANARY}.json", f"label={CANARY}"),
    *(
        "name=external",
        "_target_=os.system",
        "mixture=usual",
        "search.mode=root",
        f"model={CANARY}",
    ),
    *(f"opponents={CANARY}", f"belief={CANARY}", "hydra.searchpath=/tmp", "+command=touch"),
    *("~threshold", "threshold=${oc.env:HOME}", "budget=@x", "player/search=root", "a.b.c.d=1"),
    *("threshold=[1,2]", "threshold=1,2", "horizon=3", "seconds=1"),
)
PLAIN = ("threshold=0.4", "own_card_weight=0.1", "showing=random", "budget.simulations=9")
STRANGE = ("external", "mine", "../player/swift", "player/swift", "person", CANARY, "")
SIMPLE = ("random", "uniform", "heuristic", "closure", "swift", "hide", "likely")

_seen: list[str] | None = None


def _watch(event: str, given: tuple[Any, ...]) -> None:
    """Note programs that are started, and files opened that are none of the project's."""
    if _seen is None:
        return
    if event in STARTS:
        _seen.append(f"it starts a program: {event}{given[:2]!r:.100}")
    if event == "open" and isinstance(given[0], str | bytes | os.PathLike):
        path = os.path.realpath(os.fsdecode(given[0]))
        ours = path.startswith(
            (*{os.path.realpath(each) for each in (ROOT, sys.prefix, *sys.path)},)
        )
        if not ours or (given[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            _seen.append(f"it opens {path:.100}")


ROOT = Path(__file__).parents[2]
sys.addaudithook(_watch)


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    load()
    for case in range(number):
        random = Random(f"{seed}/{case}")
        want = random.choice((ask_table, ask_player, read_label, follow_link, open_folder))
        yield judge(f"{want.__name__} {case} of seed {seed}", want, random)


def judge(name: str, want: Any, random: Random) -> Finding | None:
    """Return what is wrong with a wish."""
    global _seen
    _seen = []
    try:
        wrong = want(random)
    except (ValueError, ValidationError):
        wrong = None  # refused
    except Exception as fault:
        wrong = f"an exception that is no refusal: {fault!r:.200}"
    seen, _seen = _seen, None
    return Finding(name, wrong or max(seen)) if wrong or seen else None


def choose(random: Random) -> tuple[str, list[str], bool]:
    """Return a preset with settings, and whether they must be refused."""
    preset = random.choice(allowed.PLAYERS if random.random() < 0.7 else STRANGE)
    given = random.sample(PLAIN, random.randrange(3)) if random.random() < 0.5 else []
    if random.random() < 0.5:
        given.insert(random.randrange(len(given) + 1), random.choice(HOSTILE))
    return preset, given, preset in STRANGE or any(one in HOSTILE for one in given)


def ask_player(random: Random) -> str | None:
    """Ask for a player, as for advice."""
    preset, given, hostile = choose(random)
    made = requests.compose_player(preset, given, LIMITS)
    return f"{preset} {given} is taken" if hostile else find_canary(made)


def ask_table(random: Random) -> str | None:
    """Ask for a table, and begin its game."""
    chosen = [choose(random) for _ in range(3)]
    content: Any = {"rules": random.choice(allowed.RULES), "players": 3, "seed": 1}
    content["seats"] = [
        {"kind": "player", "preset": preset, "settings": given} for preset, given, _ in chosen
    ]
    hostile = any(one for *_, one in chosen)
    if random.random() < 0.5:
        content, hostile = mutate.value(random, content), False
    asked = requests.TableRequest.model_validate_json(json.dumps(content))
    setup = requests.compose_table(asked, LIMITS)
    begin(setup)
    return f"{chosen} is taken" if hostile else find_canary(setup.seats)


def read_label(random: Random) -> str | None:
    """Play on where the label of a stranger's record names a player."""
    preset, given, hostile = choose(random)
    label = " ".join([preset, *given])
    if random.random() < 0.3:
        label, hostile = label.replace("=", str(random.choice(mutate.NASTY)), 1), False
    made = lobby._opponent(label, LIMITS)
    taken = hostile and not made["label"].startswith("best")
    return f"the label {label!r} is taken" if taken else find_canary(made)


def follow_link(random: Random) -> str | None:
    """Open the link of a study."""
    preset = choose(random)[0]
    link: dict[str, Any] = {"name": "pilot", "against": preset, "rules": "speed"}
    if random.random() < 0.4:
        key = random.choice((*study._MEANT, "settings", "command"))
        link[key] = random.choice((*mutate.NASTY, CANARY, "../x"))
    text = urlencode({key: str(value).encode("utf-8", "replace") for key, value in link.items()})
    made = study.Preset.from_query(text, LIMITS)
    taken = made.against in STRANGE or "/" in made.name
    return f"{text} is taken" if taken else find_canary(made.set_up(1, 1, LIMITS).seats)


def open_folder(random: Random) -> str | None:
    """Read the setup in the folder of a table."""
    seats = [requests.compose_player(random.choice(SIMPLE), [], LIMITS) for _ in range(3)]
    other = {"_target_": "sim.players.external.Settings", "name": "external", "command": "touch x"}
    at, kind = random.randrange(3), random.randrange(4)
    if kind == 0:
        seats[at] = {key: other[key] for key in random.sample(list(other), 3)}
    elif kind == 1:
        seats[at] |= {random.choice(("_target_", "network", "name", "new")): CANARY}
    content: Any = json.loads(Setup({"name": "speed", "players": 3}, _plain(3), 1).to_json())
    content["seats"] = seats
    if kind == 2:
        content = mutate.value(random, content)
    try:
        setup = Setup.from_json(json.dumps(content))
    except (KeyError, TypeError, AttributeError):
        return None  # as the registry refuses it
    if kind < 2:
        return f"{seats[at]} is taken"
    begin(setup)
    return find_canary(setup.seats)


def _plain(number: int) -> tuple[dict[str, Any], ...]:
    return tuple(requests.compose_player("swift", [], LIMITS) for _ in range(number))


def load() -> None:
    """Load compiled code, which is kept in files, before they are watched."""
    for name in SIMPLE:
        seats = requests.compose_player(name, [], LIMITS), *_plain(2)
        begin(Setup({"name": "speed", "players": 3}, seats, 1))


def begin(setup: Setup) -> None:
    """Begin the game of a table without searches, which would compile."""
    if all(seat["name"] in SIMPLE or seat["name"] == "external" for seat in setup.seats):
        SteppedGame(setup.build_rules(), setup.build_players(), 1, 0)


def find_canary(made: Any) -> str | None:
    """Return a complaint if a hostile value got into what was made."""
    return f"a hostile value in {made!r:.200}" if CANARY in repr(made) else None
