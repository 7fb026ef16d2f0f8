"""Tables of the Bayesian-network players: as the papers print them, and measured by hand."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.matches import play, results
from experiments.matches.results import Results
from experiments.runs import runfolder
from experiments.stats.intervals import mean, paired_difference, win_rate
from experiments.tables import cai, cells, ferrari, papers, plot, report
from experiments.tables import figures as of
from experiments.tables.figures import Measured
from experiments.tables.networks import EVIDENCE

PRINTED = {
    # [Cai & Ferrari 2006, Table I]: played 14 and 12 times; the human player, the ICP
    "cai_1": [(5, 14), (9, 14), (8, 12), (4, 12)],
    # [Cai & Ferrari 2008, Table II]: BN player, human player, CSP
    "cai_2": [(9, 25), (11, 25), (5, 25)],
    # [Table III]: neural player, CSP; 20 games, so that the random player won none
    "cai_3": [(15, 20), (5, 20), (0, 20)] * 3,
    # [Table IV]: neural player, BN player
    "cai_4": [(12, 20), (8, 20), (0, 20)] * 3,
    # [Ferrari & Cai 2009, Table IV]: BN players, ID players
    "ferrari_4": [(15, 50), (18, 50), (17, 50), (16, 50), (16, 50), (18, 50)],
    # [Table V]: 100 games
    "ferrari_5": [(64, 100), (22, 100), (14, 100)] * 5,
    # [Tables VI, VII, IX]: of 100, 50 and 50 games 70, 68 and 72 % and so on; ID alone, switched
    "ferrari_6": [(70, 100), (18, 100), (12, 100)] * 2 + [(70, 100)] * 6,
    "ferrari_7": [(34, 50), (9, 50), (7, 50)] * 2 + [(34, 50)] * 7,
    "ferrari_9": [(36, 50), (9, 50), (5, 50)] * 2 + [(36, 50)] * 6,
}
"""Games won and played, line by line."""

TURNS = [13.7, 12.5, 13.2, 13.3, 12.5, 13.2]
"""[Ferrari & Cai 2009, Table V]: own turns to win the game, and to determine the room card."""

LINES = {**cai.ROWS, **ferrari.ROWS}


def test_published_figures_are_those_of_the_papers():
    found = {
        name: [
            (round(figure.value * figure.games), figure.games)
            for row in rows
            for figure in row.published.values()
            if figure.games
        ]
        for name, rows in LINES.items()
    }
    assert found == PRINTED
    turns = [figure.value for row in LINES["ferrari_5"] for figure in row.published.values()]
    to_win, to_know = TURNS[:3], TURNS[3:]
    assert [value for value in turns if value > 1] == [*to_win, *to_know, *to_win]


def test_published_figures_have_the_interval_that_their_games_leave():
    """The one of Table V by hand; control: with ten times the games it is another."""
    won = LINES["ferrari_5"][0].published["paper"]
    z, n, p = 1.959964, 100, 0.64
    middle, half = p + z**2 / 2 / n, z * np.sqrt(p * (1 - p) / n + (z / 2 / n) ** 2)
    by_hand = [(middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)]
    assert [won.low, won.high] == pytest.approx(by_hand, abs=1e-6)
    assert by_hand == pytest.approx([0.542, 0.727], abs=5e-4)
    assert of.Figure.counted(640, 1000).low > won.low + 0.05


def _with_people(rows):
    return [row for row in rows if "people" in row.notes]


def test_lines_with_people_have_no_figure_of_ours_and_say_so():
    """Control: a line with a match of ours is found out."""
    for name in ("cai_1", "cai_2"):
        people = _with_people(LINES[name])
        assert len(people) == len(PRINTED[name]) and not any(row.cells for row in people)
        assert all(row.cells and not row.published for row in LINES[name] if row not in people)
    assert not _with_people(LINES["cai_3"] + LINES["cai_4"])
    told = cai.CAUSES["people"].text
    assert "reference only" in told and "until people play" in told
    assert any(row.cells for row in LINES["cai_3"])


def test_everybody_who_has_a_belief_takes_it_from_the_same_tables():
    played = ("exact", "repaired, distances / 24", "text, first seat")
    found = {match.name: match for match in _matches("cai_4", played)}
    for variant in played:
        match, evidence = found[f"control against bn and random, {variant}"], variant.split(",")[0]
        assert [one.get("evidence") for one in match.entrants] == [evidence, evidence, None]
        assert match.entrants[0]["q"] == "zero"
    divided = found["neural against bn and random, repaired, distances / 24"].entrants
    assert [one.get("distance_divisor") for one in divided] == [24, None, None]
    assert found["neural against bn and random, exact"].entrants[0]["q"] == "network"
    assert found["neural against bn and random, text, first seat"].seating.shifts == (0,)


def test_of_the_hunter_one_thing_is_switched_and_its_control_is_played():
    """Control: as it comes it is none of these."""
    switched = {
        "control": ("hunter", "benefit_weight", 0),
        "40 and 1": ("hunter", "benefit_weight", 40),
        "closed": ("hunter", "strategy", "closed"),
        "BN out and in": ("bn", "again", "same"),
        "others by the text": ("bn", "evidence", "text"),
    }
    names = [f"repaired, {reading}" for reading in switched]
    usual, *found = _matches("ferrari_7", ["repaired", *names])
    for match, (player, key, value) in zip(found, switched.values(), strict=True):
        place = ("hunter", "bn").index(player)
        assert match.entrants[place][key] == value != usual.entrants[place][key]
        entrants = [dict(entrant) for entrant in match.entrants]
        entrants[place][key] = usual.entrants[place][key]
        assert entrants == [dict(entrant) for entrant in usual.entrants]
    alike = [match.name for match in _matches("ferrari_4", ["exact"])]
    assert alike == ["bn against 2 bn, exact", "hunter against 2 hunter, exact"]


def _matches(name, variants):
    """Return the matches of these variants of a table."""
    table = cells.load(name)
    wanted = [cell for cell in table.cells if cell.variant in variants]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells.Table, "cells", wanted)
        return cells.matches(table, None, 4245)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The first 60 games of three cells of Tables III and V."""
    matches = [match for name in ("ferrari_5", "cai_3") for match in _matches(name, ["text"])]
    folder = tmp_path_factory.mktemp("tables")
    runfolder.claim(folder, matches, "games", resume=False)
    played = Results(folder, matches)
    for number, match in enumerate(matches):
        played.add(number, play.portion(match, np.arange(60)))
    played.flush()
    return Measured(folder)


def _rows(run, match, player=None, place=None):
    """Return the rows of a player of ``match``, or of who sits so many places after the first."""
    found = [row for row in results.read(run.folder).to_pylist() if row["match"] == match]
    focal = {row["game"]: row["seat"] for row in found if row["focal"]}
    if place is not None:
        return [row for row in found if row["seat"] == (focal[row["game"]] + place) % 3]
    return [row for row in found if row["player"] == player]


def _estimate(figure):
    return figure.value, figure.low, figure.high


def _expected(estimate):
    return pytest.approx((estimate.value, estimate.low, estimate.high))


def test_quantities_are_counted_as_by_hand(run):
    """Control: the places behind the measured player are not the seats."""
    match = "bn against 2 csp, text"
    wins = []
    for place in range(3):
        rows = _rows(run, match, place=place)
        wins.append(sum(row["won"] for row in rows))
        assert _estimate(of.WON_BEHIND[place].measure(run, match, "bn")) == _expected(
            win_rate(wins[-1], 60)
        )
        turns = np.array([-(-row["turns"] // 3) for row in rows if row["won"]])
        assert _estimate(of.OWN_TURNS[place].measure(run, match, "bn")) == _expected(mean(turns))
    by_seat = [sum(row["won"] for row in _all(run, match) if row["seat"] == k) for k in range(3)]
    assert sum(wins) == sum(by_seat) and wins != by_seat
    assert of.WON.measure(run, match, "bn") == of.WON_BEHIND[0].measure(run, match, "bn")
    out = sum(row["out"] for row in _rows(run, match, "bn"))
    assert out and _estimate(of.WRONGLY.measure(run, match, "bn")) == _expected(win_rate(out, 60))


def _all(run, match):
    return [row for row in results.read(run.folder).to_pylist() if row["match"] == match]


def test_a_mixed_company_is_counted_by_player_and_a_control_in_the_same_games(run):
    names = [f"{who} against csp and random, text" for who in ("neural", "control")]
    for who in ("neural", "csp", "random"):
        rows = _rows(run, names[0], who)
        assert len(rows) == 60
        assert _estimate(of.WON.measure(run, names[0], who)) == _expected(
            win_rate(sum(row["won"] for row in rows), 60)
        )
    won = [
        np.array([row["won"] for row in sorted(_rows(run, name, who), key=lambda row: row["game"])])
        for name, who in zip(names, ("neural", "control"), strict=True)
    ]
    gained = _estimate(of.GAINED.measure(run, *names))
    assert gained == _expected(paired_difference(won[1], won[0]))
    assert gained != _expected(paired_difference(won[0], won[1]))


def test_a_table_has_its_papers_column_and_a_dash_where_nothing_was_played(run):
    paper = papers.of("ferrari_5")
    made = report.published("ferrari_5", "", run, paper)
    heads = [getattr(head, "title", head) for head in made.shown.columns]
    assert heads[2:] == ["published", *EVIDENCE.values()]
    first = made.shown.rows[0]
    assert first[2] == "64.0 % (54.2 to 72.7)" and first[3] and first[4:] == [None, None]
    assert made.records[0]["match"] == "bn against 2 csp, text"
    assert papers.of("planners") is None


def test_ours_is_drawn_beside_what_was_published(run, tmp_path):
    """Control: nothing is drawn where no game was played."""
    paper = papers.of("ferrari_5")
    plot.beside_published(paper, "ferrari_4", run, tmp_path / "nothing.png")
    assert not (tmp_path / "nothing.png").exists()
    plot.beside_published(paper, "ferrari_5", run, tmp_path / "beside.png")
    assert (tmp_path / "beside.png").read_bytes().startswith(b"\x89PNG")
