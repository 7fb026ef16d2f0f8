"""Tables of papers: figures as printed, cells that exist, quantities as counted by hand."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from experiments.runs.published import find
from experiments.settings import config
from experiments.stats.intervals import mean, paired_difference, win_rate
from experiments.tables import catalog
from experiments.tables.cells import forget_runs
from experiments.tables.matches import matches
from experiments.tables.measured import Measured
from experiments.tables.quantities import QUANTITIES
from experiments.tables.schema import Table
from tests.experiments.rows import play_matches, read_rows

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
    "ferrari_9": [(36, 50), (9, 50), (5, 50)] * 2
    + [(36, 50)] * 6
    # Tables X and XI, in which people sat at the table
    + [(14, 25), (10, 25), (1, 25), (20, 37), (16, 37), (1, 37)]
    + [(21, 43), (19, 43), (3, 43), (18, 55), (32, 55), (5, 55)],
}
"""Games won and played, row by row."""

TURNS = [13.7, 12.5, 13.2, 13.3, 12.5, 13.2]
"""[Ferrari & Cai 2009, Table V]: own turns to win the game, and to determine the room card."""


def read_published(name):
    """Return what a paper has in the table ``name``, or None."""
    return catalog.load(name).published


def names_of(cells, players):
    """Return the names of the matches of ``cells``, as `lineups.matches` makes them."""
    for cell in cells:
        player, others = cell.player.label, [one.label for one in cell.opponents]
        rest = players - 1
        if len(others) > 1:
            name = f"{player} against {' and '.join(others)}"
        elif cell.layout == "one":
            name = f"{player} against {rest} {others[0]}"
        else:
            name = f"{rest} {player} against {others[0]}"
        yield f"{name}, {cell.variant}" if cell.variant else name


@pytest.mark.nightly
def test_cells_of_rows_are_matches_of_the_table_or_of_its_ablations():
    for name in filter(read_published, catalog.names()):
        table = catalog.load(name)
        if isinstance(table, Table):
            check_cells(table)


def check_cells(table):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "cells", table.cells[:1])
        (first,) = matches(table, None, 1)
    known = set(names_of(table.cells, first.players))
    assert first.name in known
    for ablation in table.beside:
        setups = names_of(replace(catalog.load(ablation), variants=[""]).cells, first.players)
        for setup in {setup.split(",")[0] for setup in setups}:
            known |= {f"{setup}, {ablation}", f"{setup}, {ablation}, last"}
    labels = {entrant.label for cell in table.cells for entrant in (cell.player, *cell.opponents)}
    for row in table.published.rows:
        for match, player in row.cells.values():
            assert match in known
            assert player in (known if row.quantity is QUANTITIES["gained"] else {"", *labels})


def test_figures_are_those_of_the_papers():
    found = {
        name: [
            (round(figure.value * figure.games), figure.games)
            for row in read_published(name).rows
            for figure in row.published.values()
            if figure.games
        ]
        for name in PRINTED
    }
    assert found == PRINTED
    rows = read_published("ferrari_5").rows
    turns = [figure.value for row in rows for figure in row.published.values()]
    to_win, to_know = TURNS[:3], TURNS[3:]
    assert [value for value in turns if value > 1] == [*to_win, *to_know, *to_win]


def test_published_figures_are_the_same_everywhere():
    rows = [*read_published("ledford_4_1").rows, *read_published("ledford_4_2").rows[:4]]
    known = {row.setup: row.published for row in rows}
    for player, other in (("heuristic", "random"), ("random", "heuristic")):
        again = find(player, 1, other)
        found = known[f"1 {player.title()} against 3 {other.title()}"]["again"]
        assert (found.value, found.games) == (again.wins / again.games, again.games)
    for player, name in (("bmcts", "BMCTS"), ("ld_bmcts", "LD-BMCTS")):
        for seats in (1, 3):
            logs = find(player, seats, "heuristic")
            found = known[f"{seats} {name} against {4 - seats} Heuristic"]["logs"]
            assert (found.value, found.games) == (logs.wins / logs.games, logs.games)
    text = QUANTITIES["won"].text(known["3 BMCTS against 1 Heuristic"]["logs"])
    assert text == "67.8 % (65.7 to 69.8)"


def variants_of(name, variants):
    """Return the matches of these variants of a table."""
    table = catalog.load(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "cells", [one for one in table.cells if one.variant in variants])
        return matches(table, None, 4245)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The first 60 games of three cells of Tables III and V."""
    folder = tmp_path_factory.mktemp("tables")
    names = ("ferrari_5", "cai_3")
    play_matches(folder, [match for name in names for match in variants_of(name, ["text"])], 60)
    return Measured(folder)


def _rows(run, match, player=None, place=None):
    """Return the rows of a player of ``match``, or of the seat so many places behind the first."""
    found = [row for row in read_rows(run.folder).to_pylist() if row["match"] == match]
    focal = {row["game"]: row["seat"] for row in found if row["focal"]}
    if place is not None:
        return [row for row in found if row["seat"] == (focal[row["game"]] + place) % 3]
    return [row for row in found if player in (None, row["player"])]


def measure(quantity, run, match, player=""):
    figure = QUANTITIES[quantity].of(run, match, player)
    return figure.value, figure.low, figure.high


def approximate(estimate):
    return pytest.approx((estimate.value, estimate.low, estimate.high))


def test_quantities_are_counted_as_by_hand(run):
    """Control: the places behind the measured player are not the seats."""
    match = "bn against 2 csp, text"
    wins = []
    for place in range(3):
        rows = _rows(run, match, place=place)
        wins.append(sum(row["won"] for row in rows))
        assert measure(f"won_{place}", run, match) == approximate(win_rate(wins[-1], 60))
        turns = np.array([-(-row["turns"] // 3) for row in rows if row["won"]])
        assert measure(f"own_turns_{place}", run, match) == approximate(mean(turns))
        winners = {row["game"]: row["seat"] for row in rows if row["won"]}
        for category in ("suspect", "room"):
            turns = np.array(
                [
                    -(-row["turn"] // 3)
                    for row in run.certainties.to_dicts()
                    if row["match"] == match
                    and row["category"] == category
                    and winners.get(row["game"]) == row["seat"]
                ]
            )
            assert len(turns) == len(winners)  # who wins knew all three
            found = measure(f"{category}_turns_{place}", run, match)
            assert found == approximate(mean(turns))
            assert found[0] <= measure(f"own_turns_{place}", run, match)[0]
    by_seat = [sum(row["won"] for row in _rows(run, match) if row["seat"] == k) for k in range(3)]
    assert sum(wins) == sum(by_seat) and wins != by_seat
    assert measure("won", run, match) == measure("won_0", run, match)
    assert measure("own_turns", run, match) == measure("own_turns_0", run, match)
    assert measure("room_turns", run, match) == measure("room_turns_0", run, match)
    out = sum(row["out"] for row in _rows(run, match, "bn"))
    assert out and measure("accused_wrongly", run, match) == approximate(win_rate(out, 60))
    games = {row["game"]: row for row in _rows(run, match)}.values()
    turns = np.array([row["turns"] for row in games if row["winner"] >= 0])
    assert measure("turns_if_won", run, match) == approximate(mean(turns))


def test_a_mixed_company_is_counted_by_player_and_a_control_in_the_same_games(run):
    names = [f"{who} against csp and random, text" for who in ("neural", "control")]
    for who in ("neural", "csp", "random"):
        rows = _rows(run, names[0], who)
        assert len(rows) == 60
        wins = sum(row["won"] for row in rows)
        assert measure("won", run, names[0], who) == approximate(win_rate(wins, 60))
    won = [
        np.array([row["won"] for row in sorted(_rows(run, name, who), key=lambda row: row["game"])])
        for name, who in zip(names, ("neural", "control"), strict=True)
    ]
    gained = measure("gained", run, *names)
    assert gained == approximate(paired_difference(won[1], won[0]))
    assert gained != approximate(paired_difference(won[0], won[1]))


def test_two_tables_of_one_run(run_tables, tmp_path, monkeypatch):
    """The ablation beside them was not played, which the heading says."""
    monkeypatch.setattr(config, "cores", lambda: 1)
    forget_runs()

    def command(*given):
        return run_tables(*given, "games=400", f"write={tmp_path / 'w'}", folder=tmp_path)

    code, shown = command("ledford_4_1")
    assert code == 0, shown.err
    assert "it needs: python -m experiments.tables ledford_4_1_steps" in shown.out
    text = (tmp_path / "w/ledford_4_1.md").read_text()
    assert "python -m experiments.tables ledford_4_1 games=400 seed=6103\n" in text
    assert "`python -m experiments.tables ledford_4_1_steps`: not played yet." in text
    heads = "| draft text | final text | program run again | logs counted again | ours, released"
    assert heads in text
    assert "| 1 Heuristic against 3 Random | games won | — | 94.75 % | 86.6 % (85.3" in text
    assert command("ledford_text", "show=true")[0] == 0
    with (tmp_path / "w/ledford_text.csv").open() as file:
        found = list(csv.DictReader(file))
    ours = {(row["quantity"], row["column"]): row for row in found}
    rows = read_rows(tmp_path / "ledford_policies").to_pylist()
    played = [r for r in rows if r["match"] == "heuristic against 3 heuristic" and r["seat"] == 0]
    endless = [row["turns"] == 3000 and row["winner"] < 0 for row in played]
    assert len(played) == 400
    value = ours[QUANTITIES["endless"].name, "ours, by the text"]["value"]
    assert float(value) == pytest.approx(np.mean(endless))
    (humans,) = [row for row in found if row["setup"].startswith("1 human")]
    assert (humans["draft_value"], humans["final_value"], humans["value"]) == ("0.6", "0.75", "")
