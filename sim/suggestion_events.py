"""Observations of one seat for the beliefs: its setting, and its suggestions as events."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from belief.beliefs.base import Setting
from belief.events import NOT_ENVELOPE, PASSED, REFUTED_OTHER, REFUTED_US
from belief.evidence import UNIFORM
from sim.rules import Rules
from sim.state import ACCUSED


def setting_of(rules: Rules, seat: int, hand: int, face_up: int, showing: int = UNIFORM) -> Setting:
    """Return the setting of ``seat`` with ``hand`` and ``face_up`` (masks).

    ``showing``: the assumed rule by which the others show cards.
    """
    return Setting(
        players=rules.players,
        seat=seat,
        hand_sizes=rules.hand_sizes,
        hand=hand,
        face_up=face_up,
        shares=rules.shares,
        showing=showing,
    )


def suggestion_events(
    suggestions: Iterable[tuple[int, int, int, int]], seat: int, players: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the events of ``suggestions`` for ``seat``, int64 (n, 4), and each suggestion's end.

    A suggestion is (asker, cards, answerer or -1, card or -1); the card is read if ``seat`` asked.
    The answerer of a heard accusation is `ACCUSED`.
    """
    events, ends = [], []
    for asker, cards, answerer, card in suggestions:
        if answerer == ACCUSED:
            events.append((NOT_ENVELOPE, asker, cards, -1))
            ends.append(len(events))
            continue
        for step in range(1, players):
            player = (asker + step) % players
            if player == answerer:
                if asker == seat:
                    events.append((REFUTED_US, player, cards, card))
                elif player != seat:
                    events.append((REFUTED_OTHER, player, cards, -1))
                break
            if player != seat:
                events.append((PASSED, player, cards, -1))
        ends.append(len(events))
    return np.array(events, np.int64).reshape(-1, 4), np.array(ends, np.int64)
