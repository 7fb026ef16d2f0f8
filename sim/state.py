"""The state of a game: one flat record, copied by assignment.

``dst[i] = src[j]`` between arrays of `STATE` copies every byte: nothing is shared, however deep.
The record holds the hidden hands *and* what each seat has learnt; policies read only the latter
(`sim.knowledge`), and a planner is handed a record in which the former is blank (`sim.view`).
"""

from __future__ import annotations

import numpy as np

from belief.closure import KNOWN
from belief.evidence import EVIDENCE as EVIDENCE_RECORD
from belief.evidence import HOLDERS, N_CARDS
from belief.evidence import MAX_PLAYERS as MAX_PLAYERS
from sim.board import N_CORRIDOR, N_ROOMS, WORDS

EVENT = np.dtype(
    [
        ("asker", np.int64),
        ("cards", np.int64),  # the suggested cards as a mask
        ("answerer", np.int64),  # seat that showed a card, -1 if nobody could, or `ACCUSED`
        ("card", np.int64),  # the card shown; -1 where it is not for us to know
    ]
)
"""One suggestion with its answer; those asked before the answerer passed.

Or a wrong accusation that all players hear: ``asker`` accused ``cards``.
"""

ACCUSED = -2
"""The ``answerer`` of such an accusation."""

EVENTS = 16
"""Events that the state itself remembers for a log or a belief."""

STATE = np.dtype(
    [
        ("key", np.uint64),  # names all chance of this game; see `sim.chance`
        ("stream", np.uint64, (1,)),  # random numbers of the decision being made
        # the turn
        ("phase", np.int64),
        ("turn", np.int64),  # turns begun
        ("seat", np.int64),  # whose turn it is
        ("roll", np.int64),  # steps rolled for this turn
        ("winner", np.int64),  # seat, or -1
        ("still", np.int64),  # turns since anybody moved, suggested or accused
        # the suggestion being answered
        ("cards", np.int64),  # mask of the three cards
        ("answerer", np.int64),
        ("asked", np.int64),  # suggestions made in the whole game
        # by seat
        ("spot", np.int64, (MAX_PLAYERS,)),
        ("summoned", np.int64, (MAX_PLAYERS,)),  # 1: moved by a suggestion since its last turn
        # room that its pawn was in last, and 1, where it may not return (`sim.rules`); else 0
        ("last_room", np.int64, (MAX_PLAYERS,)),
        ("out", np.int64, (MAX_PLAYERS,)),  # 1: accused wrongly
        ("heard", np.int64, (MAX_PLAYERS,)),  # mask that it accused, where all heard that; else 0
        ("suggestions", np.int64, (MAX_PLAYERS,)),
        # pairs that it has named, bits 6 * suspect + weapon, where none may be named twice; else 0
        ("named", np.int64, (MAX_PLAYERS, N_ROOMS)),
        ("walked", np.int64, (MAX_PLAYERS, 3)),  # its last turn: number (0: none), roll, last spot
        ("occupied", np.uint32, (WORDS,)),  # scratch: squares with other pawns, as bits
        # who plays a seat, and how (`sim.policies.registry`)
        ("policy", np.int64, (MAX_PLAYERS,)),  # who decides its turns; `EXTERNAL` stops the machine
        ("showing", np.int64, (MAX_PLAYERS,)),  # who decides the card it shows; likewise
        ("threshold", np.float64, (MAX_PLAYERS,)),  # accuses from this probability on
        (
            "own_card_weight",
            np.float64,
            (MAX_PLAYERS, MAX_PLAYERS),
        ),  # [reader, asker]: weight of an asker's holding what it names; 1 or 0: not read
        ("inference", np.int64, (MAX_PLAYERS,)),  # 1: its matrix learns from cards shown to others
        ("walk", np.int64, (MAX_PLAYERS,)),  # how it chooses rooms (`sim.policies.csp.WALKS`)
        ("hiding", np.float64, (MAX_PLAYERS,)),  # price of a bit that the others learn, in own bits
        ("summoning", np.float64, (MAX_PLAYERS,)),  # price of summoning somebody, in bits
        ("by_out", np.float64, (MAX_PLAYERS,)),  # what its threshold gains by each opponent out
        ("tracks", np.int64, (MAX_PLAYERS,)),  # what is kept: `FACTORED`, `EVIDENCE`, `PUBLIC`
        # hidden
        ("hand", np.int64, (MAX_PLAYERS,)),  # masks
        ("envelope", np.int64),
        ("face_up", np.int64),
        ("has_shown", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),  # [answerer, asker]: cards shown
        # what everybody knows (`belief.public`), kept if a seat asks for it
        ("public", np.float64, (N_CARDS, HOLDERS)),
        # what each seat has learnt, in the forms that policies use
        ("known", np.int64, (MAX_PLAYERS,)),  # mask: own, face up and shown to it
        ("proved", np.int64, (MAX_PLAYERS,)),  # mask: unseen cards that nobody showed when it asked
        ("goal", np.int64, (MAX_PLAYERS,)),  # room that a heuristic player walks to, or -1
        ("belief", np.float64, (MAX_PLAYERS, N_CARDS, HOLDERS)),  # factored
        ("bits", np.float64, (MAX_PLAYERS, N_CARDS)),  # entropy of each row, -1: unknown
        ("evidence", EVIDENCE_RECORD, (MAX_PLAYERS,)),
        ("closure", KNOWN, (MAX_PLAYERS,)),  # logical consequences of `evidence`
        ("settled", np.int64, (MAX_PLAYERS,)),  # 1: `closure` is up to date
        ("marginals", np.float64, (N_CARDS, HOLDERS)),  # scratch of the seat that decides
        (
            "marginals_of",
            np.int64,
        ),  # what they were computed from (`sim.knowledge.knowledge_version`), or 0
        # where accusations were heard: the likeliest envelope left and its chance; else 0 (`swift`)
        ("guess", np.int64),
        ("guess_chance", np.float64),
        ("intention", np.int64),  # the suggestion that its turn was chosen for, or 0 (`swift`)
        # recent suggestions and heard accusations, oldest first
        ("recording", np.int64),  # 1: write `events`, and stop when they are full
        ("events", np.int64),
        ("event", np.int64, (EVENTS, 4)),  # the fields of `EVENT`
    ]
)

SWITCHES = ("threshold", "own_card_weight", "inference", "walk", "hiding", "summoning", "by_out")
"""Fields of `STATE` that are the switches of policies, by seat."""

STATES = np.dtype((np.record, STATE))
"""For arrays that are no `recarray`: kernels take them from Python twenty times as fast."""

State = np.record
"""The type of one `STATE`."""

World = np.record
"""The type of one `sim.rules.WORLD`: rules and board as kernels read them."""

# What a seat keeps (`tracks`), beside the cards that it has seen.  `PUBLIC` is one view for all.
FACTORED, EVIDENCE, PUBLIC = 1, 2, 4

# Phases.
TURN, SUGGEST, SHOW, END, OVER = range(5)

# Who decides for a seat: EXTERNAL, or the number of a policy (`sim.policies.registry`).
EXTERNAL = -1
# For the card to show alone: EXTERNAL, and asked even where there is but one to choose, so that
# who is asked does not reveal how many there are.
ASKED = -2

# Actions, all in one numbering.
MOVE = 0  # + room
PASSAGE = 9
ASK = 10  # + 6 * suspect + weapon; the room is the one the pawn is in
ACCUSE = 46  # + 9 * (6 * suspect + weapon) + room
REVEAL = 370  # + card
PASS = 391  # stay where the pawn is; at the end of a turn: end it
WALK = 392  # + corridor square, where movement is free
N_ACTIONS = WALK + N_CORRIDOR


def empty(count: int = 1) -> np.recarray:
    """Return ``count`` blank states."""
    return np.zeros(count, STATE).view(np.recarray)
