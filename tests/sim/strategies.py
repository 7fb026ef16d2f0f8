"""Hypothesis strategies: rules, policies, and line-ups for checked games."""

from __future__ import annotations

from dataclasses import replace

from checked_play import Table
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sim.policies.registry import FAST_NAMES, SHOWING, Policy
from sim.rules import (
    ACCUSATIONS,
    ACCUSE,
    BLOCKED,
    CALLERS,
    DOORS,
    ENTRANCES,
    FIXED_PLAYERS,
    HANDS,
    MOVEMENT,
    PRESETS,
)

WALKED = {
    "doors": st.sampled_from(DOORS),
    "blocking": st.booleans(),
    "movement": st.sampled_from(MOVEMENT),
    "summons": st.booleans(),
    "callers": st.sampled_from(CALLERS),
    "walls": st.booleans(),
    "entrance": st.sampled_from(ENTRANCES),
    "reenter": st.booleans(),
    "blocked": st.sampled_from(BLOCKED),
}
SWITCHES = {
    "dice": st.sampled_from((1, 2)),
    "accuse": st.sampled_from(ACCUSE),
    "turn_cap": st.sampled_from((7, 60, 500, 3000)),
    "accusations": st.sampled_from(ACCUSATIONS),
}


def repeatable(examples: int) -> settings:
    """Return settings under which so many examples are the same in every run."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def rules(draw):
    """Draw a preset with any of its switches changed."""
    start = PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    players = FIXED_PLAYERS.get(start.name) or draw(st.integers(3, 6))
    hands = HANDS if players == 3 else HANDS[:2]
    walked = WALKED if start.board else {}
    if not start.returns:  # for which the others are refused
        walked = {key: walked[key] for key in walked.keys() - {"reenter", "walls"}}
    switches = SWITCHES | {"hands": st.sampled_from(hands)} | walked
    if not start.repeats:
        switches = switches | {"turn_cap": st.sampled_from((7, 60, 324))}
    return replace(start, players=players, **draw(st.fixed_dictionaries({}, optional=switches)))


@st.composite
def policies(draw, names):
    """Draw a policy with its switches, or None for a player that does anything legal."""
    name = draw(st.sampled_from((None, *names, None)))
    if name is None:
        return None
    showing = draw(st.sampled_from(SHOWING))
    threshold = draw(st.sampled_from((1.0, 0.6))) if name in ("swift", "hide", "greedy") else 1.0
    inference = draw(st.booleans()) if name in ("swift", "hide", "heuristic") else True
    return Policy(name, threshold=threshold, inference=inference, showing=showing)


@st.composite
def tables(draw, names=FAST_NAMES):
    """Draw rules, and who plays by them."""
    under = draw(rules())
    return Table(
        rules=under,
        seats=[draw(policies(names)) for _ in range(under.players)],
        seed=draw(st.integers(0, 2**31)),
        accusing=draw(st.sampled_from((0, 10, 40))),
        asked_to_show=draw(st.booleans()),
    )
