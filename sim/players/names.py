"""The players that are neither compiled policies nor search, by name; nothing here needs Numba."""

from __future__ import annotations

PAPERS = {
    "bn": "sim.players.bayes",
    "constraint": "sim.players.constraint",
    "entropy": "sim.players.entropy",
    "neural": "sim.players.neural",
    "hunter": "sim.players.hunter",
    "response": "sim.players.response",
}
"""The module of each, which has ``make(spec, rules)`` as a plug-in has (`docs/extending.md`)."""

EVIDENCE = ("repaired", "text", "exact")
"""What a player of these papers believes: evidence tables with the repairs, by the text of
[Ferrari & Cai 2009, App. V], or the exact posterior."""

ABOUT = ("envelope", "room")
"""What the entropy player wants to know: all hidden cards, or the room card alone (a control)."""

AGAIN = ("other", "same")
"""How a player makes the next suggestion after that in the room where it stands: in the nearest
other room that it wants to enter, or there, by stepping out and in again."""

WORTH = ("network", "zero", "grid")
"""What tells the neural player what entering a room is worth: the network, nothing (the control),
or the table that the network stands for, read at the nearest sampled state."""

UNITS = ("bins", "turns")
"""What the hunter counts its ways in: squares, or expected turns."""

STRATEGIES = ("replanned", "closed")
"""How the hunter plans: a way, anew at each decision, or what to do for each outcome."""

GOALS = ("free", "likeliest")
"""Where the hunter's way ends: in whatever room, or in the likeliest."""
