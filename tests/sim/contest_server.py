"""A small server for the contest's protocol, written from its pages, independent of `sim`."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

SUSPECTS = ["Gr", "Mu", "Pe", "Pl", "Sc", "Wh"]
WEAPONS = ["Ca", "Kn", "Pi", "Re", "Ro", "Wr"]
ROOMS = ["Ba", "Bi", "Co", "Di", "Ha", "Ki", "Li", "Lo", "St"]


class Violation(Exception):
    """A player broke the rules of the contest."""


class Server:
    """Games among the players at the other ends of ``connections``, in order of play.

    ``transcript`` has the lines of the game: (seat, sent, answered).
    """

    def __init__(self, connections: Sequence[socket.socket], seed: int) -> None:
        self.connections, self.chance = connections, random.Random(seed)
        self.transcript: list[tuple[int, str, str]] = []
        for seat, connection in enumerate(connections):
            connection.settimeout(600)
            alive = connection.recv(512).decode()
            if alive != f"{seat} alive":
                raise Violation(alive, seat)

    def ask(self, seat: int, text: str) -> str:
        """Send ``text`` and return the answer."""
        self.connections[seat].sendall(text.encode("ascii"))
        answer = self.connections[seat].recv(512).decode("ascii")
        self.transcript.append((seat, text, answer))
        return answer

    def send_all(self, text: str) -> None:
        """Send ``text`` to all, who agree."""
        for seat in range(len(self.connections)):
            if self.ask(seat, text) != "ok":
                raise Violation(text, seat)

    def play(self) -> tuple[int, list[str]]:
        """Play one game; return the winner and the envelope."""
        envelope = [self.chance.choice(kind) for kind in (SUSPECTS, WEAPONS, ROOMS)]
        pack = [card for card in SUSPECTS + WEAPONS + ROOMS if card not in envelope]
        self.chance.shuffle(pack)
        players = len(self.connections)
        sizes = [18 // players + (seat < 18 % players) for seat in range(players)]
        hands = [[pack.pop() for _ in range(size)] for size in sizes]
        for seat, hand in enumerate(hands):
            if self.ask(seat, f"reset {players} {seat} {' '.join(hand)}") != "ok":
                raise Violation("reset", seat)
        asked: set[tuple[int, str]] = set()
        playing, seat = set(range(players)), 0
        while True:
            if seat in playing:
                self.suggest(seat, hands, asked)
                accused = self.ask(seat, "accuse")
                if accused != "-":
                    word, *cards = accused.split() or [""]
                    if word != "accuse" or set(cards) & set(hands[seat]):
                        raise Violation(accused, seat)
                    right = cards == envelope
                    self.send_all(f"accusation {seat} {' '.join(cards)} {'+' if right else '-'}")
                    playing -= set() if right else {seat}
                    if right or len(playing) == 1:
                        return seat if right else playing.pop(), envelope
            seat = (seat + 1) % players

    def suggest(self, seat: int, hands: list[list[str]], asked: set[tuple[int, str]]) -> None:
        """Let ``seat`` suggest, somebody answer, and all know."""
        suggestion = self.ask(seat, "suggest")
        word, *cards = suggestion.split() or [""]
        kinds = zip(cards, (SUSPECTS, WEAPONS, ROOMS), strict=False)
        fits = word == "suggest" and len(cards) == 3 and all(card in kind for card, kind in kinds)
        if not fits or (seat, suggestion) in asked:
            raise Violation(suggestion, seat)
        asked.add((seat, suggestion))
        named = " ".join(cards)
        answerer, card = -1, ""
        for step in range(1, len(hands)):
            other = (seat + step) % len(hands)
            matching = [card for card in cards if card in hands[other]]
            if matching:
                answerer, card = other, matching[0]
                if len(matching) > 1:
                    card = self.ask(other, f"disprove {seat} {named}").removeprefix("show ")
                if card not in matching:
                    raise Violation(card, other)
                break
        for other in range(len(hands)):
            seen = f" {card}" if other in (seat, answerer) else ""
            shown = f"{answerer}{seen}" if answerer >= 0 else "-"
            if self.ask(other, f"suggestion {seat} {named} {shown}") != "ok":
                raise Violation("suggestion", other)


@contextmanager
def seat_clients(serve: Sequence) -> Iterator[list[socket.socket]]:
    """Run each of ``serve``, called with a connection and a name, in a thread; yield other ends."""
    with ExitStack() as stack:
        ends = []
        for seat, one in enumerate(serve):
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            thread = threading.Thread(target=one, args=(theirs, str(seat)), daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(ours.close)  # before it is joined: it sees the end
            ends.append(ours)
        yield ends
