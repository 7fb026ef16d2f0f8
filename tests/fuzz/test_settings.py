"""A key that a choice does not use is refused, and one that nothing reads is found."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from commands import CASES
from commands import _settings as settings_of
from forks import module_of
from omegaconf import OmegaConf

from experiments.matches import lineups
from experiments.settings import applies, arguments, config
from experiments.settings.commandline import Refusal
from experiments.tables import catalog

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for name in ("experiments", "benchmarks") for path in (ROOT / name).rglob("*.py")]
HANDED_ON = ("player.", "opponent.", "rules.", "tracking.", "table.")
"""Sections that are handed on whole; `tests/test_settings_used.py` looks at players."""


@pytest.fixture(scope="module")
def names() -> Counter[str]:
    """Attributes and words in quotes of the sources: what they may read."""
    found: Counter[str] = Counter()
    for path in SOURCES:
        found.update(re.findall(r"(?<=[.\"'])[a-z_]+\b", path.read_text()))
    return found


@pytest.mark.parametrize("command", sorted({*CASES, "evidence", "strength"}))
def test_every_key_is_read(command, names):
    keys = [key for key in settings_of(command) if not key.startswith(HANDED_ON)]
    assert [key for key in keys if key.rpartition(".")[2] not in names] == []


def test_a_key_that_nothing_reads_is_found(names):
    """The control."""
    assert "patients" not in names and "threshold" in names


def compose(command: str, line: list[str]):
    """Return the checked settings of a command line, and its overrides; raises Refusal."""
    known = import_module(module_of(command)).COMMAND
    known.register()
    if command == "tables":
        catalog.register()
    given = arguments.read(line, known.schema, known.bare)
    found = config.compose(command, given.overrides, with_hydra=True)
    with config.share(found):
        OmegaConf.resolve(found)
        config.check_sections(found)
        applies.check(command, found, given.overrides)
        if command == "compare":
            lineups.matches(found, given.overrides)
        elif command == "regret":
            import_module("experiments.regret.__main__")._specs(found)
    return found, given.overrides


MATCH = "match.others=[closure,random,uniform]"
BAD = {
    "compare": [
        (MATCH, "opponent=swift", "without match.others"),
        (MATCH, "opponent.inference=false", "without match.others"),
        ("match.players=[a,b] match.layout=robin", "opponent.label=x", "match.layout=one"),
        ("match.players=[swift]", "player=swift", "without match.players"),
        ("run.records=0", "run.beliefs=true", "run.records above 0"),
        ("rules=speed", "rules.dice=2", "rules.board=true"),
        ("player=bmcts", "player.trees=3", "used by pimc"),
        ("player=bmcts", "player.search.merge=vote", "pimc and search.mode=root"),
        ("player=bmcts", "player.model.walk=adjacent", "policies of opponents that have it"),
        ("player=bmcts", "player.rollout.hiding=2", "policies that have it"),
        ("player=flat", "player.budget.nodes=9", "planners with a tree"),
        ("player=bmcts", "player.actions.widening.exponent=0.3", "widening.base above 0"),
        ("player=bmcts", "player.search.virtual_loss=3", "search.threads above 1"),
        ("opponent=external", "opponent.showing=random", "do not choose the card"),
        ("seed=1", "match.players=[bmcts+trees=3,flat]", "bmcts.trees=3: trees would be ignored"),
        ("match.players=[bmcts,flat]", "player.trees=3", "used by pimc"),
        ("match.players=[swift,closure]", "player.label=x", "give each of match.players its own"),
    ],
    "episodes": [
        ("problem=light_dark", key, "tiger, rocksample and a problem of your own")
        for key in ("steps=3", "exploration=2", "nodes=9", "final=mean", "rollout=random")
    ]
    + [
        ("problem=light_dark", "map=[7,8]", "problem=rocksample"),
        ("problem=light_dark", "only=[a]", "paper=pomcpow"),
        ("problem=tiger", "map=[7,8]", "problem=rocksample"),
        ("problem=tiger", "particles=9", "files, tiger and rocksample"),
        ("problem=tiger", "only=[a]", "paper=pomcpow"),
        ("problem=light_dark planner=qmdp", "simulations=9", "planners that search"),
        ("paper=pomcpow", "workers=2", "without paper"),
    ],
    "explain": [("record=x player.search.mode=root", "tree.nodes=9", "player.search.mode=tree")],
    "regret": [("players=[swift]", "player=bmcts", "without players")],
    "hunt": [
        ("hunt.workspace=a.yaml", "hunt.size=3", "without hunt.workspace"),
    ],
    "tables": [
        ("seed=null", "only=[a]", "a table"),
        ("ledford_4_1 show=true", "only=[a]", "show="),
    ],
}


@pytest.mark.parametrize(
    ("command", "choice", "key", "said"),
    [(command, *row) for command, rows in BAD.items() for row in rows],
)
def test_a_setting_of_another_choice_is_refused(command, choice, key, said):
    with pytest.raises(Refusal, match=said) as refused:
        compose(command, [*choice.split(), key])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("compare", "match.players=[pimc,bmcts] player.trees=3"),
        ("compare", "player=pimc player.trees=3 player.search.merge=vote opponent=swift"),
        ("compare", "player=bmcts player/search=wu_uct"),  # what a preset sets is legal
        ("compare", "experiment=parallel"),
        ("episodes", "problem=rocksample map=[7,8] steps=9 nodes=9 final=mean"),
        ("episodes", "problem=light_dark particles=9 leaf=random only=null"),
        ("episodes", "paper=pomcpow only=[laser_tag] particles=9"),
        ("hunt", "hunt.size=3 seed=3"),
    ],
)
def test_a_setting_of_the_choice_is_taken(command, line):
    assert compose(command, line.split()), "refused, if it is not taken"
