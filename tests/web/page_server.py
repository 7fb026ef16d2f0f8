"""A small server of the pages, with a table driven at once: what browser tests look at.

It has no guards and no pace; `experiments.web.server` has.  `Canned` plays a table on whenever all
has been shown, so that what the page is sent depends on its answers alone.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

from table_setup import play_to_prompt

from experiments.web.analysis.notebook import Knowledge, notebook
from experiments.web.server import messages
from experiments.web.server.guard import HEADERS
from experiments.web.server.pages import page
from experiments.web.server.viewers import describe
from experiments.web.tables.table import NotNow, Table
from sim.player import IllegalAction

WEB = Path(__file__).resolve().parents[2] / "experiments" / "web"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGES = {"seat": "play", "watch": "watch", "records": "replay", "runs": "run", "": "lobby"}


class Canned:
    """Serves ``table``; the token of seat N is ``seat-N``.  ``answers`` has fixed JSON by path.

    Attributes
    ----------
    url : where it is
    cut : set to break all streams off
    posted : bodies of what has been posted, by path
    """

    def __init__(self, table: Table | None = None, answers: dict | None = None) -> None:
        self.table, self.answers = table, answers or {}
        self.sent: dict[str, list[dict]] = {}
        self.posted: list[tuple[str, dict]] = []
        self.changed = threading.Condition(threading.RLock())
        self.cut = False
        handler = type("Handler", (_Handler,), {"served": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        if table:
            self.go_on()

    def close(self) -> None:
        with self.changed:
            self.cut = True
            self.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def viewers(self) -> dict[str, int | None]:
        """Return the seats that may know more than all, by the path of their stream."""
        seats = {f"/api/seat/seat-{seat}/stream": seat for seat in self.table.setup.people}
        return {**seats, "/api/watch/t/stream": None}

    def go_on(self) -> None:
        """Play until a person is asked, and write down what each viewer is sent."""
        with self.changed:
            prompt = play_to_prompt(self.table)
            for path, seat in self.viewers().items():
                sent = self.sent.setdefault(path, [])
                known = self.table.known_to(seat)
                known_before = sum(message["kind"] == "event" for message in sent)
                sent += map(messages.event, known[known_before:])
                if prompt is None:
                    sent.append(messages.OVER)
                else:
                    sent.append(messages.waiting(prompt.seat))
                    sent += [messages.prompt(prompt)] if prompt.seat == seat else []
            self.changed.notify_all()

    def info(self, seat: int | None) -> dict:
        """Return what the server says of the table."""
        return {**describe(SimpleNamespace(id="t", setup=self.table.setup)), "seat": seat}


def encode(fresh, at):
    """Yield the events of ``fresh`` messages, the first of which has the number ``at``.

    Only events have numbers, and what holds beside them is sent if it still does.
    """
    last = max((n for n, one in enumerate(fresh) if one["kind"] == "event"), default=-1)
    for place, message in enumerate(fresh):
        if message["kind"] == "event":
            yield messages.encode(message, at + place)
        elif place > last:
            yield messages.encode(message)


class _Handler(BaseHTTPRequestHandler):
    served: Canned
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = urlsplit(self.path).path
        if path.startswith("/static/"):
            file = WEB / path[1:]
            self._send(200, file.read_bytes(), TYPES[file.suffix])
        elif path in self.served.sent:
            self._stream(path)
        elif path in self.served.answers:
            self._json(200, self.served.answers[path])
        elif path.startswith("/api/seat/seat-"):
            self._seat(path)
        elif path == "/api/watch/t":
            about = {"open": True, "control": True, "paused": False, "pace": 1.0}
            self._json(200, {**self.served.info(None), **about})
        elif path.startswith("/api/"):
            self._json(404, {"error": "this page does not exist"})
        else:
            name = PAGES.get(path.split("/")[1])
            made = page(name) if name else page("error", 404, sentence="This page is unknown.")
            self._send(made.status_code, made.body, "text/html; charset=utf-8")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = urlsplit(self.path).path
        self.served.posted.append((path, body))
        if path in self.served.answers:
            return self._json(200, self.served.answers[path])
        seat = int(path.split("/")[3].removeprefix("seat-"))
        try:
            with self.served.changed:
                self.served.table.answer(seat, body["number"], body["action"])
                self.served.go_on()
        except NotNow as fault:
            return self._json(409, {"error": str(fault)})
        except IllegalAction as fault:
            return self._json(422, {"error": str(fault)})
        return self._json(200, {})

    def _seat(self, path):
        seat, table = int(path.split("/")[3].removeprefix("seat-")), self.served.table
        if path.endswith("/notebook"):
            with self.served.changed:
                known = Knowledge.of(table.game.rules, seat, table.known_to(seat))
                content = notebook(known, table.setup.hints)
            self._json(200, content)
        else:
            self._json(200, self.served.info(seat))

    def _stream(self, path):
        self.send_response(200)
        for name, value in (("Content-Type", "text/event-stream"), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b"retry: 100\n\n")
        at = int(self.headers.get("Last-Event-ID", -1)) + 1
        sent, served = self.served.sent[path], self.served
        try:
            while True:
                with served.changed:
                    served.changed.wait_for(lambda at=at: len(sent) > at or served.cut, timeout=1)
                    fresh = sent[at:]
                    if served.cut:
                        return
                self.wfile.write(b"".join(encode(fresh, at)))
                at += len(fresh)
                if not fresh:
                    self.wfile.write(b":\n\n")
                self.wfile.flush()
        except OSError:
            return

    def _json(self, status, content):
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status, body, kind_of):
        self.send_response(status)
        about = {"Content-Type": kind_of, "Content-Length": str(len(body))}
        for name, value in {**HEADERS, **about}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
