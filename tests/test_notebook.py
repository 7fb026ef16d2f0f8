"""The page on a problem of one's own is run as a notebook, cell by cell, as a stranger would."""

import os

import pytest

from tests.test_python_docs import EXAMPLE, ROOT

pytest.importorskip("nbclient", reason="the extra notebook is not installed")
pytest.importorskip("ipykernel", reason="the extra notebook is not installed")

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

PAGE = (ROOT / "docs/own_problem.md").read_text()


FAULTY = """from dataclasses import replace
broken = replace(cups, observation=lambda at: at.nowhere)
Search(broken.position()).run(Budget(simulations=5), key=1)"""


@pytest.fixture(autouse=True)
def a_kernel_of_this_environment(monkeypatch, tmp_path):
    """Notebooks find the project, compile, and keep their own settings to themselves."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT)]))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_ALLOW_INSECURE_WRITES", "1")


def test_a_notebook_prints_what_the_page_says_and_shows_where_a_problem_raises(tmp_path):
    """All but Tiger, which `test_python_docs` runs; then a fault, with the line that raised it."""
    page = PAGE[: PAGE.index("## The fast way")]
    codes, said = zip(*EXAMPLE.findall(page), strict=True)
    assert len(codes) == 4
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in (*codes, FAULTY)]
    )
    client = NotebookClient(made, timeout=200, resources={"metadata": {"path": str(tmp_path)}})
    with pytest.raises(CellExecutionError, match=r"observation=lambda at: at\.nowhere"):
        client.execute()
    shown = ["".join(out["text"] for out in cell["outputs"]) for cell in made.cells[:-1]]
    assert shown == list(said)
