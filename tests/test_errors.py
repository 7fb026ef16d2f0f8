"""All exceptions of the project stand below one root."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILT_IN = {"Exception", "ValueError", "RuntimeError", "TypeError", "OSError", "KeyError"}
NOT_RAISED = {"Raised", "Nameless"}
"""One becomes what Python code in a kernel raised; the other never leaves its module."""


def rootless(source):
    """Return the exceptions in ``source`` whose bases are all Python's own."""
    classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    bases = {node.name: {ast.unparse(base) for base in node.bases} for node in classes}
    return [name for name, above in bases.items() if above and above <= BUILT_IN]


@pytest.mark.parametrize("package", ["mcts", "belief", "sim", "experiments"])
def test_exceptions_have_the_root(package):
    found = [name for path in (ROOT / package).rglob("*.py") for name in rootless(path.read_text())]
    assert set(found) - {"SleuthError"} <= NOT_RAISED
