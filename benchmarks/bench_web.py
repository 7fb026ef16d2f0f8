"""How soon those who watch are told: games of compiled players, watched by many.

    python -m benchmarks.bench_web
    python -m benchmarks.bench_web games=10 watchers=20 seconds=10

The server and those who watch are two processes, whose clock is that of the machine.  An event is
due a pace after the one before it was shown, and on time if a watcher has it within 200 ms of that.
Searches at one more table keep a thread busy meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

USUAL = {"games": 100, "watchers": 200, "pace": 0.5, "seconds": 60, "searching": 1}
LATE = 0.2


def served(folder: str, tables: int, streams: int, told, asked) -> None:
    """Serve, and tell the address; when asked, end and tell by seed when events were shown."""
    from experiments.web.server.serving import Serving, serve
    from experiments.web.tables.table import Table
    from experiments.web.tables.wish import Limits

    shown: dict[int, list[float]] = {}
    show = Table.show_next

    def noted(table: Table):
        shown.setdefault(table.setup.seed, []).append(time.monotonic())
        return show(table)

    Table.show_next = noted
    how = Serving(
        host="127.0.0.1",
        port=0,
        folder=Path(folder),
        outputs=Path(folder),
        tables=tables,
        idle=1.0,
        searches=1,
        streams=streams,
        rate=10_000.0,
        limits=Limits(100_000, 60.0),
    )
    ended = threading.Event()
    threading.Thread(target=lambda: (asked.get(), ended.set()), daemon=True).start()
    serve(how, ended, told.put)
    told.put(shown)


async def made(host: str, seats: list[dict], pace: float, seed: int) -> str:
    """Make a table and return its route."""
    wish = {"rules": "ledford", "players": 4, "seats": seats, "seed": seed, "pace": pace}
    body = json.dumps(wish).encode()
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    writer.write(
        f"POST /api/tables HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    answer = (await reader.read()).partition(b"\r\n\r\n")[2]
    writer.close()
    return "/api" + json.loads(answer)["watch"]


async def watched(host: str, route: str, until: float, times: list[float]) -> None:
    """Note when it began and when each event came, until the clock says ``until``."""
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    writer.write(f"GET {route}/stream HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    times.append(time.monotonic())
    try:
        async with asyncio.timeout(max(0.0, until - time.monotonic())):
            while line := await reader.readline():
                if line.startswith(b'data: {"kind":"event"'):
                    times.append(time.monotonic())
                if line.startswith(b'data: {"kind":"over"'):
                    break
    except TimeoutError:
        pass
    writer.close()


def delays(times: list[float], shown: list[float], pace: float) -> list[float]:
    """Return how late each event was that was shown while somebody watched."""
    began, *came = times
    return [
        at - (shown[number - 1] + pace)
        for number, at in enumerate(came)
        if number and shown[number] > began
    ]


async def run(host: str, how: dict[str, float]) -> list[list[float]]:
    """Watch; return the times of each watcher, number i of game i modulo the games."""
    swift = {"kind": "player", "preset": "swift", "settings": []}
    best = {"kind": "player", "preset": "best", "settings": ["budget.simulations=20000"]}
    games = int(how["games"])
    routes = [await made(host, [swift] * 4, how["pace"], seed) for seed in range(games)]
    for seed in range(int(how["searching"])):
        await made(host, [best] * 4, 0.0, games + seed)
    until = time.monotonic() + how["seconds"]
    times: list[list[float]] = [[] for _ in range(int(how["watchers"]))]
    await asyncio.gather(
        *(watched(host, routes[i % games], until, seen) for i, seen in enumerate(times))
    )
    return times


def figures(late: np.ndarray, seconds: float) -> dict[str, float]:
    """Return what the delays of all events come to."""
    return {
        "events": len(late),
        "a second": len(late) / seconds,
        "within 200 ms": float((late <= LATE).mean()),
        "median ms": 1000 * float(np.median(late)),
        "95 % ms": 1000 * float(np.quantile(late, 0.95)),
    }


def main() -> None:
    """Measure and print."""
    how = {
        **USUAL,
        **{key: float(value) for key, value in (one.split("=") for one in sys.argv[1:])},
    }
    spawn = multiprocessing.get_context("spawn")
    told, asked = spawn.Queue(), spawn.Queue()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (folder, int(how["games"] + how["searching"]), int(how["watchers"]))
        server = spawn.Process(target=served, args=(*arguments, told, asked), daemon=True)
        server.start()
        times = asyncio.run(run(urlsplit(told.get()).netloc, how))
        asked.put(None)
        shown = told.get()
        server.kill()
        server.join()
    games = int(how["games"])
    late = [delays(seen, shown[i % games], how["pace"]) for i, seen in enumerate(times)]
    found = figures(np.concatenate(late), how["seconds"])
    print(", ".join(f"{key} {value:g}" for key, value in {**how, **found}.items()))


if __name__ == "__main__":
    main()
