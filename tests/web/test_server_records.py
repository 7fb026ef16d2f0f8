"""Recorded games and runs that are opened, and what the seats of a watched table know."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from http_client import COMPUTER, Served, events, person, play
from rich.console import Console

from experiments.report.__main__ import report
from experiments.runs import runfolder
from experiments.web.server import records


@pytest.fixture(scope="module")
def played_table(server):
    """The links of a table at which Ann has played, and the events that she saw."""
    made = server.table(person("Ann"), COMPUTER, COMPUTER, seed=11)
    (link,) = made["seats"].values()
    return made, events(play(server, link, server.stream(f"/api{link}/stream")))


@pytest.fixture(scope="module")
def record(server, played_table, folder):
    """The route of the record of Ann's game."""
    while not (found := server.ask("GET", "/api/lobby")[1]["records"]):
        pass  # it is filed after the end is shown
    (one,) = found
    assert one["seats"] == ["Ann", "swift", "swift"]
    return f"/api/records/{one['id']}"


def test_a_record_is_told_whole_but_for_its_seed(server, record, played_table, folder):
    received = server.ask("GET", record)[1]
    assert received["header"]["seed"] is None and received["header"]["rules"]["name"] == "speed"
    seen = [{key: event[key] for key in event if key != "known_to"} for event in received["events"]]
    assert [event for event in seen if event in played_table[1]] == played_table[1]
    assert len(seen) > len(played_table[1])  # hands and envelope are open now
    assert server.ask("GET", record.replace("/api", ""), plain=True)[0] == 200
    # The control: elsewhere the seed is no secret.
    outside = folder.parent / f"{folder.name}-outside"
    other = Served(outside / "web", outputs=folder)
    found = other.ask("GET", record)[1]
    assert found["header"]["seed"] == 11 and found["events"] == received["events"]
    other.close()


def test_its_course_its_notebooks_and_advice(server, record):
    received = server.ask("GET", record)[1]
    turns = server.ask("GET", f"{record}/beliefs")[1]["turns"]
    assert turns[0]["turn"] == 0 and len(turns[0]["bits"]) == 3
    assert {key for turn in turns for key in turn} == {"turn", "bits"}, "no chance by hidden cards"
    assert turns[-1]["bits"] <= turns[0]["bits"]
    line = received["decisions"][3]
    early = server.ask("GET", f"{record}/notebooks/{line - 1}")[1]["seats"]
    late = server.ask("GET", f"{record}/notebooks/{len(received['events'])}")[1]["seats"]
    assert all(before["bits"] >= after["bits"] for before, after in zip(early, late, strict=True))
    status, advice, _ = server.ask("POST", f"{record}/explain", {"line": line, "preset": "swift"})
    assert status == 200 and advice["player"] == "swift" and advice["words"]


def test_long_work_keeps_no_notebook_waiting(server, record, played_table, monkeypatch):
    """The courses of two records are worked out, for as long as that takes."""
    begun, let = threading.Semaphore(0), threading.Event()

    def turns(path):
        begun.release()
        assert let.wait(60)
        return []

    monkeypatch.setattr(records, "_turns", turns)
    with ThreadPoolExecutor(2) as askers:
        asked = [askers.submit(server.ask, "GET", f"{record}/beliefs") for _ in range(2)]
        try:
            for _ in asked:
                assert begun.acquire(timeout=60)
            (link,) = played_table[0]["seats"].values()
            assert server.ask("GET", f"/api{link}/notebook")[0] == 200
            assert server.ask("GET", record)[0] == 200
            assert not any(one.done() for one in asked)
        finally:
            let.set()
        assert [one.result()[1] for one in asked] == [{"turns": []}] * 2


def test_the_seed_is_kept_back_however_the_folders_are_named(server, record, folder, monkeypatch):
    """With it anybody could deal the next games of the run."""
    assert server.ask("GET", record)[1]["header"]["seed"] is None
    monkeypatch.chdir(folder.parent)
    twisted = Path(folder.name, "..", folder.name)
    named = Served(folder.parent / "none", outputs=twisted)
    (one,) = named.ask("GET", "/api/lobby")[1]["records"]
    assert named.ask("GET", f"/api/records/{one['id']}")[1]["header"]["seed"] == 11  # the control
    named.close()
    request = SimpleNamespace(registry=SimpleNamespace(folder=folder))
    monkeypatch.setattr(records, "state_of", lambda _: request)
    assert records._is_of_tables(None, twisted / "games")
    assert not records._is_of_tables(None, folder.parent / "games")


def test_a_report_does_not_tell_seeds_that_were_drawn(monkeypatch, tmp_path):
    """Of its own run, and of others that it compares; controls: what is chosen, and images."""
    planned = [SimpleNamespace(seed=123456789), SimpleNamespace(seed=7)]
    monkeypatch.setattr(runfolder, "read_matches", lambda folder: planned)
    received = records._hide_seeds(b"seed 123456789, 17 games", tmp_path)
    assert received == b"seed hidden, 17 games"
    text = b"seed 4611686018427387904 of b, seed 771001, data:image/png;base64,a/987654321098+b"
    assert records._hide_seeds(text, tmp_path) == text.replace(b"4611686018427387904", b"hidden")


def test_no_copy_and_no_other_server_tells_a_seed_that_was_drawn(tmp_path, monkeypatch):
    """Copies lie below ``outputs``; all else of the record is shown, and the seed is not in it."""
    server = Served(tmp_path / "outputs/web", outputs=tmp_path / "outputs")
    made = server.table(person("Ann"), COMPUTER, COMPUTER, seed=None)
    (link,) = made["seats"].values()
    play(server, link, server.stream(f"/api{link}/stream"))
    while not [*tmp_path.glob("outputs/web/games/*/summary.json")]:
        pass  # it is filed after the end is shown
    unfinished = shutil.ignore_patterns("*.writing")
    shutil.copytree(tmp_path / "outputs/web", tmp_path / "outputs/backup", ignore=unfinished)
    (matches,) = tmp_path.glob("outputs/backup/games/*/matches.json")
    (match,) = runfolder.read_matches(matches.parent)
    report([matches.parent], None, Console(quiet=True))
    other = Served(tmp_path / "elsewhere", outputs=tmp_path / "outputs")
    for asked in (server, other):
        lobby = asked.ask("GET", "/api/lobby")[1]
        copies = [f"/api/records/{one['id']}" for one in lobby["records"]]
        assert len(copies) == 2
        runs = [one["report"] for one in lobby["runs"] if one["report"]]
        texts = [asked.ask("GET", each, plain=True)[1] for each in (*copies, *runs)]
        assert runs and not any(str(match.seed) in text for text in texts)
        assert all(asked.ask("GET", each)[1]["header"]["seed"] is None for each in copies)
    monkeypatch.setattr(records, "_is_drawn", lambda seed: False)  # the control
    shown = [other.ask("GET", each)[1]["header"]["seed"] for each in copies]
    assert match.seed in shown
    other.close()
    server.close()


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"line": 1, "preset": "swift"}, "the record has events on lines"),
        ({"line": 2, "preset": "swift"}, "is no turn decision"),
        ({"line": 2, "preset": "nobody"}, "player 'nobody': unknown"),
        ({"line": 2, "preset": "swift", "settings": ["network=/etc/passwd"]}, "not a setting"),
        ({"line": "2", "preset": "swift"}, "line"),
        ({}, "line"),
    ],
)
def test_questions_that_have_no_answer_are_refused_in_one_sentence(server, record, given, fault):
    status, received, _ = server.ask("POST", f"{record}/explain", given)
    assert status == 422 and fault in received["error"] and "\n" not in received["error"]


@pytest.mark.parametrize("name", ["nothing", "..%2f..%2fetc%2fpasswd", "%00"])
def test_what_is_no_record_is_not_opened(server, name):
    for route in (f"/api/records/{name}", f"/api/records/{name}/beliefs"):
        assert server.ask("GET", route, plain=True)[0] == 404


def test_a_run_and_its_report(server, record, folder):
    while not (runs := server.ask("GET", "/api/lobby")[1]["runs"]):
        pass  # it is filed after its record
    (run,) = runs
    assert run["report"] is None and run["rates"][0]["player"] == "Ann"
    assert server.ask("GET", f"/runs/{run['id']}/report", plain=True)[0] == 404
    status, received, _ = server.ask("GET", f"/api/runs/{run['id']}")
    assert status == 200 and received["table"][0]["player"] == "Ann"
    (kept,) = folder.glob("games/*")
    report([kept], None, Console(quiet=True))
    (run,) = server.ask("GET", "/api/lobby")[1]["runs"]
    status, page, headers = server.ask("GET", run["report"], plain=True)
    assert status == 200 and "Ann" in page and "swift" in page
    secret = folder.parent / "secret.html"
    secret.write_text("a secret")
    (kept / "report.html").unlink()
    (kept / "report.html").symlink_to(secret)
    assert server.ask("GET", run["report"], plain=True)[0] == 404
    assert server.ask("GET", "/api/lobby")[1]["runs"][0]["report"] is None
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy and "script" not in policy


def test_what_seats_know_is_told_where_nobody_sits_or_after_the_end(server, played_table):
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    status, received, _ = server.ask("GET", f"/api{made['watch']}/beliefs")
    assert status == 403 and set(received) == {"error"}
    status, received, _ = server.ask("GET", f"/api{played_table[0]['watch']}/beliefs")
    assert status == 200 and len(received["seats"]) == 3
    watch = server.table(COMPUTER, COMPUTER, COMPUTER)["watch"]
    server.stream(f"/api{watch}/stream").until("over")
    received = server.ask("GET", f"/api{watch}/beliefs")[1]
    bits = [turn["bits"] for turn in received["turns"]]
    assert len(bits) > 3 and all(after <= before for before, after in pairwise(bits))
    assert [turn["turn"] for turn in received["turns"]] == list(range(len(bits)))
    assert received["seats"][0]["bits"] <= bits[-1][0]


def test_a_notebook_has_probabilities_with_hints_alone(server):
    for hints in (True, False):
        made = server.table(person("Ann"), COMPUTER, COMPUTER, hints=hints)
        (link,) = made["seats"].values()
        server.stream(f"/api{link}/stream").until("prompt")
        received = server.ask("GET", f"/api{link}/notebook")[1]
        assert (received["chance"] is not None) == (received["bits"] is not None) == hints
        assert len(received["cards"]) == 21


def test_a_certain_mark_of_a_notebook_has_a_proof(server):
    """Any other has none, and a mark that there is not is not found; nor is another's seat."""
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    (link,) = made["seats"].values()
    server.stream(f"/api{link}/stream").until("prompt")
    cards = server.ask("GET", f"/api{link}/notebook")[1]["cards"]
    own = next(card for card, line in enumerate(cards) if line["holders"][1] == "yes")
    open_ = next(card for card, line in enumerate(cards) if line["holders"][0] == "maybe")
    status, proof, _ = server.ask("GET", f"/api{link}/proof/{own}/1")
    assert status == 200 and proof["holds"] == "yes"
    assert proof["facts"] == [{"kind": "own", "cards": [cards[own]["card"]]}]
    refused = {
        f"{link}/proof/{open_}/0": 409,
        f"{link}/proof/21/0": 404,
        f"{link}/proof/0/4": 404,
        f"{link}/proof/-1/0": 404,
        f"{link}/proof/x/0": 404,
        f"/seat/{'A' * 22}/proof/{own}/1": 404,
    }
    for path, expected in refused.items():
        status, received, _ = server.ask("GET", f"/api{path}")
        assert status == expected and set(received) == {"error"}, path
