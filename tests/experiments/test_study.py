"""Every study refuses in one line, has its folder alone, and goes on where it was."""

from __future__ import annotations

import json

import polars as pl
import pytest
from filelock import FileLock

from benchmarks.qlearning.__main__ import COMMAND as QLEARNING
from benchmarks.strength.__main__ import COMMAND as STRENGTH
from examples.first_seat import STUDY
from experiments.beliefs import accuracy
from experiments.beliefs.__main__ import COMMAND as BELIEFS
from experiments.hunt.__main__ import COMMAND as HUNT
from experiments.regret.__main__ import COMMAND as REGRET

SEATS = STUDY.command
REFUSED = {
    REGRET: [
        ("players=[bmtcs]", "did you mean bmcts?"),
        ("simulations=[10] player.budget.simulations=10", "leave one of them out"),
        ("positions=1", "positions=1: must be at least 2"),
    ],
    BELIEFS: [
        (
            "beliefs=[exact,tables_text]",
            "which rules=ledford does not deal: give rules=ferrari2009",
        ),
        ("player=bmcts", "player=bmcts searches: choose a player that does not"),
    ],
    HUNT: [
        ("hunt.workspace=nowhere.yaml", "nowhere.yaml cannot be read (No such file"),
        ("hunt.objects=100000", "hunt.objects=100000: must be at most 14"),
        ("hunt.robot=6", "seed=0: there is no room for 8 obstacles"),
    ],
    STRENGTH: [
        ("workers=[4,4]", "workers must list different numbers"),
        ("threads=[4000]", "this machine has"),
        ("measure=games", "give searches=1"),
    ],
    SEATS: [
        ("games=150", "games=150: give a multiple of 100"),
        ("policy=swfit", "policy=swfit: choose one of"),
    ],
    QLEARNING: [
        ("discount=1", "discount=1.0: must be below 1"),
        ("rates=[one,one]", "rates must list different rates"),
        ("network.hiden=3", "did you mean hidden?"),
    ],
}
EVERY = [
    ("seedz=9", "did you mean seed?"),
    ("run.folder=/dev/null/here", "choose another folder"),
]


@pytest.mark.parametrize(
    ("command", "arguments", "reason"),
    [
        pytest.param(command, *case, id=f"{command.name} {case[0]}")
        for command, cases in REFUSED.items()
        for case in (*cases, *EVERY * (command in (BELIEFS, QLEARNING)))
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run_study, command, arguments, reason):
    outcome = run_study(command, *arguments.split())
    assert outcome.code == 1
    assert outcome.out == ""
    assert reason in outcome.err
    assert outcome.err.startswith(f"{command.title}: ") and outcome.err.count("\n") == 1
    assert not outcome.folder.exists()


SMALL = ("beliefs=[closure]", "games=3")


def _moments(outcome):
    return pl.read_parquet(outcome.folder / "moments.parquet").drop("microseconds")


def test_a_folder_is_not_shared(run_study, tmp_path):
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / ".lock"):
        outcome = run_study(BELIEFS, *SMALL)
    assert outcome.code == 1 and "is in use by another process" in outcome.err
    assert run_study(BELIEFS, *SMALL).code == 0
    outcome = run_study(BELIEFS, *SMALL)
    assert outcome.code == 1 and "choose another run.folder, or continue" in outcome.err
    assert not (outcome.folder / ".lock").exists()


def test_a_run_goes_on_where_it_was(run_study, tmp_path, monkeypatch):
    whole = _moments(run_study(BELIEFS, "beliefs=[closure]", "games=6"))
    there = f"run.folder={tmp_path / 'out'}"
    outcome = run_study(BELIEFS, "beliefs=[closure]", "games=6", "seed=1", there)
    assert outcome.code == 1 and "seed was 0 there and is 1 now" in outcome.err
    noted = (tmp_path / "out/config.yaml").read_text()
    outcome = run_study(BELIEFS, "beliefs=[closure]", "games=5", there)
    assert outcome.code == 1 and "games=5: " in outcome.err and "give games=6" in outcome.err
    assert (tmp_path / "out/config.yaml").read_text() == noted
    (tmp_path / "out").rename(tmp_path / "before")

    measured = []
    real = accuracy.measure

    def three(game, *arguments):
        if len(measured) == 4:  # the first is the one that compiles
            raise KeyboardInterrupt
        measured.append(game.number)
        return real(game, *arguments)

    monkeypatch.setattr(accuracy, "measure", three)
    outcome = run_study(BELIEFS, "beliefs=[closure]", "games=4")
    assert outcome.code == 130
    assert outcome.err.count("\n") == 1 and "interrupted after 3 games" in outcome.err
    assert outcome.summary["games"] == 3 and outcome.summary["interrupted"]
    assert not (outcome.folder / "accuracy.png").exists()

    measured.clear()
    monkeypatch.setattr("experiments.study.LINE_SECONDS", 0.0)
    monkeypatch.setattr(
        accuracy,
        "measure",
        lambda game, *rest: (measured.append(game.number), real(game, *rest))[1],
    )
    outcome = run_study(BELIEFS, "beliefs=[closure]", "games=6", there)
    assert outcome.code == 0 and measured == [0, 3, 4, 5]
    assert outcome.summary["games"] == 6 and not outcome.summary["interrupted"]
    assert "  4/6 games, 0:0" in outcome.out and "  6/6 games, 0:00 left\n" in outcome.out
    assert _moments(outcome).equals(whole)


def test_a_folder_that_is_no_run_is_not_gone_on_with(run_study, tmp_path):
    """One that is empty is: the first command of a job that may be killed creates it."""
    (tmp_path / "out").mkdir()
    note = tmp_path / "out/note.txt"
    note.write_text("mine")
    there = f"run.folder={tmp_path / 'out'}"
    outcome = run_study(BELIEFS, *SMALL, there)
    assert outcome.code == 1 and outcome.err.count("\n") == 1
    assert "it holds note.txt and no run to continue" in outcome.err
    assert list(outcome.folder.iterdir()) == [note]
    note.unlink()
    assert run_study(BELIEFS, "games=0", there).err.count("no run") == 0


def test_rows_are_kept_meanwhile_and_after_a_fault(run_study, monkeypatch):
    monkeypatch.setattr("experiments.study.SAVE_SECONDS", 0.0)
    real, kept = accuracy.measure, []

    def fails(game, *arguments):
        path = fails.folder / "moments.parquet"
        if path.exists():
            kept.append(json.loads(pl.read_parquet_metadata(path)["done"]))
        if game.number == 2:
            raise accuracy.EvidenceFull("too much was seen")
        return real(game, *arguments)

    fails.folder = run_study(BELIEFS, "games=0").folder
    monkeypatch.setattr(accuracy, "measure", fails)
    outcome = run_study(BELIEFS, *SMALL)
    assert outcome.code == 1 and "too much was seen" in outcome.err
    assert kept == [[0], [0, 1]]
    assert set(_moments(outcome)["game"]) <= {0, 1}
