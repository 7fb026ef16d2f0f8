"""OpenSpiel both ways: its games grow the compiled trees, its judges know our Kuhn poker."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

import pyspiel
from open_spiel.python.algorithms import cfr, evaluate_bots
from open_spiel.python.bots import uniform_random
from open_spiel.python.games import kuhn_poker  # noqa: F401, registers python_kuhn_poker

from benchmarks.games import kuhn_poker as kuhn
from benchmarks.peers import kuhn as ours
from mcts.contract.testing import check_domain
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.waiting import Progress
from mcts.openspiel.games import ONE_TREE, POLICY, TREES, make_problem, refuse, uniform
from mcts.openspiel.planners import SearchBot, planner, table_of
from mcts.openspiel.states import consistent
from mcts.options import Budget, Options
from mcts.search import Search

OPTIONS = Options(selection="availability", exploration=0.35, nodes=1_000)
SIMULATIONS = 100 if INTERPRETED else 1_000

GAMES = [
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=3)",
    "tic_tac_toe",
    "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=3,points_order=random))",
    "python_kuhn_poker",
]


def after(game, *actions):
    """Return the state of a game after some actions, those of chance included."""
    state = (pyspiel.load_game(game) if isinstance(game, str) else game).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def opening(game):
    """Return the first decision of a game."""
    state = after(game)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return state


@pytest.mark.parametrize("others", [TREES, ONE_TREE, POLICY])
@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_searched(game, others):
    state = opening(game)
    problem = make_problem(state, others)
    result = Search(problem.position(), OPTIONS).run(Budget(simulations=60), 1)
    assert [problem.action(found) for found in result.actions] == state.legal_actions()
    assert result.visits.sum() == 60


@pytest.mark.parametrize("others", [TREES, ONE_TREE, POLICY])
@pytest.mark.parametrize("game", ["leduc_poker", "liars_dice(numdice=1,dice_sides=3)"])
def test_the_domain_keeps_its_contract(game, others):
    compared = check_domain(make_problem(opening(game), others).position(), paths=4, draws=12)
    assert compared > 0


def other_card(state, chance):
    """Draw the second player's card as the compiled Kuhn poker does."""
    other = chance.below(2)
    own = int(state.information_state_string(0)[0])
    return after("kuhn_poker", own, other if other < own else other + 1)


@pytest.mark.parametrize(
    ("others", "opponent"), [(TREES, kuhn.TREES), (ONE_TREE, kuhn.ONE_TREE)], ids=str
)
def test_the_search_is_that_of_the_compiled_game(others, opponent):
    problem = make_problem(after("kuhn_poker", 1, 0), others, resample=other_card)
    positions = problem.position(), kuhn.KuhnParameters(card=1, opponent=opponent)
    plain, compiled = (
        Search(p, OPTIONS).run(Budget(simulations=SIMULATIONS), 7) for p in positions
    )
    assert plain.visits.tolist() == compiled.visits.tolist()
    assert plain.values.tolist() == compiled.values.tolist()
    assert plain.nodes == compiled.nodes


def test_the_other_mode_is_another_search():
    """The control of the test above."""
    problem = make_problem(after("kuhn_poker", 1, 0), TREES, resample=other_card)
    plain = Search(problem.position(), OPTIONS).run(Budget(simulations=SIMULATIONS), 7)
    p = kuhn.KuhnParameters(card=1, opponent=kuhn.ONE_TREE)
    compiled = Search(p, OPTIONS).run(Budget(simulations=SIMULATIONS), 7)
    assert plain.values.tolist() != compiled.values.tolist()


def bold(state):
    """Always bet or call."""
    return {1: 1.0}


def test_a_policy_moves_the_others():
    """With the highest card a bet wins 2 of who calls, and 1 or 2 of who does so half the time."""
    found = {}
    for policy in (uniform, bold):
        problem = make_problem(after("kuhn_poker", 2, 0), POLICY, policy)
        result = Search(problem.position(), OPTIONS).run(Budget(simulations=SIMULATIONS), 3)
        found[policy] = result.values[list(map(problem.action, result.actions)).index(1)]
    assert found[bold] == pytest.approx(2.0)
    assert found[uniform] == pytest.approx(1.5, abs=0.15)


def words(state, player):
    return state.information_state_string(player)


def cautious(state):
    """Bet with the highest card, with the lowest once in three."""
    bets = {"0": 1 / 3, "1": 0.0, "2": 1.0}[state.information_state_string()[0]]
    return {0: 1 - bets, 1: bets}


@pytest.mark.parametrize(("policy", "lowest"), [(cautious, 0.25), (uniform, 0.5)])
def test_histories_weigh_what_the_others_did(policy, lowest):
    """The middle card has passed and hears a bet."""
    found = consistent(after("kuhn_poker", 1, 0, 0, 1), policy, words)
    weights = {str(state): weight for state, weight in found if weight}
    assert sorted(weights) == ["1 0 pb", "1 2 pb"]
    assert weights["1 0 pb"] / sum(weights.values()) == pytest.approx(lowest)


def test_looking_for_histories_shows_how_far_it_is_and_hears_ctrl_c(monkeypatch):
    """A game in Python takes minutes where the bound of states is the only one."""
    state = after("leduc_poker", 0, 1, 1, 1, 2, 1)
    reached = []
    monkeypatch.setattr(Progress, "show", lambda _, done: reached.append(done))
    consistent(state, uniform, words)
    assert reached[:2] == [64, 128]

    def press(_, done):
        reached.append(done)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Progress, "show", press)
    with pytest.raises(KeyboardInterrupt):
        consistent(state, uniform, words)
    assert reached[-1] == 64


def test_histories_that_cannot_be_found_are_told():
    state = after("kuhn_poker", 1, 0, 0, 1)
    with pytest.raises(ValueError, match="more than 5 states"):
        consistent(state, uniform, words, max_states=5)
    with pytest.raises(ValueError, match="the policy rules it out"):
        consistent(state, lambda state: {0: 1.0}, words)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: refuse(pyspiel.load_game("goofspiel(num_cards=3)")), "is not turn-based"),
        (lambda: make_problem(after("kuhn_poker")), "in which a player is to move"),
        (
            lambda: make_problem(opening("kuhn_poker"), "nobody"),
            "others must be one_tree, trees or",
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def random_table(game, seed):
    """Return any policy of a game."""
    rng = np.random.default_rng(seed)
    return table_of(
        game,
        lambda state, key: dict(enumerate(rng.dirichlet([1, 1]).tolist())),
        seed,
    )


def test_our_kuhn_poker_is_theirs():
    mine, theirs = pyspiel.load_game(ours.NAME), pyspiel.load_game("kuhn_poker")
    for seed in range(3):
        table = random_table(mine, seed)
        assert len(table) == 12
        found = pyspiel.exploitability(mine, table)
        assert found == pytest.approx(pyspiel.exploitability(theirs, table))
        assert found > 0.1
    pyspiel.random_sim_test(mine, num_sims=3, serialize=True, verbose=False)


def test_counterfactual_regret_finds_the_value_of_our_kuhn_poker():
    solver = cfr.CFRPlusSolver(pyspiel.load_game(ours.NAME))
    for _ in range(40):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()

    def value(state):
        if state.is_terminal():
            return state.returns()[0]
        chances = (
            state.chance_outcomes()
            if state.is_chance_node()
            else policy.action_probabilities(state).items()
        )
        return sum(chance * value(state.child(action)) for action, chance in chances)

    found = value(pyspiel.load_game(ours.NAME).new_initial_state())
    assert found == pytest.approx(kuhn.VALUE, abs=0.01)


def opponents(simulations, seed):
    """Return the exploitability of OpenSpiel's own ISMCTS, of ours, and of our compiled one."""
    game, own = pyspiel.load_game("kuhn_poker"), pyspiel.load_game(ours.NAME)
    budget = Budget(simulations=simulations)

    def theirs(state, key):
        evaluator = pyspiel.RandomRolloutEvaluator(1, key % 2**31)
        shares = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
        constant = OPTIONS.exploration * 2**0.5 * 4.0  # on returns from -2 to 2
        bot = pyspiel.ISMCTSBot(
            key % 2**31, evaluator, constant, simulations, -1, shares, False, False
        )
        return dict(bot.get_policy(state))

    return [
        pyspiel.exploitability(game, table_of(game, theirs, seed)),
        pyspiel.exploitability(game, table_of(game, planner(OPTIONS, budget), seed)),
        pyspiel.exploitability(own, table_of(own, ours.compiled_planner(OPTIONS, budget), seed)),
    ]


@pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")
def test_the_exploitability_is_that_of_their_own_search():
    theirs, plain, compiled = np.mean([opponents(1_000, seed) for seed in range(5)], axis=0)
    assert plain == pytest.approx(theirs, abs=0.02)
    assert compiled == pytest.approx(theirs, abs=0.02)
    # The control: fewer simulations, another policy.
    assert abs(np.mean([opponents(10, seed)[1] for seed in range(5)]) - theirs) > 0.03


def test_a_bot_plays_their_matches():
    game = pyspiel.load_game("leduc_poker")
    plan = planner(OPTIONS, Budget(simulations=30))
    total = 0.0
    for seed in range(20):
        rng = np.random.RandomState(seed)
        bots = [SearchBot(plan, seed), uniform_random.UniformRandomBot(1, rng)]
        won = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
        assert sum(won) == 0.0
        total += won[0]
    assert total > 0
