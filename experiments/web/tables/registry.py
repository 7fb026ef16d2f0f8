"""All tables of a folder: make them, drive them, find them after a restart, file finished games.

    FOLDER/tables/ID/table.json    setup, hashes of the seats' tokens
    FOLDER/tables/ID/moves.jsonl   decisions (`experiments.web.tables.table`)
    FOLDER/tables/ID/pace.json     pause and pace, once a spectator has set them
    FOLDER/tables/ID/over          the outcome, once the game is over and filed
    FOLDER/games/records/ID.jsonl  records of finished games

A table is written completely or not at all.  Tokens are returned once, when a table is made.  A
table that is abandoned for days is put aside: it takes no room and is not driven until opened.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.matches.results import RECORDS
from experiments.provenance.files import read_json, refuse_symlinks, write_text
from experiments.settings.commandline import Refusal
from experiments.web.shares import ADDRESS, Crowded, Shares
from experiments.web.tables.driver import HALTED, Driver
from experiments.web.tables.setup import Setup
from experiments.web.tables.table import MOVES, Table
from experiments.web.workers import Workers
from mcts.options import SEEDS

TABLES, GAMES = "tables", "games"
TABLE, PACE, OVER, LOCK = "table.json", "pace.json", "over", ".lock"

MOST_FINISHED = 50
"""Number of finished tables in memory, for viewers who return."""

LEFT_SECONDS = 60.0
"""Seconds without a move, a request or a viewer after which a table makes room for another."""

_FAULTS = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, Refusal)
"""Exceptions of reading a file with arbitrary content."""


@dataclass
class Entry:
    """A table of the registry; its ``id`` is also the name of its spectators' link."""

    id: str
    setup: Setup
    tokens: dict[int, str]  # by seat, the hash of its token
    over: bool = False  # and filed
    outcome: dict[str, Any] | None = None  # winner, turns, seconds since it was made
    driver: Driver | None = None  # None if it is not in memory
    fault: str | None = None  # reason why it cannot be opened
    aside: bool = False
    owner: str = ""  # address that made it or reopened it during this server's life
    opened: float = 0.0  # time of the last request for it, in seconds since 1970
    task: asyncio.Task[None] | None = field(default=None, repr=False)
    loaded: asyncio.Event = field(default_factory=asyncio.Event, repr=False)  # sets driver or fault

    @property
    def under_way(self) -> bool:
        """Whether its game continues."""
        halted = self.driver is not None and self.driver.halted
        return not (self.over or self.fault or self.aside or halted)


class Registry:
    """The tables in ``folder``.

    Attribute ``entries``: by id, in order of creation.

    Parameters
    ----------
    folder : made if missing; refused while another registry uses it
    max_tables : maximum number of tables under way
    workers : threads for players and files
    idle_seconds : seconds without a move or a request after which a table is put aside
    shares : of addresses in the tables under way
    """

    def __init__(
        self,
        folder: Path,
        max_tables: int,
        workers: Workers,
        idle_seconds: float = float("inf"),
        shares: Shares | None = None,
    ) -> None:
        """Read the tables in the folder; raises `Refusal` if that fails."""
        self.folder, self._max_tables, self._workers = folder, max_tables, workers
        self._idle_seconds, self.shares = idle_seconds, shares or Shares()
        self.entries: dict[str, Entry] = {}
        self._seats: dict[str, tuple[Entry, int]] = {}
        self._making = asyncio.Lock()
        self._finished: list[Entry] = []
        try:
            for below in (TABLES, GAMES):
                (folder / below).mkdir(parents=True, exist_ok=True)
                refuse_symlinks(folder / below)
            refuse_symlinks(folder)
            self._lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
            self._lock.acquire()
            made = (folder / TABLES).glob(f"*/{TABLE}")
            paths = sorted(made, key=lambda path: path.stat().st_mtime_ns)
        except Timeout:
            other = f"another server uses the tables in {folder}: end it, or set folder"
            raise Refusal(other) from None
        except OSError as fault:
            raise Refusal(f"cannot write to {folder}: {fault.strerror}; set folder") from None
        for path in paths:
            try:
                self._enter(_read(path))
            except _FAULTS as fault:  # an invalid table is reported and left alone
                print(f"{path} cannot be read and is skipped: {fault}", file=sys.stderr)

    @property
    def under_way(self) -> list[Entry]:
        """Tables whose game continues."""
        return [entry for entry in self.entries.values() if entry.under_way]

    def start(self) -> None:
        """Drive all games under way; call it once, in the event loop.

        Replaying their moves may take a while, during which other requests are answered.
        """
        for entry in self.under_way:
            if self._count_seconds(entry) > self._idle_seconds:
                entry.aside = True
            else:
                entry.task = asyncio.create_task(self._resume(entry))

    def put_aside(self) -> None:
        """Put abandoned tables aside; call it regularly."""
        for entry in self.under_way:
            self._put_aside(entry, self._idle_seconds)

    def _put_aside(self, entry: Entry, idle_seconds: float) -> bool:
        """Put an idle table aside after ``idle_seconds`` without use; return whether it was."""
        driver, task = entry.driver, entry.task
        if driver is None or task is None or not driver.idle or driver.listeners:
            return False
        if self._count_seconds(entry) <= idle_seconds:
            return False
        task.cancel()
        driver.table.close()
        entry.aside, entry.task, entry.driver = True, None, None
        entry.loaded = asyncio.Event()
        return True

    async def close(self) -> None:
        """Stop: games continue when the folder is opened again; finished ones are filed."""
        tasks = []
        for entry in self.entries.values():
            if entry.task:
                tasks.append(entry.task)
                if entry.driver is None or not entry.driver.table.over:
                    entry.task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for entry in self.entries.values():
            if entry.driver:
                entry.driver.table.close()
        self._lock.release()

    async def make(self, setup: Setup) -> tuple[Entry, dict[int, str]]:
        """Make a table, drawing its seed if None; return the tokens of people's seats.

        Raises Crowded if too many tables are under way, and none is abandoned.  Raises ValueError
        with one sentence if players or rules do not fit.  Raises OSError, Refusal if writing fails.
        """
        async with self._making:
            self.shares.spend()
            self._make_room()
            entry, table, tokens = await self._workers.run(self._make, setup)
            entry.owner = ADDRESS.get()
            self._enter(entry)
        entry.task = asyncio.create_task(self._play(entry, table))
        return entry, tokens

    async def settle(self, entry: Entry) -> None:
        """Wait until the game of a table is filed, if it is over."""
        if entry.task and entry.driver and entry.driver.table.over:
            await asyncio.wait([entry.task])

    def seat(self, token: str) -> tuple[Entry, int] | None:
        """Return the table and seat of ``token``, None if unknown."""
        return self._seats.get(hash_token(token))  # hashes: timing reveals nothing of a guess

    async def driver(self, entry: Entry) -> Driver:
        """Return the driver of a table; a finished game may have to be read again.

        Raises Crowded if the table was put aside and too many are under way.  Raises OSError,
        ValueError if it is no longer readable.
        """
        entry.opened = time.time()
        if entry.aside:
            self._make_room()
            entry.aside, entry.owner = False, ADDRESS.get()
            entry.task = asyncio.create_task(self._resume(entry))
        if not entry.over:
            await entry.loaded.wait()
        if entry.fault:
            raise ValueError(entry.fault)
        if entry.driver is None:
            table = await self._workers.run(Table, entry.setup, self._folder(entry))
            table.close()
            if entry.driver is None:
                entry.driver = Driver(table, self._workers)
                self._remember(entry)
        return entry.driver

    def record_of(self, entry: Entry) -> Path:
        """Return the path of the record of a finished game."""
        return self.folder / GAMES / RECORDS / f"{entry.id}.jsonl"

    def save_pace(self, entry: Entry) -> None:
        """Save pause and pace of a table; if that fails, the next start uses the first."""
        if entry.driver and entry.under_way:
            text = json.dumps([entry.driver.paused, entry.driver.pace])
            with suppress(OSError):
                write_text(self._folder(entry) / PACE, text)

    def _make(self, setup: Setup) -> tuple[Entry, Table, dict[int, str]]:
        """Save the table and open it."""
        setup.build_players()  # a ValueError before anything is written
        if setup.seed is None:
            setup = replace(setup, seed=secrets.randbelow(SEEDS))
        tokens = {seat: secrets.token_urlsafe(16) for seat in setup.people}
        hashes = {seat: hash_token(token) for seat, token in tokens.items()}
        entry = Entry(secrets.token_hex(6), setup, hashes)
        folder = self._folder(entry)
        folder.mkdir()
        try:
            table = Table(setup, folder)
            write_text(folder / TABLE, json.dumps({"setup": setup.to_json(), "tokens": hashes}))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return entry, table, tokens

    def _make_room(self) -> None:
        """Put an abandoned table aside if there are too many; raises Crowded if none is."""
        share, whose = self.shares.of(self._max_tables), ADDRESS.get()
        for limit, mine in ((self._max_tables, False), (share, True)):
            there = [one for one in self.under_way if not mine or one.owner == whose]
            if len(there) >= limit and not any(
                self._put_aside(entry, LEFT_SECONDS)
                for entry in sorted(there, key=self._count_seconds, reverse=True)
            ):
                of = " of your address" if share < self._max_tables and mine else ""
                raise Crowded(
                    f"{limit} tables{of} are under way, the limit: play some to their end"
                )

    def _count_seconds(self, entry: Entry) -> float:
        """Return the seconds since the last move at a table or request for it."""
        try:
            moved = (self._folder(entry) / MOVES).stat().st_mtime
        except OSError:
            return 0.0
        return time.time() - max(moved, entry.opened)

    def _enter(self, entry: Entry) -> None:
        self.entries[entry.id] = entry
        for seat, digest in entry.tokens.items():
            self._seats[digest] = entry, seat

    def _folder(self, entry: Entry) -> Path:
        return self.folder / TABLES / entry.id

    async def _resume(self, entry: Entry) -> None:
        """Replay the moves of a table, and drive it."""
        try:
            table = await self._workers.run(Table, entry.setup, self._folder(entry))
        except Exception as fault:  # its files may have any content
            entry.fault = HALTED
            entry.loaded.set()
            print(f"table {entry.id} cannot continue: {fault!r}", file=sys.stderr, flush=True)
            return
        await self._play(entry, table)

    async def _play(self, entry: Entry, table: Table) -> None:
        """Drive a table to the end of its game, and file the game."""
        driver = entry.driver = Driver(table, self._workers)
        with suppress(OSError, ValueError, TypeError):
            paused, seconds = json.loads((self._folder(entry) / PACE).read_text("utf-8"))
            driver.set_pace(float(seconds))
            driver.pause(bool(paused))
        entry.loaded.set()
        await driver.run()
        if not table.over:
            return
        try:
            self._file(entry, table)
        except (OSError, Refusal) as fault:
            print(
                f"table {entry.id} is over, but not filed: {fault}; the next start tries again",
                file=sys.stderr,
            )
        entry.over, entry.task = True, None
        table.close()
        self._remember(entry)

    def _file(self, entry: Entry, table: Table) -> None:
        """Write the record and the outcome of a finished game."""
        place, folder, end = self.record_of(entry), self._folder(entry), table.game.events[-1]
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, table.game.record())
        entry.outcome = {
            "winner": None if end["winner"] is None else entry.setup.labels[end["winner"]],
            "turns": end["turns"],
            "seconds": round(time.time() - (folder / TABLE).stat().st_mtime, 1),
        }
        write_text(folder / OVER, json.dumps(entry.outcome))

    def _remember(self, entry: Entry) -> None:
        """Keep the finished ``entry`` in memory; drop the oldest without viewers."""
        self._finished.append(entry)
        for old in self._finished[:-MOST_FINISHED]:
            if old.driver and not old.driver.listeners:
                old.driver = None
                self._finished.remove(old)


def _read(path: Path) -> Entry:
    """Return the table of an existing file; raises `_FAULTS`."""
    refuse_symlinks(path.parent)
    content = read_json(path)
    tokens = {int(seat): str(digest) for seat, digest in content["tokens"].items()}
    entry = Entry(path.parent.name, Setup.from_json(content["setup"]), tokens)
    entry.over = (path.parent / OVER).exists()
    with suppress(OSError, ValueError):
        entry.outcome = json.loads((path.parent / OVER).read_text("utf-8"))
    return entry


def hash_token(token: str) -> str:
    """Return the hash that is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
