"""The game state: one flat record, copied by assignment.

``dst[i] = src[j]`` between arrays of `STATE` copies every byte; nothing is shared.  The record
holds the hidden hands *and* the knowledge of each seat.  Policies read only the latter
(`sim.knowledge`); a planner receives a record with the hands blanked (`sim.view`).
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
        ("cards", np.int64),  # mask of the suggested cards
        ("answerer", np.int64),  # seat that showed a card, -1 if no seat could, or `ACCUSED`
        ("card", np.int64),  # the shown card; -1 if hidden from the observer
    ]
)
"""One suggestion with its answer; the seats before the answerer passed.

Or a wrong accusation heard by all players: ``asker`` accused ``cards``.
"""

ACCUSED = -2
"""``answerer`` of a heard accusation."""

EVENTS = 16
"""Number of events that the state buffers for a log or a belief."""

STATE = np.dtype(
    [
        ("key", np.uint64),  # determines all chance events of this game (`sim.chance`)
        ("stream", np.uint64, (1,)),  # random numbers of the current decision
        # the turn
        ("phase", np.int64),
        ("turn", np.int64),  # turns begun
        ("seat", np.int64),  # seat whose turn it is
        ("roll", np.int64),  # steps rolled for this turn
        ("winner", np.int64),  # seat, or -1
        ("still", np.int64),  # turns since the last move, suggestion or accusation
        # the current suggestion
        ("cards", np.int64),  # mask of the three cards
        ("answerer", np.int64),
        ("asked", np.int64),  # suggestions in the whole game
        # by seat
        ("spot", np.int64, (MAX_PLAYERS,)),
        ("summoned", np.int64, (MAX_PLAYERS,)),  # 1: moved by a suggestion since its last turn
        # its pawn's last room plus 1 if it may not return there (`sim.rules`), else 0
        ("last_room", np.int64, (MAX_PLAYERS,)),
        ("out", np.int64, (MAX_PLAYERS,)),  # 1: accused wrongly
        ("heard", np.int64, (MAX_PLAYERS,)),  # mask of its heard accusation, or 0
        ("suggestions", np.int64, (MAX_PLAYERS,)),
        # pairs it has named, bits 6 * suspect + weapon, if repeats are forbidden; else 0
        ("named", np.int64, (MAX_PLAYERS, N_ROOMS)),
        ("walked", np.int64, (MAX_PLAYERS, 3)),  # its last turn: number (0: none), roll, last spot
        ("occupied", np.uint32, (WORDS,)),  # scratch: squares with other pawns, as bits
        # policy of each seat, with its switches (`sim.policies.registry`)
        ("policy", np.int64, (MAX_PLAYERS,)),  # decides its turns; `EXTERNAL` stops the machine
        ("showing", np.int64, (MAX_PLAYERS,)),  # decides the card to show; likewise
        ("threshold", np.float64, (MAX_PLAYERS,)),  # minimum probability for an accusation
        # [reader, asker]: weight that an asker holds a card it names; 1 or 0: ignored
        ("own_card_weight", np.float64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("inference", np.int64, (MAX_PLAYERS,)),  # 1: its matrix uses cards shown to others
        ("walk", np.int64, (MAX_PLAYERS,)),  # how it chooses rooms (`sim.policies.csp.WALKS`)
        ("hiding", np.float64, (MAX_PLAYERS,)),  # price of a bit leaked to others, in own bits
        ("summoning", np.float64, (MAX_PLAYERS,)),  # price of summoning an opponent, in bits
        ("by_out", np.float64, (MAX_PLAYERS,)),  # change of its threshold per opponent out
        ("tracks", np.int64, (MAX_PLAYERS,)),  # knowledge to keep: `FACTORED`, `EVIDENCE`, `PUBLIC`
        # hidden
        ("hand", np.int64, (MAX_PLAYERS,)),  # masks
        ("envelope", np.int64),
        ("face_up", np.int64),
        ("has_shown", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),  # [answerer, asker]: cards shown
        # public knowledge (`belief.public`), kept if a seat tracks it
        ("public", np.float64, (N_CARDS, HOLDERS)),
        # knowledge of each seat, in the forms that policies use
        ("known", np.int64, (MAX_PLAYERS,)),  # mask: own, face up and shown to it
        ("proved", np.int64, (MAX_PLAYERS,)),  # mask: unseen cards with no answer to its suggestion
        ("goal", np.int64, (MAX_PLAYERS,)),  # room that a heuristic player walks to, or -1
        ("belief", np.float64, (MAX_PLAYERS, N_CARDS, HOLDERS)),  # factored
        ("bits", np.float64, (MAX_PLAYERS, N_CARDS)),  # entropy of each row, -1: unknown
        ("evidence", EVIDENCE_RECORD, (MAX_PLAYERS,)),
        ("closure", KNOWN, (MAX_PLAYERS,)),  # logical consequences of `evidence`
        ("settled", np.int64, (MAX_PLAYERS,)),  # 1: `closure` is up to date
        ("marginals", np.float64, (N_CARDS, HOLDERS)),  # scratch of the seat that decides
        ("marginals_of", np.int64),  # `sim.knowledge.knowledge_version` of them, or 0
        # after heard accusations: likeliest envelope left, its probability; else 0 (`swift`)
        ("guess", np.int64),
        ("guess_chance", np.float64),
        ("intention", np.int64),  # the suggestion planned for this turn, or 0 (`swift`)
        # recent suggestions and heard accusations, oldest first
        ("recording", np.int64),  # 1: write `events`, and stop when they are full
        ("events", np.int64),
        ("event", np.int64, (EVENTS, 4)),  # the fields of `EVENT`
    ]
)

SWITCHES = ("threshold", "own_card_weight", "inference", "walk", "hiding", "summoning", "by_out")
"""Fields of `STATE` that are switches of policies, by seat."""

STATES = np.dtype((np.record, STATE))
"""For plain arrays, which Python passes to kernels twenty times as fast as a `recarray`."""

State = np.record
"""The type of one `STATE`."""

World = np.record
"""The type of one `sim.rules.WORLD`: rules and board as kernels read them."""

# Knowledge that a seat keeps (`tracks`) besides seen cards.  `PUBLIC` is one view for all seats.
FACTORED, EVIDENCE, PUBLIC = 1, 2, 4

# Phases.
TURN, SUGGEST, SHOW, END, OVER = range(5)

# Decider of a seat: EXTERNAL, or the number of a policy (`sim.policies.registry`).
EXTERNAL = -1
# For the card to show: like EXTERNAL, but asked even about a single card, so that being asked does
# not reveal the number of matching cards.
ASKED = -2

# Actions, all in one numbering.
MOVE = 0  # + room
PASSAGE = 9
ASK = 10  # + 6 * suspect + weapon; the room is that of the pawn
ACCUSE = 46  # + 9 * (6 * suspect + weapon) + room
REVEAL = 370  # + card
PASS = 391  # keep the pawn in place; in END: end the turn
WALK = 392  # + corridor square, under free movement
N_ACTIONS = WALK + N_CORRIDOR


def empty(count: int = 1) -> np.recarray:
    """Return ``count`` blank states."""
    return np.zeros(count, STATE).view(np.recarray)
