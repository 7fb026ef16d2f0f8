"""Card names, and actions as text."""

import pytest

from sim.cards import ALL_CARDS, CARDS, cards_of, mask_of
from sim.state import ACCUSE, ASK, PASS, PASSAGE, REVEAL, WALK
from sim.words import action_to_string


def test_a_mask_is_the_set_of_its_names():
    assert cards_of(mask_of(reversed(CARDS))) == list(CARDS) and mask_of(CARDS) == ALL_CARDS
    assert mask_of(["Plum", "Plum"]) == mask_of(["Plum"]) == 1 << CARDS.index("Plum")
    assert cards_of(0) == [] and mask_of([]) == 0
    with pytest.raises(ValueError, match="plum"):
        mask_of(["plum"])


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (0, "walk to the Study"),
        (PASSAGE, "take the passage"),
        (ASK + 7, "suggest Scarlett with the rope here"),
        (ACCUSE + 9 * 7 + 8, "accuse Scarlett with the rope in the Kitchen"),
        (REVEAL + 20, "show the Kitchen"),
        (PASS, "pass"),
    ],
)
def test_an_action_is_said(action, said):
    assert action_to_string(action) == said
    assert action_to_string(WALK).startswith("walk to (")
