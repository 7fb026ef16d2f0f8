"""The site: what its search knows, formulas, versions."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import Markdown
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError

ROOT = Path(__file__).resolve().parent.parent
CONFIG = str(ROOT / "mkdocs.yml")
FORMULAS = runpy.run_path(str(ROOT / "docs/formulas.py"))["on_page_content"]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Return the entries of the search, of a site without the texts of the API."""
    site = tmp_path_factory.mktemp("site")
    build(load_config(CONFIG, site_dir=str(site), plugins=["search"]))
    assert not [*site.rglob("*.parquet")]
    return json.loads((site / "search/search_index.json").read_text())["docs"]


def first(index, word):
    """Return the page that has ``word``, in a title if any has, where the search looks first."""

    def weigh(entry):
        title, text = (entry[key].lower().count(word) for key in ("title", "text"))
        return entry.get("boost", 1) * (1000 * (title > 0) + text / (1 + text))

    return max(index, key=weigh)["location"].split("#")[0]


def test_the_search_finds_pages_to_read(index):
    assert {first(index, word) for word in ("sweep", "optuna")} == {"tutorials/sweep.html"}
    assert first(index, "posterior") == "posterior.html"
    found = {entry["location"].split("#")[0] for entry in index}
    assert {page for page in found if page.startswith("results/")} == {"results/index.html"}


def typeset(text):
    config = load_config(CONFIG)
    made = Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)
    return FORMULAS(made.convert(text))


def test_formulas_are_typeset_and_dollars_in_code_are_left_alone():
    shown = typeset("$a < b_t$ and `$HOME`, 5 $ or 6 $\n\n$$\n\\frac{a}{b}\n$$\n\n```\n$x$\n```\n")
    assert shown.count("<math") == 2 and "<mfrac>" in shown and "arithmatex" not in shown
    assert "<code>$HOME</code>, 5 $ or 6 $" in shown and "$x$" in shown


@pytest.mark.parametrize("wrong", [r"\fraction x", r"\frac{a}", "x^2^3", r"\left( x", "x_{"])
def test_a_formula_with_a_fault_stops_the_build(wrong):
    with pytest.raises(PluginError, match="no formula"):
        typeset(f"${wrong}$")


def test_colons_before_a_block_of_a_docstring_are_not_shown_twice():
    shown = runpy.run_path(str(ROOT / "docs/api_pages.py"))["on_page_content"]
    page = SimpleNamespace(file=SimpleNamespace(src_uri="api/mcts/README.md"))
    assert shown("<p>edits::</p>", page) == "<p>edits:</p>"
