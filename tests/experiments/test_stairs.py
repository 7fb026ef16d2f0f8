"""Tables of steps: lines follow from each other, cells resume by themselves, differences pair."""

from experiments.tables import forms
from experiments.tables.stairs.form import ADDED, ALONE, APART, CUMULATIVE, Steps, in_column

QUICK = {
    "about": "quick ones",
    "players": ["heuristic", "swift"],
    "opponents": ["heuristic"],
    "settings": ["rules.turn_cap=60"],
    "games": 8,
    "simulations": None,
    "seconds": 0,
    "seed": 5100,
    "compiled": True,
    "base": "as it is",
    "ways": [CUMULATIVE, ALONE, ADDED],
    "steps": [
        "walls+rules.board=false+about=no board",
        "sure+player.threshold=0.5+of=swift",
        "capped+rules.turn_cap=30+games=12",
    ],
}


def table(**changes):
    return Steps(**{**QUICK, **changes}, name="quick_steps")


def lines(made, player):
    """Return way, name, settings and the line before of each line of a column."""
    (column,) = (one for one in forms.columns(made) if one.player.label == player)
    return [
        (line.way, line.step, dict(line.settings), line.before and line.before.called)
        for line, _ in in_column(made, column)
    ]


def test_lines_put_steps_together_by_their_way():
    board, sure, cap = (
        {"rules.board": "false"},
        {"player.threshold": "0.5"},
        {"rules.turn_cap": "30"},
    )
    assert lines(table(), "swift") == [
        (CUMULATIVE, "as it is", {}, None),
        (CUMULATIVE, "walls", board, "as it is"),
        (CUMULATIVE, "sure", board | sure, "walls"),
        (CUMULATIVE, "capped", board | sure | cap, "sure"),
        (ALONE, "walls", board, "as it is"),
        (ALONE, "sure", sure, "as it is"),
        (ALONE, "capped", cap, "as it is"),
        (ADDED, "walls", sure | cap, "capped"),
        (ADDED, "sure", board | cap, "capped"),
        (ADDED, "capped", board | sure, "capped"),
    ]
    assert lines(table(ways=[APART]), "swift") == [
        (APART, "walls", board, None),
        (APART, "sure", sure, "walls"),
        (APART, "capped", cap, "sure"),
    ]
