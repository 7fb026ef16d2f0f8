"""Refuse settings that the current choices do not use.

A preset may contain a value that another switch turns off.  If the user gives such a value on the
command line, as an axis or in an entry of a list of players, it would be silently ignored, so it is
refused.  ``null`` gives no value and is always legal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from omegaconf import DictConfig, OmegaConf

from experiments.settings import config
from experiments.settings.arguments import parse
from experiments.settings.commandline import Refusal
from sim.planning.variants import POLICY, VARIANTS


def _choose(settings: Any, choices: str) -> bool:
    """Return whether ``settings`` satisfy ``choices``.

    ``choices``: ``key=a or b``, ``key above 1``, ``key below 1`` or ``without key``.
    """
    asked = choices.removeprefix("without ")
    key, sign, values = re.split("(=| above | below |$)", asked, maxsplit=1)
    found = OmegaConf.select(settings, key)
    if sign in (" above ", " below "):
        return found > float(values) if sign == " above " else found < float(values)
    return str(found).lower() in re.split(", | or ", values) if sign else found is None


class Use(NamedTuple):
    """Keys that only some choices use.

    Attributes
    ----------
    keys : dotted keys or sections, separated by blanks; ``player=`` is the key alone, without those
        below
    choices : the choices that use them, in words, or as `_choose` reads them
    used : whether settings, the first argument, use the key, the second
    """

    keys: str
    choices: str
    used: Callable[..., bool] | None = None


# Players and their keys.


def _have(key: str, policies: Iterable[str | None]) -> bool:
    """Return whether one of ``policies`` has the switch with which ``key`` ends."""
    from sim.policies.registry import switches_of  # imports Numba

    return any(key.rpartition(".")[2] in switches_of(name) for name in policies if name)


def _models(p: Any) -> list[str | None]:
    """Return the policies whose switches are in a planner's section ``model``."""
    return [None if p.opponents in ("tree", "mixture") else p.opponents, p.rollout.opponents]


def _grows(p: Any, *_: str) -> bool:
    return p.name not in VARIANTS or VARIANTS[p.name].builds_tree


def _knows_deals(p: Any, *_: str) -> bool:
    return p.name in VARIANTS and VARIANTS[p.name].clairvoyant


def _is_rooted(p: Any) -> bool:
    return "search" in p and p.search.mode == "root"


def _rolls(p: Any, key: str) -> bool:
    return _have(key, [p.rollout.policy])


_SWITCHES = "rollout.threshold rollout.hiding rollout.summoning rollout.by_out"

PLANNER = (
    Use("trees", "pimc", _knows_deals),
    Use("redraw", "ld_bmcts", lambda p, _: VARIANTS[p.name].determinize_envelope),
    Use("mixture", "opponents=mixture"),
    Use("model", "policies of opponents that have it", lambda p, key: _have(key, _models(p))),
    Use(_SWITCHES, "policies that have it", _rolls),
    Use(_SWITCHES, "rollout.best_response=false"),
    Use("rollout.by_out", "rollout.threshold below 1"),
    Use("rollout.best_response", "policies with a threshold", lambda p, _: _rolls(p, "threshold")),
    Use("actions.candidates actions.hiding actions.summoning", "actions.offer=candidates"),
    Use(
        "actions.accusations actions.least_accused",
        "planners that do not know the deal, or actions.offer=all",
        lambda p, _: not _knows_deals(p) or p.actions.offer == "all",
    ),
    Use("actions.widening.exponent", "actions.widening.base above 0"),
    Use("departures.move_tickets", "departures.random_self=true"),
    Use("search.workers", "search.mode=root"),
    Use("search.merge", "pimc and search.mode=root", lambda p, _: _knows_deals(p) or _is_rooted(p)),
    Use("search.final", "search.merge=visits or vote"),
    Use("search.in_flight search.virtual_loss", "search.threads above 1"),
    Use("search.in_flight search.virtual_loss", "search.mode=tree or root"),
    Use("search.virtual_loss", "search.in_flight=virtual_loss"),
    Use(
        "search.exploration",
        "planners with a tree or search.root_exploration=null",
        lambda p, _: _grows(p) or p.search.root_exploration is None,
    ),
    Use("transpositions search.keep_tree budget.nodes", "planners with a tree", _grows),
    Use("search.rollout_share search.pruning", "planners with a tree", _grows),
    Use("search.maximum search.exact", "search.pruning above 0"),
    Use(
        "transpositions",
        "planners in whose tree a policy moves the opponents",
        lambda p, _: VARIANTS[p.name].movers == POLICY,
    ),
)

PLAYERS: Mapping[str, tuple[Use, ...]] = {
    **dict.fromkeys(VARIANTS, PLANNER),
    "hide": (Use("by_out", "threshold below 1"),),
    "neural": (Use("network", "q=network or grid"),),
    "external": (Use("showing", "players that do not choose the card", lambda *_: False),),
    "response": (Use("model", "opponents that have it", lambda p, key: _have(key, [p.opponents])),),
}
"""Keys by player name."""

RULES = (
    Use(
        "rules.dice rules.blocked rules.summons rules.callers rules.walls rules.entrance "
        "rules.reenter",
        "rules.board=true",
    ),
    Use("rules.blocked", "rules.blocking=true"),
    Use("rules.callers", "rules.summons=true"),
)
"""Keys of every command with all rules."""


# Commands.


_GENERAL = "steps nodes exploration final rollout"
_WEIGHED = ("light_dark", "laser_tag", "sub_hunt", "vdp_tag")


def _is_exact(s: Any) -> bool:
    """Return whether the general search plans with one of the project's exact beliefs."""
    return s.problem in ("tiger", "rocksample") or _is_file(s) or s.planner in ("bmcts", "one_step")


def _is_file(s: Any, *_: str) -> bool:
    """Return whether the problem is a file, by its ending."""
    return str(s.problem).lower().endswith((".pomdp", ".pomdpx"))


def _is_general(s: Any, *_: str) -> bool:
    """Return whether the general search plans; True for an unknown problem, refused elsewhere."""
    return s.problem not in _WEIGHED


def _searches(s: Any, _: str) -> bool:
    heuristic = s.planner == "heuristic" and s.problem in ("light_dark", "sub_hunt", "vdp_tag")
    return s.paper is not None or not (heuristic or s.planner in ("qmdp", "random"))


_PLAYER = Use("player=", "without players")

COMMANDS: Mapping[str, tuple[Use, ...]] = {
    "compare": (
        Use("player=", "without match.players"),
        Use("opponent", "without match.others"),
        Use("opponent", "match.layout=one, rest or both"),
        Use("run.beliefs", "run.records above 0"),
    ),
    "sweep": (
        Use("sweep.trials", "sweep.method=random or racing"),
        Use("sweep.block sweep.prune_p", "sweep.method=racing"),
    ),
    "tables": (
        Use("seed only show write ray", "a table", lambda s, _: s.table),
        Use("only ray", "show=false"),
        Use(
            "games simulations only ray",
            "tables with games",
            lambda s, _: "compute" not in (s.table or ""),
        ),
    ),
    "episodes": (
        Use(f"problem planner {_GENERAL} map workers ray", "without paper"),
        Use(_GENERAL, "tiger, rocksample and a problem of your own", _is_general),
        Use("map", "problem=rocksample"),
        Use(
            "particles",
            "paper and problems other than files, tiger and rocksample",
            lambda s, _: s.paper or not _is_exact(s),
        ),
        Use("simulations leaf horizon", "planners that search", _searches),
        Use("only", "paper=pomcpow"),
        Use("discount strict", "problem=FILE.POMDP or FILE.pomdpx", _is_file),
    ),
    "explain": (
        Use("tree", "player.search.mode=tree or leaf", lambda s, _: not _is_rooted(s.player)),
        Use(
            "tree.simulations",
            "planners with one tree: not pimc, not flat",
            lambda s, _: _grows(s.player) and not _knows_deals(s.player),
        ),
    ),
    "regret": (_PLAYER,),
    "hunt": (Use("hunt.objects hunt.obstacles hunt.size", "without hunt.workspace"),),
}
"""Keys by command."""


@lru_cache(10_000)
def _read(typed: str) -> str | None:
    """Return the dotted key that ``typed`` sets, for a group its section."""
    given = parse(typed)
    if given.is_delete() or given.value() in (None, "null"):
        return None
    return (given.package or given.key_or_group).replace("/", ".")


def compose(command: str, overrides: Sequence[str]) -> DictConfig:
    """Return the configuration ``command`` with ``overrides``, checked; Refusal as `check`."""
    settings = config.compose(command, overrides)
    OmegaConf.resolve(settings)
    config.check_sections(settings)
    check(command, settings, overrides)
    return settings


def read(overrides: Iterable[str]) -> Iterator[str]:
    """Yield the dotted keys that ``overrides`` set, for groups their sections."""
    return filter(None, map(_read, overrides))


def check(command: str, settings: DictConfig, overrides: Iterable[str]) -> None:
    """Refuse ``overrides`` that ``settings``, already checked, do not use.

    Raises Refusal in one line, with the choices that use the key.
    """
    for fault in find_unused(command, settings, overrides).values():
        raise fault


def find_unused(command: str, settings: DictConfig, overrides: Iterable[str]) -> dict[str, Refusal]:
    """Return, by key, the Refusal that `check` raises."""
    listed = settings.get("players") or settings.get("match", {}).get("players")
    found = {}
    for key in read(overrides):
        section, _, below = key.partition(".")
        try:
            _refuse((*COMMANDS.get(command, ()), *RULES), settings, key)
            if section == "opponent" or (section == "player" and not listed):
                check_player([settings[section]], below, f"{section}.")
        except Refusal as fault:
            found[key] = fault
    return found


def check_player(players: Iterable[Any], key: str, path: str = "player.") -> None:
    """Refuse ``key`` unless one of ``players``, which all have it, uses it; as `check`."""
    fault = None
    for player in map(OmegaConf.create, players):
        try:
            return _refuse(PLAYERS.get(player.name, ()), player, key, path)
        except Refusal as found:
            fault = found
    if fault is not None:
        raise fault


def _refuse(uses: Iterable[Use], settings: Any, key: str, path: str = "") -> None:
    for keys, choices, used in uses:
        named = any(key == name.rstrip("=") or key.startswith(f"{name}.") for name in keys.split())
        if named and not (used(settings, key) if used else _choose(settings, choices)):
            how = choices if choices.startswith("without ") else f"by {choices}"
            raise Refusal(
                f"{path}{key} would be ignored: it is used {how}; leave it out, or make that choice"
            )
