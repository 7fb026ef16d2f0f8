"""The problems of closed loops: Tiger, RockSample, and the user's own, in Python or in a file.

A `Setup` determines an episode up to its key; processes send it to each other.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import math
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.episodes import models
from experiments.settings.commandline import Refusal
from mcts.domain import domain_of
from mcts.kernel.errors import describe
from mcts.kernel.rng import derive_key
from mcts.limits import did_you_mean
from mcts.options import H_MCTS, MOST_NODES, Budget, Options
from mcts.plain.episode import Episode, play_episode
from mcts.plain.particle_filter import Deprived
from mcts.plain.problem import Problem
from mcts.problems import rocksample, tiger
from mcts.problems.closed_loop import play
from mcts.search import OutOfRange, Search
from mcts.tabular import tables
from mcts.tabular.domain import TabularPosition
from mcts.tabular.files import ENDINGS, read_pomdp
from mcts.tabular.tables import TablesFault, Tabular

EXACT = ("tiger", "rocksample")
"""Problems of the project with exact beliefs ..."""
KNOWN = tuple(dict.fromkeys((*EXACT, *models.MODELS)))
"""... and those of `experiments.episodes.models`, with particles."""

STEPS = 90
"""Actions of an episode, and depth of searches, in problems without an end."""

SEARCHES: dict[str, dict[str, Any]] = {"pomcp": {}, "h_mcts": H_MCTS}
"""Planners of all other problems, as options of the general search."""

_OPTIMISTIC = ("informed", "fib", "mdp")
"""Values of files that no policy returns ..."""
_WITHOUT_ARM = {"rollout_share": 0.0, "exploration": 0.5}
"""... and what H-MCTS changes for them: as an arm they would end the tree."""

_UNITS = {"tiger": 110.0, "rocksample": 20.0}
"""POMCP's exploration: the range of one reward."""


@dataclass(frozen=True)
class Setup:
    """A problem and its planning."""

    problem: str
    """One of `KNOWN`, the user's own, ``FILE.py:NAME`` or ``MODULE:NAME``, or a file that
    `mcts.tabular.files` reads."""
    map: tuple[int, int]
    """Size of RockSample: n and k."""
    simulations: int
    nodes: int | None
    exploration: float | None
    final: str
    """As in `mcts.options.Options`."""
    rollout: str
    """``random`` or ``informed``; for files also a value of `mcts.tabular.tables.ROLLOUTS`."""
    steps: int | None
    """Maximum number of actions; searches know how many are left ..."""
    particles: int
    seed: int
    planner: str | None = None
    """A planner of `experiments.episodes.models`, or for other problems one of `SEARCHES`."""
    leaf: str | None = None
    horizon: int | None = None
    """... unless they look this many actions ahead: a receding horizon."""
    discount: float | None = None
    """Discount of a file that has none, or in its place."""
    strict: bool = True
    """Whether a file with faults that can be repaired is refused."""
    path: tuple[str, ...] = tuple(sys.path)
    """Folder in which modules are found."""


def load(name: str) -> Problem:
    """Return the problem that ``FILE.py:NAME`` or ``MODULE:NAME`` names.

    Raises Refusal if it is missing, or if importing it raises.
    """
    module, _, attribute = name.rpartition(":")
    if not module or not attribute:
        raise Refusal(
            f"problem={name}: choose {', '.join(KNOWN)}, FILE.POMDP, FILE.pomdpx, or FILE.py:NAME, "
            f"a Problem of your own"
            f"{did_you_mean(name, KNOWN)}"
        )
    try:
        imported = _import(module)
    except (OSError, ImportError) as fault:
        raise Refusal(f"problem={name}: {module} cannot be read: {fault}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as fault:  # including sys.exit
        raise Refusal(f"problem={name}: {_where(fault)}") from None
    found = getattr(imported, attribute, None)
    if found is None:
        hint = did_you_mean(attribute, vars(imported))
        raise Refusal(f"problem={name}: {module} has no {attribute}{hint}")
    if not isinstance(found, Problem):
        raise Refusal(f"problem={name}: name an mcts.plain Problem, not a {type(found).__name__}")
    if found.players > 1:
        raise Refusal(f"problem={name}: it has {found.players} players: name one of one player")
    return found


def is_file(name: str) -> bool:
    """Return whether ``name`` is a file that `read` reads, by its ending."""
    return name.lower().endswith(ENDINGS)


@lru_cache(maxsize=1)
def read(setup: Setup) -> Tabular:
    """Return the problem of the file; raises Refusal with line and column of a fault."""
    try:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            found = read_pomdp(setup.problem, setup.steps, setup.discount, setup.strict)
    except TablesFault as fault:
        raise Refusal(f"problem={setup.problem}: {fault}") from None
    for warning in noted:
        print(f"sleuth: {warning.message}", file=sys.stderr)
    return found


def _import(module: str) -> Any:
    """Return a module, or import a file with its own folder on the path, as scripts have it."""
    if not module.endswith(".py"):
        return importlib.import_module(module)
    path = Path(module).resolve()
    if path.exists() and not path.is_file():
        raise ImportError("it is a folder, a pipe or a device")
    spec = importlib.util.spec_from_file_location(f"problem_{path.stem}", path)  # not ours
    assert spec is not None and spec.loader is not None, "its name ends in .py"
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made  # dataclasses look themselves up there
    sys.path[:] = dict.fromkeys([*sys.path, str(path.parent)])
    spec.loader.exec_module(made)
    return made


def _where(fault: BaseException) -> str:
    """Return the exception and its place in one line, from its notes if a search raised it."""
    places = re.findall(r'File "(.+)", line (\d+)', "".join(traceback.format_exception(fault)))
    place = f" ({Path(places[-1][0]).name}, line {places[-1][1]})" if places else ""
    return f"{describe(fault)}{place}"


def check(setup: Setup) -> None:
    """Refuse a ``setup`` without a problem, or RockSample without a map."""
    if _has_model(setup):
        search = models.find_search(setup.problem, setup.planner or "pomcpow", setup.leaf)
        if search is None and setup.horizon is not None:
            raise Refusal(f"horizon={setup.horizon}: planner={setup.planner} does not search")
    elif setup.leaf:
        raise Refusal(f"leaf={setup.leaf} is for {', '.join(models.MODELS)}")
    elif setup.planner not in (None, *SEARCHES):
        names = " or ".join(SEARCHES)
        raise Refusal(f"planner={setup.planner}: {setup.problem} has {names}")
    file = is_file(setup.problem)
    if not file and setup.rollout not in ("informed", "random"):
        raise Refusal(f"rollout={setup.rollout} is for files: choose informed or random")
    if file:
        read(setup)
    elif setup.problem == "rocksample":
        if setup.map not in rocksample.PUBLISHED:
            maps = " or ".join(f"[{n},{k}]" for n, k in rocksample.PUBLISHED)
            raise Refusal(f"map=[{setup.map[0]},{setup.map[1]}]: the published ones are {maps}")
    elif setup.problem not in KNOWN:
        load(setup.problem)


def _has_model(setup: Setup) -> bool:
    """Return whether the problem is of POMCPOW's tables: particles are the belief."""
    return setup.problem in models.MODELS


def describe_file(setup: Setup) -> dict[str, str]:
    """Return the digest of the user's own file, which reveals edits; empty without a file.

    Imports of the file are not included; `check` has imported a module.
    """
    file: str | None = setup.problem
    if not is_file(setup.problem):
        file = setup.problem.rpartition(":")[0]
    if file and not file.endswith(".py") and not is_file(file):
        file = getattr(sys.modules.get(file), "__file__", None)
    if not file:
        return {}
    return {"problem_sha256": hashlib.sha256(Path(file).read_bytes()).hexdigest()}


@lru_cache(maxsize=1)
def player(setup: Setup) -> Callable[[int], dict[str, Any]]:
    """Return a function that plays the episode of a number; make it once per process: it compiles.

    Raises Refusal as `load`; the function raises it if the user's own problem raises or is over at
    the start.
    """
    sys.path[:] = dict.fromkeys([*sys.path, *setup.path])
    informed = setup.rollout == "informed"
    if _has_model(setup):
        return models.player(
            setup.problem,
            setup.planner or "pomcpow",
            setup.leaf,
            setup.simulations,
            setup.particles,
            setup.seed,
            setup.steps,
            setup.horizon,
        )
    if setup.problem == "tiger":
        policy = tiger.LISTEN_THEN_ACT if informed else tiger.RANDOM
        p: Any = tiger.TigerParameters(steps=setup.steps or STEPS, rollout=policy)
        return _exact(setup, p, tiger.after)
    if setup.problem == "rocksample":
        policy = rocksample.PREFERRED if informed else rocksample.RANDOM
        rocks = rocksample.PUBLISHED[setup.map]
        p = rocksample.rocksample(setup.map[0], rocks, steps=setup.steps or STEPS, rollout=policy)
        return _exact(setup, p, rocksample.after)
    if is_file(setup.problem):
        kind = {"informed": "fib"}.get(setup.rollout, setup.rollout)
        return _exact(setup, read(setup).position(rollout=kind), tables.after)
    problem = load(setup.problem)
    problem = replace(
        problem, steps=setup.steps or problem.steps, rollout=problem.rollout if informed else None
    )
    return _own(setup, problem)


def returns(setup: Setup) -> tuple[float, float] | None:
    """Return the least and the greatest return of the user's own problem in Python, or None."""
    if setup.problem in KNOWN or is_file(setup.problem):
        return None
    problem = load(setup.problem)
    return problem.low, problem.high


def _search(setup: Setup, params: Any) -> Callable[[Any, int], int]:
    """Return a chooser of actions, which searches positions for at most the steps of ``params``.

    If fewer steps have a smaller range of returns, exploration is scaled to keep its units, unless
    they are the values seen.
    """
    domain = domain_of(params)

    def span(position: Any) -> float:
        return domain.declaration("high", position) - domain.declaration("low", position)

    units = setup.exploration or _UNITS.get(setup.problem, span(params))
    if isinstance(params, TabularPosition) and not setup.exploration:
        units = float(np.ptp(params.reward)) or units
    how: dict[str, Any] = {"exploration": units / math.sqrt(2) / span(params)}
    how |= SEARCHES[setup.planner or "pomcp"]
    if setup.planner == "h_mcts" and is_file(setup.problem) and setup.rollout in _OPTIMISTIC:
        how |= _WITHOUT_ARM
    if setup.planner == "h_mcts" and setup.exploration:
        how["exploration"] = setup.exploration
    nodes = setup.nodes or min(setup.simulations, MOST_NODES)
    options = Options(nodes=nodes, final=setup.final, **how)
    search, budget = Search(params, options), Budget(simulations=setup.simulations)
    warnings.simplefilter("ignore", OutOfRange)  # the summary reports it

    def choose(position: Any, key: int) -> int:
        if options.unit == "declared":
            more = span(position._replace(steps=params.steps)) / span(position)
            search.options = replace(options, exploration=more * options.exploration)
        return search.run(budget, key, position).best

    return choose


def _exact(setup: Setup, params: Any, after: Callable) -> Callable[[int], dict[str, Any]]:
    horizon = setup.horizon or (None if setup.steps else params.steps)
    choose = _search(setup, params._replace(steps=horizon or params.steps))

    def episode(number: int) -> dict[str, Any]:
        actions: list[int] = []

        def choose_and_note(position: Any, key: int) -> int:
            actions.append(choose(position, key))
            return actions[-1]

        began = time.process_time()
        key = int(derive_key(setup.seed, number))
        returned = play(params, after, choose_and_note, key, horizon)
        return _row(number, Episode(returned, actions), began)

    return episode


def _own(setup: Setup, problem: Problem) -> Callable[[int], dict[str, Any]]:
    def episode(number: int) -> dict[str, Any]:
        began = time.process_time()
        try:
            choose = _search(setup, problem.position(steps=setup.horizon))
            key = int(derive_key(setup.seed, number))
            played = play_episode(problem, choose, key, setup.particles, setup.horizon)
        except Deprived as fault:
            raise Refusal(f"episode {number} of {setup.problem}: {fault}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as fault:  # including sys.exit
            raise Refusal(f"episode {number} of {setup.problem}: {_where(fault)}") from None
        return _row(number, played, began)

    return episode


def _row(number: int, played: Episode, began: float) -> dict[str, Any]:
    return {
        "episode": number,
        "return": played.returned,
        "actions": len(played.actions),
        "deprived": played.deprived,
        "seconds": time.process_time() - began,
    }
