"""What the tables of the Bayesian-network players have in common: columns of ours, and causes.

Of ours there are three: everybody at the table who has a belief takes it from evidence tables as
printed, from repaired ones, or from the exact posterior (``evidence`` of the players).
"""

from __future__ import annotations

from collections.abc import Collection

PUBLISHED = "paper"
SOURCES = {PUBLISHED: "published"}

ABOUT = (
    "*published*: games won of those played, with the interval that so few games leave. *By the "
    "text*, *repaired*, *exact*: `evidence=text`, `repaired`, `exact` of everybody at the table "
    "who has a belief (`docs/players/bn.md`).",
    "A wrong accusation puts a player out of the game; no more than one a game can be its own.",
)

EVIDENCE = {"text": "ours, by the text", "repaired": "ours, repaired", "exact": "ours, exact"}
"""Columns of ours, by ``evidence``."""


def by_evidence(
    called: str, player: str, reading: str = "", evidence: Collection[str] = EVIDENCE
) -> dict[str, tuple[str, str]]:
    """Return the cells of a line, by column: the match ``called`` so, and the player in it.

    Parameters
    ----------
    reading : of the paper, behind the evidence in the name of the variant
    evidence : that it is played with
    """
    behind = f", {reading}" if reading else ""
    return {EVIDENCE[kind]: (f"{called}, {kind}{behind}", player) for kind in evidence}
