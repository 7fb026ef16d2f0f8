"""Departures of the program of [Ledford 2018] from its text, one switch each.

All are off by the text, all on in the presets ``bmcts_released`` and ``ld_bmcts_released``.
`docs/planners/released.md` has the source of each, and how it is read where that leaves a choice.
Nothing here needs Numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
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


def refuse_misfits(departures: Departures, planner: Mapping[str, Any]) -> None:
    """Raise ValueError if one of ``departures`` is made, and ``planner`` is not by the text.

    ``planner`` has, by the names of the configuration, what they depart from.
    """
    if not departures.mask:
        return
    of_envelope = [name for name in ("even_envelope", "untold") if getattr(departures, name)]
    wanted: dict[str, tuple[Any, ...]] = {
        "name": ("ld_bmcts",) if of_envelope else ("bmcts", "ld_bmcts"),
        "answers": ("predictive",),
        "opponents": ("heuristic",),
        "rollout.policy": ("heuristic",),
        "rollout.opponents": ("heuristic",),
        "rollout.best_response": (False,),
        "own_card_weight": (1.0,),
        "actions.offer": ("all",),
        "search.mode": ("tree", "leaf"),
        "search.keep_tree": (False,),
    }
    if departures.even_envelope:
        wanted["redraw"] = ("decision",)
    for key, choices in wanted.items():
        if planner[key] not in choices:
            made = [*of_envelope, *(one for one in NAMES if getattr(departures, one))][0]
            raise ValueError(
                f"departures.{made} departs from the planner by the text: {key} must be "
                f"{' or '.join(map(_format, choices))}, not {_format(planner[key])}"
            )


def _format(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
