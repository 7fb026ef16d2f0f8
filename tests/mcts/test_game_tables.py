"""Small games of OpenSpiel as tables: the same game, the exact belief, the same policy."""

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

import pyspiel

from mcts.contract.testing import check_domain
from mcts.kernel.rng import new_stream
from mcts.openspiel.games import ONE_TREE, TREES, make_problem, uniform
from mcts.openspiel.planners import planner, table_of
from mcts.openspiel.states import consistent
from mcts.openspiel.tables import GameTables
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tabular import domain

OPTIONS = Options(selection="availability", exploration=0.35, nodes=1_000)
LEDUC = pyspiel.load_game("leduc_poker")


@pytest.fixture(scope="module")
def leduc():
    return GameTables(LEDUC)


def play(*actions):
    """Return the state of Leduc poker after actions, those of chance included."""
    state = LEDUC.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


DECISIONS = [play(0, 3), play(0, 3, 1), play(0, 3, 2), play(1, 3, 2, 1, 5), play(1, 3, 2, 1, 5, 1)]


@pytest.mark.parametrize("state", DECISIONS, ids=str)
def test_the_belief_is_what_listing_all_histories_says(leduc, state):
    found = consistent(state, uniform, lambda at, who: at.information_state_string(who))
    total = sum(weight for _, weight in found)
    p = leduc.position(state)
    assert sorted(p.share) == pytest.approx(sorted(weight / total for _, weight in found))
    assert len(p.share) == len(found)


@pytest.mark.parametrize("others", [TREES, ONE_TREE])
def test_the_domain_keeps_its_contract(leduc, others):
    assert check_domain(leduc.position(play(0, 3), others), paths=4, draws=12) > 0


def test_a_walk_through_the_tables_is_a_walk_through_the_game(leduc):
    """Turns, legal actions, information and payoffs, along drawn histories."""
    rng, ends = np.random.default_rng(1), 0
    p = leduc.position(play(0, 3))
    s, stream, out, data = domain.workspace(p), new_stream(1), np.zeros(3, np.int64), np.zeros(3)
    for _ in range(60):
        domain.start(p, s, stream)
        while not domain.terminal(p, s):
            state = leduc.history(int(s[0]))
            assert domain.mover(p, s) == state.current_player()
            n = domain.actions(p, s, out, data)
            assert out[:n].tolist() == state.legal_actions()
            assert [bool(domain.available(p, s, a)) for a in range(3)] == [
                action in state.legal_actions() for action in range(3)
            ]
            domain.step(p, s, int(rng.choice(out[:n])), 0.0, stream)
        state = leduc.history(int(s[0]))
        assert [domain.payoff(p, s, player) for player in range(2)] == state.returns()
        ends += state.is_terminal()
    assert ends == 60


def test_the_values_are_those_of_the_game_in_python(leduc):
    state = play(2, 3)
    budget = Budget(simulations=4_000)
    plain = Search(make_problem(state).position(), OPTIONS).run(budget, 1)
    tables = Search(leduc.position(state), OPTIONS).run(budget, 1)
    other = Search(leduc.position(play(5, 3)), OPTIONS).run(budget, 1)  # another card
    assert tables.actions.tolist() == plain.actions.tolist()
    assert np.average(tables.values, weights=tables.visits) == pytest.approx(
        np.average(plain.values, weights=plain.visits), abs=0.25
    )
    assert np.average(other.values, weights=other.visits) > np.average(tables.values) + 0.5


def test_an_order_is_another_and_the_same_again(leduc):
    state = play(0, 3)
    s, out, data = domain.workspace(leduc.position(state)), np.zeros(3, np.int64), np.zeros(3)

    def list_in(order):
        p = leduc.position(state, order=order)
        domain.start(p, s, new_stream(1))
        return tuple(out[: domain.actions(p, s, out, data)].tolist())

    assert {list_in(order) for order in range(20)} == {(1, 2), (2, 1)}
    assert list_in(5) == list_in(5)


def test_a_planner_chooses_tables_for_small_games():
    kuhn = pyspiel.load_game("kuhn_poker")
    budget = Budget(simulations=1_000)

    def exploit(histories):
        plan = planner(OPTIONS, budget, histories=histories)
        return np.mean(
            [pyspiel.exploitability(kuhn, table_of(kuhn, plan, seed)) for seed in range(3)]
        )

    found = {histories: exploit(histories) for histories in (0, 53, 54)}
    assert found[0] == found[53] != found[54]  # 54 histories
    assert found[54] == pytest.approx(found[0], abs=0.03)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("leduc_poker", "more than 100 histories"),
        ("goofspiel", "is not turn-based"),
        ("backgammon", "does not say what a player remembers"),
    ],
)
def test_what_has_no_table_is_refused(game, said):
    with pytest.raises(ValueError, match=said):
        GameTables(pyspiel.load_game(game), limit=100)
