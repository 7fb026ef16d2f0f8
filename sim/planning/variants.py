"""The planners as what they are: one search with a few choices made differently.

* answers come from one drawn deal (`DEAL`) or one by one from the propagated belief (`ANSWERS`),
  less a drawn envelope where the form ``restricts`` them (`RESTRICTED`);
* ``movers``: opponents are moved by a policy, by the tree, or by a tree each;
* ``pays_deal``: an accusation in the tree pays 1 or 0 by the deal, not by the propagated belief;
* ``redeals``: a deal is drawn for the roll-out at the leaf;
* ``open_cards``: one tree a deal, which knows that deal, and their root tables are added;
* ``selection`` and ``grows``: the rule of selection, and whether there is a tree at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.planning.cluedo import ANSWERS, DEAL, RESTRICTED
from sim.planning.opponent_nodes import ONE_TREE, POLICY, TREES


@dataclass(frozen=True)
class Form:
    """What makes a planner, beside the numbers that all of them share."""

    source: str
    restricts: bool = False
    movers: int = POLICY
    pays_deal: bool = False
    redeals: bool = False
    open_cards: bool = False
    selection: str = "uct"
    grows: bool = True

    def answers(self, one_by_one: bool) -> int:
        """Return where answers come from, if drawn ``one_by_one`` from the belief or not."""
        if not one_by_one:
            return DEAL
        return RESTRICTED if self.restricts else ANSWERS


_ISMCTS = "Cowling, Powley & Whitehouse 2012"

FORMS = {
    "bmcts": Form("Ledford 2018, s. 3.4"),
    "ld_bmcts": Form("Ledford 2018, s. 3.5", restricts=True),
    "bmcts_or": Form("Ledford 2018, s. 2.5.2", redeals=True),
    "so_ismcts": Form(_ISMCTS, movers=ONE_TREE, pays_deal=True, selection="availability"),
    "mo_ismcts": Form(_ISMCTS, movers=TREES, pays_deal=True, selection="availability"),
    "pomcp": Form("Silver & Veness 2010", pays_deal=True),
    "pimc": Form("control: one tree a deal, votes added", pays_deal=True, open_cards=True),
    "flat": Form("control: no tree", grows=False),
}
"""Planners by name."""
