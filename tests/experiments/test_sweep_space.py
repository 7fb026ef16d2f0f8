"""Axes are read as Hydra writes them, and a bad one is refused before anything is played."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hydra import initialize_config_module
from omegaconf import OmegaConf

from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.sweep import schema
from experiments.sweep.axes import split_overrides
from experiments.sweep.job import Job
from experiments.sweep.space import Space

PLAYERS = ("player=swift", "opponent=closure")


@pytest.fixture(autouse=True)
def composing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    schema.register()
    monkeypatch.setattr(config, "cores", lambda: 2)
    with initialize_config_module("conf", version_base="1.3"):
        yield


def space(*overrides: str) -> Space:
    return Space(split_overrides(overrides)[1])


@pytest.mark.parametrize(
    ("override", "samples"),
    [
        ("player.threshold=0.3,0.5", ("0.3", "0.5")),
        ("seed=range(1,4)", ("1", "2", "3")),
        ("player.label='a b',c", ("'a b'", "c")),
        ("seed=tag(int,interval(1,8))", (1, 8)),
        ("player.threshold=tag(log,interval(0.2,0.7))", (0.2, pytest.approx(0.509), 0.7)),
        ("match.focal_seats=[0],[0,1]", ("[0]", "[0,1]")),
    ],
)
def test_an_axis_has_the_values_written(override, samples):
    (axis,) = space(override).axes
    assert axis.samples == samples
    assert axis.key == override.partition("=")[0]


def test_points_are_all_combinations_in_order():
    found = space(*PLAYERS, "player.threshold=0.3,1", "seed=5,6")
    assert [tuple(each.values()) for each in found.combinations] == [
        ("0.3", "5"),
        ("0.3", "6"),
        ("1", "5"),
        ("1", "6"),
    ]
    point = found.point(found.combinations[1])
    assert point.match.entrants[0]["threshold"] == 0.3
    assert (point.match.seed, point.settings.seed) == (6, 6)
    assert point.match.name == "swift against 3 closure"


def test_settings_of_the_sweep_are_told_from_the_others():
    own, others = split_overrides(
        ["sweep.method=racing", "run.folder=x", "run.records=1", "seed=1,2"]
    )
    assert own == ["sweep.method=racing", "run.folder=x"]
    assert [each.input_line for each in others] == ["run.records=1", "seed=1,2"]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("seed=1,2 seed=3", "seed is given twice"),
        ("match.games=10,20", "match.games is the same for all points"),
        ("player=glob(*)", "write the values out"),
        ("player=swift player.threshold=interval(1,0.2)", "the interval must rise"),
        ("player=swift player.threshold=tag(log,interval(0,1))", "start above 0"),
        ("player=swift player.threshold=range(0.1,1e30,1e-9)", "has more than 10,000 values"),
    ],
)
def test_axes_that_cannot_be_are_refused(override, said):
    with pytest.raises(Refusal, match=said) as refused:
        space(*override.split())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ("player.threshold=0.3,2", r"above 0 and at most 1 \(at player.threshold=2\)"),
        ("player=bmcts player.exploration=1,2", "did you mean player.search.exploration"),
        ("player.threshold=0.3,1 match.layout=both", "a point is one match"),
        ("seed=interval(1,5)", "is not a whole number"),
        ("player.threshold=0.3,1 match.workers=9", "9, but there are 2 cores"),
    ],
)
def test_a_point_that_cannot_be_played_is_refused(overrides, said):
    player = () if overrides.startswith("player=") else PLAYERS
    found = space(*player, *overrides.split())
    with pytest.raises(Refusal, match=said) as refused:
        for each in found.combinations:
            found.point(each)
    assert "\n" not in str(refused.value)


def test_what_no_point_uses_is_refused():
    ignored = ["player=bmcts player.trees=5,6", "player=hide player.by_out=0.1,0.2"]
    ignored += ["seed=1,2 opponent.inference=false match.others=[closure,random,uniform]"]
    for overrides in ignored:
        made = space(*overrides.split())
        with pytest.raises(Refusal, match="would be ignored"):
            made.check(made.combinations)
    made = space("player=hide", "player.threshold=0.5,1", "player.by_out=0.1,0.2")
    assert made.check(made.combinations[::-1]).parameters["player.threshold"] == "1"


@pytest.mark.parametrize("method", ["grid", "random", "racing"])
def test_more_points_than_anybody_waits_for_are_refused_unlisted(method):
    found = space(*PLAYERS, *(f"{key}=range(1,9000)" for key in ("seed", "rules.turn_cap")))
    assert found.size == 8999**2
    settings = OmegaConf.create({"run": {"folder": "x"}})
    settings.sweep = {"method": method, "trials": 3 if method == "random" else None}
    if method == "random":
        assert Job(settings, found)
    else:
        with pytest.raises(Refusal, match="80,982,001 combinations: give fewer values"):
            Job(settings, found)


def test_fewer_trials_than_were_played_are_refused(run_sweep):
    asked = ("player=random", "opponent=random", "tracking=none", "rules=speed", "seed=range(1,99)")
    asked += ("match.games=4", "match.workers=1", "sweep.method=random", "sweep.fresh=0")
    whole = run_sweep(*asked, "sweep.trials=3")
    assert whole.code == 0, whole.err
    fewer = run_sweep(*asked, "sweep.trials=2")
    assert fewer.code == 1 and fewer.err.count("\n") == 1
    assert "sweep.trials=2: 3 were played in" in fewer.err
    assert fewer.rows == whole.rows
