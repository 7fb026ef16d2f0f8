"""A report holds every figure of its runs, says first what is wrong with them, and needs no net."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from experiments.matches import lineups, play
from experiments.matches.results import Played, Results
from experiments.provenance.files import SUMMARY, write_json
from experiments.report import __main__ as report
from experiments.runs import runfolder, summary
from experiments.settings import config
from experiments.stats.intervals import win_rate
from experiments.stats.stopping import parse
from experiments.texts import markdown as plain

NASTY = "<script>alert(1)</script>|\"'`*$x_1$ & https://example.org/a.js\n\x07"
QUIET = Console(quiet=True)


class Reader(HTMLParser):
    """Collects what a page shows, and what is wrong with it."""

    VOID = frozenset({"meta", "br", "link", "img"})
    LOADS = frozenset({"src", "srcset", "data", "poster", "background", "action", "formaction"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.faults: list[str] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{each}> is not closed" for each in self.open]
        self.faults += [f"id {each} twice" for each in self.ids if self.ids.count(each) > 1]

    def handle_starttag(self, tag, attrs):
        self._look(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._look(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if "style" in self.open and re.search(r"url\(|@import", data):
            self.faults.append("the style sheet loads something")
        elif "style" not in self.open:
            self.text.append(data)

    def _look(self, tag, attrs):
        self.tags.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            loads = key in self.LOADS or (key.endswith("href") and not value.startswith("#"))
            # A picture may refer to its own parts alone.
            if loads or "url(" in (value or "").replace("url(#", ""):
                self.faults.append(f"<{tag} {key}={value}>")
            if key.startswith("on"):
                self.faults.append(f"<{tag}> runs {key}")


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", " ".join(Reader(page).text))


def write(folder, matches, tables, games, stop="games", summed=True, **about):
    """Make the folder of a run whose match ``i`` has the rows ``tables[i]``, of ``games``."""
    runfolder.claim(folder, matches, stop)
    kept = Results(folder, matches)
    for number, table in enumerate(tables):
        if table is not None:
            kept.add(number, table if isinstance(table, Played) else Played(table))
    kept.flush()
    (folder / "config.yaml").write_text(json.dumps({"match": {"games": games}}))
    if summed:
        found = {"stop": stop, **summary.figures(kept, parse(stop)).to_json(), "seconds": 8.0}
        found |= {"interrupted": False, "fault": None, "seed": matches[0].seed}
        held = {**runfolder.about(folder), "configuration": {"run": {}}}
        write_json(folder, {**found, "run": held, **about})
    return folder


def make_report(folder, *others):
    """Return the page and the Markdown on some run folders."""
    page, text = report.report([folder, *others], folder / "made", QUIET)
    return page.read_text(), text.read_text()


@pytest.fixture
def run(tmp_path, match, rows):
    """The folder of a whole run of 12 games, of which the first seat won all."""
    return write(tmp_path / "run", [match], [rows(range(12), lambda game: 0)], 12)


@pytest.fixture(scope="module")
def robin(tmp_path_factory):
    """The folder of a real round robin with rows of suggestions."""
    said = ["match.layout=robin", "match.players=[swift,closure,heuristic]"]
    settings = config.compose("compare", [*said, "run.details=[suggestions]", "rules.players=3"])
    (match,) = lineups.matches(settings)
    return write(tmp_path_factory.mktemp("robin"), [match], [play.portion(match, range(24))], 24)


@pytest.fixture(scope="module")
def robin_report(robin):
    return make_report(robin)


def test_a_page_is_whole_and_needs_no_other(robin, run):
    page, _ = make_report(robin, run)
    reader = Reader(page)
    assert not reader.faults
    assert "script" not in reader.tags
    assert "default-src 'none'" in page
    assert {"svg", "table", "figure", "details", "section"} <= set(reader.tags)
    named = page.count("<nav") + page.count('role="region"')
    assert page.count('role="img"') == page.count("aria-label=") - named
    outside = re.sub(r'xmlns(:xlink)?="[^"]*"', "", page)
    assert not re.search(r"https?://", outside)


def list_wanted(described):
    """Yield every figure of a summary as the report writes it."""
    for line in described["table"]:
        low, high = line["ci95"]
        yield f"{100 * line['win_rate']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        yield f"{100 * line['parity']:.1f} %"
        for key in ("games", "wins", "draws", "accused_wrongly"):
            yield f"{line[key]:,}"
        for key in ("turns_mean", "suggestions_mean"):
            yield f"{line[key]:.1f}"
        if line["decisions"]:
            yield f"{line['decisions']:,}"
            yield f"{line['simulations']:,}"
            yield f"{line['simulations_per_second']:,.0f}"
        for each in line["by_seat"].values():
            yield f"{each['wins']} of {each['games']}"
    for each in described["comparisons"]:
        low, high = each["ci95"]
        yield f"{each['second']} minus {each['first']}"
        yield f"{100 * each['difference']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        yield f"{each['p']:.2g}"
        yield f"{each['p_holm']:.2g}"
    for each in described["ratings"]:
        yield f"{each['elo']:+.0f}"
        yield f"{each['low']:+.0f} to {each['high']:+.0f}"
    for each in described["tests"]:
        yield each["verdict"]
    yield f"{described['seconds']:.1f}"
    for key in ("command", "commit", "machine"):
        yield str(described["run"][key])
    yield from described["run"]["versions"].values()


def missing(described, text):
    """Return the figures that ``text`` has not, each between blanks, bars or ends of sentences."""
    return [
        each
        for each in list_wanted(described)
        if not re.search(rf"(?<![\w.]){re.escape(each)}(?![\w%])", text)
    ]


def test_every_figure_of_the_summary_is_there(robin, robin_report, run, tmp_path, match, rows):
    tested = write(
        tmp_path / "tested",
        [match],
        [rows(range(30), lambda game: game % 4)],
        30,
        "sprt:25%:30%",
    )
    for folder in (robin, run, tested):
        described = json.loads((folder / SUMMARY).read_text())
        page, text = robin_report if folder == robin else make_report(folder)
        assert missing(described, text_of(page)) == []
        for line in [*described["table"], *described["ratings"]]:
            line["player"] = plain(line["player"])
        assert not missing(described, text.replace("\\", "")), text


def test_names_are_shown_and_do_nothing(tmp_path, match, rows):
    entrants = ({"name": "bmcts", "label": NASTY}, {"name": "heuristic", "label": "](x)<b>"})
    named = replace(match, name=f"{NASTY} against 3", entrants=entrants)
    page, text = make_report(write(tmp_path / "run", [named], [rows(range(8), of=named)], 8))
    reader = Reader(page)
    assert not reader.faults
    assert not {"script", "b"} & set(reader.tags)
    assert "<script>alert(1)</script>" in text_of(page)
    assert not re.search(r"(?<!\\)<", text.replace("```", "")), "Markdown passes HTML through"
    assert [each for each in bars(text) if len(each) > 1] == [], "all rows as long as their heading"


def bars(markdown):
    """Return the numbers of cells that the rows of each table have."""
    tables = re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE)
    return [{len(re.findall(r"(?<!\\)\|", row)) for row in each.splitlines()} for each in tables]


def test_a_run_under_way_is_read_and_left_alone(tmp_path, match, rows):
    folder = write(tmp_path / "run", [match], [rows(range(5))], 20, summed=False)
    half = folder / ".games-00001.parquet.writing"
    half.write_bytes(b"PAR1")
    before = sorted(folder.iterdir())
    page, text = make_report(folder)
    assert half.exists()
    assert set(folder.iterdir()) - set(before) == {folder / "made"}
    fault = f"unfinished: 5 of 20 games are written down; run.folder={folder} continues"
    assert text_of(page).index(fault) < text_of(page).index("Results")
    assert text.index(fault) < text.index("## Results")
    assert f"{win_rate(5, 5)} of 5 games" in text_of(page)


def test_a_run_without_games_is_reported(tmp_path, match):
    page, _ = make_report(write(tmp_path / "run", [match], [None], 20, summed=False))
    assert not Reader(page).faults
    assert "0 of 20 games are written down" in page
    assert "Results" not in page
    assert "What was run" in page


@pytest.mark.parametrize(
    ("games", "about", "said"),
    [
        (12, {}, None),
        (20, {}, "interrupted: 12 of 20 games are written down"),
        (
            20,
            {"interrupted": True, "fault": "no space on <disk>"},
            "stopped by a fault: no space on <disk>; 12 of 20 games are written down",
        ),
        (12, {"table": []}, "its summary counts 0 games of the players, its rows 12"),
    ],
    ids=["whole", "a match short", "fault", "went on"],
)
def test_what_is_wrong_comes_first(tmp_path, match, rows, games, about, said):
    folder = write(tmp_path / "run", [match], [rows(range(12))], games, **about)
    page, text = make_report(folder)
    assert ('role="alert"' in page) == (said is not None) == text.split("\n")[2].startswith(">")
    if said:
        assert text_of(page).index(said) < text_of(page).index("Results")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{tmp}/none"], "{tmp}/none: not found; give the folder of a run"),
        (["{tmp}"], "{tmp} contains runs but is not a run: give {tmp}/*"),
        (
            ["{run}", "output={run}/config.yaml/a.html"],
            "cannot write to {run}/config.yaml/a.html: File exists; "
            "choose another path by output=PATH",
        ),
    ],
    ids=["no folder", "sweep", "output"],
)
def test_refusals_are_one_line(run, tmp_path, capsys, arguments, said):
    (tmp_path / "empty").mkdir()
    names = {"run": str(run), "tmp": str(tmp_path)}
    given = [each.format(**names) for each in arguments]
    assert report.COMMAND.run(given) == 1
    assert capsys.readouterr().err == f"sleuth-report: {said.format(**names)}\n"
