"""The environment: PettingZoo's tests, accepted steps, ends of games, its page."""

import copy
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from env_play import GAMES, accuse, begin_game, over, play, read
from pettingzoo.test import api_test, seed_test

import sim
from sim.arena import play_many
from sim.cards import CATEGORY_MASK
from sim.environment.aec import env, raw_env
from sim.environment.observation import FIELDS, SIZE
from sim.player import IllegalAction
from sim.rules import PRESETS, preset
from sim.state import ACCUSE, N_ACTIONS, PASS, REVEAL, SHOW

ROOT = Path(sim.__file__).parent.parent
PAGE = (ROOT / "docs" / "environment.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
)
"""PettingZoo warns of any observation with a mask outside its own list of environments."""


@pytest.mark.parametrize(("rules", "switches"), GAMES[::4])
def test_pettingzoo_accepts_it(rules, switches, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env(rules, **switches), num_cycles=1000)
        seed_test(lambda: env(rules, **switches), num_cycles=200)
    messages = {str(warning.message) for warning in caught}
    assert [message for message in messages if not message.startswith(UNAVOIDABLE)] == []


def test_step_accepts_what_the_mask_says_and_nothing_else():
    rng = np.random.default_rng(2)
    phases = set()
    for rules in ("ferrari2009", "ledford"):
        core = begin_game(rules)
        for agent, seen in play(core, rng, 120):
            phase = int(read(seen)["phase"])
            if (rules, phase) in phases:
                continue
            phases.add((rules, phase))
            before = core._state.tobytes(), len(core._logs[0])
            for action in range(-1, N_ACTIONS + 1):
                if 0 <= action < N_ACTIONS and seen["action_mask"][action]:
                    if action % 9 == 0 or not ACCUSE <= action < REVEAL:
                        copy.deepcopy(core).step(action)
                    continue
                with pytest.raises(IllegalAction):
                    core.step(action)
            assert before[0] == core._state.tobytes() and core.agent_selection == agent
            assert before[1] == len(core._logs[0])
    assert len(phases) == 3 + 4


def test_a_refusal_says_who_and_what_was_possible():
    game = env()
    game.reset(seed=5)
    with pytest.raises(IllegalAction, match=r"player_0 cannot do 391: .* 0 to 8, 46 to 369$"):
        game.step(PASS)
    for nonsense in (None, 3.0, "3", np.zeros(2)):
        with pytest.raises(IllegalAction, match="player_0 cannot do"):
            game.step(nonsense)
    game.step(np.int32(3))


@pytest.mark.parametrize("rules", PRESETS)
def test_policies_play_the_games_of_the_arena(rules):
    games = 3
    core = raw_env(rules)
    policies = ("swift", "heuristic", "greedy", "closure")[: core.rules.players]
    table = play_many(preset(rules), policies, 8, np.arange(games))
    for game in range(games):
        core.reset(seed=8, options={"game": game})
        while not over(core):
            core.step(core.policy_action(policies[core.agents.index(core.agent_selection)]))
        end = read(core.observe("player_0"))
        assert (end["winner"], end["turn"]) == (table.winner[game], table.turns[game])
        players = len(policies)
        assert end["suggestions"][:players].tolist() == table.suggestions[game].tolist()
        assert end["out"][:players].tolist() == table.out[game].tolist()
        with pytest.raises(ValueError, match="the game is over"):
            core.policy_action("random")


def leave(game):
    """Take leave of a finished game; return the rewards by agent."""
    rewards = {}
    for agent in game.agent_iter():
        _, rewards[agent], terminated, truncated, _ = game.last()
        assert type(terminated) is bool and type(truncated) is bool
        assert terminated != truncated
        game.step(None)
    assert not game.agents
    return rewards


def test_the_winner_gets_one_and_the_others_minus_one():
    game = env()
    game.reset(seed=5)
    game.step(3)
    accuse(game.unwrapped, rightly=True)
    assert all(game.terminations.values()) and not any(game.truncations.values())
    with pytest.raises(ValueError, match="None"):
        game.unwrapped.step(3)
    assert leave(game) == {"player_0": -1, "player_1": 1, "player_2": -1, "player_3": -1}


@pytest.mark.parametrize(("spoken", "seen"), [("heard", True), ("secret", False)])
def test_what_was_accused_is_seen_where_it_is_heard(spoken, seen):
    """It is no suggestion."""
    core = begin_game("classic", accusations=spoken)
    accuse(core, rightly=False)
    now = read(core.observe("player_2"))
    cards = [int(core._state.heard[0] & kind).bit_length() - 1 for kind in CATEGORY_MASK]
    assert now["accused"][2].tolist() == cards and (min(cards) >= 0) == seen
    assert (now["history"] == -1).all() and now["out"].tolist() == [0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("rules", ["ledford", "speed"])
def test_the_cap_on_turns_truncates(rules):
    game = env(rules, turn_cap=7)
    game.reset(seed=5)
    for _ in play(game, np.random.default_rng(1), 100):
        assert not any(game.truncations.values())
    assert all(game.truncations.values()) and not any(game.terminations.values())
    assert read(game.observe("player_0"))["turn"] == 7
    assert set(leave(game).values()) == {0}


def test_a_wrong_accuser_goes_on_to_show_cards_and_does_nothing_else():
    core = begin_game()
    accuse(core, rightly=False)
    shown = 0
    for agent, seen in play(core, np.random.default_rng(1), 800):
        assert not core.terminations["player_0"]
        assert read(core.observe("player_1"))["out"].tolist() == [0, 0, 0, 1, 0, 0]
        if agent == "player_0":
            assert read(seen)["phase"] == SHOW and seen["action_mask"][:REVEAL].sum() == 0
            shown += 1
    assert shown > 3


def deals(core, resets):
    """Return (seed, game, hands) after each of ``resets``, the arguments of `reset`."""
    found = []
    for arguments in resets:
        core.reset(**arguments)
        found.append((core.seed, core.game, core._state.hand.tolist()))
    return found


def test_a_seed_names_a_run_and_options_a_game_of_it():
    resets = [
        {"seed": 0},
        {},
        {},
        {"seed": 0, "options": {"game": 2}},
        {},
        {"options": {"game": 1}},
    ]
    found = deals(raw_env(), resets)
    assert [game for _, game, _ in found] == [0, 1, 2, 2, 3, 1]
    assert {seed for seed, _, _ in found} == {0}
    assert found[2] == found[3] and found[1] == found[5] and found[0] != found[1]
    assert found == deals(raw_env(), resets)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="unknown rules 'chess'"):
        env("chess")
    with pytest.raises(ValueError, match="no switch 'sise'"):
        env(sise=3)
    core = begin_game(seed=4, game=2)
    for wrong in ({"seed": -1}, {"seed": 2**63}, {"options": {"game": -1}}):
        with pytest.raises(ValueError, match="must be at least 0"):
            core.reset(**wrong)
    assert (core.seed, core.game) == (4, 2)
    assert str(env()) == "cluedo_v1"
    with pytest.raises(AttributeError, match="before reset"):
        _ = env().agent_selection


def test_the_page_has_every_field_and_runs(capsys):
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\dx ]+) \|", PAGE, re.MULTILINE))
    assert rows == {name: " x ".join(map(str, shape)) or "1" for name, shape, _, _ in FIELDS}
    assert f"`observation`, ({SIZE},) int32" in PAGE and f"`action_mask`, ({N_ACTIONS},)" in PAGE
    assert len(EXAMPLES) == 2
    for example in EXAMPLES:
        exec(compile(example, "docs/environment.md", "exec"), {"__name__": "example"})
    assert "cards in hand:" in capsys.readouterr().out
