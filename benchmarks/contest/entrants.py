"""Entrants of games: our players, and programs that run for the whole tournament.

The contest's server for one game starts its entries itself.  Here it starts none: we accept each of
its connections, and give it to a player of ours or forward it to a program that has been running
since its first game, so that no game waits for programs to start and warm up.
"""

from __future__ import annotations

import shlex
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from benchmarks.contest.client import Client
from benchmarks.contest.messages import LONGEST
from experiments.settings.commandline import Refusal
from mcts.kernel.errors import SleuthError
from sim.players.external import Guarded

_STARTS = 60.0
"""Seconds that a program may take to start."""

_SLACK = 5.0
"""Seconds that we wait longer than the server, which is the judge."""


class Ours:
    """One of our players, in a thread of this process.

    Attribute ``slowest``: seconds of the slowest answer of the last game.
    """

    def __init__(self, client: Client, limit: float) -> None:
        self._client, self._limit = client, limit
        self.slowest = 0.0

    def prepare(self) -> None:
        """Do nothing: it is ready."""

    def serve(self, connection: socket.socket, name: str) -> None:
        """Play one game as ``name``; return when it is over, or the server reports a fault."""
        self._client.slowest = 0.0
        with suppress(SleuthError):  # it leaves, and the server reports whose fault that is
            self._client.serve(connection, name, 10 * self._limit)
        self.slowest = self._client.slowest

    def close(self) -> None:
        """Do nothing: the thread of a game ends with it."""


class Outside:
    """A program of the contest, started before its first game and again if it has died.

    Attribute ``slowest``: as of `Ours`.  ``command``: its command line, with the placeholders
    ``{name}``, ``{port}`` and the keys of ``places``; ``home``: its working folder.
    """

    def __init__(
        self, name: str, command: str, places: Mapping[str, str], home: Path, limit: float
    ) -> None:
        self.slowest = 0.0
        self._name, self._limit = name, limit
        self._command, self._places, self._home = command, places, home
        self._process: Guarded | None = None
        self._connection: socket.socket | None = None

    def prepare(self) -> None:
        """Start the program, unless it runs; Refusal if it does not connect."""
        if self._connection is None:
            self._connection = self._start()

    def serve(self, connection: socket.socket, name: str) -> None:
        """Forward messages and answers until the server disconnects; end a silent program."""
        self.slowest, program = 0.0, self._connection
        assert program is not None, "it is prepared"
        with suppress(OSError):
            connection.sendall(f"{name} alive".encode())
            while message := connection.recv(LONGEST):
                began = time.perf_counter()
                answer = b""
                with suppress(OSError):
                    program.sendall(message)
                    answer = program.recv(LONGEST)
                self.slowest = max(self.slowest, time.perf_counter() - began)
                if not answer:
                    self.close()
                    return
                connection.sendall(answer)

    def close(self) -> None:
        """End the program, and its children."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.sendall(b"done")
            self._connection.close()
            self._connection = None
        if self._process is not None:
            self._process.end()
            self._process = None

    def _start(self) -> socket.socket:
        """Start the program and return its connection; Refusal if it does not connect."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.settimeout(_STARTS)
            known = {**self._places, "name": self._name, "port": str(listening.getsockname()[1])}
            try:
                words = [word.format(**known) for word in shlex.split(self._command)]
                with (self._home / f"{self._name}.txt").open("ab") as said:
                    self._process = Guarded(
                        words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=self._home
                    )
                connection, _ = listening.accept()
                connection.settimeout(self._limit + _SLACK)
                alive = connection.recv(LONGEST)
            except (OSError, KeyError, ValueError, IndexError) as fault:
                self.close()
                why = "it did not connect" if isinstance(fault, TimeoutError) else fault
                raise Refusal(self._fault(f"cannot be started: {why}")) from None
        if alive.rstrip(b"\0").lower() != f"{self._name} alive".lower().encode():
            self.close()
            raise Refusal(self._fault(f"did not report alive, but sent {alive[:60]!r}"))
        return connection

    def _fault(self, what: str) -> str:
        name = self._name
        return f"entries.{name} {what}: correct its command line, or omit it by ~entries.{name}"


Entrant = Ours | Outside
"""A participant that takes a seat, game after game."""
