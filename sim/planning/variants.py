"""The planners as what they are: one search with a few choices made differently.

* answers come from one drawn deal (`DEAL`) or one by one from the propagated belief
  (`PREDICTIVE`), in the variants that ``determinize_envelope`` without the cards of a drawn
  envelope (`LIGHTLY_DETERMINIZED`);
* ``movers``: opponents are moved by a policy, by the tree, or by a tree each;
* ``reward_from_deal``: an accusation in the tree pays 1 or 0 by the deal, not by the propagated
  belief;
* ``resample_at_leaf``: a deal is drawn for the roll-out at the leaf;
* ``clairvoyant``: one tree a deal, which knows that deal, and their root tables are added;
* ``selection`` and ``builds_tree``: the rule of selection, and whether there is a tree at all.
"""

from __future__ import annotations

from dataclasses import dataclass

ANSWERS = ("deal", "predictive")
"""The setting ``answers``, by number as far as it goes."""
DEAL, PREDICTIVE, LIGHTLY_DETERMINIZED = range(3)
"""Where answers come from: a drawn deal (`sim.planning.determinized`); the propagated belief
(`sim.planning.belief_mdp`); the same without the cards of a drawn envelope (LD-BMCTS)."""

POLICY, ONE_TREE, TREES = range(3)
"""Who moves the opponents: a policy, the one tree (SO-ISMCTS), a tree each (MO-ISMCTS)."""

BELIEFS = ("exact", "factored", "constrained", "closure")
"""Beliefs that can be propagated in a tree, by number."""
EXACT, FACTORED, CONSTRAINED, CLOSURE = range(4)

NODES = "constrained"
"""Belief at the nodes where the planner's own cannot be propagated and gives deals alone."""

MIXTURE = "mixture"
"""In place of a policy of the opponents: each simulation draws them from a mixture."""


@dataclass(frozen=True)
class Variant:
    """Parts of a planner other than the numbers that all planners share."""

    source: str
    determinize_envelope: bool = False
    movers: int = POLICY
    reward_from_deal: bool = False
    resample_at_leaf: bool = False
    clairvoyant: bool = False
    selection: str = "uct"
    builds_tree: bool = True


_ISMCTS = "Cowling, Powley & Whitehouse 2012"

VARIANTS = {
    "bmcts": Variant("Ledford 2018, s. 3.4"),
    "ld_bmcts": Variant("Ledford 2018, s. 3.5", determinize_envelope=True),
    "bmcts_or": Variant("Ledford 2018, s. 2.5.2", resample_at_leaf=True),
    "so_ismcts": Variant(_ISMCTS, movers=ONE_TREE, reward_from_deal=True, selection="availability"),
    "mo_ismcts": Variant(_ISMCTS, movers=TREES, reward_from_deal=True, selection="availability"),
    "pomcp": Variant("Silver & Veness 2010", reward_from_deal=True),
    "pimc": Variant(
        "control: one tree a deal, votes added", reward_from_deal=True, clairvoyant=True
    ),
    "flat": Variant("control: no tree", builds_tree=False),
}
"""Planners by name."""
