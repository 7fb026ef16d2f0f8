"""All tables of a folder: made, driven, found again after a restart.

    FOLDER/tables/ID/table.json     what was set up, hashes of the seats' tokens
    FOLDER/tables/ID/moves.jsonl    what was decided (`experiments.web.tables.moves`)
    FOLDER/tables/ID/pace.json      how somebody who watches has set it (`tables.pace`)
    FOLDER/tables/ID/over           once the game is over and kept
    FOLDER/{study,games}/NAME/      runs of finished games with people

A table is there as a whole or not at all.  Tokens are told once, when a table is made.  A table
that is left for days is put aside: it takes no room and is not driven, until somebody opens it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import shutil
import sys
import time
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.provenance.files import write_text
from experiments.settings.commandline import Refusal
from experiments.web.tables import kept, pace
from experiments.web.tables.driver import Driver
from experiments.web.tables.moves import MOVES
from experiments.web.tables.setup import Setup, names
from experiments.web.tables.table import Table
from mcts.kernel.errors import SleuthError
from mcts.options import SEEDS

TABLES, TABLE, OVER, LOCK = "tables", "table.json", "over", ".lock"

HALTED = "this game cannot go on: see the server's terminal"

MOST_IDLE = 50
"""Finished tables that are kept in memory, for who looks at them again."""


class Crowded(SleuthError, ValueError):
    """No more tables can be made for now."""


@dataclass
class Entry:
    """A table of the hall.

    Attributes
    ----------
    id : its name in links to watch it
    setup : what was set up
    run : folder of the run that its game belongs to, below the hall's; None without people
    tokens : by seat, the hash of its token
    over : whether the game is over, and kept
    driver : while it is in memory
    fault : why it cannot be opened, if it cannot
    aside : whether it is put aside
    asked : when somebody last asked for it, in seconds since 1970
    task : drives it
    begun : set once that is known
    """

    id: str
    setup: Setup
    run: str | None
    tokens: dict[int, str]
    over: bool = False
    driver: Driver | None = None
    fault: str | None = None
    aside: bool = False
    asked: float = 0.0
    task: asyncio.Task[None] | None = field(default=None, repr=False)
    begun: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def labels(self) -> list[str]:
        """What the players are called, by seat."""
        return [seat.get("label") or seat["name"] for seat in self.setup.seats]

    @property
    def under_way(self) -> bool:
        """Whether its game goes on."""
        halted = self.driver is not None and self.driver.halted
        return not (self.over or self.fault or self.aside or halted)


class Hall:
    """The tables in ``folder``.

    Parameters
    ----------
    folder : made if it is not there; another hall that has it is refused
    most : tables that may be under way at the same time
    pool : of the threads in which slow players decide
    idle : seconds after which a table that nobody has played or asked for is put aside

    Attributes
    ----------
    entries : by id, in the order in which they were made
    """

    def __init__(self, folder: Path, most: int, pool: Executor, idle: float = float("inf")) -> None:
        """Read what is there; raises `Refusal` if that cannot be."""
        self.folder, self._most, self._pool, self._idle_seconds = folder, most, pool, idle
        self.entries: dict[str, Entry] = {}
        self._seats: dict[str, tuple[str, Entry, int]] = {}
        self._making = asyncio.Lock()
        self._idle: list[Entry] = []
        try:
            (folder / TABLES).mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
            self._lock.acquire()
            made = sorted(
                (folder / TABLES).glob(f"*/{TABLE}"), key=lambda path: path.stat().st_mtime_ns
            )
        except Timeout:
            raise Refusal(
                f"another server has the tables in {folder}: end it, or set folder"
            ) from None
        except OSError as fault:
            raise Refusal(f"cannot write to {folder}: {fault.strerror}; set folder") from None
        for path in made:
            self._read(path)

    @property
    def under_way(self) -> list[Entry]:
        """Tables whose game goes on."""
        return [entry for entry in self.entries.values() if entry.under_way]

    def start(self) -> None:
        """Drive all games under way; to be called in the event loop, once.

        Making their moves again may take a while, for which nobody else waits.
        """
        for entry in self.under_way:
            if self._left(entry):
                entry.aside = True
            else:
                self._drive(entry)

    def put_aside(self) -> None:
        """Put aside the tables that have been left; to be called now and then."""
        for entry in self.under_way:
            driver = entry.driver
            if driver and driver.stands and not driver.listeners and self._left(entry):
                entry.task.cancel()
                driver.table.close()
                entry.aside, entry.task, entry.driver = True, None, None
                entry.begun = asyncio.Event()

    async def close(self) -> None:
        """Stand still: the games go on when the hall is opened again; what is over is kept."""
        driven = [entry for entry in self.entries.values() if entry.task]
        tasks = [entry.task for entry in driven]
        for entry in driven:
            if entry.driver is None or not entry.driver.table.over:
                entry.task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for entry in self.entries.values():
            if entry.driver:
                entry.driver.table.close()
        self._lock.release()

    async def make(self, wish: dict[str, Any]) -> tuple[Entry, dict[int, str]]:
        """Make a table as `experiments.web.tables.wish.settled` has it; return the seats' tokens.

        Raises
        ------
        Crowded
            If too many are under way.
        ValueError
            With one sentence, if players or rules cannot be.
        OSError, Refusal
            If it cannot be written.
        """
        async with self._making:
            entry, table, tokens = await asyncio.to_thread(self._made, wish)
            self._enter(entry)
        entry.task = asyncio.get_running_loop().create_task(self._driven(entry, table))
        return entry, tokens

    def seat(self, token: str) -> tuple[Entry, int] | None:
        """Return the table and seat of ``token``, None if there are none."""
        given = _hash(token)
        found = self._seats.get(given[:16])
        # What is looked up is a hash, and the rest of it is compared in constant time: neither
        # tells by its time how near a guess was.
        if found is None or not hmac.compare_digest(found[0], given):
            return None
        return found[1], found[2]

    async def driver(self, entry: Entry) -> Driver:
        """Return what drives a table; one whose game is over may have to be read again.

        Raises
        ------
        Crowded
            If it was put aside, and too many are under way by now.
        OSError, ValueError
            If it cannot be read any more.
        """
        entry.asked = time.time()
        if entry.aside:
            self._room()
            entry.aside = False
            self._drive(entry)
        if not entry.over:
            await entry.begun.wait()
        if entry.fault:
            raise ValueError(entry.fault)
        if entry.driver is None:
            table = await asyncio.to_thread(self._opened, entry)
            table.close()
            if entry.driver is None:
                entry.driver = Driver(table, self._pool)
                self._remember(entry)
        return entry.driver

    def keep_pace(self, entry: Entry) -> None:
        """Keep how somebody has set the pace of a table, for the next start."""
        if entry.driver and entry.under_way:
            pace.keep(self._folder(entry), entry.driver)

    def _made(self, wish: dict[str, Any]) -> tuple[Entry, Table, dict[int, str]]:
        self._room()
        kind = kept.kind_of(wish)
        game, seed, run = 0, wish["seed"], None
        if kind is None:
            seed = secrets.randbelow(SEEDS) if seed is None else seed
        else:
            _check(wish, seed or 0)  # before a run is begun for it
            run = str(kind.folder)
            seed = kept.begun(self.folder, kind)
            game = kind.number({one.setup.game for one in self.entries.values() if one.run == run})
        return self._written(Setup(**{**wish, "seed": seed, "game": game}), run)

    def _room(self) -> None:
        if len(self.under_way) >= self._most:
            raise Crowded(f"{self._most} tables are under way, and no more may be: play some on")

    def _left(self, entry: Entry) -> bool:
        """Tell whether nobody has played at a table for so long, nor asked for it."""
        try:
            played = (self._folder(entry) / MOVES).stat().st_mtime
        except OSError:
            return False
        return time.time() - max(played, entry.asked) > self._idle_seconds

    def _drive(self, entry: Entry) -> None:
        entry.task = asyncio.get_running_loop().create_task(self._again(entry))

    def _written(self, setup: Setup, run: str | None) -> tuple[Entry, Table, dict[int, str]]:
        """Write the table down, open it and return it."""
        tokens = {seat: secrets.token_urlsafe(16) for seat in setup.people}
        hashes = {seat: _hash(token) for seat, token in tokens.items()}
        entry = Entry(secrets.token_hex(6), setup, run, hashes)
        folder = self._folder(entry)
        names(setup.made_players())  # a ValueError before anything is written
        folder.mkdir()
        try:
            table = self._opened(entry)
            told = {"setup": setup.text(), "run": run, "tokens": hashes}
            write_text(folder / TABLE, json.dumps(told))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return entry, table, tokens

    def _enter(self, entry: Entry) -> None:
        self.entries[entry.id] = entry
        for seat, hashed in entry.tokens.items():
            self._seats[hashed[:16]] = hashed, entry, seat

    def _read(self, path: Path) -> None:
        """Read a table that was made before; what cannot be read is told and left alone."""
        try:
            told = json.loads(path.read_text("utf-8"))
            tokens = {int(seat): str(hashed) for seat, hashed in told["tokens"].items()}
            setup = Setup.read(told["setup"])
            over = (path.parent / OVER).exists()
            self._enter(Entry(path.parent.name, setup, told["run"], tokens, over))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            print(f"{path} cannot be read, and is left out: {fault}", file=sys.stderr)

    def _folder(self, entry: Entry) -> Path:
        return self.folder / TABLES / entry.id

    def _opened(self, entry: Entry) -> Table:
        return Table(entry.setup, self._folder(entry))

    async def _again(self, entry: Entry) -> None:
        """Make the moves of a table again, and drive it."""
        try:
            table = await asyncio.to_thread(self._opened, entry)
        except Exception as fault:  # whatever somebody has written into its files
            entry.fault = HALTED
            entry.begun.set()
            print(f"table {entry.id} cannot go on: {fault!r}", file=sys.stderr, flush=True)
            return
        await self._driven(entry, table)

    async def _driven(self, entry: Entry, table: Table) -> None:
        """Drive a table to the end of its game, and keep that."""
        driver = entry.driver = Driver(table, self._pool)
        pace.restore(self._folder(entry), driver)
        entry.begun.set()
        await driver.run()
        if not driver.table.over:
            return
        try:
            if entry.run is not None:
                run = self.folder / entry.run
                await asyncio.to_thread(kept.keep, run, entry.setup, driver.table.game)
            (self._folder(entry) / OVER).touch()
        except Exception as fault:  # whatever somebody has done to the run's folder
            told = f"table {entry.id} is over, but not kept: {fault}; the next start tries again"
            print(told, file=sys.stderr)
        entry.over, entry.task = True, None
        driver.table.close()
        self._remember(entry)

    def _remember(self, entry: Entry) -> None:
        """Have ``entry``, which is over, in memory, and forget one that nobody looks at for it."""
        self._idle.append(entry)
        for idle in self._idle[:-MOST_IDLE]:
            if idle.driver and not idle.driver.listeners:
                idle.driver = None
                self._idle.remove(idle)


def _check(wish: dict[str, Any], seed: int) -> None:
    """Raise ValueError if no table can be set up so."""
    Setup(**{**wish, "seed": seed, "game": 0}).made_players()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
