"""Claims drawn at random and made again: what is played for them, and what is said of them."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace

import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from benchmarks.evidence import claims, drawing, listing, playing
from benchmarks.evidence.claims import ROWS, Claim
from benchmarks.evidence.listing import ROOT, Evidence
from experiments.settings.commandline import Refusal
from experiments.terminal import console

pytestmark = pytest.mark.nightly

GAMES = 40

CSP = 4
"""Index of the part of `csp`, whose figure in so few games no other player has."""


@pytest.fixture(scope="module")
def everything() -> dict[str, Evidence]:
    return {one.name: one for one in listing.read()}


@pytest.fixture
def few(everything, tmp_path) -> Evidence:
    """A result of few games, in a checkout of its own."""
    one = everything["field_swift"]
    few = replace(one, item=replace(one.item, games=GAMES), root=tmp_path)
    shutil.copytree(one.rows, few.rows)
    for path in few.rows.glob("*.parquet"):
        pq.write_table(pq.read_table(path).filter(pc.field("game") < GAMES), path)
    for folder in ("mcts", "belief", "sim"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    return few


def claims_of(one: Evidence) -> list[Claim]:
    shown = drawing.list_parts(one)[-1].kept
    return [Claim("README.md", text, ROWS, one.name) for text, _ in shown]


def test_claims_are_drawn_by_the_seed(few):
    found = claims_of(few)

    def texts(number, seed):
        return [one.claim.text for one in drawing.draw(found, {few.name: few}, number, seed)]

    assert texts(4, 35) == texts(8, 35)[:4] != texts(4, 36)
    assert drawing.draw([replace(one, origin=claims.LISTED) for one in found], {}, 4, 35) == []


def test_a_claim_is_made_again_and_one_of_changed_rows_is_not(everything, tmp_path):
    one = everything["pomcpow_light_dark"]
    changed = replace(one, root=tmp_path)
    shutil.copytree(one.rows, changed.rows)
    for folder in ("mcts", "experiments"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    path = changed.rows / "cells.parquet"
    other = (pl.col("cell") == "light_dark/random") & (pl.col("episode") == 7)
    rows = pl.read_parquet(path)
    rows.with_columns(pl.when(other).then(60.0).otherwise("return").alias("return")).write_parquet(
        path
    )
    published = "-84.42 (-85.83 to -83.01)"
    false = drawing.list_parts(changed)[0].kept[0][0]
    assert false != published
    made = []
    for rows, text in (
        (one, published),
        (changed, false),
    ):  # the second plays nothing: all is there
        claim = Claim("docs/peers.md", text, ROWS, one.name)
        drawn = drawing.draw([claim], {one.name: rows}, 1, 0)
        made += drawing.play(drawn, tmp_path / "place", console())
    assert [came for _, came in made] == ["", published]
    assert drawing.table(made).title == "1 of 2 equal"
    drawing.write(made, 35, tmp_path / "drawn.csv")
    equal, differs = csv.DictReader((tmp_path / "drawn.csv").open())
    assert (equal["again"], differs["again"].strip("'")) == ("equal", published)
    assert equal["command"].endswith("episodes=1000 only=[light_dark/random]")


def test_a_part_is_played_once_and_a_failure_or_the_end_is_said(few, tmp_path, monkeypatch):
    """Those of least work come first."""
    found = claims_of(few)
    elsewhere = Claim("README.md", "12.3 % (1.2 to 45.6)", ROWS, few.name)
    drawn = drawing.draw([elsewhere, *found], {few.name: few}, len(found) + 1, 0)
    assert elsewhere not in [one.claim for one in drawn], "its rows do not give it"
    commands = []

    def play(one, command, *_):
        commands.append(command)
        return one.rows

    monkeypatch.setattr(playing, "play_part", play)
    made = list(drawing.play(drawn, tmp_path, console()))
    assert len(commands) == len(set(commands)) < len(made) == len(found)
    hours = {one.part.command: one.part.hours for one in drawn}
    played = [hours[command] for command in commands]
    assert played == sorted(played)
    left = [(one, drawing.NOT_PLAYED) for one, _ in made[3:]]
    title = drawing.table([*made[:3], *left]).title
    assert title.endswith(f" of 3 equal, {len(left)} not played")

    def fail(*_):
        raise Refusal("it ended with 1")

    monkeypatch.setattr(playing, "play_part", fail)
    assert {came for _, came in drawing.play(drawn, tmp_path, console())} == {"the command failed"}
    monkeypatch.setattr(playing, "play_part", lambda *_: None)
    assert list(drawing.play(drawn, tmp_path, console())) == []


def test_runs_ablations_and_episodes_have_parts(everything):
    run = drawing.list_parts(everything["first_run"])
    assert len(run) == 9 and run[0].command.endswith("experiment=main match.players=[swift]")
    assert any("label=BMCTS by the text" in part.command for part in run)
    assert [text for text, _ in run[0].kept] == ["94.4 % (89.7 to 97.0)"]
    curve = {part.command.split()[-1]: part for part in drawing.list_parts(everything["budget"])}
    assert curve["only=[4000]"].kept[0][0] == "55.0 % (48.1 to 61.7)"
    assert len(curve["only=[4000]"].kept) < len(curve["only=[best]"].kept)
    assert [part.names for part in drawing.list_parts(everything["ferrari_1"])] == [
        None
    ]  # computed
    cells = drawing.list_parts(everything["pomcpow_light_dark"])
    assert cells[0].names == {"light_dark/random"} and len(cells[0].kept) == 1
    assert cells[0].hours < cells[-2].hours < cells[-1].hours
    (regret,) = drawing.list_parts(everything["regret"])
    assert regret.names is None and 0.0 < regret.hours < 1.0
