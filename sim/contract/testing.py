"""Contract test of players.

`check_player` seats a player in whole games under the referee, and then makes each of its decisions
again with all exchanged that its seat cannot know: the deal beyond its own hand, what the other
seats have learnt and how they play, the cards that they showed each other, and the key of the game.
A player that decides otherwise then knows more than it may.  It raises AssertionError with what
fails, and needs no test runner.

The limits: a player is caught peeping only if what it sees changes what it does.  One that gets at
the state through the stack of calls is handed the exchanged state there; one that keeps a copy of
the true state elsewhere is not found.
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
"""Who sits in the other seats."""

_OPEN = ("spot", "summoned", "last_room", "out", "heard", "suggestions", "named", "walked")
_OWN = tuple(
    name
    for name in STATE.names
    if STATE[name].shape[:1] == (MAX_PLAYERS,) and name not in (*_OPEN, "hand", "has_shown")
)
"""The fields with a row for every seat that only this seat knows, or nobody at the table."""

SEED = 11
"""Of the run whose games are played."""


def decisions(
    rules: Rules, policies: Sequence[Policy | str], seat: int, game: int, memory: Memory
) -> Iterator[np.record]:
    """Yield the state at every decision of ``seat`` in a game among ``policies``; do not keep it.

    The evidence of ``seat`` is kept, whether its policy needs it or not.
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
    """Return the action of ``seat``, drawing from the stream that is open in ``state``."""
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
    """Return up to ``count`` deals with another envelope, from the posterior of ``seat``."""
    drawn = ExactPosterior(state.evidence[seat]).sample(stream, 5 * count)
    return [deal for deal in drawn if hands_of(deal)[0] != state.envelope][:count]


def exchange(state: State, seat: int, deal: np.ndarray, noise: np.random.Generator) -> np.record:
    """Return another state that looks to ``seat`` like the true ``state``.

    Hands and envelope are those of ``deal``, int64 (21,).  What other seats have learnt, how they
    play, which cards they showed each other, the log, the key of the game and scratch are noise.
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
    """Check a player in games under ``rules``, another seat in each.

    It must choose legal actions alone; choose the same in a new instance that has the same key and
    sees the same; choose the same ``swaps`` times with the deal beyond its hand, and all else it
    cannot know, exchanged; and choose the same in a game that it plays again.  Raises
    AssertionError with the first fault that is found.  Returns how many decisions were made again
    with another deal.

    Parameters
    ----------
    make : returns a new player of one kind.  A player that searches needs a budget of simulations:
        what is found in a budget of time is never the same
    """
    if make().policy is not None:
        return sum(_check_policy(make().policy, rules, game, swaps) for game in range(games))
    played = [_play(make(), rules, game) for game in range(games)]
    exchanged = sum(_check_again(make, rules, game, swaps) for game in played)
    same = _play(played[-1].player, rules, 0).actions == played[0].actions
    _ask(same, "after another game it decides otherwise: begin does not reset the player")
    return exchanged


def _ask(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)


def _table(rules: Rules, game: int) -> tuple[int, list[Policy]]:
    """Return the seat of the player in a game, and the policies in all seats."""
    around = [Policy(AROUND[(game + i) % len(AROUND)]) for i in range(rules.players)]
    return game % rules.players, around


@dataclass
class _Transcript(Player):
    """Sits in a seat for a ``player``, and records all that it sees and does."""

    player: Player
    seen: list[Event | np.recarray] = field(default_factory=list)
    """Events, and a view for each decision, in the order of time."""
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
        """Keep the state of the decision just made."""
        if len(self.states) < len(self.actions):
            self.states.append(_copy(state))


def _copy(state: State) -> np.record:
    made = empty()
    made[0] = state
    return made[0]


def _play(player: Player, rules: Rules, game: int) -> _Transcript:
    """Play a game and return what the player saw and did."""
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
    """Check that new players decide the same; return how many decisions had another deal."""
    exchanged = 0
    for swap in range(swaps):
        states = list(_exchange_hidden(rules, played, swap))
        for before, after in zip(played.states, states, strict=True):
            exchanged += int(before.envelope != after.envelope)
            views = [view_of(state, played.seat).tobytes() for state in (before, after)]
            _ask(views[0] == views[1], "a view shows what its seat cannot know")
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
        raise AssertionError(f"{where} when what its seat cannot know is exchanged")
    return exchanged


def _first(found: Sequence[int], actions: Sequence[int]) -> str:
    """Say where two lists of actions differ first."""
    at = next(i for i, pair in enumerate(zip(found, actions, strict=True)) if len(set(pair)) > 1)
    return f"its decision {at} is {found[at]} and not {actions[at]}"


def _exchange_hidden(rules: Rules, played: _Transcript, swap: int) -> Iterator[np.record]:
    """Yield the true states with all exchanged that the seat cannot know."""
    seat, log = played.seat, Log()
    stream, noise = new_stream(swap), np.random.default_rng(swap)
    states = iter(played.states)
    for seen in played.seen:
        if isinstance(seen, tuple):
            log.append(seen)
            continue
        truth, learnt = _copy(next(states)), seen.copy()[0]
        seat_policy(learnt, seat, policy("closure"))  # which keeps the evidence
        replay_evidence(world(rules)[0], learnt, seat, log.events)
        truth.evidence[seat] = learnt.evidence[seat]
        others = deals(truth, seat, stream, 1)
        yield exchange(truth, seat, others[0], noise) if others else truth


def _relive(
    player: Player, rules: Rules, played: _Transcript, states: Sequence[np.record]
) -> list[int]:
    """Return what ``player`` decides where it sees the same; the states are ``states``."""
    state = states[0]  # found, under this name, by players that look up the stack of calls
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
                f"decision {number} of {which.name} changes from {chosen} to {found[0]} when what "
                "its seat cannot know is exchanged",
            )
            exchanged += 1
    return exchanged
