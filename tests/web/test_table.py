"""A table: prompts, what is held back, and games that go on after the server was killed."""

import resource
from contextlib import contextmanager

import numpy as np
import pytest
from table_setup import COMPUTER, person, play_to_prompt, setup

from experiments.web.tables.setup import Setup
from experiments.web.tables.table import Move, Moves, NotNow, Table
from sim.player import IllegalAction
from sim.records.record import read
from sim.records.replay import replay
from sim.state import ACCUSE, REVEAL


def answers(table, stream, until=None):
    """Answer at random, without accusing, until the game is over; yield before each answer."""
    while prompt := play_to_prompt(table):
        yield prompt
        fit = [action for action in prompt.choices if not ACCUSE <= action < REVEAL]
        table.answer(prompt.seat, prompt.number, int(stream.choice(fit)))


def test_people_and_computers_play_a_game_to_its_end(tmp_path):
    table = Table(setup(), tmp_path)
    asked = {(prompt.seat, prompt.shows) for prompt in answers(table, np.random.default_rng(1))}
    assert asked == {(0, False), (0, True), (2, False), (2, True)}
    (tmp_path / "game.jsonl").write_text(table.game.record())
    assert replay(read(tmp_path / "game.jsonl"))[0].turn == table.game.view(0)[0].turn


def test_who_can_show_one_card_alone_is_asked_like_who_has_a_choice(tmp_path):
    """Until the answer nobody is shown more than that a card will be shown."""
    table, forced = Table(setup(), tmp_path), 0
    for prompt in answers(table, np.random.default_rng(2)):
        if not prompt.shows:
            continue
        assert table.known_to(None)[-1]["event"] == "refute"
        assert table.known_to(None)[-1]["by"] == prompt.seat
        forced += len(prompt.choices) == 1
    assert forced > 1


def test_each_question_is_answered_once_and_by_whom_it_was_asked(tmp_path):
    table, stream, tried = Table(setup(), tmp_path), np.random.default_rng(3), 0
    last = None
    for prompt in answers(table, stream):
        before = (table.game.record(), table.shown, (tmp_path / "moves.jsonl").read_bytes())
        wrong = [(prompt.seat ^ 2, prompt.number), (prompt.seat, prompt.number + 1)]
        for seat, number in wrong + ([last] if last else []):
            with pytest.raises(NotNow, match="not asked, or has been answered"):
                table.answer(seat, number, prompt.choices[0])
        with pytest.raises(IllegalAction):
            table.answer(prompt.seat, prompt.number, 10**6)
        assert before == (table.game.record(), table.shown, (tmp_path / "moves.jsonl").read_bytes())
        last, tried = (prompt.seat, prompt.number), tried + 1
    assert tried > 20


def test_a_table_goes_on_where_it_was_whenever_it_is_killed(tmp_path):
    """The file as it stood before each answer, with and without half a line behind it."""
    table, copies = Table(setup(turn_cap=30), tmp_path), []
    for prompt in answers(table, np.random.default_rng(4)):
        copies.append((prompt, (tmp_path / "moves.jsonl").read_bytes(), table.game.record()))
    for number, (prompt, content, record) in enumerate(copies):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "moves.jsonl").write_bytes(content + b'{"seat": 1, "act' * (number % 2))
        again = Table(setup(turn_cap=30), folder)
        assert play_to_prompt(again) == prompt
        assert again.game.record() == record
        again.answer(prompt.seat, prompt.number, prompt.choices[0])
        again.close()
        assert Moves(folder / "moves.jsonl").recorded[-1].seat == prompt.seat


@pytest.mark.parametrize(
    ("moves", "fault"),
    [
        (None, r"decides differently|chose action"),  # of another game of computers
        ('{"seat": 1}', "not the moves of a table"),
        ('{"seat": 0, "action": null}', "out of turn"),
        ('{"seat": 1, "action": 0}', "out of turn"),
    ],
)
def test_moves_that_are_not_of_this_game_are_refused(tmp_path, moves, fault):
    if moves is None:
        play_to_prompt(Table(setup(*[COMPUTER] * 4, game=2), tmp_path))
    else:
        (tmp_path / "moves.jsonl").write_text(f"{moves}\n")
    with pytest.raises(ValueError, match=fault):
        Table(setup(*([COMPUTER] * 4 if moves is None else ())), tmp_path)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"seats": (COMPUTER,)}, "4 seats, but 1 players"),
        ({"pace": -1.0}, "pace must be from 0 to 60 seconds"),
        ({"pace": float("nan")}, "pace must be"),
        ({"seats": (person("A"), person("A"), COMPUTER, COMPUTER)}, "two people are called A"),
        ({"seats": (person(""), COMPUTER, COMPUTER, COMPUTER)}, "a name has 1 to 24 printable"),
        ({"seats": (person("a\x1b[2J"), COMPUTER, COMPUTER, COMPUTER)}, "printable"),
    ],
)
def test_what_cannot_be_set_up_is_refused(changes, fault):
    usual = {"rules": {"name": "ledford"}, "seats": (COMPUTER,) * 4, "seed": 1, "game": 1}
    assert Setup.from_json(Setup(**usual).to_json()) == Setup(**usual)
    with pytest.raises(ValueError, match=fault):
        Setup(**{**usual, **changes})


@contextmanager
def full(size):
    """A disk on which no file may be longer than ``size``."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", [0, 10])
def test_a_full_disk_leaves_no_half_line_and_changes_nothing(tmp_path, room):
    table = Table(setup(), tmp_path)
    prompt, path = play_to_prompt(table), tmp_path / "moves.jsonl"
    before = (table.game.record(), table.shown, path.read_bytes())
    fit = [action for action in prompt.choices if not ACCUSE <= action < REVEAL]
    for _ in range(2):
        with full(len(before[2]) + room), pytest.raises(OSError, match="too large"):
            table.answer(prompt.seat, prompt.number, fit[0])
        assert before == (table.game.record(), table.shown, path.read_bytes())
        assert table.prompt == prompt
    table.answer(prompt.seat, prompt.number, fit[0])  # the control: there is room again
    assert play_to_prompt(table) != prompt
    record = table.game.record()
    again = Table(table.setup, tmp_path)
    play_to_prompt(again)
    assert again.game.record() == record


def test_half_a_line_that_could_not_be_taken_back_is_dropped_later(tmp_path, monkeypatch):
    moves = Moves(tmp_path / "moves.jsonl")
    moves.append(Move(0, 1), lasting=True)
    with monkeypatch.context() as broken:
        broken.setattr(Moves, "_cut", lambda moves: None)
        with full(moves._whole + 10), pytest.raises(OSError, match="too large"):
            moves.append(Move(0, 2), lasting=True)
    assert not (tmp_path / "moves.jsonl").read_bytes().endswith(b"\n")
    moves.append(Move(0, 3), lasting=True)
    assert Moves(tmp_path / "moves.jsonl").recorded == [Move(0, 1), Move(0, 3)]


def test_questions_are_numbered_by_seat(tmp_path):
    """All decisions of the game would show who had a choice of cards to show; also when read."""
    table, asked = Table(setup(), tmp_path), {0: [], 2: []}
    for prompt in answers(table, np.random.default_rng(6)):
        asked[prompt.seat].append(prompt.number)
        again = Table(table.setup, tmp_path)
        assert play_to_prompt(again) == prompt
        again.close()
        if len(asked[0]) > 6:
            break
    assert all(numbers == list(range(len(numbers))) for numbers in asked.values())
    assert len(table.game.actions) > sum(map(len, asked.values()))  # the control
