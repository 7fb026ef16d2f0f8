"""Compile a table's code in a thread before the table is made, so that no player waits in mid-game.

On a machine without cached code that takes a minute or two; later servers load the code from disk
once (`mcts.kernel.cached`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from experiments.web.analysis.notebook import Knowledge, notebook
from experiments.web.tables.setup import PERSON, Setup
from sim.records.stepped import Person, SteppedGame
from sim.state import ACCUSE, ASK

ROUNDS = 3
"""Number of decisions: from the first walk to suggestions and answers."""

SIMULATIONS = 2
"""Simulations of a search that only compiles."""

_working = threading.Lock()
_warm: set[str] = set()
"""Players whose code is compiled."""


def warm_up(setup: Setup) -> None:
    """Compile or load all code that a table of ``setup`` needs, once.

    Raises ValueError if players or rules do not fit.
    """
    small = replace(setup, seats=tuple(map(_shrink, setup.seats)), seed=0)
    keys = {_key(seat) for seat in small.seats}
    with _working:
        if not keys <= _warm:
            _play(small)
            _warm.update(keys)


def _shrink(seat: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a seat with a minimal budget."""
    if "budget" not in seat:
        return seat
    small = {"simulations": SIMULATIONS, "seconds": None, "nodes": None}
    return {**seat, "budget": {**seat["budget"], **small}}


def _key(seat: Mapping[str, Any]) -> str:
    """Return a text that is equal for players with the same code."""
    settings = {} if seat["name"] == PERSON else {**seat, "label": None}
    return json.dumps(settings, sort_keys=True, default=str)


def _play(setup: Setup) -> None:
    """Play the beginning of a game, and make a notebook."""
    game = SteppedGame(setup.build_rules(), setup.build_players(), 0, setup.game)
    for _ in range(ROUNDS * game.rules.players):
        if game.over:
            break
        if isinstance(game.seats[game.decider], Person):
            choices = game.choices()  # a suggestion if there is one
            game.act(next((one for one in choices if ASK <= one < ACCUSE), choices[0]))
        else:
            game.act(game.decide())
    notebook(Knowledge.of(game.rules, 0, game.events), chance=True)
