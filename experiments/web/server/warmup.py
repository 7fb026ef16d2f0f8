"""Compile what a table needs before it is made, in a thread, so that no player waits in mid-game.

The first time on a machine that takes a minute or two; then the code is on disk
(`mcts.kernel.cached`), and each server loads it once.
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
"""Of decisions: from the first walk to suggestions and answers."""

SIMULATIONS = 2
"""Of a search that is made for its code alone."""

_working = threading.Lock()
_warm: set[str] = set()
"""Players that have decided here already."""


def warm_up(setup: Setup) -> None:
    """Compile or load all that a table of ``setup`` needs, unless that was done before.

    Raises ValueError if players or rules do not fit.
    """
    small = replace(setup, seats=tuple(map(_shrink, setup.seats)), seed=0)
    keys = {_key(seat) for seat in small.seats}
    with _working:
        if not keys <= _warm:
            _play(small)
            _warm.update(keys)


def _shrink(seat: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a seat with a budget that is spent at once."""
    if "budget" not in seat:
        return seat
    small = {"simulations": SIMULATIONS, "seconds": None, "nodes": None}
    return {**seat, "budget": {**seat["budget"], **small}}


def _key(seat: Mapping[str, Any]) -> str:
    """Return a text that is the same for players that need the same code."""
    settings = {} if seat["name"] == PERSON else {**seat, "label": None}
    return json.dumps(settings, sort_keys=True, default=str)


def _play(setup: Setup) -> None:
    """Play the beginning of a game, and look into a notebook."""
    game = SteppedGame(setup.build_rules(), setup.build_players(), 0, setup.game)
    for _ in range(ROUNDS * game.rules.players):
        if game.over:
            break
        person = isinstance(game.seats[game.decider], Person)
        game.act(_choose(game.choices()) if person else game.decide())
    notebook(Knowledge.of(game.rules, 0, game.events), chance=True)


def _choose(choices: list[int]) -> int:
    """Return a suggestion if there is one, else the first choice."""
    return next((action for action in choices if ASK <= action < ACCUSE), choices[0])
