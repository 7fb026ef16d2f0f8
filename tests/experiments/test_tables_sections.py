"""A table's `published` section is read, or refused in one line."""

from __future__ import annotations

import pytest

from experiments.settings.commandline import Refusal
from experiments.tables.published import Published

SECTION = {
    "sources": {"paper": "published"},
    "columns": {"text": "ours"},
    "about": [],
    "notes": {"cause": "It is so."},
}


@pytest.mark.parametrize(
    "row, message",
    [
        ({"quantity": "wins"}, "unknown quantity wins"),
        ({"quantity": "won", "papers": 1}, "unknown key papers"),
        ({"quantity": "won", "notes": ["causes"]}, "unknown note causes"),
    ],
)
def test_malformed_rows_are_refused(row, message):
    with pytest.raises(Refusal, match=message):
        Published.read({**SECTION, "rows": [{"setup": "x", **row}]})


@pytest.mark.parametrize(
    "section, message",
    [
        ({"columns": {}}, "rows is missing"),
        ({"rows": [{"quantity": "won"}], "columns": {}}, "setup is missing"),
        ({"rows": [{"setup": "x", "quantity": "won", "paper": "a/b"}], **SECTION}, "invalid"),
    ],
)
def test_a_malformed_section_is_refused(section, message):
    with pytest.raises(Refusal, match=f"published: .*{message}"):
        Published.read(section)
    row = {"setup": "x", "quantity": "won", "match": "a"}
    assert Published.read({"rows": [row], "columns": {"text": "ours"}}).rows  # all that it needs


def test_rows_share_keys_and_columns_fill_the_names_of_matches():
    shared = {"match": "a, {}", "rows": [{"setup": "x", "quantity": "won", "paper": [0.1, 0.2]}]}
    (row,) = Published.read({**SECTION, "rows": [shared]}).rows
    assert row.cells == {"text": ("a, text", "")} and row.published["paper"].bounds == (0.1, 0.2)
