"""What a table needs is compiled before it is made, in a thread: nobody waits in mid-game.

The first time on a machine that takes a minute or two; then the code is kept
(`mcts.kernel.cached`), and it is loaded once by each server.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from experiments.web.seen.notebook import Knowledge, notebook
from experiments.web.tables.setup import PERSON, Setup
from sim.records.record import knows
from sim.records.stepped import Person, SteppedGame
from sim.state import ACCUSE, ASK

ROUNDS = 3
"""Of decisions: from the first walk to suggestions and answers."""

SIMULATIONS = 2
"""Of a search that is made for its code alone."""

_working = threading.Lock()
_known: set[str] = set()
"""Players that have decided here already."""


def ready(wish: dict[str, Any]) -> None:
    """Have all compiled or loaded that a table of ``wish`` needs, unless that was done before.

    Parameters
    ----------
    wish : as `experiments.web.tables.wish.settled` returns it

    Raises
    ------
    ValueError
        If players or rules cannot be.
    """
    seats = [_small(seat) for seat in wish["seats"]]
    keys = {_key(seat) for seat in seats}
    with _working:
        if not keys <= _known:
            _play(Setup(**{**wish, "seats": tuple(seats), "seed": 0, "game": 0}))
            _known.update(keys)


def _small(seat: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a seat with a budget that is spent at once."""
    if "budget" not in seat:
        return seat
    small = {"simulations": SIMULATIONS, "seconds": None, "nodes": None}
    return {**seat, "budget": {**seat["budget"], **small}}


def _key(seat: dict[str, Any]) -> str:
    told = {} if seat["name"] == PERSON else {**seat, "label": None}
    return json.dumps(told, sort_keys=True, default=str)


def _play(setup: Setup) -> None:
    """Play the beginning of a game, and look into a notebook."""
    game = SteppedGame(setup.made_rules(), setup.made_players(), setup.seed, setup.game)
    for _ in range(ROUNDS * setup.made_rules().players):
        if game.over:
            break
        person = isinstance(game.seats[game.decider], Person)
        game.act(_anything(game.choices()) if person else game.decide())
    seen = [event for event in game.events if knows(event, 0)]
    notebook(Knowledge.of(game.rules, 0, seen), chance=True)


def _anything(choices: list[int]) -> int:
    """Return a suggestion if one may be made, else the first choice."""
    return next((action for action in choices if ASK <= action < ACCUSE), choices[0])
