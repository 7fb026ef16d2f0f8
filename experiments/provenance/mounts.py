"""The file system of a folder: whether other hosts may share it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

NETWORK = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "gpfs", "lustre", "nfs", "nfs4", "panfs", "smb3"}
)
"""File systems that several hosts mount; those of FUSE may be shared, too."""


def shared_by_hosts(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """Return the name of the file system of ``path`` if it may be of several hosts, else None.

    ``path`` need not exist; ``mounts``: the kernel's list of mounts.
    """
    found, length = "", -1
    with suppress(OSError):
        for line in mounts.read_text().splitlines():
            where, _, what = line.partition(" - ")
            point = Path(where.split()[4].replace("\\040", " "))
            if len(point.parts) >= length and path.resolve().is_relative_to(point):
                found, length = what.split()[0], len(point.parts)  # the last hides earlier ones
    return found if found in NETWORK or found.startswith("fuse.") else None
