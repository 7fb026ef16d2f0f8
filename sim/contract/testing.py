"""Contract test of players.

`check_player` plays whole games with the player under the referee.  It then repeats each decision
after replacing everything hidden from the seat: the deal beyond its own hand, the knowledge and
policies of the other seats, the cards that they showed each other, and the game key.  A changed
decision means that the player uses hidden information.  Failures raise AssertionError; no test
runner is needed.

Limits: leaked information is detected only if it changes a decision.  A player that finds the state
on the call stack gets the replaced state; one that keeps its own copy of the true state is not
detected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from belief.exact.solver import ExactPosterior
from mcts.kernel.rng import new_stream
from sim.arena import Memory
from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.knowledge import knowledge_version
from sim.legal import legal
from sim.player import IllegalAction, Player, PolicyPlayer
from sim.policies import greedy
from sim.policies.registry import SHOWING, SLOW, Policy, choose, policy, seat_policies, seat_policy
from sim.referee import play
from sim.rules import Rules, world
from sim.state import EVIDENCE, MAX_PLAYERS, N_ACTIONS, OVER, SHOW, STATE, State, empty
from sim.view import Log, replay_evidence, view_of

AROUND = ("heuristic", "closure", "random", "swift", "uniform")
"""Policies in the other seats."""

_OPEN = ("spot", "summoned", "last_room", "out", "heard", "suggestions", "named", "walked")
_OWN = tuple(
    name
    for name in STATE.names
    if STATE[name].shape[:1] == (MAX_PLAYERS,) and name not in (*_OPEN, "hand", "has_shown")
)
"""Per-seat fields that are private to the seat, or hidden from all players."""

SEED = 11
"""Seed of the run."""


def decisions(
    rules: Rules, policies: Sequence[Policy | str], seat: int, game: int, memory: Memory
) -> Iterator[np.record]:
    """Yield the state, reused, at every decision of ``seat`` in a game among ``policies``.

    The evidence of ``seat`` is tracked even if its policy does not need it.
    """
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies)
    state.tracks[seat] |= EVIDENCE
    state.recording = 1
    new_game(board, state, np.uint64(game_key(SEED, game)))
    while state.phase != OVER:
        if decider(state) == seat:
            yield state
        action = memory.act(board, state)
        state.events = 0
        apply(board, state, action)


def decide(state: State, rules: Rules, seat: int, memory: Memory) -> int:
    """Return the action of ``seat``; consumes ``state.stream``."""
    board = world(rules)[0]
    if state.phase == SHOW or state.policy[seat] < SLOW:
        return int(choose(board, state, seat))
    while (action := greedy.choose(board, state, seat, memory.work, memory.sample)) < 0:
        memory.grow()
    return int(action)


def hands_of(deal: np.ndarray) -> tuple[int, list[int]]:
    """Return the envelope and the six hands of a deal, as masks."""
    envelope, *hands = (
        sum(1 << int(card) for card in np.flatnonzero(deal == holder)) for holder in range(7)
    )
    return envelope, hands


def deals(state: State, seat: int, stream: np.ndarray, count: int) -> list[np.ndarray]:
    """Return up to ``count`` posterior deals of ``seat`` with a different envelope."""
    drawn = ExactPosterior(state.evidence[seat]).sample(stream, 5 * count)
    return [deal for deal in drawn if hands_of(deal)[0] != state.envelope][:count]


def exchange(state: State, seat: int, deal: np.ndarray, noise: np.random.Generator) -> np.record:
    """Return a state that ``seat`` cannot distinguish from the true ``state``.

    Hands and envelope come from ``deal``, int64 (21,).  The knowledge and policies of other seats,
    the cards that they showed each other, the log, the game key and scratch fields are noise.
    """
    s = _copy(state)
    envelope, hands = hands_of(deal)
    others = [other for other in range(MAX_PLAYERS) if other != seat]
    s.envelope = envelope
    s.hand[:] = [
        state.hand[seat] if other == seat else hands[other] for other in range(MAX_PLAYERS)
    ]
    for name in _OWN:
        for other in others:
            part = s[name][other : other + 1].view(np.uint8)
            part[:] = noise.integers(0, 2, part.shape)
    for answerer in others:
        for asker in others:
            s.has_shown[answerer, asker] = noise.integers(1 << 21)
    if s.marginals_of != knowledge_version(state, seat):
        s.marginals[:] = noise.random(s.marginals.shape)
        s.guess, s.guess_chance = noise.integers(1 << 21), noise.random()
    s.intention = 0  # from before the exchange
    s.event[:] = noise.integers(0, 6, s.event.shape)
    s.key = np.uint64(noise.integers(1 << 62))
    return s


Event = tuple[int, int, int, int]


def check_player(make: Callable[[], Player], rules: Rules, games: int = 2, swaps: int = 2) -> int:
    """Check a player in games under ``rules``, in a different seat each game.

    The player must choose only legal actions, and repeat its choices in a new instance with the
    same key and observations, in ``swaps`` replays with hidden information replaced, and in a
    second play of the same game.  Raises AssertionError for the first fault.  Returns the number of
    decisions that were repeated with another deal.

    Parameters
    ----------
    make : returns a new player of the kind to check.  A search player needs a budget of
        simulations: results under a time budget are not reproducible
    """
    if make().policy is not None:
        return sum(_check_policy(make().policy, rules, game, swaps) for game in range(games))
    played = [_play(make(), rules, game) for game in range(games)]
    exchanged = sum(_check_again(make, rules, game, swaps) for game in played)
    same = _play(played[-1].player, rules, 0).actions == played[0].actions
    _ask(same, "it decides otherwise after another game: begin does not reset the player")
    return exchanged


def _ask(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)


def _table(rules: Rules, game: int) -> tuple[int, list[Policy]]:
    """Return the player's seat in a game, and the policies of all seats."""
    around = [Policy(AROUND[(game + i) % len(AROUND)]) for i in range(rules.players)]
    return game % rules.players, around


@dataclass
class _Transcript(Player):
    """Stand-in for ``player`` that records its observations and actions."""

    player: Player
    seen: list[Event | np.recarray] = field(default_factory=list)
    """Events, and one view per decision, in chronological order."""
    actions: list[int] = field(default_factory=list)
    states: list[np.record] = field(default_factory=list)
    """The true state at each decision."""
    seat: int = -1
    key: int = 0
    first: np.recarray | None = None
    """The view at the start."""

    def __post_init__(self) -> None:
        super().__init__(self.player.name)
        self.picks_cards, self.showing = self.player.picks_cards, self.player.showing

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        self.seat, self.first, self.key = seat, view.copy(), key
        self.player.begin(rules, seat, view, key)

    def see(self, event: Event) -> None:
        self.seen.append(event)
        self.player.see(event)

    def decide(self, view: np.recarray) -> int:
        self.seen.append(view.copy())
        self.actions.append(int(self.player.decide(view)))
        return self.actions[-1]

    def watch(self, state: State, action: int) -> None:
        """Store the state of the last decision."""
        if len(self.states) < len(self.actions):
            self.states.append(_copy(state))


def _copy(state: State) -> np.record:
    made = empty()
    made[0] = state
    return made[0]


def _play(player: Player, rules: Rules, game: int) -> _Transcript:
    """Play a game; return the player's transcript."""
    seat, around = _table(rules, game)
    _ask(player.showing in SHOWING, f"showing is {player.showing!r}, not one of {SHOWING}")
    transcript = _Transcript(player)
    seats = [transcript if i == seat else PolicyPlayer(policy) for i, policy in enumerate(around)]
    try:
        play(rules, seats, SEED, game, transcript.watch)
    except IllegalAction as fault:
        raise AssertionError(str(fault)) from None
    return transcript


def _check_again(make: Callable[[], Player], rules: Rules, played: _Transcript, swaps: int) -> int:
    """Check that new players repeat the decisions; return how many had another deal."""
    exchanged = 0
    for swap in range(swaps):
        states = list(_exchange_hidden(rules, played, swap))
        for before, after in zip(played.states, states, strict=True):
            exchanged += int(before.envelope != after.envelope)
            views = [view_of(state, played.seat).tobytes() for state in (before, after)]
            _ask(views[0] == views[1], "a view shows hidden information")
        found = _relive(make(), rules, played, states)
        if found == played.actions:
            continue
        again = _relive(make(), rules, played, played.states)
        if again != played.actions:
            where = _first(again, played.actions)
            raise AssertionError(
                f"{where} in a new instance with the same key: it is not reproducible"
            )
        where = _first(found, played.actions)
        raise AssertionError(f"{where} when hidden information is exchanged")
    return exchanged


def _first(found: Sequence[int], actions: Sequence[int]) -> str:
    """Describe the first difference of two action lists."""
    at = next(i for i, pair in enumerate(zip(found, actions, strict=True)) if len(set(pair)) > 1)
    return f"its decision {at} is {found[at]} and not {actions[at]}"


def _exchange_hidden(rules: Rules, played: _Transcript, swap: int) -> Iterator[np.record]:
    """Yield the true states with everything replaced that is hidden from the seat."""
    seat, log = played.seat, Log()
    stream, noise = new_stream(swap), np.random.default_rng(swap)
    states = iter(played.states)
    for seen in played.seen:
        if isinstance(seen, tuple):
            log.append(seen)
            continue
        truth, learnt = _copy(next(states)), seen.copy()[0]
        seat_policy(learnt, seat, policy("closure"))  # it tracks the evidence
        replay_evidence(world(rules)[0], learnt, seat, log.events)
        truth.evidence[seat] = learnt.evidence[seat]
        others = deals(truth, seat, stream, 1)
        yield exchange(truth, seat, others[0], noise) if others else truth


def _relive(
    player: Player, rules: Rules, played: _Transcript, states: Sequence[np.record]
) -> list[int]:
    """Return the decisions of ``player`` for the recorded observations, with ``states``."""
    state = states[0]  # players that inspect the call stack find this name
    player.begin(rules, played.seat, played.first.copy(), played.key)
    actions: list[int] = []
    for seen in played.seen:
        if isinstance(seen, tuple):
            player.see(seen)
        else:
            state = states[len(actions)]
            actions.append(int(player.decide(view_of(state, played.seat))))
    return actions


def _check_policy(which: Policy, rules: Rules, game: int, swaps: int) -> int:
    """Check a compiled policy in one game; return how many decisions had another deal."""
    seat, policies = _table(rules, game)
    policies[seat] = which
    memory, options = Memory(["greedy"]), np.empty(N_ACTIONS, np.int64)
    stream, noise = new_stream(game), np.random.default_rng(game)
    exchanged = 0
    for number, state in enumerate(decisions(rules, policies, seat, game, memory)):
        open_decision(state)
        truth = _copy(state)
        chosen = decide(truth, rules, seat, memory)
        goal = int(truth.goal[seat])
        _ask(
            chosen in options[: legal(world(rules)[0], state, options)],
            f"{which.name} in seat {seat} chose action {chosen}",
        )
        for deal in deals(state, seat, stream, swaps):
            other = exchange(state, seat, deal, noise)
            found = decide(other, rules, seat, memory), int(other.goal[seat])
            _ask(
                found == (chosen, goal),
                f"decision {number} of {which.name} changes from {chosen} to {found[0]} when "
                "hidden information is exchanged",
            )
            exchanged += 1
    return exchanged
