"""Checks of the pages in a browser: axe-core, and texts that appear."""

from pathlib import Path

AXE = (Path(__file__).parent / "data" / "axe.min.js").read_text()


def violations(page, *rules):
    """Return what axe-core finds wrong, by rule and element; ``rules``: by these alone."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)  # by the debugger: the page's policy lets no script in
    usual = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    options = {**usual, **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        (rule["id"], node["html"][:120], node["failureSummary"][-160:])
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def passes_in_both_themes(page):
    """Fail on what is wrong; the themes differ in colours alone."""
    assert not violations(page)
    page.emulate_media(color_scheme="dark")
    assert not violations(page, "color-contrast")


def fits_and_passes(page):
    """Fail on what is wrong with all of a page, or if it is wider than a screen."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    passes_in_both_themes(page)
    page.emulate_media(color_scheme="light")
    for width in (800, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def expect_text(page, selector, text):
    """Fail if the element of ``selector`` has other text."""
    assert page.text_content(selector) == text
