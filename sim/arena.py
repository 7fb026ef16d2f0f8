"""The arena: games among compiled policies, tens of thousands per second on one core.

It runs the state machine of `sim.game` without external seats. The same game under `sim.referee`
has the same moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from belief.evidence import ContradictoryEvidence, EvidenceFull
from belief.exact import solver
from belief.exact.workspace import CONTRADICTORY, FULL
from belief.information import sample_workspace
from mcts.kernel.compile import jit
from mcts.kernel.waiting import call_in_portions
from mcts.options import SEEDS, check_integer
from sim.chance import game_key
from sim.game import advance, apply, decider, new_game, open_decision
from sim.policies import greedy
from sim.policies.registry import SLOW, Policy, choose, policy, seat_policies
from sim.rules import Rules, world
from sim.state import EVENTS, OVER, SHOW, State, World, empty

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class ArenaResult:
    """Results of ``n`` games, arrays by game.

    Attributes
    ----------
    winner : (n,) seat, or -1 for a draw
    turns : (n,) turns begun, over all players
    suggestions : (n, players) suggestions made by each seat
    out : (n, players) True where the seat accused wrongly
    games : (n,) game numbers
    policies : names of the policies by seat
    """

    winner: np.ndarray
    turns: np.ndarray
    suggestions: np.ndarray
    out: np.ndarray
    games: np.ndarray
    policies: tuple[str, ...]

    def __repr__(self) -> str:
        won = [int((self.winner == seat).sum()) for seat in range(len(self.policies))]
        wins = ", ".join(f"{name} {n}" for name, n in zip(self.policies, won, strict=True))
        n = len(self.games)
        return f"<ArenaResult: {n:,} games, won by seat: {wins}; {n - sum(won)} draws>"

    def to_frame(self) -> pl.DataFrame:
        """Return one row per game and seat.

        Columns: ``game``, ``seat``, ``policy``, ``won``, ``turns`` of the game, ``suggestions`` and
        ``out`` of the seat.
        """
        import polars as pl  # imported here: the game needs no frames

        n, players = self.out.shape
        seats = np.arange(players)
        return pl.DataFrame(
            {
                "game": np.repeat(self.games, players),
                "seat": np.tile(seats, n),
                "policy": list(self.policies) * n,
                "won": (self.winner[:, None] == seats).ravel(),
                "turns": np.repeat(self.turns, players),
                "suggestions": self.suggestions.ravel(),
                "out": self.out.ravel(),
            }
        )


class Memory:
    """Workspaces of the slow policies: small unless a seat needs them, grown on demand.

    Attributes
    ----------
    work, sample : workspaces of `belief.exact.solver` and `belief.information`, for kernels
    """

    def __init__(self, policies: Sequence[Policy | str | None]) -> None:
        slow = any(which is not None and policy(which).name == "greedy" for which in policies)
        if slow:
            greedy.choose.load()
        self.work = solver.workspace(1 << 16 if slow else 2)
        self.sample = sample_workspace(greedy.DEALS)

    def grow(self) -> None:
        """Load the greedy player's kernels, or enlarge a workspace that was too small.

        Raises ContradictoryEvidence if no deal explains the observations, EvidenceFull if a larger
        workspace would not help.
        """
        if not greedy.choose.loaded:
            greedy.choose.load()
            return
        if self.work.plan[0].status == CONTRADICTORY:
            raise ContradictoryEvidence("no deal explains a greedy player's observations")
        states = 4 * len(self.work.key)
        if self.work.plan[0].status != FULL or states > solver.ExactPosterior.MAX_STATES:
            raise EvidenceFull("the exact posterior of a greedy player does not fit into memory")
        self.work = solver.workspace(states)

    def act(self, board: World, state: State) -> int:
        """Return the action of the compiled seat to move; consumes its randomness.

        Raises like `grow`.
        """
        while (action := int(act(board, state, self.work, self.sample))) == greedy.UNSOLVED:
            self.grow()
        return action


@jit
def act(world: World, s: State, work: tuple, sample: tuple) -> int:
    """Return the action of the compiled seat to move, or `greedy.UNSOLVED`."""
    open_decision(s)
    if s.phase == SHOW or s.policy[s.seat] < SLOW:
        return choose(world, s, decider(s))
    return greedy.choose(world, s, s.seat, work, sample)


@jit
def run(world: World, s: State, work: tuple, sample: tuple) -> bool:
    """Run until an external seat must decide, the game is over or `s.event` is full.

    Like `sim.game.advance`, but with the slow policies.  Returns False if ``work`` is too small;
    the next call then continues from the same state.
    """
    while True:
        advance(world, s)
        if s.phase == OVER or s.phase == SHOW or s.events >= EVENTS or s.policy[s.seat] < SLOW:
            return True
        action = act(world, s, work, sample)
        if action == greedy.UNSOLVED:
            return False
        apply(world, s, action)


@jit
def _play(
    world: np.recarray,
    states: np.recarray,
    work: tuple,
    sample: tuple,
    seed: int,
    games: np.ndarray,
    first: int,
    last: int,
    winner: np.ndarray,
    turns: np.ndarray,
    suggestions: np.ndarray,
    out: np.ndarray,
) -> int:
    """Play ``games[first:last]``, resuming the first; return the index that ran out of memory."""
    rules, s = world[0], states[0]
    for i in range(first, last):
        if s.phase == OVER:
            new_game(rules, s, game_key(seed, games[i]))
        if not run(rules, s, work, sample):
            return i
        winner[i] = s.winner
        turns[i] = s.turn
        for seat in range(rules.players):
            suggestions[i, seat] = s.suggestions[seat]
            out[i, seat] = s.out[seat] == 1
    return last


def play_many(
    rules: Rules, policies: Sequence[Policy | str], seed: int, games: np.ndarray
) -> ArenaResult:
    """Play the games numbered ``games`` of run ``seed`` among ``policies`` (one per seat).

    Long calls show their progress in a terminal; Ctrl-C stops them.
    Raises ValueError unless each seat has a compiled policy and the seed is in range, EvidenceFull
    if a greedy player's posterior does not fit into memory.
    """
    if len(policies) != rules.players:
        raise ValueError(f"{rules.players} seats need as many policies, got {len(policies)}")
    seed = check_integer("seed", seed, SEEDS)
    states = empty()
    states[0].phase = OVER
    try:
        seat_policies(states[0], policies)
    except ValueError as fault:
        raise ValueError(f"{fault}; players that are not compiled play by `play`") from None
    memory = Memory(policies)
    games = np.ascontiguousarray(games, np.int64)
    n, players = len(games), rules.players
    result = ArenaResult(
        winner=np.empty(n, np.int64),
        turns=np.empty(n, np.int64),
        suggestions=np.empty((n, players), np.int64),
        out=np.empty((n, players), np.bool_),
        games=games,
        policies=tuple(policy(which).name for which in policies),
    )
    columns = (result.winner, result.turns, result.suggestions, result.out)

    def play(first: int, last: int) -> int:
        work = memory.work, memory.sample
        reached = int(_play(world(rules), states, *work, seed, games, first, last, *columns))
        if reached < last:
            memory.grow()
        return reached

    call_in_portions(play, n, "games")
    return result
