"""Elements, variables, tables and decision diagrams of POMDPX."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from mcts.tabular.tables import TOLERANCE, TablesFault

MOST = 2**24
"""Maximum number of joint states times actions, and of entries of a table."""

_LINE = "\n"
"""Attribute of an element that holds its line; no attribute of XML has this name."""


def parse(text: str, name: str) -> ET.Element:
    """Return the root element; each knows its line.  Document types are refused: they expand."""
    parser, open_elements = expat.ParserCreate(), [ET.Element("document")]

    def begin(tag: str, attributes: dict[str, str]) -> None:
        place = f"{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"
        open_elements.append(ET.SubElement(open_elements[-1], tag, {**attributes, _LINE: place}))

    def add(words: str) -> None:
        open_elements[-1].text = (open_elements[-1].text or "") + words

    def refuse(*_: Any) -> NoReturn:
        raise TablesFault(f"{name}:{parser.CurrentLineNumber}: a document type is not read")

    parser.StartElementHandler, parser.CharacterDataHandler = begin, add
    parser.EndElementHandler = lambda tag: open_elements.pop()
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(text.encode(), True)
    return open_elements[0][0]


class Variable:
    """A variable: its names (of the previous and of the current value) and its values."""

    def __init__(self, part: ET.Element, values: list[str]) -> None:
        self.names = [part.get(key) for key in ("vname", "vnamePrev", "vnameCurr") if part.get(key)]
        self.values = values
        self.observed = part.get("fullyObs") == "true"


class Table:
    """A function of some variables: numbers by the values of each, in the order of ``names``."""

    def __init__(self, names: list[str], numbers: np.ndarray) -> None:
        self.names, self.numbers = names, numbers

    def at(self, values: dict[str, np.ndarray]) -> np.ndarray:
        """Return the numbers for arrays of the values of all its variables."""
        return self.numbers[tuple(values[name] for name in self.names)]


class FunctionReader:
    """Reads the functions of a section into tables; faults name line and column."""

    def __init__(self, name: str, strict: bool) -> None:
        self._name, self._strict = name, strict
        self._values: dict[str, list[str]] = {}
        self._before: dict[str, str] = {}

    def refuse(self, part: ET.Element, message: str) -> NoReturn:
        raise TablesFault(f"{self._name}:{part.get(_LINE)}: {message}")

    def child(self, part: ET.Element, tag: str) -> ET.Element:
        found = part.find(tag)
        if found is None:
            self.refuse(part, f"{part.tag} has no {tag}")
        return found

    def numbers(self, part: ET.Element) -> list[float]:
        try:
            return [float(word) for word in (part.text or "").split()]
        except ValueError as fault:
            self.refuse(part, f"{part.tag}: {fault}")

    def read_functions(self, part: ET.Element) -> dict[str, list[Table]]:
        """Return the functions of a section by the variable that they give."""
        found: dict[str, list[Table]] = {}
        for child in part:
            if child.tag not in ("CondProb", "Func"):
                continue
            own = (self.child(child, "Var").text or "").strip()
            parents = (self.child(child, "Parent").text or "").split()
            names = [name for name in parents if name != "null"] + [own]
            for name in names:
                if name not in self._values:
                    self.refuse(child, f"no variable is named {name}")
            if child.tag == "Func":
                names.pop()
            shape = [len(self._values[name]) for name in names]
            if np.prod(shape, dtype=float) > MOST:
                self.refuse(child, "the table is too large")
            table, given = np.zeros(shape), np.zeros(shape, bool)
            parameter = self.child(child, "Parameter")
            if parameter.get("type", "TBL").strip() == "DD":
                self._diagram(self.child(parameter, "DAG"), parameter, names, table, ())
            else:
                for entry in parameter.findall("Entry"):
                    self._enter(entry, names, table, given)
            if child.tag == "CondProb":
                self._check(child, names, table)
            if own in found and child.tag == "CondProb":
                self.refuse(child, f"{own} is given twice")
            found.setdefault(own, []).append(Table(names, table))
        return found

    def _check(self, part: ET.Element, names: list[str], table: np.ndarray) -> None:
        if (table < 0).any():
            self.refuse(part, f"{names[-1]}: a probability is negative")
        sums = table.sum(axis=-1)
        for place in map(tuple, np.argwhere(abs(sums - 1) > TOLERANCE)):
            values = (self._values[name][i] for name, i in zip(names, place, strict=False))
            of = f"{names[-1]} given {' '.join(values) or 'nothing'} sums to {sums[place]:.6g}"
            if self._strict or sums[place] == 0:
                self.refuse(part, f"{of}, not 1")
            warnings.warn(f"{self._name}: {of}: it is normalised", stacklevel=6)
            table[place] /= sums[place]

    def _enter(
        self, entry: ET.Element, names: list[str], table: np.ndarray, given: np.ndarray
    ) -> None:
        """Write the numbers of an entry of a table; ``*``: any value, ``-``: each in its turn."""
        instance = self.child(entry, "Instance")
        words = (instance.text or "").split()
        if len(words) != len(names):
            self.refuse(instance, f"{len(words)} values in place of {len(names)}")
        numbers = entry.find("ProbTable")
        numbers = self.child(entry, "ValueTable") if numbers is None else numbers
        place: list[Any] = []
        for word, name in zip(words, names, strict=True):
            place.append(slice(None) if word in "*-" else [self._index(instance, word, name)])
        sizes = [
            len(self._values[name]) for word, name in zip(words, names, strict=True) if word == "-"
        ]
        shape = [table.shape[i] if word == "-" else 1 for i, word in enumerate(words)]
        text = (numbers.text or "").strip()
        if text == "uniform":
            found = np.full(sizes, 1.0 / table.shape[-1])
        elif text == "identity":
            if len(sizes) != 2 or sizes[0] != sizes[1]:
                self.refuse(numbers, "identity needs two variables of one size")
            found = np.eye(sizes[0])
        else:
            listed = self.numbers(numbers)
            if len(listed) != np.prod(sizes, dtype=int):
                self.refuse(
                    numbers, f"{len(listed)} numbers in place of {np.prod(sizes, dtype=int)}"
                )
            found = np.array(listed).reshape(sizes)
        where = tuple(at if isinstance(at, slice) else slice(at[0], at[0] + 1) for at in place)
        earlier = table[where]
        new = np.broadcast_to(found.reshape(shape), earlier.shape)
        if self._strict and (given[where] & (earlier != new)).any() and "*" not in words:
            self.refuse(
                entry, "this was given before with other numbers; strict=false: the last counts"
            )
        table[where] = new
        given[where] = "*" not in words

    def _index(self, part: ET.Element, word: str, name: str) -> int:
        values = self._values[name]
        if word not in values:
            self.refuse(part, f"{name} has no value {word}")
        return values.index(word)

    def _diagram(
        self,
        node: ET.Element,
        parameter: ET.Element,
        names: list[str],
        table: np.ndarray,
        at: tuple,
    ) -> None:
        """Write what a decision diagram says below ``node``, for the values ``at``."""
        fixed = dict(at)
        for child in node:
            where = tuple(fixed.get(name, slice(None)) for name in names)
            if child.tag == "Terminal":
                table[where] = self.numbers(child)[0]
            elif child.tag == "Node":
                name = self._variable(child, names)
                for edge in child.findall("Edge"):
                    value = self._index(edge, edge.get("val", ""), name)
                    self._diagram(edge, parameter, names, table, (*at, (name, value)))
            elif child.tag == "SubDAG":
                self._sub_diagram(child, parameter, names, table, at)

    def _variable(self, part: ET.Element, names: list[str]) -> str:
        name = part.get("var", "")
        if name not in names:
            self.refuse(part, f"{name} is not among {' '.join(names)}")
        return name

    def _sub_diagram(
        self,
        part: ET.Element,
        parameter: ET.Element,
        names: list[str],
        table: np.ndarray,
        at: tuple,
    ) -> None:
        kind, fixed = part.get("type", ""), dict(at)
        where = tuple(fixed.get(name, slice(None)) for name in names)
        if kind == "template":
            for template in parameter.findall("SubDAGTemplate"):
                if template.get("id") == part.get("idref"):
                    self._diagram(template, parameter, names, table, at)
                    return
            self.refuse(part, f"no template has the id {part.get('idref')}")
        name = self._variable(part, names)
        length = len(self._values[name])
        if kind == "uniform":
            table[where] = 1.0 / length
        elif kind == "deterministic":
            table[where] = 0.0
            fixed[name] = self._index(part, part.get("val", ""), name)
            table[tuple(fixed.get(n, slice(None)) for n in names)] = 1.0
        elif kind == "persistent":
            before = self._before.get(name, name)
            table[where] = 0.0
            for value in range(length):
                same = {**fixed, name: value, before: value}
                if fixed.get(before, value) == value:
                    table[tuple(same.get(n, slice(None)) for n in names)] = 1.0
        else:
            self.refuse(part, f"type {kind} of a SubDAG is unknown")
