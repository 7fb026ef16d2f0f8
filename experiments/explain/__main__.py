"""Explain a move: a planner's search of one decision of a recorded game.

    python -m experiments.explain FILE turn=5 seat=0 player=bmcts

The decision is the first with a choice from that turn on, or that on line ``event`` of the record,
whose header is line 1.  The player takes the deciding seat, with only what that seat had seen
(`experiments.explain.recorded`).  Its search is new, with random numbers from ``seed``; the output
includes the recorded action.

Slow modules are imported late, so that ``--help`` and a mistyped setting need not wait for Numba.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig
from rich.console import Console

from experiments import terminal
from experiments.provenance.files import atomic_write, write_settings, write_text
from experiments.settings import schemas
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.config import plain
from experiments.settings.limits import between, file_name, place, seed
from experiments.study import Place

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np

    from belief.exact.solver import ExactPosterior
    from experiments.explain.recorded import Decision
    from mcts.search import SearchResult
    from mcts.tree import Tree
    from sim.planning.planner import Planner
    from sim.rules import Rules

PICTURES = (".png", ".svg", ".pdf")

_SURE = 1 - 1e-9


@dataclass
class Kept:
    """Limits of the exported tree."""

    picture: str | None = file_name()
    nodes: int = between(2, 10_000)
    simulations: int = between(0, 1000)


@dataclass
class Explain:
    """The schema of the configuration."""

    record: str = place()
    event: int | None = MISSING
    turn: int | None = between(1, 1_000_000)
    seat: int | None = MISSING
    player: Any = MISSING
    tree: Kept = field(default_factory=Kept)
    run: Place = field(default_factory=Place)
    seed: int = seed()


def job(settings: DictConfig, folder: Path) -> None:
    """Search the position, print the explanation and write the tree to ``folder``.

    Raises Refusal if record, decision or player cannot be explained.  Raises Interrupted if the
    user stops it.
    """
    _check(settings)
    from belief.exact.solver import ExactPosterior
    from experiments.explain.outcomes import annotate, see
    from experiments.explain.recorded import consider, nearest, pick, pick_turn
    from experiments.explain.simulations import step_by_step
    from experiments.matches.background import Background
    from mcts.inspect import export
    from sim.words import action_to_string

    made = _read(Path(settings.record))
    if settings.event is None:
        decision = pick_turn(made, settings.turn or 1, settings.seat)
    elif settings.turn is None:
        decision = pick(made, settings.event, settings.seat)
    else:
        raise Refusal("event and turn are both given: leave one of them out")
    player = _planner(settings, decision.record.rules)
    try:
        Background(consider, player, decision, settings.seed).result()
    except KeyboardInterrupt:
        raise Interrupted("interrupted, with nothing written") from None
    result = player.result
    if result is None:
        raise Refusal(
            f"event={decision.line}: {player.name} has a single action, so nothing is "
            f"searched; {nearest(made, decision.line, settings.seat)}"
        )
    write_settings(folder, plain(settings))
    console = terminal.console(soft_wrap=True)
    evidence = player.position(decision.view).root[0].evidence[decision.seat]
    posterior = ExactPosterior(evidence)
    _print_position(console, decision, posterior)
    _print_belief(console, decision, posterior, evidence, result.best)
    _print_assumptions(console, decision, player)
    _print_actions(console, decision, posterior, player.name, result)
    # A search in several processes keeps its trees there.
    tree = getattr(player.search, "tree", None)
    _print_search(console, player, result, tree)
    if tree is not None:
        seen = partial(see, decision.seat, decision.record.rules.suspects)
        graph = export(tree, settings.tree.nodes, action_to_string, seen=seen)
        annotate(graph, decision, evidence)
        _print_outcomes(console, graph)
        files = _keep(settings, folder, graph)
        page = step_by_step(player, decision, settings.seed, settings.tree.simulations)
        if page is not None:
            files.append("simulations.html")
            write_text(folder / files[-1], page)
        console.print(f"tree in {folder}: {', '.join(files)}")


def _check(settings: DictConfig) -> None:
    """Refuse settings that the types of the schema allow."""
    if settings.player.name not in schemas.PLANNERS:
        raise Refusal(
            f"player={settings.player.name} does not search, so there is nothing to explain: "
            f"choose one of {', '.join(schemas.PLANNERS)}"
        )
    picture = settings.tree.picture
    if picture is not None and Path(picture).suffix not in PICTURES:
        raise Refusal(f"tree.picture={picture}: must end in one of {', '.join(PICTURES)}")


def _read(file: Path) -> list[Decision]:
    """Return the turn decisions of the record in ``file``, checked to its end."""
    from experiments.explain.recorded import decisions
    from sim.records.record import RecordError, read

    try:
        return list(decisions(read(file)))
    except OSError as fault:
        raise Refusal(f"{file}: {fault.strerror}; run.records=1 writes a record") from None
    except RecordError as fault:
        raise Refusal(f"{file} line {fault.line}: {fault.reason}") from None


def _planner(settings: DictConfig, rules: Rules) -> Planner:
    from sim.planning.planner import Planner
    from sim.players.registry import make

    try:
        player = make(plain(settings.player), rules)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    assert isinstance(player, Planner), "its name is that of one"
    return player


def _print_position(console: Console, decision: Decision, posterior: ExactPosterior) -> None:
    """Print the decision, and the knowledge of its seat."""
    from sim.board import N_CORRIDOR, graph
    from sim.cards import CARDS, CATEGORY_MASK, ROOMS, cards_of
    from sim.state import SUGGEST, TURN
    from sim.words import action_to_string

    record, seat, state = decision.record, decision.seat, decision.view[0]
    spot = int(state.spot[seat])
    where = "at ({}, {})".format(*graph().nodes[spot]["xy"])
    if spot >= N_CORRIDOR:
        where = f"in the {ROOMS[decision.room]}"
    begins = f"begins its turn{f' with a roll of {state.roll}' if decision.board.board else ''}"
    if state.summoned[seat]:
        begins += ", called here by a suggestion"
    does = {TURN: begins, SUGGEST: "makes a suggestion"}.get(int(state.phase), "ends its turn")
    who = f"seat {seat} ({record.rules.suspects[seat]}, {record.seats[seat]['label']})"
    done = action_to_string(decision.action)
    console.print(f"line {decision.line}, rules {record.rules.name}, turn {state.turn}")
    console.print(f"{who}, {where}, {does}; in the record: {done}\n")
    inside, own = posterior.marginals[:, 0], int(state.hand[seat] | state.face_up)
    shown = {"hand": cards_of(state.hand[seat]), "face up": cards_of(state.face_up)}
    for other in range(record.rules.players):
        held = (posterior.marginals[:, other + 1] > _SURE).nonzero()[0]
        shown[f"proved of seat {other}"] = [CARDS[card] for card in held if not own >> card & 1]
    for kind, mask in zip(("suspect", "weapon", "room"), CATEGORY_MASK, strict=True):
        fit = [card for card in (-inside).argsort(kind="stable") if int(mask) >> card & 1]
        shown[f"envelope, {kind}"] = [f"{CARDS[c]} {inside[c]:.2f}" for c in fit if inside[c] > 0]
    shown["suggestions"] = [f"{state.asked} so far", f"{state.suggestions[seat]} its own"]
    for accuser in state.heard.nonzero()[0]:
        shown[f"wrongly accused by seat {accuser}"] = cards_of(state.heard[accuser])
    for label, items in shown.items():
        if items:
            console.print(f"{label}: {', '.join(items)}")


def _print_belief(
    console: Console, decision: Decision, posterior: ExactPosterior, evidence: np.record, best: int
) -> None:
    """Print the entropy of the envelope, and its expectation after the action ``best``."""
    from belief.information import entropy, expected_reduction
    from experiments.explain.recorded import question
    from sim.cards import CARDS

    before = float(entropy(posterior.envelope_table().ravel()))
    shown = f"entropy of the envelope: {before:.2f} bits"
    asked = question(decision, posterior.marginals, best)
    if asked:
        suspect, weapon, room = asked
        after = before - expected_reduction(evidence, suspect, weapon, room)
        shown += f", {after:.2f} expected after suggesting {', '.join(CARDS[c] for c in asked)}"
    console.print(f"{shown}\n")


def _print_assumptions(console: Console, decision: Decision, player: Planner) -> None:
    """Print the assumed types of the others, and differences of the belief from the exact one."""
    from experiments.explain.assumptions import list_assumptions

    names = decision.record.rules.suspects
    found = list_assumptions(player, decision.record.rules.players)
    for other in found["opponents"]:
        types = ", ".join(f"{name} {chance:.0%}" for name, chance in other["types"])
        console.print(f"takes seat {other['seat']} ({names[other['seat']]}) for: {types}")
    belief = found["belief"]
    if belief and belief["differing"]:
        shown = ", ".join(
            f"{row['card']} with {('envelope', *names)[row['holder']]} "
            f"{row['own']:.2f} ({row['exact']:.2f})"
            for row in belief["rows"][:3]
        )
        name = belief["name"] + (", reading suggestions" if belief["reads"] else "")
        console.print(
            f"its belief ({name}) differs from the exact posterior in "
            f"{belief['differing']} places: {shown}"
        )
    console.print()


def _print_table(
    console: Console, title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Print a table with words in the first column."""
    from rich.table import Table

    table = Table(title=title)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _write(value: float | None, form: str, ahead: str = "") -> str:
    return "" if value is None else f"{ahead}{value:{form}}"


def _print_actions(
    console: Console,
    decision: Decision,
    posterior: ExactPosterior,
    player: str,
    result: SearchResult,
) -> None:
    """Print the actions at the root."""
    from experiments.explain.outcomes import list_actions
    from sim.words import action_to_string

    rows = [
        (
            row["words"],
            str(row["visits"]),
            f"{row['share']:.0%}",
            _write(row["value"], ".3f") + _write(row["error"], ".3f", " ± "),
            _write(row["bits"], ".3f"),
            _write(row["right"], ".3f"),
        )
        for row in list_actions(decision, posterior, result)
    ]
    heads = ("action", "visits", "share", "value", "bits", "right")
    _print_table(console, f"{player}: {action_to_string(result.best)}", heads, rows)


def _print_search(
    console: Console, player: Planner, result: SearchResult, tree: Tree | None
) -> None:
    """Print the most visited line, the size and depth of the search, and its time by phase."""
    from mcts.inspect import count_decisions, principal_variation
    from mcts.tree import TOP
    from sim.planning.information_sets import begins_turn
    from sim.planning.variants import POLICY
    from sim.words import action_to_string

    if tree is not None:
        largest = int(tree.visits[tree.counters[TOP]])
        whose = "" if largest == result.visits.sum() else f", in one tree of {largest} simulations"
        console.print(f"most visited line{whose}:")
        for number, step in enumerate(principal_variation(tree), 1):
            figures = f"{step.visits} visits, value {step.value:.3f}"
            console.print(f"  {number}. {action_to_string(step.action)} ({figures})")
    full = ", all that there is room for" if result.full else ""
    spent = f"{result.simulations} simulations in {result.seconds:.2f} s"
    console.print(f"{spent}, {result.nodes} nodes{full}")
    if tree is not None and player.config.how.movers == POLICY:
        second, third = count_decisions(tree, begins_turn)[1:]
        console.print(
            f"{second:.0%} of the simulations decided in the tree in the second own turn, "
            f"{third:.0%} in the third"
        )
    whole = sum(result.phases.values())
    if whole > 0:  # nan if the processor has no counter
        shares = (f"{name} {seconds / whole:.0%}" for name, seconds in result.phases.items())
        console.print(f"time: {', '.join(shares)}")


def _print_outcomes(console: Console, graph: nx.DiGraph) -> None:
    """Print the outcomes of the most visited suggestion: share, probability, value, bits."""
    asked = [
        (above, graph.nodes[node], played)
        for above, node, played in graph.edges(data=True)
        if "probability" in graph.nodes[node]
    ]
    if not asked:
        return
    first, _, favourite = max(asked, key=lambda edge: edge[-1]["visits"])
    rows = [
        (
            seen["seen"],
            str(seen["visits"]),
            f"{seen['visits'] / favourite['visits']:.0%}",
            f"{seen['probability']:.0%}",
            _write(seen.get("value"), ".3f"),
            _write(seen.get("bits"), ".2f"),
        )
        for above, seen, played in asked
        if (above, played["action"]) == (first, favourite["action"])
    ]
    heads = ("outcome", "visits", "share", "exact", "value", "bits left")
    _print_table(console, f"what may be seen after: {favourite['words']}", heads, rows)


def _keep(settings: DictConfig, folder: Path, graph: nx.DiGraph) -> list[str]:
    """Write the most visited part of the tree as GraphML, JSON and a picture.

    Returns the names of the files.
    """
    import networkx as nx
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from mcts.inspect import draw

    files = ["tree.graphml", "tree.json"]
    flat = graph.copy()
    for _, seen in flat.nodes(data=True):
        seen.pop("envelope", None)  # GraphML has no tables
    with atomic_write(folder / files[0]) as writing:
        nx.write_graphml(flat, writing)
    plain = nx.node_link_data(graph, edges="edges")
    write_text(folder / files[1], json.dumps(plain, indent=1, allow_nan=False))
    if settings.tree.picture is not None:
        files.append(settings.tree.picture)
        figure = Figure()
        short = graph.copy()
        for *_, played in short.edges(data=True):
            brief = played["words"].replace("suggest ", "ask ").removesuffix(" here")
            played["words"] = re.sub(" with the| in the", ",", brief)
        for _, after in short.nodes(data=True):
            after["seen"] = re.sub("the others play| the", "", after.get("seen", ""))
        draw(short, figure)
        ((axes,), inches) = figure.axes, figure.dpi_scale_trans.inverted()
        words = [one.get_window_extent() for one in axes.texts if one.get_text()]
        shown = Bbox.union(words).padded(6)
        kind, shown = Path(files[-1]).suffix[1:], shown.transformed(inches)
        with atomic_write(folder / files[-1]) as writing:  # not through a link of that name
            figure.savefig(writing, dpi=200, format=kind, bbox_inches=shown)
    return files


COMMAND = Command("explain", Explain, job, bare="record")
main = COMMAND.main

if __name__ == "__main__":
    main()
