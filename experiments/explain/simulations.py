"""A self-contained page that shows a search one simulation at a time, forwards and back.

It is one file, needs no server, and draws with the scripts of the browser's tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Any

import networkx as nx

from experiments.explain.outcomes import annotate, list_nodes, see
from experiments.explain.recorded import Decision, consider
from mcts.inspect import export
from mcts.options import Budget
from mcts.outcomes import Simulation, Way, follow
from mcts.search import Search
from mcts.tree import Tree
from sim.planning.planner import Planner
from sim.words import action_to_string

_PARTS = "dom", "percent", "tree", "explore"
_SCRIPTS = (*(f"parts/{name}.js" for name in _PARTS), "stepper.js")
_MODULE = re.compile(r"^import .*\n|^export ", re.M)
"""Parts of a module that a single script does not need."""


def step_by_step(player: Planner, decision: Decision, seed: int, count: int) -> str | None:
    """Return a page with the first ``count`` simulations of a decision of ``player``, as HTML.

    None if no single tree represents them, or ``count`` is 0.  One thread searches, without merging
    nodes, so that a simulation has one path.  The result of ``player`` is lost.
    """
    config = player.config
    if not count or config.how.clairvoyant or config.search_options.nodes <= count:
        return None
    options = replace(config.options, mode="tree", threads=1, rollouts_per_leaf=1)
    alone = replace(config, transpositions=False, options=options)
    searcher = type(player)(alone, player.name)

    def grow(grown: int) -> Tree:
        searcher.config = replace(alone, budget=Budget(simulations=grown))
        consider(searcher, decision, seed)
        assert isinstance(searcher.search, Search), "one thread of this process searches"
        return searcher.search.tree

    simulations = follow(grow, count)
    seen = partial(see, decision.seat, decision.record.rules.suspects)
    graph = export(grow(count), None, action_to_string, seen=seen)
    annotate(graph, decision, searcher.position(decision.view).root[0].evidence[decision.seat])
    where = f"game {decision.record.game}, turn {decision.view[0].turn}"
    about = f"The first {count} simulations of {player.name} in {where}."
    about += " Returns are chances of winning."
    return simulations_page(graph, simulations, f"{player.name}, one simulation at a time", about)


def simulations_page(
    graph: nx.DiGraph, simulations: Sequence[Simulation], title: str, about: str
) -> str:
    """Return the page as HTML.

    ``graph``: by `mcts.inspect.export`, of the tree after the last of ``simulations``; ``title``,
    ``about``: text.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    places: dict[Way, int] = {(): 0}
    for node in graph:  # parents first
        for above, _, action in graph.in_edges(node, data="action"):
            way = next(way for way, place in places.items() if place == above)
            places[(*way, (action, graph.nodes[node]["kind"]))] = node
    steps = [_step(simulation, places) for simulation in simulations]
    data = {"nodes": list_nodes(graph), "simulations": steps}
    static = files("experiments.web") / "static"
    scripts = [(static / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    pages = Environment(
        loader=PackageLoader("experiments.explain", "."), undefined=StrictUndefined, autoescape=True
    )
    return pages.get_template("simulations.html.jinja").render(
        title=title,
        about=about,
        style=(static / "style.css").read_text(encoding="utf-8"),
        data=json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        script="\n".join(_MODULE.sub("", script) for script in scripts),
    )


def _step(simulation: Simulation, places: dict[Way, int]) -> dict[str, Any]:
    """Return the path of a simulation by nodes, as far as they are drawn."""
    ways = [simulation.way[:length] for length in range(1, len(simulation.way) + 1)]
    shown = [places[way] for way in ways if way in places]
    beyond = len(shown) < len(ways)
    return {
        "way": shown,
        "values": list(simulation.values),
        "grew": simulation.grew and not beyond,
        "beyond": beyond,
    }
