"""The pages with fixed content: JSON by path, and streams that end in the middle of a game."""

from __future__ import annotations

import asyncio
import socket
import threading

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from experiments.web.server import messages, pages
from experiments.web.server.guard import Guard, error
from experiments.web.shares import Shares

PAGES = {"watch": "watch", "records": "replay", "seat": "play"}


class Canned:
    """Serves ``answers``, JSON by path, and ``streams``, messages by path.

    Attributes
    ----------
    url : where it is
    posted : paths and bodies of what has been posted
    """

    def __init__(self, answers: dict, streams: dict | None = None) -> None:
        self.answers, self.streams = answers, streams or {}
        self.posted: list[tuple[str, dict]] = []
        answer = Route("/{path:path}", self._answer, methods=["GET", "POST"])
        guard = Middleware(Guard, frozenset(), Shares())
        app = Starlette(routes=[*pages.ROUTES, answer], middleware=[guard])
        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()

    async def _answer(self, request):
        path = request.url.path
        if request.method == "POST":
            self.posted.append((path, await request.json()))
        if path in self.streams:
            return StreamingResponse(self._stream(path), media_type="text/event-stream")
        if path in self.answers:
            return JSONResponse(self.answers[path])
        if name := PAGES.get(path.split("/")[1]):
            return pages.page(name)
        return error(request, 404, "this page does not exist")

    async def _stream(self, path):
        for message in self.streams[path]:
            yield messages.encode(message)
        await asyncio.sleep(3600)
