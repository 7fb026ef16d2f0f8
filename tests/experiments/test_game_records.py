"""The first games of a run are written down, which changes no result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.matches import play, results
from experiments.matches.schedule import Seating
from sim.records.record import read
from sim.records.replay import replay as replayed
from tests.experiments.rows import make_match, read_rows

RULES = {"name": "ledford", "players": 3}
MATCH = make_match(rules=RULES, seating=Seating.one(3, range(3)))


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
def test_a_run_writes_its_first_games_down(run_compare, ray_session, settings):
    outcome = run_compare(*settings, "match.games=4", "run.records=2", "tracking.enabled=false")
    assert outcome.code == 0, outcome.err
    paths = sorted((outcome.folder / results.RECORDS).iterdir())
    assert [path.name for path in paths] == ["game-000000.jsonl", "game-000001.jsonl"]
    table = read_rows(outcome.folder)
    rows = table.filter(table["focal"]).to_pylist()
    for path, row in zip(paths, rows, strict=False):
        record = read(path)
        assert replayed(record)[0].turn == record.end["turns"] == row["turns"]
        assert record.seats[row["seat"]]["label"] == row["player"]
        believes = "run.beliefs=true" in settings
        assert bool(record.beliefs(row["seat"])) == believes
