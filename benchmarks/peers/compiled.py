"""Our compiled Leduc poker and liar's dice, called in states of OpenSpiel's own games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspiel

from benchmarks.games import leduc_poker as leduc
from benchmarks.games import liars_dice as dice
from benchmarks.games.two_players import TREES
from mcts.openspiel.planners import Plan, shares
from mcts.options import Budget, Options
from mcts.search import Search


def split_history(state: pyspiel.State) -> tuple[list[int], list[int]]:
    """Return chance's deals in ``state``, and the players' actions."""
    dealt, made = [], []
    for entry in state.full_history():
        (dealt if entry.player == pyspiel.PlayerId.CHANCE else made).append(entry.action)
    return dealt, made


def leduc_position(state: pyspiel.State) -> leduc.LeducParameters:
    """Return the compiled position of the player to move in a state of ``leduc_poker``."""
    dealt, made = split_history(state)
    me, code = state.current_player(), 0
    for action in made:
        code = code << 2 | (action + 1)
    laid = dealt[2] if len(dealt) > 2 else leduc.HIDDEN
    return leduc.LeducParameters(card=dealt[me], open=laid, second=me, code=code)


def dice_position(state: pyspiel.State) -> dice.DiceParameters:
    """Return the same in a state of ``liars_dice``, with one die each."""
    dealt, made = split_history(state)
    me = state.current_player()
    return dice.DiceParameters(die=dealt[me], second=me, made=sum(1 << bid for bid in made))


POSITIONS: dict[str, Callable[[pyspiel.State], Any]] = {
    "leduc_poker": leduc_position,
    "liars_dice": dice_position,
}
"""By OpenSpiel's name of the game."""


def compiled_planner(problem: str, options: Options, budget: Budget, others: int = TREES) -> Plan:
    """Return a planner that runs the compiled search, for states of OpenSpiel's ``problem``."""
    position = POSITIONS[problem]
    made: list[Search] = []

    def plan(state: pyspiel.State, key: int) -> dict[int, float]:
        p = position(state)._replace(others=others, order=key % 2**31)
        if not made:
            made.append(Search(p, options))
        return shares(made[0].run(budget, key, p))

    return plan
