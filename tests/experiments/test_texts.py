"""The name of a player, a file or an exception is text to every reader, and does nothing."""

from __future__ import annotations

import csv
import io
import posixpath
import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import plotting, tabular, texts
from experiments.runs.plots import draw_seats
from experiments.settings.commandline import in_folder
from experiments.stats.intervals import Estimate
from experiments.tabular import Table, words
from experiments.terminal import console

ROOT = Path(__file__).resolve().parents[2]

HOSTILE = {
    "markup": "[/red] [x] [bold]b[/bold] [link=x]",
    "escape": "\x1b]0;own\x07\x1b[2J\x9b31m\r\x08",
    "turned": "a\u202eb\u200f\u2066",
    "half": "a\ud800b",
    "lines": "one\ntwo\u2028three\x0b",
    "markdown": "a|b `c` *d* [e](f) <g> $h$ ~~i~~ \\",
    "number": "1. a",
    "formula": '=HYPERLINK("x")',
    "mathematics": "$x$ $ \\frac{1}{2} \\",
    "underscore": "_hidden_",
    "long": "x" * 10_000,
    "empty": "",
    "dots": "../..",
}


def print_text(show, **options):
    out = io.StringIO()
    show(console(file=out, width=200, **options))
    return out.getvalue()


def test_what_is_a_command_to_a_terminal_is_there_as_text():
    for text in HOSTILE.values():
        shown = print_text(lambda where, text=text: where.print(text, soft_wrap=True))
        assert shown == texts.lines(text) + "\n"
        assert all(sign.isprintable() or sign == "\n" for sign in shown)
    table = Table(HOSTILE["markup"], [words(HOSTILE["markup"])], [[HOSTILE["markup"]]])
    assert print_text(lambda where: tabular.show(table, where)).count(HOSTILE["markup"]) == 3
    table = Table("", ["a"], [[HOSTILE["escape"]]], [HOSTILE["escape"]])
    assert "\x1b" not in print_text(lambda where: tabular.show(table, where))


def test_a_folder_with_a_blank_is_quoted_where_a_run_is_continued():
    assert in_folder("/my runs/a") == "'run.folder=/my runs/a'"
    assert in_folder("/runs/a") == "run.folder=/runs/a"


def test_all_consoles_are_made_in_one_place():
    made = [
        path.relative_to(ROOT / "experiments").as_posix()
        for path in (ROOT / "experiments").rglob("*.py")
        if re.search(r"(?<!\w)Console\(|\(Console\)|rich import print", path.read_text())
    ]
    assert made == ["terminal.py"]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_message_is_one_line_and_ends(kind):
    said = texts.message(HOSTILE[kind])
    assert said.isprintable() and len(said) <= texts.LONGEST_LINE


def test_a_terminal_that_has_not_all_signs_shows_what_it_has():
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    with pytest.raises(UnicodeEncodeError):
        stream.write("a — b")
    texts.forgiving(stream)
    table = Table("é", ["—", "b"], [["≠", tabular.Strong("ü")]], ["… \ud800"])
    tabular.show(table, console(file=stream))
    stream.flush()
    assert b"?" in stream.buffer.getvalue()


@given(st.text(st.characters()))
@settings(max_examples=100, deadline=None)
def test_a_cell_of_a_csv_is_no_formula_and_comes_back(text):
    cell = texts.csv_cell(text)
    assert texts.from_csv(cell) == text
    if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell:
        float(cell)  # a number stays one


def test_a_table_as_csv_holds_no_formula(tmp_path):
    rows = [[text, -1.5, "-0.5"] for text in HOSTILE.values()]
    path = tabular.write_csv(Table("", ["=cmd|' /C calc'!A0", "a", "b"], rows), tmp_path / "a.csv")
    with path.open(newline="", encoding="utf-8") as file:
        head, *found = csv.reader(file)
    assert head[0].startswith("'=")
    assert [row[1:] for row in found] == [["-1.5", "-0.5"]] * len(rows)
    kept = zip(HOSTILE.values(), found, strict=True)
    assert all(texts.from_csv(row[0]) == text for text, row in kept if "\ud800" not in text)
    assert not any(re.match(r"[=+@\t\r]|-(?!\d)", cell) for row in found for cell in row)


@pytest.mark.parametrize("kind", HOSTILE)
def test_markdown_shows_them(kind):
    shown = texts.markdown(HOSTILE[kind])
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(\\\\)*[`*\[\]<>|$~]", shown)
    assert not re.match(r"[-+=]([-+=\s]|$)|\d+[.)] ", shown)
    assert texts.markdown("-3.2 points") == "-3.2 points"


def test_a_picture_shows_every_label(tmp_path):
    names = [text for text in HOSTILE.values() if texts.printable(text).strip()]
    sat = [(name, [Estimate(0.5, 0.4, 0.6)]) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with plotting.picture(tmp_path / "a.png", HOSTILE["long"], (9, 9)) as (_, ((axes,),)):
            draw_seats(axes, sat)
            axes.set_yticks(range(len(names)), map(texts.for_picture, names))
            shown = axes.get_legend_handles_labels()[1]
    assert [label.strip() for label in shown] == [texts.for_picture(name).strip() for name in names]
    assert max(map(len, shown)) <= 58
    axes = plt.figure().gca()
    axes.plot([0], label="_hidden_")  # the control
    assert axes.get_legend_handles_labels()[1] == []
    plt.close()


@pytest.mark.parametrize("kind", HOSTILE)
def test_names_of_files_and_metrics(kind, tmp_path):
    name, metric = texts.file_name(HOSTILE[kind]), texts.metric(HOSTILE[kind])
    (tmp_path / name).mkdir()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    full = f"ci95_low/{metric}"  # as MLflow wants it, which takes seconds to import
    assert re.fullmatch(r"[/\w.\- :]+", full) and len(full) <= 250
    assert posixpath.normpath(full) == full
    assert texts.file_name("best+x=1 against 3 swift") == "best+x=1 against 3 swift"
    assert len({texts.file_name(text) for text in ("a/b", "a_b", "a\nb")}) == 3
