"""Make docs/status.md from docs/status.yaml: ``python docs/status_page.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
MARKS = ("verified", "measured", "approximate", "untested", "problem")

HEAD = """# What is verified, and against what

This page lists how far each part of the project is checked, with its test and its figures.

*Verified*: a test compares the part with something independent, and has a control that fails.
*Measured*: a page has figures with intervals. *Approximate*: not exact by design. *Untested*:
offered without a check. *Problem*: see [known problems](known_problems.md).
"""
COLUMNS = "| part | status | checked against | test, figures |"


def read_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of status.yaml by section."""
    return yaml.safe_load((HERE / "status.yaml").read_text(encoding="utf-8"))


def render() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for section, rows in read_rows().items():
        lines += [f"## {section}", "", COLUMNS, "|---|---|---|---|"]
        for row in rows:
            test = f"`{row['test']}`" if row["test"] else ""
            figure = f"[page]({row['figure']})" if row["figure"] else ""
            where = ", ".join(filter(None, (test, figure)))
            lines.append(f"| {row['name']} | {row['mark']} | {row['against']} | {where} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    (HERE / "status.md").write_text(render(), encoding="utf-8")
