"""Pictures of tables: drawn where there is something to draw."""

import numpy as np

from experiments.tables import cells as of
from experiments.tables import plot


def matches(table):
    """Return the matches of a table."""
    return of.matches(table, None, table.seed)


def test_budgets_are_drawn(tmp_path):
    def made(*budgets):
        line = {"games": 300, "win_rate": 0.4, "ci95": [0.3, 0.5], "parity": 0.25}
        lines = {f"best{budget} against 3 swift35": line for budget in budgets}
        played = type("Played", (), {"matches": matches(of.load("budget"))})
        return type("Run", (), {"lines": lines, "played": played})

    picture = tmp_path / "budget.png"
    plot.by_budget(made(50), picture)
    assert not picture.exists()  # a point is no curve
    plot.by_budget(made(50, 200), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_wins_are_drawn_along_a_setting(tmp_path):
    def made(*values):
        """Return a run in which a higher value wins more games."""
        players = [{"name": "hide", "hiding": value} for value in values] + [{"name": "swift"}]
        found = [
            type("Match", (), {"entrants": [player], "labels": ["x", "heuristic"], "name": number})
            for number, player in enumerate(players)
        ]
        for match in found:
            match.won = staticmethod(lambda winner, seat: winner)

        class Run:
            played = type("Played", (), {"matches": found})
            lines = dict.fromkeys(range(len(players)))
            match = staticmethod(lambda number: found[number])
            numbers = staticmethod(lambda number: np.arange(40))
            winner = staticmethod(lambda number: np.arange(40) < 10 + 3 * number)

        return Run

    picture = tmp_path / "hiding.png"
    plot.by_setting("hiding", made(1.0), picture)
    plot.by_setting("threshold", made(0.0, 1.0), picture)
    assert not picture.exists()  # a point is no line, and nobody has that setting
    plot.by_setting("hiding", made(0.0, 1.0), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    gained = plot._gained(made(0.0, 1.0), 0, 1)
    assert gained.value == 3 / 40 and gained.low < gained.value < gained.high
