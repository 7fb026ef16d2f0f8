"""Reports beyond the summary of a run: turns, knowledge, runs beside one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from experiments.matches.details import DECISION
from experiments.matches.results import Played, Results
from experiments.matches.schedule import Seating
from experiments.plotting import picture
from experiments.report.overview import between, compare_unpaired, page, side_by_side
from experiments.report.page import Page, Section, fence, html, markdown
from experiments.report.run import load
from experiments.runs import runfolder
from experiments.runs.figures import Ends, ends, envelopes
from experiments.runs.plots import draw_seats
from experiments.stats.intervals import paired_difference, win_rate
from experiments.tabular import Table


def make_run(folder, match, rows, **details):
    """Make the folder of a run of one match that has not ended; return it."""
    runfolder.claim(folder, [match], "games", False)
    kept = Results(folder, [match])
    kept.add(0, Played(rows, details=details))
    kept.flush()
    return folder


def test_games_end_and_are_won_by_turn(tmp_path, match, rows):
    run = make_run(tmp_path / "run", match, rows(range(12), lambda game: 0))
    found = ends(run)["bmcts against 3 heuristic", "bmcts"]
    assert found.turns.tolist() == [100 + game for game in range(12)]
    assert found.games.tolist() == 12 * [1]
    assert found.wins.tolist() == [1, 0, 0, 0] * 3, "bmcts sits in the seat that wins"
    others = ends(run)["bmcts against 3 heuristic", "heuristic"]
    assert others.games.tolist() == 12 * [1], "a game counts once for a player of three seats"
    assert (others.wins + found.wins == 1).all()
    text = markdown(page([load(run, "run")]))
    last = text.split("| 111 |")[1].split("\n")[0]
    assert last.endswith(f"| {win_rate(3, 12)} |"), "all games won by the last turn: the win rate"


def test_seats_are_shown_as_they_are_typed(tmp_path, match, rows):
    """From 0, as in `match.focal_seats` and `seat=`: a seat's column has its own figures."""
    run = make_run(tmp_path / "run", match, rows(range(13), lambda game: 0))
    text = markdown(page([load(run, "run")]))
    _, _, table = text.partition("Win rate by seat, counted from 0")
    heads, _, cells = (row.split("|") for row in table.split("\n\n")[1].splitlines()[:3])
    shown = {head.strip(): cell for head, cell in zip(heads, cells, strict=True)}
    assert "4 of 4" in shown["seat 0"] and "0 of 3" in shown["seat 3"] and "seat 4" not in shown
    assert "in seat 0, 1, 2, 3 in turn" in text
    with picture(tmp_path / "a.png", "seats", (4, 4)) as (_, ((axes,),)):
        draw_seats(axes, [("Ann", [win_rate(1, 4)] * 3)])
        assert axes.get_xticks().tolist() == [0, 1, 2]
        assert axes.get_xlabel() == "seat, counted from 0"


def test_spans_of_turns_hold_all_games_once():
    random = np.random.default_rng(0)
    turns = np.unique(random.integers(1, 300, 90))
    found = Ends(turns, random.integers(1, 30, len(turns)), np.zeros(len(turns), int))
    spans = found.spans(8)
    assert np.concatenate([turns[each] for each in spans]).tolist() == turns.tolist()
    counts = [found.games[each].sum() for each in spans]
    assert len(spans) == 8
    assert max(counts) - min(counts) <= 2 * found.games.max()
    assert Ends(np.array([40]), np.array([9]), np.array([2])).spans(8) == [slice(0, 1)]


def test_entropy_before_decisions_is_a_mean_over_games(tmp_path, match, rows):
    def decision(game, turn, bits):
        return {key: None for key in DECISION.names} | {
            "match": match.name,
            "game": game,
            "turn": turn,
            "seat": game % 4,
            "player": "bmcts",
            "kind": "move",
            "simulations": 10,
            "seconds": 0.1,
            "envelope": bits,
        }

    made_up = [decision(0, 1, 8.0), decision(0, 1, 6.0), decision(1, 1, 3.0), decision(1, 5, None)]
    decisions = pa.Table.from_pylist(made_up, DECISION)
    folder = make_run(tmp_path / "run", match, rows([0, 1]), decisions=decisions)
    (moment,) = envelopes(folder)[match.name, "bmcts"]
    assert (moment.turn, moment.games, moment.bits) == (1, 2, 5.0)
    assert moment.error == pytest.approx(2.0), "of 7 and 3 bits, the means of their games"
    text = markdown(page([load(folder, "run")]))
    assert "4 move" in text
    assert "Entropy of the envelope" not in text, "two games are too few"


def test_runs_of_the_same_games_are_paired_and_others_are_not(tmp_path, match, rows):
    won = [lambda game: 0, lambda game: game % 4, lambda game: 1]
    other = replace(match, seed=5)
    folders = [
        make_run(tmp_path / name, each, rows(games, winner))
        for name, each, games, winner in (
            ("a", match, range(40), won[0]),
            ("b", match, range(4, 40), won[1]),
            ("c", other, range(40), won[2]),
        )
    ]
    runs = [load(each, each.name) for each in folders]
    paired, apart = between(runs)
    first = np.array([game % 4 == 0 for game in range(4, 40)])
    assert paired.unpaired is None
    assert paired.games == (36, 36)
    assert paired.difference == paired_difference(first, np.ones(36, bool))
    assert apart.unpaired == "other seed"
    assert apart.games == (40, 40)
    assert apart.difference == compare_unpaired(win_rate(10, 40), win_rate(10, 40))
    assert paired.p < paired.p_holm < 1e-6 < apart.p == apart.p_holm == 1
    said = markdown(Page("", [], [], [side_by_side(runs)]))
    assert f"b: {match.name} minus a: {match.name} | paired | 36 | {paired.difference} |" in said
    assert "unpaired: other seed" in said
    assert "| run | seed |" in said, "the settings in which they differ"


def test_matches_of_another_parity_are_not_compared(tmp_path, match, rows):
    three = replace(match, name="3 bmcts", seating=Seating.rest(4, range(4)))
    folders = [
        make_run(tmp_path / "a", match, rows(range(8))),
        make_run(tmp_path / "b", three, rows(range(8), of=three)),
    ]
    assert between([load(each, each.name) for each in folders]) == []


@pytest.mark.parametrize(("p", "q"), [(0.25, 0.4), (0.05, 0.1)])
def test_the_interval_of_independent_samples_keeps_its_coverage(p, q):
    n, m = 60, 80
    first, second = ([win_rate(wins, games) for wins in range(games + 1)] for games in (n, m))
    chance = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, q))

    def count_misses(interval):
        """Return how often the interval lies above the truth, and how often below; exact."""
        low, high = np.array([[interval(one, other) for other in second] for one in first]).T
        return (chance.T * (low > q - p)).sum(), (chance.T * (high < q - p)).sum()

    def newcombe(one, other):
        found = compare_unpaired(one, other)
        return found.low, found.high

    assert 0.01 < min(count_misses(newcombe)) <= max(count_misses(newcombe)) < 0.035
    # Control: the second's own interval, as if the first's rate were known.
    alone = count_misses(lambda one, other: (other.low - one.value, other.high - one.value))
    assert max(alone) > 0.06


def test_markdown_shows_text_as_it_is():
    table = Table("a|b", ("x", "y"), [["`1`", "<b>*2*</b>\nand _3_ of ld_bmcts"]], ["#4"])
    text = markdown(Page("T", ["f"], [], [Section("S", [table])]))
    assert "| \\`1\\` | \\<b\\>\\*2\\*\\</b\\> and \\_3\\_ of ld_bmcts |" in text
    assert "**a\\|b**" in text and "\\#4" in text
    assert "| --- | ---: |" in text
    assert fence("a ``` b") == "````"
    assert "<td>&lt;b&gt;*2*" in html(Page("T", [], [], [Section("S", [table])]))
