"""No wish of a browser, a label, a link or a folder starts or opens anything; plants are found."""

import pytest
import trust

from experiments.web.tables import allowed, requests, setup


def complaints(tmp_path, number):
    return (found.complaint for found in trust.attack(number, 1, tmp_path) if found)


def test_hostile_wishes_are_refused(tmp_path):
    assert list(complaints(tmp_path, 150)) == []


def list_command(patch):
    """List a setting that names a program, and its player."""
    patch.setattr(allowed, "PLAYERS", (*allowed.PLAYERS, "external"))
    patch.setattr(allowed, "SETTINGS", {**allowed.SETTINGS, "command": ("touch",), "seconds": 9.0})
    names = {**allowed._AS_SHIPPED, "name": (*allowed.PLAYERS, "external")}
    names["_target_"] = (*allowed._CODE, "sim.players.external.Settings")
    patch.setattr(allowed, "_AS_SHIPPED", names)


def forget_folders(patch):
    """Trust the folder of a table."""
    patch.setattr(setup, "check_player", lambda player: None)


def compose_anything(patch):
    """Hand to Hydra what is not listed."""
    patch.setattr(allowed, "check_setting", lambda text: None)


def raise_otherwise(patch):
    """Fail on a setting in place of a refusal."""
    patch.setattr(allowed, "check_setting", lambda text: {}[text])


PLANTS = {
    list_command: "is taken",
    forget_folders: "is taken",
    compose_anything: "is taken",
    raise_otherwise: "no refusal",
}


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(tmp_path, monkeypatch, plant):
    plant(monkeypatch)
    requests._player.cache_clear()
    assert any(PLANTS[plant] in complaint for complaint in complaints(tmp_path, 2000))
    requests._player.cache_clear()


def test_a_program_and_a_file_are_seen(tmp_path, monkeypatch):
    """By themselves: what asks for them may be refused long before."""
    trust.load()
    list_command(monkeypatch)
    spec = {"_target_": "sim.players.external.Settings", "name": "external", "command": "true"}
    monkeypatch.setitem(allowed.SETTINGS, "command", ("true",))
    seats = (spec, *trust._plain(2))
    started = setup.Setup({"name": "speed", "players": 3}, seats, 1)
    assert "starts a program" in trust.judge("x", lambda _: trust.begin(started), None).complaint
    outside = tmp_path / "x"
    seen = trust.judge("x", lambda _: outside.write_text(""), None)
    assert "it opens" in seen.complaint
