"""The commands from Python: the same rows, one-line refusals, results that show themselves."""

from __future__ import annotations

import pytest

from experiments import compare, sweep, table
from experiments.runs.rows import all_rows
from sim import Policy

SWIFT = {"preset": "swift", "threshold": 0.4}
TYPED = ("player=swift", "player.threshold=0.4", "opponent=random", "match.workers=1", "seed=3")
OF_THE_RUN = ("run", "search_seconds")


def test_a_comparison_has_the_rows_of_the_command(run_compare):
    typed = run_compare(*TYPED, "match.games=12", "tracking.enabled=false")
    made = compare(player=SWIFT, opponent="random", games=12, workers=1, seed=3, progress=False)
    assert made.rows.drop(OF_THE_RUN).equals(all_rows(typed.folder).drop(OF_THE_RUN))
    assert made.rows.height == 4 * 12 and set(made.rows["player"]) == {"swift", "random"}
    assert made.summary["table"] == typed.summary["table"]
    said = made.summary["run"]["command"].split()
    assert said[:3] == ["python", "-m", "experiments.compare"] and "player.threshold=0.4" in said
    assert "swift against 3 random, parity 25 %" in repr(made) and "again: python -m" in repr(made)
    assert "<table" in made._repr_html_()
    assert made.plot().axes[0].get_xlabel() == "games, in order of their numbers"
    assert not list(made.folder.glob("mlflow*")) and (made.folder / "win_rate.png").exists()
    place = made.folder
    del made
    assert not place.exists(), "a temporary folder goes with its result"


def test_a_folder_is_kept_and_continued(tmp_path, capsys):
    asked = {"player": "random", "opponent": "random", "workers": 1, "tracking": False}
    first = compare(**asked, games=4, folder=tmp_path / "out", progress=False)
    with pytest.raises(ValueError, match=r"seed was 0 there and is 1 now"):
        compare(**asked, games=8, seed=1, folder=tmp_path / "out", progress=False)
    more = compare(**asked, games=8, folder=tmp_path / "out", progress=False)
    assert more.folder == first.folder and more.rows.height == 4 * 8
    assert capsys.readouterr().out == ""
    compare(**asked, games=9, folder=tmp_path / "out")
    assert "compil" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"player": "swft"}, "player=swft: unknown .did you mean swift"),
        ({"player": {"preset": "swift", "treshold": 1}}, "did you mean threshold"),
        ({"games": 0}, "match.games=0: must be at least 1"),
        ({"overrides": ["player.budget=3"]}, "player.budget"),
    ],
)
def test_what_cannot_be_is_a_value_error_of_one_line(settings, reason):
    with pytest.raises(ValueError, match=reason) as refused:
        compare(**{"player": "swift", **settings})
    assert "\n" not in str(refused.value)


def test_a_policy_as_a_value_is_its_preset_with_its_switches():
    given = {"player": Policy("swift", threshold=0.4), "opponent": Policy("hide", hiding=0.5)}
    asked = {"games": 8, "seed": 3, "progress": False}
    typed = {
        "player": {"preset": "swift", "threshold": 0.4},
        "opponent": {"preset": "hide", "hiding": 0.5},
    }
    made, same = compare(**given, **asked), compare(**typed, **asked)
    assert made.rows.drop(OF_THE_RUN).equals(same.rows.drop(OF_THE_RUN))
    other = compare(**{**given, "player": "swift"}, **asked)  # the control
    assert not made.rows.drop(OF_THE_RUN).equals(other.rows.drop(OF_THE_RUN))


def test_what_is_no_player_is_refused():
    with pytest.raises(ValueError, match=r"^player: give the name of a preset .* sim.Policy$"):
        compare(player=3)
    with pytest.raises(ValueError, match=r"^rules: give the name of a preset or a dict"):
        compare(rules=4)


def test_a_sweep_has_the_rows_of_the_command(run_sweep):
    typed = run_sweep(
        "player=swift",
        "player.threshold=0.3,0.4",
        "opponent=random",
        "match.games=8",
        "tracking.enabled=false",
    )
    made = sweep(
        player={"preset": "swift", "threshold": [0.3, 0.4]},
        opponent="random",
        games=8,
        progress=False,
    )
    assert made.rows["trial"].unique().sort().to_list() == [0, 1]
    for trial in (0, 1):
        mine = made.rows.filter(trial=trial).drop("trial", *OF_THE_RUN)
        assert mine.equals(all_rows(typed.folder / f"trial-{trial:04d}").drop(OF_THE_RUN))
    assert made.summary["points"] == typed.summary["points"]
    assert "2 trials, on the games they were chosen by" in repr(made)
    assert made.table.rows[0][0] == str(made.played.best.trial)
    assert made.plot().axes
    with pytest.raises(ValueError, match="no setting has several values"):
        sweep(player="swift", progress=False)


def test_a_table_is_that_of_the_command(run_tables, tmp_path):
    asked = {"only": ["swift40", "swift"], "games": 4}
    made = table("thresholds", folder=tmp_path / "python", progress=False, **asked)
    typed = ("thresholds", "only=[swift40,swift]", "games=4")
    code, shown = run_tables(*typed, folder=tmp_path / "typed")
    assert code == 0, shown.err
    other = all_rows(next((tmp_path / "typed").rglob("matches.json")).parent)
    assert made.rows.drop(OF_THE_RUN).equals(other.drop(OF_THE_RUN))
    assert all(str(row[0]) in shown.out for row in made.table.rows)
    with pytest.raises(ValueError, match="unknown"):
        table("polices")
