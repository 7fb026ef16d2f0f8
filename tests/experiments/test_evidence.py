"""The evidence of the pages: rows, pages made from them, and every interval that is claimed."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pyarrow.parquet as pq
import pytest

from benchmarks.evidence import archive, claims, listing, paper, playing, replay, sources, state
from benchmarks.evidence.listing import ROOT, Evidence, Item
from experiments.settings.commandline import Refusal
from experiments.terminal import console


@pytest.fixture(scope="module")
def everything() -> list[Evidence]:
    return listing.read()


def find(everything, name):
    return next(one for one in everything if one.name == name)


@pytest.fixture
def checkout(everything, tmp_path):
    """A checkout with the rows and the page of one result alone."""
    one = replace(find(everything, "field_swift"), root=tmp_path)
    shutil.copytree(ROOT / listing.ROWS / one.folder, one.rows)
    shutil.copyfile(ROOT / listing.RESULTS / one.page.name, one.page)
    for folder in ("mcts", "belief", "sim", "conf"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    archive.write_seal(one.rows, {**archive.read_seal(one.rows), "sources": state.digests(one)})
    return one


def change_rows(one: Evidence) -> None:
    """Give the first 40 games of a match to the next seat."""
    path = one.rows / "games-00000.parquet"
    rows = pl.read_parquet(path)
    first = (rows["match"] == rows["match"][0]) & (rows["game"] < 40) & (rows["winner"] >= 0)
    rows = rows.with_columns(
        won=pl.when(first).then(pl.col("seat") == (pl.col("winner") + 1) % 3).otherwise("won"),
        winner=pl.when(first).then((pl.col("winner") + 1) % 3).otherwise("winner"),
    )
    table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    pq.write_table(table.cast(pq.read_schema(path)), path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["cai_1", "contest_best", "beliefs_tables_bn"])
def test_pages_are_what_the_rows_give(everything, name, tmp_path):
    one = find(everything, name)
    for path in paper.write(one, tmp_path, tmp_path):
        assert path.read_text() == (ROOT / listing.RESULTS / path.name).read_text()


def test_a_changed_row_is_refused_and_would_change_the_page(checkout, tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    before = paper.write(checkout, made, made)[0].read_text()
    change_rows(checkout)
    with pytest.raises(Refusal, match=r"games-00000\.parquet is not the file .* git checkout"):
        state.of(checkout)
    files = dict(archive._checksums(checkout.rows))
    archive.write_seal(checkout.rows, {**archive.read_seal(checkout.rows), "files": files})
    assert paper.write(checkout, made, made)[0].read_text() != before


@pytest.mark.nightly
def test_every_page_says_what_its_rows_are(everything):
    """It says as well that no file of rows is damaged."""
    for one in everything:
        if one.page.exists():
            line = one.page.read_text().split("\n")[1]
            assert line == paper.MARK + paper.describe(state.of(one)), one.name


def test_a_changed_source_makes_rows_stale(checkout, tmp_path):
    assert state.of(checkout).word == state.FRESH
    (tmp_path / "sim").unlink()
    shutil.copytree(ROOT / "sim", tmp_path / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    for module, changed in [("records/stepped", False), ("rules", True)]:
        path = tmp_path / f"sim/{module}.py"
        path.write_text(f"{path.read_text()}\nEXTRA = 1\n")
        assert (state.of(checkout).word == state.STALE) == changed, module
    assert state.of(checkout).why == "its sources have changed"


def test_what_other_sources_played_alone_is_played_again(checkout, tmp_path):
    """A column of a page is of its own: the changed player's matches are taken out."""
    (tmp_path / "sim").unlink()
    shutil.copytree(ROOT / "sim", tmp_path / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "sim/players/neural.py"
    path.write_text(f"{path.read_text()}\nEXTRA = 1\n")
    found = state.of(checkout)
    own = sorted(name for name in checkout.parts(checkout.rows) if name.startswith("neural"))
    assert found.word == state.STALE and list(found.changed) == own != []
    assert found.why == f"sources of {len(own)} of 10 have changed"
    archive.unpack(checkout, tmp_path / "run", found.changed)
    left = pl.read_parquet(tmp_path / "run/games-00000.parquet")
    whole = pl.read_parquet(checkout.rows / "games-00000.parquet")
    assert left.equals(whole.filter(~pl.col("match").is_in(own)))


def test_rows_of_another_plan_are_stale(checkout):
    other = replace(checkout, item=replace(checkout.item, seed=4248))
    assert state.of(other).why.startswith("matches.0.seed was 4247 there and is 4248 now")


@pytest.mark.nightly
def test_rows_that_lack_games_are_unfinished_and_gone_on_with(checkout, tmp_path, monkeypatch):
    whole = pl.read_parquet(checkout.rows / "games-00000.parquet")
    kept = tmp_path / "outputs" / checkout.folder
    archive.unpack(checkout, kept)
    few = whole.filter(pl.col("game") < 1990)
    schema = pq.read_schema(checkout.rows / "games-00000.parquet")
    table = few.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(schema)
    pq.write_table(table, kept / "games-00000.parquet")
    archive.keep(checkout, kept, lambda modules: sources.digest(tmp_path, modules))
    lacking = 10 * few["match"].n_unique()
    for _ in range(2):  # as counted, and as noted in the seal
        found = state.of(checkout)
        assert (found.word, found.why) == (state.UNFINISHED, f"{lacking} games to go")
        state.note_plan(checkout)
    assert paper.describe(found).startswith(f"**Unfinished**: {lacking} games to go. The rows")
    stands = archive.read_seal(checkout.rows)
    archive.write_seal(checkout.rows, {**stands, "sources": {}})
    assert state.of(checkout).word == state.STALE  # first of all: they are not gone on with
    archive.write_seal(checkout.rows, stands)

    monkeypatch.setattr(playing, "play_part", lambda *_: None)  # the time is over at once
    (stopped,) = playing.play([checkout], 1.0, tmp_path / "place", console())
    assert not stopped.ended
    assert [*archive.count_games(stopped.run).values()] == [1990] * few["match"].n_unique()
    monkeypatch.undo()
    (ended,) = playing.play([checkout], 1.0, tmp_path / "place", console())
    assert ended.ended and ended.run == stopped.run
    archive.keep(checkout, ended.run, ended.digest)
    assert state.of(checkout).word == state.FRESH
    now = pl.read_parquet(checkout.rows / "games-00000.parquet")
    outcome = ["match", "game", "seat", "player", "won", "suggestions", "winner", "turns"]
    assert now.select(outcome).equals(whole.select(outcome))


def test_a_study_that_another_process_plays_comes_last(tmp_path, monkeypatch):
    """And one that it has kept meanwhile is not played at all."""
    names = ["busy", "kept", "free"]
    entries = [
        SimpleNamespace(name=name, root=tmp_path, modules=(), folder=name, command="", kind="study")
        for name in names
    ]
    words = dict.fromkeys(names, state.STALE) | {"kept": state.FRESH}
    monkeypatch.setattr(state, "of", lambda one: SimpleNamespace(word=words[one.name], changed=()))
    monkeypatch.setattr(sources, "digest", lambda *_: "digest")
    monkeypatch.setattr(playing, "_BUSY_SECONDS", 0.01)
    other = ExitStack()
    other.enter_context(playing.alone(tmp_path / "digest" / "busy"))

    def play_part(one, command, place, *_):
        if one.name == "free":
            other.close()
        return place / one.folder

    monkeypatch.setattr(playing, "play_part", play_part)
    played = [one.evidence.name for one in playing.play(entries, 1.0, tmp_path, console())]
    assert played == ["free", "busy"]


def test_every_claim_has_an_origin(everything):
    untraced = listing.read_untraced()
    found = claims.trace(everything, untraced, ROOT)
    assert [claim for claim in found if claim.origin == claims.NONE] == []
    assert claims.find_changed(everything, untraced) == []
    dead = [
        text
        for page, texts in untraced.claims.items()
        for text in texts
        if not any(claim.page == page and claim.text == text for claim in found)
    ]
    assert dead == [], "listed as untraced, and not claimed any more"
    lines = (ROOT / claims.INDEX).read_text().splitlines()
    assert len(lines) == 1 + len(found), "run: make paper"


def test_a_changed_digit_is_found(checkout, tmp_path):
    row = next(claims.numbers(checkout.page.read_text()))[0]
    page = tmp_path / "README.md"
    page.write_text(f"It wins {row} of all games, as [rows](docs/results/field_swift.md) say.")
    nothing = listing.Untraced()
    assert [one.origin for one in claims.trace([checkout], nothing, tmp_path)] == [claims.ROWS]
    linked = page.read_text()
    page.write_text(f"It wins {row} of all games.")  # a coincidence: nothing is linked
    assert [one.origin for one in claims.trace([checkout], nothing, tmp_path)] == [claims.NONE]
    digit = next(one for one in row if one.isdigit())
    page.write_text(linked.replace(row, row.replace(digit, str((int(digit) + 1) % 10), 1)))
    (claim,) = claims.trace([checkout], nothing, tmp_path)
    assert claim.origin == claims.NONE
    listed = claims.note([checkout], [claim])
    assert [one.origin for one in claims.trace([checkout], listed, tmp_path)] == [claims.LISTED]


def test_a_page_without_rows_is_held_as_it_is(checkout):
    shutil.rmtree(checkout.rows)
    noted = claims.note([checkout], [])
    text = checkout.page.read_text()
    checkout.page.write_text(paper.mark(text, "other words"))
    assert claims.find_changed([checkout], noted) == []
    checkout.page.write_text(text.replace("%", "per cent", 1))
    assert claims.find_changed([checkout], noted) == ["field_swift"]


def test_games_are_played_again(checkout):
    played, differs = replay.replay(checkout, 1)
    assert (played, differs) == (10, None)
    change_rows(checkout)
    _, differs = replay.replay(checkout, 1)
    assert "game 0" in differs and "is" in differs


@pytest.mark.nightly
def test_episodes_are_played_again(everything, tmp_path):
    one = replace(find(everything, "pomcpow_light_dark"), root=tmp_path)
    shutil.copytree(ROOT / listing.ROWS / one.folder, one.rows)
    path = one.rows / "cells.parquet"
    cheap = pl.col("cell").is_in(["light_dark/heuristic", "light_dark/random"])
    kept = pl.read_parquet(path).filter(cheap)
    kept.write_parquet(path)
    assert replay.replay(one, 2) == (4, None)
    other = pl.when(pl.col("episode") == 1).then(0.5).otherwise("return").alias("return")
    kept.with_columns(other).write_parquet(path)
    played, differs = replay.replay(one, 2)
    assert played == 4 and differs.startswith("episode 1 of light_dark/")
    assert "return was 0.5 and is " in differs


@pytest.mark.nightly
def test_units_of_a_study_are_measured_again(everything, tmp_path):
    """Equal rows come again; a row with another value is found."""
    one = replace(find(everything, "beliefs_exact"), root=tmp_path)
    shutil.copytree(ROOT / listing.ROWS / one.folder, one.rows)
    assert replay.replay(one, 2) == (2, None)
    made = pl.read_parquet(path := one.rows / "moments.parquet").head(1)
    made.write_parquet(again := tmp_path / "again.parquet")
    assert replay.find_other(path, again) is None
    made.with_columns(microseconds=9.0, entropy=9.0).write_parquet(again)
    assert "no kept row is {'belief': 'exact', 'game': 0," in replay.find_other(path, again)


def test_bad_requests_are_refused(everything, tmp_path):
    with pytest.raises(Refusal, match=r"only=caI_3: .*yaml lists no such.* mean cai_3"):
        listing.choose(everything, ["caI_3"])
    with pytest.raises(Refusal, match=r"there is no evidence.yaml in docs"):
        listing.read(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / listing.LIST).write_text("evidence: {cai_1: {gmaes: 3}}")
    with pytest.raises(Refusal, match="gmaes"):
        listing.read(tmp_path)
    one = Evidence("cai_1", Item(), tmp_path)
    one.rows.mkdir(parents=True)
    (one.rows / "games-00000.parquet").touch()
    with pytest.raises(Refusal, match="holds no rows of cai_1: play it first"):
        archive.keep(one, tmp_path, str)
    assert [path.name for path in one.rows.iterdir()] == ["games-00000.parquet"]  # as they were


def test_git_converts_no_file():
    """A clone with core.autocrlf has the bytes that seals and digests are of."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    command = ["git", "check-attr", "-z", "--stdin", "text"]
    found = subprocess.run(command, cwd=ROOT, input=listed.stdout, capture_output=True, check=True)
    assert {*found.stdout.split(b"\0")[2::3]} == {b"unset"}
