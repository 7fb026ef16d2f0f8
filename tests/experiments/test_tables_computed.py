"""Tables that play no games: the treasure hunt of 2009, computed, beside what was printed."""

from __future__ import annotations

import csv
from functools import partial

import networkx as nx
import pytest

from experiments.tables import catalog, path_trees
from experiments.tables.figure import Figure
from sim.hunt.paths.random_graphs import random_graph

PRINTED_BENEFITS = [0, 0, 9.55, 0, 0, 7.96, 0, 0, 13.84]
"""B_tot, and D_tot below, of [Ferrari & Cai 2009, Table III], line by line."""
PRINTED_DISTANCES = [10.5, 11.5, 14.5, 10.5, 21.5, 10.5, 7, 18, 11]


@pytest.fixture
def command(run_tables, tmp_path):
    """Run the command in the folder ``tables``."""
    return partial(run_tables, folder=tmp_path / "tables")


def test_table_three_is_met_to_two_decimals_in_nats_and_not_in_bits():
    """Control: bits, which eq. 3 of the paper defines."""
    found = path_trees.compute_benefits()
    ours = {column: [found[f"path {i + 1}", column].value for i in range(9)]
            for column in ("nats", "bits")}  # fmt: skip
    assert [ours["nats"][i] for i in (2, 5, 8)] == pytest.approx([9.56, 7.96, 13.84], abs=0.005)
    for nats, bits, printed in zip(ours["nats"], ours["bits"], read_published("ferrari_3")[::2],
                                   strict=True):  # fmt: skip
        assert not Figure(nats).differs(printed)
        assert Figure(bits).differs(printed) == (True if printed.value else None)


def read_published(name):
    """Return the published figures of a table."""
    rows = catalog.load(name).published.rows
    return [row.published["paper"] for row in rows if row.published]


def test_published_figures_are_those_printed():
    assert [figure.value for figure in read_published("ferrari_1")] == [48, 79, 51, 87]
    values = [figure.value for figure in read_published("ferrari_3")]
    assert values[::2] == PRINTED_BENEFITS and values[1::2] == PRINTED_DISTANCES


def test_trees_are_counted_as_by_networkx(monkeypatch):
    """Control: within d_M 5 there are fewer branches than without a bound."""
    monkeypatch.setattr(path_trees, "GRAPHS", 1)
    monkeypatch.setattr(path_trees, "TWENTY", (12, 20, 6))
    found = path_trees.measure_by_distance(5, 1)
    graph = random_graph(12, 20, 6, 5)
    paths = list(nx.all_simple_paths(graph, 0, 1))
    assert found["None branches", path_trees.SIMPLE].value == len(paths)
    assert found["None slices", path_trees.SIMPLE].value == max(map(len, paths))
    assert found["5.0 branches", path_trees.SIMPLE].value < len(paths)
    assert found["None branches", path_trees.LABELS].value >= 1
    rows = catalog.load("ferrari_2").published.rows
    lines = {cell for row in rows for cell in row.cells.values()}
    assert lines == set(found)


def test_a_table_is_computed_shown_and_written(command, tmp_path):
    written = tmp_path / "written"
    assert command("ferrari_3", "show=true")[0] == 1  # nothing is there yet
    code, shown = command("ferrari_3", f"write={written}")
    assert code == 0 and "9.55574" in shown.out and "13.786 ≠" in shown.out
    assert "Intervals are of" not in shown.out
    assert "9.55574" in command("ferrari_3", "show=true")[1].out
    text = (written / "ferrari_3.md").read_text()
    assert "python -m experiments.tables ferrari_3 seed=20261\n" in text and "numpy" in text
    with (written / "ferrari_3.csv").open() as file:
        found = list(csv.DictReader(file))
    bits = [row for row in found if row["column"] == "ours, bits" and row["differs"] == "True"]
    assert ["bits" in row["notes"].split() for row in bits] == [True] * 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("games=10",), "games would be ignored: it is used by tables with games"),
        (("show=true",), "no figures in "),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_refused_in_one_line(command, given, message):
    code, shown = command("ferrari_3", *given)
    assert code == 1 and message in shown.err and shown.err.count("\n") == 1
