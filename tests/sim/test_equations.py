"""The table of equations in docs/planners/bmcts.md names functions that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/planners/bmcts.md"


def missing(page):
    """Return the files, and the functions in them, that the table names and that are not there."""
    table = page.partition("## The equations in the code")[2].partition("\n## ")[0]
    found = []
    for functions, path in re.findall(r"((?:`\w+`,? (?:and )?)*)(?:in )?`([\w/]+\.py)`", table):
        source = (ROOT / path).read_text() if (ROOT / path).exists() else ""
        names = re.findall(r"`(\w+)`", functions)
        found += [path] * (not source)
        found += [f"{name} in {path}" for name in names if f"\ndef {name}(" not in source]
    return found


def test_what_the_table_names_is_there():
    assert not missing(PAGE.read_text())


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("`draw_answer` in", "`drawn_answer` in"),
        ("`belief/matrix.py`", "`belief/matrices.py`"),
        ("`select`, `on_offer`", "`selects`, `on_offer`"),
    ],
)
def test_what_is_not_there_is_found(name, wrong):
    page = PAGE.read_text()
    assert name in page
    assert missing(page.replace(name, wrong))
