"""Deviations of the program of [Ledford 2018] from its text, one switch each.

All are off in the preset ``bmcts_departing`` and on in ``bmcts_released`` and
``ld_bmcts_released``; no other planner has them.  `docs/planners/released.md` gives their sources
and interpretations.  This module needs no Numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Departures:
    """Deviations of a planner from the text.

    Attributes
    ----------
    first_seat : in planning the agent is seat 0: it has our belief and decides in the tree below
        the root, and our own seat is an opponent
    root_belief : the tree does not propagate beliefs, only roll-outs do
    answerer_next : after an answer, play continues to the left of the answerer
    tree_opponents : opponents' moves and all answers are nodes, weighted by their probability;
        each player maximises its own wins
    random_self : in roll-outs the own seat draws a type of action, then an action of that type
    move_tickets : in the draw of a type, moves count once per room
    even_answers : in roll-outs a player that may hold a card shows one with probability 1/2
    even_accusations : in roll-outs an accusation is right with probability 1/2
    bold_opponents : opponents may also accuse when their entropy is below 4 bits
    instant_win : an opponent that knows the envelope after an answer wins
    certain_only : the agent accuses only when certain
    untold : LD-BMCTS: no seat learns about the drawn envelope
    no_face_up : face-up suspects and weapons are not suggested
    own_answers : a player without a known hand also learns from its own answers
    no_reentry : in simulations no pawn re-enters its room, under all rules
    even_envelope : LD-BMCTS: the envelope is drawn uniformly from the possible cards, not from the
        belief
    """

    first_seat: bool = False
    root_belief: bool = False
    answerer_next: bool = False
    tree_opponents: bool = False
    random_self: bool = False
    move_tickets: bool = False
    even_answers: bool = False
    even_accusations: bool = False
    bold_opponents: bool = False
    instant_win: bool = False
    certain_only: bool = False
    untold: bool = False
    no_face_up: bool = False
    own_answers: bool = False
    no_reentry: bool = False
    even_envelope: bool = False

    @property
    def mask(self) -> int:
        """The deviations as bits, in field order."""
        return sum(1 << i for i, name in enumerate(NAMES) if getattr(self, name))


NAMES = tuple(switch.name for switch in fields(Departures))
"""Names of the deviations, in bit order."""

(
    FIRST_SEAT,
    ROOT_BELIEF,
    ANSWERER_NEXT,
    TREE_OPPONENTS,
    RANDOM_SELF,
    MOVE_TICKETS,
    EVEN_ANSWERS,
    EVEN_ACCUSATIONS,
    BOLD_OPPONENTS,
    INSTANT_WIN,
    CERTAIN_ONLY,
    UNTOLD,
    NO_FACE_UP,
    OWN_ANSWERS,
    NO_REENTRY,
    EVEN_ENVELOPE,
) = (1 << bit for bit in range(len(NAMES)))

IN_ROLLOUTS = RANDOM_SELF | MOVE_TICKETS | EVEN_ANSWERS | EVEN_ACCUSATIONS | BOLD_OPPONENTS
"""Deviations of policies in roll-outs only."""


SETTINGS = "sim.players.released.Settings"
"""Settings class of planners with deviations."""


def renew(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings ``player`` in the current format.

    Formerly all planners had the key ``departures``; without any deviation it is removed.
    """
    made = player.get("departures")
    if made is None:
        return dict(player)
    if any(made.values()):
        return {**player, "_target_": SETTINGS, "departures": {**asdict(Departures()), **made}}
    usual = {"_target_": "sim.players.planner.Settings"} if "_target_" in player else {}
    return {key: value for key, value in player.items() if key != "departures"} | usual
