"""A real server in a thread, asked over HTTP as a browser would."""

from __future__ import annotations

import http.client
import json
import threading
from pathlib import Path
from urllib.parse import urlsplit

from experiments.web.server.serve import serve
from experiments.web.settings import Search, Web

COMPUTER = {"kind": "player", "preset": "swift"}
PATIENCE = 60.0
"""Seconds until a test gives up; nothing waits for so long unless it is broken."""


def person(name):
    """Return a seat for ``name``."""
    return {"kind": "person", "name": name}


def table_request(*seats, **changes):
    """Return a table of cards alone, which is over soon, as the page asks for it."""
    seats = seats or (person("Ann"), COMPUTER, COMPUTER)
    usual = {"rules": "speed", "players": len(seats), "seats": list(seats), "seed": 7, "pace": 0.0}
    return {**usual, **changes}


def settings(folder: Path, **changes) -> Web:
    """Return the settings of servers in tests."""
    usual = {
        "host": "127.0.0.1",
        "port": 0,
        "folder": str(folder),
        "outputs": str(folder),
        "browser": False,
        "tables": 50,
        "idle": 1.0,
        "searches": 1,
        "streams": 50,
        "share": 0.25,
        "search": Search(1000, 1.0),
    }
    return Web(**{**usual, **changes})


class Client:
    """Asks the server at ``address``."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc

    def ask(self, method, path, body=None, headers=None, plain=False):
        """Return status, body (of JSON, unless ``plain``) and headers."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        given = {"Content-Type": "application/json"} if body is not None else {}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        connection.request(method, path, body, {**given, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text if plain else json.loads(text), answer.headers

    def table(self, *seats, **changes):
        """Make a table of ``seats`` and return its links."""
        status, received, _ = self.ask("POST", "/api/tables", table_request(*seats, **changes))
        assert status == 201, received
        return received

    def stream(self, path, last=None):
        """Return the messages at ``path``."""
        return Reader(self.host, path, last)

    def answer(self, seat, prompt, action=None):
        """Answer ``prompt`` at the link ``seat``, with the first choice but accusing by default."""
        if action is None:
            action = quiet(prompt)
        received = {"number": prompt["number"], "action": action}
        return self.ask("POST", f"/api{seat}/answer", received)[0]


def quiet(prompt):
    """Return the last choice that is not to accuse: it ends a turn if that may be."""
    return [choice["action"] for choice in prompt["choices"] if choice["kind"] != "accuse"][-1]


class Reader:
    """Server-sent events, one after another.

    Attributes
    ----------
    last : id of the last that had one
    """

    def __init__(self, host, path, last=None) -> None:
        self._connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        self._connection.request("GET", path, headers=headers)
        self._answer = self._connection.getresponse()
        self.status, self.last = self._answer.status, last

    def __iter__(self):
        return self

    def __next__(self):
        """Return the next message; raises StopIteration at the end, and TimeoutError."""
        while line := self._answer.readline():
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                self.last = int(value)
            if name == "data":
                return json.loads(value)
        raise StopIteration

    def until(self, *kinds):
        """Return the messages up to the first of ``kinds``, that included."""
        found = []
        for message in self:
            found.append(message)
            if message["kind"] in kinds:
                return found
        raise AssertionError(f"the stream ended before {kinds}")

    def close(self):
        self._connection.close()


class Served(Client):
    """A server of tables in ``folder``, until it is closed."""

    def __init__(self, folder: Path, **changes) -> None:
        self.ended, begun = threading.Event(), threading.Event()
        self.raised: BaseException | None = None
        self.under_way = -1
        address = []

        def ready(where):
            address.append(where)
            begun.set()

        def run():
            try:
                self.under_way = serve(settings(folder, **changes), self.ended, ready)
            except BaseException as fault:
                self.raised = fault
            begun.set()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert begun.wait(PATIENCE)
        if self.raised:
            raise self.raised
        super().__init__(address[0])

    def close(self) -> int:
        """End it; return how many games were under way."""
        self.ended.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.under_way


def play(client, seat, stream, until=None):
    """Answer at ``seat`` until the game is over, or ``until`` times; return all messages."""
    received, answered = [], 0
    for message in stream:
        received.append(message)
        if message["kind"] == "over":
            break
        if message["kind"] == "prompt":
            if answered == until:
                break
            assert client.answer(seat, message["prompt"]) == 200
            answered += 1
    return received


def events(received):
    """Return the events among messages."""
    return [message["event"] for message in received if message["kind"] == "event"]


def read_files(folder):
    """Return the contents of all files of all tables."""
    return {path: path.read_bytes() for path in (folder / "tables").rglob("*") if path.is_file()}
