"""The planners as variants of one search.

* Answers come from one drawn deal (`DEAL`) or one by one from the propagated belief (`PREDICTIVE`);
  with ``determinize_envelope`` the latter exclude the cards of a drawn envelope
  (`LIGHTLY_DETERMINIZED`).
* ``movers``: a policy, the tree, or one tree per player moves the opponents.
* ``reward_from_deal``: accusations in the tree are rewarded by the deal, not by the propagated
  belief.
* ``resample_at_leaf``: the roll-out uses a new deal drawn at the leaf.
* ``clairvoyant``: one tree per deal, which knows that deal; root tables are added.
* ``selection`` and ``builds_tree``: the selection rule, and whether there is a tree.
"""

from __future__ import annotations

from dataclasses import dataclass

ANSWERS = ("deal", "predictive")
"""Values of the setting ``answers``; their numbers are the first of the following."""
DEAL, PREDICTIVE, LIGHTLY_DETERMINIZED = range(3)
"""Sources of answers: a drawn deal (`sim.planning.determinized`), the propagated belief
(`sim.planning.belief_mdp`), or the latter without the cards of a drawn envelope (LD-BMCTS)."""

POLICY, ONE_TREE, TREES = range(3)
"""Movers of the opponents: a policy, the one tree (SO-ISMCTS), one tree each (MO-ISMCTS)."""

BELIEFS = ("exact", "factored", "constrained", "closure")
"""Beliefs that can be propagated in a tree, by number."""
EXACT, FACTORED, CONSTRAINED, CLOSURE = range(4)

NODES = "constrained"
"""Belief at nodes if the planner's own belief cannot be propagated and only supplies deals."""

MIXTURE = "mixture"
"""Instead of an opponent policy: each simulation draws the opponents from a mixture."""


@dataclass(frozen=True)
class Variant:
    """Parts in which planners differ, besides numeric settings."""

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
        "control: one tree per deal, votes added", reward_from_deal=True, clairvoyant=True
    ),
    "flat": Variant("control: no tree", builds_tree=False),
}
"""Planners by name."""
