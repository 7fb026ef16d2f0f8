"""The game as a PettingZoo environment (AEC) with action masks, under every rule preset.

`docs/environment.md` has the layout of observations and actions, and examples.  The environment
runs the state machine of `sim.game` with all decisions external, so a game equals that of arena and
referee with the same seed, number and actions.  Notes:

* A seat that holds several of the suggested cards decides which one to show; a single card is shown
  without a decision.
* A wrong accuser is not terminated: it takes no more turns, but still shows cards.
* The agent selection itself leaks information: a seat that must choose a card holds several of
  them.  Seats that observe only at their own decisions (`last`) never see that; `observe` for
  another seat during an answer does.
"""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from mcts.kernel.extras import extra
from mcts.options import SEEDS
from sim.arena import Memory
from sim.environment import stepping
from sim.environment.observation import bounds, observe
from sim.models.types import to_records
from sim.player import IllegalAction
from sim.policies import greedy
from sim.policies.registry import SHOWING, Policy, policy
from sim.rules import preset, world
from sim.state import N_ACTIONS, OVER, STATES, State
from sim.view import Log, as_seen, seen_by

with extra("environment"):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper


def env(rules: str = "ledford", **options: Any) -> OrderEnforcingWrapper:
    """Return `raw_env` with PettingZoo's check of the call order.

    PettingZoo's wrappers for illegal actions are omitted: `raw_env` rejects them and lists the
    legal actions, while ``TerminateIllegalWrapper`` would end the game with a warning.
    """
    return OrderEnforcingWrapper(raw_env(rules, **options))


class raw_env(AECEnv):
    """Successive games under ``rules`` (a preset name) with changed ``switches``.

    Raises ValueError for unknown or impossible rules.  Attributes ``rules``: the
    `Rules`; ``seed``, ``game``: the current game is number ``game`` of run ``seed``.

    Parameters
    ----------
    rules, switches : as for `sim.rules.preset`
    """

    metadata = {  # noqa: RUF012 -- as PettingZoo declares it
        "name": "cluedo_v1",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str = "ledford",
        **switches: int | str | bool,
    ) -> None:
        super().__init__()
        self.render_mode = None
        self.rules = preset(rules, **switches)
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents = []
        least, greatest = bounds()
        # One space per agent, created once: users seed them.
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(least, greatest, dtype=np.int32),
                    "action_mask": Box(0, 1, (N_ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(N_ACTIONS) for agent in self.possible_agents}
        self.seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) % SEEDS
        self.game = -1
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        # Arrays, not their records: see `sim.environment.stepping`.
        self._worlds = world(self.rules).view(np.ndarray)
        self._states = np.zeros(1, STATES)
        self._options = np.empty(N_ACTIONS, np.int64)
        self._mask = np.zeros(N_ACTIONS, np.int8)
        self._types: dict[Policy | str, tuple[np.ndarray, int]] = {}

    @property
    def _state(self) -> State:
        """The current state: a record view, so writes persist."""
        return self._states[0]

    def observation_space(self, agent: str) -> Dict:
        """Return the observation space of ``agent``, the same object on every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of ``agent``, the same object on every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin game number ``options["game"]`` of run ``seed``.

        The default number is 0 with a seed, else the next game.  The default seed is that of the
        current run, initially drawn from the system's entropy.
        """
        run = self.seed if seed is None else index(seed)
        following = self.game + 1 if seed is None else 0
        game = index((options or {}).get("game", following))
        for name, number in (("seed", run), ("options['game']", game)):
            if not 0 <= number < SEEDS:
                raise ValueError(f"{name} must be at least 0 and below 2**63, got {number}")
        self.seed, self.game = run, game
        self._advised = -1
        deciding = stepping.begin.call(
            self._worlds, self._states, run, game, self._options, self._mask
        )
        self._logs = [Log() for _ in self.possible_agents]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        # Always empty: identifying the game would reveal its deal.
        self.infos = {agent: {} for agent in self.agents}
        self._continue(deciding)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return observation and action mask of ``agent``; the mask is 0 unless it must decide."""
        seat = self._seats[agent]
        view, events = seen_by(self._states, seat), self._logs[seat].rows
        observation = observe(self._worlds, view, events, seat)
        return {"observation": observation, "action_mask": self.action_mask(agent)}

    def action_mask(self, agent: str) -> np.ndarray:
        """Return the legal actions of ``agent``, int8 (580,): all 0 unless it must decide."""
        asked = agent == self.agent_selection
        return self._mask.copy() if asked else np.zeros(N_ACTIONS, np.int8)

    def step(self, action: int | None) -> None:
        """Apply ``action`` for the selected agent; None removes an agent of a finished game.

        Raises IllegalAction, without changing the game, if the mask excludes the action.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        decided = self._check(action)
        advised, self._advised = self._advised == decided, -1
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        deciding = stepping.do.call(
            self._worlds, self._states, decided, advised, self._options, self._mask
        )
        if suggestions := self._states["events"][0]:
            for event in self._states["event"][0, :suggestions].tolist():
                for seat, log in enumerate(self._logs):
                    log.append(as_seen(tuple(event), seat))
            self._states["events"] = 0
        self._continue(deciding)

    def policy_action(self, which: Policy | str) -> int:
        """Return the action of a compiled policy in the seat to move.

        The policy sees only this seat's observations.  A seat that always follows a policy plays
        the same game as that policy in the arena.

        Raises ValueError if the game is over or the policy is unknown.
        """
        if self._states["phase"][0] == OVER:
            raise ValueError("the game is over: no agent decides; call reset")
        if which not in self._types:
            chosen = policy(which)
            showing = SHOWING.index(chosen.showing)
            self._types[which] = to_records([chosen]).view(np.ndarray), showing
        seat, memory, types = self._seats[self.agent_selection], self._memory, self._types[which]
        events = self._logs[seat].rows
        while True:
            minds = seen_by(self._states, seat)
            action = stepping.advise.call(
                *(self._worlds, self._states, minds, *types, events, memory.work, memory.sample)
            )
            if action != greedy.UNSOLVED:
                self._advised = action
                return action
            memory.grow()

    @cached_property
    def _memory(self) -> Memory:
        """Memory of `policy_action`, for any policy."""
        return Memory(["greedy"])

    def _check(self, action: int | None) -> int:
        """Return ``action`` as an int; raise IllegalAction if it is illegal."""
        try:
            number = index(action)
        except TypeError:
            number = -1
        legal = 0 <= number < N_ACTIONS and self._mask[number]
        if not legal and not (number == self._advised and number >= 0):
            options = np.flatnonzero(self._mask)
            last = np.append(np.diff(options) != 1, True)
            first = np.append(True, last[:-1])
            runs = zip(options[first], options[last], strict=True)
            ranges = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in runs)
            raise IllegalAction(
                f"{self.agent_selection} cannot do {action!r}: its legal actions now are {ranges}"
            )
        return number

    def _continue(self, deciding: int) -> None:
        """Select the agent in seat ``deciding``, or set the rewards of a finished game (-1)."""
        if deciding >= 0:
            self.agent_selection = self.possible_agents[deciding]
        else:
            state = self._state
            winner = int(state.winner)
            if winner >= 0:
                for seat, agent in enumerate(self.agents):
                    self.rewards[agent] += 1 if seat == winner else -1
            # All players out is a termination by the rules; otherwise the turn cap truncated.
            capped = winner < 0 and not state.out[: self.rules.players].all()
            over = self.truncations if capped else self.terminations
            over.update(dict.fromkeys(self.agents, True))
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()
