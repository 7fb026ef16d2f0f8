"""Compiled Leduc poker and liar's dice: their rules by counts, by returns and beside OpenSpiel."""

from itertools import permutations, product

import numpy as np
import pytest

from benchmarks.games import leduc_poker as leduc
from benchmarks.games import liars_dice as dice
from benchmarks.games.two_players import ONE_TREE, TREES
from mcts.contract.testing import check_domain
from mcts.kernel.compile import INTERPRETED


class LeducTable:
    """The compiled rules of Leduc poker, with every card known."""

    module, deals, name = leduc, list(permutations(range(6), 2)), "leduc_poker"
    parameters = leduc.LeducParameters()

    @staticmethod
    def act(p, s, action):
        leduc.act(p, s, action)

    @staticmethod
    def chance(s):
        return [c for c in range(6) if c not in (s[0], s[1])] if leduc.waits(s) else []


class DiceTable:
    """The compiled rules of liar's dice."""

    module, deals, name = dice, list(product(range(6), repeat=2)), "liars_dice"
    parameters = dice.DiceParameters()

    @staticmethod
    def act(p, s, action):
        dice.act(s, action)

    @staticmethod
    def chance(s):
        return []


def list_legal(table, s):
    out, data = np.zeros(13, np.int64), np.zeros(13)
    n = table.module.actions(table.parameters, s, out, data)
    return sorted(out[:n].tolist())


def name_known(table, s, player):
    """Return all that a player knows: its own card or die, and what it observes."""
    if player == 0:
        return 0, int(s[0]), int(table.module.observation(table.parameters, s))
    return 1, int(table.module.observation_of(table.parameters, s, 1))


def walk(table, deals=None):
    """Yield the way to and the workspace of every state after the deals, ends included."""
    p = table.parameters
    for deal in table.deals if deals is None else deals:
        s = table.module.workspace(p)
        table.module.deal(p, s, *deal)
        waiting = [(deal, s)]
        while waiting:
            way, s = waiting.pop()
            yield way, s
            if table.module.terminal(p, s):
                continue
            chances = table.chance(s)
            for action in chances or list_legal(table, s):
                after = s.copy()
                if chances:
                    leduc.lay(after, action)
                else:
                    table.act(p, after, action)
                waiting.append(((*way, action), after))


POSITIONS = [
    leduc.LeducParameters(card=3),
    leduc.LeducParameters(card=3, second=1, code=0b11, order=5),
    leduc.LeducParameters(card=3, open=2, code=0b1010),
    leduc.LeducParameters(card=1, open=5, second=1, code=0b101011, order=9),
    dice.DiceParameters(die=5),
    dice.DiceParameters(die=1, second=1, made=0b100, order=3),
]


@pytest.mark.parametrize("others", [ONE_TREE, TREES])
@pytest.mark.parametrize("p", POSITIONS, ids=str)
def test_the_domain_keeps_its_contract(p, others):
    assert check_domain(p._replace(others=others), paths=4, draws=12) > 0


@pytest.mark.parametrize("p", POSITIONS, ids=str)
def test_a_simulation_begins_where_the_position_says(p):
    """With a hidden card that cannot be known to lie open, and all others as likely."""
    module = leduc if isinstance(p, leduc.LeducParameters) else dice
    s, hidden = module.workspace(p), []
    for key in range(300):
        module.start(p, s, np.array([key], np.uint64))
        assert module.mover(p, s) == 0 and not module.terminal(p, s)
        hidden.append(int(s[1]))
    counts = np.unique(hidden, return_counts=True)[1]
    if module is leduc:
        assert set(hidden) == set(range(6)) - {p.card, p.open}
        assert int(s[3]) == p.code and int(s[2]) == p.open
    else:
        assert set(hidden) == set(range(6)) and int(s[2]) == p.made
    assert counts.min() > 300 / 6 / 2


@pytest.mark.skipif(INTERPRETED, reason="too many states for the interpreter")
@pytest.mark.parametrize("table", [LeducTable, DiceTable])
def test_the_rules_are_those_of_openspiel(table):
    """In every history who moves, what is legal, what is paid; and a set of ours is one of theirs.

    Of liar's dice six of the 36 deals, in which each player has each die.
    """
    pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    game, p = pyspiel.load_game(table.name), table.parameters
    deals = table.deals if table is LeducTable else [(i, (i + 1) % 6) for i in range(6)]
    theirs_of, ours_of = {}, {}
    states = {}
    for way, s in walk(table, deals):
        state = states[way[:-1]].child(way[-1]) if way[:-1] in states else begin(game, way)
        states[way] = state
        assert bool(state.is_terminal()) == bool(table.module.terminal(p, s))
        if state.is_terminal():
            assert state.returns() == [table.module.payoff(p, s, player) for player in (0, 1)]
        elif state.is_chance_node():
            assert [card for card, _ in state.chance_outcomes()] == table.chance(s)
        else:
            player = state.current_player()
            assert player == table.module.mover(p, s)
            assert state.legal_actions() == list_legal(table, s)
            theirs, mine = state.information_state_string(player), name_known(table, s, player)
            assert theirs_of.setdefault(mine, theirs) == theirs
            assert ours_of.setdefault(theirs, mine) == mine
    assert len(ours_of) == {"leduc_poker": 936, "liars_dice": 24_576}[table.name]


def begin(game, actions):
    """Return the state of ``game`` after some actions."""
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.skipif(INTERPRETED, reason="too many states for the interpreter")
def test_a_state_of_openspiel_is_a_position_of_ours():
    """The walk again: what a simulation begins with is what the mover of the state knows."""
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    import pyspiel

    from benchmarks.peers.compiled import POSITIONS as READ

    for table, deals in ((LeducTable, [(3, 4), (0, 1)]), (DiceTable, [(1, 4)])):
        game, seen = pyspiel.load_game(table.name), 0
        for way, s in walk(table, deals):
            state = begin(game, way)
            if state.is_terminal() or state.is_chance_node():
                continue
            me = state.current_player()
            p = READ[table.name](state)
            begun = table.module.workspace(p)
            table.module.start(p, begun, np.array([7], np.uint64))
            assert p.second == me == table.module.mover(table.parameters, s)
            assert begun[0] == s[me]
            mine = table.module.observation(p, begun)
            assert mine == table.module.observation(table.parameters, s)
            assert list_legal(table, begun) == list_legal(table, s)
            seen += 1
        assert seen > 100
