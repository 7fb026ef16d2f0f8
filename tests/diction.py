"""Find words that this project does not use, and functions named like results.

Run it on folders or files, all of them without arguments::

    python tests/diction.py sim belief/beliefs
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

WORDS = {
    r"(?<!study\.)(told|tells?|telling)(?!\b.{0,60}\bapart)": "say, report, show, return",
    r"who(m)?ever": "any player, the caller",
    r"anew": "again",
    r"mend(s|ed|ing)?": "fix, repair",
    r"oftener": "more often",
    r"signs": "characters",
    r"by and by": "gradually",
    r"(is|are) no such": "unknown",
}
"""Patterns of words, and what to write instead."""


HEADS = ("What", "Who", "How", "Where", "When", "Whether", "Whose", "Which")
"""First words of a docstring that is neither an imperative nor a noun phrase."""

IRREGULAR = frozenset(
    {"begun", "bought", "built", "caught", "chosen", "done", "drawn", "driven", "fallen", "fought"}
    | {"found", "given", "gone", "grown", "held", "hidden", "kept", "known", "led", "left", "lent"}
    | {"lost", "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "sought"}
    | {"spent", "spoken", "stood", "swept", "taken", "taught", "thought", "thrown", "told", "torn"}
    | {"understood", "won", "worn", "written"}
)
NOUNS = frozenset({"need", "seed", "feed", "speed", "bed", "shed", "embed", "exceed", "proceed"})
"""Words in -ed that are no participles."""

CODE = ("mcts", "belief", "sim", "experiments", "benchmarks", "examples", "tests")
OMITTED = {"diction.py", "test_diction.py", "axe.min.js"}
"""Files of the words themselves, and of others."""

SUFFIXES = {".py", ".md", ".yaml", ".toml", ".jinja", ".html", ".js"}


def participle(name: str) -> bool:
    """Return whether ``name`` is one past participle, which names a result and no action."""
    word = name.strip("_")
    return "_" not in word and (
        word in IRREGULAR or (word.endswith("ed") and word not in NOUNS and len(word) > 3)
    )


def _is_property(node: ast.AST) -> bool:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def wrong_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and fault of names and docstrings in the Python ``source``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = (ast.get_docstring(node) or "").partition(" ")[0].rstrip(",")
            if first in HEADS and not (first == "Whether" and _is_property(node)):
                yield getattr(node, "lineno", 1), f"docstring begins with {first!r}"
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and participle(node.name) and not _is_property(node):
            yield node.lineno, f"function {node.name}: name it by a verb"


def wrong_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and fault of words in ``text``."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, better in WORDS.items():
            for found in re.finditer(rf"\b({pattern})\b", line, flags=re.IGNORECASE):
                yield number, f"{found[0]!r}: write {better}"


def faults(paths: Iterable[Path]) -> list[str]:
    """Return all faults in the files at ``paths`` and below them."""
    found = []
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix not in SUFFIXES or file.name in OMITTED:
                continue
            text = file.read_text(encoding="utf-8")
            wrong = [*wrong_words(text)]
            if file.suffix == ".py":
                wrong += wrong_names(text)
            found += [f"{file}:{line}: {fault}" for line, fault in sorted(wrong)]
    return found


def main() -> None:
    """Print the faults below the arguments; exit 1 if there are any."""
    named = [Path(name) for name in sys.argv[1:]]
    found = faults(named or [ROOT / name for name in (*CODE, "conf", "docs")])
    print("\n".join(found) or "no faults")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
