"""Command lines: every command, every key of the real schemas, plausible and hostile values.

A case is a command line that is cheap to run (few games of quick players), changed in one to four
places: a setting by its schema, a group, a key added, taken out or given twice, one of Hydra's own,
a flag anywhere, a bare argument, odd variables of the environment.  It runs in a folder of its own
that holds a finished run and a note.  Wrong is what `judge` says, anything written outside that
folder, and a note or a game that is not there afterwards as it was.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from forks import ROOT, Forks, module_of, running
from judge import Finding, complaint

QUICK = ["rules=speed", "rules.turn_cap=30"]
GAMES = [*QUICK, "player=swift", "opponent=closure", "match.games=2", "match.workers=1"]
RECORD = "kept/game.jsonl"
SEARCH = ["player.budget.simulations=4"]
CASES: dict[str, list[list[str]]] = {
    "compare": [
        ["tracking=none", *GAMES, "run.folder=made"],
        ["tracking=none", *GAMES, "run.folder=kept/run", "run.records=1"],
        ["tracking=none", *QUICK, *SEARCH, "match.games=1", "match.workers=1", "run.folder=made"],
        ["tracking=none", *QUICK, "match.players=[swift,closure]", "match.layout=robin",
         "match.games=2", "match.workers=1", "run.details=[suggestions]", "run.folder=made"],
    ],
    "sweep": [["tracking=none", *GAMES, "player.threshold=0.3,0.5", "run.folder=made"],
              ["tracking=none", *GAMES, "player.threshold=interval(0.2,1)", "sweep.method=random",
               "sweep.trials=2", "run.folder=made"]],
    "explain": [[RECORD, "event=15", *SEARCH, "run.folder=made"]],
    "report": [["kept/run"], ["kept/run", "output=page.html"]],
    "beliefs": [[*QUICK, "player=closure", "games=1", "beliefs=[closure]", "run.folder=made"]],
    "regret": [["player=swift", "positions=2", "seeds=1", "rules.players=3", "run.folder=made"]],
    "qlearning": [["states=20", "updates=1000", "repeats=1", "rates=[falling]", "network.hidden=4",
                   "network.epochs=20", "network.least_fit=0", "run.folder=made"]],
    "hunt": [["hunt.objects=2", "hunt.obstacles=1", "run.folder=made"]],
    "episodes": [["problem=tiger", "episodes=2", "steps=3", "simulations=5", "run.folder=made"]],
    "tables": [["list"], ["ledford_4_1", "show=true", "folder=made"]],
    "contest": [["player=swift", "classes=kept", "games=1", "numbers=[3]", "run.folder=made"],
                ["player=swift", "port=9", "patience=1", "run.folder=made"]],
}  # fmt: skip
"""By command, lines that are quick to run.  Web does not end."""

WEIGHTS = {"compare": 6, "sweep": 3, "explain": 2}
"""How often a command comes; the others: 1."""

HOSTILE = [
    "", " ", "null", "-1", "0", "1", "1.5", "1000000000000", "100000000000000000000", "9" * 400,
    "9" * 5000, "9223372036854775807", "9223372036854775808", "1e999", "-1e999", "nan", "inf",
    "-inf", "1e-320", "0x10", "1_000", "true", "abc", "[]", "[[a]]", "[1,2]", "[a,b", "{a:1}", "{}",
    "{a:{b:{c:1}}}", "${seed}", "${nope:1}", "${oc.env:NOPE}", "${oc.env:HOME}", "${", "${a", "}",
    "${player}", "${.games}", "${now:%Y}", "???", "'", '"', "'a", "a,b", "1,2", "range(0,3)",
    "range(0.1,1,0)", "range(1,1000000000000)", "interval(0,1)", "choice(a,b)", "glob(*)",
    "shuffle(1,2)", "tag(x,a)", "sort(2,1)", "int(a)", "..", "/", "../x", "../../x", "a/b", "~",
    "kept/run", "kept/note.txt", "kept/none", "é", "名", "\x1b[31mred", "a\nb", "a\tb", "\x07",
    "\udcff", "[/red]", "[bold]x", "=SUM(A1)", "<b>&", "__class__", "_target_", "x" * 300,
    "x" * 20000, "[" * 200, "(" * 200, "{" * 60, "${" * 40, "$(id)", "`id`", "%s%n", "{0}", "\\",
    "a\\", "a=b", "=", "+", "~x", "-", "--", "@", "a@b", "a:b", "#", "!", "*", "|", ";",
    "games", "sprt:nan:1", "sprt:0%:1e999%", "width:1e-320", "sprt:a", "3:1", "99999999999999999:",
    "sqlite:///x/y/z.db", "http://127.0.0.1:9", "file:///x", "127.0.0.1:9", "bmcts", "swift+",
    "swift+label=", "swift+a=b", "[swift,swift]", "[bmcts+budget=1]", "[swift+threshold=2]",
]  # fmt: skip
"""Values for any key."""

HYDRA = [
    "hydra.run.dir=made2", "hydra.run.dir=", "hydra.run.dir=/proc/x", "hydra/launcher=x",
    "hydra/launcher=basic", "hydra/sweeper=x", "hydra.sweep.dir=swept", "hydra.sweep.subdir=",
    "hydra.mode=MULTIRUN", "hydra.mode=x", "hydra.output_subdir=out", "hydra.job.chdir=true",
    "hydra.job.name=../x", "hydra.verbose=true", "hydra.verbose=x", "hydra.searchpath=[file://x]",
    "hydra.searchpath=x", "hydra/job_logging=default", "hydra/job_logging=x", "hydra=x", "~hydra",
    "hydra.job.env_set={COLUMNS:abc}", "hydra.launcher._target_=os.system", "hydra.help.header=",
    "hydra/help=x", "hydra.runtime.output_dir=x", "+hydra.x=1", "hydra.job.config.x=1",
]  # fmt: skip
"""Settings of Hydra's own."""

FLAGS = [
    ["--cfg", "job"], ["--cfg", "hydra"], ["--cfg", "x"], ["--cfg"], ["--help"], ["-h"], ["-m"],
    ["--multirun"], ["--config-dir", "none"], ["--config-dir"],
    ["--config-path", "/"], ["--config-name", "x"], ["--info"], ["--run"], ["--version"], ["--"],
    ["-x"], ["---"], ["--games=5"],
    ["--experimental-rerun", "x"], ["--hydra-help"], ["-c", "job", "-p", "match"],
]  # fmt: skip

ENVIRONMENTS = [
    {"COLUMNS": "0"}, {"COLUMNS": "abc"}, {"COLUMNS": "-5"}, {"COLUMNS": "100000"},
    {"HYDRA_FULL_ERROR": ""}, {"HYDRA_FULL_ERROR": "0"}, {"TERM": "dumb"}, {"TERM": ""},
    {"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"LINES": "0"}, {"PYTHONHASHSEED": "7"},
    {"MLFLOW_TRACKING_URI": "x://"}, {"OMP_NUM_THREADS": "abc"}, {"MPLBACKEND": "Agg"},
]  # fmt: skip

SLOW = ("seconds",)
"""Keys of which a value that fits takes its time."""


@cache
def _settings(command: str) -> dict[str, tuple[Any, Any]]:
    """Return by dotted key the type and the metadata of every setting of ``command``."""
    from experiments.settings import schemas
    from sim.players.planner import Settings
    from sim.policies.registry import Policy

    if command == "sweep":
        own = dict(_below(import_module("experiments.sweep.schema").Sweeping, ""))
        return {**_settings("compare"), **own}
    schema = import_module(module_of(command)).COMMAND.schema
    found = dict(_below(schema, ""))
    players = (Settings, Policy)
    for key in [key for key in found if key in ("player", "opponent", "rules")]:
        for filled in [schemas.Rules] if key == "rules" else players:
            found |= _below(filled, f"{key}.")
    return found


def _below(schema: Any, path: str) -> Iterator[tuple[str, tuple[Any, Any]]]:
    hints = get_type_hints(schema)
    for described in fields(schema):
        key, kind = f"{path}{described.name}", hints[described.name]
        yield key, (kind, described.metadata)
        if is_dataclass(kind):
            yield from _below(kind, f"{key}.")


def _value(chance: random.Random, key: str, kind: Any, limits: Any) -> str:
    """Return a value for ``key``: a hostile one, or one that fits or nearly does."""
    if chance.random() < 0.5:
        return chance.choice(HOSTILE)
    if "choices" in limits:
        return str(chance.choice([*limits["choices"], "nobody"]))
    if "most" in limits:
        least, most = limits.get("least", 0), limits["most"]
        near = [least - 1, least, least + 1, least + 2, most + 1, 10 * most, f"{least},{least + 1}"]
        if "float" in str(kind):
            near += [0.5, 0.25, most * 1.0001, "nan"]
        if key.rpartition(".")[2] in SLOW:
            near = [0.001, -1, most + 1]
        return str(chance.choice(near))
    plain = ["true", "false"] if "bool" in str(kind) else ["1", "2", "a", "[a]", "[0]", "null", "3"]
    return chance.choice(plain)


GROUPS = [
    "player", "opponent", "rules", "experiment", "match", "tracking", "debug", "player/belief",
    "player/search", "player/budget", "opponent/budget", "opponent", "player/budgt", "table",
    "schema/player", "player@x.y", "local",
]  # fmt: skip
OPTIONS = [
    "swift", "closure", "random", "speed", "classic", "both", "quick", "exact", "short", "none",
    "null", "nobody", "[swift,closure]", "swift,closure", "'swift'", "../player/swift", "/x", "",
    "planner", "bmcts_faithful", "robin",
]  # fmt: skip


def _change(chance: random.Random, command: str, typed: list[str]) -> None:
    """Change ``typed`` in one place."""
    keys = _settings(command)
    key = chance.choice(sorted(keys))
    setting = f"{key}={_value(chance, key, *keys[key])}"
    place = chance.randint(0, len(typed))
    match chance.choices(range(10), [50, 8, 5, 5, 8, 8, 4, 4, 4, 4])[0]:
        case 0:
            typed.append(setting)  # the last counts
        case 1:
            typed.insert(place, f"{chance.choice(GROUPS)}={chance.choice(OPTIONS)}")
        case 2:
            typed.insert(place, f"+{setting}")
        case 3:
            typed.insert(place, f"~{chance.choice([key, setting, chance.choice(GROUPS)])}")
        case 4:
            typed.insert(place, chance.choice(HYDRA))
        case 5:
            typed[place:place] = chance.choice(FLAGS)
        case 6:
            typed.insert(place, chance.choice(HOSTILE))
        case 7:
            typed.insert(place, f"{chance.choice(HOSTILE)}={chance.choice(HOSTILE)}")
        case 8:
            typed += [setting] * chance.choice([2, 1500])
        case 9:
            del typed[chance.randrange(len(typed)) :][:1]
            typed.insert(0, f"{key}.{chance.choice(['x', '__class__', '_target_', '0'])}=1")


def cases(number: int, seed: int) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yield commands with what is typed and the environment; no sign of them is a NUL."""
    for case in range(number):
        chance = random.Random(f"{seed}/{case}")
        names = list(CASES)
        command = chance.choices(names, [WEIGHTS.get(name, 1) for name in names])[0]
        typed = list(chance.choice(CASES[command]))
        for _ in range(chance.choice([1, 1, 1, 2, 2, 4])):
            _change(chance, command, typed)
        odd = chance.choice(ENVIRONMENTS) if chance.random() < 0.15 else {}
        yield command, typed, odd


def attack(number: int, seed: int, folder: Path, heavy: bool = True) -> Iterator[Finding | None]:
    """Run ``number`` command lines; yield for each what is wrong, or None.

    ``heavy``: all that is slow is imported once, and there is a finished run; that pays for more
    than a few.
    """
    folder = folder.resolve()
    kept = folder / "kept"
    kept.mkdir()
    shutil.copy(ROOT / "tests/data/game.jsonl", kept)
    (kept / "note.txt").write_text("keep me\n")
    with running(folder, heavy) as forks:
        if heavy:
            _play(forks, folder / "first", kept)
        for case, (command, typed, environment) in enumerate(cases(number, seed)):
            yield examine(forks, command, typed, environment, folder / str(case), kept)


def _play(forks: Forks, folder: Path, kept: Path) -> None:
    """Put a finished run into ``kept``."""
    (folder / "work").mkdir(parents=True)
    made = kept / "run"
    played = forks.see("compare", [*CASES["compare"][1], f"run.folder={made}"], folder / "work", {})
    assert played.outcome.code == 0, played.outcome.err
    assert played.strays, "what is written outside the folder is seen"


def examine(
    forks: Forks,
    command: str,
    typed: list[str],
    environment: dict[str, str],
    folder: Path,
    kept: Path,
) -> Finding | None:
    """Run one command line in ``folder``, with a copy of ``kept``; return what is wrong."""
    work = folder / "work"
    shutil.copytree(kept, work / "kept")
    seen = forks.see(command, typed, work, environment)
    wrong = complaint(seen.outcome)
    if wrong is None and seen.strays:
        wrong = f"writes outside its folder: {seen.strays[0]}"
    if wrong is None and (lost := next(_list_lost(kept, work / "kept"), None)):
        wrong = f"{lost} is not what it was"
    shutil.rmtree(folder)
    if wrong is None:
        return None
    variables = "".join(f"{name}={value} " for name, value in environment.items())
    said = " ".join(ascii(text)[:200] for text in typed)
    return Finding(f"{variables}{command} {said}", wrong)


def _list_lost(kept: Path, now: Path) -> Iterator[str]:
    """Yield the notes and parts with games of ``kept`` that are not the same ``now``."""
    for path in [kept / "note.txt", *kept.rglob("*.parquet")]:
        name = path.relative_to(kept)
        if not (now / name).exists() or (now / name).read_bytes() != path.read_bytes():
            yield str(name)
