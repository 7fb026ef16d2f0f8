"""Messages of the Speed Clue contest: ASCII text without a terminator, one per read.

The server's messages and their answers, where N is a seat, S W R a suspect, a weapon and a room,
and X a card, all in two letters:

    reset PLAYERS N X X ...         ok
    suggest                         suggest S W R
    disprove N S W R                show X          (sent only if there is a choice)
    suggestion N S W R N [X] | -    ok              (the card to asker and answerer alone)
    accuse                          -  |  accuse S W R
    accusation N S W R + | -        ok
    done                            dead

A player first sends ``NAME alive``.  Nothing here keeps state: `benchmarks.contest.table` decides
whether a message fits the game.
"""

from __future__ import annotations

from typing import NamedTuple

from belief.evidence import MAX_PLAYERS
from mcts.kernel.errors import SleuthError
from sim.cards import CARDS, CATEGORY_MASK
from sim.rules import MIN_PLAYERS

_SUSPECTS = ("Mu", "Sc", "Pl", "Gr", "Wh", "Pe")
_WEAPONS = ("Kn", "Ro", "Ca", "Pi", "Re", "Wr")
_ROOMS = ("St", "Ha", "Lo", "Li", "Bi", "Di", "Co", "Ba", "Ki")
LETTERS = dict(zip(CARDS, _SUSPECTS + _WEAPONS + _ROOMS, strict=True))
"""The two letters of each card."""

NUMBERS = {letters.lower(): card for card, letters in enumerate(LETTERS.values())}

LONGEST = 512
"""Maximum bytes of a message, as in the contest's own programs."""

SHOWN = 60
"""Maximum length of a quoted bad message."""


class BadServer(SleuthError, ValueError):
    """A server of the contest broke the protocol, or disconnected; the message says how."""


class Message(NamedTuple):
    """A message of a server; fields that its kind lacks are -1, or 0 for cards.

    Attributes
    ----------
    kind : its first word
    players, seat : ``reset``: of the game, and the own; else who suggests or accuses
    cards : mask of the hand, or of the three named cards
    answerer : seat that showed a card, -1: none
    card : the card shown
    right : ``accusation``: whether it is right
    """

    kind: str
    players: int = -1
    seat: int = -1
    cards: int = 0
    answerer: int = -1
    card: int = -1
    right: bool = False


def read(data: bytes) -> Message:
    """Return the message ``data``; BadServer if it is none."""
    if len(data) > LONGEST:
        raise BadServer(f"the server sent {len(data):,} bytes at once, of at most {LONGEST}")
    try:
        text = data.rstrip(b"\0").decode("ascii")
        kind, *fields = text.lower().split()
        return _READERS[kind](kind, fields)
    except UnicodeDecodeError:
        raise BadServer(f"the server sent non-ASCII bytes: {data[:SHOWN]!r}") from None
    except (KeyError, ValueError, IndexError) as fault:
        why = str(fault) if isinstance(fault, _Odd) else "it is not a message of the protocol"
        raise BadServer(f"the server sent {text[:SHOWN]!r}: {why}") from None


class _Odd(SleuthError, ValueError):
    """The reason why a message cannot be read."""


def _card(letters: str) -> int:
    if letters not in NUMBERS:
        raise _Odd(f"there is no card {letters[:SHOWN]!r}")
    return NUMBERS[letters]


def _seat(field: str) -> int:
    if not (field.isdecimal() and len(field) == 1 and int(field) < MAX_PLAYERS):
        raise _Odd(f"there is no seat {field[:SHOWN]!r}")
    return int(field)


def _trio(fields: list[str]) -> int:
    """Return the mask of a suspect, a weapon and a room."""
    for field, category in zip(fields, CATEGORY_MASK, strict=True):
        if not category >> _card(field) & 1:
            raise _Odd("it names no suspect, weapon and room, in this order")
    return sum(1 << _card(field) for field in fields)


def _word(kind: str, fields: list[str]) -> Message:
    if fields:
        raise _Odd("the word has no arguments")
    return Message(kind)


def _reset(kind: str, fields: list[str]) -> Message:
    players, seat, cards = int(fields[0]), _seat(fields[1]), [_card(field) for field in fields[2:]]
    if not MIN_PLAYERS <= players <= MAX_PLAYERS or seat >= players:
        raise _Odd(f"{MIN_PLAYERS} to {MAX_PLAYERS} play, and seats are counted from 0")
    if len(set(cards)) != len(cards):
        raise _Odd("a card occurs twice")
    return Message(kind, players, seat, sum(1 << card for card in cards))


def _disprove(kind: str, fields: list[str]) -> Message:
    return Message(kind, seat=_seat(fields[0]), cards=_trio(fields[1:]))


def _suggestion(kind: str, fields: list[str]) -> Message:
    seat, cards, *answer = _seat(fields[0]), _trio(fields[1:4]), *fields[4:]
    if answer == ["-"]:
        return Message(kind, seat=seat, cards=cards)
    if len(answer) not in (1, 2):
        raise _Odd("it does not say who showed a card")
    shown = _card(answer[1]) if len(answer) == 2 else -1
    return Message(kind, seat=seat, cards=cards, answerer=_seat(answer[0]), card=shown)


def _accusation(kind: str, fields: list[str]) -> Message:
    if fields[4:] not in (["+"], ["-"]):
        raise _Odd("it does not say whether the accusation is right")
    return Message(kind, seat=_seat(fields[0]), cards=_trio(fields[1:4]), right=fields[4] == "+")


_READERS = {
    "reset": _reset,
    "disprove": _disprove,
    "suggestion": _suggestion,
    "accusation": _accusation,
    **dict.fromkeys(("suggest", "accuse", "done"), _word),
}


def write_cards(cards: int) -> str:
    """Return the cards of a mask in letters, suspect, weapon and room in this order."""
    letters = [*LETTERS.values()]
    return " ".join(letters[card] for card in range(len(letters)) if cards >> card & 1)
