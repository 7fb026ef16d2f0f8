"""Rows kept in the repository: those of a run, sorted and packed, and a seal.

The seal records the digest of the sources of the last run or replay, its commit, and the checksum
of each file.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from omegaconf import OmegaConf

from benchmarks.evidence.listing import STUDY, Evidence
from experiments.matches import part_files
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import CONFIG, SUMMARY, read_json, read_yaml, reading, write_json
from experiments.settings.commandline import Refusal
from experiments.tables.steps import Ablation

SEAL = "seal.json"
_PLACES = ("run", "folder", "classes")
"""Settings that are locations on a machine."""

PACKED = {"compression": "zstd", "compression_level": 19}


def keep(evidence: Evidence, source: Path, digest: Callable[[Sequence[str]], str | None]) -> Path:
    """Pack the run in ``source`` as the rows of ``evidence``; return the folder.

    ``digest``: returns that of modules that played a part of them.  Earlier rows are replaced when
    all are packed.  Raises Refusal if there is no run of it.
    """
    target = evidence.rows
    found = list(_runs(evidence, source, target))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=target.parent) as place:
        packed = Path(place) / target.name
        for run, kept in found:
            into = packed / kept.relative_to(target)
            into.mkdir(parents=True)
            if (run / MATCHES_FILE).exists():
                _pack_games(run, into)
            elif evidence.kind == STUDY:
                _pack_study(run, into)
            for name in (MATCHES_FILE, SUMMARY):
                if (run / name).exists():
                    write_json(into, _without_places(read_json(run / name), evidence), name)
        files = dict(_checksums(packed))
        write_seal(packed, {"sources": by_digest(evidence.parts(packed), digest), "files": files})
        shutil.rmtree(target, ignore_errors=True)
        packed.rename(target)
    return target


def by_digest(
    parts: Mapping[str, tuple[str, ...]], digest: Callable[[Sequence[str]], str | None]
) -> dict[str, list[str]]:
    """Return ``parts`` (`Evidence.parts`) by the ``digest`` of their modules, if there is one."""
    digests = {modules: digest(modules) for modules in dict.fromkeys(parts.values())}
    found: dict[str, list[str]] = {}
    for name, modules in sorted(parts.items()):
        if (one := digests[modules]) is not None:
            found.setdefault(one, []).append(name)
    return found


def unpack(evidence: Evidence, run: Path, without: Collection[str] = ()) -> None:
    """Copy the rows of ``evidence`` to the folder ``run``, for adding games.

    ``without``: names of parts to leave out, which are to be replayed.
    """
    shutil.copytree(evidence.rows, run, ignore=shutil.ignore_patterns(SEAL))
    for name in without:
        if (run / name).is_dir():
            shutil.rmtree(run / name)
    for path in run.glob("*.parquet") if without else ():
        rows = pq.read_table(path)
        left = rows.filter(~pc.field("match").isin(sorted(without)))
        path.unlink() if left.num_rows == 0 else pq.write_table(left, path)


def count_games(folder: Path) -> dict[str, int]:
    """Return the number of games of each match with rows in ``folder``."""
    parts = sorted(folder.glob("games-*.parquet"))
    if not parts:
        return {}
    rows = pl.concat(
        [
            pl.scan_parquet(part.read_bytes()).select(pl.col("match").cast(pl.String), "game")
            for part in parts
        ]
    )
    return dict(rows.group_by("match").agg(pl.col("game").n_unique()).collect().iter_rows())


def _runs(evidence: Evidence, source: Path, target: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the folder of each run of ``evidence`` and that of its kept rows."""
    if not isinstance(evidence.table, Ablation):
        if not any((source / name).exists() for name in (MATCHES_FILE, SUMMARY)):
            raise Refusal(f"{source} holds no rows of {evidence.name}: play it first")
        yield source, target
        return
    from experiments.runs import runfolder
    from experiments.tables.cells import cells_of

    cells = cells_of(evidence.table, target.parent, **evidence.asked)
    runs = [path.parent for path in sorted(source.glob(f"*/{MATCHES_FILE}"))]
    for cell in {cell.folder: cell for cell in cells}.values():
        for run in runs:
            try:
                runfolder.examine(run, [cell.match], "games")
            except Refusal:  # another cell's
                continue
            yield run, cell.folder
            break


def _pack_games(run: Path, into: Path) -> None:
    """Write each kind of rows of ``run`` as one sorted part."""
    for kind in sorted(
        {found[1] for path in run.iterdir() if (found := part_files.NAME.fullmatch(path.name))}
    ):
        if not (parts := part_files.parts(run, kind)):
            continue  # without their games they count for nothing
        rows = pl.concat(
            (pl.read_parquet(part.read_bytes()) for part in parts), how="diagonal_relaxed"
        )
        keys = [key for key in ("match", "game", "seat") if key in rows.columns]
        table = rows.sort(keys, maintain_order=True).to_arrow(compat_level=pl.CompatLevel.oldest())
        schema = pq.read_schema(parts[0])
        columns = [name for name in schema.names if name in table.column_names]
        table = table.select(columns).cast(pa.schema([schema.field(name) for name in columns]))
        pq.write_table(table, into / f"{kind}-00000.parquet", **PACKED)


def _pack_study(run: Path, into: Path) -> None:
    for path in sorted(run.glob("*.parquet")):
        pq.write_table(pq.read_table(path), into / path.name, **PACKED)
    held = read_yaml(run / CONFIG)
    OmegaConf.save({key: held[key] for key in held if key not in _PLACES}, into / CONFIG)


def _without_places(held: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    """Return the metadata of a run without the folders of its machine."""
    if "command" in held:
        return {**held, "command": evidence.command}
    about = {key: value for key, value in held["run"].items() if key not in _PLACES}
    return {**held, "run": {**about, "command": evidence.command, "configuration": {}}}


def _checksums(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != SEAL:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            yield path.relative_to(folder).as_posix(), content


def write_seal(folder: Path, seal: Mapping[str, Any]) -> None:
    """Write ``seal`` to the folder of rows."""
    write_json(folder, dict(seal), SEAL)


def read_seal(folder: Path) -> dict[str, Any] | None:
    """Return the seal of the rows in ``folder``, None if there are none; Refusal if unreadable."""
    path = folder / SEAL
    if not path.exists():
        return None
    with reading(path, "restore it from the repository"):
        found = read_json(path)
        if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
            raise ValueError("it is no seal")
        return found


def find_damage(folder: Path, seal: Mapping[str, Any]) -> list[str]:
    """Return the files in ``folder`` that differ from its ``seal``."""
    there = dict(_checksums(folder))
    return sorted(
        name for name in {*there, *seal["files"]} if there.get(name) != seal["files"].get(name)
    )


def advise(path: Path, sealed: str | None) -> str:
    """Return how to restore the file ``path``, whose sealed checksum is ``sealed``."""
    restore = f"git checkout -- {path.name} in its folder restores it"
    found = path.read_bytes() if path.exists() else b""
    if hashlib.sha256(found.replace(b"\r\n", b"\n")).hexdigest() == sealed:
        return f"its line ends were converted: git config core.autocrlf false, then {restore}"
    return f"{restore}, if it is in the repository" if sealed else "remove it"
