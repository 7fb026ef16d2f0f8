"""What is to be known beside the figures of [Ledford 2018], in words, by key.

The causes of differences between its program and its text are the steps of staircases, tables of
`experiments.tables.stairs`, which tell what each is worth.  They stand at a figure only where their
step moves it to that side, in the words of their table.
"""

from __future__ import annotations

from collections.abc import Mapping

from experiments.tables.rows import Cause

PLANNERS, POLICIES, ALIKE = "ledford_steps", "ledford_4_1_steps", "ledford_4_3_steps"
"""Staircases of planners against heuristic players, of policies, and of four heuristic players with
what their suggestions tell."""

REMARKS: Mapping[str, Cause] = {
    "again": Cause("The program itself, run again, does not give the figure of the text."),
    "draft": Cause(
        "The figure of the draft is not in the logs released with it, of which those of the logs "
        "are counted and which the final text has."
    ),
    "copies": Cause(
        "The final text counts 2,000 games, among which 901 (one LD-BMCTS) and 501 (three) are "
        "copies of others; the column of the logs counts them once."
    ),
    "logs": Cause(
        "At most one of the logs of BMCTS and LD-BMCTS is as it was played: 1,853 of 2,000 "
        "winners are the same in both (one against three; 1,790 with three), where independent "
        "games would share some 1,266 (1,187)."
    ),
    "few": Cause(
        "The program run again at 100 iterations a decision: few games, and few iterations."
    ),
    "endless": Cause(
        "The figure is over games of up to 3,000 turns, and the few that nobody wins weigh most: "
        "their late suggestions tell nothing. The figure a game stands in the lines *mean of "
        "games' means*."
    ),
    "capped": Cause(
        "Games that nobody wins go on to 3,000 turns and make the mean; the medians stand below."
    ),
    "division": Cause(
        "The text's figures, 0 and 0.744, come from a division of integers, which makes them too "
        "small; those of the logs are counted from them."
    ),
    "cap": Cause(
        "Our games are drawn after 3,000 turns; the longest in the program's logs has 3,261."
    ),
    "unlike": Cause(
        "Not explained. What is known to be unlike the program is named in "
        "`docs/planners/released.md`, and none of it was tested."
    ),
    "best": Cause(
        "No reproduction: `best` plans on the exact posterior, offers the most informative "
        "suggestions alone, reads what others suggest and rolls out by a stronger policy."
    ),
}
"""Of what was published and how it is counted, and of the column that is no reproduction."""
