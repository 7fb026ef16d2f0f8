"""Tables of [Ledford 2018]: what was published, and causes of differences."""

from experiments.runs.published import published
from experiments.tables.figures import WON
from experiments.tables.ledford import causes
from experiments.tables.ledford import rows as ledford
from experiments.tables.rows import ANY, UNEXPLAINED, fitting


def test_a_cause_stands_where_its_sign_fits_and_says_whether_it_was_tested():
    signs = {"budget": -1, "seat": 1, "best": ANY}
    assert fitting(signs, -1) == ("budget", "best")
    assert fitting(signs, 1) == ("seat", "best")
    assert fitting({"budget": -1}, 1) == (UNEXPLAINED,)
    assert str(causes.CAUSES["seat"]).endswith("Not tested.")
    assert "ested by" in str(causes.CAUSES["pawns"])
    won = ledford.ROWS["ledford_4_2"][3].causes[ledford.FAITHFUL]  # LD-BMCTS wins more by the text
    assert not {"certainty", "budget"} & set(fitting(won, 1))


def test_the_editions_of_the_thesis_have_a_column_each():
    """By ``published-results``: Table 4.1 of the final text alone, 4.2 of both."""

    def values(rows, source):
        return [source in row.published and row.published[source].value for row in rows]

    of_policies = ledford.ROWS["ledford_4_1"]
    assert values(of_policies, "draft") == [False] * 4
    assert values(of_policies, "final") == [False, 0.0225, 0.9475, False]
    both = list(zip(*(values(_won(), source) for source in ("draft", "final")), strict=True))
    assert both == [(0.718, 0.678), (0.204, 0.204), (False, 0.761), (0.2701, 0.2755)]


def _won():
    return [row for row in ledford.ROWS["ledford_4_2"] if row.quantity is WON]


def test_published_figures_are_the_same_everywhere():
    of_program = [row for row in ledford.ROWS["ledford_4_1"] if "program" in row.published]
    known = {row.setup: row.published["program"] for row in of_program}
    for player, other in (("heuristic", "random"), ("random", "heuristic")):
        again = published(player, 1, other)
        found = known[f"1 {player.title()} against 3 {other.title()}"]
        assert (found.value, found.games) == (again.wins / again.games, again.games)
    bmcts = [row.published["program"] for row in ledford.ROWS["ledford_4_2"][:2]]
    assert [WON.told(each) for each in bmcts] == ["67.8 % (65.7 to 69.8)", "20.4 % (18.7 to 22.2)"]
