"""Rule presets, and the record of rules and board that all kernels of the game read.

A preset is a frozen `Rules`; `world` converts it to one NumPy record, so a change of rules never
recompiles a kernel.  `docs/game.md` lists the presets with the source of every switch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
import yaml

from belief.evidence import CATEGORY_START, MAX_PLAYERS
from mcts.limits import between, check, one_of
from sim.board import BOARD, MAX_ROLL, N_ROOMS, N_SPOTS, corridor, start_spot, tables
from sim.cards import N_CARDS, SUSPECTS

MIN_PLAYERS = 3
FARTHEST = 64
MAX_TURNS = 1_000_000

SEATS = {
    3: ("Scarlett", "Mustard", "Green"),
    # The released program of [Ledford 2018] seats these four.
    4: ("Scarlett", "Mustard", "Green", "Peacock"),
    5: ("Scarlett", "Mustard", "White", "Green", "Peacock"),
    6: ("Scarlett", "Mustard", "White", "Green", "Peacock", "Plum"),
}
"""Suspects in the order of play, by number of players."""

RELEASED_SEATS = {"Peacock": (0, 5), "Green": (9, 24), "Scarlett": (23, 7), "Mustard": (16, 0)}
"""Suspects of the released program in its order of play, with their start squares."""

HANDS = ("equal", "round")
"""Ways to deal; any other value lists hands by category, as in ``213-123-222``."""
DOORS = ("entry", "any")
MOVEMENT = ("towards", "free")
ACCUSE = ("start", "start_or_end", "any", "end")
STARTS = ("box", "released")
ENTRANCES = ("nearest", "first")
CALLERS = ("all", "random")
BLOCKED = ("another", "again")
ACCUSATIONS = ("secret", "heard")

SUGGESTIONS = 324
"""Number of different suggestions."""

DEALT = tuple(stop - start - 1 for start, stop in pairwise(CATEGORY_START))
"""Cards of each category outside the envelope."""

FIXED_PLAYERS = {"cai2006": 3, "ferrari2009": 3, "released": 4}
"""Presets whose source fixes the number of players."""


@dataclass(frozen=True, repr=False)
class Rules:
    """The switches of a rule preset.

    Attributes
    ----------
    name : preset that the switches started from
    players : 3 to 6
    hands : ``equal``, the remainder face up; ``round``, all cards dealt round, so the first seats
        may hold one more; or the public numbers of suspects, weapons and rooms of each seat, as in
        ``213-123-222``
    board : False for no board: a turn is any room and a suggestion there
    dice : six-sided dice per roll, 1 or 2
    doors : a pawn leaves a room by the door of ``entry`` or by ``any`` door
    blocking : whether a pawn blocks its corridor square
    blocked : a pawn without a path walks to ``another``, random room, or, for a compiled policy,
        decides ``again``; after ten tries it stays
    movement : ``towards`` a room, by the full roll; ``free`` also allows stopping on any corridor
        square within the roll, or staying
    summons : whether a suggested pawn is moved to the room, where its player may suggest next
    callers : whose suggestions move pawns: ``all``, or only the policy ``random``
    walls : whether a door opens on one square only; without walls it opens on all adjacent squares,
        and paths cross rooms
    starts : seats and start squares as in the ``box``, or as ``released``, for four players
    entrance : a compiled policy walks to the ``nearest`` door, or to the ``first`` in the released
        program, where summoned pawns arrive too; all other players walk to the nearest
    pawns : suspects of the seats in order of play, as in ``Plum-White-Mustard``; ``usual``: `SEATS`
    returns : whether a pawn in the corridor may re-enter its last room
    reenter : whether a pawn may leave and re-enter its room in one turn, with a roll of at least 2
    accuse : at the ``start`` of the own turn, ``start_or_end``, ``any``: also before a suggestion,
        or only at the ``end``
    accusations : the cards of a wrong accusation are ``secret``, or ``heard`` by all players
    repeats : whether a player may make the same suggestion twice
    last_wins : whether the last player without a wrong accusation wins
    turn_cap : turns over all players after which the game is a draw
    """

    name: str = "ledford"
    players: int = between(MIN_PLAYERS, MAX_PLAYERS, default=4)
    hands: str = "equal"
    board: bool = True
    dice: int = between(1, 2, default=1)
    doors: str = one_of(*DOORS, default="entry")
    blocking: bool = True
    blocked: str = one_of(*BLOCKED, default="another")
    movement: str = one_of(*MOVEMENT, default="towards")
    summons: bool = True
    callers: str = one_of(*CALLERS, default="all")
    walls: bool = True
    starts: str = one_of(*STARTS, default="box")
    entrance: str = one_of(*ENTRANCES, default="nearest")
    pawns: str = "usual"
    returns: bool = True
    reenter: bool = False
    accuse: str = one_of(*ACCUSE, default="start")
    accusations: str = one_of(*ACCUSATIONS, default="secret")
    repeats: bool = True
    last_wins: bool = False
    turn_cap: int = between(1, MAX_TURNS, default=3000)

    def __post_init__(self) -> None:
        check(self, "rules.")
        only = FIXED_PLAYERS.get(self.name, self.players)
        if self.players != only:
            raise ValueError(f"rules={self.name} is a game of {only} players, got {self.players}")
        if self.hands not in HANDS:
            self._check_shares()
        if not self.board and (self.blocking or self.movement == "free" or self.doors == "entry"):
            raise ValueError(
                "without a board no pawn can walk or block: rules.board=false needs "
                "rules.blocking=false, rules.movement=towards and rules.doors=any"
            )
        if self.starts == "released" and self.players != len(RELEASED_SEATS):
            raise ValueError(
                f"rules.starts=released seats {len(RELEASED_SEATS)} players, got {self.players}: "
                "use rules.starts=box"
            )

        if not self.returns and (self.reenter or not self.walls or not self.board):
            raise ValueError(
                "a pawn that may not return must be able to stop before a room: "
                "rules.returns=false needs rules.reenter=false, rules.walls=true and "
                "rules.board=true"
            )
        if not self.repeats and (self.board or self.turn_cap > SUGGESTIONS):
            raise ValueError(
                "a player could run out of suggestions: rules.repeats=false needs "
                f"rules.board=false and rules.turn_cap of at most {SUGGESTIONS}"
            )
        if self.pawns != "usual":
            self._check_pawns()

    def _check_pawns(self) -> None:
        """Raise ValueError unless ``pawns`` names a different suspect for each seat."""
        named = self.pawns.split("-")
        known = len({*named} & {*SUSPECTS})
        if self.starts != "box" or not known == len(named) == self.players:
            raise ValueError(
                f"rules.pawns must be usual, or {self.players} of {', '.join(SUSPECTS)} joined by "
                f"hyphens, with rules.starts=box; got {self.pawns!r}"
            )

    def _check_shares(self) -> None:
        """Raise ValueError unless ``hands`` deals all cards by category, one hand per player."""
        hands = self.hands
        if not re.fullmatch(r"\d{3}(-\d{3})*", hands):
            raise ValueError(
                f"rules.hands must be one of {', '.join(HANDS)}, or the suspects, weapons and "
                f"rooms of each seat as in 213-123-222, got {hands!r}"
            )
        shares = self.shares
        if len(shares) != self.players:
            raise ValueError(
                f"rules.hands={hands} deals {len(shares)} hands, but there are {self.players} "
                "players: use equal or round"
            )
        dealt = tuple(map(sum, zip(*shares, strict=True)))
        if dealt != DEALT:
            raise ValueError(
                f"rules.hands={hands} deals {dealt[0]} suspects, {dealt[1]} weapons and {dealt[2]} "
                f"rooms: it must deal {DEALT[0]}, {DEALT[1]} and {DEALT[2]}"
            )

    def __repr__(self) -> str:
        usual = PRESETS.get(self.name) or Rules()
        changed = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)[1:]
            if getattr(self, each.name) != getattr(usual, each.name)
        ]
        return f"<Rules {self.name}{': ' if changed else ''}{', '.join(changed)}>"

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards of each player."""
        if self.shares:
            return tuple(map(sum, self.shares))
        share, rest = divmod(N_CARDS - 3, self.players)
        more = rest if self.hands == "round" else 0
        return tuple(share + (seat < more) for seat in range(self.players))

    @property
    def shares(self) -> tuple[tuple[int, ...], ...] | None:
        """Number of cards of each category of each player, if the rules make it public."""
        if self.hands in HANDS:
            return None
        return tuple(tuple(map(int, hand)) for hand in self.hands.split("-"))

    @property
    def face_up(self) -> int:
        """Number of face-up cards: the remainder of an equal deal."""
        return N_CARDS - 3 - sum(self.hand_sizes)

    @property
    def suspects(self) -> tuple[str, ...]:
        """Suspects by seat; suspects without a player have no pawn on the board."""
        if self.pawns != "usual":
            return tuple(self.pawns.split("-"))
        return SEATS[self.players] if self.starts == "box" else tuple(RELEASED_SEATS)


WORLD = np.dtype(
    [
        *BOARD.descr,
        ("players", np.int64),
        ("hand_sizes", np.int64, (MAX_PLAYERS,)),
        ("shares", np.int64, (MAX_PLAYERS, 3)),  # cards of each category, -1 where not public
        ("turn_cap", np.int64),  # turns after which the game is a draw
        ("dice", np.int64),
        *((switch.name, np.int64) for switch in fields(Rules) if switch.type == "bool"),
        ("random_calls", np.int64),  # 1: only suggestions of ``random`` move pawns
        ("again", np.int64),  # 1: a policy without a path decides again
        ("to_first", np.int64),  # 1: policies walk to a room's first entrance
        ("any_door", np.int64),  # 1: a pawn may leave a room by any door
        ("free", np.int64),  # 1: a pawn may stop on any square within the roll
        ("accuse", np.int64),  # index in `ACCUSE`
        ("heard", np.int64),  # 1: all players hear the cards of a wrong accusation
        ("start", np.int64, (MAX_PLAYERS,)),  # start square of each seat
        ("seat_of", np.int64, (len(SUSPECTS),)),  # seat of a suspect, -1 if none
        ("steps", np.int64, (N_ROOMS, N_SPOTS)),  # steps into the room under these rules, no pawns
        ("turns", np.float64, (FARTHEST,)),  # expected turns by number of steps
    ],
    align=True,
)
"""Rules and board as kernels read them; boolean switches are 1 or 0."""


def _switches(name: str) -> dict[str, Any]:
    text = files("conf").joinpath(f"rules/{name}.yaml").read_text("utf-8")
    own: dict[str, Any] = yaml.safe_load(text)
    inherited: dict[str, Any] = {}
    for base in own.pop("defaults", ()):
        if not base.startswith(("/", "_")):  # not the schema or ``_self_``
            inherited |= _switches(base)
    return inherited | own


def _presets() -> dict[str, Rules]:
    found = files("conf").joinpath("rules").iterdir()
    names = sorted(file.name[:-5] for file in found if file.name.endswith(".yaml"))
    names.sort(key=lambda name: name != Rules.name)
    return {name: Rules(**_switches(name)) for name in names}


PRESETS = _presets()
"""Presets of ``conf/rules`` by name."""


def preset(name: str, **switches: int | str | bool) -> Rules:
    """Return preset ``name`` with changed ``switches``; a new name needs all switches.

    Raises ValueError for an unknown preset or switch, or an impossible combination.
    """
    known = [switch.name for switch in fields(Rules)][1:]
    for switch in switches:
        if switch not in known:
            raise ValueError(f"rules have no switch {switch!r}: choose one of {', '.join(known)}")
    if name in PRESETS:
        return replace(PRESETS[name], **switches)
    if set(switches) == set(known):
        return Rules(name, **switches)
    raise ValueError(f"unknown rules {name!r}: choose one of {', '.join(PRESETS)}")


def _expected_turns(dice: int) -> np.ndarray:
    """Return the expected rolls to reach 0, 1, ... steps (renewal equation)."""
    chance = np.full(6, 1 / 6)
    for _ in range(dice - 1):
        chance = np.convolve(chance, np.full(6, 1 / 6))
    rolls = np.arange(dice, dice + len(chance))
    turns = np.zeros(FARTHEST)
    for far in range(1, FARTHEST):
        turns[far] = 1 + chance @ turns[np.maximum(far - rolls, 0)]
    return turns


def _steps(rules: Rules, board: np.record) -> np.ndarray:
    """Return the steps from every spot into every room, by the doors that the rules allow."""
    if not rules.board:
        return np.ones((N_ROOMS, N_SPOTS), np.int64)
    steps = board.distance[:N_ROOMS].astype(np.int64)
    if rules.doors == "any":
        for room in range(N_ROOMS):
            doors = board.room_of == room
            steps[:, doors] = steps[:, doors].min(axis=1, keepdims=True)
    if rules.reenter:
        steps[steps == 0] = 2
    return steps


@cache
def world(rules: Rules) -> np.recarray:
    """Return ``rules`` and board as one read-only record (dtype `WORLD`)."""
    made = np.zeros(1, WORLD).view(np.recarray)
    record = made[0]
    for field in BOARD.names:
        record[field] = tables(rules.walls)[0][field]
    record.players = rules.players
    record.hand_sizes[: rules.players] = rules.hand_sizes
    record.shares[:] = -1
    if rules.shares:
        record.shares[: rules.players] = rules.shares
    record.turn_cap = rules.turn_cap
    record.dice = rules.dice
    for switch in fields(Rules):
        if switch.type == "bool":
            record[switch.name] = getattr(rules, switch.name)
    if rules.entrance == "first":
        record.first_door = record.entrance
        record.to_first = 1
    record.again = rules.blocked == "again"
    record.random_calls = rules.callers == "random"
    record.any_door = rules.doors == "any"
    record.free = rules.movement == "free"
    record.accuse = ACCUSE.index(rules.accuse)
    record.heard = rules.accusations == "heard"
    record.seat_of[:] = -1
    for seat, suspect in enumerate(rules.suspects):
        released = rules.starts == "released"
        record.start[seat] = (
            corridor().index(RELEASED_SEATS[suspect]) if released else start_spot(suspect)
        )
        record.seat_of[SUSPECTS.index(suspect)] = seat
    if not rules.board:
        record.passage[:] = -1
    record.steps = _steps(rules, record)
    assert record.steps.max() < FARTHEST - MAX_ROLL
    record.turns = _expected_turns(rules.dice)
    return made
