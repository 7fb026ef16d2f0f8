"""Which tables are a paper's, and of which."""

from __future__ import annotations

from experiments.tables import cai, ferrari, hunts
from experiments.tables.ledford import rows as ledford
from experiments.tables.rows import Paper

PAPERS: tuple[Paper, ...] = (ledford.PAPER, cai.PAPER, ferrari.PAPER, hunts.PAPER)


def of(table: str) -> Paper | None:
    """Return the paper that published ``table``; None if it is a table of strength."""
    return next((paper for paper in PAPERS if table in paper.rows), None)
