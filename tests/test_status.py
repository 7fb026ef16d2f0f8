"""docs/status.md is made from its data, whose links lead somewhere and whose rows are short."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_SPEC = importlib.util.spec_from_file_location("status_page", ROOT / "docs" / "status_page.py")
page = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(page)


def faults(row):
    """Return what is wrong with ``row``."""
    found = []
    if row["mark"] not in page.MARKS:
        found.append(f"mark {row['mark']}")
    if len(row["against"].split()) > 8:
        found.append("more than eight words")
    if row["test"] and not (ROOT / row["test"]).exists():
        found.append(f"no {row['test']}")
    if row["figure"]:
        name, _, heading = row["figure"].partition("#")
        file = ROOT / "docs" / name
        if not file.exists():
            found.append(f"no {name}")
        elif heading and heading not in headings(file):
            found.append(f"no heading {heading} in {name}")
    if row["mark"] == "verified" and not row["test"]:
        found.append("verified by no test")
    if row["mark"] == "measured" and not row["figure"]:
        found.append("measured on no page")
    return found


def headings(file):
    """Return the anchors of the headings of ``file``, as GitHub and MkDocs make them."""
    lines = [line.lstrip("# ") for line in file.read_text().splitlines() if line[:1] == "#"]
    kept = ["".join(c for c in line.lower() if c.isalnum() or c in " -_") for line in lines]
    return {line.strip().replace(" ", "-") for line in kept}


def rows():
    return [row for section in page.read_rows().values() for row in section]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_rows_are_short_and_lead_somewhere(row):
    assert faults(row) == []


def test_the_page_is_up_to_date():
    assert (ROOT / "docs" / "status.md").read_text() == page.render(), "python docs/status_page.py"


@pytest.mark.parametrize(
    "change",
    [
        {"mark": "probably"},
        {"against": "one two three four five six seven eight nine"},
        {"test": "tests/test_nothing.py"},
        {"figure": "nowhere.md"},
        {"figure": "game.md#nowhere"},
        {"test": None},
    ],
)
def test_a_faulty_row_is_found(change):
    assert faults(rows()[1]) == [] and faults({**rows()[1], **change})
