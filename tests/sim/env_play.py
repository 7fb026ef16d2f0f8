"""Games in the environment for its tests: agents act without accusing, or accuse."""

from collections.abc import Iterator

import numpy as np

from sim.environment.aec import raw_env
from sim.environment.observation import OBSERVATION_LAYOUT
from sim.policies.common import accusation
from sim.rules import PRESETS
from sim.state import ACCUSE, PASS, REVEAL

GAMES = [
    *((name, {}) for name in PRESETS),
    *(("ledford", {"players": players}) for players in (3, 5, 6)),
    ("classic", {"players": 6, "dice": 1, "hands": "equal"}),
    ("ledford", {"movement": "free", "accuse": "start_or_end", "doors": "any"}),
]
"""Presets and switches that, together, reach every kind of action and every number of players."""


def read(observation):
    """Return the fields of an observation."""
    return observation["observation"].view(OBSERVATION_LAYOUT)[0]


def quiet(mask, rng):
    """Return a legal action, an accusation only if there is nothing else."""
    options = np.flatnonzero(mask)
    others = options[(options < ACCUSE) | (options >= REVEAL)]
    if rng.random() < 0.8 and (others < PASS).any():
        others = others[others < PASS]  # rather to a room, where free movement offers 50 squares
    return int(rng.choice(others if len(others) else options))


def begin_game(rules="ledford", seed=5, game=0, **switches):
    """Return an environment, unwrapped, at the start of a game."""
    core = raw_env(rules, **switches)
    core.reset(seed=seed, options={"game": game})
    return core


def over(core):
    """Return whether the game is over."""
    return any(core.terminations.values()) or any(core.truncations.values())


def play(core, rng, steps) -> Iterator[tuple[str, dict]]:
    """Yield the agent to decide and its observation, then do a quiet action; to the game's end."""
    for _ in range(steps):
        if over(core):
            return
        seen = core.observe(core.agent_selection)
        yield core.agent_selection, seen
        core.step(quiet(seen["action_mask"], rng))


def accuse(core, rightly):
    """Let the agent that decides accuse the envelope, or another one."""
    envelope = int(core._state.envelope)
    weapon = envelope >> 6 & 63
    wrong = 1 if weapon != 1 else 2
    core.step(accusation(envelope if rightly else envelope ^ (weapon ^ wrong) << 6))
