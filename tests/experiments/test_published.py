"""A published figure stands beside the very set-up that it is of, and beside no namesake."""

import pytest

from experiments.matches import lineups
from experiments.runs.published import find_for
from experiments.settings import config


def match(*overrides):
    """Return the match of a command line."""
    settings = config.compose("compare", overrides)
    config.check(settings)
    (found,) = lineups.matches(settings, overrides)
    return found


@pytest.mark.parametrize(
    "overrides, wins, games",
    [
        (("player=bmcts_faithful",), 408, 2000),
        (("player=bmcts_faithful", "match.layout=rest"), 1356, 2000),
        (("player=ld_bmcts_faithful",), 301, 1099),
        (("player=ld_bmcts_faithful", "match.layout=rest"), 1134, 1499),
        (("player=heuristic", "opponent=random"), 2597, 3000),
        (("player=random",), 199, 3000),
        (("player=bmcts_faithful", "player.label=thesis", "player.search.threads=2"), 408, 2000),
    ],
)
def test_the_set_up_of_the_text_has_its_published_figure(overrides, wins, games):
    played = match(*overrides)
    found = find_for(played)
    assert (found.wins, found.games) == (wins, games)
    assert "here" not in found.source  # the budget is the published one


@pytest.mark.parametrize(
    "budget, phrase",
    [
        (("player.budget.simulations=300",), "(here 300 simulations)"),
        (("player.budget.simulations=null", "player.budget.seconds=2"), "(here 2 s)"),
        (("player.budget.seconds=0.1",), "(here 10,000 simulations or 0.1 s)"),
    ],
)
def test_another_budget_is_stated(budget, phrase):
    found = find_for(match("player=bmcts_faithful", *budget))
    assert found.wins == 408 and found.source.endswith(phrase)


@pytest.mark.parametrize(
    "changed",
    [
        "player=bmcts",
        "player.belief=exact",
        "player.answers=deal",
        "player.rollout.policy=swift",
        "player.actions.offer=candidates",
        "player.search.exploration=0.2",
        "player.search.final=visits",
        "player.own_card_weight=0.1",
        "player.opponents=swift",
        "player.showing=least_informative",
        "player.budget.nodes=1",
        "opponent.inference=false",
        "rules.summons=false",
        "rules.players=3",
    ],
)
def test_a_namesake_has_none(changed):
    first = () if changed.startswith("player=") else ("player=bmcts_faithful",)
    assert find_for(match(*first, changed)) is None


def test_who_was_never_published_is_passed_over():
    for overrides in (("player=swift",), ("player=bmcts", "opponent=swift")):
        assert find_for(match(*overrides)) is None
    robin = match("match.players=['bmcts','heuristic']", "match.layout=robin")
    assert find_for(robin) is None
