"""A client of the contest: one of our players answers a server, game after game."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from functools import partial

from benchmarks.contest.messages import LETTERS, LONGEST, BadServer, Message, read, write_cards
from benchmarks.contest.table import Table
from sim.chance import search_key
from sim.player import Player, PolicyPlayer
from sim.referee import play
from sim.rules import Rules, preset

RULES = "speed_clue"
"""The preset of the contest's rules."""


class Client:
    """A player that enters the contest; ``make`` returns it for the rules of a game.

    Attributes
    ----------
    games : number begun so far
    slowest : seconds of the slowest answer
    """

    def __init__(self, make: Callable[[Rules], Player], seed: int) -> None:
        self.games, self.slowest = 0, 0.0
        self._make, self._seed = make, seed
        self._players: dict[int, Player] = {}
        self._table: Table | None = None

    def warm(self, players: int) -> None:
        """Play a game of ``players`` players by ourselves, so that the first one does not wait."""
        rules = preset(RULES, players=players)
        others = [PolicyPlayer("closure") for _ in range(players - 1)]
        play(rules, [self._player(rules), *others], self._seed, 0)

    def answer(self, data: bytes) -> str:
        """Return the answer to the message ``data``.

        BadServer if it breaks the protocol or contradicts earlier ones; IllegalAction if the
        player breaks the rules.
        """
        began = time.perf_counter()
        message = read(data)
        if message.kind == "done":
            return "dead"
        if message.kind == "reset":
            self._table = self._sit(message)
            return "ok"
        if self._table is None or self._table.over:
            raise BadServer(f"the server sent {message.kind!r}, but no game is running")
        answer = self._play(self._table, message)
        self.slowest = max(self.slowest, time.perf_counter() - began)
        return answer

    def serve(self, connection: socket.socket, name: str, patience: float) -> None:
        """Answer the server at ``connection`` as ``name``, until it is done or disconnects.

        BadServer as `answer`, and if it is silent for ``patience`` seconds, or disconnects during a
        game.
        """
        connection.settimeout(patience)
        self._table = None
        try:
            connection.sendall(f"{name} alive".encode())
            for data in iter(partial(connection.recv, LONGEST + 1), b""):
                answer = self.answer(data)
                connection.sendall(answer.encode())
                if answer == "dead":
                    return
        except TimeoutError:
            raise BadServer(f"the server was silent for {patience:g} s") from None
        except OSError as fault:
            raise BadServer(f"the connection broke: {fault.strerror or fault}") from None
        if self._table is not None and not self._table.over:
            raise BadServer("the server disconnected during a game")

    def _sit(self, reset: Message) -> Table:
        """Return the table of a new game."""
        rules, seat = preset(RULES, players=reset.players), reset.seat
        key = int(search_key(self._seed, self.games, seat))
        self.games += 1
        return Table(rules, seat, reset.cards, self._player(rules), key)

    def _player(self, rules: Rules) -> Player:
        """Return the player kept for ``rules``."""
        if rules.players not in self._players:
            self._players[rules.players] = self._make(rules)
        return self._players[rules.players]

    def _play(self, table: Table, message: Message) -> str:
        """Return the answer to a message of the running game."""
        match message.kind:
            case "suggest":
                return f"suggest {write_cards(table.suggest())}"
            case "disprove":
                shown = table.show(message.seat, message.cards)
                return f"show {[*LETTERS.values()][shown]}"
            case "accuse":
                accused = table.accuse()
                return f"accuse {write_cards(accused)}" if accused else "-"
            case "suggestion":
                table.note_suggestion(*message[2:6])
            case _:
                table.note_accusation(message.seat, message.cards, message.right)
        return "ok"


def enter(client: Client, host: str, port: int, name: str, patience: float) -> None:
    """Connect to the server at ``host`` and ``port`` and serve it; BadServer as `Client.serve`."""
    try:
        connection = socket.create_connection((host, port), patience)
    except OSError as fault:
        raise BadServer(f"no server at {host}:{port}: {fault.strerror or fault}") from None
    with connection:
        client.serve(connection, name, patience)
