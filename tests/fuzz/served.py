"""Requests to the table in the browser, whole and damaged, over damaged files.

A server answers a few cases over the same folder, of which one file is damaged; then there is a new
one.  Wrong is: an answer with status 500, or without the headers of the guard; none to a request
that is whole; a traceback on the terminal; a seed that was drawn, in any answer; a server that does
not answer afterwards.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import mutate
from judge import TRACES, Finding

sys.path.append(str(Path(__file__).parent.parent / "web"))

from http_client import COMPUTER, Served, person, play, table_request

from experiments.web.server.guard import HEADERS

ROUND = 10
"""Cases of one server."""

PATIENCE = 30.0
"""Seconds in which a request that is whole is answered."""

NO_GUARD = (b"400", b"503")
"""Answers of the HTTP library itself, which come before the guard."""

ODD = ("..", "%", "\u202e\u00e9", "\ud800", "\0", "/etc/passwd", "-1", "9" * 30, "null")
"""Values in links that are none, beside those of `mutate`."""

FILES = ("table.json", "moves.jsonl", "pace.json", "*.jsonl", "*")


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    known = prepare(folder / "whole")
    for first in range(0, number, ROUND):
        yield from _attack_one_server(range(first, min(number, first + ROUND)), seed, folder, known)


def prepare(folder: Path) -> dict[str, Any]:
    """Play a game at a table in ``folder``, and begin two; return names in links, and the seeds."""
    server = Served(folder)
    ended = server.table(person("Ann"), COMPUTER, COMPUTER, seed=None)
    (link,) = ended["seats"].values()
    play(server, link, server.stream(f"/api{link}/stream"))
    server.ask("GET", f"/api{link}/after")  # it is filed
    lobby = server.ask("GET", "/api/lobby")[1]
    begun = server.table(person("Bob"), COMPUTER, COMPUTER, seed=None)
    watched = server.table(*[COMPUTER] * 3, seed=None, pace=60.0)
    server.ask("POST", f"/api{watched['watch']}/control", {"pause": True})
    server.close()
    setups = [
        json.loads(json.loads(path.read_text())["setup"]) for path in folder.rglob("table.json")
    ]
    return {
        "seats": [*ended["seats"].values(), *begun["seats"].values()],
        "watches": [made["watch"] for made in (ended, begun, watched)],
        "records": [one["id"] for one in lobby["records"]],
        "seeds": [str(setup["seed"]).encode() for setup in setups],
    }


def build_request(random: Random, known: dict[str, Any]) -> tuple[bytes, bool]:
    """Return a request, and whether it is whole."""
    seat, watch = random.choice(known["seats"]), random.choice(known["watches"])
    record = random.choice(known["records"])
    ids = {seat.split("/")[-1], watch.split("/")[-1], record}
    line = random.choice((1, 2, 3, 20, 10**6))
    gets = ["/", "/api/lobby", "/api/compiled", "/static/style.css"]
    gets += [seat, f"/api{seat}", f"/api{seat}/stream", f"/api{seat}/notebook"]
    gets += [watch, f"/api{watch}", f"/api{watch}/stream", f"/api{watch}/beliefs"]
    gets += [f"/records/{record}", f"/api/records/{record}", f"/api/records/{record}/beliefs"]
    gets += [f"/api/records/{record}/notebooks/{line}"]
    posts = {
        "/api/tables": table_request(seed=random.choice((None, 7))),
        f"/api{seat}/answer": {"number": random.randrange(9), "action": random.randrange(300)},
        f"/api{watch}/control": random.choice(({"pause": True}, {"step": "turn"}, {"pace": 0.0})),
        f"/api/records/{record}/explain": {"line": line, "preset": "swift", "settings": []},
    }
    body, method = b"", random.choice(("GET",) * 9 + ("HEAD", "DELETE", "OPTIONS"))
    headers = {"Host": "localhost", "Connection": "close"}
    if random.random() < 0.5:
        method, path = "POST", random.choice(list(posts))
        content = posts[path] if random.random() < 0.2 else mutate.value(random, posts[path])
        body = json.dumps(content).encode()
        if random.random() < 0.2:
            body = mutate.raw(random, body)
        headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    else:
        path = random.choice(gets)
    if random.random() < 0.3:
        parts = path.split("/")
        names = [at for at, part in enumerate(parts) if part in ids]
        at = random.choice(names) if names and random.random() < 0.8 else -1
        parts[at] = _odd_name(random)
        path = "/".join(parts)
    if random.random() < 0.2:
        name = random.choice(("Host", "Last-Event-ID", "Origin", "Range", "Sec-Fetch-Site"))
        headers[name] = quote(_odd_name(random), safe=" :/%")
    head = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    request = "\r\n".join([*head, "", ""]).encode() + body
    if random.random() < 0.2:
        return mutate.raw(random, request), False
    return request, True


def _odd_name(random: Random) -> str:
    """Return a value that no link has, escaped as in a path."""
    name = random.choice(random.choice((ODD, mutate.NASTY)))
    return quote(str(name).encode("utf-8", "surrogatepass")[:2000])


def _attack_one_server(
    cases: range, seed: int, folder: Path, known: dict[str, Any]
) -> Iterator[Finding | None]:
    random, at = Random(f"{seed}/{cases.start}/files"), folder / "case"
    shutil.copytree(folder / "whole", at)
    damaged = damage_file(random, at)
    terminal, found = io.StringIO(), []
    with contextlib.redirect_stderr(terminal):
        server = Served(at)
        for case in cases:
            request, whole = build_request(Random(f"{seed}/{case}"), known)
            said = len(terminal.getvalue())
            wrong = find_fault(ask(server.host, request, whole), whole, known["seeds"])
            if wrong is None and any(trace in terminal.getvalue()[said:] for trace in TRACES):
                wrong = f"a traceback: {terminal.getvalue().strip().splitlines()[-1][:200]}"
            if wrong is None and server.ask("GET", "/", plain=True)[0] != 200:
                wrong = "it does not answer any more"
            name = f"request {case} of seed {seed} ({request[:80]!r}; {damaged})"
            found.append(None if wrong is None else Finding(name, wrong))
        server.close()
    shutil.rmtree(at)
    yield from found


def damage_file(random: Random, folder: Path) -> str:
    """Damage a file below ``folder``; return what was done."""
    pattern = random.choice(FILES)
    paths = sorted(path for path in folder.rglob(pattern) if path.is_file())
    path = random.choice(paths)
    try:
        lines = path.read_text("utf-8").splitlines()
        at = random.randrange(len(lines))
        lines[at] = json.dumps(mutate.value(random, json.loads(lines[at])))
        path.write_text("\n".join(lines) + "\n", "utf-8")
    except (ValueError, UnicodeError):  # empty, or not JSON by lines
        path.write_bytes(mutate.raw(random, path.read_bytes()))
    return f"damaged: {path.relative_to(folder)}"


def ask(host: str, request: bytes, whole: bool) -> bytes | None:
    """Return the answer to ``request``, of a stream its beginning; None: there is none in time."""
    name, port = host.split(":")
    answer = b""
    with socket.create_connection((name, int(port)), timeout=PATIENCE) as connection:
        try:
            connection.sendall(request)
            if not whole:  # the server may wait for the rest
                connection.settimeout(0.3)
            while part := connection.recv(65536):
                answer += part
                if b"text/event-stream" in answer and b"retry:" in answer:
                    break
        except TimeoutError:
            return answer if answer or not whole else None
        except OSError:
            pass  # cut off by the server
    return answer


def find_fault(answer: bytes | None, whole: bool, seeds: list[bytes]) -> str | None:
    """Return what is wrong with an ``answer``."""
    if answer is None:
        return "no answer in time"
    if any(seed in answer for seed in seeds):
        return "a seed that was drawn by chance"
    status = answer[9:12]
    if not answer:
        return "no answer" if whole else None
    if not answer.startswith(b"HTTP/1.1 ") or (status >= b"500" and status not in (b"503", b"507")):
        return f"the answer {answer[:40]!r}"
    head = answer.partition(b"\r\n\r\n")[0].lower()
    if status not in NO_GUARD and any(name.lower().encode() not in head for name in HEADERS):
        return f"headers are missing: {answer[:40]!r}"
    return None
