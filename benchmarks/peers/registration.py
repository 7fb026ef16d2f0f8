"""The type of this project's games in OpenSpiel, and the observer of their players."""

from __future__ import annotations

from typing import Any

import pyspiel


def make_type(
    short_name: str, long_name: str, players: tuple[int, int], parameters: dict[str, int]
) -> pyspiel.GameType:
    """Return the type of a turn-based zero-sum game of hidden cards, paid at its end.

    ``players``: minimum and maximum number; ``parameters``: those for loading, with defaults.
    """
    kind = pyspiel.GameType
    return kind(
        short_name=short_name,
        long_name=long_name,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        min_num_players=players[0],
        max_num_players=players[1],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification=parameters,
        provides_factored_observation_string=True,
    )


PUBLIC = -1
"""In place of a player: common knowledge alone."""


class Observer:
    """The information of a player, by the ``known_to(player)`` of a state; without tensors.

    Of ``kind``, a ``pyspiel.IIGObservationType``, only whether it includes private information is
    read.  Raises ValueError if that of all players is requested, or ``params`` are given.
    """

    tensor = None

    def __init__(self, kind: Any = None, params: Any = None) -> None:
        private = pyspiel.PrivateInfoType.SINGLE_PLAYER if kind is None else kind.private_info
        if private == pyspiel.PrivateInfoType.ALL_PLAYERS or params:
            raise ValueError("choose one player's information or the public information")
        self._public = private == pyspiel.PrivateInfoType.NONE
        self.dict: dict[str, Any] = {}

    def set_from(self, state: pyspiel.State, player: int) -> None:
        """Do nothing: there is no tensor to fill."""

    def string_from(self, state: pyspiel.State, player: int) -> str:
        """Return all that ``player`` has seen and done, or the public information."""
        return state.known_to(PUBLIC if self._public else player)
