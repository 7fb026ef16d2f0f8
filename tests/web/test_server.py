"""The server: seats by token, requests that are refused."""

import http.client
import json
import socket
import time
from contextlib import suppress

import pytest
from http_client import COMPUTER, Served, events, person, play, read_files, table_request

from experiments.web.server import guard
from experiments.web.server.guard import HEADERS, MOST_BODY
from experiments.web.server.serve import describe_reach, names_of
from experiments.web.server.streams import MOST_OF_A_SEAT


@pytest.fixture(scope="module")
def made_table(server):
    """A table of Ann, Bob and a computer."""
    return server.table(person("Ann"), person("Bob"), COMPUTER)


def test_a_seat_is_its_token_and_no_token_is_on_disk(server, made_table, folder):
    tokens = [link.removeprefix("/seat/") for link in made_table["seats"].values()]
    assert len(set(tokens)) == 2 and all(len(token) >= 22 for token in tokens)
    for number, token in enumerate(tokens):
        status, received, _ = server.ask("GET", f"/api/seat/{token}")
        assert (status, received["seat"], received["table"]) == (200, number, made_table["id"])
    written = b"".join(read_files(folder).values())
    # The control: the folder has the name of the table.
    assert made_table["id"].encode() not in written
    assert not any(token.encode() in written for token in tokens)
    assert b"tokens" in written


@pytest.mark.parametrize("path", ["", "/stream", "/notebook", "/after"])
def test_a_wrong_token_leads_nowhere(server, made_table, path):
    token = made_table["seats"]["0"].removeprefix("/seat/")
    for wrong in (token[:-1], token + "A", "A" * 22, made_table["id"]):
        status, received, _ = server.ask("GET", f"/api/seat/{wrong}{path}")
        assert (status, received) == (404, {"error": "this link leads to no seat"})


ROUTES = "/", "/api/lobby", "/apiSEAT", "/apiSEAT/stream", "SEAT", "/static/play.js"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
    ],
)
def test_other_sites_are_refused(server, made_table, headers):
    port = server.host.partition(":")[2]
    headers = {name: value.replace("PORT", port) for name, value in headers.items()}
    for path in ROUTES:
        path = path.replace("SEAT", made_table["seats"]["0"])
        assert server.ask("GET", path, headers=headers, plain=True)[0] == 403, path


def test_other_sites_cannot_act(server, made_table, folder):
    """The control: the page itself can, by address and by name."""
    port = server.host.partition(":")[2]
    foreign = {"Origin": "http://evil.example"}
    before = read_files(folder)
    assert server.ask("POST", "/api/tables", table_request(), foreign)[0] == 403
    simple = {**foreign, "Content-Type": "text/plain"}
    assert server.ask("POST", "/api/tables", table_request(), simple)[0] == 403
    assert (
        server.ask("POST", "/api/tables", table_request(), {"Content-Type": "text/plain"})[0] == 400
    )
    assert read_files(folder) == before
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        own = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        assert server.ask("GET", "/api/lobby", headers=own)[0] == 200


def test_a_link_in_a_letter_opens_a_page_but_nothing_else(server, made_table):
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.ask("GET", made_table["seats"]["0"], headers=linked, plain=True)[0] == 200
    assert server.ask("GET", f"/api{made_table['seats']['0']}", headers=linked)[0] == 403


@pytest.mark.parametrize(
    ("host", "reach", "named"),
    [
        ("127.0.0.1", "Only this machine", False),
        ("localhost", "Only this machine", False),
        ("::1", "Only this machine", False),
        ("0.0.0.0", "All machines in the networks", True),
        ("192.0.2.7", "All machines that can reach 192.0.2.7", True),
    ],
)
def test_who_can_reach_the_server_is_told(host, reach, named):
    assert describe_reach(host).startswith(reach)
    assert (len(names_of(host)) > 2) == named or not named
    assert "evil.example" not in names_of(host)


def test_it_listens_on_this_machine_alone_unless_told(server):
    from experiments.settings.config import compose
    from experiments.web.__main__ import COMMAND

    COMMAND.register()
    assert compose("web").host == "127.0.0.1"
    assert server.host.startswith("127.0.0.1:")
    assert server.ask("GET", "/api/lobby")[1]["reach"] == describe_reach("127.0.0.1")


MISSING = [
    ("GET", "/nothing", 404), ("GET", "/<script>alert(1)</script>", 404),
    ("GET", "/api/nothing", 404), ("GET", "/api/watch/nothing", 404),
    ("GET", "/watch/nothing", 404), ("GET", "/static/../__main__.py", 404),
    ("GET", "/static/%2e%2e/__main__.py", 404), ("GET", "/static/%00", 404),
    ("GET", "/static/" + "a/" * 3000, 404),
    ("GET", "/static/" + "a" * 300, 404), ("GET", "/static/parts", 404), ("GET", "/seat/%00", 404),
    ("POST", "/api/lobby", 405), ("GET", "/api/tables", 405), ("DELETE", "/api/tables", 405),
    ("POST", "/", 405),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "status"), MISSING)
def test_what_is_not_there_is_refused_in_words(server, method, path, status):
    found, received, headers = server.ask(method, path, plain=True)
    assert found == status
    if path.startswith("/api/"):
        assert set(json.loads(received)) == {"error"}
    else:
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert str(status) in received and "<script>alert" not in received


BODIES = [
    b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"pace": NaN}', b"[]", b"x" * (MOST_BODY + 1),
]  # fmt: skip


def test_bad_bodies_are_refused_in_words(server):
    for body in BODIES:
        found, received, _ = server.ask("POST", "/api/tables", body)
        assert found == (413 if len(body) > MOST_BODY else 422) and set(received) == {"error"}


def test_a_body_without_an_end_is_cut_off(server):
    connection = http.client.HTTPConnection(server.host, timeout=30)
    headers = {"Content-Type": "application/json"}
    parts = (b"x" * 1000 for _ in range(MOST_BODY // 1000 + 2))
    connection.request("POST", "/api/tables", parts, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def player(preset="swift", *settings):
    return {"kind": "player", "preset": preset, "settings": [*settings]}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rules": "nothing"}, "rules 'nothing': unknown"),
        ({"players": 7}, "players"),
        ({"players": 5}, "5 seats"),
        ({"pace": -1.0}, "pace"),
        ({"seed": -1}, "seed"),
        ({"other": 1}, "other"),
        ({"seats": [person(""), player(), player()]}, "a name has"),
        ({"seats": [person("swift"), player(), player()]}, "the name of a player"),
        ({"seats": [person("x" * 25), player(), player()]}, "name"),
        ({"seats": [player("nobody")] * 3}, "player 'nobody': unknown"),
        ({"seats": [{"kind": "ghost"}] * 3}, "seats"),
        ({"seats": [player("swift", "threshold=2")] * 3}, "threshold"),
        ({"seats": [player("swift", "_target_=os.system")] * 3}, "not a setting"),
        ({"seats": [player("bn")] * 3}, "hands"),
        ({"seats": [player("bmcts", "budget.simulations=1001")] * 3}, "at most 1,000"),
    ],
)
def test_tables_that_cannot_be_are_refused_in_one_sentence(server, folder, changes, fault):
    before = read_files(folder)
    status, received, _ = server.ask("POST", "/api/tables", {**table_request(), **changes})
    assert status == 422 and fault in received["error"] and "\n" not in received["error"], received
    assert read_files(folder) == before


def test_every_answer_has_the_headers(server, made_table):
    for path in (
        "/",
        "/api/lobby",
        "/nothing",
        "/api/nothing",
        made_table["seats"]["0"],
        "/static/play.js",
    ):
        status, _, headers = server.ask("GET", path, plain=True)
        assert status == (404 if "nothing" in path else 200)
        kept = {"Cache-Control": "no-cache"} if path.startswith("/static") else {}
        assert {name: headers[name] for name in HEADERS} == {**HEADERS, **kept}, path
        assert "server" not in headers and "unsafe" not in headers["Content-Security-Policy"]
    assert HEADERS["Cache-Control"] == "no-store"


def test_names_are_text_and_never_markup(server):
    name = "<script>x()</script>"
    made_table = server.table(person(name), COMPUTER, COMPUTER)
    lobby = server.ask("GET", "/api/lobby")[1]
    assert any(name in table["seats"] for table in lobby["tables"])
    for path in ("/", made_table["seats"]["0"], made_table["watch"]):
        status, page, _ = server.ask("GET", path, plain=True)
        assert status == 200 and "x()" not in page


def test_a_fault_of_ours_tells_nothing_of_itself(server, monkeypatch, capsys):
    def broken():
        raise ValueError("a hidden card")

    monkeypatch.setattr("experiments.web.server.lobby.presets", broken)
    status, received, headers = server.ask("GET", "/api/lobby", plain=True)
    assert status == 500 and "hidden card" not in received and "error" in json.loads(received)
    assert headers["Cache-Control"] == "no-store"
    received = ""
    while "a hidden card" not in received:  # it is printed before or after the answer
        received += capsys.readouterr().err
        time.sleep(0.01)


def test_tables_and_viewers_are_limited_and_who_sits_finds_room(tmp_path):
    server = Served(tmp_path, tables=1, streams=8)
    made_table = server.table(person("Ann"), COMPUTER, COMPUTER)
    status, received, _ = server.ask("POST", "/api/tables", table_request())
    assert status == 429 and "1 tables are under way" in received["error"]
    watching = [server.stream(f"/api{made_table['watch']}/stream") for _ in range(2)]
    assert server.stream(f"/api{made_table['watch']}/stream").status == 503
    seat = f"/api{made_table['seats']['0']}/stream"
    seated = [server.stream(seat) for _ in range(MOST_OF_A_SEAT)]
    for stream in seated:
        stream.until("prompt")
    server.stream(seat).until("prompt")
    assert list(seated[0]) == [], "the oldest has ended"
    for stream in (*watching, *seated):
        stream.close()
    server.close()


def begin_requests(server, number):
    """Return so many connections to ``server`` on which half a request was sent."""
    host, port = server.host.split(":")
    begun = []
    for _ in range(number):
        connection = socket.create_connection((host, int(port)), timeout=20)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: ")
        begun.append(connection)
    return begun


def ask_from(server, source):
    """Return the status of a request from another address of this machine."""
    host, port = server.host.split(":")
    asking = http.client.HTTPConnection(host, int(port), timeout=20, source_address=(source, 0))
    try:
        asking.request("GET", "/api/lobby")
        return asking.getresponse().status
    finally:
        asking.close()


@pytest.mark.parametrize(("share", "expected"), [(0.25, 200), (1.0, 503)])
def test_one_address_does_not_shut_out_others(tmp_path, share, expected):
    """By half-sent requests; control: without a share for each address it does."""
    server = Served(tmp_path, streams=1, share=share)
    begun = begin_requests(server, 210)
    assert ask_from(server, "127.0.0.2") == expected
    for connection in begun:
        connection.close()
    server.close()


def test_what_is_one_request_here_may_be_two_to_a_proxy_and_is_refused(server):
    """By two lengths of one body; the hidden request that follows is not answered."""
    host, port = server.host.split(":")
    hidden = b"GET /api/compiled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for lengths, answers in (
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", [b"400"]),
        (b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n", [b"200", b"200"]),
    ):
        with socket.create_connection((host, int(port)), timeout=2) as connection:
            head = hidden.removesuffix(b"\r\n") + lengths + b"\r\n"
            connection.sendall(head + b"0\r\n\r\n" + hidden)
            received = b""
            with suppress(TimeoutError):
                while len(received.split(b"HTTP/1.1 ")) < 3 and (part := connection.recv(65536)):
                    received += part
        assert [one[:3] for one in received.split(b"HTTP/1.1 ")[1:]] == answers


def test_headers_that_do_not_end_are_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "HEADERS_SECONDS", 0.2)
    server = Served(tmp_path)
    (half,) = begin_requests(server, 1)
    with suppress(ConnectionResetError):
        assert half.recv(1) == b""
    made_table = server.table(*[COMPUTER] * 3, pace=60.0)  # the control: whole ones are
    stream = server.stream(f"/api{made_table['watch']}/stream")
    stream.until("event")
    time.sleep(0.5)
    server.ask("POST", f"/api{made_table['watch']}/control", {"step": "event"})
    assert stream.until("event")
    stream.close()
    server.close()


def test_who_sits_nowhere_sees_what_all_know(server):
    made_table = server.table(person("Ann"), COMPUTER, COMPUTER)
    ann = server.stream(f"/api{made_table['seats']['0']}/stream")
    play(server, made_table["seats"]["0"], ann, until=3)
    watched = events(server.stream(f"/api{made_table['watch']}/stream").until("waiting"))
    assert watched and not {"deal", "show", "envelope"} & {event["event"] for event in watched}
    for order in ({"pause": True}, {"step": "event"}, {"pace": 0.0}):
        assert server.ask("POST", f"/api{made_table['watch']}/control", order)[0] == 403
    open_table = server.table(COMPUTER, COMPUTER, COMPUTER)
    received = events(server.stream(f"/api{open_table['watch']}/stream").until("over"))
    assert {"deal", "show", "envelope"} <= {event["event"] for event in received}
    assert not any({"known_to", "digest", "check"} & set(event) for event in received)
    ann.close()
