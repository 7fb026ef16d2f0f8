"""The example of the treasure hunt: at toy size, repeated, interrupted, and refused in a line."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO

import polars as pl
import pytest
from omegaconf import OmegaConf

from experiments import study
from experiments.hunt import fields
from experiments.hunt.__main__ import COMMAND
from experiments.settings.commandline import Refusal

SMALL = ("hunt.objects=3", "hunt.obstacles=2", "seed=3")
"""Settings that make it quick."""


def read_kept(folder):
    """Return the rows of a run, without times."""
    (path,) = folder.glob("*.parquet")
    rows = pl.read_parquet(path)
    return rows.drop([name for name in rows.columns if "seconds" in name])


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run the example at toy size, once; return its output and its folder."""
    folder, said = tmp_path_factory.mktemp("hunt") / "ran", StringIO()
    with redirect_stdout(said):
        assert COMMAND.run([*SMALL, f"run.folder={folder}"]) == 0
    return said.getvalue(), folder


@pytest.fixture
def undrawn(monkeypatch):
    """Leave out what takes longest: pictures."""
    real = study.Run.finish

    def finish(self, figures, tables, pictures, draw):
        real(self, figures, tables, (), lambda _: None)

    monkeypatch.setattr(study.Run, "finish", finish)


def test_the_example_has_rows_a_table_and_a_picture(ran):
    said, folder = ran
    origin = json.loads((folder / "summary.json").read_text())["run"]
    assert origin["configuration"]["hunt"]["objects"] == 3
    assert {"command", "versions", "commit", "machine"} <= set(origin)
    (picture,) = folder.glob("*.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "─────" in said and len(read_kept(folder))


def test_the_example_repeats_itself(ran, run_study, undrawn):
    outcome = run_study(COMMAND, *SMALL)
    assert outcome.code == 0 and read_kept(outcome.folder).equals(read_kept(ran[1]))


def test_another_seed_gives_another_field(ran, run_study, undrawn):
    other = run_study(COMMAND, *SMALL, "seed=1")
    assert not read_kept(other.folder).equals(read_kept(ran[1]))


SQUARE = "POLYGON ((0 0, 8 0, 8 8, 0 8, 0 0))"
FIELD = f"""
bounds: {SQUARE}
obstacles: ["POLYGON ((3 3, 5 3, 5 5, 3 5, 3 3))"]
targets: [POINT (2 6), POINT (6 2)]
start: POINT (1 1)
"""


def test_a_workspace_of_ones_own(run_study, undrawn, tmp_path):
    path = tmp_path / "field.yaml"
    path.write_text(FIELD)
    given = (*SMALL[2:], f"hunt.workspace={path}", "hunt.weights.distance=0")
    outcome = run_study(COMMAND, *given)
    assert outcome.code == 0, outcome.err
    assert read_kept(outcome.folder)["measured"][0] == "0 1"  # both are in reach


HOSTILE = {
    "nothing.yaml": ("", "it is not a mapping"),
    "nowhere.yaml": ("targets: [POINT (1 1)]", "it has no bounds"),
    "wkt.yaml": (FIELD.replace("POINT (2 6)", "PINT (2 6)"), "targets: not a geometry"),
    "inside.yaml": (FIELD.replace("(2 6)", "(4 4)"), "target 0 lies inside an obstacle"),
    "twice.yaml": (f"{FIELD}start: POINT (1 2)", "line 6: found duplicate key start"),
    "many.yaml": (
        FIELD.replace("[POINT (2 6)", f"[{'POINT (2 6), ' * 600}POINT (2 6)"),
        "it has 602 targets: at most 14",
    ),
}
"""By name of a file, what it holds and what is said of it."""


def of(path):
    """Return the field of a file, as the example makes it."""
    settings = {**SENSING, "workspace": str(path)}
    return fields.load_field(OmegaConf.create(settings), 0)


SENSING = {"robot": 0.2, "sensor": 1.0, "line_of_sight": True}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_workspace_is_refused_in_one_sentence(name, tmp_path):
    """Control: the field that they are made of is not."""
    path = tmp_path / name
    text, said = HOSTILE[name]
    path.write_text(text)
    with pytest.raises(Refusal) as refused:
        of(path)
    assert said in str(refused.value) and name in str(refused.value)
    assert "\n" not in str(refused.value)
    (tmp_path / "good.yaml").write_text(FIELD)
    assert len(of(tmp_path / "good.yaml").workspace.targets) == 2
    (tmp_path / "good.yaml").write_text(f"{FIELD}goal: POINT (7 7)")
    assert of(tmp_path / "good.yaml").goal is not None
