"""Fixtures of this folder: a browser and a server for each file, and imports of its helpers."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

_FLAGS = (
    "no-sandbox",
    "disable-gpu",
    "disable-quic",
    "disable-dev-shm-usage",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
)
"""Without a sandbox it starts as root too; the others keep it from asking the network."""


@contextmanager
def browser():
    """A browser; the test that asks for one where there is none is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright here")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as running:
        begun = running.chromium.launch(
            executable_path=found, args=[f"--{flag}" for flag in _FLAGS]
        )
        yield begun
        begun.close()


@pytest.fixture(scope="module")
def chromium():
    """A browser for the tests of a file: no longer, since its event loop stops others'."""
    with browser() as begun:
        yield begun


@pytest.fixture(scope="module")
def profile(chromium):
    """Return the context of the pages of a file, so that scripts are read once."""
    with chromium.new_context(reduced_motion="reduce") as common:
        yield common


@pytest.fixture
def open_page(profile):
    """Open pages: ``open_page(url, width=1280, dark=False)``; fails on errors in their scripts."""
    pages, faults = [], []

    def open_one(url, width=1280, dark=False):
        page = profile.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on(
            "console",
            lambda received: (
                faults.append(received.text) if "Content Security" in received.text else None
            ),
        )
        page.goto(url)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.evaluate("localStorage.clear()")  # each test begins in a browser that knows nothing
        page.close()
    assert not faults


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of the server of a file's tests."""
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def server(folder):
    """A server for the tests of a file."""
    from http_client import Served  # not for tests without one: it imports the whole of the game

    served = Served(folder)
    yield served
    served.close()
