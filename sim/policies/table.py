"""The table of policies: names, numbers, switches, and the way from a number to a call.

A policy is a value, so the arena, a roll-out and a planner's model of its opponents change policy
without compiling anything.  To add one: write ``sim/policies/NAME.py`` with what
`sim.policies.common` says a policy has; it is found by that (`docs/extending.md` has an example).
Those of other packages come by entry points, and are numbered after ours.  What the tests of the
project do not play is checked in every game: the first choice against the rules ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from types import ModuleType

from mcts.kernel.compile import jit, jit_owning, jit_shared
from mcts.kernel.dispatch import by_number
from mcts.kernel.plugins import BrokenPlugin, entry_points
from mcts.kernel.sources import modules_of
from mcts.limits import above, between, check, one_of
from sim.legal import is_legal
from sim.policies import csp, greedy
from sim.policies.common import (
    SUGGESTS,
    accusation,
    avoid_repeat,
    card_to_show,
    is_envelope,
    may_accuse,
    was_heard,
)
from sim.state import (
    ACCUSE,
    ASK,
    END,
    EXTERNAL,
    MOVE,
    N_ACTIONS,
    PASS,
    REVEAL,
    SHOW,
    SUGGEST,
    State,
    World,
)


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


_OUTSIDE = entry_points("sleuth.policies")
_KERNELS = ("to_accuse", "turn", "suggestion")
_PARTS = ("REQUIRES", "SWITCHES", *_KERNELS)
_TO_ACCUSE, _TURN, _SUGGESTION = range(3)

_TESTED = ("closure", "csp", "heuristic", "hide", "likely", "random", "swift", "uniform")
"""Policies whose every choice tests hold against the rules, so that games need not."""


class IllegalChoice(BrokenPlugin):
    """A policy chose what the rules forbid; number, index of its kernel and the value."""

    def __str__(self) -> str:
        which, part, value = self.args
        plugin = _OUTSIDE.get(NAMES[which])
        fault = f"returned {value} from {_KERNELS[part]}, which the rules do not allow here"
        return str(plugin.broken(fault)) if plugin else f"{_MODULES[which].__name__} {fault}"


_FIELDS = {
    "threshold": "threshold",
    "own_card_weight": "own_card_weight",
    "inference": "infers",
    "walk": "walks",
    "hiding": "hiding",
    "summoning": "summoning",
    "by_out": "by_out",
}
"""Fields of the state by switch."""


def _has_policy(module: ModuleType) -> bool:
    """Return whether ``module`` has a policy; `BrokenPlugin` if it lacks a part of one."""
    faults = [f"no {part}" for part in _PARTS if not hasattr(module, part)]
    for switch in getattr(module, "SWITCHES", ()):
        if switch not in _FIELDS:
            faults.append(f"an unknown switch {switch!r}: choose among {', '.join(_FIELDS)}")
    if faults and _name(module) in _OUTSIDE:
        raise _OUTSIDE[_name(module)].broken(f"has {' and '.join(faults)}")
    found = any(hasattr(module, part) for part in _KERNELS)
    if faults and found:
        raise BrokenPlugin(f"{module.__name__} has {' and '.join(faults)}")
    return found


FAST = sorted(
    filter(_has_policy, modules_of("sim.policies", "sleuth.policies")),
    key=lambda module: (_name(module) not in _TESTED, module.REQUIRES, _name(module)),
)
"""The policies that play inside the state machine, and so in simulations; simple ones first."""

SLOW = len(FAST)
"""The number of the one that needs an exact posterior: `sim.arena` plays it, not the machine."""

_TRUSTED = len(_TESTED)
_CHECKS = _TRUSTED < SLOW
"""Policies from this number on are checked, if there are any: else nothing of it is compiled."""

_MODULES = (*FAST, greedy)
NAMES = tuple(map(_name, _MODULES))
FAST_NAMES = NAMES[:SLOW]
REQUIRES = tuple(module.REQUIRES for module in _MODULES)
"""By policy: what has to be kept for its seat."""

_to_accuse = by_number([module.to_accuse for module in FAST])
_turn = by_number([module.turn for module in FAST])
_suggestion = by_number([module.suggestion for module in FAST])

SHOWING = ("random", "least_informative")

MOST = 100
"""The highest weight of an own card, and price of a bit, that can be set."""


@dataclass(frozen=True)
class Policy:
    """A policy and its switches; ValueError on a switch that the policy does not have.

    Attributes
    ----------
    name : one of `NAMES`
    threshold : ``swift`` and ``greedy`` accuse from this probability on; 1 waits for certainty
    inference : whether the factored belief learns from cards that are shown to others
    own_card_weight : weight that a player who names a suspect or a weapon holds it, beside that it
    does not;
        1 reads nothing into suggestions
    walk : how ``csp`` chooses rooms, one of `sim.policies.csp.WALKS`
    hiding : what ``hide`` pays in own bits for a bit that the others learn; 0 takes no notice
    summoning : what ``hide`` pays in bits for summoning somebody who still plays
    by_out : what the threshold of ``hide`` gains with each opponent who is out
    showing : which of several cards it shows, one of `SHOWING`
    """

    name: str
    threshold: float = above(0, 1, default=1.0)
    inference: bool = True
    own_card_weight: float = above(0, MOST, default=1.0)
    walk: str = one_of(*csp.WALKS, default="nearest")
    hiding: float = between(0, MOST, default=1.0)
    summoning: float = between(0, MOST, default=0.2)
    by_out: float = between(-1, 1, default=0.0)
    showing: str = one_of(*SHOWING, default="random")

    def __post_init__(self) -> None:
        switches = switches_of(self.name)
        for switch in fields(Policy)[1:-1]:
            if getattr(self, switch.name) != switch.default and switch.name not in switches:
                raise ValueError(f"{self.name} has no switch {switch.name!r}")
        check(self)


def number(name: str) -> int:
    """Return the number of policy ``name``; ValueError names the choices."""
    if name not in NAMES:
        raise ValueError(f"unknown policy {name!r}: choose one of {', '.join(NAMES)}")
    return NAMES.index(name)


def switches_of(name: str) -> tuple[str, ...]:
    """Return the switches that policy ``name`` has; ValueError as `number`."""
    return _MODULES[number(name)].SWITCHES


def policy(which: Policy | str) -> Policy:
    """Return ``which``, or the policy of that name with its defaults."""
    return Policy(which) if isinstance(which, str) else which


def seat_policies(state: State, policies: Sequence[Policy | str | None]) -> None:
    """Put compiled ``policies``, by seat, into the seats of ``state``; None leaves one external."""
    for seat, which in enumerate(policies):
        if which is None:
            state.policy[seat], state.tracks[seat] = EXTERNAL, 0
        else:
            seat_policy(state, seat, policy(which))


def seat_policy(state: State, seat: int, which: Policy) -> None:
    """Put one compiled policy into ``seat`` of ``state``."""
    state.tracks[seat] = 0
    _set_switches(state, seat, which, _FIELDS)
    state.showing[seat] = SHOWING.index(which.showing)


def swap_policy(state: State, seat: int, which: Policy) -> None:
    """Let ``which`` play in ``seat`` for now: the policy there stays ready to play on.

    What either needs is kept for the seat, and what ``which`` has no switch for stays as it is.
    """
    _set_switches(state, seat, which, switches_of(which.name))


def _set_switches(state: State, seat: int, which: Policy, switches: Iterable[str]) -> None:
    """Let ``which`` decide in ``seat``, with these of its switches."""
    state.policy[seat] = number(which.name)
    state.tracks[seat] |= REQUIRES[number(which.name)]
    for name in switches:
        value = getattr(which, name)
        state[_FIELDS[name]][seat] = csp.WALKS.index(value) if name == "walk" else value


@jit_owning
def _check(world: World, s: State, which: int, part: int, value: int) -> None:
    """Raise `IllegalChoice` if policy ``which`` may not return ``value`` from the kernel ``part``.

    A suggestion or a room that the rules want no more is exchanged for another (`avoid_repeat`).
    """
    if part == _TO_ACCUSE:
        good = is_envelope(value)
    else:
        first, end = (ASK, ACCUSE) if part == _SUGGESTION else (MOVE, N_ACTIONS)
        action = ASK if part == _TURN and value == SUGGESTS else value
        good = first <= action < end
        good = good and is_legal(world, s, avoid_repeat(world, s, s.seat, action))
    if not good:
        raise IllegalChoice(which, part, value)


@jit
def _vet(world: World, s: State, which: int, part: int, value: int) -> int:
    """Return the ``value`` of a policy, checked by `_check` if the policy is not ours."""
    if _CHECKS and which >= _TRUSTED:
        _check(world, s, which, part, value)
    return value


@jit_shared
def choose(world: World, s: State, seat: int) -> int:
    """Return the action of ``seat`` under its own policy in the phase ``s.phase``.

    Consumes ``s.stream``, which the caller has opened for this decision.  Reads what the seat has
    learnt and its own hand, never the hands of others.
    """
    if s.phase == SHOW:
        return REVEAL + card_to_show(s, seat)
    which = s.policy[seat]
    if s.phase != SUGGEST:
        envelope = _to_accuse(which, world, s, seat) if may_accuse(world, s) else 0
        if envelope and not was_heard(s, envelope):
            return accusation(_vet(world, s, which, _TO_ACCUSE, envelope))
        if s.phase == END:
            return PASS
        action = _vet(world, s, which, _TURN, _turn(which, world, s, seat))
        if action != SUGGESTS:
            return avoid_repeat(world, s, seat, action)
    action = _vet(world, s, which, _SUGGESTION, _suggestion(which, world, s, seat))
    return avoid_repeat(world, s, seat, action)
