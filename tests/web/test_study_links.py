"""A study by link: numbers, practice, games that count, going on after a restart, refusals."""

import json
import re

import pytest
from http_client import Served, play

from experiments.settings.commandline import Refusal
from experiments.web.settings import Search
from experiments.web.tables.registry import Registry
from experiments.web.tables.study import PEOPLE, Preset, Studies
from experiments.web.workers import Workers
from tests.experiments.rows import read_rows

QUERY = "name=pilot&rules=speed&players=3&games=2&pace=0"
LIMITS = Search(1000, 1.0)


def begin(server, query=QUERY):
    """Begin the study; return the own link."""
    status, received, _ = server.ask("POST", "/api/study", {"query": query})
    assert status == 201, received
    return received["link"]


def go_on(server, link):
    """Return the link of the seat; None after the last game."""
    status, received, _ = server.ask("POST", f"/api{link}/next", {})
    assert status == 200, received
    return received["link"]


def show(server, link):
    """Return number and heading of a person's page."""
    status, text, _ = server.ask("GET", link, plain=True)
    assert status == 200
    return re.findall(r"<h[12][^>]*>([^<]+)</h[12]>", text)[:2]


def play_game(server, link):
    """Play the game of a person to its end; return the seat's link and number."""
    seat = go_on(server, link)
    assert go_on(server, link) == seat, "asked twice it is one game"
    number = server.ask("GET", f"/api{seat}")[1]["seat"]
    play(server, seat, server.stream(f"/api{seat}/stream"))
    return seat, number


def test_a_person_practises_and_plays_and_the_server_may_end_in_between(tmp_path):
    server = Served(tmp_path)
    link, other = begin(server), begin(server)
    assert show(server, link) == ["You take part as P01", "First a game for practice"]
    seat = go_on(server, link)
    stream = server.stream(f"/api{seat}/stream")
    play(server, seat, stream, until=2)
    server.close()
    server = Served(tmp_path)
    assert play_game(server, link) == (seat, 0), "the same seat after a restart"
    assert not list(tmp_path.glob("study/*")), "practice is filed nowhere"
    assert show(server, link) == ["You take part as P01", "Game 1 of 2"]
    assert play_game(server, link)[1] == 1
    assert show(server, link) == ["You take part as P01", "Game 2 of 2"]
    assert play_game(server, link)[1] == 2, "another seat in each game"
    assert show(server, link)[1] == "That was the last game. Thank you!"
    assert go_on(server, link) is None
    assert show(server, other) == ["You take part as P02", "First a game for practice"]
    assert show(server, begin(server))[0] == "You take part as P03"
    server.close()
    (run,) = tmp_path.glob("study/pilot/*")
    assert run.name.startswith("P01 against 2 swift")
    assert len({row["game"] for row in read_rows(run).to_pylist()}) == 2
    thoughts = (run / "records").glob("*.jsonl")
    assert all('"event":"thought"' in path.read_text() for path in thoughts)
    kept = (tmp_path / PEOPLE).read_text() + "".join(
        path.read_text() for path in (tmp_path / "tables").rglob("*.json*")
    )
    assert link.split("/")[-1] not in kept, "of links the server keeps hashes"


def studies(folder):
    return Studies(Registry(folder, 10, Workers()))


def test_a_number_is_never_given_twice(tmp_path):
    made = studies(tmp_path)
    preset = Preset.from_query(QUERY, LIMITS)
    tokens = [made.begin(preset), made.begin(Preset.from_query("name=other", LIMITS))]
    assert [made.find(token).number for token in tokens] == [1, 2]
    with (tmp_path / PEOPLE).open("a") as file:
        file.write('\n{"digest": "cut o')
    made._registry._lock.release()
    again = studies(tmp_path)
    assert again.find(tokens[1]).preset.name == "other"
    third = again.begin(preset)
    again._registry._lock.release()
    last = studies(tmp_path)
    assert last.find(third).number == 3 and last.find("nobody") is None
    last._registry._lock.release()
    (tmp_path / PEOPLE).write_text(json.dumps({"digest": "x", "table": "y"}))
    with pytest.raises(Refusal, match="not a file of participants"):
        studies(tmp_path)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "name is missing: give the name of the study"),
        ("name=a/b", "name=a/b is not the name of the study: letters"),
        ("name=a&games=none", "games=none is not a number of games from 1 to 50"),
        ("name=a&pace=99", "pace=99 is not a number of seconds between two events"),
        ("name=a&game=3", "a study has no 'game': it has name, games"),
        ("name=a&name=b", "name is given twice"),
        ("name=a&rules=chess", "rules 'chess': unknown"),
        ("name=a&against=swift&simulations=5", "budget"),
        ("name=a&against=best&simulations=1000000", "at most 1,000 at a table"),
        ("name=a&rules=cai2006&players=5", "3"),
    ],
)
def test_a_bad_link_is_refused_in_a_sentence(query, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        Preset.from_query(query, LIMITS)
    assert "--" not in str(refused.value) and "\n" not in str(refused.value)


def test_refusals_are_pages_and_answers(server):
    status, text, _ = server.ask("GET", "/study?name=a&games=0", plain=True)
    assert status == 400 and "cannot be used: games=0 is not a number of games" in text
    status, received, _ = server.ask("POST", "/api/study", {"query": "games=2"})
    assert status == 400 and "name is missing" in received["error"]
    status, text, _ = server.ask("GET", "/study/unknown", plain=True)
    assert status == 404 and "belongs to no study" in text
    assert server.ask("POST", "/api/study/unknown/next", {})[0] == 404
    link = begin(server)
    assert server.ask("POST", f"/api{link}.0/next", {})[0] == 404, "a seat is no person"
    status, text, _ = server.ask("GET", f"/study?{QUERY}", plain=True)
    assert status == 200 and "2 games of Cluedo against 2 computer players" in text
