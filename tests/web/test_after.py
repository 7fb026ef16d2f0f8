"""After a game: its record, the same line-up with a new deal, how it ended in the lists."""

import pytest
from http_client import COMPUTER, Served, events, play

from experiments.web.tables.registry import OVER


def finish(server, *seats, **changes):
    """Play a table of one person to its end; return its links and the seat's."""
    made = server.table(*seats, **changes)
    (link,) = made["seats"].values()
    play(server, link, server.stream(f"/api{link}/stream"))
    return made, link


@pytest.fixture
def serving(tmp_path):
    server = Served(tmp_path)
    yield server
    server.close()


def hand(server, link):
    """Return the cards that a seat was dealt."""
    return next(server.stream(f"/api{link}/stream"))["event"]["cards"]


def test_a_finished_game_leads_to_its_own_record_and_to_another_deal(serving, tmp_path):
    first, link = finish(serving)
    finish(serving)
    about = serving.ask("GET", f"/api{link}/after")[1]
    assert about["again"] and about["study"] is None
    record = serving.ask("GET", f"/api{about['record']}")[1]
    seen = events(serving.stream(f"/api{link}/stream").until("over"))
    assert record["events"][0]["cards"] == seen[0]["cards"], "its own, and not the newest"
    status, again, _ = serving.ask("POST", f"/api{link}/again", {})
    assert status == 201 and [seat["name"] for seat in again["seats"]] == ["Ann"]
    new = again["seats"][0]["link"]
    assert hand(serving, new) != hand(serving, link), "a new deal"
    play(serving, new, serving.stream(f"/api{new}/stream"))
    serving.ask("GET", f"/api{new}/after")
    (run,) = (tmp_path / "games").iterdir()
    assert len(list((run / "records").iterdir())) == 3, "one line-up, one run"
    assert serving.ask("GET", f"/api{first['watch']}/after")[1]["again"] is False
    assert serving.ask("POST", f"/api{first['watch']}/again", {})[0] == 409


def test_a_drawn_seed_stays_drawn(serving, tmp_path):
    _, link = finish(serving, seed=None)
    again = serving.ask("POST", f"/api{link}/again", {})[1]["seats"][0]["link"]
    play(serving, again, serving.stream(f"/api{again}/stream"))
    serving.ask("GET", f"/api{again}/after")
    assert len(list((tmp_path / "games").iterdir())) == 1


def test_a_game_under_way_has_no_after(serving):
    made = serving.table()
    link = made["seats"]["0"]
    assert serving.ask("GET", f"/api{link}/after")[0] == 409
    assert serving.ask("POST", f"/api{link}/again", {})[0] == 409


def test_a_watched_game_is_recorded_and_listed_with_its_end(serving, tmp_path):
    made = serving.table(COMPUTER, COMPUTER, COMPUTER)
    end = events(serving.stream(f"/api{made['watch']}/stream").until("over"))[-1]
    about = serving.ask("GET", f"/api{made['watch']}/after")[1]
    record = serving.ask("GET", f"/api{about['record']}")[1]
    assert record["header"]["seed"] is None, "a table's seed is no viewer's"
    assert record["events"][-1]["turns"] == end["turns"]
    lobby = serving.ask("GET", "/api/lobby")[1]
    winner = None if end["winner"] is None else "swift"
    for listed in (lobby["tables"][0], lobby["records"][0]):
        assert (listed["winner"], listed["turns"]) == (winner, end["turns"])
        assert listed["seconds"] >= 0
    again = serving.ask("POST", f"/api{made['watch']}/again", {})
    assert again[0] == 201 and again[1]["seats"] == []
    # A table of an earlier version says nothing of its end.
    serving.close()
    (tmp_path / "tables" / made["id"] / OVER).write_text("")
    other = Served(tmp_path)
    tables = {one["id"]: one for one in other.ask("GET", "/api/lobby")[1]["tables"]}
    assert tables[made["id"]]["over"] and "turns" not in tables[made["id"]]
    other.close()
