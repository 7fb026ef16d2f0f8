"""The released program's planner: by the text without deviations, and the effect of each."""

from functools import cache

import numpy as np
import pytest
from positions import fingerprint, position, stream_of
from presets import leaves, spec_of

from mcts.options import Budget
from mcts.search import Search
from sim.planning.planner import Planner
from sim.planning.released import departures
from sim.planning.released.departures import NAMES, renew
from sim.planning.released.domain import Released, make_position, start, workspace
from sim.planning.released.planner import ENVELOPE, ReleasedPlanner, even_envelope
from sim.players.registry import make, planner_config
from sim.rules import Rules, preset

SIMULATIONS, KEY = 120, 11
PLACES = {
    "at a turn": (3, 11),
    "in a room": (4, 13),
    "known but for little": (1, 22),
    "in a room, by the released rules": (3, 8),
}
"""Game and own decisions before; in game n seat n % 4 decides."""


@cache
def at(place):
    """Return a position in which a seat decides."""
    return position(*PLACES[place], rules=preset("released" if "released" in place else "ledford"))


@cache
def config(player):
    """Return the configuration of a preset."""
    return planner_config(spec_of(player, budget__simulations=SIMULATIONS))


@cache
def plan(player, place):
    """Return the position that the planner by the text searches."""
    one = at(place)
    return one.take(Planner(config(player))).position(one.view)


def tree(p, options):
    """Return a digest of the tree of a search of ``p``."""
    search = Search(p, options)
    search.run(Budget(simulations=SIMULATIONS), KEY)
    return fingerprint(search.tree)


@cache
def by_the_text(player, place):
    """Return that of the planner by the text."""
    return tree(plan(player, place), config(player).search_options)


LD = {"name": "ld_bmcts", "redraw": "decision"}


def departing(name, place, player):
    """Return that of the planner by the text with the departure ``name``, as it is configured."""
    changes = {f"departures__{name}": True, "budget__simulations": SIMULATIONS}
    changes |= LD if player == "ld_bmcts_faithful" else {}
    planner = make(spec_of("bmcts_departing", **changes), Rules())
    assert type(planner) is ReleasedPlanner
    one = at(place)
    return tree(one.take(planner).position(one.view), planner.config.search_options)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("player", ["bmcts_faithful", "ld_bmcts_faithful"])
def test_with_no_departure_the_tree_is_that_by_the_text(player, place):
    p = make_position(plan(player, place), 0)
    assert type(p) is Released
    assert tree(p, config(player).search_options) == by_the_text(player, place)


AT = {
    "bold_opponents": "known but for little",
    "instant_win": "known but for little",
    "no_reentry": "in a room, by the released rules",
}
"""Where a departure makes a difference, if not at a turn."""


OF_LD = {"untold", "even_envelope"}
"""Departures of LD-BMCTS alone."""


@pytest.mark.parametrize("name", NAMES)
def test_every_departure_changes_the_tree(name):
    place = AT.get(name, "at a turn")
    player = "ld_bmcts_faithful" if name in OF_LD else "bmcts_faithful"
    assert departing(name, place, player) != by_the_text(player, place)


GOLDEN = {
    ("bmcts_released", "in a room"): "420fe782e1038eb1",
    ("bmcts_released", "known but for little"): "342cf70e639bb2ec",
    ("ld_bmcts_released", "at a turn"): "56eb910403f04176",
    ("ld_bmcts_released", "in a room, by the released rules"): "2adc5e05ff2a75b1",
}
"""Digests of trees with all departures; they change only with a deliberate change."""


@pytest.mark.parametrize(("player", "place"), GOLDEN)
def test_the_trees_of_the_presets_are_those_that_were_kept(player, place):
    one = at(place)
    planner = one.take(make(spec_of(player, budget__simulations=SIMULATIONS), one.rules))
    grown = tree(planner.position(one.view), planner.config.search_options)
    assert grown.startswith(GOLDEN[player, place])


def test_the_presets_make_all_departures():
    for player, left in (("bmcts", OF_LD), ("ld_bmcts", set())):
        spec = spec_of(f"{player}_released")
        assert {name for name in NAMES if not spec["departures"][name]} == left
        text = spec_of("bmcts_departing", **(LD if player == "ld_bmcts" else {}))
        assert text["departures"] == dict.fromkeys(NAMES, False)
        named = {f"departures.{name}" for name in NAMES}
        changed = {leaf for leaf in leaves(spec) if _value(spec, leaf) != _value(text, leaf)}
        made = {name for name in named if not name.endswith(tuple(left) or "-")}
        assert changed == {"label", "search.exploration", "transpositions", *made}


def _value(spec, leaf):
    for key in leaf.split("."):
        spec = spec[key]
    return spec


MISFITS = {
    "answers": "deal",
    "rollout.policy": "uniform",
    "search.mode": "root",
    "search.keep_tree": True,
}


@pytest.mark.parametrize("key", MISFITS)
def test_departures_are_refused_where_they_do_not_fit(key):
    changed = {"departures__root_belief": True, key.replace(".", "__"): MISFITS[key]}
    with pytest.raises(ValueError, match=rf"root_belief departs .*: {key} must be .*, not ") as no:
        make(spec_of("bmcts_departing", **changed), Rules())
    assert "\n" not in str(no.value)


@pytest.mark.parametrize("player", ["bmcts", "bmcts_faithful", "ld_bmcts_faithful"])
def test_settings_of_before_are_read(player):
    """Once every planner had departures in its settings, of the class of all planners."""
    spec = spec_of(player)
    none = {**spec, "departures": dict.fromkeys(NAMES, False)}
    assert renew(none) == renew(spec) == spec
    assert type(make(none, Rules())) is Planner
    made = none["departures"] | {"untold": True}
    old = {**spec, "departures": made}
    if player == "ld_bmcts_faithful":
        found = make(old, Rules())
        assert type(found) is ReleasedPlanner and found.config.departures.untold
    else:
        with pytest.raises(ValueError, match="untold departs"):
            make(old, Rules())
    assert renew(renew(old)) == renew(old)


# Who believes what.


def begin_game(place, *names, player="bmcts_faithful"):
    """Return (parameters, workspace, state) at the start of a simulation with departures."""
    mask = departures.Departures(**dict.fromkeys(names, True)).mask
    p = make_position(plan(player, place), mask)
    s = workspace(p)
    start(p, s, stream_of(1))
    return p, s, s.state[0]


def test_in_the_first_seat_all_are_sure_of_our_hand():
    p, _, state = begin_game("at a turn", "first_seat")
    real = p.planned.seat
    assert real != 0 and p.agent == 0
    hand = [c for c in range(21) if p.planned.root[0].hand[real] >> c & 1]
    np.testing.assert_array_equal(state.belief[0], p.planned.root[0].belief[real])
    for seat in range(4):
        assert (state.belief[seat][hand, real + 1] == 1.0).all()
    text = begin_game("at a turn")[2]  # the control: by the text nobody else is
    assert not (text.belief[0][hand, real + 1] == 1.0).any()


def test_an_even_envelope_is_even():
    notebook = np.zeros((21, 7))
    notebook[[2, 3, 4], 0] = 0.97, 0.02, 0.01
    notebook[12:21, 0] = 0.2
    stream, found = stream_of(3), np.zeros(21)
    for _ in range(900):
        found += even_envelope(notebook, stream)[0] == ENVELOPE
    assert found[:6].sum() == found[12:].sum() == 900 and not found[6:12].any()
    assert np.abs(found[2:5] - 300).max() < 60  # 4 standard deviations
    assert found[12:].min() > 60
