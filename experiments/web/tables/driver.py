"""Drives a table: compiled players decide at once, the slow ones in a pool of threads, events are
shown at the table's pace, and whoever watches is woken.

A driver runs in one event loop, and so does everything that is asked of it.  While a slow player
decides in its thread the game is left alone; what is told meanwhile was noted before.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from concurrent.futures import Executor
from typing import Any

from experiments.web.tables.progress import Progress
from experiments.web.tables.setup import SLOWEST
from experiments.web.tables.table import NotNow, Prompt, Table, sees
from sim.player import Player
from sim.records.events import Event

SLOW_POLICIES = frozenset({"greedy"})
"""Compiled policies that may think for seconds."""

SAMPLE_SECONDS = 0.25
"""Between two looks at a search under way."""

RETRY_SECONDS = 1.0
"""Between two tries to write a move down."""

ALL = "all"
"""In place of a seat: a viewer who may know everything."""

Viewer = int | str | None
"""A seat; None for who sits nowhere; or `ALL`."""


def slow(player: Player) -> bool:
    """Tell whether ``player`` may think for long."""
    return player.policy is None or player.policy.name in SLOW_POLICIES


class Driver:
    """Drives ``table`` as its game asks for it.

    Parameters
    ----------
    table : its game may be under way
    pool : of the threads in which slow players decide

    Attributes
    ----------
    pace : seconds between two events
    paused : whether only steps that are asked for are shown
    prompt : what a person is asked for now
    waits : the seat that all wait for, or None
    searching : the latest look at the search under way, or at the last one; or None
    halted : whether a fault ended the game
    trouble : why it does not go on for now, or None
    listeners : set whenever there is something new to be told
    """

    def __init__(self, table: Table, pool: Executor) -> None:
        self.table, self._pool = table, pool
        self.pace, self.paused, self.halted = table.setup.pace, False, False
        self.prompt: Prompt | None = None
        self.waits: int | None = None
        self.trouble: str | None = None
        self.searching: dict[str, Any] | None = None
        self.listeners: set[asyncio.Event] = set()
        self._wake = asyncio.Event()
        self._steps, self._whole_turn = 0, False
        self._turn: int | None = None
        self._shown_at = -SLOWEST

    @property
    def open(self) -> bool:
        """Whether everybody may know everything: nobody sits here, or all is over."""
        return not self.table.setup.people or self.table.over

    @property
    def stands(self) -> bool:
        """Whether nothing happens until somebody wants it."""
        return self.prompt is not None or (self.paused and self.waits is None)

    @property
    def viewer(self) -> Viewer:
        """Who somebody is that watches and sits nowhere; the same for the whole game."""
        return None if self.table.setup.people else ALL

    def sees(self, event: Event, viewer: Viewer) -> bool:
        """Tell whether ``viewer`` knows of ``event``."""
        return viewer == ALL or sees(event, viewer)

    async def run(self) -> None:
        """Drive the game to its end; a fault of a player halts it, and is told on the terminal."""
        try:
            while not self.table.over:
                await self._go_on()
            self.prompt = self.waits = None
            self._tell()
        except Exception:
            print(f"a table cannot go on:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            self.halted = True
            self._tell()

    def answer(self, seat: int, number: int, action: int) -> None:
        """Take the answer of the person in ``seat`` to `prompt`, if ``number`` is that of it.

        Raises
        ------
        NotNow, sim.referee.IllegalAction, OSError
            As `Table.answer`; nothing is changed.
        """
        if self.prompt is None or (self.prompt.seat, self.prompt.number) != (seat, number):
            raise NotNow("this was not asked, or has been answered already")
        self.table.answer(seat, number, action)
        self.prompt = self.waits = None
        self._wake.set()

    def pause(self, wish: bool) -> None:
        """Stand still, or go on."""
        self.paused, self._steps, self._whole_turn, self._turn = wish, 0, False, None
        self._wake.set()

    def step(self) -> None:
        """Stand still, and show one event more."""
        self.paused, self._steps = True, self._steps + 1
        self._wake.set()

    def step_turn(self) -> None:
        """Stand still once the rest of the turn to which the next event belongs is shown."""
        self.paused, self._whole_turn, self._turn = True, True, None
        self._wake.set()

    def set_pace(self, seconds: float) -> None:
        """Let ``seconds`` pass between two events from now on.

        Raises
        ------
        ValueError
            If that is too slow.
        """
        if not 0.0 <= seconds <= SLOWEST:
            raise ValueError(f"pace must be from 0 to {SLOWEST:g} seconds, got {seconds}")
        self.pace = seconds
        self._wake.set()

    async def _go_on(self) -> None:
        """Do the next thing, or wait until there is one."""
        table = self.table
        if not table.waiting:
            await self._show()
        elif prompt := table.prompt:
            if self.prompt != prompt:
                self.prompt, self.waits = prompt, prompt.seat
                self._tell()
            await self._rest(None)
        elif self._stands(None):
            await self._rest(None)
        else:
            await self._decide()

    async def _show(self) -> None:
        """Show the next event when it is time."""
        event = self.table.game.events[self.table.shown]
        if self._stands(event):
            return await self._rest(None)
        now = asyncio.get_running_loop().time()
        dealing = event["turn"] == 0  # which happens at once
        left = 0.0 if self.paused or dealing else self._shown_at + self.pace - now
        if left > 0.0:
            return await self._rest(left)
        self.table.show_next()
        self._shown_at, self._steps, self._turn = now, max(0, self._steps - 1), event["turn"]
        self._tell()
        await asyncio.sleep(0)  # others come to their turn, however fast this game goes

    def _stands(self, event: Event | None) -> bool:
        """Tell whether ``event`` must not be shown now; None: any that follows a decision."""
        if not self.paused or self._steps:
            return False
        if event is not None and self._turn is not None and event["turn"] > self._turn:
            self._whole_turn = False
        return not self._whole_turn

    async def _decide(self) -> None:
        """Let the occupant of the seat that must decide do so."""
        game = self.table.game
        seat = game.decider
        player = game.seats[seat]
        if not slow(player) or (game.shows and not player.picks_cards):
            await self._do(game.decide())
            return
        # That somebody thinks about which card to show would tell that there are several.
        if not game.shows:
            self.waits = seat
            self._tell()
        action = await self._considered(seat, player)
        self.waits = None
        await self._do(action)
        self._tell()

    async def _do(self, action: int) -> None:
        """Do ``action`` once it can be written down."""
        while True:
            try:
                self.table.act(action)
                break
            except OSError as fault:
                if self.trouble is None:
                    self.trouble = f"the game cannot be written down: {fault.strerror}"
                    print(f"{self.trouble}; it goes on once it can", file=sys.stderr, flush=True)
                    self._tell()
            await asyncio.sleep(RETRY_SECONDS)
        if self.trouble is not None:
            self.trouble = None
            self._tell()

    async def _considered(self, seat: int, player: Player) -> int:
        """Return what ``player`` decides in a thread of the pool; look at its search meanwhile."""
        loop = asyncio.get_running_loop()
        deciding = loop.run_in_executor(self._pool, self.table.game.decide)
        progress = None if self.table.setup.people else Progress(seat, player)
        try:
            while True:
                await asyncio.wait([deciding], timeout=SAMPLE_SECONDS)
                if deciding.done():
                    action = deciding.result()
                    self._look(progress, over=True)  # as it stood when it was decided
                    return action
                if self.listeners:
                    self._look(progress, over=False)
        except asyncio.CancelledError:
            search = getattr(player, "search", None)
            if hasattr(search, "cancel"):
                search.cancel()
            raise

    def _look(self, progress: Progress | None, over: bool) -> None:
        """Tell how a search stands, if that may be seen."""
        if progress and (look := progress.look(over)):
            self.searching = look
            self._tell()

    async def _rest(self, seconds: float | None) -> None:
        """Wait for so long, or until somebody wants something."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    def _tell(self) -> None:
        for listener in self.listeners:
            listener.set()
