"""One learner against compiled policies, as a Gymnasium environment.

The learner's seat rotates from game to game.  A wrong accusation ends its episode: it could only
show cards afterwards.
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
    """A learner in one seat, rotating by game, with ``policy`` in all others.

    ``rules``, ``options``: as for `sim.environment.aec.raw_env`, but by default only proved
    accusations are offered, and the observation is flat.  Raises ValueError like `raw_env`, and for
    an unknown policy.  Attributes ``table``: the environment of all seats; ``agent``: the learner's
    name there.
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
        """Begin the game that `raw_env.reset` selects; return the learner's observation and {}.

        Games that end before the learner's first decision are skipped.
        """
        super().reset(seed=seed)
        self.table.reset(seed, options)
        self._sit_down()
        while self._over():
            self.table.reset()
            self._sit_down()
        return self._observe(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply ``action``, and play the others until the learner must decide again.

        The reward is 1 for a win, -1 for a loss, -1 less ``wrong_price`` for a wrong accusation,
        and 0 for a draw.
        """
        table, seat = self.table, self.table.possible_agents.index(self.agent)
        table.step(action)
        if table._state.out[seat]:  # the table's reward is now only the price
            return self._observe(), float(table.rewards[self.agent]) - 1.0, True, False, {}
        self._play_others()
        ends = table.terminations[self.agent], table.truncations[self.agent]
        return self._observe(), float(table.rewards[self.agent]), *ends, {}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (580,), for sb3-contrib."""
        return self.table.action_mask(self.agent).astype(bool)

    def _sit_down(self) -> None:
        """Take this game's seat, and play the others until it decides."""
        agents = self.table.possible_agents
        self.agent = agents[self.table.game % len(agents)]
        self._play_others()

    def _over(self) -> bool:
        return self.table.terminations[self.agent] or self.table.truncations[self.agent]

    def _play_others(self) -> None:
        """Play the policy until the learner must decide or the game is over."""
        table = self.table
        while table.agent_selection != self.agent and not self._over():
            table.step(table.policy_action(self.policy))

    def _observe(self) -> np.ndarray:
        return self.table.observe(self.agent)["observation"]
