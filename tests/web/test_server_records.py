"""Recorded games that are opened, and what the seats of a watched table know."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from http_client import COMPUTER, Served, events, person, play

from experiments.web.server import records


@pytest.fixture(scope="module")
def played_table(server):
    """The links of a table at which Ann has played, and the events that she saw."""
    made = server.table(person("Ann"), COMPUTER, COMPUTER, seed=11)
    (link,) = made["seats"].values()
    return made, events(play(server, link, server.stream(f"/api{link}/stream")))


@pytest.fixture(scope="module")
def record(server, played_table):
    """The route of the record of Ann's game."""
    while not (found := server.ask("GET", "/api/lobby")[1]["records"]):
        pass  # it is filed after the end is shown
    (one,) = found
    assert one["seats"] == ["Ann", "swift", "swift"]
    return f"/api/records/{one['id']}"


def test_a_record_is_told_whole_but_for_its_seed(server, record, played_table):
    received = server.ask("GET", record)[1]
    assert received["header"]["seed"] is None and received["header"]["rules"]["name"] == "speed"
    seen = [{key: event[key] for key in event if key != "known_to"} for event in received["events"]]
    assert [event for event in seen if event in played_table[1]] == played_table[1]
    assert len(seen) > len(played_table[1])  # hands and envelope are open now
    assert server.ask("GET", record.replace("/api", ""), plain=True)[0] == 200


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


def test_no_table_and_no_copy_tells_a_seed_that_was_drawn(tmp_path, monkeypatch):
    """Copies lie below ``outputs``, whatever the folder is called; controls: what was chosen."""
    monkeypatch.chdir(tmp_path)
    server = Served(tmp_path / "outputs/web", outputs=Path("outputs", "..", "outputs"))
    for seed in (None, 17):
        made = server.table(person("Ann"), COMPUTER, COMPUTER, seed=seed)
        (link,) = made["seats"].values()
        play(server, link, server.stream(f"/api{link}/stream"))
        server.ask("GET", f"/api{link}/after")  # it is filed
    unfinished = shutil.ignore_patterns("*.writing")
    shutil.copytree(tmp_path / "outputs/web", tmp_path / "outputs/copy", ignore=unfinished)

    def seeds(place):
        lobby = server.ask("GET", "/api/lobby")[1]
        found = [one["id"] for one in lobby["records"] if one["name"].startswith(place)]
        return [server.ask("GET", f"/api/records/{one}")[1]["header"]["seed"] for one in found]

    assert seeds("web/") == [None, None] and sorted(map(str, seeds("copy/"))) == ["17", "None"]
    monkeypatch.setattr(records, "CHOSEN_DIGITS", 99)
    assert None not in seeds("copy/")
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
