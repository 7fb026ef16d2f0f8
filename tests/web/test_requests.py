"""Examples of settings on the page are taken."""

import re
from pathlib import Path

import pytest

from experiments.web.settings import Search
from experiments.web.tables import requests

LIMITS = Search(1_000_000, 60.0)
SCRIPT = Path(requests.__file__).parents[1] / "static" / "parts" / "settings.js"


def examples():
    """Return the placeholders for a player that searches, and for one that does not."""
    found = re.search(r'placeholder = searches \? "(\S+)" : "(\S+)"', SCRIPT.read_text("utf-8"))
    return found.groups()


@pytest.mark.parametrize("searches", [True, False])
def test_the_example_in_the_field_fits_every_player_that_it_is_shown_for(searches):
    players = [one["name"] for one in requests.list_players() if one["searches"] == searches]
    example = examples()[0 if searches else 1]
    assert len(players) > 5
    for name in players:
        key, _, value = example.partition("=")
        made = requests.compose_player(name, [example], LIMITS)
        for part in key.split("."):
            made = made[part]
        assert str(made) == value, name
