"""Cluedo as a search domain: one seat plans, the others are moved by a policy [Ledford 2018, 3.4].

Whose knowledge is used where:

* What the searching seat cannot know is one deal drawn from its exact posterior at the start of a
  simulation.  By the chain rule that gives the same answers, in distribution, as drawing each
  answer from the propagated belief; it costs 0.2 microseconds instead of one posterior an answer.
* Its own decisions in the tree and the pay-off of an accusation there use the *propagated belief*
  alone: evidence seen on the way down, and the exact posterior given it.  An accusation pays
  P(envelope = accused), so no simulation can be taught by an envelope that it happened to draw.
* Each opponent knows its drawn hand, what is public, and the cards it was shown, each drawn
  uniformly from the drawn answerer's matching cards -- never the searching seat's hand, except for
  the cards that this seat showed it.
* In a roll-out the searching seat plays a compiled policy on what it has learnt, and an accusation
  pays by the deal that the simulation carries (the same in expectation).

The reward is 1 for winning and 0 otherwise, so values are probabilities of winning for the
searching seat.  The limits: opponents' suggestions are taken to be independent of their hands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief import evidence, exact
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, draw, fold
from sim.cards import N_CARDS
from sim.domains.candidates import list_actions
from sim.game import advance, apply
from sim.knowledge import begin, count, learn
from sim.state import (
    ACCUSE,
    EVENTS,
    EXTERNAL,
    MAX_PLAYERS,
    MOVE,
    OVER,
    PASSAGE,
    empty,
)

MAX_ACTIONS = 64
MAX_DEPTH = 64


class Cluedo(NamedTuple):
    """The position searched, and how the search sees the game.

    Attributes
    ----------
    world : (1,) record of rules and board
    root : (1,) the state as the searching seat sees it, with what that seat has learnt
    evidence : (1,) what it has seen, as `belief.evidence.EVIDENCE`
    posterior : workspace of `belief.exact`, solved for ``evidence``; only read
    events : (n,) the suggestions so far as this seat saw them (`sim.state.EVENT`)
    seat : the searching seat
    opponents, rollout : numbers of the policies that move the others, and this seat in roll-outs
    candidates : actions of a kind offered at a node, best information first; 0 offers all in order
    accusations : envelopes that may be accused, the most likely ones
    """

    world: np.recarray
    root: np.recarray
    evidence: np.recarray
    posterior: tuple
    events: np.recarray
    seat: int
    opponents: int
    rollout: int
    candidates: int
    accusations: int


class Workspace(NamedTuple):
    """What one thread needs: a state, the evidence along its path, and scratch for posteriors."""

    state: np.recarray
    evidence: np.recarray
    posterior: tuple
    holder: np.ndarray


def workspace(p: Cluedo) -> Workspace:
    """Return a fresh workspace for one thread."""
    return Workspace(
        state=empty(),
        evidence=np.zeros(1, evidence.EVIDENCE).view(np.recarray),
        posterior=exact.workspace(),
        holder=np.zeros(N_CARDS, np.int64),
    )
