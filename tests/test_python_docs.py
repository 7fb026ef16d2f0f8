"""The examples of README.md and pages of docs run as they stand and print what the pages say.

    python -m tests.test_python_docs

writes what they print now into the pages.
"""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    ROOT / "README.md",
    ROOT / "docs/python.md",
    ROOT / "docs/beliefs.md",
    ROOT / "docs/planning.md",
    ROOT / "docs/own_problem.md",
    ROOT / "docs/finite.md",
    ROOT / "docs/openspiel.md",
)
EXTRAS = {"openspiel.md": "pyspiel"}
"""Pages whose examples need a package of an extra."""
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)
NOT_NEEDED = {"hydra", "mlflow", "omegaconf", "ray"}

RUNNER = """
import contextlib, io, json, sys
names, shown, modules = {"__name__": "page"}, [], []
for code in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, names)
    shown.append(out.getvalue())
    if "experiments" not in sys.modules:  # those of the project need everything
        modules = list(sys.modules)
json.dump([shown, modules], sys.stdout)
"""


def run(examples, folder):
    """Run ``examples`` in one process that works in ``folder``; return what each printed, and the
    modules imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"},
        input=json.dumps(examples),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def faults(text, folder):
    """Return what is wrong with the examples of a page, run in the empty ``folder``."""
    codes, said = zip(*EXAMPLE.findall(text), strict=True)
    shown, modules = run(codes, folder)
    wrong = [
        f"prints\n{now}where the page has\n{then}"
        for now, then in zip(shown, said, strict=True)
        if now != then
    ]
    wrong += [f"imports {name}" for name in sorted(NOT_NEEDED & set(modules))]
    return wrong + [f"writes {path.name}" for path in folder.iterdir()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_prints_what_it_says_and_needs_nothing_else(page, tmp_path):
    if page.name in EXTRAS:
        pytest.importorskip(EXTRAS[page.name], reason="the extra of the page is not installed")
    assert not faults(page.read_text(), tmp_path)


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("prints", "print(1 + 1)", "3"),
        ("imports omegaconf", "print(2)\nimport omegaconf", "2"),
        ("writes left", "print(2)\nopen('left', 'w').close()", "2"),
    ],
)
def test_the_check_finds(fault, code, said, tmp_path):
    found = faults(f"```python\n{code}\n```\n\n```text\n{said}\n```\n", tmp_path)
    assert len(found) == 1 and found[0].startswith(fault)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_python_is_an_example(page):
    text = page.read_text()
    examples = EXAMPLE.findall(text)
    assert text.count("```python") == len(examples) > 0
    assert text.count("```text") == sum(bool(said) for _, said in examples) > 0


def write(page, folder):
    """Write what the examples of ``page`` print into it."""
    text = page.read_text()
    shown = iter(run([code for code, _ in EXAMPLE.findall(text)], folder)[0])

    def block(found):
        now = next(shown)
        return f"```python\n{found[1]}```\n" + (f"\n```text\n{now}```\n" if now else "")

    page.write_text(EXAMPLE.sub(block, text))


if __name__ == "__main__":
    for page in PAGES:
        if page.name not in EXTRAS or find_spec(EXTRAS[page.name]):
            write(page, ROOT)
