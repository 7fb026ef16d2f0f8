"""Answers: each counts once, from whom was asked, and once it is on disk."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor

from http_client import COMPUTER, person, quiet, read_files

from experiments.web.tables.table import Moves


def test_answers_count_once_and_from_whom_was_asked(server, folder):
    made = server.table(person("Ann"), person("Bob"), COMPUTER)
    ann, bob = made["seats"]["0"], made["seats"]["1"]
    stream = server.stream(f"/api{ann}/stream")
    asked = stream.until("prompt")[-1]["prompt"]
    action = asked["choices"][0]["action"]
    before = read_files(folder)
    wrong = [
        (bob, {"number": asked["number"], "action": action}, 409),
        (ann, {"number": asked["number"] + 1, "action": action}, 409),
        (ann, {"number": asked["number"], "action": 10**6}, 422),
        (ann, {"number": asked["number"], "action": 370}, 422),
        (ann, {"number": True, "action": action}, 422),
        (ann, {"number": asked["number"], "action": str(action)}, 422),
        (ann, {"number": asked["number"], "action": action, "seat": 1}, 422),
        ("/seat/" + "A" * 22, {"number": asked["number"], "action": action}, 404),
    ]
    for link, given, expected in wrong:
        status, received, _ = server.ask("POST", f"/api{link}/answer", given)
        assert status == expected and set(received) == {"error"}, given
    assert read_files(folder) == before
    assert server.answer(ann, asked, action) == 200
    assert read_files(folder) != before  # the control
    between = read_files(folder)
    assert server.answer(ann, asked, action) == 409
    again = stream.until("prompt")[-1]["prompt"]
    assert again["number"] == asked["number"] + 1
    assert read_files(folder) == between
    stream.close()


def test_of_many_answers_at_once_one_counts(server, folder):
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    stream = server.stream(f"/api{link}/stream")
    asked = stream.until("prompt")[-1]["prompt"]
    choices = [choice["action"] for choice in asked["choices"] if choice["kind"] != "accuse"]
    with ThreadPoolExecutor(8) as hands:
        given = list(hands.map(lambda action: server.answer(link, asked, action), choices[:8]))
    assert len(given) > 1 and sorted(given) == [200] + [409] * (len(given) - 1)
    (mine,) = [
        move
        for move in map(
            json.loads, (folder / "tables" / made["id"] / "moves.jsonl").read_text().splitlines()
        )
        if move["seat"] == 0
    ]
    assert mine["action"] == choices[given.index(200)]
    stream.close()


def test_an_answer_that_cannot_be_written_down_changes_nothing(server, monkeypatch):
    def full(moves, move, lasting):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    stream = server.stream(f"/api{link}/stream")
    asked = stream.until("prompt")[-1]["prompt"]
    answer = {"number": asked["number"], "action": quiet(asked)}
    with monkeypatch.context() as planted:
        planted.setattr(Moves, "append", full)
        status, received, _ = server.ask("POST", f"/api{link}/answer", answer)
    assert status == 507 and "No space left on device" in received["error"]
    assert server.stream(f"/api{link}/stream").until("prompt")[-1]["prompt"] == asked
    assert server.answer(link, asked) == 200
    stream.close()
