"""A third of a million actions under all rules, by all policies and by random legal players.

`checks` verifies the invariants after each action; the controls plant faults that it must detect.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from checked_play import Table, find, play_checked
from faults import FAULTS
from hypothesis import example, given
from strategies import repeatable, tables

from belief.evidence import MAX_CLAUSES, MAX_SHOWN
from mcts.kernel.compile import INTERPRETED
from sim.policies.registry import FAST_NAMES, Policy
from sim.rules import PRESETS, Rules, preset
from sim.state import END, SHOW, SUGGEST, TURN

EXAMPLES, EVENTS = (5, 40) if INTERPRETED else (30, 10_000)
GREEDY_EXAMPLES, GREEDY_EVENTS = (1, 20) if INTERPRETED else (4, 2_500)


def checked_tables(examples, events, names=FAST_NAMES):
    """Play so many drawn tables for so many actions each; return the sums of the tallies."""
    sums = Counter()
    met = np.zeros((5, 7), np.int64)

    @repeatable(examples)
    @example(BUSY)
    @given(tables(names))
    def check(table):
        tally = play_checked(table, events)
        assert find(tally) == "fine", tally
        for name in ("events", "tried", "games", "won", "capped"):
            sums[name] += int(tally[name])
        for name in ("clauses", "shown"):
            sums[name] = max(sums[name], int(tally[name]))
        met[:] += tally.actions

    check()
    print(dict(sums))
    return sums, met


# By phase: the kinds of action (move, passage, suggestion, accusation, card, pass, walk) it has.
KINDS = {
    TURN: [1, 1, 1, 1, 0, 1, 1],
    SUGGEST: [0, 0, 1, 1, 0, 0, 0],
    SHOW: [0, 0, 0, 0, 1, 0, 0],
    END: [0, 0, 0, 1, 0, 1, 0],
}


def test_all_rules_and_policies():
    sums, met = checked_tables(EXAMPLES, EVENTS)
    assert sums["clauses"] < MAX_CLAUSES and sums["shown"] < MAX_SHOWN
    if not INTERPRETED:
        assert sums["events"] >= 300_000 and sums["tried"] > 75_000
        assert sums["won"] > 75 and sums["capped"] > 75
        for phase, kinds in KINDS.items():
            assert ((met[phase] > 0) == kinds).all(), (phase, met[phase])


def test_the_slow_policy():
    sums, _ = checked_tables(GREEDY_EXAMPLES, GREEDY_EVENTS, ("greedy", "greedy", "swift"))
    assert sums["events"] >= GREEDY_EXAMPLES * GREEDY_EVENTS


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name):
    seats = [None, Policy("heuristic"), Policy("swift")] * 2
    tally = play_checked(Table(PRESETS[name], seats[: PRESETS[name].players], 7), EVENTS)
    assert find(tally) == "fine", tally


# Controls.


compiled = pytest.mark.skipif(INTERPRETED, reason="too many steps for the interpreter")

BUSY = Table(
    Rules(accuse="any", accusations="heard", movement="free", players=5),
    [None, None, Policy("swift"), Policy("closure"), None],
    accusing=40,
)


@compiled
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    seats = [None, None, Policy("closure")] if fault == "a wrong accusation" else BUSY.seats
    table = replace(BUSY, seats=seats, rules=replace(BUSY.rules, players=len(seats)))
    if fault == "the game stands still":
        table = replace(table, rules=replace(table.rules, turn_cap=10))
    tally = play_checked(table, 2_000, 1 + list(FAULTS).index(fault))
    assert find(tally) == FAULTS[fault]


@compiled
def test_nothing_is_found_where_nothing_is_planted():
    assert find(play_checked(BUSY, 2_000)) == "fine"


OTHER_RULES = [
    ({"hands": "round"}, {"cards"}),
    ({"doors": "any"}, {"moved", "mask"}),
    ({"blocking": False}, {"moved", "mask", "pawns"}),
    ({"movement": "towards"}, {"mask"}),
    ({"summons": False}, {"moved", "summoned"}),
    ({"dice": 2}, {"turns"}),
    ({"accuse": "start"}, {"turns"}),
    ({"accuse": "start_or_end"}, {"mask"}),
    ({"accuse": "end"}, {"mask"}),
    ({"turn_cap": 9}, {"turns"}),
    ({"accusations": "secret"}, {"asked"}),
    ({"players": 4}, {"cards"}),
]


@compiled
@pytest.mark.parametrize(
    ("switch", "properties"), OTHER_RULES, ids=lambda value: str(sorted(value))
)
def test_a_game_by_other_rules_is_found(switch, properties):
    """Played with one switch changed, and checked as if it had not been."""
    table = replace(BUSY, seats=[None] * 5, rules=replace(BUSY.rules, **switch))
    assert find(play_checked(table, 20_000, checked=BUSY.rules)) in properties


def test_a_category_hand_is_not_any_hand():
    by_category, equal = preset("ferrari2009"), preset("ferrari2009", hands="equal")
    table = Table(equal, [None] * 3)
    assert find(play_checked(table, 2_000, checked=by_category)) == "cards"
