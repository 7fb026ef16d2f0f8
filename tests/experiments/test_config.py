"""Bad input gets one line that says what to do; good input is what it says it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf, open_dict

import sim.players.registry
import sim.rules
from experiments.compare.__main__ import COMMAND
from experiments.compare.job import plan
from experiments.matches import lineups
from experiments.settings import applies, arguments, commandline, config, presets
from experiments.settings.schemas import Compare

PRESETS = Path(config.__file__).parents[2] / "conf/player"

BAD = {
    "player=bmtcs": "did you mean bmcts?",
    "plyer=random": "plyer: unknown setting (did you mean player?)",
    "run.resume=a": "run.resume: unknown setting (run.folder=FOLDER continues the run in it)",
    "match.games=0": "match.games=0: must be at least 1",
    "match.workers=100": "there are 2 cores",
    "match.focal_seats=[0,4]": "match.focal_seats must lie between 0 and 3",
    "player/budgt=short": "unknown group (did you mean player/budget?)",
    "match.players=[swift,closure] player/search=root": "none of match.players has this setting",
    "player.budget.simulations=null": "a budget needs simulations, seconds or both",
    "player.name=heuristic": "player.name=heuristic: choose one of bmcts",
    "player=swift player.name=evil": "player: unknown policy 'evil'",
    "match.players=[swift,swift]": "match.players names swift twice",
    "match.stop=never": "match.stop=never: choose games, width:0.02, sprt:0:30",
    "match.layout=robin match.players=[swift,closure] match.stop=width:0.1": "a round robin",
}
WHOLE = {
    "match.gmaes=5": "match.gmaes: unknown setting (did you mean games?)",
    "player=swift player.name=evil": "sleuth-compare: player: unknown policy 'evil'",
    "tracking.uri=mlruns": "give sqlite:///file.db",
    "run.folder=/proc/no/run": "cannot write to the run folder: /proc/no",
}
"""Requests of which two are refused by the whole command alone."""


@pytest.mark.parametrize("given", BAD)
def test_bad_input_is_refused_in_one_line(monkeypatch, given):
    monkeypatch.setattr(config, "cores", lambda: 2)
    COMMAND.register()
    with pytest.raises(commandline.Refusal) as refused:
        typed = arguments.read(given.split(), Compare).overrides
        plan(applies.compose("compare", typed), typed)
    assert BAD[given] in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("given", WHOLE)
def test_bad_input_gets_one_line(run_compare, given):
    outcome = run_compare(*given.split())
    assert outcome.code == 1
    assert outcome.err.startswith("sleuth-compare: ") and WHOLE[given] in outcome.err
    assert outcome.err.count("\n") == 1, outcome.err
    assert not outcome.out
    assert not outcome.folder.exists(), "a refused run leaves nothing behind"


def _compose(*overrides: str):
    return config.compose("compare", overrides)


def _by_hydra(*overrides: str):
    """Return what Hydra itself composes, without our copies."""
    config.register()
    with initialize_config_module("conf", version_base="1.3"):
        return compose("compare", overrides=list(overrides))


GROUPS = ("rules", "experiment", "debug", "match", "tracking")
NESTED = ("belief", "search", "budget")
"""Groups of a player."""


def _choices(group: str) -> list[str]:
    folder = Path(config.__file__).parents[2] / "conf" / group
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    assert names
    return names


@pytest.mark.parametrize("group", GROUPS)
def test_every_yaml_meets_the_schema(group):
    refused = {}
    for name in _choices(group):
        try:
            config.check(config.compose("compare", [f"{group}={name}"]))
        except commandline.Refusal as fault:
            refused[name] = str(fault)
    assert not refused


def test_every_player_can_be_made():
    fits = sim.rules.preset("ferrari2009")
    made = set()
    for name in _choices("player"):
        settings = config.plain(config.compose(f"player/{name}").player)
        assert sim.players.registry.make(settings, fits).name == name
        made.add(settings["name"])
    assert {*sim.players.registry.PLANNERS, *sim.players.registry.POLICIES} <= made


@pytest.mark.parametrize("group", NESTED)
def test_every_choice_of_a_player_fits_who_is_measured_and_who_opposes(group):
    for name in _choices(f"player/{group}"):
        typed = [f"player/{group}={name}", "opponent=bmcts", f"opponent/{group}={name}"]
        settings = _compose(*typed)
        config.check(settings)
        chosen = OmegaConf.load(
            Path(config.__file__).parents[2] / f"conf/player/{group}/{name}.yaml"
        )
        for player in (settings.player, settings.opponent):
            within = player if group == "belief" else player[group]
            assert {key: within[key] for key in chosen} == chosen
            sim.players.registry.make(OmegaConf.to_container(player), sim.rules.Rules())


@pytest.mark.parametrize(
    "typed",
    [
        ["player.budget.simulations=7", "match.players=[swift,best]", "opponent.label='a b'"],
        ["seed=3", "rules=speed", "player.budget.simulations=8", "+player.budget.nodes=null"],
        ["player=swift", "match.games=7", "++player.threshold=0.3", "match.games=9"],
    ],
)
def test_values_set_in_a_copy_are_as_hydra_composes_them(typed):
    for _ in range(2):  # the second time what is chosen is known
        ours, theirs = config.compose("compare", typed, with_hydra=True), _by_hydra(*typed)
        assert list(ours.hydra.overrides.task) == typed
        with open_dict(ours):
            del ours["hydra"]
        assert OmegaConf.to_yaml(ours) == OmegaConf.to_yaml(theirs)
        ours.seed = 99  # of the copy alone
    assert OmegaConf.to_yaml(config.compose("compare")) == OmegaConf.to_yaml(_by_hydra())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("match.games=1,2", "match.games=1,2: several values; add -m"),
        ("player.mixture=a:2,b:1", "\"player.mixture='a:2,b:1'\" for one text"),
        ("games=3", r"games: unknown setting \(did you mean match.games\?"),
        ("opponent.simulations=3", "opponent.simulations: unknown setting .choose one of"),
    ],
)
def test_a_value_that_cannot_be_set_is_refused(value, reason):
    with pytest.raises(commandline.Refusal, match=reason):
        config.compose("compare", [value])


def test_a_choice_comes_after_presets_and_experiments_and_before_values():
    assert _compose("player=bmcts_faithful", "player/budget=short").player.budget.simulations == 100
    assert _compose("experiment=main", "player/budget=short").player.budget.simulations == 100
    both = _compose("player/budget=short", "player.budget.simulations=7")
    assert both.player.budget.simulations == 7
    assert not _compose("tracking=beside", "debug=quick").tracking.enabled


def test_the_rules_without_a_name_are_those_of_the_thesis():
    assert sim.rules.PRESETS["ledford"] == sim.rules.Rules()
    assert set(sim.rules.PRESETS) == set(_choices("rules"))
    for name in sim.rules.PRESETS:
        composed = OmegaConf.to_container(config.compose("compare", [f"rules={name}"]).rules)
        assert sim.rules.Rules(**composed) == sim.rules.PRESETS[name]


def test_workers_fill_the_cores():
    assert _at_once("player.search.threads=2") == 4
    assert _at_once("player=random") == 8
    assert _at_once("match.workers=3") == 3


def _at_once(override: str) -> int:
    settings = _compose(override)
    (match,) = lineups.matches(settings)
    return lineups.at_once(match, settings.match.workers, 8)


def test_a_run_of_settings_that_have_left_is_continued():
    """With the only value that is left; another value is another plan."""
    now = presets.complete({"name": "entropy"})
    before = {**now, "horizon": 1, "same_room": True, "about": "envelope"}
    assert presets.complete(before) == now
    assert presets.complete({**now, "horizon": 2}) != now
