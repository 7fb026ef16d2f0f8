"""The format of pomdp-solve [Cassandra 1999], by a grammar.

The preamble may be in any order.  Later statements replace earlier ones, so a general statement may
be followed by exceptions.  Rewards may depend on state, next state and observation, and are costs
if the file says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np
from lark import Lark, Token, Tree, UnexpectedInput

from mcts.tabular.tables import TOLERANCE, TablesFault, Tabular

_GRAMMAR = r"""
file: _statement*
_statement: discount | values | states | actions | observations | start | start_set
          | transition | emission | payoff
discount: "discount" ":" NUMBER
values: "values" ":" NAME
states: "states" ":" _size
actions: "actions" ":" _size
observations: "observations" ":" _size
_size: NUMBER | NAME+
start: "start" ":" (NUMBER+ | NAME+)
start_set: "start" SET ":" ref+
transition: "T" ":" ref (":" ref (":" ref)?)? _entries
emission: "O" ":" ref (":" ref (":" ref)?)? _entries
payoff: "R" ":" ref ":" ref (":" ref (":" ref)?)? _entries
ref: NAME | NUMBER | ANY
_entries: NUMBER+ | NAME
SET.2: "include" | "exclude"
ANY: "*"
NAME: /[A-Za-z_][A-Za-z0-9_.\-]*/
NUMBER: /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/
%ignore /[ \t\f\r\n]+/
%ignore /#[^\n]*/
"""

_MOST = 2**28
"""Maximum number of entries of a table."""

_MOST_NAMES = 2**20
"""Maximum number of states, actions or observations."""


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, start="file", parser="lalr", propagate_positions=True)


def read(text: str, name: str, steps: int | None, discount: float | None, strict: bool) -> Tabular:
    """Return the problem in ``text``; arguments as of `mcts.tabular.files.read_pomdp`."""
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as fault:
        found = text[fault.pos_in_stream :].split(maxsplit=1) if fault.pos_in_stream else []
        what = f"{found[0]:.20} does not fit here" if found else "the file ends too early"
        raise TablesFault(f"{name}:{fault.line}:{fault.column}: {what}") from None
    return _Reader(name, strict).read(tree, steps, discount)


class _Reader:
    """Reads the statements of one file into dense tables."""

    def __init__(self, name: str, strict: bool) -> None:
        self._name, self._strict = name, strict
        self._given: dict[tuple, tuple] = {}

    def _refuse(self, place: Any, message: str) -> NoReturn:
        raise TablesFault(f"{self._name}:{_line(place)}: {message}")

    def _doubt(self, place: Any, message: str, remedy: str) -> None:
        """Refuse what is wrong, or say what is done about it."""
        if self._strict:
            self._refuse(place, f"{message}; strict=false: {remedy}")
        warnings.warn(f"{self._name}:{_line(place)}: {message}: {remedy}", stacklevel=5)

    def read(self, tree: Tree, steps: int | None, discount: float | None) -> Tabular:
        once = {part.data: part for part in tree.children if part.data in _ONCE}
        for kind in _ONCE:
            parts = [part for part in tree.children if part.data == kind]
            if len(parts) > 1:
                self._refuse(parts[1], f"{kind} is given twice")
        for kind in ("states", "actions", "observations"):
            if kind not in once:
                raise TablesFault(f"{self._name}: {kind} is missing")
        if discount is None and "discount" not in once:
            raise TablesFault(f"{self._name}: discount is missing: give discount=0.95, or another")
        self._names = {kind: self._read_names(once[kind]) for kind in _ONCE[2:]}
        self._places = {of: {name: i for i, name in enumerate(self._names[of])} for of in _ONCE[2:]}
        n, count, seen = (len(self._names[kind]) for kind in _ONCE[2:])
        if max(count * n * n, count * n * seen) > _MOST:
            raise TablesFault(f"{self._name}: {n} states are too many for dense tables")
        self._joint, self._emission = np.zeros((count, n, n)), np.zeros((count, n, seen))
        self._lines = {kind: np.full((count, n), None) for kind in "TO"}
        self._rewards = [np.zeros((1, 1, 1)) for _ in range(count)]
        self._start = self._read_start(tree, n)
        for part in tree.children:
            if part.data == "transition":
                self._fill(part, "T", self._joint, "states")
            elif part.data == "emission":
                self._fill(part, "O", self._emission, "observations")
            elif part.data == "payoff":
                self._pay(part)
        self._check(self._joint, "T", np.ones((count, n), bool))
        self._check(self._emission, "O", self._joint.any(axis=1))
        if discount is None:
            discount = float(once["discount"].children[0])
            if not 0 < discount <= 1:
                self._refuse(once["discount"], f"discount is {discount:g}: above 0, at most 1")
        sign = -1.0 if "values" in once and self._is_cost(once["values"]) else 1.0
        try:
            return Tabular(
                start=self._start,
                transitions=self._joint,
                observations=self._emission,
                rewards=sign * self._expect_rewards(),
                discount=discount,
                steps=steps,
                states=self._names["states"],
                actions=self._names["actions"],
                seen=self._names["observations"],
            )
        except TablesFault as fault:
            raise TablesFault(f"{self._name}: {fault}") from None

    def _is_cost(self, part: Tree) -> bool:
        word = str(part.children[0])
        if word not in ("reward", "cost"):
            self._refuse(part.children[0], f"values: {word}: choose reward or cost")
        return word == "cost"

    def _read_names(self, part: Tree) -> list[str]:
        words = [str(word) for word in part.children]
        if part.children[0].type == "NUMBER":
            if not words[0].isdecimal() or int(words[0]) == 0:
                self._refuse(part, f"{part.data}: {words[0]} is no number of them")
            if int(words[0]) > _MOST_NAMES:
                self._refuse(part, f"{part.data}: {words[0]} are too many")
            return [str(i) for i in range(int(words[0]))]
        if len(set(words)) < len(words):
            twice = next(word for i, word in enumerate(words) if word in words[:i])
            self._refuse(part, f"{part.data}: {twice} is named twice")
        return words

    def _find(self, token: Token, kind: str) -> slice:
        """Return what a name, a number or ``*`` refers to."""
        names = self._names[kind]
        if token.type == "ANY":
            return slice(0, len(names))
        if token.type == "NUMBER":
            if token.isdecimal() and int(token) < len(names):
                return slice(int(token), int(token) + 1)
        elif str(token) in self._places[kind]:
            at = self._places[kind][str(token)]
            return slice(at, at + 1)
        self._refuse(token, f"{kind} has no {token}")

    def _read_start(self, tree: Tree, n: int) -> np.ndarray:
        parts = [part for part in tree.children if part.data in ("start", "start_set")]
        if len(parts) > 1:
            self._refuse(parts[1], "start is given twice")
        if not parts:
            return np.full(n, 1.0 / n)
        part, words = parts[0], parts[0].children
        found = np.zeros(n)
        if part.data == "start_set":
            for ref in words[1:]:
                found[self._find(ref.children[0], "states")] = 1.0
            found = 1.0 - found if words[0] == "exclude" else found
            if not found.any():
                self._refuse(part, "start has no state")
            return found / found.sum()
        if len(words) > 1 and words[0].type == "NAME":
            self._refuse(words[1], "several states begin: write start include:")
        if len(words) == 1 and (words[0].type == "NAME" or n > 1):
            if words[0] == "uniform":
                return np.full(n, 1.0 / n)
            found[self._find(words[0], "states")] = 1.0
            return found
        found = self._numbers(part, words, (n,), "start")
        if (found < 0).any():
            self._refuse(part, "start: a probability is negative")
        if abs(found.sum() - 1) > TOLERANCE and found.sum() > 0:
            self._doubt(part, f"start sums to {found.sum():.6g}", "it is normalised")
            found /= found.sum()
        return found

    def _numbers(self, part: Tree, words: Sequence, shape: tuple, of: str) -> np.ndarray:
        wanted = int(np.prod(shape))
        if len(words) != wanted:
            self._refuse(part, f"{of}: {len(words)} numbers in place of {wanted}")
        return np.array([float(word) for word in words]).reshape(shape)

    def _split(self, part: Tree) -> tuple[list[Token], list[Token]]:
        refs = [word.children[0] for word in part.children if isinstance(word, Tree)]
        return refs, [word for word in part.children if isinstance(word, Token)]

    def _note(self, part: Tree, place: tuple, words: Sequence[Token]) -> None:
        """Find entries that were given before with other numbers."""
        key = (part.data, *((at.start, at.stop) for at in place))
        numbers = tuple(_value(word) for word in words)
        if self._given.setdefault(key, numbers) != numbers:
            self._doubt(part, "this was given before with other numbers", "the last counts")

    def _fill(self, part: Tree, kind: str, table: np.ndarray, columns: str) -> None:
        """Write a statement's rows of transitions or observations."""
        refs, words = self._split(part)
        kinds = ("actions", "states", columns)
        place = tuple(self._find(ref, of) for ref, of in zip(refs, kinds, strict=False))
        self._note(part, place, words)
        n, width = table.shape[1:]
        rows = [part] * n if len(words) != n * width or len(place) > 1 else words[::width]
        for state in range(*(place[1].indices(n) if len(place) > 1 else (n,))):
            self._lines[kind][place[0], state] = rows[state]
        if words[0].type == "NAME":
            table[place] = self._named_row(words[0], len(place), kind, width)
            return
        shape = {1: (n, width), 2: (width,), 3: ()}[len(place)]
        found = self._numbers(part, words, shape, f"{kind}: {refs[0]}")
        if (found < 0).any():
            self._refuse(part, f"{kind}: a probability is negative")
        table[place] = found

    def _named_row(self, word: Token, depth: int, kind: str, width: int) -> np.ndarray:
        if word == "uniform" and depth < 3:
            return np.full(width, 1.0 / width)
        if word == "identity" and depth == 1 and kind == "T":
            return np.eye(width)
        if word == "reset" and depth < 3 and kind == "T":
            return self._start
        self._refuse(word, f"{word} does not fit here")

    def _pay(self, part: Tree) -> None:
        """Write a statement's rewards; a table grows along what they depend on."""
        refs, words = self._split(part)
        if words[0].type != "NUMBER":
            self._refuse(words[0], f"{words[0]} is no number")
        kinds = ("actions", "states", "states", "observations")
        place = tuple(self._find(ref, of) for ref, of in zip(refs, kinds, strict=False))
        self._note(part, place, words)
        n, seen = self._emission.shape[1:]
        shape = {2: (1, n, seen), 3: (1, 1, seen), 4: (1, 1, 1)}[len(place)]
        found = self._numbers(part, words, shape, f"R: {refs[0]}")
        where = (*place, *(slice(0, len(self._names[of])) for of in kinds[len(place) :]))[1:]
        whole = (n, n, seen)
        for action in range(place[0].start, place[0].stop):
            table = self._rewards[action]
            depends = [
                length if at.stop - at.start < length or found.shape[i] > 1 else table.shape[i]
                for i, (at, length) in enumerate(zip(where, whole, strict=True))
            ]
            if np.prod(depends) > _MOST:
                self._refuse(part, "rewards by next state and observation are too many")
            if tuple(depends) != table.shape:
                self._rewards[action] = table = np.broadcast_to(table, depends).copy()
            spots = zip(where, table.shape, strict=True)
            table[tuple(at if width > 1 else slice(0, 1) for at, width in spots)] = found

    def _check(self, table: np.ndarray, kind: str, needed: np.ndarray) -> None:
        sums = table.sum(axis=2)
        for action, state in np.argwhere(needed & (abs(sums - 1) > TOLERANCE)):
            line = self._lines[kind][action, state]
            of = f"{kind}: {self._names['actions'][action]} : {self._names['states'][state]}"
            if line is None or sums[action, state] == 0:
                raise TablesFault(f"{self._name}: {of} has no probabilities")
            self._doubt(line, f"{of} sums to {sums[action, state]:.6g}", "the row is normalised")
            table[action, state] /= sums[action, state]

    def _expect_rewards(self) -> np.ndarray:
        """Return rewards (A, S, S), expected over observations."""
        n = self._joint.shape[1]
        found = np.zeros(self._joint.shape)
        for action, table in enumerate(self._rewards):
            if table.shape[2] == 1:
                found[action] = np.broadcast_to(table[:, :, 0], (n, n))
            else:
                whole = np.broadcast_to(table, (table.shape[0], n, table.shape[2]))
                found[action] = np.einsum("sto,to->st", whole, self._emission[action])
        return found


_ONCE = ("discount", "values", "states", "actions", "observations")


def _value(word: str) -> Any:
    try:
        return float(word)
    except ValueError:
        return str(word)


def _line(place: Any) -> str:
    """Return line and column of a part of the file."""
    found = place.meta if isinstance(place, Tree) else place
    return f"{found.line}:{found.column}"
