"""The game as a PettingZoo environment (AEC), with action masks, under every preset of rules.

`docs/environment.md` has the layout of observations and actions, and examples.  The environment is
the state machine of `sim.game` with every decision asked for, so a game here is the game of the
arena and the referee with the same seed, number and actions.  Points worth knowing:

* Showing a card is a decision of the seat that must answer, when it holds several of the cards;
  one that holds a single one shows it without being asked.
* A wrong accuser is not terminated: it makes no more moves, but still shows cards.
* Who is asked to decide says something in itself: that a seat is asked which card to show tells
  that it holds more than one of them.  Seats that look only when they decide (`last`) never see
  that; `observe` for another seat in the middle of an answer does.
"""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from mcts.options import SEEDS
from sim.arena import Memory, act
from sim.chance import game_key
from sim.env import drawing
from sim.env.observation import Notes, bounds
from sim.game import apply, decider, legal, new_game
from sim.policies import greedy
from sim.policies.table import Policy, policy, seat_policies, seat_policy
from sim.referee import IllegalAction
from sim.rules import preset, world
from sim.state import EXTERNAL, N_ACTIONS, OVER, empty
from sim.view import as_seen, replay_evidence, view_of

_TOLD = 3  # suggestions in a picture


def env(
    rules: str = "ledford", render_mode: str | None = None, **switches: int | str | bool
) -> OrderEnforcingWrapper:
    """Return the environment with PettingZoo's check that its methods are called in order.

    PettingZoo's wrappers for wrong actions are left out: `raw_env` refuses those itself, and says
    which actions are legal, where ``TerminateIllegalWrapper`` would end the game with a warning.
    """
    return OrderEnforcingWrapper(raw_env(rules, render_mode, **switches))


class raw_env(AECEnv):
    """One game after another under ``rules`` (a preset's name) with ``switches`` changed.

    Parameters
    ----------
    rules, switches : as for `sim.rules.preset`
    render_mode : ``ansi`` to get pictures from `render`, ``human`` to have them printed, or None

    Attributes
    ----------
    rules : the `Rules` in force
    seed, game : the game under way is number ``game`` of the run ``seed``

    Raises
    ------
    ValueError
        On unknown or impossible rules or render modes, with the reason in one sentence.
    """

    metadata = {  # noqa: RUF012 -- as PettingZoo declares it
        "name": "cluedo_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str = "ledford",
        render_mode: str | None = None,
        **switches: int | str | bool,
    ) -> None:
        super().__init__()
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode must be one of {', '.join(modes)}, got {render_mode!r}")
        self.render_mode = render_mode
        self.rules = preset(rules, **switches)
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents = []
        least, greatest = bounds()
        # One space an agent, made once: users seed them.
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
        self._board = world(self.rules)[0]
        self._state = empty()[0]
        self._options = np.empty(N_ACTIONS, np.int64)

    def observation_space(self, agent: str) -> Dict:
        """Return the space of ``agent``'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of ``agent``'s actions, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin game number ``options["game"]`` of the run ``seed``.

        Without a number: game 0 if a seed is given, else the one after the game before.  Without a
        seed: that of the run under way, which is drawn from the system's entropy when the
        environment is made.
        """
        run = self.seed if seed is None else index(seed)
        following = self.game + 1 if seed is None else 0
        game = index((options or {}).get("game", following))
        for name, number in (("seed", run), ("options['game']", game)):
            if not 0 <= number < SEEDS:
                raise ValueError(f"{name} must be at least 0 and below 2**63, got {number}")
        self.seed, self.game = run, game
        state = self._state
        state.policy[:] = state.showing[:] = EXTERNAL
        state.tracks[:] = 0
        self._advised = -1
        state.recording = 1
        new_game(self._board, state, np.uint64(game_key(self.seed, self.game)))
        self._notes = [Notes(self.rules, seat) for seat in range(self.rules.players)]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        # Empty for good: whatever names the game would give away its deal.
        self.infos = {agent: {} for agent in self.agents}
        self._continue()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what ``agent`` may know now, and what it may do: nothing unless it must decide."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(N_ACTIONS, np.int8)
        if agent == self.agent_selection:
            mask[self._legal] = 1
        observation = self._notes[seat].observation(view_of(self._state, seat))
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Do ``action`` for the agent that decides; None to take leave of a finished game.

        Raises
        ------
        IllegalAction
            If the action is not in the mask; the game is as before.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        decided, state = self._checked(action), self._state
        if self._advised != decided:
            state.policy[:], state.tracks[:] = EXTERNAL, 0
        apply(self._board, state, decided)
        state.policy[:], state.tracks[:], self._advised = EXTERNAL, 0, -1
        for event in self._state.event[: self._state.events].tolist():
            for seat, notes in enumerate(self._notes):
                notes.note(as_seen(tuple(event), seat))
        self._state.events = 0
        self._continue()

    def render(self) -> str | None:
        """Return a picture of the table (``ansi``) or print it (``human``)."""
        if self.render_mode is None:
            logger.warn("render() was called, but the environment was made without a render_mode")
            return None
        # From nobody's seat: -1 sees no card.
        told = self._notes[0].log.events[-_TOLD:].tolist()
        events = [as_seen(tuple(event), -1) for event in told]
        picture = drawing.picture(self.rules, view_of(self._state, 0)[0], events)
        if self.render_mode == "human":
            print(picture, end="\n\n")
            return None
        return picture

    def policy_action(self, which: Policy | str) -> int:
        """Return what a compiled policy would do in the seat that decides.

        It is told what this seat has seen and no more.  A seat that always does what its policy
        says plays the game that the arena plays with this policy there.

        Raises
        ------
        ValueError
            If the game is over, or there is no such policy.
        """
        state = self._state
        if state.phase == OVER:
            raise ValueError("the game is over: nobody decides")
        seat = int(decider(state))
        mind = view_of(state, seat)[0]
        mind.key = state.key  # its choices are chance of this game, as in the arena
        seat_policies(mind, [which] * self.rules.players)
        replay_evidence(self._board, mind, seat, self._notes[seat].log.events)
        mind.goal[seat] = state.goal[seat]
        memory = self._memory
        while (action := act(self._board, mind, memory.work, memory.sample)) == greedy.UNSOLVED:
            memory.grow()
        state.goal[seat] = mind.goal[seat]
        # What its move and suggestion come to may depend on who it is, and on what it believes.
        showing = state.showing[seat]
        seat_policy(state, seat, policy(which))
        state.showing[seat], state.settled[seat], state.marginals_of = showing, 0, 0
        for name in ("belief", "bits", "evidence"):
            state[name][seat] = mind[name][seat]
        self._advised = int(action)
        return self._advised

    @cached_property
    def _memory(self) -> Memory:
        """What `policy_action` thinks in, whatever the policy."""
        return Memory(["greedy"])

    def _checked(self, action: int | None) -> int:
        """Return ``action`` as an int if it is legal."""
        try:
            number = index(action)
        except TypeError:
            number = -1
        options = self._legal
        if number not in options:
            last = np.append(np.diff(options) != 1, True)
            first = np.append(True, last[:-1])
            runs = zip(options[first], options[last], strict=True)
            ranges = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in runs)
            raise IllegalAction(
                f"{self.agent_selection} cannot do {action!r}: its legal actions now are {ranges}"
            )
        return number

    def _continue(self) -> None:
        """Select the agent that decides next, or hand out the rewards of a finished game."""
        state = self._state
        # None of them at the end.
        self._legal = self._options[: legal(self._board, state, self._options)]
        if state.phase != OVER:
            self.agent_selection = self.agents[decider(state)]
        else:
            winner = int(state.winner)
            if winner >= 0:
                for seat, agent in enumerate(self.agents):
                    self.rewards[agent] = 1 if seat == winner else -1
                self._accumulate_rewards()
            # Nobody left to move is an end by the rules; else it was the cap on turns.
            capped = winner < 0 and not state.out[: self.rules.players].all()
            over = self.truncations if capped else self.terminations
            over.update(dict.fromkeys(self.agents, True))
            self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()
