"""Scripts and templates: no markup from strings, nothing from elsewhere, asked for at once."""

import re
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "experiments" / "web"
STATIC = WEB / "static"
SCRIPTS = sorted(STATIC.rglob("*.js"))
PAGES = ("lobby", "play", "watch", "replay")
FILES = [*SCRIPTS, *STATIC.glob("*.css"), *(WEB / "templates").iterdir()]

FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\|\s*safe\b"
    r"|\sstyle=|\son\w+=\"|https?://(?!www\.w3\.org/)|setAttribute\(\"style\""
)


def find_forbidden(text):
    """Return what must not stand in a script, a template or the stylesheet."""
    return FORBIDDEN.findall(text)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_strings_never_become_markup_and_nothing_comes_from_elsewhere(file):
    assert not find_forbidden(file.read_text())


def list_imports(script):
    """Return the modules that ``script`` needs, however indirectly."""
    needed, open_ = set(), [script]
    while open_:
        at = open_.pop()
        for name in re.findall(r'^.*\bfrom "(\.[\w./]+)";$', at.read_text(), re.M):
            module = (at.parent / name).resolve()
            if module not in needed:
                needed.add(module)
                open_.append(module)
    return needed


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_for_all_its_modules_at_once(page):
    """Else a browser learns of each only from the one that imports it."""
    template = (WEB / "templates" / f"{page}.html.jinja").read_text()
    (listed,) = re.findall(r"\{% set modules = \"([\w ]+)\" %\}", template)
    needed = {module.stem for module in list_imports(STATIC / f"{page}.js")}
    assert len(needed) > 3 and needed == set(listed.split())


def test_every_module_is_needed():
    pages = [list_imports(STATIC / f"{page}.js") for page in PAGES]
    assert {*STATIC.glob("parts/*.js")} == set().union(*pages)
