"""Tables for the tests of this folder: who sits there, and how they are played on."""

from experiments.web.tables.setup import Setup

COMPUTER = {"name": "swift", "threshold": 1.0, "own_card_weight": 1.0, "showing": "random"}


def person(name):
    """Return the settings of a seat in which ``name`` sits."""
    return {"name": "person", "label": name}


def setup(*seats, turn_cap=60, game=1, **switches):
    """Return a table of Ann, Bob and two computers, or of ``seats``."""
    seats = seats or (person("Ann"), COMPUTER, person("Bob"), COMPUTER)
    return Setup({"name": "ledford", "turn_cap": turn_cap, **switches}, seats, 5, game)


def play_to_prompt(table):
    """Show and play on until a person is asked or the game is over; return the prompt."""
    while not table.over:
        if not table.waiting:
            table.show_next()
        elif table.prompt:
            return table.prompt
        else:
            table.act(table.game.decide())
    return None
