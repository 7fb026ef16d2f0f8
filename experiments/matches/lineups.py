"""From a configuration to matches: players, opponents and seats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from omegaconf import DictConfig, OmegaConf

from experiments.matches.schedule import MAX_ENTERED, Match, Seating, label
from experiments.settings import applies, config
from experiments.settings.arguments import quote_text
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.texts import LONGEST_LABEL, redact


def matches(settings: DictConfig, overrides: Sequence[str] = ()) -> list[Match]:
    """Return the matches that ``settings`` describe.

    ``settings``: checked configuration of `experiments.compare`; ``overrides``: of the command
    line, applied to each of ``match.players``.  Raises Refusal if they are invalid.
    """
    listed = settings.match.players
    if listed is None:
        players = {label(plain(settings.player)): plain(settings.player)}
    else:
        players = read_players(listed, overrides)
    if settings.match.layout == "robin":
        return [_robin(settings, players)]
    if settings.match.others is not None:
        others, n = _others(settings), settings.rules.players
        seating = Seating.among(n, settings.match.focal_seats or range(n))
        names = " and ".join(others)
        return [
            _match(settings, f"{name} against {names}", _apart(name, player, others), seating, 0)
            for name, player in players.items()
        ]
    return [
        _against(settings, layout, name, player)
        for name, player in players.items()
        for layout in (
            ("one", "rest") if settings.match.layout == "both" else (settings.match.layout,)
        )
    ]


def read_players(
    listed: Sequence[str], overrides: Sequence[str] = (), key: str = "match.players"
) -> dict[str, dict[str, Any]]:
    """Return the players that ``listed`` names, by their names in results.

    ``listed``: presets with changes of their own, as in ``bmcts+own_card_weight=0.1``;
    ``overrides``: of the command line, applied to each player that has the key; ``key``: of the
    list, for messages.  Raises Refusal if the list is empty, a preset, key or value is unknown, or
    a name occurs twice.
    """
    if not listed:
        raise Refusal(f"{key}=[]: give one or more players, or leave it out")
    found: dict[str, dict[str, Any]] = {}
    presets = {}
    for before, entry in zip([None, *listed], listed, strict=False):
        name = entry.split("+")[0]
        try:
            presets[name] = config.compose("compare", [f"player={quote_text(name)}"]).player
        except Refusal as fault:
            if before is None or "=" not in before:
                raise
            whole = f"if it belongs to {before}, quote both, as in \"['{before},{entry}']\""
            raise Refusal(f"{fault}; {whole}") from None
    for entry in listed:
        player = _entrant(entry, presets, overrides, key)
        name = redact(player["label"] if "+label=" in entry else entry)
        if name in found:
            raise Refusal(f"{key} names {name} twice: leave one out, or give +label=")
        found[name] = player
    for section, _, path in (given.partition(".") for given in applies.read(overrides)):
        if section != "player" or not path:
            continue
        if path == "label":
            raise Refusal(f"player.label is for one player: give each of {key} its own, +label=")
        having = [player for player in found.values() if _has(OmegaConf.create(player), path)]
        applies.check_player(having, path)
    return found


def check_cores(planned: Sequence[Match], workers: int | None, available: int) -> None:
    """Refuse more workers times threads than cores, unless a player allows it.

    The Refusal says what to lower.
    """
    for match in planned:
        wanted = at_once(match, workers, available) * match.threads
        if wanted > available and not match.oversubscribes:
            raise Refusal(
                f"match.workers x search.threads is {wanted}, but there are {available} cores: "
                "lower one of them"
                + (" or set player.search.oversubscribe=true" if not match.compiled else "")
            )


def at_once(planned: Match, workers: int | None, available: int) -> int:
    """Return the number of games to play at the same time on ``available`` cores."""
    return max(1, available // planned.threads) if workers is None else workers


def _against(settings: DictConfig, layout: str, name: str, player: dict[str, Any]) -> Match:
    """Return the match of ``player`` in one seat, or in all but one, against the opponent."""
    opponent, players = plain(settings.opponent), settings.rules.players
    theirs, n = label(opponent), players - 1
    seats = settings.match.focal_seats or range(players)
    seating = (Seating.one if layout == "one" else Seating.rest)(players, seats)
    called = f"{name} against {n} {theirs}" if layout == "one" else f"{n} {name} against {theirs}"
    return _match(settings, called, _apart(name, player, {theirs: opponent}), seating, 0)


def _apart(
    name: str, player: dict[str, Any], others: Mapping[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the entrants, an opponent called like the player with another name."""
    rest = [
        {**other, "label": f"{called} (opponent)" if called == name else called}
        for called, other in others.items()
    ]
    return [{**player, "label": name}, *rest]


def _others(settings: DictConfig) -> dict[str, dict[str, Any]]:
    """Return the players of ``match.others`` by their names in results; Refusal as `matches`."""
    listed, seats = settings.match.others, settings.rules.players - 1
    found = _compose_others(tuple(listed))
    if len(listed) != seats:
        raise Refusal(
            f"match.others names {len(listed)} players, but there are {seats} other seats: name "
            "one for each, or set rules.players"
        )
    if settings.match.layout != "one":
        raise Refusal("match.others are the opponents of one player: leave match.layout=one")
    return found


@cache  # composing is slow, and the cells of a table share opponents
def _compose_others(listed: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return read_players(listed, key="match.others")


def _robin(settings: DictConfig, entered: dict[str, dict[str, Any]]) -> Match:
    if not 2 <= len(entered) <= MAX_ENTERED:
        raise Refusal(
            f"match.layout=robin needs 2 to {MAX_ENTERED} players: give match.players=[a,b,...]"
        )
    for key in ("focal_seats", "others"):
        if settings.match[key] is not None:
            raise Refusal(f"match.{key} does not apply to a round robin: leave it out")
    entrants = [{**player, "label": name} for name, player in entered.items()]
    seating = Seating.robin(settings.rules.players, len(entrants))
    return _match(settings, "round robin", entrants, seating, None)


def _match(
    settings: DictConfig,
    name: str,
    entrants: Sequence[dict[str, Any]],
    seating: Seating,
    measured: int | None,
) -> Match:
    for called in map(label, entrants):
        if len(called) > LONGEST_LABEL:
            raise Refusal(
                f"label={called[:20]}... is {len(called):,} characters long; the limit is "
                f"{LONGEST_LABEL}: give a shorter one by label, in a list by +label="
            )
        try:
            called.encode()
        except UnicodeEncodeError:
            raise Refusal(f"label={called}: not valid UTF-8: give another") from None
    return Match(
        name=name,
        rules=plain(settings.rules),
        entrants=tuple(entrants),
        seating=seating,
        measured=measured,
        seed=settings.seed,
        records=settings.run.records,
        details=tuple(settings.run.details),
        beliefs=settings.run.beliefs,
    )


def _entrant(
    entry: str, presets: Mapping[str, DictConfig], overrides: Sequence[str], listed: str
) -> dict[str, Any]:
    """Return the player ``entry``, as in ``bmcts+own_card_weight=0.1+label=doubter``.

    ``presets``: those of all listed players, unchanged.  The command line's ``player.KEY=VALUE``
    and ``player/GROUP=CHOICE`` apply to the listed players that have the key; a key that none has
    is refused.
    """
    name, *changes = entry.split("+")
    general, own = [], []
    for given in overrides:
        key = given.lstrip("+~").partition("=")[0]
        if re.match(r"player[./]", key):  # a value or a group
            path = key[len("player.") :]
            if not any(_has(preset, path) for preset in presets.values()):
                raise Refusal(f"{key}: none of {listed} has this setting: leave it out")
            if _has(presets[name], path):
                own.append(given)
        elif key != "player" and not key.startswith("match."):
            general.append(given)
    own += [f"player.{change}" for change in changes]
    composed = config.compose("compare", [*general, f"player={quote_text(name)}", *own])
    config.check(composed)
    for change in changes:
        applies.check_player([composed.player], change.partition("=")[0], f"{entry}: ")
    return plain(composed.player)


def _has(player: DictConfig, path: str) -> bool:
    node: Any = player
    for part in path.split("."):
        if not isinstance(node, DictConfig) or part not in node:
            return False
        node = node[part]
    return True
