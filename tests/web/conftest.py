"""Fixtures of this folder: a browser, a server for each file, and imports of its helpers."""

import shutil
import sys
from contextlib import ExitStack, contextmanager
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


_open = ExitStack()
_contexts = []


@pytest.fixture
def profile():
    """Return the context of all pages; the first test that asks for it begins the browser."""
    if not _contexts:
        begun = _open.enter_context(browser())
        _contexts.append(_open.enter_context(begun.new_context(reduced_motion="reduce")))
    return _contexts[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """End the browser before a test without one, in whose way its event loop would be."""
    if nextitem is None or "profile" not in nextitem.fixturenames:
        _contexts.clear()
        _open.close()


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
