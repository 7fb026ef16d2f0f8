"""Games stopped midway, with the hidden state and one seat's observations.

Tests read the true state; the code under test receives only `view_of` and `as_seen`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.stats import chisquare

from belief.exact.solver import ExactPosterior
from belief.leakage import COLUMNS, LANES, leakage, weapon_columns
from mcts.kernel.rng import fold, new_stream
from mcts.options import Budget, Options
from mcts.tree import EXPANDED, NODES, Tree
from sim.chance import game_key, open_stream
from sim.game import advance, apply, decider, new_game, open_decision
from sim.legal import legal
from sim.planning import cluedo
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.policies.registry import choose, number, seat_policies
from sim.rules import Rules, world
from sim.state import ACCUSE, EVIDENCE, EXTERNAL, N_ACTIONS, OVER, REVEAL, empty
from sim.view import Log, as_seen, replay_evidence, view_of

SMALL = PlannerConfig(
    candidates=6,
    accusations=2,
    least_accused=0.02,
    rollout="heuristic",
    options=Options(nodes=400, widening_base=2.0),
    budget=Budget(simulations=250),
)
"""A planner for tests: small enough to be quick, with accusations on offer early."""


@dataclass
class Position:
    """A decision of ``seat`` in a real game: ``state`` is the truth, ``events`` show every card."""

    rules: Rules
    seat: int
    state: np.record
    events: list[tuple[int, int, int, int]]

    @property
    def view(self) -> np.recarray:
        """View of the seat."""
        return view_of(self.state, self.seat)

    @property
    def seen(self) -> list[tuple[int, int, int, int]]:
        """The suggestions as the seat saw them."""
        return [as_seen(event, self.seat) for event in self.events]

    def evidence(self, events: bool = True, own_card_weight: float = 1.0) -> np.record:
        """Return what the seat has seen as an evidence record; without ``events`` its cards.

        ``own_card_weight`` is that of what others name in their suggestions; 1 reads nothing into
        them.
        """
        view = self.view[0]
        view.tracks[self.seat], view.own_card_weight[self.seat] = EVIDENCE, own_card_weight
        log = Log()
        for event in self.seen if events else ():
            log.append(event)
        replay_evidence(world(self.rules)[0], view, self.seat, log.events)
        return view.evidence[self.seat]

    def take(self, planner):
        """Let ``planner`` sit down and see all that the seat has seen; return it."""
        planner.begin(self.rules, self.seat, self.view, 99)
        for event in self.seen:
            planner.see(event)
        return planner


def position(
    game: int,
    decisions: int,
    seat: int | None = None,
    rules: Rules | None = None,
    others: str = "heuristic",
    own: str = "uniform",
    seed: int = 3,
) -> Position | None:
    """Return the ``decisions``-th later decision of a seat, or None if the game ends before.

    The seat (default: by the game's number) plays ``own`` but never accuses.  Each is reached once
    in a session; callers may change what they get.
    """
    rules = rules or Rules()
    seat = game % rules.players if seat is None else seat
    found = _reach(game, decisions, seat, rules, others, own, seed)
    return found and replace(found, state=found.state.copy(), events=list(found.events))


@cache
def _reach(game, decisions, seat, rules, others, own, seed) -> Position | None:
    board = world(rules)[0]
    state = empty()[0]
    seat_policies(state, [None if i == seat else others for i in range(rules.players)])
    state.recording = 1
    new_game(board, state, np.uint64(game_key(seed, game)))
    events: list[tuple[int, int, int, int]] = []
    choices = np.empty(N_ACTIONS, np.int64)
    made = 0
    while True:
        advance(board, state)
        events += [tuple(event) for event in state.event[: state.events].tolist()]
        state.events = 0
        if state.phase == OVER:
            return None
        if decider(state) != seat:
            continue
        if made == decisions:
            return Position(rules, seat, state, events)
        made += 1
        open_stream(state, 4, state.turn)
        state.policy[seat] = number(own)
        action = choose(board, state, seat)
        state.policy[seat] = EXTERNAL
        if action >= ACCUSE and action < REVEAL:
            legal(board, state, choices)
            action = choices[0]
        apply(board, state, action)


def steps(rules, policies, game, seed=3, tracks=0):
    """Yield (state, action) before every action of a game; do not keep the state."""
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies)
    state.recording = 1
    state.tracks[: rules.players] |= tracks
    new_game(board, state, np.uint64(game_key(seed, game)))
    while state.phase != OVER:
        open_decision(state)
        action = int(choose(board, state, decider(state)))
        yield state, action
        state.events = 0
        apply(board, state, action)


def positions(count: int, decisions: tuple[int, ...], **how) -> list[Position]:
    """Return ``count`` positions of successive games after so many ``decisions``, in turn."""
    found, game = [], 0
    while len(found) < count:
        one = position(game, decisions[game % len(decisions)], **how)
        found += [one] if one else []
        game += 1
    return found


def unsure_positions(count: int, **how) -> list[Position]:
    """Return positions at which the seat has heard something and does not know the envelope."""
    found = positions(4 * count, (6, 9, 13, 16), **how)
    unsure = [found[place] for place in _list_unsure(4 * count, tuple(how.items()))]
    assert len(unsure) >= count
    return unsure[:count]


@cache
def _list_unsure(count, how) -> list[int]:
    """Return the places of those positions."""
    found = enumerate(positions(count, (6, 9, 13, 16), **dict(how)))
    informed = [(place, one) for place, one in found if len(one.events) >= 4]
    return [
        place
        for place, one in informed
        if ExactPosterior(one.evidence()).likely_envelopes(1)[0][1] < 0.6
    ]


def legal_actions(one: Position) -> list[int]:
    """Return the legal actions of a position."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(world(one.rules)[0], one.state, out)].tolist()


def random_action(board: np.record, state: np.record, stream: np.ndarray, out: np.ndarray) -> int:
    """Return a legal action: an accusation once in a hundred, else any other."""
    n = legal(board, state, out)
    options = out[:n]
    accusing = (options >= ACCUSE) & (options < REVEAL)
    stream[0] = fold(stream[0], 1)
    if (~accusing).any() and stream[0] % 100:
        options = options[~accusing]
    stream[0] = fold(stream[0], 2)
    return int(options[int(stream[0] % len(options))])


def stream_of(key: int) -> np.ndarray:
    """Return a random stream for tests."""
    return new_stream(int(fold(np.uint64(0x7E57), key)))


def fingerprint(tree: Tree) -> str:
    """Return a digest of all nodes, in the order of their creation, and of all edges."""
    nodes = tree.order[: tree.counters[NODES]]
    listed = nodes[tree.status[nodes] == EXPANDED]
    edges = int(tree.length[listed].sum())
    parts = [
        array[nodes] for array in (tree.key, tree.parent, tree.incoming, tree.status, tree.visits)
    ]
    parts += [array[listed] for array in (tree.first, tree.length)]
    parts += [
        array[:edges] for array in (tree.action, tree.edge_data, tree.edge_visits, tree.edge_total)
    ]
    parts += [tree.counters, tree.returns]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def find(planner: Planner) -> tuple:
    """Return all that the last search of ``planner`` found: its root table and its whole tree."""
    result = planner.result
    arrays = (result.actions, result.edge_data, result.visits, result.values)
    table = tuple(array.tobytes() for array in arrays)
    return result.best, table, fingerprint(planner.search.tree)


def decide(
    one: Position, config: PlannerConfig = SMALL, planner: type[Planner] = Planner, *arguments
) -> Planner:
    """Let a new planner decide at a position; return it."""
    sat = one.take(planner(config, *arguments))
    sat.decide(one.view)
    return sat


def searched_position(
    one: Position, config: PlannerConfig = SMALL
) -> tuple[cluedo.Cluedo, cluedo.Workspace]:
    """Return (parameters, workspace) for searching ``one``."""
    p = one.take(Planner(config)).position(one.view)
    return p, cluedo.workspace(p)


def cards_of(mask: int) -> list[int]:
    """Return the cards in a mask."""
    return [card for card in range(21) if mask >> card & 1]


def exchange(one: Position, deal: np.ndarray, stream: np.ndarray) -> Position:
    """Return ``one`` with the hidden cards as in ``deal`` and the rest of the truth scrambled.

    The seat's own cards, the public state and all that the seat saw stay the same.
    """
    state = one.state.copy()
    others = [seat for seat in range(one.rules.players) if seat != one.seat]
    for seat in others:
        state.hand[seat] = sum(1 << card for card in range(21) if deal[card] == seat + 1)
    state.envelope = sum(1 << card for card in range(21) if deal[card] == 0)
    state.key = ~state.key
    state.known[others] = state.hand[others] | state.face_up
    state.goal[others] = (state.goal[others] + 1) % 9
    state.belief[others] = 0.25
    state.bits[others] = -1.0
    state.stream[:] = 5
    state.event[:] = 7
    events = []
    for asker, cards, answerer, card in one.events:
        if one.seat not in (asker, answerer) and answerer >= 0:
            matching = cards_of(int(state.hand[answerer]) & cards)
            card = matching[int(stream[0]) % len(matching)]
        events.append((asker, cards, answerer, card))
    return Position(one.rules, one.seat, state, events)


def other_deals(one: Position, count: int, key: int = 1) -> list[Position]:
    """Return positions that look like it to ``one``'s seat, all with another envelope."""
    stream = stream_of(key)
    deals = ExactPosterior(one.evidence()).sample(stream, 60)
    others = [exchange(one, deal, stream) for deal in deals]
    others = [other for other in others if other.state.envelope != one.state.envelope]
    assert len(others) >= count
    return others[:count]


def draw(p: cluedo.Cluedo, s: cluedo.Workspace, count: int, key: int = 1) -> np.ndarray:
    """Return ``count`` deals (0 envelope, seat + 1, -1 face up) drawn by `start`."""
    stream = stream_of(key)
    deals = np.full((count, 21), -1)
    for deal in deals:
        cluedo.start(p, s, stream)
        state = s.state[0]
        deal[[c for c in range(21) if state.envelope >> c & 1]] = 0
        for seat in range(p.world[0].players):
            deal[[c for c in range(21) if state.hand[seat] >> c & 1]] = seat + 1
    return deals


def least_p_value(deals: np.ndarray, marginals: np.ndarray) -> float:
    """Return the smallest chi-square p-value over the cards; 0 if one is where it cannot be."""
    least = 1.0
    for card in range(21):
        open_to = marginals[card] > 1e-9
        if open_to.sum() > 1:
            counts = np.array([(deals[:, card] == holder).sum() for holder in range(7)])
            expected = marginals[card] * len(deals)
            if counts[~open_to].any():
                return 0.0
            if (expected[open_to] >= 5).all():
                least = min(least, chisquare(counts[open_to], expected[open_to]).pvalue)
    return least


def leak_of(table, players, suspect, weapon, room):
    """Return what the opponents gain from one suggestion, by a table of `belief.leakage`."""
    columns, given = np.empty((COLUMNS, LANES)), np.empty((1, LANES))
    weapon_columns(table, columns)
    leakage(table, columns, players, suspect, room, given)
    return given[0, weapon - 6]
