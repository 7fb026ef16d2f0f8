"""A planner's assumptions: its belief beside the notebook's, and whom it takes the others for."""

import numpy as np
import pytest
from omegaconf import OmegaConf
from table_setup import COMPUTER, setup

from belief.beliefs.registry import make_belief
from experiments.explain import assumptions
from experiments.explain.assumptions import LEAST, compare_beliefs, list_opponents
from experiments.settings.config import compose
from experiments.web.analysis.notebook import Knowledge, notebook
from experiments.web.tables import allowed
from experiments.web.tables.search_view import SearchSamples
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.suggestion_events import setting_of, suggestion_events

SEAT = 1
DECISIONS = 3


@pytest.fixture(scope="module")
def think(tmp_path_factory):
    """Play until a planner in `SEAT` has searched so often; return table, planner and view."""

    def play(*settings):
        spec = compose("compare", [*settings, "player.budget.simulations=10"]).player
        planner = OmegaConf.to_container(spec, resolve=True)
        seats = (COMPUTER, planner, COMPUTER, COMPUTER)
        table, searched = Table(setup(*seats, game=4), tmp_path_factory.mktemp("thinking")), 0
        while True:
            game = table.game
            player, ours = game.seats[game.decider], game.decider == SEAT and not game.shows
            view = SearchSamples(SEAT, player, game.rules.suspects)
            result, action = getattr(player, "result", None), game.decide()
            searched += ours and player.result is not result
            if searched == DECISIONS:
                return table, player, view
            table.act(action)

    return play


def by_hand(table, name):
    """Return what the seat's belief ``name`` is, and what its notebook says."""
    known = Knowledge.of(table.game.rules, SEAT, table.game.events)
    place = setting_of(known.rules, SEAT, known.hand, known.face_up)
    events = suggestion_events(known.suggestions, SEAT, known.rules.players)[0]
    belief = make_belief(name, place, np.zeros(4, np.uint64))
    belief.observe(events)
    return belief.marginals()[:, :5], np.array(notebook(known, chance=True)["chance"])


def test_another_belief_is_shown_beside_the_notebook(think):
    table, planner, view = think("player=bmcts_faithful")
    own, exact = by_hand(table, "factored")
    said = compare_beliefs(planner, 4)
    gap = np.abs(own - exact)
    assert said["name"] == "factored" and not said["reads"]
    assert abs(said["differing"] - np.count_nonzero(gap >= LEAST)) <= 2  # exact has four figures
    assert len(said["rows"]) == assumptions.MOST_ROWS
    for row in said["rows"]:
        place = CARDS.index(row["card"]), row["holder"]
        assert row["own"] == pytest.approx(own[place], abs=1e-3)
        assert row["exact"] == pytest.approx(exact[place], abs=1e-3)
    assert abs(said["rows"][0]["own"] - said["rows"][0]["exact"]) == pytest.approx(
        gap.max(), abs=2e-3
    )
    assert list_opponents(planner) == []
    sample = view.sample(over=True)
    assert sample["belief"] == said and sample["opponents"] == []


def test_the_exact_belief_differs_nowhere_unless_it_reads_suggestions(think):
    for weight, reads in (("1", False), ("0.1", True)):
        _, planner, _ = think("player=bmcts", f"player.own_card_weight={weight}")
        said = compare_beliefs(planner, 4)
        assert (said["name"], said["reads"]) == ("exact", reads)
        assert bool(said["differing"]) == bool(said["rows"]) == reads


def test_looking_changes_nothing(think):
    """NumPy copies no record: what is set in a planner's evidence would be in its search, too."""
    _, planner, view = think("player=bmcts", "player.own_card_weight=0.1")
    before = planner.evidence
    own = planner.marginals()
    view.sample(over=True)
    assert planner.reads and (planner.evidence == before).all()
    assert (planner.marginals() == own).all()


def test_what_does_not_fit_into_memory_is_not_compared(think, monkeypatch):
    _, planner, view = think("player=bmcts")

    def full(*_):
        raise assumptions.EvidenceFull("too wide")

    monkeypatch.setattr(assumptions, "ExactPosterior", full)
    assert compare_beliefs(planner, 4) is None and view.sample(over=True)["belief"] is None


def test_weights_of_types_are_those_of_each_opponent(think, monkeypatch):
    """Three types; swift plays there, so none that plays at random is likely."""
    mixture = "player.mixture='swift:1,random:1,uniform:1'"
    responding = ("player.rollout.best_response=false", "player.own_card_weight=1")
    of_mixture = {**allowed._AS_SHIPPED, "mixture": ("swift:1,random:1,uniform:1",)}
    monkeypatch.setattr(allowed, "_AS_SHIPPED", of_mixture)  # which no browser may name
    _, planner, view = think("player=bmcts", "player.opponents=mixture", mixture, *responding)
    said = list_opponents(planner)
    assert [other["seat"] for other in said] == [0, 2, 3]
    for other in said:
        chances = dict(other["types"])
        exact = dict(
            zip(
                ("swift", "random", "uniform"),
                planner.opponent_belief.of_seat(other["seat"]),
                strict=True,
            )
        )
        assert chances == pytest.approx(exact, abs=1e-3)
        assert other["types"][0][0] == "swift" and sum(chances.values()) == pytest.approx(
            1.0, abs=2e-3
        )
    assert view.sample(over=True)["opponents"] == said
