"""Files that another host may replace are read, not mapped: a map of a lost file ends in SIGBUS."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.matches import results
from tests.experiments.rows import make_match, play_matches

ROOT = Path(__file__).resolve().parents[2]

MAPS = re.compile(
    r"\b(?:read|scan)_parquet\b(?!\(\(?[\w./ ]+\)?\.read_bytes\(\))|memory_map=True|\bmmap"
)
"""Matches reads that map a file; polars does so, whatever its options, unless it gets bytes."""

READER = """
import sys, time
from contextlib import suppress
from pathlib import Path
import polars as pl
from experiments.report.run import load
from experiments.runs.rows import all_rows
from experiments.settings.commandline import Refusal

folder = Path(sys.argv[1])
part = folder / "games-00000.parquet"
print("reading", flush=True)
until, whole = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < until:
    with suppress(Refusal, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        {read}
        whole += 1
print(whole)
"""


def read_while_it_changes(folder: Path, read: str, seconds: float = 5.0) -> tuple[int, str]:
    """Return exit status and output of a process that reads a run whose part is cut and restored.

    The part is cut in place, as a host sees a file on a shared disk that another one has replaced.
    """
    (part,) = results.parts(folder)
    content = part.read_bytes()
    command = [sys.executable, "-c", READER.format(read=read), str(folder), str(seconds)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert reader.stdout and reader.stdout.readline() == "reading\n"
    while reader.poll() is None:
        with part.open("r+b") as file:
            file.truncate(0)
            time.sleep(0.0005)
            file.write(content)
        time.sleep(0.003)
    with reader.stdout:
        return reader.returncode, reader.stdout.read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a run with one part of 20,000 games."""
    made = tmp_path_factory.mktemp("mapped") / "run"
    play_matches(made, [make_match()], 20_000)
    return made


@pytest.mark.parametrize("read", ["all_rows(folder)", "load(folder, 'run')"])
def test_a_part_that_changes_while_it_is_read_ends_no_process(folder, read):
    code, whole = read_while_it_changes(folder, read)
    assert code == 0
    assert int(whole) > 0


def test_a_mapped_part_ends_the_process_that_reads_it(folder):
    """The control: the same file, and the same changes."""
    code, _ = read_while_it_changes(folder, "pl.read_parquet(part)", 60)
    assert code == -signal.SIGBUS


def test_no_module_maps_a_file():
    files = [
        path for top in ("experiments", "benchmarks", "sim") for path in (ROOT / top).rglob("*.py")
    ]
    assert len(files) > 200
    found = {path.name: kinds for path in files if (kinds := MAPS.findall(path.read_text()))}
    assert not found


@pytest.mark.parametrize(
    ("source", "maps"),
    [
        ("rows = pl.read_parquet(path)", True),
        ("rows = pl.scan_parquet(folder / name)", True),
        ("map(pl.read_parquet, parts)", True),
        ("pq.read_table(path, memory_map=True)", True),
        ("np.load(path, mmap_mode='r')", True),
        ("pl.read_parquet((folder / ROWS.file).read_bytes())", False),
        ("pl.scan_parquet(part.read_bytes())", False),
    ],
)
def test_the_check_finds_a_read_that_maps(source, maps):
    assert bool(MAPS.search(source)) == maps
