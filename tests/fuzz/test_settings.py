"""A key that a choice does not use is refused, and one that nothing reads is found."""

from dataclasses import dataclass

import pytest
import settings
from settings import cases, compose, examine

from experiments.replay.__main__ import COMMAND, Replay
from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.settings.limits import between

RECORD = "record=RECORD"


@pytest.mark.parametrize("case", cases(["replay"]), ids=lambda case: f"{case[2]} of {case[1][1:]}")
def test_a_key_changes_what_is_done_or_is_refused(case, tmp_path):
    """`run.py settings` tries the other commands, rules and players, which takes its time."""
    assert examine(*case, tmp_path) is None


def test_a_key_that_nothing_reads_is_found(tmp_path, monkeypatch):
    """The control."""

    @dataclass
    class Patient(Replay):
        patience: int = between(0, 9, default=0)

    known = settings.import_module("experiments.replay.__main__")
    monkeypatch.setattr(known, "COMMAND", settings.replace(COMMAND, schema=Patient))
    settings.find_read.cache_clear()
    config.forget()  # compositions with the other schema
    case, *_ = [case for case in cases(["replay"])[:9] if case[2] == "patience"]
    found = examine(*case, tmp_path)
    assert found is not None and found.complaint == "patience is taken and changes nothing"
    read, *_ = [case for case in cases(["replay"])[:9] if case[2] == "seat"]
    assert examine(*read, tmp_path) is None
    config.forget()


def test_a_rule_and_a_problem_that_ignore_a_key_are_found(tmp_path, monkeypatch):
    """The control of what is handed on whole: without the table these are taken."""
    monkeypatch.setattr(settings.applies, "check", lambda *_: None)
    few = ["player=swift", "tracking=none"]
    taken = [("compare", [*few, "rules=speed"], "rules.dice", "2")]
    taken += [("compare", [*few, "player=hide"], "player.by_out", "0.3")]
    for case in taken:
        assert examine(*case, tmp_path) is not None, case
    assert examine("compare", [*few, "rules=ledford"], "rules.dice", "2", tmp_path) is None


MATCH = "match.others=[closure,random,uniform]"
BAD = {
    "compare": [
        (MATCH, "opponent=swift", "without match.others"),
        (MATCH, "opponent.inference=false", "without match.others"),
        ("match.players=[a,b] match.layout=robin", "opponent.label=x", "match.layout=one"),
        ("match.players=[swift]", "player=swift", "without match.players"),
        ("match.power=0.1", "match.games=3", "without match.power"),
        ("run.records=0", "run.beliefs=true", "run.records above 0"),
        ("run.resume=a", "run.folder=b", "without run.resume"),
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
        ("problem=light_dark", key, "tiger, rocksample without planner and a problem of your own")
        for key in ("steps=3", "exploration=2", "nodes=9", "final=mean", "rollout=random")
    ]
    + [
        ("problem=light_dark", "map=[7,8]", "problem=rocksample"),
        ("problem=light_dark", "only=[a]", "paper=pomcpow"),
        ("problem=tiger", "map=[7,8]", "problem=rocksample"),
        ("problem=tiger", "particles=9", "problems other than tiger"),
        ("problem=tiger", "only=[a]", "paper=pomcpow"),
        ("problem=rocksample planner=pomcpow", "steps=9", "rocksample without planner"),
        ("problem=light_dark planner=qmdp", "simulations=9", "planners that search"),
        ("paper=pomcpow", "workers=2", "without paper"),
    ],
    "explain": [("record=x player.search.mode=root", "tree.nodes=9", "player.search.mode=tree")],
    "replay": [("record=x quiet=true", "turns=1:3", "quiet=false")],
    "regret": [("players=[swift]", "player=bmcts", "without players")],
    "hunt": [("mansion", "seed=3", "minefield or search"), ("search", "hunt.size=3", "hunt.case=")],
    "qlearning": [("rates=[one]", "exponent=0.5", "rates with falling")],
    "contest": [("port=5", "games=9", "without port"), ("classes=x", "host=a", "a port")],
    "tables": [
        ("seed=null", "only=[a]", "a table"),
        ("ledford_4_1 show=true", "only=[a]", "show="),
    ],
    "evidence": [("keep=x", "again=3", "without keep"), ("hours=1", "seed=3", "draw")],
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
        ("episodes", "paper=pomcpow only=[tag] particles=9"),
        ("hunt", "search hunt.case=objects hunt.size=3 seed=3"),
        ("replay", "record=x turns=1:3"),
    ],
)
def test_a_setting_of_the_choice_is_taken(command, line):
    assert compose(command, line.split()), "refused, if it is not taken"
