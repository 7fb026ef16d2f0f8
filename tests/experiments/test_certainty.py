"""The moments at which a seat determines a card of the envelope."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.matches.certainty import CATEGORIES
from experiments.matches.details import Observer, together
from sim.cards import CATEGORY_MASK
from sim.player import PolicyPlayer
from sim.players.bayes import BayesPlayer
from sim.policies.csp import possible
from sim.policies.registry import Policy
from sim.referee import play
from sim.rules import preset
from sim.state import SHOW

RULES = replace(preset("ferrari2009"), turn_cap=300)


def observe(seats, game, watch=None, rules=RULES):
    observer = Observer("a match", rules, seats, game, ["certainties"])
    result = play(rules, seats, 3, game, together(watch, observer))
    return result, observer.rows["certainties"]


def test_csp_determines_a_card_when_one_is_left_to_it():
    """Held against what the compiled player keeps in the true state, turn by turn."""
    seats = [PolicyPlayer(name) for name in ("csp", "closure", "csp")]
    for game in range(6):
        first = {}

        def watch(state, action, first=first):
            if state.phase != SHOW:
                for seat in (0, 2):
                    for kind, category in enumerate(CATEGORIES):
                        left = possible(state, seat, CATEGORY_MASK[kind])
                        if left & (left - 1) == 0:
                            first.setdefault((seat, category), int(state.turn))

        rows = observe(seats, game, watch)[1]
        assert first == {
            (row["seat"], row["category"]): row["turn"] for row in rows if row["seat"] != 1
        }
        assert first and all(row["right"] for row in rows)


@pytest.mark.parametrize("hears", [True, False])
def test_who_is_right_has_determined_all_three_also_by_what_was_heard(monkeypatch, hears):
    """The control hears nothing: somebody is right by what was accused alone."""
    if not hears:
        monkeypatch.setattr(Observer, "_hear", lambda *_: None)
    seats = [PolicyPlayer(one) for one in ("csp", Policy("swift", threshold=0.2), "closure")]
    missing = 0
    for game in range(60):
        result, rows = observe(seats, game, rules=replace(RULES, accusations="heard"))
        known = sum(row["seat"] == result.winner for row in rows)
        missing += result.winner in (0, 2) and known < 3
        assert all(row["right"] for row in rows)
    assert (missing == 0) == hears


@pytest.mark.parametrize("evidence", ["repaired", "text", "exact"])
def test_who_accuses_has_determined_all_three_before(evidence):
    """By its own belief: only by the tables as printed is it ever the wrong card."""
    wrong, out = 0, 0
    for game in range(20):
        seats = [BayesPlayer(evidence=evidence), PolicyPlayer("closure"), PolicyPlayer("closure")]
        result, rows = observe(seats, game)
        for seat, each in enumerate(result.seats):
            mine = [row for row in rows if row["seat"] == seat]
            assert len({row["category"] for row in mine}) == len(mine) <= 3
            if each.won or each.out:
                assert len(mine) == 3 and max(row["turn"] for row in mine) <= result.turns
            assert all(row["right"] for row in mine) or (seat == 0 and not each.won)
        wrong += any(not row["right"] for row in rows if row["seat"] == 0)
        out += result.seats[0].out
    assert (wrong > 0) == (evidence == "text") and out <= wrong


def test_own_turns_are_counted_by_seat():
    seats = [PolicyPlayer(name) for name in ("csp", "csp", "closure")]
    begun = {seat: set() for seat in range(3)}
    rows = observe(seats, 4, lambda state, action: begun[int(state.seat)].add(int(state.turn)))[1]
    assert rows
    for row in rows:
        assert row["own_turn"] == sum(turn <= row["turn"] for turn in begun[row["seat"]])
    assert any(row["own_turn"] != -(-row["turn"] // 3) for row in rows)
