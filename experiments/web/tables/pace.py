"""How somebody who watches has set a table without people, over a restart: paused, and the pace."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from experiments.provenance.files import write_text
from experiments.web.tables.driver import Driver

PACE = "pace.json"


def keep(folder: Path, driver: Driver) -> None:
    """Write down how ``driver`` is set; where that cannot be, the next start begins as at first."""
    with suppress(OSError):
        write_text(folder / PACE, json.dumps([driver.paused, driver.pace]))


def restore(folder: Path, driver: Driver) -> None:
    """Set ``driver`` as it was written down, if it was."""
    with suppress(OSError, ValueError, TypeError):
        paused, seconds = json.loads((folder / PACE).read_text("utf-8"))
        driver.set_pace(float(seconds))
        driver.pause(bool(paused))
