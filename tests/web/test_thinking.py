"""Thinking times: written with the game, read from the record."""

import asyncio
import json

import numpy as np
import pytest
from table_setup import person, play_to_prompt, setup

from experiments.web.tables.driver import Driver
from experiments.web.tables.setup import Setup
from experiments.web.tables.table import MOVES, Table
from experiments.web.workers import Workers
from sim.records.record import read
from sim.records.replay import replay
from sim.state import ACCUSE, REVEAL

SWIFT = {"name": "swift", "threshold": 1.0, "showing": "random"}


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """A run folder with one record of Ann and Bob, and what each answered in how many seconds."""
    folder = tmp_path_factory.mktemp("run")
    table, stream, said = Table(setup(turn_cap=80), folder), np.random.default_rng(1), []
    while prompt := play_to_prompt(table):
        fit = [action for action in prompt.choices if not ACCUSE <= action < REVEAL]
        seconds = float(stream.integers(1, 40)) / 4
        said.append((prompt.seat, prompt.shows, seconds, len(prompt.choices)))
        table.answer(prompt.seat, prompt.number, int(stream.choice(fit)), seconds)
    (folder / "records").mkdir()
    (folder / "records" / "game-000001.jsonl").write_text(table.game.record())
    return folder, table, said


def thoughts(folder):
    record = read(folder / "records" / "game-000001.jsonl")
    return [event for event in record.events if event["event"] == "thought"]


def test_each_answer_is_in_the_record_and_the_record_is_whole(play):
    folder, _, said = play
    found = [(one["by"], one["kind"] == "show", one["seconds"]) for one in thoughts(folder)]
    assert found == [line[:3] for line in said]
    assert any(shows and choices == 1 for _, shows, _, choices in said), "also the only card"
    kinds = {one["kind"] for one in thoughts(folder)}
    assert {"move", "suggestion", "show"} <= kinds
    assert replay(read(folder / "records" / "game-000001.jsonl"))[0].phase == 4


def test_viewers_are_sent_nothing_of_it_while_the_game_is_played(play):
    _, table, _ = play
    assert not [event for event in table.game.events if event["event"] == "thought"]


def test_a_table_opened_again_has_the_same_record(play, tmp_path):
    folder, table, _ = play
    again = Table(table.setup, folder)
    assert again.game.record() == table.game.record()
    lines = [json.loads(line) for line in (folder / MOVES).read_text().splitlines()]
    for line in lines:
        del line["thought"]  # as before there were any
    (tmp_path / MOVES).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    old = Table(table.setup, tmp_path)
    assert old.game.events[:-1] == table.game.events[:-1], "but for the sum of the record"
    (tmp_path / "old.jsonl").write_text(old.game.record())
    assert replay(read(tmp_path / "old.jsonl"))[0].phase == 4


@pytest.mark.parametrize("opened_again", (False, True))
def test_the_clock_runs_from_the_question_that_this_server_asked(opened_again, tmp_path):
    """Of a question that another server asked nobody knows how long it stood."""
    seats = (person("Ann"), SWIFT, SWIFT, SWIFT)
    alone = Setup({"name": "ledford", "turn_cap": 60}, seats, 5, 1, pace=0.0)

    async def answer():
        if opened_again:
            Table(alone, tmp_path).close()
        driver, news = Driver(Table(alone, tmp_path), Workers()), asyncio.Event()
        driver.listeners.add(news)
        running = asyncio.create_task(driver.run())
        numbers = []
        while len(numbers) < 2:
            await news.wait()
            news.clear()
            prompt = driver.prompt
            if prompt and prompt.number not in numbers:
                numbers.append(prompt.number)
                driver.answer(0, prompt.number, prompt.choices[0])
        running.cancel()
        return driver.table

    asyncio.run(answer())
    lines = [json.loads(line) for line in (tmp_path / MOVES).read_text().splitlines()]
    first, second = [line["thought"] for line in lines if line["seat"] == 0][:2]
    assert (first is None) == opened_again and second is not None and second >= 0
