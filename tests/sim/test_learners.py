"""Third-party learners on the environment, unpatched; missing ones are skipped."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.environment.aec import env
from sim.environment.against import Against
from sim.environment.flat import SIZE
from sim.state import N_ACTIONS

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOT = Path(__file__).resolve().parents[2]
LEARNING = {"accuse_from": 0.2, "wrong_price": 0.5, "flat": True}
NEEDED = "needs the extra 'learners': pip install '.[learners]'"


def test_tianshou_wraps_it():
    wrapper = pytest.importorskip("tianshou.env", reason=NEEDED).PettingZooEnv
    game, rng = wrapper(env("speed", **LEARNING)), np.random.default_rng(1)
    seen, _ = game.reset(seed=3)
    rewards, steps, over = np.zeros(4), 0, False
    while not over:
        mask = np.array(seen["mask"])
        assert mask.shape == (N_ACTIONS,) and mask.any() and seen["obs"].shape == (SIZE,)
        seen, rewards, ended, cut, _ = game.step(int(rng.choice(np.flatnonzero(mask))))
        over, steps = ended or cut, steps + 1
    assert steps > 4 and max(rewards) in (0, 1)


def test_rllib_wraps_it():
    wrappers = pytest.importorskip("ray.rllib.env.wrappers.pettingzoo_env", reason=NEEDED)
    game, rng = wrappers.PettingZooEnv(env("speed", **LEARNING)), np.random.default_rng(1)
    seen, _ = game.reset(seed=3)
    steps, total, over = 0, dict.fromkeys(game.agents, 0.0), False
    while not over:
        ((agent, observation),) = seen.items()
        assert game.get_observation_space(agent).contains(observation)
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        seen, rewards, ended, cut, _ = game.step({agent: action})
        over, steps = ended["__all__"] or cut["__all__"], steps + 1
        for name, reward in rewards.items():
            total[name] += reward
    assert steps > 4 and min(total.values()) < 0 < len(total) == 4


def test_maskable_ppo_trains_on_it():
    contrib = pytest.importorskip("sb3_contrib", reason=NEEDED)
    table = Against("random", "speed", accuse_from=0.2, wrong_price=0.5)
    model = contrib.MaskablePPO("MlpPolicy", table, n_steps=64, batch_size=64, seed=1, device="cpu")
    before = [part.detach().clone() for part in model.policy.parameters()]
    model.learn(128)
    after = list(model.policy.parameters())
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    seen, _ = table.reset(seed=5)
    for _ in range(20):
        mask = table.action_masks()
        action = int(model.predict(seen, action_masks=mask)[0])
        assert mask[action]
        seen, _, ended, cut, _ = table.step(action)
        if ended or cut:
            seen, _ = table.reset()


def test_the_example_runs(tmp_path):
    pytest.importorskip("sb3_contrib", reason=NEEDED)
    picture = tmp_path / "curve.png"
    command = [sys.executable, "examples/maskable_ppo.py", "--rules", "speed", "--seconds", "1"]
    command += ["--points", "1", "--games", "4", "--even-games", "4", "--picture", str(picture)]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr
    assert "uniform over legal actions" in ended.stdout and "of 4" in ended.stdout
    assert picture.stat().st_size > 5_000
