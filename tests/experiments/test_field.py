"""A field: round robins of the same players under several rules, rated, reported, drawn."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from experiments.matches.results import Tally
from experiments.matches.schedule import Seating
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import round_robin
from experiments.stats.ratings import ratings
from experiments.tables import catalog, field, page, report
from experiments.tables.matches import matches
from experiments.tables.measured import Measured
from experiments.tables.play import check_match
from experiments.tables.schema import Table
from tests.experiments.rows import play_matches

GAMES = 240
SMALL = Table(
    about="a small field",
    players=["heuristic", "swift", "closure", "greedy+threshold=0.9+label=bold"],
    opponents=[],
    layouts=["robin"],
    variants=["three+rules=ferrari2009", "four+rules=ledford"],
    controls=["swift"],
    settings=["rules.turn_cap=300"],
    games=GAMES,
    simulations=None,
    seconds=0,
    seed=5,
    name="small",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a run of `SMALL`."""
    found = tmp_path_factory.mktemp("field") / "small"
    play_games(found, GAMES)
    return found


@pytest.fixture(scope="module")
def run(folder):
    return Measured(folder)


@pytest.fixture(scope="module")
def standings(run):
    """The standings, of which each is a thousand fits."""
    return field.standings(SMALL, run)


def play_games(place, games):
    play_matches(place, matches(SMALL, None, SMALL.seed), games)


def test_a_standing_is_that_of_the_games(run, standings):
    assert list(standings) == ["three", "four"]
    for match, tally, lines in zip(
        run.played.matches, run.played.tallies, standings.values(), strict=True
    ):
        tables, winners = match.seating.at(range(GAMES)), tally.winner()
        expected = {one.label: one for one in ratings(tables, winners, match.labels, 5)}
        assert [line.elo.value for line in lines] == sorted(
            (one.elo for one in expected.values()), reverse=True
        )
        for line in lines:
            elo, number = expected[line.player], match.labels.index(line.player)
            assert (line.elo.low, line.elo.high) == (elo.low, elo.high)
            assert line.won.value == match.wins_of(winners, number).sum() / line.games
            assert line.parity == (0.25 if line.variant == "four" else pytest.approx(1 / 3))
            assert line.games == (GAMES if line.variant == "four" else 3 * GAMES / 4)


def test_differences_are_from_the_control_in_any_order_of_players(run, standings):
    (lines, _), match = standings.values(), run.played.matches[0]
    against = {line.player: line.against for line in lines}
    assert against.pop("swift") == {} and all(set(one) == {"swift"} for one in against.values())
    games = run.played.tallies[0].numbers
    met = round_robin(match.seating.at(games), run.winner(match.name)[games], match.labels)
    pairs = {(pair.first, pair.second): pair for pair in met}
    before, behind = pairs["heuristic", "swift"].difference, pairs["swift", "bold"].difference
    assert against["bold"]["swift"][0] == behind
    less = against["heuristic"]["swift"][0]
    assert (less.value, less.low, less.high) == (-before.value, -before.high, -before.low)
    assert against["heuristic"]["swift"][0].high < 0  # who is weaker


def test_the_ratings_of_winners_exchanged_at_random_are_flat(folder, standings, monkeypatch):
    """The fault planted: which seat won says nothing of who sat there."""

    def spread(standings):
        lines = standings["three"]
        return lines[0].elo.value - lines[-1].elo.value, lines[0].elo.low > lines[-1].elo.high

    assert spread(standings)[0] > 200 and spread(standings)[1]
    winner = Tally.winner

    def exchange(tally):
        return np.random.default_rng(5).permutation(winner(tally))

    monkeypatch.setattr(Tally, "winner", exchange)
    flat = spread(field.standings(SMALL, Measured(folder)))
    assert flat[0] < 120 and not flat[1]


def test_it_is_reported_and_drawn(run, standings, tmp_path, monkeypatch):
    monkeypatch.setattr(field, "standings", lambda *_: standings)
    made = page.make(SMALL, run)
    shown = made.shown.as_text()
    assert [row[0] for row in shown] == ["three"] * 4 + ["four"] * 4
    assert {row[2] for row in shown} == {"ours", "Ledford 2018"}
    heading = page.heading(SMALL, run)
    _, numbers = report.store("small", made, heading, tmp_path)
    with numbers.open() as file:
        first = next(csv.DictReader(file))
    (line, *_), _ = standings.values()
    assert float(first["elo_high"]) == pytest.approx(line.elo.high, rel=1e-11)
    assert first["player"] == line.player
    text = (tmp_path / "small.md").read_text()
    assert f"{GAMES} games per cell, seed 5, rules `ferrari2009`, `ledford`." in text
    field.draw(standings, tmp_path / "small.png")
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")


def test_who_was_in_no_game_has_no_rating(tmp_path):
    play_games(tmp_path / "few", 3)  # one table of three: a player is missing
    run = Measured(tmp_path / "few")
    found = field.standings(SMALL, run)
    assert len(found["three"]) == 3 and not any(line.elo for line in found["three"])
    assert "Ratings need" in page.make(SMALL, run).shown.notes[0]
    field.draw({"three": found["three"]}, tmp_path / "few.png")
    assert not (tmp_path / "few.png").exists()


@pytest.mark.nightly
def test_the_field_is_of_all_players_under_their_rules_in_balance():
    table = catalog.load("field")
    found = matches(table, None, table.seed)
    assert [match.rules["name"] for match in found] == ["ferrari2009", "cai2006", "ledford"]
    for match in found:
        players = {entrant["label"]: entrant for entrant in match.entrants}
        asked = "bn csp neural hunter entropy heuristic closure swift greedy best"
        assert list(players) == asked.split()
        evidence = {players[name]["evidence"] for name in ("bn", "neural", "hunter")}
        assert evidence == {"exact" if match.rules["name"] == "ledford" else "repaired"}
        best = players["best"]
        assert best["opponents"] == "mixture", "that of its preset"
        assert {players[name]["threshold"] for name in ("swift", "greedy")} == {1}
        meetings = 360 if match.players == 3 else 840
        assert table.games % meetings == 0
    assert len(Seating.robin(3, 10).table) == 720


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"opponents": ["swift"]}, "a round robin needs"),
        ({"players": ["swift", "best"]}, "a planner needs one model"),
        ({"matrix": "best"}, "matrix: best is not one of the players"),
        ({"players": ["swift", "bn"], "variants": ["x+rules=speed"]}, "hands"),
    ],
)
def test_what_cannot_be_is_refused(changed, message):
    wrong = replace(SMALL, **{"variants": ["x+rules=ledford"], "controls": [], **changed})
    with pytest.raises(Refusal, match=message):
        Table.check("table", wrong)
        for match in matches(wrong, None, 5):
            check_match(match, wrong.name)
