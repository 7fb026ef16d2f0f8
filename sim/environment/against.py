"""One learner against compiled policies, as a Gymnasium environment.

The learner has another seat in each game.  A game ends for it when it has accused wrongly: it could
do nothing more but show cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts.kernel.extras import extra
from sim.environment.aec import raw_env
from sim.policies.registry import Policy
from sim.policies.registry import policy as policy_of

with extra("environment"):
    import gymnasium


class Against(gymnasium.Env):
    """One seat at the table, a new one each game, with a policy in all others.

    ValueError if the policy is unknown; else as `sim.environment.aec.raw_env`.  ``policy``: plays
    the other seats; ``rules``, ``options``: as `sim.environment.aec.raw_env` takes them; by default
    accusations are offered when they are proved, and the observation is flat.  Attributes
    ``table``: the environment of all seats; ``agent``: the learner's name there.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 -- as Gymnasium declares it

    def __init__(self, policy: Policy | str = "random", rules: str = "ledford", **options: Any):
        self.table = raw_env(rules, **{"accuse_from": 1.0, "flat": True, **options})
        self.policy = policy_of(policy)
        self.agent = self.table.possible_agents[0]
        self.observation_space = self.table.observation_space(self.agent)["observation"]
        self.action_space = self.table.action_space(self.agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game, `raw_env.reset` says which; return what the learner observes, and {}.

        A game that ends before the learner decides anything gives way to the one after it.
        """
        super().reset(seed=seed)
        self.table.reset(seed, options)
        self._sit_down()
        while self._over():
            self.table.reset()
            self._sit_down()
        return self._observe(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Do ``action``, and let the others play until the learner must decide again.

        The reward is 1 for winning, -1 for somebody else's winning or for a wrong accusation, which
        costs its price besides, and 0 for a draw.
        """
        table, seat = self.table, self.table.possible_agents.index(self.agent)
        table.step(action)
        if table._state.out[seat]:  # all that the table has for it now is the price
            return self._observe(), float(table.rewards[self.agent]) - 1.0, True, False, {}
        self._play_others()
        ends = table.terminations[self.agent], table.truncations[self.agent]
        return self._observe(), float(table.rewards[self.agent]), *ends, {}

    def action_masks(self) -> np.ndarray:
        """Return what is legal now, bool (580,), as sb3-contrib asks for it."""
        return self.table.action_mask(self.agent).astype(bool)

    def _sit_down(self) -> None:
        """Take the seat of this game, and let the others play until it decides."""
        agents = self.table.possible_agents
        self.agent = agents[self.table.game % len(agents)]
        self._play_others()

    def _over(self) -> bool:
        return self.table.terminations[self.agent] or self.table.truncations[self.agent]

    def _play_others(self) -> None:
        """Let the policy decide until it is the learner's turn, or the game is over."""
        table = self.table
        while table.agent_selection != self.agent and not self._over():
            table.step(table.policy_action(self.policy))

    def _observe(self) -> np.ndarray:
        return self.table.observe(self.agent)["observation"]
