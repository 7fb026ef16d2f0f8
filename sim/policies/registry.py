"""Registry of policies: names, numbers, and dispatch by number.

A policy is a value, so arena, roll-outs and opponent models switch policies without compiling.  To
add a policy, write ``sim/policies/NAME.py`` with the parts listed in `sim.policies.common`
(example: `docs/extending.md`).  Other packages add policies by entry point; their numbers follow
ours.  Policies not covered by the project's tests are checked in every game: an illegal choice
raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from types import ModuleType
from typing import Any

from mcts.kernel.compile import jit, jit_owning, jit_shared
from mcts.kernel.dispatch import by_number
from mcts.kernel.plugins import BrokenPlugin, entry_points
from mcts.kernel.sources import modules_of
from mcts.limits import check, one_of
from sim.legal import is_legal
from sim.policies import greedy
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
    SWITCHES,
    State,
    World,
)


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


_OUTSIDE = entry_points("sleuth.policies")
_KERNELS = ("to_accuse", "turn", "suggestion")
_PARTS = ("REQUIRES", *_KERNELS)
_TO_ACCUSE, _TURN, _SUGGESTION = range(3)

_TESTED = ("closure", "csp", "heuristic", "hide", "likely", "random", "swift", "uniform")
"""Policies whose choices the tests check against the rules, so games need not."""


class IllegalChoice(BrokenPlugin):
    """A policy made an illegal choice: number, index of its kernel, value."""

    def __str__(self) -> str:
        which, part, value = self.args
        plugin = _OUTSIDE.get(NAMES[which])
        fault = f"returned {value} from {_KERNELS[part]}, which the rules do not allow here"
        return str(plugin.broken(fault)) if plugin else f"{_MODULES[which].__name__} {fault}"


@dataclass(frozen=True)
class NoSwitches:
    """Switches of a policy without switches."""


def _switches(module: ModuleType) -> type[Any]:
    return getattr(module, "Switches", NoSwitches)


def _has_policy(module: ModuleType) -> bool:
    """Return whether ``module`` has a policy; BrokenPlugin if a part is missing."""
    faults = [f"no {part}" for part in _PARTS if not hasattr(module, part)]
    for each in fields(_switches(module)):
        if each.name not in SWITCHES:
            faults.append(f"an unknown switch {each.name!r}: choose among {', '.join(SWITCHES)}")
    if getattr(module, "SWITCHES", ()):
        faults.append("SWITCHES in place of a dataclass Switches")
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
"""Policies that play inside the state machine and simulations, simple ones first."""

SLOW = len(FAST)
"""Number of the policy with an exact posterior, which `sim.arena` plays instead of the machine."""

_TRUSTED = len(_TESTED)
_CHECKS = _TRUSTED < SLOW
"""Whether policies from number `_TRUSTED` need checks; otherwise the checks are not compiled."""

_MODULES = (*FAST, greedy)
NAMES = tuple(map(_name, _MODULES))
FAST_NAMES = NAMES[:SLOW]
REQUIRES = tuple(module.REQUIRES for module in _MODULES)
"""Knowledge to track for a policy's seat, by number."""

_to_accuse = by_number([module.to_accuse for module in FAST])
_turn = by_number([module.turn for module in FAST])
_suggestion = by_number([module.suggestion for module in FAST])

SHOWING = ("random", "least_informative")

DEFAULTS: Mapping[str, Any] = {
    each.name: each.default for module in reversed(_MODULES) for each in fields(_switches(module))
}
"""Default of each switch, also the state's value for seats whose policy lacks the switch."""

_CHOICES: Mapping[str, Sequence[str]] = {
    each.name: each.metadata["choices"]
    for module in _MODULES
    for each in fields(_switches(module))
    if "choices" in each.metadata
}


@dataclass(frozen=True, init=False)
class Policy:
    """A policy with its switches, a value: ``Policy("swift", threshold=0.5)``.

    Switches are attributes, ``policy.threshold``; one that the policy lacks reads as its default.
    Raises ValueError for an unknown name, switch or value.

    Attributes
    ----------
    name : one of `NAMES`
    showing : rule for choosing the card to show, one of `SHOWING`
    switches : instance of ``Switches`` in the policy's module
    """

    name: str
    showing: str = one_of(*SHOWING, default="random")
    switches: Any = field(default=NoSwitches())

    def __init__(
        self, name: str, showing: str = "random", switches: Any = None, **changes: Any
    ) -> None:
        has = switches_of(name)
        for switch, value in changes.items():
            if switch not in has and value != DEFAULTS.get(switch):
                raise ValueError(f"{name} has no switch {switch!r}")
        changed = {switch: value for switch, value in changes.items() if switch in has}
        switches = replace(make_switches(name) if switches is None else switches, **changed)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "showing", showing)
        object.__setattr__(self, "switches", switches)
        check(self)
        check(switches)

    def __getattr__(self, switch: str) -> Any:
        if switch not in DEFAULTS:
            raise AttributeError(f"a policy has no {switch!r}")
        return getattr(self.switches, switch, DEFAULTS[switch])


def make_switches(name: str) -> Any:
    """Return the default switches of policy ``name``; ValueError like `number`."""
    return _switches(_MODULES[number(name)])()


def number(name: str) -> int:
    """Return the number of policy ``name``; ValueError lists the choices."""
    if name not in NAMES:
        raise ValueError(f"unknown policy {name!r}: choose one of {', '.join(NAMES)}")
    return NAMES.index(name)


def switches_of(name: str) -> tuple[str, ...]:
    """Return the switch names of policy ``name``; ValueError like `number`."""
    return tuple(each.name for each in fields(_switches(_MODULES[number(name)])))


def policy(which: Policy | str) -> Policy:
    """Return ``which``, or the policy of that name with default switches."""
    return Policy(which) if isinstance(which, str) else which


def seat_policies(state: State, policies: Sequence[Policy | str | None]) -> None:
    """Put compiled ``policies``, by seat, into ``state``; None makes a seat external."""
    for seat, which in enumerate(policies):
        if which is None:
            state.policy[seat], state.tracks[seat] = EXTERNAL, 0
        else:
            seat_policy(state, seat, policy(which))


def seat_policy(state: State, seat: int, which: Policy) -> None:
    """Put a compiled policy into ``seat`` of ``state``."""
    state.tracks[seat] = 0
    for switch, value in DEFAULTS.items():
        state[switch][seat] = _as_number(switch, value)
    swap_policy(state, seat, which)
    state.showing[seat] = SHOWING.index(which.showing)


def swap_policy(state: State, seat: int, which: Policy) -> None:
    """Let ``which`` play in ``seat`` temporarily.

    The seat tracks the knowledge of both policies; switches that ``which`` lacks are unchanged.
    """
    state.policy[seat] = number(which.name)
    state.tracks[seat] |= REQUIRES[number(which.name)]
    for switch, value in asdict(which.switches).items():
        state[switch][seat] = _as_number(switch, value)


def _as_number(switch: str, value: Any) -> Any:
    """Return ``value`` as stored in the state: a choice as its index."""
    return _CHOICES[switch].index(value) if switch in _CHOICES else value


@jit_owning
def _check(world: World, s: State, which: int, part: int, value: int) -> None:
    """Raise IllegalChoice if policy ``which`` may not return ``value`` from kernel ``part``."""
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
    """Return the ``value`` of a policy, after `_check` for policies outside `_TESTED`."""
    if _CHECKS and which >= _TRUSTED:
        _check(world, s, which, part, value)
    return value


@jit_shared
def choose(world: World, s: State, seat: int) -> int:
    """Return the action of ``seat`` under its policy in the phase ``s.phase``.

    Consumes ``s.stream``, opened by the caller for this decision.  Reads only the seat's knowledge
    and own hand.
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
