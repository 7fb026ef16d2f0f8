"""Delay of events to spectators: games of compiled players with many spectators.

    python -m benchmarks.bench_web
    python -m benchmarks.bench_web games=10 watchers=20 seconds=10

The server and the spectators are two processes with the machine's clock.  An event is due one pace
after the previous one was shown, and on time if a spectator receives it within 200 ms of that.
Meanwhile searches at one more table keep a thread busy.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from urllib.parse import urlsplit

import numpy as np

USUAL = {"games": 100, "watchers": 200, "pace": 0.5, "seconds": 60, "searching": 1}
LATE = 0.2


def serve_tables(folder: str, tables: int, streams: int, received, asked) -> None:
    """Serve, and put the address; on request, end and put by seed when events were shown."""
    from experiments.web.server.serve import serve
    from experiments.web.settings import Search, Web
    from experiments.web.tables.table import Table

    shown: dict[int, list[float]] = {}
    show = Table.show_next

    def show_and_note(table: Table):
        shown.setdefault(table.setup.seed, []).append(time.monotonic())
        return show(table)

    Table.show_next = show_and_note
    settings = Web(
        host="127.0.0.1",
        port=0,
        folder=folder,
        outputs=folder,
        tables=tables,
        idle=1.0,
        searches=1,
        streams=streams,
        browser=False,
        share=1.0,
        search=Search(100_000, 60.0),
    )
    ended = threading.Event()
    threading.Thread(target=lambda: (asked.get(), ended.set()), daemon=True).start()
    serve(settings, ended, received.put)
    received.put(shown)


async def make_table(host: str, seats: list[dict], pace: float, seed: int) -> str:
    """Make a table and return its route."""
    table_request = {"rules": "ledford", "players": 4, "seats": seats, "seed": seed, "pace": pace}
    body = json.dumps(table_request).encode()
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


async def watch(host: str, route: str, until: float, times: list[float]) -> None:
    """Record the start and the time of each event, until ``until`` by the clock."""
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
    """Return the delay of each event that was shown while it was watched."""
    began, *came = times
    return [
        at - (shown[number - 1] + pace)
        for number, at in enumerate(came)
        if number and shown[number] > began
    ]


async def run(host: str, options: dict[str, float]) -> list[list[float]]:
    """Watch; return the times of each watcher, number i of game i modulo the games."""
    swift = {"kind": "player", "preset": "swift", "settings": []}
    best = {"kind": "player", "preset": "best", "settings": ["budget.simulations=20000"]}
    games = int(options["games"])
    routes = [await make_table(host, [swift] * 4, options["pace"], seed) for seed in range(games)]
    for seed in range(int(options["searching"])):
        await make_table(host, [best] * 4, 0.0, games + seed)
    until = time.monotonic() + options["seconds"]
    times: list[list[float]] = [[] for _ in range(int(options["watchers"]))]
    await asyncio.gather(
        *(watch(host, routes[i % games], until, seen) for i, seen in enumerate(times))
    )
    return times


def figures(late: np.ndarray, seconds: float) -> dict[str, float]:
    """Return summary figures of the delays of all events."""
    return {
        "events": len(late),
        "per second": len(late) / seconds,
        "within 200 ms": float((late <= LATE).mean()),
        "median ms": 1000 * float(np.median(late)),
        "95 % ms": 1000 * float(np.quantile(late, 0.95)),
    }


def main() -> None:
    """Measure and print."""
    options = {
        **USUAL,
        **{key: float(value) for key, value in (one.split("=") for one in sys.argv[1:])},
    }
    spawn = multiprocessing.get_context("spawn")
    received, asked = spawn.Queue(), spawn.Queue()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (folder, int(options["games"] + options["searching"]), int(options["watchers"]))
        server = spawn.Process(target=serve_tables, args=(*arguments, received, asked), daemon=True)
        server.start()
        times = asyncio.run(run(urlsplit(received.get()).netloc, options))
        asked.put(None)
        shown = received.get()
        server.kill()
        server.join()
    games = int(options["games"])
    late = [delays(seen, shown[i % games], options["pace"]) for i, seen in enumerate(times)]
    found = figures(np.concatenate(late), options["seconds"])
    print(", ".join(f"{key} {value:g}" for key, value in {**options, **found}.items()))


if __name__ == "__main__":
    main()
