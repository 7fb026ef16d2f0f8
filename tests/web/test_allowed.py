"""A table is made of what is listed: all that exists is listed, or it is refused."""

import json
import re
import subprocess
from dataclasses import fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import get_type_hints

import pytest
from hydra.core.config_store import ConfigStore
from table_setup import COMPUTER, setup

from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.web.server import records
from experiments.web.settings import Search
from experiments.web.tables import allowed, requests
from experiments.web.tables.registry import Registry
from experiments.web.workers import Workers
from mcts.kernel.plugins import Plugin
from sim.players import registry
from sim.policies.registry import make_switches

LIMITS = Search(100_000, 60.0)
NEVER = {"command", "seconds", "label", "mixture", "name", "network"}
"""Settings that are not listed: a key that is new belongs here, or into the list."""


def presets(group):
    found = files("conf").joinpath(group).iterdir()
    return {file.name[:-5] for file in found if file.name.endswith(".yaml")}


def walk(schema, above=""):
    """Yield each setting of a schema: its dotted name, and the words that it may be."""
    hints = get_type_hints(schema)
    for each in fields(schema):
        if is_dataclass(hints[each.name]):
            yield from walk(hints[each.name], f"{above}{each.name}.")
        else:
            words = each.metadata.get("choices", ())
            yield above + each.name, words[0]() if words and callable(words[0]) else words


def test_all_presets_settings_and_words_are_listed_or_never_are():
    assert presets("player") - {*allowed.PLAYERS} == {"external"}
    assert presets("rules") == {*allowed.RULES}
    words = {}
    listed = {key: {*kind} for key, kind in allowed.SETTINGS.items() if isinstance(kind, tuple)}
    for name in presets("player"):
        held = config.plain(config.compose("compare", [f"player={name}"]).player)
        found = dict(walk(registry._find_class(held)))
        if found.pop("switches", None) is not None:
            found |= walk(type(make_switches(held["name"])))
        known = {**found, **{key: () for key, _ in config.leaves(held)}}
        for key in known.keys() - {registry.TARGET}:
            words.setdefault(key, set()).update(found.get(key, ()))
    assert words.keys() - allowed.SETTINGS.keys() == NEVER
    assert allowed.SETTINGS.keys() - words.keys() == set(), "they exist"
    unlisted = {key: words[key] - listed[key] for key in listed if words[key] - listed[key]}
    assert unlisted == {"search.mode": {"root"}}
    assert all(listed[key] <= words[key] for key in listed if words[key]), "they exist"


@pytest.fixture(scope="module")
def examples():
    """The placeholders on the page for a player that does not search, and for one that does."""
    script = Path(requests.__file__).parents[1] / "static" / "parts" / "settings.js"
    pattern = r'placeholder = searches \? "(\S+)" : "(\S+)"'
    return re.search(pattern, script.read_text("utf-8")).groups()[::-1]


@pytest.mark.parametrize("name", allowed.PLAYERS)
def test_a_setting_of_a_player_can_be_given_if_it_is_listed(name, examples):
    """So can the example in its field."""
    made = dict(config.leaves(requests.compose_player(name, [], LIMITS)))
    example = examples[name in allowed.SEARCHING]
    assert example.partition("=")[0] in made
    allowed.check_setting(example)
    for key, value in made.items():
        setting = f"{key}={json.dumps(value).strip(chr(34))}"
        if key not in allowed.SETTINGS:
            with pytest.raises(ValueError, match="not a setting at a table"):
                requests.compose_player(name, [setting], LIMITS)
        elif key not in ("budget.nodes", "search.threads"):  # which depend on others
            allowed.check_setting(setting)


@pytest.fixture
def add_mine(monkeypatch):
    """A preset, and a player of another package, that are called "mine"."""
    ConfigStore.instance().store("mine", {**COMPUTER, "_target_": "sim.seat.Settings"}, "player")
    config.forget()
    plugin = Plugin("sleuth.players", "mine", "builtins", "dict", "mine 1.0")
    monkeypatch.setattr(registry, "entry_points", lambda group: {"mine": plugin})
    yield
    del ConfigStore.instance().repo["player"]["mine.yaml"]
    config.forget()


REFUSED = [
    ("mine", ""), ("external", ""), ("external", "command=touch"), ("../player/swift", ""),
    ("swift", "command=touch"), ("swift", "label=x"), ("swift", "name=external"),
    ("swift", "_target_=os.system"), ("swift", "hydra.searchpath=x"), ("swift", "+x=1"),
    ("swift", "~threshold"), ("swift", "threshold=${oc.env:HOME}"), ("swift", "threshold=[1,2]"),
    ("swift", "threshold=1,2"), ("swift", "threshold"), ("swift", "new=1"), ("swift", "=1"),
    ("bmcts", "opponents=mine"), ("bmcts", "belief=mine"), ("bmcts", "rollout.policy=mine"),
    ("bmcts", "mixture=usual"), ("bmcts", "search.mode=root"), ("bmcts", "search=threads"),
    ("bmcts", "trees=10000"), ("neural", "network=x.json"), ("entropy", "candidates=9999"),
]  # fmt: skip


@pytest.mark.parametrize(("preset", "setting"), REFUSED)
def test_what_is_not_listed_is_refused_before_anything_is_composed(
    preset, setting, add_mine, monkeypatch
):
    if preset == "mine":  # the control: elsewhere it is a player
        assert config.compose("compare", ["player=mine"]).player.name == COMPUTER["name"]
    monkeypatch.setattr(requests, "_compose", lambda *_: pytest.fail("composed"))
    with pytest.raises(ValueError, match=r"unknown; choose|at a table") as refused:
        requests.compose_player(preset, [setting] if setting else [], LIMITS)
    assert "\n" not in str(refused.value) and "--help" not in str(refused.value)


def test_no_advice_starts_a_program():
    request = records.AdviceRequest(line=3, preset="external", settings=["command=touch"])
    with pytest.raises(ValueError, match="unknown; choose"):
        records._advice(None, request, LIMITS)


SEATS = [
    {"name": "external", "_target_": "sim.players.external.Settings", "command": "touch x"},
    {"name": "mine"},
    {**COMPUTER, "_target_": "antigravity.Settings"},
    {**COMPUTER, "network": "/etc/passwd"},
    {**COMPUTER, "threshold": {"": 1}},
    {**COMPUTER, "label": ["x"]},
]


def damage(content, given, at=None):
    """Return the content of a ``table.json`` with something else in its setup, or beside it."""
    whole = {**json.loads(content["setup"])}
    if at == "seat":
        whole["seats"][0] = given
    elif at == "setup":
        whole |= given
    return {**content, "setup": json.dumps(whole), **(given if at is None else {})}


def test_the_folder_of_a_stranger_starts_and_writes_nothing_elsewhere(
    tmp_path, add_mine, monkeypatch, capsys
):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    whole = {"setup": setup(*[COMPUTER] * 4).to_json(), "tokens": {}}
    bad = [damage(whole, seat, "seat") for seat in SEATS]
    bad += [damage(whole, {"other": 1}, "setup"), damage(whole, {"setup": "[" * 10**5}), whole]
    earlier = {"study": False, "series": "", "counted": True, "past": None}
    good = [whole, damage({**whole, "run": "../x"}, earlier, "setup")]
    for number, content in enumerate((*bad, *good)):
        (tmp_path / "tables" / f"{number:02}").mkdir(parents=True)
        (tmp_path / "tables" / f"{number:02}" / "table.json").write_text(json.dumps(content))
    linked = tmp_path / "tables" / f"{len(bad) - 1:02}"
    (linked / "moves.jsonl").symlink_to(tmp_path / "x")
    found = Registry(tmp_path, 50, Workers())
    found._lock.release()
    assert sorted(found.entries) == [f"{len(bad) + one:02}" for one in range(len(good))]
    assert capsys.readouterr().err.count("cannot be read and is skipped") == len(bad)
    (tmp_path / "games" / "records").symlink_to(tmp_path.parent)
    with pytest.raises(Refusal, match="is a link"):
        Registry(tmp_path, 50, Workers())
