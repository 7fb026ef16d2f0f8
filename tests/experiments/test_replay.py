"""Games of a run are written down, and shown by the command, to one seat no more than it knows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.matches import play, results
from experiments.matches.schedule import Match, Seating
from experiments.replay import __main__ as replay
from sim.records.record import read
from sim.records.replay import replay as replayed
from tests.experiments.rows import read_rows

FILE = Path(__file__).parents[1] / "data" / "game.jsonl"

MATCH = Match(
    name="random against 2 heuristic",
    rules={"name": "ledford", "players": 3},
    entrants=({"name": "random"}, {"name": "heuristic"}),
    seating=Seating.one(3, range(3)),
    measured=0,
    seed=3,
)


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command in this process; return exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "250")

    def run(*arguments):
        code = replay.COMMAND.run([*map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_a_transcript_tells_the_whole_game(command):
    code, out, err = command(FILE)
    assert (code, err) == (0, "")
    record = read(FILE)
    assert f"game {record.game} of seed {record.seed}" in out
    assert "seat 0 (Scarlett): wanderer" in out
    rows = re.findall(r"^│ +(\d+) │", out, re.MULTILINE)
    assert list(map(int, rows)) == list(range(record.end["turns"] + 1))
    assert out.count("the card is") == sum(event["event"] == "show" for event in record.events)
    assert "in the envelope: " + ", ".join(record.end["envelope"]) in out
    for words in ("takes the passage to", "is called)", "makes for (", "stays", "no player can"):
        assert words in out
    assert "the accusation is wrong" in out
    assert f"the accusation is right; seat 1 wins: it was {record.end['envelope'][0]}" in out


def test_a_seat_is_shown_what_it_knows(command):
    record = read(FILE)
    for seat in range(4):
        code, out, _ = command(FILE, f"seat={seat}")
        assert code == 0
        known = record.known_to(seat)
        for words, kind in (
            ("the card is", "show"),
            ("is dealt", "deal"),
            (" accuses ", "accusation"),
            ("makes for [A-Z]", "move"),
            (r"makes for \(", "walk"),
            ("stays", "stay"),
        ):
            said = len(re.findall(words, out))
            assert said == sum(event["event"] == kind for event in known), words
        assert "in the envelope" not in out
        assert "seed" not in out
        assert re.findall(r"bits \d", out) == [f"bits {seat}"]


def test_turns_are_picked(command):
    def turns(*arguments):
        code, out, _ = command(FILE, *arguments)
        assert code == 0
        return list(map(int, re.findall(r"^│ +(\d+) │", out, re.MULTILINE)))

    last = read(FILE).end["turns"]
    assert turns("turns=3:5") == [3, 4, 5]
    assert turns("turns=4") == [4]
    assert turns("turns=:2") == [0, 1, 2]
    assert turns(f"turns={last}:") == [last]
    assert turns(f"turns={last}:999", "seat=2") == [last]


@pytest.mark.parametrize("options", [("quiet=true",), ("turns=1", "seat=0")])
def test_a_changed_record_is_told_in_one_line(command, tmp_path, options):
    lines = FILE.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"event":"reach"' in line)
    lines[at] = re.sub(r'"xy":\[\d+,', '"xy":[77,', lines[at])
    changed = tmp_path / "changed.jsonl"
    changed.write_text("".join(f"{line}\n" for line in lines))
    code, out, err = command(changed, *options)
    assert (code, out) == (1, "")
    assert re.fullmatch(
        rf"sleuth-replay: {changed} line {at + 1}: xy is \[77, \d+\], but in the game it is .*\n",
        err,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("/nowhere/game.jsonl",), 1, "/nowhere/game.jsonl: No such file or directory"),
        (("pyproject.toml",), 1, "pyproject.toml line 1: not JSON"),
        ((FILE, "seat=4"), 1, "seat=4: the game has seats 0 to 3"),
        ((FILE, "turns=500:"), 1, "turns=500: the game ends with turn"),
        ((FILE, "turns=5:3"), 1, "turns=5:3: it ends before it begins"),
        ((FILE, "turns=a"), 1, "turns=a: not a span of turns; write it like 3:8"),
    ],
)
def test_what_cannot_be_shown_is_refused(command, monkeypatch, arguments, code, reason):
    monkeypatch.chdir(Path(__file__).parents[2])
    ended, out, err = command(*arguments)
    assert (ended, out) == (code, "")
    assert reason in err
    assert "Traceback" not in err


# Records of a run


def test_writing_games_down_changes_no_result():
    plain = play.portion(MATCH, range(40))
    assert plain.records == {}
    some = play.portion(replace(MATCH, records=30), range(25, 40))
    assert sorted(some.records) == [25, 26, 27, 28, 29]
    order = [("game", "ascending"), ("seat", "ascending")]
    few, many = (played.rows.cast(results.ROW).sort_by(order) for played in (some, plain))
    assert few.equals(many.slice(3 * 25))


def test_records_are_written_whole_and_once(tmp_path):
    portion = play.portion(replace(MATCH, records=2), range(2))
    kept = results.Results(tmp_path, [MATCH])
    kept.add(0, portion)
    folder = tmp_path / results.RECORDS
    assert sorted(path.name for path in folder.iterdir()) == [
        "game-000000.jsonl",
        "game-000001.jsonl",
    ]
    for path in folder.iterdir():
        record = read(path)
        assert portion.records[record.game] == path.read_text()
        assert replayed(record)[0].turn == record.end["turns"]
    # Games that come a second time, of a task tried again, are passed over as their rows are.
    kept.add(0, replace(portion, records={0: "spoilt", 1: "spoilt"}))
    assert kept.games == 2
    assert portion.records[0] == (folder / "game-000000.jsonl").read_text()


@pytest.mark.parametrize(
    "settings",
    [
        ("player=heuristic",),
        ("player=bn", "opponent=csp", "rules=ferrari2009", "run.beliefs=true"),
    ],
    ids=["compiled", "believing"],
)
def test_a_run_writes_its_first_games_down(run_compare, ray_session, command, settings):
    outcome = run_compare(*settings, "match.games=4", "run.records=2", "tracking.enabled=false")
    assert outcome.code == 0, outcome.err
    paths = sorted((outcome.folder / results.RECORDS).iterdir())
    assert [path.name for path in paths] == ["game-000000.jsonl", "game-000001.jsonl"]
    table = read_rows(outcome.folder)
    rows = table.filter(table["focal"]).to_pylist()
    for path, row in zip(paths, rows, strict=False):
        record = read(path)
        assert record.end["turns"] == row["turns"]
        assert record.seats[row["seat"]]["label"] == row["player"]
        assert command(path, "quiet=true") == (0, "", "")
        believes = "run.beliefs=true" in settings
        assert bool(record.beliefs(row["seat"])) == believes
        assert ("believes by repaired: " in command(path)[1]) == believes
