"""Games for `experiments.beliefs.accuracy` among players that choose each action themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from experiments.beliefs.accuracy import Game, up_to
from sim.chance import game_key
from sim.game import new_game
from sim.player import Player
from sim.referee import play as play_game
from sim.rules import Rules, world
from sim.state import empty
from sim.view import Log


class _Listener(Player):
    """Forwards to a player, and records what the seat saw and heard."""

    def __init__(self, player: Player) -> None:
        super().__init__(player.name)
        self.player, self.picks_cards, self.showing = player, player.picks_cards, player.showing
        self.log = Log()

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        self.log = Log()
        self.player.begin(rules, seat, view, key)

    def see(self, event: tuple[int, int, int, int]) -> None:
        self.log.append(event)
        self.player.see(event)

    def decide(self, view: np.recarray) -> int:
        return self.player.decide(view)


def play(
    rules: Rules, make: Callable[[], Player], seed: int, numbers: Iterable[int], longest: int
) -> Iterator[Game]:
    """Play the games ``numbers`` of run ``seed`` among players of one kind, made by ``make``.

    As `experiments.beliefs.accuracy.play`; ``longest`` suggestions are kept.
    """
    board, dealt = world(rules)[0], empty()[0]
    seats = [_Listener(make()) for _ in range(rules.players)]
    for number in numbers:
        play_game(rules, seats, seed, number)
        new_game(board, dealt, np.uint64(game_key(seed, number)))
        # The asker has seen the card.
        seen = [log.events.tolist() for log in (seat.log for seat in seats)]
        asked = [seen[asker][i] for i, (asker, *_) in enumerate(seen[0])]
        yield Game(
            number=number,
            hands=tuple(map(int, dealt.hand[: rules.players])),
            face_up=int(dealt.face_up),
            envelope=int(dealt.envelope),
            suggestions=up_to(asked, longest),
        )
