"""One game at the contest's own server, among running entrants."""

from __future__ import annotations

import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from benchmarks.contest.entrants import Entrant
from experiments.settings.commandline import Refusal

SERVER = "com.sadakatsu.clue.testserver.TestServer"
"""The contest's server for one game, which reports the result."""

_WINNER = re.compile(r'The winner is Player "(\d)".* after (\d+) rounds')
_OFFENDER = re.compile(r'Player "(\d)".*')
_STARTS = 60.0


class Result(NamedTuple):
    """The end of a game: by a ``winner``, or an ``offender`` with its ``fault``."""

    winner: int | None
    rounds: int | None
    offender: int | None = None
    fault: str | None = None


def play(classes: str, seated: Sequence[Entrant]) -> Result:
    """Play one game among ``seated``, in order of play.

    Refusal if the server or an entrant does not start, or the server dies without blaming an
    entrant.
    """
    for entrant in seated:
        entrant.prepare()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The server identifies its entries by these names, and seats them in their order.
        entries = [f"echo {{{seat}}} %%\n" for seat in range(len(seated))]
        (folder / "entries.txt").write_text("".join(entries))
        server = subprocess.Popen(
            ["java", "-XX:TieredStopAtLevel=1", "-cp", classes, SERVER, "entries.txt"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        connections: list[socket.socket] = []
        threads = []
        try:
            port = _await_port(folder / "output_0.txt", server)
            for seat, entrant in enumerate(seated):
                connection = socket.create_connection(("127.0.0.1", port))
                connections.append(connection)
                threads.append(Thread(target=_sit, args=(entrant, connection, str(seat))))
                threads[-1].start()
            said, _ = server.communicate()
        finally:
            server.kill()
            server.wait()
            for connection in connections:
                connection.close()
            for thread in threads:
                thread.join()
    return read(said)


def read(said: str) -> Result:
    """Return the result from the server's output ``said``; Refusal if it has none."""
    if found := _WINNER.search(said):
        return Result(int(found[1]), int(found[2]))
    last = said.rpartition("=" * 79)[2].strip().splitlines()
    for line in reversed(last):
        if found := _OFFENDER.match(line):
            return Result(None, None, int(found[1]), found[0])
    said = (last or ["in silence"])[-1]
    raise Refusal(
        f"the contest's server ended without a result: {said}; the same run.folder continues"
    )


def _sit(entrant: Entrant, connection: socket.socket, name: str) -> None:
    """Let ``entrant`` play; the server sees at once when it leaves."""
    with connection:
        entrant.serve(connection, name)


def _await_port(path: Path, server: subprocess.Popen[str]) -> int:
    """Return the port that the server gave its first entry, which writes it to ``path``."""
    deadline = time.monotonic() + _STARTS
    while time.monotonic() < deadline and server.poll() is None:
        words = path.read_text().split() if path.exists() else []
        if len(words) == 2 and path.read_text().endswith("\n"):
            return int(words[1])
        time.sleep(0.01)
    said, _ = server.communicate()
    why = next(filter(None, said.splitlines()), "it says nothing").strip()
    raise Refusal(f"the contest's server does not start: {why}; check classes, and java -version")
