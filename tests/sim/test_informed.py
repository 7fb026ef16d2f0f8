"""The reasoning policies closure, swift and greedy against independent definitions."""

import networkx as nx
import numpy as np
import pytest

from belief.closure import new_known, update_closure
from belief.exact.solver import ExactPosterior
from belief.information import closed_form
from mcts.kernel.compile import INTERPRETED
from sim.arena import Memory, act
from sim.board import door_spots, graph
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.contract.testing import decisions
from sim.game import open_decision
from sim.policies.registry import Policy, choose
from sim.rules import PRESETS, world
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, REVEAL, SUGGEST, TURN, empty

MIXED = ("heuristic", "uniform", "swift", "random", "closure")
GAMES = 2 if INTERPRETED else 12


def own_decisions(name, policy, games=GAMES, **switches):
    """Yield (rules, state, seat, action) at the decisions of one seat in games by a preset.

    The state is a copy, taken before the decision, with its stream open.
    """
    rules, one = PRESETS[name], empty()
    for game in range(games):
        seat = game % rules.players
        table = [MIXED[(i + game) % len(MIXED)] for i in range(rules.players)]
        table[seat] = Policy(policy, **switches)
        memory = Memory(table)
        for state in decisions(rules, table, seat, game, memory):
            one[0] = state
            open_decision(one[0])
            action = int(act(world(rules)[0], state, memory.work, memory.sample))
            yield rules, one[0], seat, action


def trio(cards):
    """Return the accusation of the mask ``cards``."""
    suspect, weapon, room = (card for card in range(21) if int(cards) >> card & 1)
    return ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM


def accuses(action):
    """Return whether ``action`` is an accusation."""
    return ACCUSE <= action < REVEAL


# Closure.


@pytest.mark.parametrize(
    ("policy", "name"), zip(["closure", "swift"] * len(PRESETS), PRESETS, strict=False)
)
def test_they_accuse_exactly_when_it_is_proved(name, policy):
    proofs = 0
    for rules, state, seat, action in own_decisions(name, policy):
        if state.phase == END or (state.phase == TURN and rules.accuse != "end"):
            known = new_known()[0]
            assert update_closure(state.evidence[seat], known)
            proved = int(known.has[0])
            if proved.bit_count() == 3:
                assert proved == state.envelope and action == trio(proved)
                proofs += 1
            else:
                assert not accuses(action)
    assert proofs >= GAMES // 12


def test_closure_walks_and_asks_as_the_heuristic_does_on_even_rows():
    """Its entropy of a card is the logarithm of the number of holders that are left."""
    looked_at = 0
    for rules, state, seat, action in own_decisions("ledford", "closure"):
        if state.phase == SUGGEST:
            known = new_known()[0]
            update_closure(state.evidence[seat], known)
            left = [
                max(1, sum(int(known.may[i]) >> card & 1 for i in range(rules.players + 1)))
                for card in range(21)
            ]
            suspect, weapon = int(np.argmax(left[:6])), int(np.argmax(left[6:12]))
            assert action == ASK + 6 * suspect + weapon
            looked_at += 1
    assert looked_at >= GAMES


# Swift.


def bits(state, seat, room):
    """Return the information of the best pair in ``room`` of those that the envelope may hold."""
    may = int(state.closure[seat].may[0])
    return max(
        closed_form(state.marginals, seat, suspect, weapon, FIRST_ROOM + room)
        for suspect in range(6)
        for weapon in range(6, 12)
        if may >> suspect & 1 and may >> weapon & 1
    )


def turns(rules, state, seat, room):
    """Return the expected turns to ``room``, this one included: by NetworkX and the dice."""
    here = int(state.spot[seat])
    doors = [here]
    if rules.doors == "any" and graph().nodes[here]["room"] >= 0:
        doors = door_spots(graph().nodes[here]["room"])
    far = nx.multi_source_dijkstra_path_length(graph(), set(door_spots(room)))
    steps = min(far[door] for door in doors) if rules.board else 1
    sums = np.array([1.0])
    for _ in range(rules.dice):
        sums = np.convolve(sums, np.full(6, 1 / 6))
    expected = [0.0]
    for left in range(1, 60):
        later = [expected[max(left - rules.dice - i, 0)] for i in range(len(sums))]
        expected.append(1 + float(sums @ later))
    return 1 + expected[max(steps - int(state.roll), 0)]


@pytest.mark.parametrize("name", PRESETS)
def test_swift_takes_what_tells_most_a_turn(name):
    """Among all rooms, the passage and staying, none is passed over by looking at few."""
    looked_at = 0
    for rules, state, seat, action in own_decisions(name, "swift"):
        if state.phase != TURN or accuses(action):
            continue
        after = state.copy()
        choose(world(rules)[0], after, seat)  # leaves its marginals there
        here = graph().nodes[int(state.spot[seat])]["room"]
        left = int(state.last_room[seat]) - 1 if here < 0 and not rules.returns else here
        worth = {
            MOVE + room: bits(after, seat, room) / turns(rules, state, seat, room)
            for room in range(9)
            if room != left
        }
        passage = int(world(rules)[0].passage[here]) if here >= 0 else -1
        if passage >= 0:
            worth[PASSAGE] = bits(after, seat, passage)
        if here >= 0 and state.summoned[seat]:
            worth[ASK] = bits(after, seat, here)
        kind = ASK if ASK <= action < ACCUSE else action
        assert worth[kind] == pytest.approx(max(worth.values()), rel=1e-9)
        looked_at += 1
    assert looked_at > GAMES


# Greedy.


@pytest.mark.parametrize(
    ("threshold", "name"), zip([1.0, 0.5] * len(PRESETS), PRESETS, strict=False)
)
def test_greedy_accuses_exactly_when_its_posterior_reaches_the_threshold(name, threshold):
    accused = 0
    games = 1 if INTERPRETED else 4
    for _, state, seat, action in own_decisions(name, "greedy", games, threshold=threshold):
        if state.phase in (TURN, END):
            posterior = ExactPosterior(state.evidence[seat])
            ((_, chance),) = posterior.likely_envelopes(1)
            reached = chance >= min(threshold, 1 - 1e-9)
            assert accuses(action) == reached
            if reached:
                table = posterior.envelope_table()
                assert table.ravel()[action - ACCUSE] == pytest.approx(table.max())
                accused += 1
            elif state.phase == END:
                assert action == PASS
    assert accused > 0 or games == 1
