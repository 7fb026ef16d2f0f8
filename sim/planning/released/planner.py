"""The planner of the program released with [Ledford 2018]: configuration and player."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from belief.evidence import CATEGORY_START
from mcts.kernel.rng import below
from sim.cards import N_CARDS
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.planning.released.departures import NAMES, Departures
from sim.planning.released.domain import Released, make_position
from sim.policies.registry import policy

ENVELOPE, ELSEWHERE = 0, -1
"""Holders in a deal that defines only the envelope."""


@dataclass(frozen=True)
class ReleasedConfig(PlannerConfig):
    """A planner by the text with deviations of the program.

    Raises ValueError if a deviation is on while another setting is not by the text.
    """

    departures: Departures = field(default_factory=Departures)

    def __post_init__(self) -> None:
        super().__post_init__()
        made = [name for name in NAMES if getattr(self.departures, name)]
        of_envelope = [name for name in ("even_envelope", "untold") if name in made]
        others = getattr(self.opponents, "name", self.opponents)
        wanted = {
            "name": (self.variant, ("ld_bmcts",) if of_envelope else ("bmcts", "ld_bmcts")),
            "answers": (self.answers, ("predictive",)),
            "opponents": ("mixture" if self.mixture else others, ("heuristic",)),
            "rollout.policy": (policy(self.rollout).name, ("heuristic",)),
            "rollout.opponents": (self.model.name, ("heuristic",)),
            "rollout.best_response": (self.best_response, (False,)),
            "own_card_weight": (self.own_card_weight, (1.0,)),
            "actions.offer": ("candidates" if self.candidates else "all", ("all",)),
            "search.mode": (self.options.mode, ("tree", "leaf")),
            "search.keep_tree": (self.options.keep_tree, (False,)),
        }
        if self.departures.even_envelope:
            wanted["redraw"] = (self.redraw, ("decision",))
        for key, (value, choices) in wanted.items():
            if made and value not in choices:
                raise ValueError(
                    f"departures.{[*of_envelope, *made][0]} departs from the planner by the text: "
                    f"{key} must be {' or '.join(map(_format, choices))}, not {_format(value)}"
                )

    @property
    def selection(self) -> str:
        """The selection rule, one of `mcts.options.SELECTION`."""
        return "weighted" if self.departures.tree_opponents else super().selection


def _format(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class ReleasedPlanner(Planner):
    """A player that searches `Released` with its notebook, the factored belief."""

    config: ReleasedConfig

    def position(self, view: np.recarray) -> Released:
        """Return the position to search, from this seat's observations only."""
        return make_position(super().position(view), self.config.departures.mask)

    def marginals(self) -> np.ndarray:
        """Return P(card is with holder) in its notebook at the last decision, (21, 7)."""
        return self._notebook.copy()

    def _root(self, view: np.recarray) -> np.recarray:
        root = super()._root(view)
        self._notebook = root[0].belief[self._seat]
        return root

    def _deals(self, stream: np.ndarray) -> np.ndarray:
        """Return the envelopes that LD-BMCTS draws from, as deals; empty for BMCTS."""
        if self.config.departures.even_envelope:
            return even_envelope(self._notebook, stream)
        if self.config.how.determinize_envelope:
            return super()._deals(stream)
        return np.zeros((0, N_CARDS), np.int64)

    def _only_offer(self, position: Released) -> int | None:
        return super()._only_offer(position.planned)


def even_envelope(notebook: np.ndarray, stream: np.ndarray) -> np.ndarray:
    """Return one deal, int64 (1, 21), with an envelope drawn uniformly from the possible cards.

    Possible cards have a positive probability in ``notebook`` (21, 7); a category without any gets
    no card.  One draw from ``stream`` per category.
    """
    deal = np.full((1, N_CARDS), ELSEWHERE)
    for first, end in pairwise(CATEGORY_START):
        possible = first + np.flatnonzero(notebook[first:end, 0] > 0.0)
        if len(possible):
            deal[0, possible[below(stream, len(possible))]] = ENVELOPE
    return deal
