"""External programs: whole games, their faults, and no leftover processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from presets import spec_of

from sim.cards import CARDS
from sim.contract.testing import check_player
from sim.player import PolicyPlayer
from sim.players.external import Settings
from sim.players.registry import make
from sim.referee import play
from sim.rules import preset
from sim.state import ACCUSED

RULES = preset("speed_clue", players=3)
EXAMPLE = Path(__file__).parents[2] / "examples" / "external.py"
FIRST = "[a for a in m['actions'] if not 46 <= a < 370][0]"


def program(folder, does, seconds=20.0, start=""):
    """Return a player whose program does ``does`` at each decision ``m``, its ``n``-th."""
    path = folder / "program.py"
    path.write_text(
        "import json, os, sys, time\n"
        f"{textwrap.dedent(start)}\n"
        "n = 0\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'decide':\n"
        "        n += 1\n" + textwrap.indent(textwrap.dedent(does), " " * 8)
    )
    return Settings(name="external", command=f"python {path}", seconds=seconds).make(RULES)


def games(player, *numbers, rules=RULES):
    """Play games; return the seat of ``player`` in each."""
    others = [PolicyPlayer("closure") for _ in range(rules.players - 1)]
    return [play(rules, [player, *others], 4, number).seats[0] for number in numbers]


def is_running(pid):
    """Return whether there is such a process, other than one whose end nobody has asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(met):
    """Wait until ``met()``, for a minute at most."""
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["speed_clue", "classic", "ledford"])
def test_the_example_plays_by_all_rules(name):
    rules = preset(name, turn_cap=30)
    player = make(spec_of("external", command=f"python {EXAMPLE}"), rules)
    for seat in games(player, 0, 1, rules=rules):
        assert seat.faults == 0 and seat.decisions > 3


def test_it_keeps_the_contract_of_players():
    rules = preset("speed", turn_cap=12)
    settings = Settings(name="external", command=f"python {EXAMPLE}")
    first = f"{sys.executable} -c"
    code = "import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n"
    code += f" m['type']=='decide' and print({FIRST}, flush=True)"
    settings.command = f"{first} {json.dumps(code).replace(chr(92) + 'n', chr(10))}"
    assert check_player(lambda: settings.make(rules), rules, games=1, swaps=1) > 0


def test_it_is_handed_what_its_seat_sees(tmp_path):
    log = tmp_path / "log"
    does = f"print({FIRST}, flush=True)\n"
    start = (
        f"log = open({str(log)!r}, 'w')\nsys.stdin = iter([log.write(l) and l for l in sys.stdin])"
    )
    player = program(tmp_path, does, start=start.replace("[", "(").replace("]", ")"))
    games(player, 0)
    player._program.stdin.close()
    player._program.wait()  # so that all is written
    messages = [json.loads(line) for line in log.read_text().splitlines()]
    begun, *later = messages
    assert begun["type"] == "begin" and len(begun["hand"]) == 6 and begun["rules"]["players"] == 3
    assert {message["type"] for message in later} == {"see", "decide"}
    for message in later:
        if message["type"] == "see":
            shown = message["answerer"] is not None and 0 in (message["asker"], message["answerer"])
            assert (message["card"] is not None) == shown


def test_it_hears_what_was_accused(monkeypatch):
    player, messages = Settings(name="external", command="true").make(RULES), []
    monkeypatch.setattr(player, "_say", lambda kind, **what: messages.append((kind, what)))
    cards = 1 | 1 << 6 | 1 << 12
    player.see((2, cards, ACCUSED, -1))
    player.see((2, cards, -1, -1))  # the control
    said = {"cards": [CARDS[0], CARDS[6], CARDS[12]]}
    assert messages == [
        ("hear", {"accuser": 2, **said}),
        ("see", {"asker": 2, **said, "answerer": None, "card": None}),
    ]


FAULTS = {
    "crash": "os._exit(3)",
    "nonsense": "print('hello', flush=True)",
    "number, and more": f"print({FIRST}, {FIRST}, flush=True)",
    "two lines": f"os.write(1, (2 * f'{{{FIRST}}}\\n').encode())",
    "flood": "print('9' * 100_000, flush=True)",
    "flood without end": "while True: os.write(1, b'x' * 4096)",
    "closed": "os.close(1); time.sleep(600)",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_the_program_and_the_seat_plays_on(fault, tmp_path):
    for seat in games(program(tmp_path, FAULTS[fault]), 0, 1):
        assert seat.faults == 1 and not seat.out and seat.decisions > 2


@pytest.mark.parametrize("does", ["time.sleep(600)", "pass"])
def test_silence_is_ended_by_the_clock(does, tmp_path):
    (seat,) = games(program(tmp_path, does, seconds=0.5), 0)
    assert seat.faults == 1


def test_a_program_that_does_not_read_is_ended(tmp_path):
    player = program(tmp_path, "", seconds=0.5, start="time.sleep(600)")
    (seat,) = games(player, 0)
    assert seat.faults == 1


@pytest.mark.parametrize("action", [-1, 9999, 10**30])
def test_an_illegal_action_is_replaced_each_time(action, tmp_path):
    (seat,) = games(program(tmp_path, f"print({action}, flush=True)"), 0)
    assert seat.faults == seat.decisions > 2


def test_a_program_that_ends_with_its_game_is_started_for_the_next(tmp_path):
    player = program(tmp_path, f"print({FIRST}, flush=True)")
    for number in range(2):
        assert games(player, number)[0].faults == 0
        player._program.stdin.close()
        player._program.wait()


def test_no_such_program_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"no_such_thing: unknown program"):
        Settings(name="external", command="no_such_thing").make(RULES)
    with pytest.raises(ValueError, match=r"^player\.command="):
        Settings(name="external", command="'").make(RULES)


HANGS = """
import subprocess

with open({pids!r}, "a") as file:
    print(os.getpid(), subprocess.Popen(["sleep", "600"]).pid, file=file)
"""
LEFT = 2
"""Processes of it: the program and a child."""


def read_pids(path):
    """Return the processes whose numbers are in the file."""
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def test_nothing_is_left_of_a_program_given_up(tmp_path):
    pids = tmp_path / "pids"
    player = program(tmp_path, "time.sleep(600)", 0.5, HANGS.format(pids=str(pids)))
    games(player, 0)
    wait_for(lambda: not any(map(is_running, read_pids(pids))))
    assert len(read_pids(pids)) == LEFT


def test_nothing_is_left_when_we_are_ended(tmp_path):
    """The program hangs, with a child of its own, while its game is ended from outside."""
    pids = tmp_path / "pids"
    program(tmp_path, "time.sleep(600)", 600.0, HANGS.format(pids=str(pids)))
    code = f"""
        from sim.player import PolicyPlayer
        from sim.players.external import Settings
        from sim.referee import play
        from sim.rules import preset

        rules = preset("speed_clue", players=3)
        command = "python {tmp_path / "program.py"}"
        player = Settings(name="external", command=command, seconds=600.0).make(rules)
        play(rules, [player, PolicyPlayer("closure"), PolicyPlayer("closure")], 4, 0)
    """
    run = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=EXAMPLE.parents[1],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(EXAMPLE.parents[1])},
    )
    wait_for(lambda: len(read_pids(pids)) == LEFT or run.poll() is not None)
    assert all(map(is_running, read_pids(pids)))
    run.send_signal(signal.SIGINT)
    run.wait()
    wait_for(lambda: not any(map(is_running, read_pids(pids))))
    assert len(read_pids(pids)) == LEFT
