"""Departures of the program of [Ledford 2018] from its text, one switch each.

All are off in the preset ``bmcts_departing``, all on in ``bmcts_released`` and
``ld_bmcts_released``; no other planner has them.  `docs/planners/released.md` has the source of
each, and how it is read where that leaves a choice.  Nothing here needs Numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Departures:
    """Departures from the text that a planner makes.

    Attributes
    ----------
    first_seat : while it plans, the agent takes itself for seat 0: our belief is that seat's, which
        decides in the tree below the root, and our own seat is one of the opponents
    root_belief : no belief is propagated in the tree, only in roll-outs
    answerer_next : after an answer play goes on from the answerer's left
    tree_opponents : opponents' moves and all answers are nodes, weighed by their probability;
        everybody maximises its own wins
    random_self : in roll-outs the own seat draws a type of action, then one of that type
    move_tickets : where its type is drawn, a move counts once for each room
    even_answers : in roll-outs a player that may hold a card shows one half of the time
    even_accusations : in roll-outs an accusation is right half of the time
    bold_opponents : opponents may also accuse once their entropy is below 4 bits
    instant_win : an opponent that knows the envelope after an answer has won
    certain_only : the agent accuses only if it is certain
    untold : of LD-BMCTS: no seat learns of the envelope that was drawn
    no_face_up : suspects and weapons that lie face up are not suggested
    own_answers : a player that does not know its hand learns from its own answers, too
    no_reentry : in simulations nobody enters the room that it is in, whatever the rules
    even_envelope : of LD-BMCTS: the envelope is drawn evenly from the possible cards, not from the
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
        """The departures as bits, in the order of the fields."""
        return sum(1 << i for i, name in enumerate(NAMES) if getattr(self, name))


NAMES = tuple(switch.name for switch in fields(Departures))
"""The departures, in the order of their bits."""

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
"""Those by which policies play in roll-outs, and not in the tree."""


SETTINGS = "sim.players.released.Settings"
"""The class of settings of a planner that departs."""


def renew(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings ``player`` as they are written now.

    Once every planner had departures: without one it is a planner by the text, without the key.
    """
    made = player.get("departures")
    if made is None:
        return dict(player)
    if any(made.values()):
        return {**player, "_target_": SETTINGS, "departures": {**asdict(Departures()), **made}}
    usual = {"_target_": "sim.players.planner.Settings"} if "_target_" in player else {}
    return {key: value for key, value in player.items() if key != "departures"} | usual
