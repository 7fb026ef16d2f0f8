"""POMDPX, the XML format of factored problems [Kurniawati, Hsu & Lee; used by SARSOP].

State variables, observed variables and actions may be several; each function is a product (rewards:
a sum) of tables or decision diagrams over some of them.  A state of the problem read is one value
of each state variable.  What is fully observed is part of the observation after each action.
"""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from typing import Any
from xml.parsers import expat

import numpy as np
from scipy import sparse

from mcts.tabular.pomdpx_functions import MOST, FunctionReader, Table, Variable, parse
from mcts.tabular.tables import TablesFault, Tabular


def read(text: str, name: str, steps: int | None, discount: float | None, strict: bool) -> Tabular:
    """Return the problem in ``text``; arguments as of `mcts.tabular.files.read_pomdp`."""
    try:
        return _Reader(name, strict).read(parse(text, name), steps, discount)
    except expat.ExpatError as fault:
        reason = expat.ErrorString(fault.code)
        raise TablesFault(f"{name}:{fault.lineno}:{fault.offset + 1}: {reason}") from None


class _Reader(FunctionReader):
    def read(self, root: ET.Element, steps: int | None, discount: float | None) -> Tabular:
        if root.tag != "pomdpx":
            self.refuse(root, f"{root.tag} in place of pomdpx")
        if discount is None:
            part = self.child(root, "Discount")
            discount = self.numbers(part)[0] if (part.text or "").split() else 0.0
            if not 0 < discount <= 1:
                self.refuse(part, f"discount is {discount:g}: above 0, at most 1")
        variables = self.child(root, "Variable")
        self._states = self._read_variables(variables, "StateVar", "s")
        self._actions = self._read_variables(variables, "ActionVar", "a")
        self._seen = self._read_variables(variables, "ObsVar", "o")
        for part in variables.iter("RewardVar"):
            self._values[part.get("vname", "")] = []
        if not self._states or not self._actions:
            self.refuse(variables, "a problem needs a state and an action")
        self._shape = [len(variable.values) for variable in self._states]
        count = int(np.prod([len(variable.values) for variable in self._actions]))
        if np.prod(self._shape, dtype=float) * count > MOST:
            self.refuse(variables, f"{np.prod(self._shape, dtype=float):.0f} states are too many")
        beliefs = self.read_functions(self.child(root, "InitialStateBelief"))
        moves = self.read_functions(self.child(root, "StateTransitionFunction"))
        part = root.find("ObsFunction")
        senses = self.read_functions(part) if part is not None else {}
        rewards = self.read_functions(self.child(root, "RewardFunction"))
        names = [tuple(v.values for v in group) for group in (self._states, self._actions)]
        watched = [v for v in self._states if v.observed] + self._seen
        try:
            return Tabular(
                start=self._start(beliefs),
                **self._tables(moves, senses, list(itertools.chain(*rewards.values()))),
                discount=discount,
                steps=steps,
                states=list(map(_join, itertools.product(*names[0]))),
                actions=list(map(_join, itertools.product(*names[1]))),
                seen=list(map(_join, itertools.product(*(v.values for v in watched)))),
            )
        except TablesFault as fault:
            raise TablesFault(f"{self._name}: {fault}") from None

    def _read_variables(self, part: ET.Element, tag: str, letter: str) -> list[Variable]:
        found = []
        for child in part.findall(tag):
            listed, number = child.find("ValueEnum"), child.find("NumValues")
            if listed is not None:
                values = (listed.text or "").split()
            else:
                number = self.child(child, "NumValues") if number is None else number
                size = self.numbers(number)[:1]
                if len(size) != 1 or size[0] != int(size[0]) or not 0 < size[0] <= MOST:
                    self.refuse(number, "NumValues is no number of values")
                values = [f"{letter}{i}" for i in range(int(size[0]))]
            if not values or len(set(values)) < len(values):
                self.refuse(child, "values are missing, or one is named twice")
            variable = Variable(child, values)
            self._before[variable.names[-1]] = variable.names[0]
            for name in variable.names:
                if name in self._values:
                    self.refuse(child, f"{name} is named twice")
                self._values[name] = values
            found.append(variable)
        return found

    def _start(self, beliefs: dict[str, list[Table]]) -> np.ndarray:
        """Return the joint distribution of all state variables."""
        values = np.indices(self._shape).reshape(len(self._shape), -1)
        by_name = {v.names[0]: values[i] for i, v in enumerate(self._states)}
        found = np.ones(values.shape[1])
        for variable in self._states:
            table = self._one(beliefs, variable.names[0], "InitialStateBelief")
            found *= table.at({name: by_name[name] for name in table.names})
        return found

    def _one(self, tables: dict[str, list[Table]], name: str, section: str) -> Table:
        if name not in tables:
            raise TablesFault(f"{section} has no {name}")
        return tables[name][0]

    def _tables(
        self,
        moves: dict[str, list[Table]],
        senses: dict[str, list[Table]],
        rewards: Sequence[Table],
    ) -> dict[str, list]:
        """Return transitions, observations and expected rewards of each action, sparse."""
        n = int(np.prod(self._shape))
        before = np.indices(self._shape).reshape(len(self._shape), -1)
        found: dict[str, list] = {"transitions": [], "observations": [], "rewards": []}
        for choice in itertools.product(*(range(len(v.values)) for v in self._actions)):
            fixed = {v.names[0]: value for v, value in zip(self._actions, choice, strict=True)}
            known = {name: np.full(n, value) for name, value in fixed.items()}
            known |= {v.names[0]: before[i] for i, v in enumerate(self._states)}
            pending = [
                self._one(moves, v.names[-1], "StateTransitionFunction") for v in self._states
            ]
            source, chance, known = _spread(np.arange(n), known, pending)
            then = np.ravel_multi_index([known[v.names[-1]] for v in self._states], self._shape)
            found["transitions"].append(sparse.csr_array((chance, (source, then)), (n, n)))
            emission = self._observe(fixed, senses, n)
            found["observations"].append(emission)
            reward = self._reward(known, rewards, senses)
            found["rewards"].append(sparse.csr_array((reward, (source, then)), (n, n)))
        return found

    def _observe(self, fixed: dict[str, int], senses: dict[str, list[Table]], n: int) -> Any:
        """Return P(observation | next state) after an action, (S, O)."""
        values = np.indices(self._shape).reshape(len(self._shape), -1)
        known = {name: np.full(n, value) for name, value in fixed.items()}
        known |= {v.names[-1]: values[i] for i, v in enumerate(self._states)}
        pending = [self._one(senses, v.names[0], "ObsFunction") for v in self._seen]
        source, chance, known = _spread(np.arange(n), known, pending)
        watched = [v for v in self._states if v.observed] + self._seen
        sizes = [len(v.values) for v in watched]
        if not watched:
            return sparse.csr_array(np.ones((n, 1)))
        seen = np.ravel_multi_index([known[v.names[-1]] for v in watched], sizes)
        return sparse.csr_array((chance, (source, seen)), (n, int(np.prod(sizes))))

    def _reward(
        self,
        known: dict[str, np.ndarray],
        rewards: Sequence[Table],
        senses: dict[str, list[Table]],
    ) -> np.ndarray:
        """Return each transition's reward, expected over what is observed."""
        total: Any = 0.0
        for table in rewards:
            seen = [v for v in self._seen if v.names[0] in table.names]
            if not seen:
                total = total + table.at(known)
                continue
            pending = [self._one(senses, v.names[0], "ObsFunction") for v in seen]
            m = len(next(iter(known.values())))
            source, chance, more = _spread(np.arange(m), known, pending)
            total = total + np.bincount(source, chance * table.at(more), m)
        return total + np.zeros(len(next(iter(known.values()))))


def _spread(
    source: np.ndarray, known: dict[str, np.ndarray], pending: list[Table]
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Draw out variables one after another, each from what is known: rows, chances, all values.

    A table gives its last variable and waits for the others.
    """
    chance = np.ones(len(source))
    while pending:
        ready = next((t for t in pending if all(name in known for name in t.names[:-1])), None)
        if ready is None:
            raise TablesFault(f"{pending[0].names[-1]} depends on itself")
        pending = [table for table in pending if table is not ready]
        shares = ready.numbers[tuple(known[name] for name in ready.names[:-1])]
        shares = np.broadcast_to(shares, (len(source), ready.numbers.shape[-1]))
        row, value = np.nonzero(shares)
        source, chance = source[row], chance[row] * shares[row, value]
        known = {name: values[row] for name, values in known.items()} | {ready.names[-1]: value}
    return source, chance, known


def _join(values: Iterable[str]) -> str:
    return "_".join(values)
