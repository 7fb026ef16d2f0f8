"""A game as text for people: the board with its pawns, and the latest suggestions.

It is drawn from a view and shows only public information, not even the viewing seat's hand.
"""

from __future__ import annotations

import numpy as np

from sim.board import FLOOR_PLAN, N_CORRIDOR, graph
from sim.cards import CARDS, ROOMS, cards_of
from sim.rules import Rules, world
from sim.state import ACCUSED, END, OVER, SHOW, SUGGEST, TURN, State

_LABELS = ((0, 1), (9, 1), (17, 1), (0, 7), (0, 13), (17, 10), (0, 20), (9, 19), (18, 20))
"""Column and row of each room's name; its pawns are drawn one row below."""

_TODO = {TURN: "to move", SUGGEST: "to suggest", END: "may accuse"}


def board(rules: Rules, spots: np.ndarray) -> str:
    """Return the board with each pawn drawn as the number of its seat.

    ``spots`` by seat; ``.`` marks corridor squares, ``+`` squares inside doors.
    """
    room_of = world(rules)[0]["room_of"]
    rows = []
    for line in FLOOR_PLAN.strip().splitlines():
        # Two characters per square, so that squares look square.
        cells = (" " if c == "#" else "+" if c.isalpha() else "." for c in line)
        rows.append(list("".join(f"{cell} " for cell in cells)))
    for room, (column, row) in zip(ROOMS, _LABELS, strict=True):
        name = room.split()[0]  # "Billiard Room" is wider than the room
        rows[row][2 * column : 2 * column + len(name)] = name
    pawns = [0] * len(ROOMS)
    for seat, spot in enumerate(spots[: rules.players].tolist()):
        if spot < N_CORRIDOR:
            column, row = graph().nodes[spot]["xy"]
            rows[row][2 * column] = str(seat)
        else:
            room = room_of[spot]
            column, row = _LABELS[room]
            rows[row + 1][2 * (column + pawns[room])] = str(seat)
            pawns[room] += 1
    return "\n".join("".join(row).rstrip() for row in rows)


def _name(rules: Rules, seat: int) -> str:
    """Return the name of a seat."""
    return f"player_{seat} ({rules.suspects[seat]})"


def _cards(mask: int) -> str:
    """Return the names of the cards in ``mask``."""
    return ", ".join(cards_of(mask))


def suggestion(rules: Rules, event: tuple[int, int, int, int]) -> str:
    """Return one line on a suggestion (asker, cards, answerer, card or -1) or accusation."""
    asker, cards, answerer, card = event
    if answerer == ACCUSED:
        return f"{_name(rules, asker)} accuses {_cards(cards)}: wrong"
    answers = []
    for step in range(1, rules.players):
        seat = (asker + step) % rules.players
        if seat == answerer:
            answers.append(f"player_{seat} shows {'a card' if card < 0 else CARDS[card]}")
            break
        answers.append(f"player_{seat} passes")
    return f"{_name(rules, asker)} suggests {_cards(cards)}: {', '.join(answers)}"


def status(rules: Rules, view: State) -> str:
    """Return one line on the current turn, or on the end of the game."""
    if view["phase"] == OVER:
        winner = int(view["winner"])
        end = f"{_name(rules, winner)} wins" if winner >= 0 else "a draw"
        return f"over after {view['turn']} turns: {end}"
    seat = int(view["seat"])
    rolled = f"rolled {view['roll']}, " if rules.board else ""
    asking = view["phase"] == SHOW
    doing = f"suggests {_cards(view['cards'])}" if asking else _TODO[int(view["phase"])]
    return f"turn {view['turn']}: {_name(rules, seat)} {rolled}{doing}"


def picture(rules: Rules, view: State, events: list[tuple[int, int, int, int]]) -> str:
    """Return the board, the suspects, the turn, and the suggestions ``events``, oldest first."""
    drawn = [board(rules, view["spot"]), ""] if rules.board else []
    drawn.append("  ".join(f"{seat} {name}" for seat, name in enumerate(rules.suspects)))
    drawn.append(status(rules, view))
    out = [f"player_{seat}" for seat in range(rules.players) if view["out"][seat]]
    if out:
        drawn.append(f"accused wrongly: {', '.join(out)}")
    drawn += [suggestion(rules, event) for event in events]
    return "\n".join(drawn)
