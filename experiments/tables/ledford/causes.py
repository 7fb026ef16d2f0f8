"""What makes our figures differ from the published ones of [Ledford 2018], in words, by key.

A cause stands at a cell only where its sign fits: where it would move ours to the side on which
ours is.  Of most nobody has tried what they are worth, and then it says so.
"""

from __future__ import annotations

from experiments.tables.rows import Cause

_PAWNS = (
    "The program never moves a suggested pawn; by the text it is moved, and whoever is moved may "
    "suggest there at once. "
)

CAUSES = {
    "again": Cause(
        "The program itself, run again over 3,000 games, does not give the figure of the text."
    ),
    "draft": Cause(
        "The figure of the draft is not in the logs released with it, of which the program's is "
        "counted and which the final text has."
    ),
    "copies": Cause(
        "The final text counts 2,000 games, among which 901 (one LD-BMCTS) and 501 (three) are "
        "copies of others; the program's column counts them once."
    ),
    "logs": Cause(
        "At most one of the logs of BMCTS and LD-BMCTS is as it was played: 1,853 of 2,000 "
        "winners are the same in both (one against three; 1,790 with three), where independent "
        "games would share some 1,266 (1,187)."
    ),
    "pawns": Cause(
        _PAWNS + "Tested by the column beside: with pawns that stay (`rules.summons=false`, "
        "`rules.doors=any`) the difference goes, or most of it."
    ),
    "stays": Cause(
        _PAWNS + "Tested on four heuristic players, 300 games of seed 7: with pawns that stay "
        "(`rules.summons=false`, `rules.doors=any`) a suggestion takes 1.74 bits (1.67 to 1.82) by "
        "games instead of 1.63, and over all suggestions of games that somebody won 1.55 (1.49 to "
        "1.62) with 0.35 (0.31 to 0.39) known cards instead of 1.39 and 0.53; endless games: "
        "`ledford_text`. Beside planners not tested."
    ),
    "endless": Cause(
        "The figure is over games of up to 3,000 turns, and the few that nobody wins weigh most: "
        "their late suggestions tell nothing. Tested on four heuristic players: of games that "
        "somebody won alone 1.39 bits (1.32 to 1.45) instead of 1.01, and 0.53 known cards (0.47 "
        "to 0.58) instead of 0.76. The figure a game stands in the lines *mean of games' means*."
    ),
    "capped": Cause(
        "Games that nobody wins go on to 3,000 turns and make the mean; the medians stand below."
    ),
    "sketch": Cause(
        "Not explained: suggested pawns make no difference to it (the column beside), and an "
        "independent sketch of the game found 91.3 %."
    ),
    "board": Cause(
        "The program's board differs (three of four start squares, missing walls at three corner "
        "doors, a room may be left and entered again in one turn), which may shorten walks.",
        tested=False,
    ),
    "budget": Cause(
        "Ours has the budget named above; published are 10,000 iterations or 3.5 s a decision.",
        tested=False,
    ),
    "seat": Cause(
        "While it plans, the program's agent always takes itself for the first player: in the "
        "other seats it plans as somebody else, against opponents who are handed its real hand.",
        tested=False,
    ),
    "root": Cause(
        "The program does not carry the belief along in its tree: every node starts from the "
        "root's, and siblings share the opponents' notebooks.",
        tested=False,
    ),
    "pay": Cause(
        "In the program's roll-outs an accusation wins half of the time, whatever its "
        "probability; ours pays the probability under the belief.",
        tested=False,
    ),
    "types": Cause(
        "The program draws moves eight to nine times as often as other actions; the text draws "
        "the kinds uniformly.",
        tested=False,
    ),
    "certainty": Cause(
        "By the text a planner may accuse before it is certain, and its roll-outs with the belief "
        "of App. B are hardly ever certain in time, so that accusing at once looks better than "
        "going on (`docs/status.md`); the program accuses only when it is certain, and never "
        "wrongly in its logs. Wrong accusations of ours are counted in `ledford_4_2`; what they "
        "are worth is not tested."
    ),
    "envelope": Cause(
        "The program draws the envelope of LD uniformly over the possible cards and tells nobody; "
        "by the text it comes from the belief, and the players know that they do not hold it.",
        tested=False,
    ),
    "best": Cause(
        "No reproduction: `best` plans on the exact posterior, offers the most informative "
        "suggestions alone, reads what others suggest and rolls out by a stronger policy."
    ),
    "early": Cause(
        "The company: where a planner ends the game early, or is out of it, its suggestions and "
        "the others' are the first ones, which tell most.",
        tested=False,
    ),
    "division": Cause(
        "The text's figures, 0 and 0.744, come from a division of integers, which makes them too "
        "small; the program's are counted from its logs."
    ),
    "cap": Cause(
        "Our games are drawn after 3,000 turns; the longest in the program's logs has 3,261."
    ),
}
"""By key, in no order: a table numbers those that it has."""
