"""A recorded game played on: what the seat knew stays, the rest is drawn, nothing else comes in."""

import json
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from http_client import COMPUTER, Served, events, person, play

from belief.exact.solver import ExactPosterior
from experiments.explain.recorded import decisions
from experiments.web.analysis.notebook import Knowledge, evidence_of
from experiments.web.analysis.position import draw_past
from experiments.web.server import lobby
from experiments.web.server.lobby import PlayOnRequest
from experiments.web.settings import Search
from experiments.web.tables.setup import Setup
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.players.registry import make
from sim.records.record import knows, read
from sim.records.stepped import SteppedGame
from sim.rules import preset

LIMITS = Search(1000, 1.0)
PLAYERS = ("swift", "swift threshold=0.1", "closure", "swift threshold=0.1")
"""Two of them accuse early, and so wrongly."""


def record_of(folder, rules, number=3):
    """Return the file and the contents of a game of four computers."""
    seats = [make(lobby._opponent(label, LIMITS), rules) for label in PLAYERS[: rules.players]]
    game = SteppedGame(rules, seats, 11, number)
    while not game.over:
        game.act(game.decide())
    path = folder / f"{rules.name}.jsonl"
    path.write_text(game.record())
    return path, read(path)


@pytest.fixture(scope="module")
def recorded_game(tmp_path_factory):
    return record_of(tmp_path_factory.mktemp("records"), preset("ledford"))


def lines(record):
    return [decision.line for decision in decisions(record)]


def set_up(path, line, seat):
    """Return the table at which a game is played on."""
    return lobby._set_up(path, PlayOnRequest(line=line, seat=seat), LIMITS)


@pytest.mark.parametrize("rules", ("ledford", "speed", "classic"))
def test_the_seat_cannot_tell_the_game_from_the_one_it_has_seen(rules, tmp_path):
    path, record = record_of(tmp_path, preset(rules))
    differ = 0
    for line in lines(record)[:: max(1, len(lines(record)) // 5)]:
        for seat in range(record.rules.players):
            known = [one for one in record.events[: line - 2] if knows(one, seat)]
            if any(one["event"] == "verdict" and one["seat"] == seat for one in known):
                with pytest.raises(ValueError, match="is out"):
                    set_up(path, line, seat)
                continue
            setup = set_up(path, line, seat)
            game = SteppedGame(
                setup.build_rules(), setup.build_players(), setup.seed, 0, setup.build_past()
            )
            # By which door somebody leaves may depend on who it is, and so the goal of a walk.
            seen = [one for one in game.events if knows(one, seat) and one["event"] != "move"]
            assert seen == [one for one in known if one["event"] != "move"]
            assert not game.shows and not game.over
            hands = [one["cards"] for one in game.events if one["event"] == "deal"]
            true = [one["cards"] for one in record.events if one["event"] == "deal"]
            differ += hands != true
    assert differ > 5, "cards are dealt again"
    assert any(one["event"] == "verdict" and not one["right"] for one in record.events)


def scramble(events, seat, stream):
    """Return events of which all that ``seat`` does not know is something else."""
    other = []
    for event in events:
        hidden = {**event}
        if not knows(event, seat):
            for key in ("cards", "card", "goal", "action", "xy"):
                if key in event:
                    hidden[key] = stream.permutation(CARDS)[:3].tolist()
        other.append(hidden)
    return other


def test_nothing_that_the_seat_cannot_know_comes_into_the_draw(recorded_game, monkeypatch):
    """The same seed draws the same deal, whatever the record holds beside the seat's knowledge."""
    path, record = recorded_game
    made, stream = list(decisions(record)), np.random.default_rng(1)
    monkeypatch.setattr(lobby.secrets, "randbelow", lambda _: 77)
    line = made[len(made) // 2].line
    for seat in range(4):
        found = set_up(path, line, seat)
        other = scramble(record.events, seat, stream)
        assert other != list(record.events)
        fake = SimpleNamespace(rules=record.rules, seats=record.seats, events=other)
        with monkeypatch.context() as patched:
            patched.setattr(lobby, "recorded", lambda _, fake=fake: fake)
            patched.setattr(lobby, "decisions", lambda _: made)
            assert set_up(path, line, seat) == found
            # The control: what the seat knows does come in.
            own = next(one for one in other if one["event"] == "deal" and one["seat"] == seat)
            hand = own["cards"]
            own["cards"] = next(
                one["cards"] for one in record.events if one["event"] == "deal" and one is not own
                and one["seat"] != seat
            )  # fmt: skip
            assert own["cards"] != hand
            with suppress(ValueError, AssertionError):
                assert set_up(path, line, seat) == found, "must not be"
                pytest.fail("the own hand makes no difference")


def test_cards_are_drawn_from_the_exact_posterior(recorded_game):
    _, record = recorded_game
    line, seat = lines(record)[12], 1
    known = [one for one in record.events[: line - 2] if knows(one, seat)]
    exact = ExactPosterior(evidence_of(Knowledge.of(record.rules, seat, known))).marginals[:, 0]
    players = [make({"name": "swift", "label": "swift"}, record.rules) for _ in range(4)]
    draws, often = 150, np.zeros(21)
    for seed in range(draws):
        envelope = draw_past(record.rules, players, seat, known, seed).deal[0]
        often += [envelope >> card & 1 for card in range(21)]
    spread = np.sqrt(exact * (1 - exact) / draws)
    assert (abs(often / draws - exact) <= 4 * spread + 1e-9).all()
    assert (exact * (1 - exact)).max() > 0, "something is open here"


def test_who_is_out_and_what_is_over_is_refused(recorded_game):
    path, record = recorded_game
    with pytest.raises(ValueError, match="no decision follows"):
        set_up(path, len(record.events) + 2, 0)
    with pytest.raises(ValueError, match="seats 0 to 3"):
        set_up(path, 2, 4)
    known = [one for one in record.events if one["turn"] < 3 and knows(one, 0)]
    players = [make(lobby._opponent("swift", LIMITS), record.rules)] * 4
    assert draw_past(record.rules, players, 0, known, 1).moves
    wrong = {"event": "verdict", "seat": 0, "turn": 3, "right": False, "known_to": "all"}
    with pytest.raises(ValueError, match="is out"):
        draw_past(record.rules, players, 0, [*known, wrong], 1)


def test_a_table_goes_on_from_there_and_after_a_restart(recorded_game, tmp_path):
    path, record = recorded_game
    setup = set_up(path, lines(record)[10], 2)
    assert Setup.from_json(setup.to_json()) == json_like(setup)
    table = Table(Setup.from_json(setup.to_json()), tmp_path)
    assert table.waiting, "what was is shown at once"
    prompt = None
    while not (prompt := table.prompt):
        if table.waiting:
            table.act(table.game.decide())
        else:
            table.show_next()
    table.answer(2, prompt.number, prompt.choices[0])
    again = Table(Setup.from_json(setup.to_json()), tmp_path)
    assert again.game.events == table.game.events
    with pytest.raises(ValueError, match="no seats"):
        Setup.from_json(json.dumps({"rules": {}}))


def json_like(setup):
    """Return a setup as it comes back from JSON."""
    return replace(setup, rules=dict(setup.rules), past=json.loads(json.dumps(setup.past)))


def test_it_is_filed_nowhere_and_said_so(tmp_path):
    server = Served(tmp_path)
    made = server.table(person("Ann"), COMPUTER, COMPUTER)
    link = made["seats"]["0"]
    seen = events(play(server, link, server.stream(f"/api{link}/stream")))
    record = server.ask("GET", f"/api{link}/after")[1]["record"]
    body = {"line": 12, "seat": 0, "pace": 0.0}
    status, received, _ = server.ask("POST", f"/api{record}/on", body)
    assert status == 201, received
    (seat,) = received["seats"]
    assert seat["name"] == "You"
    about = server.ask("GET", f"/api{seat['link']}")[1]
    assert about["dealt_again"] and not server.ask("GET", f"/api{link}")[1]["dealt_again"]
    stream = server.stream(f"/api{seat['link']}/stream")
    received = events(play(server, seat["link"], stream))
    assert received[:4] == seen[:4], "its own hand, and what lies open"
    files = sorted(path.name for path in tmp_path.rglob("*.jsonl") if path.parent.name == "records")
    assert files == ["game-000000.jsonl"]
    after_it = server.ask("GET", f"/api{seat['link']}/after")[1]
    assert after_it == {"record": None, "again": False, "study": None}
    assert server.ask("POST", f"/api{seat['link']}/again", {})[0] == 409
    status, refused, _ = server.ask("POST", f"/api{record}/on", {"line": 10**6, "seat": 0})
    assert status == 422 and "cannot be continued from here" in refused["error"]
    assert server.ask("POST", "/api/records/nothing/on", body)[0] == 404
    server.close()
