"""docs/status.md is made from its data, whose links lead somewhere and whose rows are short."""

import importlib.util
from pathlib import Path

from tests.test_docs import anchors

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
        elif heading and heading not in anchors(file.read_text()):
            found.append(f"no heading {heading} in {name}")
    if row["mark"] == "verified" and not row["test"]:
        found.append("verified by no test")
    if row["mark"] == "measured" and not row["figure"]:
        found.append("measured on no page")
    return found


def rows():
    return [row for section in page.read_rows().values() for row in section]


def test_rows_are_short_and_lead_somewhere():
    assert {row["name"]: found for row in rows() if (found := faults(row))} == {}


def test_the_page_is_up_to_date():
    assert (ROOT / "docs" / "status.md").read_text() == page.render(), "python docs/status_page.py"
