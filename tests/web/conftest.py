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
def start_browser():
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
_pages, _faults = [], []


@pytest.fixture
def browser():
    """Return the page of all tests; the first that asks for it starts the browser."""
    if not _pages:
        context = _open.enter_context(start_browser()).new_context(reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda fault: _faults.append(str(fault)))
        policy = "Content Security"
        page.on("console", lambda one: policy in one.text and _faults.append(one.text))
        _pages.append(page)
    return _pages[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """End the browser before a test without one, in whose way its event loop would be."""
    if nextitem is None or "browser" not in nextitem.fixturenames:
        _pages.clear()
        _open.close()


@pytest.fixture
def open_page(browser):
    """Open pages: ``open_page(url, width=1280)``; fails on errors in their scripts."""

    def open_one(url, width=1280):
        browser.set_viewport_size({"width": width, "height": 900})
        browser.goto(url)
        return browser

    yield open_one
    browser.evaluate("localStorage.clear()")  # each test begins in a browser that knows nothing
    browser.unroute_all()
    browser.emulate_media(color_scheme="light", reduced_motion="reduce")
    browser.goto("about:blank")
    found = [_faults.pop() for _ in range(len(_faults))]
    assert not found


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
