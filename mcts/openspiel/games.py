"""Any turn-based game of OpenSpiel [Lanctot et al. 2019] as a problem for the search.

    game = pyspiel.load_game("leduc_poker")
    state = ...                                     # a decision of some player
    problem = make_problem(state, TREES)
    search = Search(problem.position(), Options(selection="availability", nodes=10_000))
    result = search.run(Budget(simulations=10_000), key=1)
    problem.action(result.best)

The player to move searches.  The other players are moved by the tree, which has nodes of the
searching player alone (SO-ISMCTS) or of each player (MO-ISMCTS), or by a fixed policy (POMCP).

A player's observations are its information state, in the words of the game.  Two decisions that it
cannot distinguish share a node if the same number of decisions separates them from the root: the
number of moves is assumed to be public, which it is not in phantom games.  The game's chance is
drawn from the search's stream, so a key gives the same tree every time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from mcts.openspiel.states import Place, Places, consistent, draw, play_out
from mcts.plain.chance import Chance
from mcts.plain.problem import Problem
from mcts.plain.values import number

ONE_TREE, TREES, POLICY = "one_tree", "trees", "policy"
"""Models of the others: nodes of the searching player, nodes of their own, or a fixed policy."""

Policy = Callable[[pyspiel.State], Mapping[int, float]]
"""Probabilities of the legal actions in a state, given its mover's information."""
Resample = Callable[[pyspiel.State, Chance], pyspiel.State]
"""Draws a state that the mover of a state cannot distinguish from it."""


def uniform(state: pyspiel.State) -> dict[int, float]:
    """Return equal probabilities of the legal actions."""
    legal = state.legal_actions()
    return dict.fromkeys(legal, 1.0 / len(legal))


def make_problem(
    state: pyspiel.State,
    others: str = TREES,
    policy: Policy = uniform,
    resample: Resample | None = None,
    order: int | None = None,
    places: Places | None = None,
) -> Problem:
    """Return the problem of the player to move in ``state``.

    Raises ValueError with the reason for a game that cannot be searched, or if no player is to
    move.

    Parameters
    ----------
    others : `ONE_TREE`, `TREES` or `POLICY`
    policy : moves the others if ``others`` is `POLICY`; if the belief consists of histories, it
        also gives the probabilities of their past moves
    resample : the belief: draws the hidden part.  By default the game's own
        (``resample_from_infostate``), and without one all histories that the player cannot
        distinguish (`mcts.openspiel.states`)
    order : keys the order in which actions are tried; None: the game's order
    places : cached states of this game from earlier searches
    """
    game = state.get_game()
    refuse(game)
    if others not in (ONE_TREE, TREES, POLICY):
        raise ValueError(f"others must be {ONE_TREE}, {TREES} or {POLICY}, not {others!r}")
    if state.is_terminal() or state.is_chance_node():
        raise ValueError("a search needs a state in which a player is to move")
    me, players = state.current_player(), game.num_players()
    alone = others == POLICY or players == 1
    words, known = _words(game), Places() if places is None else places
    draw_state = _belief(state, resample, policy)

    def seat(player: int) -> int:
        """Return the game seat of ``player`` of the search, whose player 0 searches."""
        return (me + player) % players

    def payment(at: Place) -> float:
        """Return the searching player's return so far."""
        return at.returns[me] if along_the_way or at.over else 0.0

    def step(at: Place, action: int, chance: Chance) -> tuple[Place, float]:
        after = known.follow(at, action)
        while not after.over:  # chance moves, and with a policy all other players
            if after.mover == pyspiel.PlayerId.CHANCE:
                after = known.follow(after, after.draw(chance))
            elif alone and after.mover != me:
                after = known.follow(after, draw(list(policy(after.state).items()), chance))
            else:
                break
        return after, payment(after) - payment(at) if alone else 0.0

    def list_actions(at: Place) -> list[int]:
        whole = others == ONE_TREE and at.mover != me  # its legal actions may reveal its hand
        found = everything if whole else at.legal
        if order is None:
            return found
        seen = at.name_seen(me if whole else at.mover, words)
        return sorted(found, key=lambda action: number((seen, action, order)))

    along_the_way = game.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS
    everything = list(range(game.num_distinct_actions()))
    parts: dict[str, Any] = {}
    if not alone:
        parts = {
            "players": players,
            "trees": others == TREES,
            "mover": lambda at: (at.mover - me) % players,
            "seen": lambda at, player: at.name_seen(seat(player), words),
            "payoff": lambda at, player: at.returns[seat(player)],
            "play_out": play_out,
        }
        if others == ONE_TREE:
            parts["available"] = lambda at, action: action in at.legal
    so_far = payment(Place(state)) if alone else 0.0
    return Problem(
        same=True,
        start=lambda chance: known.find(draw_state(chance)),
        actions=list_actions,
        step=step,
        observation=lambda at: at.name_seen(me, words),
        terminal=lambda at: at.over,
        rollout=lambda at, chance: chance.choice(at.legal),
        low=game.min_utility() - so_far,
        high=game.max_utility() - so_far,
        steps=game.max_game_length(),
        most_actions=game.num_distinct_actions(),
        **parts,
    )


def refuse(game: pyspiel.Game) -> None:
    """Raise ValueError with the reason if ``game`` cannot be searched."""
    kind = game.get_type()
    name = kind.short_name
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(
            f"{name} is not turn-based: load it by pyspiel.load_game_as_turn_based, if possible"
        )
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{name} samples its chance itself: the game must list chance outcomes")
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        raise ValueError(f"{name} does not define what a player sees")


def _words(game: pyspiel.Game) -> Callable[[pyspiel.State, int], str]:
    """Return a function of state and player: the information state, or else the observation."""
    if game.get_type().provides_information_state_string:
        return lambda at, player: at.information_state_string(player)
    return lambda at, player: at.observation_string(player)


def _belief(
    state: pyspiel.State, resample: Resample | None, policy: Policy
) -> Callable[[Chance], pyspiel.State]:
    """Return a function that draws states consistent with the mover's information."""
    if resample is not None:
        return lambda chance: resample(state, chance)
    me = state.current_player()
    kind = state.get_game().get_type()
    if kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        return lambda chance: state.clone()
    if _draws_itself(state):
        return lambda chance: state.resample_from_infostate(me, chance.random)
    found = consistent(state, policy, _words(state.get_game()))
    return lambda chance: draw(found, chance)


_DRAWING: dict[str, bool] = {}
"""By game, whether it draws hidden parts; asking one that does not prints a line."""


def _draws_itself(state: pyspiel.State) -> bool:
    """Return whether the game of ``state`` draws states consistent with its mover's information."""
    name = str(state.get_game())
    if name not in _DRAWING:
        try:
            state.resample_from_infostate(state.current_player(), Chance(1).random)
            _DRAWING[name] = True
        except pyspiel.SpielError:
            _DRAWING[name] = False
    return _DRAWING[name]
