"""Reports, runs and searches one simulation at a time, in a browser."""

import pytest
from page_checks import expect_text, fits_and_passes, passes_in_both_themes

from experiments.compare import __main__ as compare
from experiments.explain.simulations import simulations_page
from experiments.report import __main__ as reports
from mcts.inspect import export
from mcts.options import Budget, Options
from mcts.outcomes import follow
from mcts.problems import TigerParameters
from mcts.search import Search
from sim.cards import CARDS


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The path of a report of two short matches."""
    place = tmp_path_factory.mktemp("report")
    small = ("debug=quick", "tracking=none", "match.games=12", "rules.turn_cap=40")
    for name in ("swift", "closure"):
        folder = f"run.folder={place / name}"
        assert compare.COMMAND.run([*small, f"player={name}", folder]) == 0
    folders = [str(place / name) for name in ("swift", "closure")]
    assert reports.COMMAND.run([*folders, f"output={place / 'report.html'}"]) == 0
    return place / "report.html"


@pytest.mark.nightly
def test_a_report_passes_axe_and_fits_narrow_screens(report, open_page):
    page = open_page(report.as_uri())
    fits_and_passes(page)


def test_simulations_are_stepped_through_one_by_one(tmp_path, open_page):
    """Also: axe finds nothing, and figures are those of the moment."""
    p = TigerParameters(steps=3)
    search = Search(p, Options(exploration=0.3, nodes=100))

    def grow(count):
        search.run(Budget(simulations=count), key=3)
        return search.tree

    steps = follow(grow, 8)
    graph = export(grow(8), seen=lambda action, kind: f"heard {kind}")
    graph.nodes[0]["envelope"] = dict.fromkeys(CARDS, 0.25)
    (tmp_path / "page.html").write_text(simulations_page(graph, steps, "Tiger", "Eight."))
    page = open_page(f"file://{tmp_path}/page.html", width=360)
    assert "0 visits" in page.text_content(".at-node"), "of this moment"
    page.set_viewport_size({"width": 1280, "height": 900})
    cut = "(held) => held.scrollWidth > held.clientWidth"
    assert not page.locator(".at-node .scroll").evaluate(cut), "the belief is whole"
    page.set_viewport_size({"width": 360, "height": 900})
    passes_in_both_themes(page)
    visits = page.locator("text.visits[data-node='0']")
    for count in range(1, 9):
        expect_text(page, "#which", f"Simulation {count} of 8")
        for phase in ("Select", "Expand", "Roll out", "Back up"):
            expect_text(page, "#phases [aria-current]", phase)
            now = count - 1 + (phase == "Back up")
            assert (visits.text_content() or "0") == str(now)
            if page.is_enabled("#forward"):
                page.keyboard.press("ArrowRight")
    assert page.locator(".faint").count() == 0, "all that grew is drawn in the end"
    page.locator(".knot[data-node='1']").click()
    expect_text(
        page, ".at-node li:last-child", f"{graph.edges[0, 1]['words']}: {graph.nodes[1]['seen']}"
    )
    assert f"{graph.nodes[1]['visits']} visit" in page.text_content(".at-node")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    assert "The root" in page.text_content(".at-node")
    expect_text(page, "#which", "Simulation 8 of 8")
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    expect_text(page, "#which", "Simulation 1 of 8")
    assert page.locator(".faint").count() > 0
