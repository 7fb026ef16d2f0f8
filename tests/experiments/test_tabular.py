"""One table reads the same on a terminal, as Markdown, as HTML and as CSV; names do nothing."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from rich.console import Console

from experiments import tabular
from experiments.stats.intervals import Estimate
from experiments.tabular import Strong, Table, count, mean, p_value, percent, words


def on_terminal(table, width=100):
    out = io.StringIO()
    tabular.show(table, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def cells(page):
    """Return the text of the cells of a table in HTML, row by row."""
    rows = ElementTree.fromstring(f"<main>{page}</main>").iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


TABLE = Table(
    "Who won",
    ("", count("games"), percent("parity"), "win rate", mean("turns"), p_value("p"), words("why")),
    [
        ["swift", 12_000, 0.25, Strong("91.8 %"), 54.46, 0.000123, "fast"],
        ["slow", 3, None, "-", Estimate(1.0, 0.5, 1.25)],
    ],
    ["Not of this world.", "Nor of that."],
)
EXPECTED = [
    ["swift", "12,000", "25.0 %", "91.8 %", "54.5", "0.00012", "fast"],
    ["slow", "3", None, "-", "1.0 (0.5 to 1.2)", "", ""],
]


def expect_rows(none):
    return [[none if cell is None else cell for cell in row] for row in EXPECTED]


def test_every_reader_gets_the_same_cells():
    heads = ["", "games", "parity", "win rate", "turns", "p", "why"]
    assert TABLE.as_text() == expect_rows("")
    lines = on_terminal(TABLE).splitlines()
    for row in expect_rows(""):
        (line,) = (line for line in lines if line.split()[:1] == row[:1])
        assert re.split(r"\s{2,}", line.strip()) == [cell for cell in row if cell]
    markdown = [line.strip("|").split("|") for line in tabular.markdown(TABLE).splitlines()[2:6]]
    assert [cell.strip() for cell in markdown[0]] == heads
    plain = [[cell.strip().replace("**", "") for cell in row] for row in markdown[2:]]
    assert plain == expect_rows(tabular.NONE)
    page = tabular.html(TABLE, "a")
    assert cells(page) == [heads, *expect_rows(tabular.NONE)]
    assert "<strong>91.8 %</strong>" in page and "| **91.8 %** |" in tabular.markdown(TABLE)
    for note in (*TABLE.notes, TABLE.title):
        assert note in page
        assert note in tabular.markdown(TABLE)
        assert note in on_terminal(TABLE)


def test_a_csv_holds_values_and_is_whole(tmp_path):
    path = tmp_path / "found.csv"
    table = Table("", ("trial", "note", "rate"), [[1, 'a "b", c', 0.1 + 0.2], [2, None, None]])
    assert tabular.write_csv(table, path) == path
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["trial", "note", "rate"], ["1", 'a "b", c', "0.3"], ["2", "", ""]]
    broken = Table("", ("trial",), [[1], None])
    with pytest.raises(TypeError):
        tabular.write_csv(broken, path)
    assert path.read_text().startswith("trial,note") and list(tmp_path.iterdir()) == [path]


def test_in_80_columns_players_are_told_apart_and_figures_are_whole():
    """Labels that differ at their end are letters with a legend; wide enough, they stand there."""
    label = "hide+hiding=0.5+rollout.best_response=true+budget.simulations"
    labels, figures = [f"{label}={count}" for count in (2000, 4000)], "91.8 % (88.6 to 94.1)"
    heads = ("player", count("games"), "win rate", "difference", "Elo")
    rows = [[name, 1200, figures, figures, "+24 (-3 to +51)"] for name in labels]
    table = Table("Who won", heads, rows)
    shown = on_terminal(table, 80)
    assert "…" not in shown and shown.count(figures) == 4
    lines = shown.splitlines()
    for letter, name in zip("ab", labels, strict=True):
        assert f"{letter}: {name}" in lines
        (row,) = [line.split() for line in lines if line.split()[:1] == [letter]]
        assert row[1] == "1,200"
    assert max(map(len, lines[: lines.index(f"a: {labels[0]}")])) <= 80
    assert f"a: {labels[0]}" not in on_terminal(table, 200)


def test_a_terminal_leaves_out_empty_columns_and_markers_of_markdown():
    """Headings are whole in 40 columns; Markdown keeps all."""
    notes = [tabular.Marked("`b` of *c*, [d](e.md)")]
    table = Table(
        "", (words("set-up"), "quantity", "published", "ours"), [["a", "", "1", "2"]], notes
    )
    shown = on_terminal(table, 40)
    assert shown.split()[:3] == ["set-up", "published", "ours"] and "b of c, d" in shown
    assert "| quantity |" in tabular.markdown(table) and notes[0] in tabular.markdown(table)


def test_a_table_as_text_is_what_a_command_prints():
    assert str(TABLE) == on_terminal(TABLE, 100) != on_terminal(TABLE, 40)
