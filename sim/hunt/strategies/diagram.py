"""The influence diagram of a hunt as the paper draws it [Ferrari & Cai 2009, eqs. 18-22, Fig. 7].

In time slice t the sensor decides where to move, ``a(t)``, is at ``x(t)``, decides whether to
measure, ``u(t)``, and observes ``z(t)``: an outcome of the target there, or ``un``, unobserved.
``y(t)`` is the hypothesis given all observations; it affects only the reward.  This is the
reference for small horizons, solved by pyAgrum, and a picture; `sim.hunt.strategies.recursion`
solves the same hunts.

`docs/hunt.md` explains the deviations from the text: z(t) has the earlier z as parents [Shachter
1986], impossible actions change nothing, and the reward depends on all z: it is ln P(y | Z_t) less
ln P(y | Z_{t-1}), with the expectation of eq. 10.  ``printed=True`` is the text, a control that
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mcts.kernel.extras import extra
from sim.hunt.strategies.hunt import NO_TARGET, Hunt

MOST_ENTRIES = 1 << 20
"""Maximum entries of a table; solving needs several times as many for the memory of a decision."""


class Node(NamedTuple):
    """A node of an influence diagram."""

    name: str
    kind: str
    """``chance``, ``decision`` or ``utility``."""
    parents: tuple[str, ...] = ()
    """Of a decision: its information set, apart from that of earlier decisions."""
    values: tuple[str, ...] = ()
    """None of a utility."""
    table: np.ndarray | None = None
    """float64: an axis for each parent, and for a chance node one for its own values."""
    slice: int = 0
    """When, for drawing."""


class Seen(NamedTuple):
    """Values of z in a slice: the target and outcome of each, (-1, -1) for unobserved."""

    target: tuple[int, ...]
    outcome: tuple[int, ...]


def diagram(hunt: Hunt, printed: bool = False) -> list[Node]:
    """Return the influence diagram of ``hunt``, its nodes in the order of time.

    ValueError if a table has more than `MOST_ENTRIES` entries.  ``printed``: z(t) is independent of
    earlier observations, as in eq. 22: a control.
    """
    cells, seen = _ranges(hunt)
    hypotheses = len(hunt.prior)
    histories = max(sizes(hunt).values(), default=0) // hypotheses
    if (size := histories * max(hypotheses, 2 * len(cells[-1]))) > MOST_ENTRIES:
        raise ValueError(
            f"a diagram of {hunt.moves} moves has a table of {size:,} entries (at most "
            f"{MOST_ENTRIES:,}), because y(t) and z(t) depend on all observations: take fewer "
            "moves, or closed_loop"
        )
    nodes = [Node("x(0)", "chance", (), _labels("k", cells[0]), np.ones(1))]
    known = hunt.prior
    for t in range(1, hunt.moves + 1):
        knew, known = known, _posterior(hunt, known, seen[:t])
        earlier = tuple(f"z({k})" for k in range(1, t))
        nodes += _motion(hunt, t, cells[t - 1], cells[t], earlier[-1:])
        nodes += _test(hunt, t, cells[t], seen[:t], hunt.prior if printed else knew)
        outcomes = (*earlier, f"z({t})")
        gains = hunt.benefit * _gains(knew, known)
        nodes += [
            Node(f"y({t})", "chance", outcomes, _labels("y", range(hypotheses)), known, t),
            Node(f"B({t})", "utility", (*outcomes, f"y({t})"), (), gains, t),
        ]
    return nodes


def sizes(hunt: Hunt) -> dict[str, int]:
    """Return the entries of the tables of y(t), of all slices of the diagram of ``hunt``."""
    found, entries = {}, len(hunt.prior)
    for t, values in enumerate(_ranges(hunt)[1], start=1):
        entries *= len(values.target)
        found[f"y({t})"] = entries
    return found


def structure(nodes: Sequence[Node]) -> nx.DiGraph:
    """Return a diagram for drawing: ``kind``, ``slice`` and number of ``values`` of its nodes."""
    graph = nx.DiGraph()
    for node in nodes:
        graph.add_node(node.name, kind=node.kind, slice=node.slice, values=len(node.values))
        graph.add_edges_from((parent, node.name) for parent in node.parents)
    return graph


def solve(nodes: Sequence[Node]) -> float:
    """Return the maximum expected utility of a diagram by pyAgrum, with no forgetting.

    ImportError, with the remedy, if pyAgrum is not installed.  ``nodes``: in the order of time:
    parents first, decisions in order.
    """
    with extra("diagram"):
        import pyagrum as library
    made = library.InfluenceDiagram()
    add = {"chance": "addChanceNode", "decision": "addDecisionNode", "utility": "addUtilityNode"}
    for node in nodes:
        variable = library.LabelizedVariable(node.name, node.name, list(node.values) or ["value"])
        getattr(made, add[node.kind])(variable)
        for parent in node.parents:
            made.addArc(parent, node.name)
    for node in nodes:
        if node.kind == "chance":
            _fill(made.cpt(node.name), node, node.table)
        elif node.kind == "utility":
            _fill(made.utility(node.name), node, node.table[..., None])
    inference = library.ShaferShenoyLIMIDInference(made)
    inference.addNoForgettingAssumption([n.name for n in nodes if n.kind == "decision"])
    inference.makeInference()
    return float(inference.MEU()["mean"])


def _fill(tensor: Any, node: Node, table: np.ndarray) -> None:
    """Write ``table``, with an axis for each parent and its own last, to a tensor of pyAgrum."""
    own = [*node.parents, node.name]
    axes = [own.index(name) for name in reversed(tensor.names)]
    tensor[:] = np.ascontiguousarray(table.transpose(axes))


def _ranges(hunt: Hunt) -> tuple[list[list[int]], list[Seen]]:
    """Return the reachable cells by slice (0 included), and the possible outcomes from 1 on."""
    arc = np.isfinite(hunt.length)
    near = np.arange(len(arc)) == hunt.cell
    cells, seen = [[hunt.cell]], []
    outcomes = range(hunt.likelihood.shape[2])
    for _ in range(hunt.moves):
        near = near | arc[near].any(axis=0)
        cells.append(np.flatnonzero(near).tolist())
        targets = sorted(set(hunt.target[near].tolist()) - {NO_TARGET})
        pairs = [(NO_TARGET, -1), *product((i for i in targets if hunt.open[i]), outcomes)]
        seen.append(Seen(*zip(*pairs, strict=True)))
    return cells, seen


def _is_measured(target: int, seen: Sequence[Seen]) -> np.ndarray:
    """Return whether ``target`` is among z(1), .., z(t), bool, with an axis for each z."""
    held = [np.array(values.target) == target for values in seen]
    return np.logical_or.reduce(np.meshgrid(*held, indexing="ij")) if held else np.array(False)


def _posterior(hunt: Hunt, before: np.ndarray, seen: Sequence[Seen]) -> np.ndarray:
    """Return P(y | z(1), .., z(t)) from P(y | z(1), .., z(t - 1)) [eq. 12]; an axis for each z.

    Impossible outcomes and repeated measurements change nothing.
    """
    found = np.repeat(before[..., None, :], len(seen[-1].target), axis=-2)
    for number, (target, outcome) in enumerate(zip(*seen[-1], strict=True)):
        if target == NO_TARGET:
            continue
        joint = before * hunt.likelihood[target, :, outcome]
        mass = joint.sum(axis=-1, keepdims=True)
        new = (mass > 0) & ~_is_measured(target, seen[:-1])[..., None]
        found[..., number, :] = np.divide(joint, mass, out=before.copy(), where=new)
    return found


def _outcome_table(
    hunt: Hunt, cells: Sequence[int], seen: Sequence[Seen], now: np.ndarray
) -> np.ndarray:
    """Return P(z(t) | x(t), u(t), earlier z) [eq. 22], with an axis for each of them, z(t) last.

    ``now`` is P(y | earlier z), with an axis for each z, or P(y) for the text's version.
    """
    earlier = seen[: now.ndim - 1]
    table = np.zeros((len(cells), 2, *now.shape[:-1], len(seen[-1].target)))
    table[..., 0] = 1
    for number, cell in enumerate(cells):
        target = int(hunt.target[cell])
        if target == NO_TARGET or not hunt.open[target]:
            continue
        new = ~_is_measured(target, earlier)
        there = np.array(seen[-1].target) == target
        table[number, 1, ..., there] = np.moveaxis(
            now @ hunt.likelihood[target] * new[..., None], -1, 0
        )
        table[number, 1, ..., 0] = ~new
    return table


def _motion(
    hunt: Hunt, t: int, before: list[int], here: list[int], last: tuple[str, ...]
) -> list[Node]:
    """Return the motion decision, which sees the cell and the ``last`` z, and its effect."""
    length = hunt.length[np.ix_(before, here)]
    arc = np.isfinite(length)
    there = np.where(arc, np.array(here), np.array(before)[:, None])
    moved = (there[:, :, None] == np.array(here)).astype(float)
    way = -hunt.distance * np.where(arc, length, 0.0)
    where, decision = f"x({t - 1})", f"a({t})"
    return [
        Node(decision, "decision", (where, *last), _labels("go", here), None, t),
        Node(f"x({t})", "chance", (where, decision), _labels("k", here), moved, t),
        Node(f"D({t})", "utility", (where, decision), (), way, t),
    ]


def _test(hunt: Hunt, t: int, here: list[int], seen: list[Seen], now: np.ndarray) -> list[Node]:
    """Return the decision whether to measure, and its outcome; ``now`` as in `_outcome_table`."""
    targets = hunt.target[here]
    cost = np.zeros((len(here), 2))
    cost[:, 1] = np.where(targets == NO_TARGET, 0.0, hunt.test * hunt.cost[targets])
    values = tuple(
        "un" if target == NO_TARGET else f"m{target}={outcome}"
        for target, outcome in zip(*seen[-1], strict=True)
    )
    where, decision = f"x({t})", f"u({t})"
    known = [f"z({k})" for k in range(1, now.ndim)]
    shown = _outcome_table(hunt, here, seen, now)
    return [
        Node(decision, "decision", (where,), ("un", "test"), None, t),
        Node(f"z({t})", "chance", (where, decision, *known), values, shown, t),
        Node(f"J({t})", "utility", (where, decision), (), -cost, t),
    ]


def _gains(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return ln P(y | Z_t) - ln P(y | Z_{t-1}), with axes as ``after``; 0 where P(y | Z_t) is."""
    before = np.broadcast_to(before[..., None, :], after.shape)
    there = (after > 0) & (before > 0)
    return np.log(np.divide(after, before, out=np.ones_like(after), where=there))


def _labels(letter: str, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in numbers)
