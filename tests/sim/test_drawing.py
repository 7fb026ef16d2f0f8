"""Pictures of the table."""

import re

import numpy as np
from env_play import accuse, begin_game, play

from sim.cards import ROOMS
from sim.environment.aec import env


def test_pictures_show_the_board():
    core = begin_game("classic", players=6, render_mode="ansi")
    lines = core.render().splitlines()
    squares = [line.ljust(48)[::2] for line in lines[:25]]
    starts = {"0": (16, 0), "1": (23, 7), "2": (14, 24), "3": (9, 24), "4": (0, 18), "5": (0, 5)}
    for seat, (column, row) in starts.items():
        assert squares[row][column] == seat
    assert sum(square in ".012345" for row in squares for square in row) == 188
    for room in ROOMS:
        assert sum(room.split()[0] in line for line in lines) == 1
    assert lines[26:] == [
        "0 Scarlett  1 Mustard  2 White  3 Green  4 Peacock  5 Plum",
        f"turn 1: player_0 (Scarlett) rolled {core._state.roll}, to move",
    ]
    for door in range(188, 205):
        core._state.spot[:] = door
        picture = core.render()
        (row,) = (line for line in picture.splitlines() if "0 1 2 3 4 5" in line)
        assert all(room.split()[0] in picture for room in ROOMS) and picture.count("+") == 17
    assert row[36:] == "0 1 2 3 4 5"  # the last is in the Kitchen


def test_pictures_show_what_was_said_and_no_hidden_card():
    core = begin_game("classic", players=3, render_mode="ansi")
    pictures = []
    for _ in play(core, np.random.default_rng(1), 300):
        pictures.append(core.render().splitlines()[26:])
    assert max(len(lines) for lines in pictures) == 5
    shown = [line for lines in pictures for line in lines if "shows" in line]
    assert shown and all(re.search(r"player_\d shows a card$", line) for line in shown)
    assert any(re.search(r": player_\d passes, player_\d", line) for line in shown)
    for doing in ("to move", "to suggest", "may accuse", r"suggests \w+, [\w ]+, [\w ]+"):
        assert any(re.search(rf"\) rolled \d+, {doing}$", lines[1]) for lines in pictures)
    core.reset(seed=5)
    accuse(core, rightly=False)
    assert "\naccused wrongly: player_0" in core.render()


def test_pictures_of_the_end_and_without_a_board(capsys):
    game = env("speed", "human", turn_cap=4)
    game.reset(seed=5)
    assert capsys.readouterr().out.startswith("0 Scarlett  1 Mustard")
    for _ in play(game, np.random.default_rng(1), 100):
        pass
    assert "over after 4 turns: a draw" in capsys.readouterr().out
    game.reset(seed=5)
    accuse(game.unwrapped, rightly=True)
    assert "over after 1 turns: player_0 (Scarlett) wins" in capsys.readouterr().out
